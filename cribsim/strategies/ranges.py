"""The range: how likely each hand is, by role, under a discard strategy, given what a seat has seen and every go."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, NO_CARD
from cribsim.hands import CARD_PLACES, class_hands, class_sizes
from cribsim.pegging import EMPTY_HAND, MAX_PLAYS
from cribsim.pegging_game.paths import rank_in
from cribsim.pegging_game.sets import N_SETS, SETS, n_hands_of
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import MAX_COUNT, Rules
from cribsim.scoring import N_KEPT, N_RANKS, RANK_PLACES, multisets
from cribsim.strategies.base import Half
from cribsim.strategies.policy import policy_of
from cribsim.views import KEPT_2
from cribsim.work import n_cores, share_out

_MOST_TRIES = 1000
_SMALL = 1e-5


def kept_chances(half: Half, rules: Rules | None = None) -> NDArray[np.float64]:
    """How likely each four ranks are kept by pone and dealer, (2, 1820) by `scoring.kept_index`; two players with six
    cards. rules: None for the standard game.

    Raises
    ------
    PlayerError
        The strategy has no policy (`policy.policy_of`).
    """
    return _kept_chances(half, half.state, rules)


def likely_chances(half: Half) -> NDArray[np.float64]:
    """The same, where what a sensible player would hardly have kept stays possible with a small chance."""
    chances = kept_chances(half) + _SMALL
    shares: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
    return shares


@functools.lru_cache(maxsize=4)
def _kept_chances(half: Half, _state: tuple[Any, ...], rules: Rules | None) -> NDArray[np.float64]:
    number = CARD_PLACES[np.arange(6), class_hands(6)].sum(axis=1)
    return chances_of_answers([policy_of(half, role, rules)[number] for role in (0, 1)])


def chances_of_answers(answers: Sequence[NDArray[np.uint8]]) -> NDArray[np.float64]:
    """How likely each four ranks are kept, (2, 1820), by the answers of pone and dealer for each class of hands,
    (962988,) each."""
    hands, sizes = class_hands(6), class_sizes(6)
    kept = [numbers_kept(hands, answers[role]) for role in (0, 1)]
    counts = np.stack([np.bincount(at, weights=sizes, minlength=N_KEPT) for at in kept])
    shares: NDArray[np.float64] = counts / sizes.sum()
    return shares


def numbers_kept(hands: NDArray[np.uint8], answers: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers of the four ranks kept (`scoring.kept_index`), (m,), of sorted hands, (m, 6), by the answers."""
    kept = np.take_along_axis(hands, KEPT_2[answers], axis=1) >> 2
    numbers: NDArray[np.int64] = RANK_PLACES[np.arange(4), kept].sum(axis=1)
    return numbers


@kernel
def _count_kept(unseen, policy, last, hand, out_counts):
    """Count what every hand keeps whose highest card is unseen[last], two of six. unseen: int64, sorted cards; policy:
    uint8 by hand; hand: int64[6], scratch, its ranks; out_counts: int64[1820], by kept ranks."""
    hand[5], at5 = unseen[last] >> 2, CARD_PLACES[5, unseen[last]]
    for fourth in range(4, last):
        hand[4], at4 = unseen[fourth] >> 2, at5 + CARD_PLACES[4, unseen[fourth]]
        for third in range(3, fourth):
            hand[3], at3 = unseen[third] >> 2, at4 + CARD_PLACES[3, unseen[third]]
            for second in range(2, third):
                hand[2], at2 = unseen[second] >> 2, at3 + CARD_PLACES[2, unseen[second]]
                for first in range(1, second):
                    hand[1], at1 = unseen[first] >> 2, at2 + CARD_PLACES[1, unseen[first]]
                    for lowest in range(first):
                        hand[0], index = unseen[lowest] >> 2, 0
                        kept = KEPT_2[np.uint64(policy[np.uint64(at1 + unseen[lowest])])]
                        for place in range(4):
                            index += RANK_PLACES[place, np.uint64(hand[np.uint64(kept[place])])]
                        out_counts[np.uint64(index)] += 1


def chances_given(half: Half, role: int, seen: Sequence[int]) -> NDArray[np.float64]:
    """How likely each four ranks are kept, (1820,), by a player in a role who holds none of the cards seen: every hand
    of the others is counted.

    Raises
    ------
    PlayerError
        The strategy has no policy.
    """
    unseen, policy, n = np.setdiff1d(np.arange(N_CARDS), np.asarray(seen)), policy_of(half, role), n_cores()

    def count(share: int) -> NDArray[np.int64]:
        counts, hand = np.zeros(N_KEPT, np.int64), np.zeros(6, np.int64)
        for last in range(len(unseen) - 1 - share, 4, -n):
            _count_kept(unseen, policy, last, hand, counts)
        return counts

    counts = np.sum(list(share_out(count, range(n))), axis=0)
    chances: NDArray[np.float64] = counts / counts.sum()
    return chances


@kernel(inline=True)
def _limit(seats, count, out_lowest):
    """These seats (bits) couldn't play at a count."""
    fits = MAX_COUNT - count
    if fits < 10:
        for seat in range(MAX_PLAYERS):
            if seats >> seat & 1:
                out_lowest[seat] = max(out_lowest[seat], fits)


