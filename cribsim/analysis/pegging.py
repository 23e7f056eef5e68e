"""What is pegged with each four ranks kept, from runs: the tables that discards are weighed with."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import ResultError
from cribsim.result import Result
from cribsim.scoring import kept_texts
from cribsim.simulation import simulate
from cribsim.strategies.tables import PeggingTable, write_pegging_table
from cribsim.work import Progress, part_of

if TYPE_CHECKING:
    import pandas as pd


def pegging_by_kept(as_pone: Result, as_dealer: Result, text: str) -> PeggingTable:
    """The pegging of every kept hand, from a run for each role: the first player's of one, the last's of the other.

    A player who throws at random keeps every hand; so the runs that make the table seat `random` discards in the role
    that is looked at, against a sensible discarder.

    Raises
    ------
    ResultError
        The runs are no deals of two players, or a hand was never kept.
    """
    found = [_by_kept(as_pone, 0), _by_kept(as_dealer, 1)]
    own, other, se = (np.stack(parts) for parts in zip(*found, strict=True))
    return PeggingTable(text, own, other, se)


def _by_kept(result: Result, role: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    if result.rules.players != 2 or result.mode != "deals":
        raise ResultError("pegging values come from deals of two players")
    n, own, other, own_2, other_2, both = result.tally.counts.kept[role].astype(np.float64).T
    if not n.all():
        raise ResultError(f"{int((n == 0).sum()):,} of the 1,820 kept hands were never held; play more deals")
    mean = (own - other) / n
    spread = (own_2 + other_2 - 2 * both) / n - mean**2
    return own / n, other / n, np.sqrt(spread / np.maximum(n - 1, 1))


@dataclass(frozen=True, eq=False)
class PeggingRun:
    """A pegging table with the two runs that made it."""

    table: PeggingTable
    as_pone: Result
    as_dealer: Result

    @property
    def seed(self) -> int:
        """Of the first run."""
        return self.as_pone.seed

    def summary(self) -> pd.DataFrame:
        """One row for each kept hand: kept, and by role own, other and se."""
        import pandas as pd

        table = self.table
        kept = kept_texts()
        columns = {
            f"{role}_{name}": values[at]
            for at, role in enumerate(("pone", "dealer"))
            for name, values in (("own", table.own), ("other", table.other), ("se", table.se))
        }
        return pd.DataFrame({"kept": kept, **columns})

    def to_json(self) -> dict[str, Any]:
        """What was run, and the averages over all kept hands."""
        return {
            "pegging": self.table.text,
            "deals": self.as_pone.deals,
            "seed": self.seed,
            "kept_hands": len(self.table.own[0]),
            "largest_se": float(self.table.se.max()),
            "runs": [list(self.as_pone.players), list(self.as_dealer.players)],
        }

    def write(self, folder: Path) -> None:
        """Write `pegging.csv`, the table as it ships."""
        about = (
            f"Points pegged by the four ranks kept, two players: {self.table.text}.",
            "own, other: pegged by who keeps these ranks, as pone or dealer, and by the other; se: of own less other.",
            f"The keeper throws at random, the other discards as in {' against '.join(self.as_pone.players)}.",
            f"{self.as_pone.deals:,} deals for each role, "
            f"seeds {_seeds(self.as_pone)} (as dealer {_seeds(self.as_dealer)}).",
        )
        write_pegging_table(self.table, folder / "pegging.csv", about)


def _seeds(result: Result) -> str:
    return ", ".join(str(seed) for seed, _, _ in result.ranges)


def pegging_run(
    discards: str,
    play: str,
    deals: int,
    seeds: Sequence[int],
    *,
    progress: Progress | None = None,
    command: str | None = None,
) -> PeggingRun:
    """Make the pegging table of a play strategy against itself, the other discarding by `discards`.

    deals: for each seed and role; seeds: of the runs as pone, those as dealer have them plus 10.
    """
    keeper, other = f"random+{play}", f"{discards}+{play}"
    jobs = [([keeper, other], seed) for seed in seeds] + [([other, keeper], seed + 10) for seed in seeds]
    found = []
    for done, (players, seed) in enumerate(jobs):
        part = part_of(progress, done, len(jobs))
        found.append(simulate(players, deals=deals, seed=seed, progress=part, command=command))
    as_pone, as_dealer = (functools.reduce(operator.add, runs) for runs in (found[: len(seeds)], found[len(seeds) :]))
    return PeggingRun(pegging_by_kept(as_pone, as_dealer, f"{play} against {play}"), as_pone, as_dealer)
