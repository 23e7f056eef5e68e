"""From integers to estimates: means with standard errors and intervals, proportions, paired differences.

Intervals of means are mean +/- z * se with the normal quantile z; intervals of proportions are Wilson's (1927), those
of paired observations too.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cribsim.errors import CribsimError, shown


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error, its interval and the number of independent observations behind it.

    >>> estimate_mean([0, 3, 1]).mean
    1.25
    """

    mean: float
    se: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict[str, float | None]:
        """The four numbers of the contract's `estimate`; null where there is none."""
        return {name: _finite(getattr(self, name)) for name in ("mean", "se", "low", "high")}

    def __neg__(self) -> Estimate:
        return Estimate(0.0 - self.mean, self.se, 0.0 - self.high, 0.0 - self.low, self.n)

    def __str__(self) -> str:
        return f"{self.mean:.4f} [{self.low:.4f}, {self.high:.4f}]"


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def check_confidence(confidence: float) -> float:
    """A confidence between 0 and 1."""
    number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise CribsimError(f"confidence {shown(confidence)}: give a number between 0 and 1, as in 0.95")
    return float(confidence)


def quantile(confidence: float) -> float:
    """The z of a two-sided normal interval.

    >>> round(quantile(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + check_confidence(confidence)) / 2)


def from_sums(n: int, total: float, squares: float, *, scale: float = 1.0, confidence: float = 0.95) -> Estimate:
    """Estimate the mean of x * scale from n, sum of x and sum of x^2 (exact integers keep it exact).

    >>> from_sums(4, 4, 10).mean
    1.0
    """
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    mean = total / n
    # n * squares - total^2 in whole numbers: no cancellation however long the run
    spread = int(n) * int(squares) - int(total) ** 2
    se = math.sqrt(spread / n / (n - 1) / n) if n > 1 else math.nan
    return _interval(mean * scale, se * abs(scale), n, confidence)


def _interval(mean: float, se: float, n: int, confidence: float) -> Estimate:
    reach = quantile(confidence) * se
    return Estimate(mean, se, mean - reach, mean + reach, n)


def estimate_mean(counts: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Estimate the mean of a histogram: counts[k] observations of the value k."""
    weights = [int(count) for count in np.asarray(counts)]
    total = sum(value * count for value, count in enumerate(weights))
    squares = sum(value * value * count for value, count in enumerate(weights))
    return from_sums(sum(weights), total, squares, confidence=confidence)


def estimate_share(hits: int, n: int, *, confidence: float = 0.95) -> Estimate:
    """Estimate a proportion, with Wilson's interval.

    >>> estimate_share(1, 2).mean
    0.5
    """
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    share = hits / n
    return Estimate(share, math.sqrt(share * (1 - share) / n), *_wilson(share, n, confidence), n)


def _wilson(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's interval of a share of n observations."""
    z = quantile(confidence)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if share == 0 else middle - reach), (1.0 if share == 1 else middle + reach)


def estimate_paired_share(n: int, hits: int, squares: int, *, plays: int = 2, confidence: float = 0.95) -> Estimate:
    """Estimate a proportion from n groups of observations, pairs if not of more `plays`; hits, squares: sums of a
    group's hits, and squared.

    Wilson's interval, of as many independent observations as would have the standard error of the groups. Groups that
    all have the same part of hits show no spread, and count as one observation each.

    >>> print(estimate_paired_share(6, 12, 24))
    1.0000 [0.6097, 1.0000]
    """
    found = from_sums(n, hits, squares, scale=1 / plays, confidence=confidence)
    share, variance = found.mean, found.se**2
    if n < 2:
        return found
    low, high = _wilson(share, share * (1 - share) / variance if variance else n, confidence)
    return dataclasses.replace(found, low=low, high=high)


def estimate_ratio(unit_sums: ArrayLike, sizes: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Estimate sum of x / sum of d over units of d deals each, whose deals belong together.

    unit_sums: sum of x, of x^2, of x * d; sizes: number of units, sum of d, sum of d^2. The standard error is that of
    the ratio estimator: the spread of x - ratio * d over the units.
    """
    x, xx, xd = (int(value) for value in np.asarray(unit_sums))
    n, d, dd = (int(value) for value in np.asarray(sizes))
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    ratio = x / d
    residuals = max(xx - 2 * ratio * xd + ratio * ratio * dd, 0.0)
    se = math.sqrt(residuals * n / (n - 1)) / d if n > 1 else math.nan
    return _interval(ratio, se, n, confidence)


def estimate_ratio_share(unit_sums: ArrayLike, sizes: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """The same where x is a part of d, so that the ratio is a share: Wilson's interval, of as many independent
    observations as would have the ratio's standard error; where there is no spread, of as many as there are units.

    >>> print(estimate_ratio_share([12, 48, 48], [3, 12, 48]))
    1.0000 [0.4385, 1.0000]
    """
    found = estimate_ratio(unit_sums, sizes, confidence=confidence)
    if found.n < 2:
        return found
    variance = found.se**2
    n = found.mean * (1 - found.mean) / variance if variance else found.n
    low, high = _wilson(found.mean, n, confidence)
    return dataclasses.replace(found, low=low, high=high)


def clean_json(value: Any) -> Any:
    """The same structure with plain Python numbers and null for what is not a number."""
    if isinstance(value, dict):
        return {key: clean_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_json(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return _finite(float(value))
    return int(value) if isinstance(value, np.integer) else value
