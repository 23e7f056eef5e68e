"""Hands of ranks, by number: 13 of one card, 91 of two, 455 of three, 1,820 of four (in the order of `RANK_PLACES`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.scoring import N_RANKS, RANK_PLACES, multisets

N_SETS = np.array([1, 13, 91, 455, 1820])
"""Hands of 0 to 4 cards."""
WIDTHS = np.array([16, 16, 96, 464, 1824])
"""The same, rounded up to what vectors hold."""
ROW_WIDTHS = np.array([0, 0, 16, 96, 464])
"""By cards of the mover, the numbers by hand kept that each rank he may play takes in an array of strategies."""


@kernel(inline=True)
def n_hands_of(n_cards):
    """`N_SETS` without reading memory."""
    return 1820 if n_cards == 4 else 455 if n_cards == 3 else 91 if n_cards == 2 else 13 if n_cards == 1 else 1


@kernel(inline=True)
def row_width(n_cards):
    """Numbers by hand kept, for each rank that a mover of so many cards may play (`ROW_WIDTHS`)."""
    return 464 if n_cards == 4 else 96 if n_cards == 3 else 16


class Sets(NamedTuple):
    """The hands of two to four cards as sorted ranks, (number, n); and the number of each hand with one rank more:
    (13, hands of n - 1)."""

    twos: NDArray[np.int64]
    threes: NDArray[np.int64]
    fours: NDArray[np.int64]
    to_two: NDArray[np.int32]
    to_three: NDArray[np.int32]
    to_four: NDArray[np.int32]


def _with_one_more(n: int) -> NDArray[np.int32]:
    fewer = multisets(n - 1)
    rows = [np.sort(np.column_stack([fewer, np.full(len(fewer), rank)]), axis=1) for rank in range(N_RANKS)]
    return np.array([RANK_PLACES[np.arange(n), row].sum(axis=1) for row in rows], np.int32)


SETS = Sets(multisets(2), multisets(3), multisets(4), _with_one_more(2), _with_one_more(3), _with_one_more(4))


def count_ranks(n: int) -> NDArray[np.int64]:
    """How many of each rank the hands of n cards hold, (number, 13)."""
    held: NDArray[np.int64] = (multisets(n)[:, :, None] == np.arange(N_RANKS)).sum(axis=1)
    return held
