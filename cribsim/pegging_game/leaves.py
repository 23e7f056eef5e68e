"""What is certain at the end of a play: both with one card left, or one alone with what he has.

Points here are those of the side to move less the other's, from now to the last card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.pegging import highest_rank, next_gains
from cribsim.pegging_game.sets import WIDTHS
from cribsim.rules import MAX_COUNT
from cribsim.scoring import N_RANKS, multisets

PAIR, ONE, TWO, THREE = range(4)
"""Kinds of ends: one card each, or one to three in one hand and none in the other."""


class Leaves(NamedTuple):
    """Ends of the play by number.

    pairs: int8[n, 14, 16], by the card of the side to move and the other's; its last row holds the diagonal (both the
    same rank). across: int8[n, 13, 16], by the other's card and that of the side to move. ones: int8[n, 16], twos:
    int8[n, 96] and threes: int8[n, 464], the most that the side to move makes of its hand alone.
    """

    pairs: NDArray[np.int8]
    across: NDArray[np.int8]
    ones: NDArray[np.int8]
    twos: NDArray[np.int8]
    threes: NDArray[np.int8]


@kernel(inline=True)
def pips(rank):
    """What a rank counts."""
    return min(rank + 1, 10)


@kernel(inline=True)
def gain_of(pile, count, rank):
    """What a card of a rank scores on a pile, go and last card apart."""
    return next_gains(pile, count) >> (4 * rank) & 15


@kernel
def pair_value(pile, count, mine, other):
    """The side to move holds one rank and the other side another; who played last, if a card lies, is the other."""
    after = count + pips(mine)
    if after <= MAX_COUNT:
        points = gain_of(pile, count, mine)
        if after == MAX_COUNT:
            return points - 1
        if after + pips(other) <= MAX_COUNT:
            last = after + pips(other) < MAX_COUNT
            return points - gain_of(pile << 4 | (mine + 1), after, other) - last
        return points  # one for the go, and one to the other for the last card
    if count + pips(other) <= MAX_COUNT:
        return 1 - gain_of(pile, count, other) - (count + pips(other) < MAX_COUNT)
    # nobody can: one to the other, and the side to move leads
    return -1 - gain_of(mine + 1, pips(mine), other) - 1


@kernel
def play_alone(pile, count, is_mine, a, b, c, n):
    """Points of playing n ranks in this order, alone; -99 where a card doesn't fit while a later one would. is_mine:
    whether the card that lies, if one does, was played by the same side."""
    points = 0
    for place in range(n):
        rank = a if place == 0 else b if place == 1 else c
        if rank > highest_rank(count):
            for later in range(place + 1, n):
                if (b if later == 1 else c) <= highest_rank(count):
                    return -99
            points += 1 if is_mine else -1
            pile, count = 0, 0
        points += gain_of(pile, count, rank)
        count += pips(rank)
        pile = pile << 4 | (rank + 1)
        is_mine = True
        if count == MAX_COUNT:
            pile, count = 0, 0
    return points + (count > 0)


@kernel
def alone_value(pile, count, is_mine, a, b, c, n):
    """The most of n ranks (one to three) in any order."""
    if n == 1:
        return play_alone(pile, count, is_mine, a, 0, 0, 1)
    if n == 2:
        return max(play_alone(pile, count, is_mine, a, b, 0, 2), play_alone(pile, count, is_mine, b, a, 0, 2))
    best = max(play_alone(pile, count, is_mine, a, b, c, 3), play_alone(pile, count, is_mine, a, c, b, 3))
    best = max(best, play_alone(pile, count, is_mine, b, a, c, 3), play_alone(pile, count, is_mine, b, c, a, 3))
    return max(best, play_alone(pile, count, is_mine, c, a, b, 3), play_alone(pile, count, is_mine, c, b, a, 3))


@kernel(inline=True)
def _ranks_between(seen, low, high):
    """How many ranks are missing between two, and what they count together. seen: bits of rank + 1."""
    n, total = 0, 0
    for place in range(low, high + 1):
        if seen >> place & 1 == 0:
            n += 1
            total += min(place, 10)
    return n, total


@kernel
def useful_pile(pile, count):
    """The newest cards of a pile that may yet make a pair or a run: what ends of the play hang on besides the count."""
    newest, left = pile & 15, MAX_COUNT - count
    if newest == 0:
        return 0
    fits = min(newest, 10) <= left
    if pile >> 4 & 15 == newest:
        n = 2
        while pile >> (4 * n) & 15 == newest:
            n += 1
        return pile & ((1 << (4 * n)) - 1) if fits and n < 4 else 0
    kept, n, seen, low, high = np.int64(fits), 1, 1 << newest, newest, newest
    while True:
        place = pile >> (4 * n) & 15
        if place == 0 or seen >> place & 1:
            break
        seen, low, high, n = seen | 1 << place, min(low, place), max(high, place), n + 1
        if high - low > 6:
            break
        missing, total = _ranks_between(seen, low, high)
        if missing == 0:
            total = min(min(low - 1, 10) if low > 1 else 99, min(high + 1, 10) if high < N_RANKS else 99)
        if total <= left:
            kept = n
    return pile & ((1 << (4 * kept)) - 1)


@kernel(inline=True)
def end_key(pile, count, kind):
    """One integer for all that an end of the play hangs on."""
    return useful_pile(pile, count) | count << 32 | kind << 40


@kernel
def _fill_pairs(keys, out_pairs, out_across):
    for k in range(len(keys)):
        pile, count = keys[k] & 0xFFFFFFFF, keys[k] >> 32 & 31
        for mine in range(N_RANKS):
            for other in range(N_RANKS):
                value = pair_value(pile, count, mine, other)
                out_pairs[k, mine, other] = value
                out_across[k, other, mine] = value
            out_pairs[k, N_RANKS, mine] = out_pairs[k, mine, mine]


@kernel
def _fill_alone(keys, sets, out_values):
    """sets: int64[m, 1 to 3]."""
    n = sets.shape[1]
    for k in range(len(keys)):
        pile, count = keys[k] & 0xFFFFFFFF, keys[k] >> 32 & 31
        for hand in range(len(sets)):
            second, last = sets[hand, 1] if n > 1 else 0, sets[hand, 2] if n == 3 else 0
            out_values[k, hand] = alone_value(pile, count, keys[k] >> 44 > 0, sets[hand, 0], second, last, n)


def make_leaves(keys: list[NDArray[np.int64]]) -> Leaves:
    """The ends of these keys (`end_key`), by kind."""
    n_pairs = len(keys[PAIR])
    pairs, across = np.zeros((n_pairs, N_RANKS + 1, 16), np.int8), np.zeros((n_pairs, N_RANKS, 16), np.int8)
    _fill_pairs(keys[PAIR], pairs, across)
    alone = [np.zeros((len(keys[kind]), int(WIDTHS[kind])), np.int8) for kind in (ONE, TWO, THREE)]
    for values, kind in zip(alone, (ONE, TWO, THREE), strict=True):
        _fill_alone(keys[kind], multisets(kind), values)
    return Leaves(pairs, across, *alone)
