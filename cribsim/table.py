"""The table of a batch: its slots, the cards dealt to them, room to work in, and the state of the loop over rounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cribsim.cards import NO_CARD
from cribsim.deals import DEAL, GAME
from cribsim.given import GIVEN
from cribsim.rule_record import MAX_PLAYERS
from cribsim.tally import N_PLACES
from cribsim.views import DISCARD_VIEW, PLAY_VIEW

OUTCOME = np.dtype(
    (
        np.record,
        [
            ("points", "i4", (MAX_PLAYERS, N_PLACES)),
            ("scores", "i8", (MAX_PLAYERS,)),
            ("value", "i8", (MAX_PLAYERS,)),
            ("n_deals", "i4"),
            ("first_dealer", "i1"),
            ("winner", "i1"),
        ],
    )
)
"""One finished unit, for comparisons: points by seat and phase; scores of the last game and game points by side; the
winning side (games and matches)."""


class Table(NamedTuple):
    """The slots of a batch, the cards dealt to them (24, slots: by role, sorted within each hand) and scratch."""

    deals: Any
    games: Any
    discards: Any
    plays: Any
    everyone: Any
    waiting: Any
    n_waiting: Any
    answers: Any
    cards: Any
    places: Any
    moved: Any
    numbers: Any
    steps: Any
    words: Any
    low: Any
    outcomes: Any
    given: Any


class Seats(NamedTuple):
    """The numbers of the strategies by seat: parameters and tables of both halves."""

    discard_params: Any
    discard_tables: Any
    play_params: Any
    play_tables: Any


def new_table(n_slots: int, n_outcomes: int, given: Any = None) -> Table:
    """A table of `n_slots` empty slots; outcomes are written when there is room for them. given: GIVEN[1]."""
    width = n_slots + 64  # rows a power of two apart would fight for the same cache lines
    return Table(
        deals=np.zeros(n_slots, DEAL),
        games=np.zeros(n_slots, GAME),
        discards=np.zeros(n_slots, DISCARD_VIEW),
        plays=np.zeros(n_slots, PLAY_VIEW),
        everyone=np.arange(n_slots, dtype=np.int32),
        waiting=np.zeros((2, MAX_PLAYERS, n_slots), np.int32),
        n_waiting=np.zeros((2, MAX_PLAYERS), np.int64),
        answers=np.zeros(n_slots, np.int64),
        cards=np.full((24, width), NO_CARD, np.uint8),
        places=np.zeros((24, width), np.uint8),
        moved=np.zeros((24, width), np.uint8),
        numbers=np.zeros(n_slots, np.uint64),
        steps=np.zeros(n_slots, np.int64),
        words=np.zeros((8, width), np.uint64),
        low=np.zeros(n_slots, np.bool_),
        outcomes=np.zeros(n_outcomes, OUTCOME),
        given=np.zeros(1, GIVEN) if given is None else given,
    )


FIRST, NEXT, END, LIVE, ROUNDS, STAGE, SEAT, SLOT = range(8)
"""Places of the state: the first number, the next to be given out, the end; slots in use; rounds still to play; where
a strategy is being asked (STAGE 1 discard, 2 play; 3: no deal is as given); and the slot whose answer was illegal
(NOBODY: none)."""

GAVE_UP = 3
