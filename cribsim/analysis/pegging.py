"""What is pegged with each four ranks kept, from runs: the tables that discards are weighed with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import ResultError
from cribsim.result import Result
from cribsim.strategies.tables import PeggingTable


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
