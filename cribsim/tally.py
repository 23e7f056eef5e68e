"""Integers that add: what a run counts. `tally_a + tally_b` is exactly the tally of both runs.

A unit is what is independent of its fellows: a deal, a game or a match. Everything is by role (0 the pone, the last
role the dealer), wins and game points by player (seat).
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import ResultError
from cribsim.rule_record import MAX_PLAYERS
from cribsim.scoring import N_KEPT

HEELS, PEGGING, HAND, CRIB, TOTAL, MUGGINS = range(6)
PHASES = ("heels", "pegging", "hand", "crib", "total", "muggins")
N_PHASES = 4
"""The first phases are pegged, and with muggins the last one is; TOTAL is their sum."""
N_PLACES = len(PHASES)
N_POINTS = 128
N_BINS = 256
SKUNK_CLASSES = ("single", "skunk", "double_skunk", "triple_skunk")


def phases_of(*, muggins: bool) -> tuple[str, ...]:
    """The phases in the order in which they are told."""
    return (*PHASES[:N_PHASES], *(("muggins",) if muggins else ()), "total")


_SHAPES: dict[str, tuple[int, ...]] = {
    "deals": (1,),
    "redrawn": (1,),
    "guesses": (MAX_PLAYERS,),
    "histograms": (MAX_PLAYERS, N_PLACES, N_POINTS),
    "joint": (N_POINTS, N_POINTS),
    "thrown": (MAX_PLAYERS, 13, 13, 3),
    "kept": (MAX_PLAYERS, N_KEPT, 6),
    "units": (MAX_PLAYERS, N_PLACES, 3),
    "seat_units": (MAX_PLAYERS, N_PLACES, 3),
    "unit_deals": (3,),
    "wins": (MAX_PLAYERS,),
    "game_points": (MAX_PLAYERS, 2),
    "first_dealer_wins": (1,),
    "turn_wins": (MAX_PLAYERS,),
    "skunks": (MAX_PLAYERS, len(SKUNK_CLASSES)),
    "margins": (N_BINS,),
    "margin_sums": (2,),
    "lengths": (N_BINS,),
    "match_wins": (MAX_PLAYERS,),
    "match_units": (MAX_PLAYERS, 2, 3),
    "match_games": (4,),
}


class Counts(NamedTuple):
    """The counts: int64 arrays (four of them int32 while the kernels fill them, see NARROW).

    deals: deals played. redrawn: deals that weren't as given, and were drawn anew. guesses: by
    seat, plays that a strategy marked as guesses (`views.GUESS`). histograms: deals by role, phase
    and points. joint: deals by the pone's and the dealer's total (two players). thrown: by role and thrown cards (low
    rank, high rank; suited pairs with the ranks exchanged; one card at rank, rank): deals, sum and sum of squares of
    the crib's points. kept: by role and kept ranks (`scoring.kept_index`; not in the five-card game): deals, sum of own
    pegging, of the others' pegging, of the squares of both, of their product.
    Both count only deals played to the end. units, seat_units: by role and by seat, and phase, over the units, sum x,
    sum x^2, sum x * deals; unit_deals: units, deals, sum of squared deals (filled in games and matches; a deal alone is
    its own unit). wins, game_points (sum, sum of squares): by seat. first_dealer_wins: of his side; turn_wins: by the
    role that the winner had in the first deal. skunks: by winning seat and class. margins, lengths: games by the
    winner's lead over the next (in lowball how far he lies below) and by deals, the last bin open; margin_sums: sum and
    sum of squares of the lead. match_wins: by seat; match_units: by seat over the matches, of games won and of game
    points, sum x, sum x^2, sum x * games; match_games: matches, games, sum of squared games, of games times deals.
    """

    deals: Any
    redrawn: Any
    guesses: Any
    histograms: Any
    joint: Any
    thrown: Any
    kept: Any
    units: Any
    seat_units: Any
    unit_deals: Any
    wins: Any
    game_points: Any
    first_dealer_wins: Any
    turn_wins: Any
    skunks: Any
    margins: Any
    margin_sums: Any
    lengths: Any
    match_wins: Any
    match_units: Any
    match_games: Any


NARROW = frozenset(("histograms", "joint", "thrown", "kept"))
"""Counts that every deal touches. The kernels keep them in int32, so that they stay in the processor's nearest cache;
`MAX_NARROW_DEALS` deals can't overflow them, and then they are added to the tally."""
MAX_NARROW_DEALS = 1 << 20


def empty_counts(*, narrow: bool = False) -> Counts:
    """Counts of nothing; `narrow` as the kernels fill them."""
    kinds = {name: np.int32 if narrow and name in NARROW else np.int64 for name in _SHAPES}
    return Counts(**{name: np.zeros(shape, kinds[name]) for name, shape in _SHAPES.items()})


@dataclasses.dataclass(frozen=True, eq=False)
class Tally:
    """What a run counted. Tallies of the same players and rules add."""

    counts: Counts
    players: int

    @classmethod
    def empty(cls, players: int) -> Tally:
        """The tally of no deals."""
        return cls(empty_counts(), players)

    def take(self, counts: Counts) -> None:
        """Add what the kernels have counted, and set their counts to nothing."""
        for mine, other in zip(self.counts, counts, strict=True):
            mine += other
            other[...] = 0

    @property
    def deals(self) -> int:
        """Deals played."""
        return int(self.counts.deals[0])

    @property
    def games(self) -> int:
        """Games finished."""
        return int(self.counts.lengths.sum())

    @property
    def matches(self) -> int:
        """Matches finished."""
        return int(self.counts.match_games[0])

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.players != self.players:
            raise ResultError(f"a tally of {self.players} players and one of {other.players} don't add")
        return Tally(Counts(*(a + b for a, b in zip(self.counts, other.counts, strict=True))), self.players)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        same = all(np.array_equal(a, b) for a, b in zip(self.counts, other.counts, strict=True))
        return same and self.players == other.players

    __hash__ = None  # type: ignore[assignment]

    def histogram(self, phase: str, role: int) -> NDArray[np.int64]:
        """Deals by points of one phase and role, as long as the points go."""
        counts: NDArray[np.int64] = self.counts.histograms[role, PHASES.index(phase)]
        return counts[: np.flatnonzero(counts)[-1] + 1] if counts.any() else counts[:1]
