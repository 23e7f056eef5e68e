"""The crib table: what the crib brings on average by the two cards thrown, where both throw best against each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.equilibrium import DEALER, N_THROWN, PONE, FixedPoint, Reply, answers_by_class, solve_discards
from cribsim.analysis.reading import check_flag
from cribsim.cards import RANKS
from cribsim.errors import CribsimError
from cribsim.result import Result
from cribsim.scoring import N_PAIRS
from cribsim.simulation import simulate
from cribsim.stats import clean_json, from_sums
from cribsim.strategies.base import DISCARD
from cribsim.strategies.finding import find_half
from cribsim.strategies.tables import DATA, OTHERS, OWN, pegging_points, table_rows
from cribsim.strategies.tables import crib_table as published

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PUBLISHED = ("hessel", "schell", "colvert", "rasmussen", "uniform")
_UNSUITED = [(low, high) for high in range(13) for low in range(high + 1)]
_SUITED = [(low, high) for high in range(13) for low in range(high)]
KINDS = [(*pair, False) for pair in _UNSUITED] + [(*pair, True) for pair in _SUITED]
"""Low rank, high rank, suited: the 169 kinds of two cards."""
_COLUMNS = ("own", "other", "thrown_own", "thrown_other", "weight_own", "weight_other")


_FINEST = 1e-6
"""Points; averages are worked out in single precision."""


@dataclass(frozen=True, eq=False)
class CribTable:
    """Average cribs by kind of two cards thrown (`KINDS`), (169,) each.

    own, other: of the dealer's throws, and of the pone's; thrown_own, thrown_other: how often each kind is thrown;
    weight_own, weight_other: how suited and unsuited throws of two ranks are weighed together; own_se, other_se: where
    sampled.
    """

    own: NDArray[np.float64]
    other: NDArray[np.float64]
    thrown_own: NDArray[np.float64]
    thrown_other: NDArray[np.float64]
    weight_own: NDArray[np.float64]
    weight_other: NDArray[np.float64]
    pegging: bool
    own_se: NDArray[np.float64] | None = None
    other_se: NDArray[np.float64] | None = None
    about: str = ""

    def by_ranks(self, whose: str) -> NDArray[np.float64]:
        """The averages by the 91 pairs of ranks, suits weighed as they are thrown; nan where none was sampled.

        whose: own or other.
        """
        weights = getattr(self, f"weight_{_check_whose(whose)}")
        sums, known = _merge(_weighted(getattr(self, whose), weights)), _merge(weights) > 0
        averages: NDArray[np.float64] = np.divide(sums, _merge(weights), out=np.full(N_PAIRS, np.nan), where=known)
        return averages

    def shares(self, whose: str) -> NDArray[np.float64]:
        """How often each of the 91 pairs of ranks is thrown."""
        return _merge(getattr(self, f"thrown_{_check_whose(whose)}"))

    def mean(self, whose: str) -> float:
        """The average crib of all throws."""
        shares = getattr(self, f"thrown_{_check_whose(whose)}")
        return float(_weighted(getattr(self, whose), shares).sum())

    def mean_se(self, whose: str) -> float | None:
        """The standard error of the average crib of all throws; None where nothing was sampled."""
        errors = getattr(self, f"{_check_whose(whose)}_se")
        shares = getattr(self, f"thrown_{whose}")
        return None if errors is None else float(np.sqrt(((shares * np.nan_to_num(errors)) ** 2).sum()))

    def grid(self, whose: str) -> NDArray[np.float64]:
        """The picture players know, 13 x 13: unsuited on and above the diagonal, suited below."""
        grid = np.zeros((13, 13))
        for (low, high, suited), value in zip(KINDS, getattr(self, _check_whose(whose)), strict=True):
            grid[(high, low) if suited else (low, high)] = value
        return grid

    def throws(self, whose: str) -> NDArray[np.float64]:
        """How often each pair of ranks is thrown, in per cent, 13 x 13: here on and above the diagonal, by orbitals'
        published figures below. whose: own, what the dealer throws; other, what the pone throws."""
        grid, published_shares = np.zeros((13, 13)), _frequencies()[OWN if whose == "own" else OTHERS]
        for at, (low, high) in enumerate(_UNSUITED):
            grid[high, low] = published_shares[at]
            grid[low, high] = 100 * self.shares(whose)[at]
        return grid

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each of the 169 kinds."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each of the 169 kinds."""
        return [
            {
                **{"pair": RANKS[low] + RANKS[high], "suited": suited},
                **{"own": float(self.own[at]), "own_se": _at(self.own_se, at)},
                **{"other": float(self.other[at]), "other_se": _at(self.other_se, at)},
                "thrown_own": float(self.thrown_own[at]),
                "thrown_other": float(self.thrown_other[at]),
            }
            for at, (low, high, suited) in enumerate(KINDS)
        ]

    def against(self, name: str) -> dict[str, Any]:
        """How far a published table lies from this one, by the 91 pairs: mean absolute, mean and largest difference."""
        table = published_table(name)
        told: dict[str, Any] = {}
        for whose, row in (("own", OWN), ("other", OTHERS)):
            apart = self.by_ranks(whose) - table[row]
            known = np.flatnonzero(np.isfinite(apart))
            if len(known):
                most = known[np.abs(apart[known]).argmax()]
                low, high = _UNSUITED[most]
                told[whose] = {
                    "mean_absolute": float(np.abs(apart[known]).mean()),
                    "mean": float(apart[known].mean()),
                    "largest": float(apart[most]),
                    "largest_pair": RANKS[low] + RANKS[high],
                    "pairs": len(known),
                }
        return told

    def to_json(self) -> dict[str, Any]:
        """The contract's `crib`."""
        published_shares = _frequencies() / 100
        ranks = [
            {
                "pair": RANKS[low] + RANKS[high],
                **{whose: float(self.by_ranks(whose)[at]) for whose in ("own", "other")},
                **{f"thrown_{whose}": float(self.shares(whose)[at]) for whose in ("own", "other")},
                "orbitals_own": float(published_shares[OWN, at]),
                "orbitals_other": float(published_shares[OTHERS, at]),
            }
            for at, (low, high) in enumerate(_UNSUITED)
        ]
        told = {
            **{"about": self.about, "pegging": self.pegging, "mean_own": self.mean("own")},
            **{"mean_other": self.mean("other"), "mean_own_se": self.mean_se("own")},
            **{"mean_other_se": self.mean_se("other"), "pairs": self.rows(), "ranks": ranks},
            "against": {name: self.against(name) for name in PUBLISHED},
            "frequencies": self.frequencies_against_orbitals(),
        }
        return clean_json(told)  # type: ignore[no-any-return]

    def frequencies_against_orbitals(self) -> dict[str, Any]:
        """How far the published game-theoretic frequencies lie from these, in per cent of throws."""
        told = {}
        for whose, row in (("own", OWN), ("other", OTHERS)):
            apart = 100 * self.shares(whose) - _frequencies()[row]
            most = int(np.abs(apart).argmax())
            low, high = _UNSUITED[most]
            told[whose] = {
                "mean_absolute": float(np.abs(apart).mean()),
                "largest": float(apart[most]),
                "largest_pair": RANKS[low] + RANKS[high],
            }
        return told

    def plot(self, ax: Axes | None = None, whose: str = "own") -> Axes:
        """Draw the 13 x 13 picture."""
        from cribsim.plots import plot_crib_table

        _check_whose(whose)
        return plot_crib_table(self, ax=ax, whose=whose)

    def write(self, path: Path) -> None:
        """Write the table as it ships."""
        lines = [f"# {self.about}", ",".join(("pair", "suited", *_COLUMNS))]
        columns = [getattr(self, name) for name in _COLUMNS]
        for at, (low, high, suited) in enumerate(KINDS):
            numbers = ",".join(f"{column[at]:.9g}" for column in columns)
            lines.append(f"{RANKS[low]}{RANKS[high]},{str(suited).lower()},{numbers}")
        path.write_text("\n".join(lines) + "\n")


