"""What a seat may know, and nothing else: the records that strategies are asked with, and the shape of a strategy.

A compiled strategy is a kernel `answer(views, which, params, table, out_answers)`: for each i in `which` it reads
`views[i]` and writes `out_answers[i]`. `params` (float64) and `table` (uint8) are its own. An answer to a discard is
the index into the lexicographic combinations of the sorted cards thrown (15 for two of six, 5 for one of five); to a
play, the position in the view's unplayed cards.
"""

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cribsim.pegging import PLAY_FIELDS
from cribsim.rules import MAX_PLAYERS

DISCARD_VIEW = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("scores", "i4", (MAX_PLAYERS,)),
            ("cards", "u1", (6,)),
            ("n_cards", "u1"),
            ("n_thrown", "u1"),
            ("seat", "u1"),
            ("dealer", "u1"),
            ("players", "u1"),
            ("role", "u1"),
        ],
    )
)
"""One discard: own cards (sorted; the first n_cards count, NO_CARD behind), how many to throw, the scores by seat,
role (0 the pone, players - 1 the dealer), and `key`, 64 random bits of this decision."""

PLAY_VIEW = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("scores", "i4", (MAX_PLAYERS,)),
            ("cards", "u1", (4,)),
            ("discards", "u1", (2,)),
            ("n_cards", "u1"),
            ("seat", "u1"),
            *PLAY_FIELDS,
            ("spare", "u1", (4,)),
        ],
    )
)
"""One play: own unplayed cards (sorted, NO_CARD behind), own discards, and all that lies on the table
(see `cribsim.pegging.PLAY_FIELDS`)."""

_WHICH, _PARAMS, _TABLE, _ANSWERS = types.int32[::1], types.float64[::1], types.uint8[::1], types.int64[::1]
DISCARD_ANSWER = types.void(numba.from_dtype(DISCARD_VIEW)[::1], _WHICH, _PARAMS, _TABLE, _ANSWERS)
PLAY_ANSWER = types.void(numba.from_dtype(PLAY_VIEW)[::1], _WHICH, _PARAMS, _TABLE, _ANSWERS)
"""The two signatures of a compiled strategy."""


def thrown_positions(n_cards: int, n_thrown: int) -> NDArray[np.int64]:
    """The positions thrown by each discard answer, (answers, n_thrown), in lexicographic order.

    >>> thrown_positions(6, 2)[:3].tolist()
    [[0, 1], [0, 2], [0, 3]]
    """
    return np.array(list(itertools.combinations(range(n_cards), n_thrown)), np.int64)


def kept_positions(n_cards: int, n_thrown: int) -> NDArray[np.int64]:
    """The positions kept by each discard answer, (answers, n_cards - n_thrown)."""
    return np.array(
        [[i for i in range(n_cards) if i not in thrown] for thrown in thrown_positions(n_cards, n_thrown).tolist()],
        np.int64,
    )


THROWN_2, KEPT_2 = thrown_positions(6, 2), kept_positions(6, 2)
KEPT_1 = kept_positions(5, 1)


def empty_views(dtype: np.dtype[Any], n: int) -> NDArray[Any]:
    """`n` blank views."""
    return np.zeros(n, dtype)
