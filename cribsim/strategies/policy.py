"""Policies: what a discard strategy throws of every hand, in one array.

A policy is uint8, an answer for each hand in colexicographic order: 20,358,520 hands of six cards, or 2,598,960 of
five. It belongs to one role, to a score of 0 to 0, and to a strategy that draws nothing at random.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import data_folder, kernel
from cribsim.cards import N_CARDS, NO_CARD
from cribsim.errors import PlayerError
from cribsim.hands import CARD_PLACES, N_CLASSES, class_hands, class_index, suit_order
from cribsim.rules import Rules
from cribsim.strategies.base import DISCARD, Bound, Half
from cribsim.strategies.spec import is_word
from cribsim.views import DISCARD_VIEW, THROWN_2, empty_views, thrown_positions
from cribsim.work import share_out

Policy = NDArray[np.uint8]
N_SIX_CARDS = N_CLASSES[6]
_BLOCK = 1 << 16
_TRIED = 512
"""Hands that are asked twice, with other random keys, to see whether a strategy draws."""


def n_hands(n_cards: int) -> int:
    """Hands of five or six cards."""
    return math.comb(N_CARDS, n_cards)


@kernel(inline=True)
def _step(cards):
    """Go on to the next hand. cards: sorted, with 52 behind."""
    place = 0
    while cards[place] + 1 == cards[place + 1]:
        cards[place] = place
        place += 1
    cards[place] += 1


@kernel
def _fill_hands(cards, n_cards, views):
    """Put hand after hand into the views. cards: int64[7], the first hand, sorted, with 52 behind; left at the next."""
    for i in range(len(views)):
        for place in range(n_cards):
            views[i].cards[place] = cards[place]
        _step(cards)


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


def is_uniform(half: Half) -> bool:
    """Whether a strategy throws any cards with the same chance."""
    return half.text == "random" and half.source == "built in"


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
    folder = data_folder()
    if folder is None or half.source != "built in" or not is_word(half.text):
        return _made(half, role, rules)
    # a name alone means the same until the package changes, and then the folder is another
    return _kept(folder / f"policy-{half.text}-{role}-of-{players}.npy", half, role, rules)


def _made(half: Half, role: int, rules: Rules) -> Policy:
    if draws(half, role, rules):
        raise PlayerError(f"{half.text} draws its throws at random, so it has no policy; `uniform` is the model of it")
    bound = half.ready(rules)
    if bound.answer is class_discard:
        return spread_classes(bound.table.reshape(2, -1)[role])
    try:
        return _ask_all(bound, role, rules) if bound.compiled else _ask_classes(bound, role, rules)
    except PlayerError as error:
        raise PlayerError(f"{half.text} ({DISCARD}): {error}") from None


def _kept(path: Path, half: Half, role: int, rules: Rules) -> Policy:
    """The policy as it was kept on disk, or made and kept. Another process may be doing the same."""
    with contextlib.suppress(OSError, ValueError, EOFError):
        held: Policy = np.load(path, mmap_mode="c")
        if held.shape == (n_hands(rules.cards or 0),):
            return held
    policy = _made(half, role, rules)
    with contextlib.suppress(OSError):
        draft = path.with_name(f"{path.stem}-{os.getpid()}-{threading.get_ident()}.npy")
        np.save(draft, policy)
        draft.replace(path)
    return policy


def _ask_all(bound: Bound, role: int, rules: Rules) -> Policy:
    out = np.empty(n_hands(rules.cards or 0), np.uint8)
    list(share_out(lambda first: _ask_block(bound, role, rules, out, first), range(0, len(out), _BLOCK)))
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
    if end - first == 1:
        return position
    for own in range(first, end):
        before = 0
        for other in range(first, end):
            mine, its = np.int64(cards[np.uint64(own)]), np.int64(cards[np.uint64(other)])
            before += canonical_card(its, order) < canonical_card(mine, order)
        if before == position - first:
            return own
    return position


@kernel(inline=True)
def _own_answer(cards, order, answer):
    """What six sorted cards throw, from the answer of their class's hand. order: `suit_order`."""
    throw = THROWN_2[np.uint64(answer)]
    one, two = _own_position(cards, 6, order, throw[0]), _own_position(cards, 6, order, throw[1])
    low, high = min(one, two), max(one, two)
    return low * (11 - low) // 2 + high - low - 1


@kernel(inline=True)
def _has_twins(cards, answer):
    """Whether one of two cards thrown has a neighbour of its rank, so that suits say which of them it is."""
    throw, found = THROWN_2[np.uint64(answer)], False
    for position in (throw[0], throw[1]):
        rank = cards[np.uint64(position)] >> 2
        found |= position > 0 and cards[np.uint64(max(position - 1, 0))] >> 2 == rank
        found |= position < 5 and cards[np.uint64(min(position + 1, 5))] >> 2 == rank
    return found


@kernel(inline=True)
def class_answer_5(cards, answers):
    """The same for one of five."""
    order = suit_order(cards, 5)
    return _own_position(cards, 5, order, np.int64(answers[np.uint64(class_index(order, 5))]))


@kernel
def class_discard(views, which, params, table, out_answers):
    """Look up the throw of the class of six cards. table: uint8[2 * 962988], the pone's answers, then the dealer's."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        out_answers[i] = class_index(suit_order(view.cards, 6), 6) + N_SIX_CARDS * (view.seat == view.dealer)
    for k in range(len(which)):
        # apart from the numbering, so that many of these far reads are under way at once
        i = np.uint64(which[k])
        out_answers[i] = table[np.uint64(out_answers[i])]
    for k in range(len(which)):
        i = np.uint64(which[k])
        cards = views[i].cards
        if _has_twins(cards, out_answers[i]):
            out_answers[i] = _own_answer(cards, suit_order(cards, 6), out_answers[i])


@kernel
def _spread(cards, n_cards, answers, out_policy):
    """Answer hand after hand by class. cards: int64[7], the first hand, with 52 behind it; out_policy: uint8[m]."""
    for i in range(len(out_policy)):
        if n_cards == 6:
            order = suit_order(cards, 6)
            out_policy[i] = _own_answer(cards, order, answers[np.uint64(class_index(order, 6))])
        else:
            out_policy[i] = class_answer_5(cards, answers)
        _step(cards)


def spread_classes(answers: NDArray[np.uint8], n_cards: int = 6) -> Policy:
    """The policy of every hand from answers by class."""
    out = np.empty(n_hands(n_cards), np.uint8)
    blocks = range(0, len(out), 16 * _BLOCK)
    list(share_out(lambda at: _spread(_hand_at(at, n_cards), n_cards, answers, out[at : at + 16 * _BLOCK]), blocks))
    return out
