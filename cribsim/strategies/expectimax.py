"""`expectimax` discards: the exact average of the kept cards over every unseen starter, plus or minus the crib.

The crib's part is a table of averages by the ranks thrown. With two players most hands are decided by ranks alone:
the best throw of each of the 18,564 multisets of six ranks is tabulated once, and suits, which can only add (a flush,
or nobs), are looked at where four of a suit are held or where jacks can change the choice.

Worths are kept in hundredths of a point x 46 starters, where tables of two decimals are whole numbers: ties are exact,
and the first of equals (in the order of the answers) is thrown.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import RANKS
from cribsim.scoring import JACK, KEPT_POINTS, PAIR_CLASS, RANK_PLACES, kept_index, show_points
from cribsim.strategies.greedy import crib_sign
from cribsim.views import KEPT_1, KEPT_2, THROWN_2

N_SIX = 18564
"""Multisets of six ranks."""
_EVALUATE = 255
_UNSEEN = 46
_STARTER_SUMS = 4 * KEPT_POINTS.reshape(-1, 13).astype(np.int64).sum(axis=1)
"""By kept ranks, the points over four starters of each rank."""


def read_crib_table(path: Path) -> NDArray[np.float64]:
    """A table of crib averages, (2, 91): to the opponent's crib, to one's own, by class of the pair of ranks."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    table = np.full((2, 91), np.nan)
    for row in csv.DictReader(lines):
        first, second = (RANKS.index(rank) for rank in row["pair"])
        table[:, PAIR_CLASS[first * 13 + second]] = float(row["opponent"]), float(row["own"])
    return table


@functools.cache
def schell_table() -> NDArray[np.float64]:
    """Michael Schell's averages, (2, 91)."""
    return read_crib_table(Path(__file__).parent / "data" / "schell.csv")


@kernel(inline=True)
def six_index(cards):
    """The number of the ranks of six sorted cards among the 18,564 multisets."""
    index = 0
    for place in range(6):
        index += RANK_PLACES[place, np.uint64(cards[place] >> 2)]
    return index


@kernel(inline=True)
def _rank_worth(cards, answer, cribs, own):
    """Worth of a throw by ranks alone. cards: six sorted; cribs: hundredths, 91 to the opponent's, 91 to one's own."""
    places, thrown = KEPT_2[answer], THROWN_2[answer]
    r0, r1 = np.int64(cards[places[0]]) >> 2, np.int64(cards[places[1]]) >> 2
    r2, r3 = np.int64(cards[places[2]]) >> 2, np.int64(cards[places[3]]) >> 2
    kept = kept_index(r0, r1, r2, r3)
    points = _STARTER_SUMS[np.uint64(kept)]
    for i in range(6):
        points -= np.int64(KEPT_POINTS[np.uint64(kept * 13 + (np.int64(cards[i]) >> 2))])
    pair = np.int64(PAIR_CLASS[(np.int64(cards[thrown[0]]) >> 2) * 13 + (np.int64(cards[thrown[1]]) >> 2)])
    return 100.0 * points + (2 * own - 1) * _UNSEEN * cribs[own * 91 + pair]


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
    """cribs: (182,) in hundredths; cards: uint8[6], scratch; out_best, out_may: uint8, uint16[2, 18564]."""
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


def expectimax_memory(cribs: NDArray[np.float64], partners: bool) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """What the kernel needs for these crib averages: its parameters and its table."""
    hundredths = np.round(100 * cribs, 6)
    best, may = np.zeros((2, N_SIX), np.uint8), np.zeros((2, N_SIX), np.uint16)
    _fill_choices(hundredths.ravel(), np.zeros(6, np.uint8), best, may)
    params = np.concatenate([[float(partners)], hundredths.ravel()])
    return params, np.concatenate([best.ravel(), may.view(np.uint8).ravel()])


@kernel(inline=True)
def _throw_two(cards, own, cribs, table):
    """The best two of six. cards: uint8[6], sorted; own: 1 when the crib is one's own side's."""
    suits = 0
    for i in range(6):
        suits += 1 << (4 * (np.int64(cards[i]) & 3))
    index = own * N_SIX + six_index(cards)
    may_flush = suits & 0x4444 != 0
    choice = np.int64(table[np.uint64(index)])
    if not may_flush and choice != _EVALUATE:
        return choice
    return _weigh_suits(cards, suits, may_flush, own, cribs, table, index)


@kernel
def _weigh_suits(cards, suits, may_flush, own, cribs, table, index):
    """The best of the throws that suits can decide between. suits: how many of each, in 4-bit places."""
    may = np.int64(table[2 * N_SIX + 2 * index]) | np.int64(table[2 * N_SIX + 2 * index + 1]) << 8
    best, most = 0, -1e18
    for answer in range(15):
        kept = KEPT_2[answer]
        c0, c1 = np.int64(cards[kept[0]]), np.int64(cards[kept[1]])
        c2, c3 = np.int64(cards[kept[2]]), np.int64(cards[kept[3]])
        flush = may_flush and ((c0 ^ c1) | (c0 ^ c2) | (c0 ^ c3)) & 3 == 0
        if may >> answer & 1 or flush:
            starters = 0.0
            for i in range(4):
                card = np.int64(cards[kept[i]])
                starters += (card >> 2 == JACK) * (13 - (suits >> (4 * (card & 3)) & 15))
            if flush:
                starters += 4 * _UNSEEN + 13 - (suits >> (4 * (c0 & 3)) & 15)
            worth = _rank_worth(cards, answer, cribs, own) + 100.0 * starters
            if worth > most:
                best, most = answer, worth
    return best


@kernel(inline=True)
def _throw_one(cards, own, cribs):
    """The best one of five: the crib's part is the table's average over the 47 unseen cards beside the thrown one."""
    best, most = 0, -1e18
    for answer in range(5):
        kept, thrown = KEPT_1[answer], np.int64(cards[answer]) >> 2
        worth = 0.0
        for unseen in range(52):
            seen = False
            for i in range(5):
                seen |= cards[i] == unseen
            if not seen:
                points = show_points(
                    np.int64(cards[kept[0]]),
                    np.int64(cards[kept[1]]),
                    np.int64(cards[kept[2]]),
                    np.int64(cards[kept[3]]),
                    unseen,
                    0,
                )
                pair = np.int64(PAIR_CLASS[thrown * 13 + (unseen >> 2)])
                worth += 100.0 * points + (2 * own - 1) * cribs[own * 91 + pair]
        if worth > most + 1e-6:
            best, most = answer, worth
    return best


@kernel
def expectimax_discard(views, which, params, table, out_answers):
    """Exact average over the unseen starters plus or minus the average crib; first of equals.

    params: [whether opposite seats are partners, crib averages in hundredths: 91 to the opponent's, 91 to one's own];
    table: see `expectimax_memory`.
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
