"""Pictures of results. Each takes a result and `ax=None`, returns the Axes, and never shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import RANKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cribsim.analysis.crib_table import CribTable
    from cribsim.analysis.discards import DiscardValues
    from cribsim.analysis.kept_table import KeptTable
    from cribsim.result import Result

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def plot_points(result: Result, *, ax: Axes | None = None, phase: str = "total", **style: Any) -> Axes:
    """Share of deals by points of one phase, a line for each role with its mean."""
    result.estimate("dealer", phase)  # a wrong name is refused before a figure is made
    ax = _axes(ax)
    for role, colour in zip(result.rules.roles, _COLOURS, strict=False):
        counts = result.histogram(phase, role)
        mean = result.estimate(role, phase).mean
        ax.step(
            np.arange(len(counts)),
            counts / counts.sum(),
            where="mid",
            color=colour,
            label=f"{role}, {mean:.2f}",
            **style,
        )
        ax.axvline(mean, color=colour, linestyle=":", linewidth=1)
    ax.set_xlabel(f"points in a deal ({phase})")
    ax.set_ylabel("share of deals")
    ax.set_title(" · ".join(result.players))
    ax.legend(title="seat, mean")
    return ax


def plot_cribs(result: Result, *, ax: Axes | None = None, role: str = "dealer", **style: Any) -> Axes:
    """The average crib by the ranks thrown: unsuited above the diagonal, suited below."""
    frame = result.crib_averages(role)
    ax = _axes(ax)
    grid = np.full((13, 13), np.nan)
    grid[frame["row"], frame["column"]] = frame["crib"]
    image = ax.imshow(grid, **{"cmap": "viridis", **style})
    ax.figure.colorbar(image, ax=ax, label="average crib, points")
    ax.set_xticks(range(13), list(RANKS))
    ax.set_yticks(range(13), list(RANKS))
    ax.set_title(f"crib by the {role}'s throw (suited below the diagonal)")
    return ax


def plot_discards(values: DiscardValues, *, ax: Axes | None = None) -> Axes:
    """What each discard is worth: hand, crib and pegging as bars, the total as a mark."""
    ax = _axes(ax)
    rows = values.rows[::-1]
    places = np.arange(len(rows))
    crib_sign = 1 if any(row["total"] > row["hand"] + (row["pegging"] or 0) for row in rows) else -1
    parts = {
        "hand": [row["hand"] for row in rows],
        "crib": [crib_sign * row["crib"] for row in rows],
        "pegging": [row["pegging"] or 0.0 for row in rows],
    }
    above, below = np.zeros(len(rows)), np.zeros(len(rows))
    for (name, points), colour in zip(parts.items(), _COLOURS, strict=False):
        widths = np.array(points)
        ax.barh(places, widths, left=np.where(widths > 0, above, below), color=colour, label=name)
        above += np.maximum(widths, 0)
        below += np.minimum(widths, 0)
    totals = [row["total"] for row in rows]
    reach = [[row["total"] - row["total_low"] for row in rows]] * 2 if values.samples else None
    ax.errorbar(totals, places, xerr=reach, fmt="k|", markersize=10, label="total")
    right = max(above.max(), max(totals))
    for row, place in zip(rows, places, strict=True):
        ax.text(right * 1.02, float(place), f"{row['total']:.2f}  (-{row['loss']:.2f})", va="center", fontsize=8)
    ax.set_xlim(right=right * 1.2)
    ax.set_yticks(places, [f"{row['keep']}  ({row['throw']})" for row in rows])
    ax.set_xlabel("points")
    ax.set_title(f"{values.hand}, {values.role}; the others throw {values.opponent}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), title="total (loss)")
    return ax


def plot_crib_table(table: CribTable, *, ax: Axes | None = None, whose: str = "own") -> Axes:
    """The average crib by the ranks thrown, 13 x 13: unsuited on and above the diagonal, suited below."""
    ax = _axes(ax)
    whose_crib = "one's own" if whose == "own" else "the other's"
    grid = table.grid(whose)
    image, low, high = ax.imshow(grid, cmap="viridis"), float(np.nanmin(grid)), float(np.nanmax(grid))
    for row, column in np.ndindex(grid.shape):
        value = float(grid[row, column])
        colour = "black" if value > low + 0.6 * (high - low) else "white"
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=6, color=colour)
    ax.figure.colorbar(image, ax=ax, label="average crib, points")
    ax.set_xticks(range(13), list(RANKS))
    ax.set_yticks(range(13), list(RANKS))
    counted = "hand, crib and pegging" if table.pegging else "hand and crib"
    ax.set_title(f"thrown to {whose_crib} crib (suited below the diagonal)\nboth throw best by {counted}")
    return ax


def plot_kept_table(table: KeptTable, other: NDArray[np.float64], name: str, *, ax: Axes | None = None) -> Axes:
    """Own less other's pegging of each kept hand, against another table's: a dot each, larger where kept oftener."""
    ax = _axes(ax)
    for role, (word, colour) in enumerate(zip(("pone", "dealer"), _COLOURS, strict=False)):
        sizes = 4 + 4000 * table.chances[role]
        ax.scatter(
            other[role], table.table.difference[role], s=sizes, color=colour, alpha=0.4, linewidths=0, label=word
        )
    ends = [float(np.nanmin(other)), float(np.nanmax(other))]
    ax.plot(ends, ends, color="black", linewidth=1)
    ax.set_xlabel(f"{name}: own less other's pegging, points")
    ax.set_ylabel(f"{table.table.text}, points")
    ax.set_title("What the kept cards peg, by four ranks")
    ax.legend(title="keeper", markerscale=1)
    return ax
