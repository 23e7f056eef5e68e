"""Discards under house rules: two of five in the old game, against points in lowball, and with exact count-out for what
may still be pegged. Every throw is weighed card by card; the standard game has quicker ways.

params of all: [partners, sign, target, singly] (`objective.Aim`), then what the strategy needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.house import rank_items, show_items
from cribsim.pegging import card_at
from cribsim.scoring import MAX_SHOW, PAIR_CLASS, show_points
from cribsim.starters import is_flush, rank_sum, suit_counts, suit_sum, three_sum
from cribsim.strategies.greedy import crib_sign
from cribsim.strategies.objective import Aim, room_of
from cribsim.views import kept_positions, thrown_positions

_SHAPES = ((6, 2), (5, 1), (5, 2))
PARTNERS, SIGN, TARGET, SINGLY, N_PARAMS = range(5)
"""Places of the first parameters, and their number."""


def _positions() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """By shape (cards dealt, thrown): how many throws there are, and the positions kept and thrown, -1 behind them."""
    thrown, kept = np.full((3, 15, 2), -1), np.full((3, 15, 4), -1)
    for at, shape in enumerate(_SHAPES):
        one, two = thrown_positions(*shape), kept_positions(*shape)
        thrown[at, : len(one), : one.shape[1]] = one
        kept[at, : len(two), : two.shape[1]] = two
    return np.array([len(thrown_positions(*shape)) for shape in _SHAPES]), kept, thrown


N_THROWS, KEPT, THROWN = _positions()


def house_params(aim: Aim, *, partners: bool) -> NDArray[np.float64]:
    """The first parameters."""
    return np.array([partners, aim.sign, aim.target, aim.singly], np.float64)


@kernel(inline=True)
def _shape_of(view):
    return 0 if view.n_cards == 6 else 1 if view.n_thrown == 1 else 2


@kernel
def _pick(cards, positions):
    """The cards at some positions (-1: none) as one packed integer, and how many."""
    packed, n = 0, 0
    for position in positions:
        if position >= 0:
            packed |= np.int64(cards[position]) << (8 * n)
            n += 1
    return packed, n


@kernel
def _worth_of(items, room, singly):
    """The points of items that may be pegged within the room."""
    total = 0
    while items:
        points = items & 15
        total += points if not singly or total + points <= room else 0
        items >>= 4
    return total if total <= room else 0


@kernel
def _lying_items(cards, n):
    """The items of some packed cards as they lie, a flush of all of three or four among them."""
    items, n_items = rank_items(cards, n)
    suited = n >= 3
    for place in range(n):
        suited &= (cards >> (8 * place)) & 3 == cards & 3
    return items | (n << (4 * n_items) if suited else 0)


@kernel
def greedy_house_discard(views, which, params, table, out_answers):
    """Most points that can be pegged in the kept as they lie, plus or minus those in the thrown; first of equals."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        shape, room = _shape_of(view), room_of(view, np.int64(view.seat), np.int64(params[TARGET]))
        best, most, sign = 0, -1000, crib_sign(view, params[PARTNERS] != 0)
        for answer in range(N_THROWS[shape]):
            cards, n = _pick(view.cards, KEPT[shape, answer])
            worth = _worth_of(_lying_items(cards, n), room, params[SINGLY] != 0)
            cards, n = _pick(view.cards, THROWN[shape, answer])
            worth += sign * _worth_of(rank_items(cards, n)[0], 1000, False)
            worth *= np.int64(params[SIGN])
            if worth > most:
                best, most = answer, worth
        out_answers[i] = best


@kernel
def _shown(cards, n, starter, room, singly):
    """What may be pegged of a hand within the room."""
    if n == 4:
        c0, c1, c2, c3 = card_at(cards, 0), card_at(cards, 1), card_at(cards, 2), card_at(cards, 3)
        points = show_points(c0, c1, c2, c3, starter, 0)
        if points <= room or not singly:
            return points if points <= room else 0
    return _worth_of(show_items(cards, n, starter, True), room, singly)


@kernel
def _all_points(view, kept, shape):
    """The points of a hand over all starters, none refused."""
    n = np.int64(view.n_cards)
    suits = suit_counts(view.cards, n)
    if shape == 2:
        return three_sum(view.cards, kept, n, suits)
    return rank_sum(view.cards, kept, n) + suit_sum(view.cards, kept, n, suits, is_flush(view.cards, kept))


@kernel
def _average_crib(view, shape, answer, cribs):
    """The table's crib of a throw, in points times the unseen cards. cribs: float64[91], hundredths by pair."""
    n_unseen = N_CARDS - np.int64(view.n_cards)
    one = np.int64(view.cards[THROWN[shape, answer, 0]]) >> 2
    if shape != 1:
        two = np.int64(view.cards[THROWN[shape, answer, 1]]) >> 2
        return n_unseen * cribs[np.uint64(PAIR_CLASS[one * 13 + two])] / 100
    total = 0.0  # of a single card: with each card unseen
    for rank in range(13):
        total += 4 * cribs[np.uint64(PAIR_CLASS[one * 13 + rank])]
    for place in range(np.int64(view.n_cards)):
        total -= cribs[np.uint64(PAIR_CLASS[one * 13 + (np.int64(view.cards[place]) >> 2)])]
    return total / 100


@kernel
def expectimax_house_discard(views, which, params, table, out_answers):
    """The exact average over the starters of what may be pegged in the hand, plus or minus the average crib.

    params: behind the first ones the crib averages in hundredths, 91 to the opponent's, 91 to one's own.
    """
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        shape, room = _shape_of(view), room_of(view, np.int64(view.seat), np.int64(params[TARGET]))
        sign, best, most = crib_sign(view, params[PARTNERS] != 0), 0, -1e18
        cribs = params[N_PARAMS + 91 * (sign > 0) :]
        seen = 0
        for place in range(np.int64(view.n_cards)):
            seen |= 1 << np.int64(view.cards[place])
        for answer in range(N_THROWS[shape]):
            worth = sign * _average_crib(view, shape, answer, cribs)
            if room >= MAX_SHOW:
                worth += _all_points(view, KEPT[shape, answer], shape)
            else:
                cards, n = _pick(view.cards, KEPT[shape, answer])
                for starter in range(N_CARDS):
                    if seen >> starter & 1 == 0:
                        worth += _shown(cards, n, starter, room, params[SINGLY] != 0)
            worth *= params[SIGN]
            if worth > most + 1e-9:
                best, most = answer, worth
        out_answers[i] = best
