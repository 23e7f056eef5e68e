"""Plays carried on to their end in a batch, from any place, by strategies: what a card leads to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.deals import DEAL
from cribsim.pegging import NOBODY
from cribsim.rule_record import NO_TARGET
from cribsim.rules import MAX_COUNT, Rules, pip_of
from cribsim.tally import MUGGINS, PEGGING
from cribsim.turns import play_on
from cribsim.views import without_guesses


@kernel
def play_cards(rules, deals, views, which, positions, out_seats):
    """Play a card in each of some plays, and then all that is forced.

    deals: DEAL[n]; views: PLAY_VIEW[n], each at its seat; which: int32[k]; positions: int64[n]; out_seats: int64[n],
    who chooses next (NOBODY: the play is over), whose view it then is.
    """
    for k in range(len(which)):
        i = np.uint64(which[k])
        out_seats[i] = play_on(rules, deals[i], views[i], np.int64(views[i].seat), positions[i])


def card_points(rules: Rules, view: Any, position: int, *, in_game: bool) -> int:
    """What a card itself pegs, 31 included, but not the point for a go or the last card: of what the rules say, as far
    as the target lets it. in_game: whether the scores of the view count."""
    card, seat = int(view["cards"][position]), int(view["seat"])
    is_last = int(view["count"]) + pip_of(card) == MAX_COUNT
    combined = (int(view["gains"]) >> (4 * (card >> 2)) & 15) - 2 * is_last
    was_called = rules.go_point == "call" and _called(view) == seat + 1
    pegged, room = 0, rules.target - int(view["scores"][seat]) if in_game else NO_TARGET
    for points in (combined, (1 if was_called else 2) * is_last):  # counts of their own with exact count-out
        if not (rules.exact_out and pegged + points > room):
            pegged += points
    return min(pegged, room)


def _deals_of(views: NDArray[Any], hands: NDArray[np.int64], rules: Rules) -> NDArray[Any]:
    """Deals in the midst of their play, with these hands; what the other seats threw isn't known to them here."""
    deals, n = np.zeros(len(views), DEAL), len(views)
    deals["hands"], deals["dealer"], deals["winner"] = hands, views["dealer"], NOBODY
    deals["scores"][:, : rules.sides] = views["scores"][:, : rules.sides]  # the seats of a side have one score
    deals["thrown"] = NO_CARD << 8 | NO_CARD
    thrown = views["discards"].astype(np.int32)
    deals["thrown"][np.arange(n), views["seat"]] = thrown[:, 1] << 8 | thrown[:, 0]
    deals["called"] = _called(views[0]) if rules.go_point == "call" else 0
    return deals


def _called(view: Any) -> int:
    """1 + the seat to whom a go was called in this count, 0 if none was."""
    n_played, seats = int(view["n_played"]), [*view["played_by"].tolist(), 0]
    seats[n_played] = int(view["seat"])
    goes = [*view["goes"].tolist(), 0]
    return next((seats[at] + 1 for at in range(int(view["count_start"]), n_played + 1) if goes[at] & 15), 0)


def roll_out(
    rules: Rules,
    views: NDArray[Any],
    hands: NDArray[np.int64],
    positions: NDArray[np.int64],
    answers: Sequence[Callable[[NDArray[Any], NDArray[np.int32], NDArray[np.int64]], None]],
    rng: np.random.Generator,
    *,
    in_game: bool,
) -> NDArray[np.int64]:
    """The points from a first card to the end of each play, by seat, (n, 4).

    views: of one place of the play, used up; hands: int64 (n, 4), packed, by seat; positions: the first card of each
    play; answers: by seat what fills in the answers to some views; rng: draws the random keys. in_game:
    whether the scores of the views count, and the game may end.
    """
    n = len(views)
    deals, record = _deals_of(views, hands, rules), rules.record(in_game=in_game)[0]
    seats, which = views["seat"].astype(np.int64), np.arange(n, dtype=np.int32)
    if rules.miss:
        deals["key"] = rng.integers(1 << 64, size=n, dtype=np.uint64)  # what is overlooked is drawn from it
    while len(which):
        play_cards(record, deals, views, which, positions, seats)
        which = np.flatnonzero(seats != NOBODY).astype(np.int32)
        views["key"] = rng.integers(1 << 64, size=n, dtype=np.uint64)
        found = np.full(n, -1, np.int64)
        for seat, answer in enumerate(answers):
            mine = which[seats[which] == seat]
            if len(mine):
                answer(views, mine, found)
        positions = without_guesses(found)
    return deals["points"][:, :, [PEGGING, MUGGINS]].sum(axis=2, dtype=np.int64)  # type: ignore[no-any-return]
