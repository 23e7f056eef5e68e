"""`expectimax` discards: the exact average of the kept cards over every unseen starter, plus or minus the crib.

The crib's part is a table of averages by the ranks thrown. With two players most hands are decided by ranks alone:
the best throw of each of the 18,564 multisets of six ranks is tabulated once, and suits, which can only add (a flush,
or nobs), are looked at where four of a suit are held or where jacks can change the choice.

Worths are kept in hundredths of a point x 46 starters, where tables of two decimals are whole numbers: ties are exact,
and the first of equals (in the order of the answers) is thrown.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.scoring import JACK, N_KEPT, PAIR_CLASS, RANK_PLACES
from cribsim.starters import N_STARTERS, is_flush, kept_number, may_flush, rank_sum, suit_counts, suit_sum
from cribsim.strategies.greedy import crib_sign
from cribsim.views import KEPT_1, KEPT_2, THROWN_2

N_SIX = 18564
"""Multisets of six ranks (of which 169 would need a fifth card of a rank)."""
_EVALUATE = 255


@kernel(inline=True)
def six_index(cards):
    """The number of the ranks of six sorted cards among the 18,564 multisets."""
    index = 0
    for place in range(6):
        index += RANK_PLACES[place, np.uint64(cards[place] >> 2)]
    return index


@kernel(inline=True)
def _rank_worth(cards, answer, cribs, own):
    """Worth of a throw by ranks alone. cards: six sorted; cribs: see `expectimax_discard`."""
    thrown, kept = THROWN_2[answer], KEPT_2[answer]
    pair = np.int64(PAIR_CLASS[(np.int64(cards[thrown[0]]) >> 2) * 13 + (np.int64(cards[thrown[1]]) >> 2)])
    worth = 100.0 * rank_sum(cards, kept, 6) + (2 * own - 1) * N_STARTERS * cribs[own * 91 + pair]
    if len(cribs) > 182:
        worth += N_STARTERS * cribs[182 + own * N_KEPT + kept_number(cards, kept)]
    return worth


@kernel(inline=True)
def _kept_jacks(cards, answer):
    jacks = 0
    for i in KEPT_2[answer]:
        jacks += np.int64(cards[i]) >> 2 == JACK
    return jacks


@kernel
def _decide_ranks(cards, cribs, own):
    """The throw that is best whatever the suits (flushes apart), or _EVALUATE; and those that may be best, as bits."""
    floor, best, may, n_may, jacks = -1e18, 0, 0, 0, 0
    for answer in range(15):
        # a kept jack finds 7 to 12 of the 46 starters in its suit
        worth = _rank_worth(cards, answer, cribs, own) + 700.0 * _kept_jacks(cards, answer)
        if worth > floor:
            floor, best = worth, answer
    for answer in range(15):
        kept_jacks = _kept_jacks(cards, answer)
        jacks += kept_jacks
        if _rank_worth(cards, answer, cribs, own) + 1200.0 * kept_jacks >= floor:
            n_may += 1
            may |= 1 << answer
    if n_may == 1 or jacks == 0:
        return best, 1 << best
    return _EVALUATE, may


@kernel
def _fill_choices(cribs, cards, out_best, out_may):
    """cribs: see `expectimax_discard`; cards: uint8[6], scratch; out_best, out_may: uint8, uint16[2, 18564]."""
    for own in range(2):
        for index in range(N_SIX):
            if index == 0:
                cards[:] = 0
            else:
                _next_ranks(cards)
            out_best[own, index], out_may[own, index] = _decide_ranks(cards, cribs, own)


@kernel
def _next_ranks(cards):
    """Step six sorted ranks (times 4) to the next in the order of `six_index`."""
    place = 0
    while place < 5 and cards[place] == cards[place + 1]:
        cards[place] = 0
        place += 1
    cards[place] += 4


def expectimax_memory(
    cribs: NDArray[np.float64], pegging: NDArray[np.float64] | None, partners: bool
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """What the kernel needs for these crib averages, (2, 91), and pegging values, (2, 1820): parameters and table."""
    parts = [cribs.ravel()] if pegging is None else [cribs.ravel(), pegging.ravel()]
    hundredths = np.round(100 * np.concatenate(parts), 6)
    best, may = np.zeros((2, N_SIX), np.uint8), np.zeros((2, N_SIX), np.uint16)
    _fill_choices(hundredths, np.zeros(6, np.uint8), best, may)
    params = np.concatenate([[float(partners)], hundredths])
    return params, np.concatenate([best.ravel(), may.view(np.uint8).ravel()])


@kernel(inline=True)
def _throw_two(cards, own, cribs, table):
    """The best two of six. cards: uint8[6], sorted; own: 1 when the crib is one's own side's."""
    suits = suit_counts(cards, 6)
    index = own * N_SIX + six_index(cards)
    choice = np.int64(table[np.uint64(index)])
    if not may_flush(suits) and choice != _EVALUATE:
        return choice
    return _weigh_suits(cards, suits, own, cribs, table, index)


@kernel
def _weigh_suits(cards, suits, own, cribs, table, index):
    """The best of the throws that suits can decide between. suits: `suit_counts`."""
    may = np.int64(table[2 * N_SIX + 2 * index]) | np.int64(table[2 * N_SIX + 2 * index + 1]) << 8
    best, most = 0, -1e18
    for answer in range(15):
        flush = may_flush(suits) and is_flush(cards, KEPT_2[answer])
        if may >> answer & 1 or flush:
            worth = _rank_worth(cards, answer, cribs, own) + 100.0 * suit_sum(cards, KEPT_2[answer], 6, suits, flush)
            if worth > most:
                best, most = answer, worth
    return best


@kernel(inline=True)
def _throw_one(cards, own, cribs):
    """The best one of five: the crib's part is the table's average over the 47 unseen cards beside the thrown one."""
    suits, best, most = suit_counts(cards, 5), 0, -1e18
    for answer in range(5):
        kept, thrown = KEPT_1[answer], np.int64(cards[answer]) >> 2
        row = own * 91
        crib = 0.0
        for rank in range(13):
            crib += 4 * cribs[np.uint64(row + PAIR_CLASS[thrown * 13 + rank])]
        for i in range(5):
            crib -= cribs[np.uint64(row + PAIR_CLASS[thrown * 13 + (np.int64(cards[i]) >> 2)])]
        points = rank_sum(cards, kept, 5) + suit_sum(cards, kept, 5, suits, is_flush(cards, kept))
        worth = 100.0 * points + (2 * own - 1) * crib
        if worth > most + 1e-6:
            best, most = answer, worth
    return best


@kernel
def expectimax_discard(views, which, params, table, out_answers):
    """Exact average over the unseen starters plus or minus the average crib; first of equals.

    params: [whether opposite seats are partners, then in hundredths the crib averages: 91 to the opponent's, 91 to
    one's own; and with pegging what 1,820 kept hands peg as pone, then as dealer]; table: see `expectimax_memory`.
    """
    cribs = params[1:]
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        own = 1 if crib_sign(view, params[0] != 0) == 1 else 0
        if view.n_thrown == 2:
            out_answers[i] = _throw_two(view.cards, own, cribs, table)
        else:
            out_answers[i] = _throw_one(view.cards, own, cribs)
