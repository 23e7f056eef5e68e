"""The range: how likely each hand is, by role, under a discard strategy, given what a seat has seen and every go."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import N_CARDS, NO_CARD
from cribsim.hands import CARD_PLACES, class_hands, class_sizes
from cribsim.pegging import EMPTY_HAND
from cribsim.rules import MAX_COUNT, pip_of
from cribsim.scoring import N_KEPT, N_RANKS, RANK_PLACES, multisets
from cribsim.strategies.base import Half
from cribsim.strategies.policy import policy_of
from cribsim.views import KEPT_2

_MOST_TRIES = 1000


def kept_chances(half: Half) -> NDArray[np.float64]:
    """How likely each four ranks are kept by pone and dealer, (2, 1820) by `scoring.kept_index`; two players.

    Raises
    ------
    PlayerError
        The strategy has no policy (`policy.policy_of`).
    """
    return _kept_chances(half, (half.code, *map(id, half.functions)))


@functools.lru_cache(maxsize=4)
def _kept_chances(half: Half, _code: tuple[Any, ...]) -> NDArray[np.float64]:
    hands, sizes = class_hands(6), class_sizes(6)
    number = CARD_PLACES[np.arange(6), hands].sum(axis=1)
    found = np.zeros((2, N_KEPT))
    for role in (0, 1):
        kept = np.take_along_axis(hands, KEPT_2[policy_of(half, role)[number]], axis=1) >> 2
        index = RANK_PLACES[np.arange(4), kept].sum(axis=1)
        found[role] = np.bincount(index, weights=sizes, minlength=N_KEPT) / sizes.sum()
    return found


def lowest_ranks(view: Any) -> NDArray[np.int64]:
    """By seat the lowest rank that it may still hold: who said go, or held cards when nobody could play, held nothing
    that fitted."""
    lowest, count = np.zeros(int(view["players"]), np.int64), 0
    left = np.full(int(view["players"]), 4)
    for at in range(int(view["n_played"])):
        pip = pip_of(int(view["played"][at]))
        if count + pip > MAX_COUNT:
            _rule_out(lowest, left > 0, count)
            count = 0
        _rule_out(lowest, np.array([view["goes"][at] >> seat & 1 for seat in range(len(left))], bool), count)
        count = (count + pip) % MAX_COUNT
        left[view["played_by"][at]] -= 1
    if count and view["count"] == 0:
        _rule_out(lowest, left > 0, count)
    _rule_out(lowest, np.array([view["gone"] >> seat & 1 for seat in range(len(left))], bool), count)
    return lowest


def _rule_out(lowest: NDArray[np.int64], seats: NDArray[np.bool_], count: int) -> None:
    """These seats couldn't play at a count."""
    fits = MAX_COUNT - count
    lowest[seats] = np.maximum(lowest[seats], fits if fits < 10 else 0)


def seen_by(view: Any) -> list[int]:
    """All cards that the seat has seen: its own, those that lie, the starter."""
    cards = [*view["cards"], *view["discards"], view["starter"], *view["played"][: view["n_played"]]]
    return sorted({int(card) for card in cards if card != NO_CARD})


def holdings(view: Any, chances: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The ranks that the other may still hold, and how likely, two players.

    Parameters
    ----------
    view
        A record of PLAY_VIEW.
    chances
        How often a player in the other's role keeps each four ranks, (1820,), over all deals.

    Returns
    -------
    hands, shares
        Ranks (m, cards left), sorted, and their chances, given everything that the seat has seen (its own cards and
        discards, the starter, what was played) and every go. Discards of the other by suit aren't thought about.
    """
    other = 1 - int(view["seat"])
    played = [int(card) for card, seat in zip(view["played"], view["played_by"], strict=True) if seat == other]
    theirs = np.bincount([card >> 2 for card in played], minlength=N_RANKS)
    mine = np.bincount([card >> 2 for card in seen_by(view) if card not in played], minlength=N_RANKS)
    rows = multisets(4)
    held = (rows[:, :, None] == np.arange(N_RANKS)).sum(axis=1)
    ways = np.array([[math.comb(4 - seen, n) / math.comb(4, n) for n in range(5)] for seen in range(5)])
    shares = chances * ways[mine[None, :], held].prod(axis=1)
    rest = held - theirs
    lowest = lowest_ranks(view)[other]
    shares[(rest < 0).any(axis=1) | (rest[:, :lowest] > 0).any(axis=1)] = 0
    kept = np.flatnonzero(shares)
    hands = np.array([np.repeat(np.arange(N_RANKS), row) for row in rest[kept]]).reshape(len(kept), -1)
    return hands, shares[kept] / shares[kept].sum()


def sample_hands(view: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Hands of all other seats, drawn evenly from the cards unseen, those ruled out by goes left out: int64 (n, 4),
    packed, by seat; the seat's own hand stands in its place."""
    players, me = int(view["players"]), int(view["seat"])
    unseen = np.setdiff1d(np.arange(N_CARDS), seen_by(view))
    left, lowest = view["n_left"].astype(np.int64), lowest_ranks(view)
    found: list[NDArray[np.int64]] = []
    for _ in range(_MOST_TRIES):
        drawn = rng.permuted(np.tile(unseen, (n, 1)), axis=1)
        hands, first, fits = np.full((n, 4), EMPTY_HAND, np.int64), 0, np.ones(n, bool)
        for seat in range(players):
            if seat == me:
                hands[:, seat] = pack(view["cards"][None, : view["n_cards"]].astype(np.int64))
            else:
                cards = np.sort(drawn[:, first : first + left[seat]], axis=1)
                first += left[seat]
                fits &= (cards >> 2 >= lowest[seat]).all(axis=1)
                hands[:, seat] = pack(cards)
        found.append(hands[fits])
        if sum(map(len, found)) >= n:
            break
    return np.concatenate(found)[:n]


def pack(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sorted cards, (n, k), as packed hands (`pegging`)."""
    hands = np.full(len(cards), EMPTY_HAND, np.int64)
    for place in range(cards.shape[1]):
        hands += (cards[:, place] - NO_CARD) << (8 * place)
    return hands
