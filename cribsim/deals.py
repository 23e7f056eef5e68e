"""One deal in play, hidden cards included: its record, whose seat is whose, and pegging on the right score.

Only the engine and what counts its deals see these records; strategies see views.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.pegging import MAX_PLAYS
from cribsim.rule_record import MAX_PLAYERS
from cribsim.tally import N_PLACES

DEAL = np.dtype(
    (
        np.record,
        [
            ("number", "u8"),
            ("key", "u8"),
            ("step", "i8"),
            ("scores", "i8", (MAX_PLAYERS,)),
            ("hands", "i8", (MAX_PLAYERS,)),
            ("kept", "i8", (MAX_PLAYERS,)),
            ("thrown", "i4", (MAX_PLAYERS,)),
            ("crib", "i8"),
            ("points", "i2", (MAX_PLAYERS, N_PLACES)),
            ("play_points", "u1", (MAX_PLAYS,)),
            ("dealer", "u1"),
            ("winner", "i1"),
            ("starter", "u1"),
            ("called", "u1"),
            ("spare", "u1", (4,)),
        ],
    )
)
"""All of one deal, hidden cards included: the engine's alone.

hands, kept, thrown (by seat) and crib: packed, a byte each card (`pegging.card_at`); points: by seat and phase; scores:
by side; winner: the side that reached the target, or NOBODY; called: 1 + the seat that has the point for the go of this
count, where it is pegged when it is called (`house`).
"""

GAME = np.dtype(
    (
        np.record,
        [
            ("seat_sums", "i4", (MAX_PLAYERS, N_PLACES)),
            ("role_sums", "i4", (MAX_PLAYERS, N_PLACES)),
            ("wins", "i8", (MAX_PLAYERS,)),
            ("value", "i8", (MAX_PLAYERS,)),
            ("n_games", "i8"),
            ("first_step", "i8"),
            ("first_dealer", "i8"),
        ],
    )
)
"""A whole unit so far: points by seat and by role; of a match games won and game points by side, and games; of the game
in play the deal that it began with, and who dealt that."""


REDRAWN = 100
"""In place of a winner: the deal isn't as given (`given`), and is drawn anew."""


@kernel(inline=True)
def side_of(seat, sides):
    """The score a seat pegs on: its own, or with partners that of the seat two to the right."""
    return seat if seat < sides else seat - sides


@kernel(inline=True)
def award(deal, rules, seat, phase, points):
    """Peg points, no further than the target; True when that ends the game."""
    at = np.uint64(seat)
    if not rules.in_game:
        deal.points[at, phase] += points
        return False
    side = np.uint64(side_of(seat, rules.sides))
    pegged = min(points, rules.target - deal.scores[side])
    deal.scores[side] += pegged
    deal.points[at, phase] += pegged
    if deal.scores[side] == rules.target:
        deal.winner = side
        return True
    return False


@kernel(inline=True)
def n_throws(n_cards, n_thrown):
    """How many discard answers there are."""
    return 15 if n_cards == 6 else 10 if n_thrown == 2 else 5


@kernel(inline=True)
def role_seat(dealer, role, players):
    """The seat that has a role: role 0 sits after the dealer, the last role deals."""
    seat = dealer + 1 + role
    return seat if seat < players else seat - players


@kernel(inline=True)
def role_of(dealer, seat, players):
    """The role that a seat has."""
    role = seat - dealer - 1
    return role if role >= 0 else role + players
