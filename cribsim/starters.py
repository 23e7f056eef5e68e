"""What the cards kept bring over all starters that may turn up: sums in whole numbers, exact.

Six cards leave 46 starters, five 47. kept: the places of the four (in the five-card game three), a row of
`views.KEPT_2`, `KEPT_1` or `KEPT_2_OF_5`; n: cards held.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.scoring import JACK, KEPT_POINTS, RANK_PLACES, kept_index, multisets, rank_parts

N_STARTERS = 46
"""With six cards held."""
_STARTER_SUMS = 4 * KEPT_POINTS.reshape(-1, 13).astype(np.int64).sum(axis=1)
"""By kept ranks, the points over four starters of each rank."""


def _three_points() -> NDArray[np.uint8]:
    """Points of three sorted ranks with each starter rank, flat: number of the three x 13 + starter's rank."""
    threes = multisets(3)
    rows = np.column_stack([np.repeat(threes, 13, axis=0), np.tile(np.arange(13), len(threes))])
    points: NDArray[np.int64] = rank_parts(rows[:, :3], rows[:, 3]).sum(axis=1)
    return points.astype(np.uint8)


_THREE_POINTS = _three_points()


@kernel
def three_sum(cards, kept, n, suits):
    """All points of three kept, over the starters. cards: sorted; suits: `suit_counts`."""
    c0, c1, c2 = np.int64(cards[kept[0]]), np.int64(cards[kept[1]]), np.int64(cards[kept[2]])
    number = (
        RANK_PLACES[0, np.uint64(c0 >> 2)] + RANK_PLACES[1, np.uint64(c1 >> 2)] + RANK_PLACES[2, np.uint64(c2 >> 2)]
    )
    points = 0
    for rank in range(13):
        points += 4 * np.int64(_THREE_POINTS[number * 13 + rank])
    for i in range(n):
        points -= np.int64(_THREE_POINTS[number * 13 + (np.int64(cards[i]) >> 2)])
    for card in (c0, c1, c2):
        points += (card >> 2 == JACK) * (13 - (suits >> (4 * (card & 3)) & 15))
    if ((c0 ^ c1) | (c0 ^ c2)) & 3 == 0:
        points += 3 * (N_CARDS - n) + 13 - (suits >> (4 * (c0 & 3)) & 15)
    return points


@kernel(inline=True)
def suit_counts(cards, n):
    """How many of the cards each suit has, in 4-bit places."""
    suits = 0
    for i in range(n):
        suits += 1 << (4 * (np.int64(cards[i]) & 3))
    return suits


@kernel(inline=True)
def may_flush(suits):
    """Whether four of a suit are held."""
    return suits & 0x4444 != 0


@kernel(inline=True)
def kept_number(cards, kept):
    """The number of the four ranks kept (`scoring.kept_index`). cards: sorted."""
    r0, r1 = np.int64(cards[kept[0]]) >> 2, np.int64(cards[kept[1]]) >> 2
    r2, r3 = np.int64(cards[kept[2]]) >> 2, np.int64(cards[kept[3]]) >> 2
    return kept_index(r0, r1, r2, r3)


@kernel(inline=True)
def rank_sum(cards, kept, n):
    """Fifteens, pairs and runs of the four kept, over the starters. cards: sorted."""
    index = kept_number(cards, kept)
    points = _STARTER_SUMS[np.uint64(index)]
    for i in range(n):
        points -= np.int64(KEPT_POINTS[np.uint64(index * 13 + (np.int64(cards[i]) >> 2))])
    return points


@kernel(inline=True)
def is_flush(cards, kept):
    """Whether the four kept are of one suit."""
    c0, c1 = np.int64(cards[kept[0]]), np.int64(cards[kept[1]])
    c2, c3 = np.int64(cards[kept[2]]), np.int64(cards[kept[3]])
    return ((c0 ^ c1) | (c0 ^ c2) | (c0 ^ c3)) & 3 == 0


@kernel(inline=True)
def suit_sum(cards, kept, n, suits, flush):
    """Nobs and flush of the four kept, over the starters. suits: `suit_counts`; flush: `is_flush`."""
    points = 0
    for place in kept:
        card = np.int64(cards[place])
        points += (card >> 2 == JACK) * (13 - (suits >> (4 * (card & 3)) & 15))
    if flush:
        suit = np.int64(cards[kept[0]]) & 3
        points += 4 * (N_CARDS - n) + 13 - (suits >> (4 * suit) & 15)
    return points
