"""Pictures of results. Each takes a result and `ax=None`, returns the Axes, and never shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cribsim.cards import RANKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
