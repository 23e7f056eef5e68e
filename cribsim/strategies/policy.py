"""Policies: what a discard strategy throws of every hand, in one array.

A policy is uint8, an answer for each hand in colexicographic order: 20,358,520 hands of six cards, or 2,598,960 of
five. It belongs to one role, to a score of 0 to 0, and to a strategy that draws nothing at random.
"""

from __future__ import annotations

import functools
import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, NO_CARD
from cribsim.errors import PlayerError
from cribsim.hands import CARD_PLACES, class_hands, class_index, suit_order
from cribsim.rules import Rules
from cribsim.strategies.base import DISCARD, Bound, Half
from cribsim.strategies.random import random_discard
from cribsim.views import DISCARD_VIEW, THROWN_2, empty_views, thrown_positions

Policy = NDArray[np.uint8]
_BLOCK = 1 << 16
_TRIED = 512
"""Hands that are asked twice, with other random keys, to see whether a strategy draws."""


def n_hands(n_cards: int) -> int:
    """Hands of five or six cards."""
    return math.comb(N_CARDS, n_cards)


@kernel
def _fill_hands(cards, n_cards, views):
    """Put hand after hand into the views. cards: int64[7], the first hand, sorted, with 52 behind; left at the next."""
    for i in range(len(views)):
        for place in range(n_cards):
            views[i].cards[place] = cards[place]
        place = 0
        while cards[place] + 1 == cards[place + 1]:
            cards[place] = place
            place += 1
        cards[place] += 1


def _hand_at(index: int, n_cards: int) -> NDArray[np.int64]:
    """The hand of this number, with 52 behind it."""
    cards = np.full(7, N_CARDS)
    for place in range(n_cards - 1, -1, -1):
        cards[place] = np.searchsorted(CARD_PLACES[place], index, side="right") - 1
        index -= CARD_PLACES[place, cards[place]]
    return cards


def _blank_views(n: int, role: int, rules: Rules) -> NDArray[Any]:
    """Views of discards in this role at the start of a game."""
    views = empty_views(DISCARD_VIEW, n)
    views["cards"] = NO_CARD
    views["n_cards"], views["n_thrown"] = rules.cards, rules.n_thrown
    views["players"], views["role"] = rules.players, role
    views["dealer"], views["seat"] = rules.players - 1, role
    return views


def _ask(bound: Bound, views: NDArray[Any]) -> NDArray[np.int64]:
    answers = np.full(len(views), -1, np.int64)
    bound.answer(views, np.arange(len(views), dtype=np.int32), bound.params, bound.table, answers)
    return answers


def _ask_block(bound: Bound, role: int, rules: Rules, out: Policy, first: int) -> None:
    """Ask for the hands from `first` on, as many as a block holds."""
    block = out[first : first + _BLOCK]
    views = _blank_views(len(block), role, rules)
    _fill_hands(_hand_at(first, rules.cards or 0), rules.cards, views)
    block[:] = _check_answers(_ask(bound, views), rules)


def _check_answers(answers: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    n_answers = len(thrown_positions(rules.cards or 0, rules.n_thrown))
    wrong = answers[(answers < 0) | (answers >= n_answers)]
    if len(wrong):
        raise PlayerError(f"it answered {wrong[0]}; wanted: the index of a throw, 0 to {n_answers - 1}")
    return answers


def draws(half: Half, role: int, rules: Rules) -> bool:
    """Whether a strategy's throws hang on its random key."""
    views = _blank_views(_TRIED, role, rules)
    hands = np.random.default_rng(0).permuted(np.tile(np.arange(N_CARDS), (_TRIED, 1)), axis=1)[:, : rules.cards]
    views["cards"][:, : rules.cards] = np.sort(hands, axis=1)
    bound, again = half.ready(rules), views.copy()
    again["key"] = np.arange(1, _TRIED + 1, dtype=np.uint64) << 40
    return not np.array_equal(_ask(bound, views), _ask(bound, again))


def is_uniform(half: Half, rules: Rules) -> bool:
    """Whether a strategy throws any cards with the same chance."""
    return half.ready(rules).answer is random_discard


@functools.lru_cache(maxsize=12)
def policy_of(half: Half, role: int, players: int = 2) -> Policy:
    """What a discard strategy throws of every hand in a role (0 the pone, players - 1 the dealer).

    A compiled strategy is asked about every hand; one in Python about a hand of each class, and the answer is carried
    over to the hands that differ only by names of suits.

    Raises
    ------
    PlayerError
        The strategy draws at random, so no array can hold what it does.
    """
    rules = Rules(players=players)
    if draws(half, role, rules):
        raise PlayerError(f"{half.text} draws its throws at random, so it has no policy; `uniform` is the model of it")
    bound = half.ready(rules)
    try:
        return _ask_all(bound, role, rules) if bound.compiled else _ask_classes(bound, role, rules)
    except PlayerError as error:
        raise PlayerError(f"{half.text} ({DISCARD}): {error}") from None


def _ask_all(bound: Bound, role: int, rules: Rules) -> Policy:
    out = np.empty(n_hands(rules.cards or 0), np.uint8)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda first: _ask_block(bound, role, rules, out, first), range(0, len(out), _BLOCK)))
    return out


