"""Throws by class of hand: the answer of a class's hand carried over to hands that differ only by names of suits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.hands import N_CLASSES, class_index, hand_at, n_hands, next_hand, suit_order
from cribsim.views import THROWN_2
from cribsim.work import share_out

N_SIX_CARDS = N_CLASSES[6]
_BLOCK = 1 << 20


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
    """Answer hand after hand by class. cards: int64[8], the first hand, with 52 behind it; out_policy: uint8[m]."""
    for i in range(len(out_policy)):
        if n_cards == 6:
            order = suit_order(cards, 6)
            out_policy[i] = _own_answer(cards, order, answers[np.uint64(class_index(order, 6))])
        else:
            out_policy[i] = class_answer_5(cards, answers)
        next_hand(cards)


def spread_classes(answers: NDArray[np.uint8], n_cards: int = 6) -> NDArray[np.uint8]:
    """The policy of every hand from answers by class."""
    out = np.empty(n_hands(n_cards), np.uint8)
    blocks = range(0, len(out), _BLOCK)
    list(share_out(lambda at: _spread(hand_at(at, n_cards), n_cards, answers, out[at : at + _BLOCK]), blocks))
    return out