@kernel
def rule_out(view, out_lowest):
    """By seat the lowest rank that it may still hold: who said go, or held cards when nobody could play, held nothing
    that fitted. view: PLAY_VIEW; out_lowest: int64[4]."""
    out_lowest[:] = 0
    count, n_played, holding = 0, 0, (1 << np.int64(view.players)) - 1
    for at in range(np.int64(view.n_played)):
        pip = min((np.int64(view.played[at]) >> 2) + 1, 10)
        unasked = (
            np.int64(view.goes[at]) >> 4
        )  # when a count was closed before everybody had his turn (`go_order=next`)
        if count + pip > MAX_COUNT or unasked:
            _limit(holding & ~unasked, count, out_lowest)
            count = 0
        _limit(np.int64(view.goes[at]), count, out_lowest)
        count = (count + pip) % MAX_COUNT
        seat = np.int64(view.played_by[at])
        n_played += 1 << (4 * seat)
        if n_played >> (4 * seat) & 15 == 4:
            holding &= ~(1 << seat)
    if view.count == 0:
        unasked = np.int64(view.goes[np.int64(view.n_played)]) >> 4 if view.n_played < MAX_PLAYS else 0
        _limit(holding & ~unasked, count, out_lowest)
    _limit(np.int64(view.gone), count, out_lowest)


@kernel
def see_ranks(view):
    """How many of each rank the seat hasn't seen in its own cards, its discards or the starter, or played itself; three
    bits each. What others played isn't taken off."""
    left = 0
    for rank in range(N_RANKS):
        left |= 4 << (3 * rank)
    for place in range(4):
        if view.cards[place] != NO_CARD:
            left -= 1 << (3 * (np.int64(view.cards[place]) >> 2))
    for place in range(2):
        if view.discards[place] != NO_CARD:
            left -= 1 << (3 * (np.int64(view.discards[place]) >> 2))
    if view.starter != NO_CARD:
        left -= 1 << (3 * (np.int64(view.starter) >> 2))
    for at in range(np.int64(view.n_played)):
        if view.played_by[at] == view.seat:
            left -= 1 << (3 * (np.int64(view.played[at]) >> 2))
    return left


@kernel
def weigh_holdings(view, chances, lowest, sets, out_weights):
    """How likely each hand of ranks is that the other may still hold, not normed, two players; see `holdings`.

    chances: float64[1820], of what he keeps; lowest: int64[4] (`rule_out`); sets: `pegging_game.sets.SETS`;
    out_weights: float64[1820], by number of the hand.
    """
    other, left = 1 - np.int64(view.seat), see_ranks(view)
    n, theirs = np.int64(view.n_left[other]), 0
    for at in range(np.int64(view.n_played)):
        if view.played_by[at] == other:
            theirs += 1 << (3 * (np.int64(view.played[at]) >> 2))
    for hand in range(n_hands_of(n)):
        weight, before, n_same = 1.0, np.int64(-1), 0
        for place in range(n):
            rank = hand if n == 1 else rank_in(sets, hand, place, n)
            n_same = n_same + 1 if rank == before else 0
            before = rank
            nth = (theirs >> (3 * rank) & 7) + n_same
            ways = (left >> (3 * rank) & 7) - nth
            weight = weight * ways / (4 - nth) if ways > 0 and nth < 4 and rank >= lowest[other] else 0.0
            if weight == 0:
                break
        out_weights[hand] = weight * chances[_kept_with(view, other, hand, n, sets)] if weight > 0 else 0.0


@kernel(inline=True)
def _kept_with(view, other, hand, n, sets):
    """The number of the four ranks kept: the hand with what was played."""
    number, n_cards = hand, n
    for at in range(np.int64(view.n_played)):
        if view.played_by[at] == other:
            rank, n_cards = np.int64(view.played[at]) >> 2, n_cards + 1
            if n_cards == 1:
                number = rank
            else:
                to_hand = sets.to_two if n_cards == 2 else sets.to_three if n_cards == 3 else sets.to_four
                number = np.int64(to_hand[rank, number])
    return number


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
    n = int(view["n_left"][1 - int(view["seat"])])
    lowest, weights = np.zeros(4, np.int64), np.zeros(N_KEPT)
    rule_out(view, lowest)
    weigh_holdings(view, chances, lowest, SETS, weights)
    held = np.flatnonzero(weights[: N_SETS[n]])
    return multisets(n)[held] if n else np.zeros((1, 0), np.int64), weights[held] / weights[held].sum()


def sample_hands(view: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Hands of all other seats, drawn evenly from the cards unseen, those ruled out by goes left out: int64 (n, 4),
    packed, by seat; the seat's own hand stands in its place."""
    players, me = int(view["players"]), int(view["seat"])
    unseen = np.setdiff1d(np.arange(N_CARDS), seen_by(view))
    left, lowest = view["n_left"].astype(np.int64), np.zeros(4, np.int64)
    rule_out(view, lowest)
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