def _ask_classes(bound: Bound, role: int, rules: Rules) -> Policy:
    hands = class_hands(rules.cards or 0)
    views = _blank_views(len(hands), role, rules)
    views["cards"][:, : rules.cards] = hands
    return spread_classes(_check_answers(_ask(bound, views), rules).astype(np.uint8), rules.cards or 0)


@kernel(inline=True)
def canonical_card(card, order):
    """The card with its suit called by its place in the order (`suit_order`)."""
    a, b, c, _ = order
    suit = card & 3
    place = 3 - (suit == (c & 3)) - 2 * (suit == (b & 3)) - 3 * (suit == (a & 3))
    return card & ~3 | place


@kernel(inline=True)
def _own_position(cards, n, order, position):
    """Which of a hand's n sorted cards stands at a position of its class's hand: suits order cards of one rank."""
    rank = np.int64(cards[np.uint64(position)]) >> 2
    first, end = position, position + 1
    while first > 0 and np.int64(cards[np.uint64(first - 1)]) >> 2 == rank:
        first -= 1
    while end < n and np.int64(cards[np.uint64(end)]) >> 2 == rank:
        end += 1
    for own in range(first, end):
        before = 0
        for other in range(first, end):
            mine, its = np.int64(cards[np.uint64(own)]), np.int64(cards[np.uint64(other)])
            before += canonical_card(its, order) < canonical_card(mine, order)
        if before == position - first:
            return own
    return position


@kernel(inline=True)
def class_answer(cards, answers):
    """What six sorted cards throw by the answers of their classes, as an answer for the cards as they lie."""
    order = suit_order(cards, 6)
    throw = THROWN_2[np.uint64(answers[np.uint64(class_index(order, 6))])]
    one, two = _own_position(cards, 6, order, throw[0]), _own_position(cards, 6, order, throw[1])
    low, high = min(one, two), max(one, two)
    return low * (11 - low) // 2 + high - low - 1


@kernel(inline=True)
def class_answer_5(cards, answers):
    """The same for one of five."""
    order = suit_order(cards, 5)
    return _own_position(cards, 5, order, np.int64(answers[np.uint64(class_index(order, 5))]))


@kernel
def _spread(cards, n_cards, answers, out_policy):
    """Answer hand after hand by class. cards: int64[7], the first hand, with 52 behind it; out_policy: uint8[m]."""
    for i in range(len(out_policy)):
        out_policy[i] = class_answer(cards, answers) if n_cards == 6 else class_answer_5(cards, answers)
        place = 0
        while cards[place] + 1 == cards[place + 1]:
            cards[place] = place
            place += 1
        cards[place] += 1


def spread_classes(answers: NDArray[np.uint8], n_cards: int = 6) -> Policy:
    """The policy of every hand from answers by class."""
    out = np.empty(n_hands(n_cards), np.uint8)
    blocks = range(0, len(out), 16 * _BLOCK)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda at: _spread(_hand_at(at, n_cards), n_cards, answers, out[at : at + 16 * _BLOCK]), blocks))
    return out
