"""What the kept cards peg, by four ranks and role: the tables that ship, beside published ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import RANKS
from cribsim.errors import CribsimError
from cribsim.scoring import N_KEPT, RANK_PLACES, kept_texts
from cribsim.stats import clean_json
from cribsim.strategies.base import DISCARD
from cribsim.strategies.finding import find_half
from cribsim.strategies.ranges import kept_chances
from cribsim.strategies.table import ROLES
from cribsim.strategies.tables import DATA, PEGGING_TABLES, PeggingTable, pegging_table, table_rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PUBLISHED = ("fitzgerald", "cribbagepro")
_WEIGHTS = "equilibrium"


@dataclass(frozen=True, eq=False)
class KeptTable:
    """Pegging by kept ranks. name: of the table; chances: how often `equilibrium` keeps each, (2, 1820), which weighs
    the hands where tables are compared."""

    name: str
    table: PeggingTable
    chances: NDArray[np.float64]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each of the 1,820 sets: kept, and by role own, other, difference (points), se (of the
        difference) and chance (how often it is kept)."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each set of ranks."""
        table = self.table
        columns = {"own": table.own, "other": table.other, "difference": table.difference, "se": table.se}
        columns["chance"] = self.chances
        return [
            {"kept": kept}
            | {
                f"{role}_{name}": float(values[at, n])
                for at, role in enumerate(ROLES)
                for name, values in columns.items()
            }
            for n, kept in enumerate(kept_texts())
        ]

    def against(self, name: str) -> dict[str, Any]:
        """This table less another (`PUBLISHED`, or one that ships), by role, over the hands that both have: the mean
        and mean absolute difference of own less other's pegging, weighed by how often hands are kept; the correlation;
        the largest difference and where; and how many hands."""
        other, told = other_table(name), {}
        for at, role in enumerate(ROLES):
            apart = self.table.difference[at] - other[at]
            known = np.flatnonzero(np.isfinite(apart))
            weights = self.chances[at, known] / self.chances[at, known].sum()
            most = known[np.abs(apart[known]).argmax()]
            told[role] = {
                "mean": float(weights @ apart[known]),
                "mean_absolute": float(weights @ np.abs(apart[known])),
                "correlation": float(np.corrcoef(self.table.difference[at, known], other[at, known])[0, 1]),
                "largest": float(apart[most]),
                "largest_kept": kept_texts()[most],
                "hands": len(known),
            }
        return told

    def mean(self, role: int) -> float:
        """Own less other's pegging, averaged as hands are kept."""
        return float(self.chances[role] @ self.table.difference[role] / self.chances[role].sum())

    def to_json(self) -> dict[str, Any]:
        """Rows, means, and the distance from other tables."""
        others = [name for name in (*PUBLISHED, *PEGGING_TABLES) if name != self.name]
        told = {
            **{"pegging": self.table.text, "weights": f"as {_WEIGHTS} keeps them"},
            **{f"mean_{role}": self.mean(at) for at, role in enumerate(ROLES)},
            **{"kept": self.rows(), "against": {name: self.against(name) for name in others}},
        }
        return clean_json(told)  # type: ignore[no-any-return]

    def plot(self, ax: Axes | None = None, against: str = PUBLISHED[0]) -> Axes:
        """Draw this table against another, a dot for each kept hand and role."""
        from cribsim.plots import plot_kept_table

        return plot_kept_table(self, other_table(against), against, ax=ax)


def kept_table(name: str = PEGGING_TABLES[0]) -> KeptTable:
    """A pegging table that ships: `equilibrium`, `expectimax` or `greedy` play against itself.

    Examples
    --------
    >>> table = kept_table("greedy")
    >>> row = table.frame.set_index("kept").loc["5555"]
    >>> bool(row.pone_difference < 0 < row.dealer_difference)
    True
    """
    if name not in PEGGING_TABLES:
        raise CribsimError(f"no table {name!r}; give one of {', '.join(PEGGING_TABLES)}")
    return KeptTable(name, pegging_table(name), kept_chances(find_half(_WEIGHTS, DISCARD)))


def other_table(name: str) -> NDArray[np.float64]:
    """Own less other's pegging by role and kept ranks, (2, 1820), of a published table (nan where it has no value) or
    one that ships."""
    if name in PEGGING_TABLES:
        return pegging_table(name).difference
    if name not in PUBLISHED:
        raise CribsimError(f"no table {name!r}; give one of {', '.join((*PUBLISHED, *PEGGING_TABLES))}")
    found = np.full((2, N_KEPT), np.nan)
    for row in table_rows(DATA / "published_pegging.csv", ("kept",)):
        ranks = np.array([RANKS.index(rank) for rank in row["kept"]])
        for at, role in enumerate(ROLES):
            own, other = row[f"{name}_{role}_own"], row[f"{name}_{role}_other"]
            if own:
                found[at, RANK_PLACES[np.arange(4), ranks].sum()] = float(own) - float(other)
    return found
