"""Integers that add: what a run counts. `tally_a + tally_b` is exactly the tally of both runs.

A unit is what is independent of its fellows: a deal, or in games mode a game. Everything is by role (0 the pone, the
last role the dealer), wins and game points by player (seat).
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import ResultError
from cribsim.rules import MAX_PLAYERS
from cribsim.scoring import N_KEPT

HEELS, PEGGING, HAND, CRIB, TOTAL = range(5)
PHASES = ("heels", "pegging", "hand", "crib", "total")
N_PHASES = 4
"""The phases that are pegged; TOTAL is their sum."""
N_POINTS = 128
N_BINS = 256
SKUNK_CLASSES = ("single", "skunk", "double_skunk")

_SHAPES: dict[str, tuple[int, ...]] = {
    "deals": (1,),
    "redrawn": (1,),
    "guesses": (MAX_PLAYERS,),
    "histograms": (MAX_PLAYERS, N_PHASES + 1, N_POINTS),
    "joint": (N_POINTS, N_POINTS),
    "thrown": (MAX_PLAYERS, 13, 13, 3),
    "kept": (MAX_PLAYERS, N_KEPT, 6),
    "units": (MAX_PLAYERS, N_PHASES + 1, 3),
    "unit_deals": (3,),
    "wins": (MAX_PLAYERS,),
    "game_points": (MAX_PLAYERS, 2),
    "first_dealer_wins": (1,),
    "skunks": (MAX_PLAYERS, len(SKUNK_CLASSES)),
    "margins": (N_BINS,),
    "margin_sums": (2,),
    "lengths": (N_BINS,),
}


class Counts(NamedTuple):
    """The counts: int64 arrays (four of them int32 while the kernels fill them, see NARROW).

    deals: deals played. redrawn: deals that weren't as given, and were drawn anew. guesses: by
    seat, plays that a strategy marked as guesses (`views.GUESS`). histograms: deals by role, phase
    and points. joint: deals by the pone's and the dealer's total (two players). thrown: by role and thrown cards (low
    rank, high rank; suited pairs with the ranks exchanged; one card at rank, rank): deals, sum and sum of squares of
    the crib's points. kept: by role and kept ranks (`scoring.kept_index`): deals, sum of own pegging, of the others'
    pegging, of the squares of both, of their product.
    Both count only deals played to the end. units: by role and phase over the units, sum x, sum x^2, sum x * deals;
    unit_deals: units, deals, sum of squared deals (filled in games mode; a deal alone is its own unit). wins,
    game_points (sum, sum of squares): by seat. skunks: by winning seat and class. margins, lengths: games by the
    winner's lead over the next and by deals, the last bin open; margin_sums: sum and sum of squares of the lead.
    """

    deals: Any
    redrawn: Any
    guesses: Any
    histograms: Any
    joint: Any
    thrown: Any
    kept: Any
    units: Any
    unit_deals: Any
    wins: Any
    game_points: Any
    first_dealer_wins: Any
    skunks: Any
    margins: Any
    margin_sums: Any
    lengths: Any


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