def _check_whose(whose: str) -> str:
    if whose not in ("own", "other"):
        raise CribsimError(f"whose={whose!r}: own (the crib is one's own) or other")
    return whose


def _weighted(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values times weights; what has no weight counts nothing, known or not."""
    return np.where(weights > 0, values, 0.0) * weights


def _at(values: NDArray[np.float64] | None, at: int) -> float | None:
    return None if values is None else float(values[at])


def _merge(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the suited kinds with the unsuited of the same ranks: (169,) to (91,)."""
    merged = values[:N_PAIRS].copy()
    for at, (low, high) in enumerate(_SUITED):
        merged[_UNSUITED.index((low, high))] += values[N_PAIRS + at]
    return merged


def _frequencies() -> NDArray[np.float64]:
    """Per cent of throws by the 91 pairs: the pone's, the dealer's."""
    found = np.zeros((2, N_PAIRS))
    for row in table_rows(DATA / "published_frequencies.csv", ("pair",)):
        low, high = (RANKS.index(rank) for rank in row["pair"])
        found[:, _UNSUITED.index((low, high))] = float(row["pone_pct"]), float(row["dealer_pct"])
    return found


def published_table(name: str) -> NDArray[np.float64]:
    """A published table, (2, 91) as in `strategies.tables`; nan where it has no value."""
    if name in ("hessel", "schell"):
        return published(name)
    found = np.full((2, N_PAIRS), np.nan)
    for row in table_rows(DATA / "published_cribs.csv", ("pair",)):
        low, high = (RANKS.index(rank) for rank in row["pair"])
        at = _UNSUITED.index((low, high))
        for place, column in ((OTHERS, f"{name}_opp"), (OWN, f"{name}_own")):
            found[place, at] = float(row[column]) if row.get(column) else np.nan
    return found


def crib_table(*, pegging: bool = False, samples: int = 0, seed: int = 0) -> CribTable:
    """The crib table that ships.

    Parameters
    ----------
    pegging
        Of the fixed point in which what the kept cards peg counts too (as `equilibrium` throws), or of hand and crib
        alone, as in the published tables.
    samples, seed
        Deals to play at the fixed point, which give the averages of the kinds thrown there their standard errors.

    Examples
    --------
    >>> table = crib_table()
    >>> round(table.mean("own"), 2), round(table.mean("other"), 2)
    (4.78, 4.78)
    """
    path = DATA / ("cribs_pegging.csv" if check_flag("pegging", pegging) else "cribs.csv")
    rows = table_rows(path, _COLUMNS)
    columns = {name: np.array([float(row[name]) for row in rows]) for name in _COLUMNS}
    about = path.read_text().splitlines()[0].lstrip("# ")
    table = CribTable(pegging=pegging, about=about, **columns)
    return _sampled(table, samples, seed) if samples else table


def _sampled(table: CribTable, samples: int, seed: int) -> CribTable:
    """The averages as they are played, where a kind is thrown at all."""
    player = f"equilibrium(pegging={str(table.pegging).lower()})+greedy"
    result = simulate([player, player], deals=samples, seed=seed)
    found = [_played(result, role) for role in (PONE, DEALER)]
    about = f"{table.about}; averages of {samples:,} deals, seed {seed}"
    (own, own_se, thrown_own), (other, other_se, thrown_other) = found[DEALER], found[PONE]
    return dataclasses.replace(
        table,
        own=own,
        own_se=own_se,
        thrown_own=thrown_own,
        other=other,
        other_se=other_se,
        thrown_other=thrown_other,
        weight_own=thrown_own,
        weight_other=thrown_other,
        about=about,
    )


def _played(result: Result, role: int) -> tuple[NDArray[np.float64], ...]:
    """Average crib, its standard error and how often, by kind; nan where it was never thrown."""
    thrown = result.tally.counts.thrown[role]
    sums = [thrown[(high, low) if suited else (low, high)] for low, high, suited in KINDS]
    found = [from_sums(int(n), int(total), int(squares)) for n, total, squares in sums]
    shares = np.array([float(n) for n, _, _ in sums])
    return np.array([e.mean for e in found]), np.array([e.se for e in found]), shares / shares.sum()


def table_of(point: FixedPoint, pegging: bool, about: str) -> CribTable:
    """The crib table of a fixed point."""
    dealer, pone = point.replies[DEALER], point.replies[PONE]
    return CribTable(
        *(dealer.cribs, pone.cribs, dealer.shares, pone.shares, _weights(dealer), _weights(pone)),
        pegging=pegging,
        about=about,
    )


def _weights(reply: Reply) -> NDArray[np.float64]:
    """How suited and unsuited throws of two ranks are weighed: as thrown, or as held where none is."""
    thrown, _, held, _ = reply.sums.T
    weights: NDArray[np.float64] = np.where(_thrown_ranks(thrown), thrown, held)
    return weights


def _thrown_ranks(thrown: NDArray[np.float64]) -> NDArray[np.bool_]:
    """By kind, whether its two ranks are thrown at all."""
    ranks = _merge(thrown) > 0
    return np.array([ranks[_UNSUITED.index((low, high))] for low, high, _ in KINDS])


def solve_crib_table(
    start: str = "expectimax",
    *,
    pegging: bool = False,
    tolerance: float = 0.002,
    progress: Callable[[int, int], None] | None = None,
    told: Callable[[int, float], None] | None = None,
) -> tuple[CribTable, FixedPoint]:
    """Iterate best replies from a discard strategy until no average crib moves by more than `tolerance` points.

    Parameters
    ----------
    start
        A discard strategy that draws nothing at random.
    pegging
        Whether what the kept cards peg counts too.
    progress, told
        Called with the work done in a round, and with each round's number and movement.

    Raises
    ------
    CribsimError
        The tolerance can't be used, or isn't reached in 40 rounds.
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance >= _FINEST:
        raise CribsimError(f"tolerance={tolerance!r}: give a number of points from {_FINEST}")
    values = pegging_points(pegging)
    half = find_half(start, DISCARD)
    first = [answers_by_class(half, role) for role in (PONE, DEALER)]
    point = solve_discards(first, values, tolerance=tolerance, progress=progress, told=told)
    counted = "hand, crib and pegging" if pegging else "hand and crib"
    about = (
        f"Average cribs where both throw best against each other ({counted}), from {start}, "
        f"{len(point.moved)} rounds, last movement {point.moved[-1]:.4f} points"
    )
    return table_of(point, pegging, about), point


def write_shipped(folder: Path, found: dict[bool, tuple[CribTable, FixedPoint]]) -> None:
    """Write the data files that ship, from the fixed points without and with pegging, into a folder."""
    names = {False: "plain", True: "pegging"}
    policies: dict[str, Any] = {
        names[key]: np.stack([point.answers(PONE), point.answers(DEALER)]) for key, (_, point) in found.items()
    }
    np.savez_compressed(folder / "equilibrium.npz", **policies)
    for key, (table, _) in found.items():
        table.write(folder / ("cribs_pegging.csv" if key else "cribs.csv"))
    _write_ranks(found[False][0], folder / "fixed.csv")


def _write_ranks(table: CribTable, path: Path) -> None:
    own, other = table.by_ranks("own"), table.by_ranks("other")
    lines = [f"# {table.about}", "pair,own,opponent"]
    lines += [f"{RANKS[a]}{RANKS[b]},{own[at]:.4f},{other[at]:.4f}" for at, (a, b) in enumerate(_UNSUITED)]
    path.write_text("\n".join(lines) + "\n")


assert len(KINDS) == N_THROWN
