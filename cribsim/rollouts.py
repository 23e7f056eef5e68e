"""Plays carried on to their end in a batch, from any place, by strategies: what a card leads to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.pegging import NOBODY, card_at, end_turn, highest_rank, lay_card
from cribsim.views import without_guesses


@kernel
def play_cards(views, hands, which, positions, out_points, out_seats):
    """Play a card in each of some plays, and then all that is forced.

    views: PLAY_VIEW[n], each at its seat; hands: int64[n, 4], packed, by seat; which: int32[k]; positions: int64[n];
    out_points: int64[n, 4], added to, by seat; out_seats: int64[n], who chooses next (NOBODY: the play is over), whose
    view it then is.
    """
    for k in range(len(which)):
        i = np.uint64(which[k])
        view, held, position, seat = views[i], hands[i], positions[i], np.int64(views[i].seat)
        while True:
            points = lay_card(view, held, seat, position)
            following, point = end_turn(view, held)
            out_points[i, np.uint64(seat)] += points + point
            seat, position = following, 0
            if seat == NOBODY or card_at(held[np.uint64(seat)], 1) >> 2 <= highest_rank(np.int64(view.count)):
                break
        out_seats[i] = seat
        if seat != NOBODY:
            view.seat = seat
            view.n_cards = view.n_left[np.uint64(seat)]
            for place in range(4):
                view.cards[place] = card_at(held[np.uint64(seat)], place)


def roll_out(
    views: NDArray[Any],
    hands: NDArray[np.int64],
    positions: NDArray[np.int64],
    answers: Sequence[Callable[[NDArray[Any], NDArray[np.int32], NDArray[np.int64]], None]],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """The points from a first card to the end of each play, by seat, (n, 4).

    views, hands: see `play_cards`; both are used up. positions: the first card of each play; answers: by seat what
    fills in the answers to some views; rng: draws the random keys. The discards of the other seats aren't known to
    those who play them here.
    """
    n = len(views)
    points, seats = np.zeros((n, 4), np.int64), views["seat"].astype(np.int64)
    which = np.arange(n, dtype=np.int32)
    asked_seat = int(seats[0])
    thrown = views["discards"].copy()
    while len(which):
        play_cards(views, hands, which, positions, points, seats)
        which = np.flatnonzero(seats != NOBODY).astype(np.int32)
        views["key"] = rng.integers(1 << 64, size=n, dtype=np.uint64)
        views["discards"] = np.where((seats == asked_seat)[:, None], thrown, NO_CARD)
        found = np.full(n, -1, np.int64)
        for seat, answer in enumerate(answers):
            mine = which[seats[which] == seat]
            if len(mine):
                answer(views, mine, found)
        positions = without_guesses(found)
    return points
