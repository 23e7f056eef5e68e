"""What four of the cards held bring over all starters that may turn up: sums in whole numbers, exact.

Six cards leave 46 starters, five 47. kept: the places of the four, a row of `views.KEPT_2` or `KEPT_1`; n: cards held.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.scoring import JACK, KEPT_POINTS, kept_index

N_STARTERS = 46
"""With six cards held."""
_STARTER_SUMS = 4 * KEPT_POINTS.reshape(-1, 13).astype(np.int64).sum(axis=1)
"""By kept ranks, the points over four starters of each rank."""


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
