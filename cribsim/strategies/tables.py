"""Tables by ranks that ship as data: average cribs by the pair thrown, pegging by the four kept. Users' files too."""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import RANKS
from cribsim.errors import PlayerError
from cribsim.folders import user_path
from cribsim.scoring import N_KEPT, PAIR_CLASS, RANK_PLACES

DATA = Path(__file__).parent / "data"
CRIB_TABLES = ("schell", "hessel", "fixed")
PEGGING_TABLES = ("equilibrium", "expectimax", "greedy")
"""The pegging tables that ship, by who plays on both sides; the first is what `true` means."""
OTHERS, OWN = 0, 1
"""Whose crib: rows of a crib table."""


def table_rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV file that has these columns; `#` begins a comment."""
    try:
        lines = [line for line in path.read_text("utf-8-sig").splitlines() if line.strip() and not line.startswith("#")]
        rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text of comma-separated values"
        raise PlayerError(f"{path}: the table can't be read: {why}") from None
    missing = [name for name in columns if not rows or name not in rows[0]]
    if missing:
        raise PlayerError(f"{path}: the columns {', '.join(columns)} are wanted; {missing[0]} is missing")
    return rows


def _ranks(text: str, n: int, path: Path) -> list[int]:
    ranks = sorted(RANKS.find(rank) for rank in text.strip().upper().replace("10", "T"))
    if len(ranks) != n or ranks[0] < 0:
        raise PlayerError(f"{path}: {text!r} is not {n} ranks, as in {'A23456'[:n]}")
    return ranks


def _numbers(row: dict[str, str], columns: Iterable[str], path: Path) -> list[float]:
    try:
        values = [float(row[column]) for column in columns]
    except (KeyError, TypeError, ValueError):
        raise PlayerError(f"{path}: numbers wanted in {', '.join(columns)}; given {row}") from None
    if not np.isfinite(values).all():
        raise PlayerError(f"{path}: {row} holds no finite numbers")
    return values


def read_crib_table(path: Path) -> NDArray[np.float64]:
    """A table of crib averages, (2, 91): to the opponent's crib, to one's own, by class of the pair of ranks.

    A CSV file with the columns pair (as in `5J`), own and opponent; each of the 91 pairs once; `#` begins a comment.
    """
    table = np.full((2, 91), np.nan)
    for row in table_rows(path, ("pair", "own", "opponent")):
        first, second = _ranks(row.get("pair") or "", 2, path)
        pair = PAIR_CLASS[first * 13 + second]
        if not np.isnan(table[0, pair]):
            raise PlayerError(f"{path}: the pair {row['pair']} stands twice")
        table[:, pair] = _numbers(row, ("opponent", "own"), path)
    missing = [f"{RANKS[a]}{RANKS[b]}" for b, a in _pairs() if np.isnan(table[0, PAIR_CLASS[a * 13 + b]])]
    if missing:
        raise PlayerError(f"{path}: {len(missing)} of the 91 pairs of ranks are missing, as {missing[0]}")
    return table


def _pairs() -> list[tuple[int, int]]:
    return [(high, low) for high in range(13) for low in range(high + 1)]


def crib_table(name: str) -> NDArray[np.float64]:
    """A table that ships (`CRIB_TABLES`), or that of a file as it is now, (2, 91)."""
    if name in CRIB_TABLES:
        return _shipped_cribs(name)
    path = crib_file(name)
    if path is None:
        raise PlayerError(f"table={name}: give one of {', '.join(CRIB_TABLES)}, or the path of a .csv file")
    return read_crib_table(path)


def crib_file(name: str) -> Path | None:
    """The user's file that the name of a crib table means."""
    try:
        return user_path(name) if isinstance(name, str) and name.endswith(".csv") else None
    except ValueError as error:
        raise PlayerError(f"table={name}: {error}") from None


@functools.cache
def _shipped_cribs(name: str) -> NDArray[np.float64]:
    return read_crib_table(DATA / f"{name}.csv")


@dataclass(frozen=True)
class PeggingTable:
    """What is pegged by the four ranks kept (`scoring.kept_index`), two players.

    own, other: float64 (2, 1820), by role (0 the pone); se: of own less other, the same shape.
    """

    text: str
    own: NDArray[np.float64]
    other: NDArray[np.float64]
    se: NDArray[np.float64]

    @property
    def difference(self) -> NDArray[np.float64]:
        """Own pegging less the other's, (2, 1820)."""
        return self.own - self.other


def pegging_of(pegging: bool | str) -> PeggingTable | None:
    """The pegging table that is meant: True the best that ships, False none, or its name.

    Raises
    ------
    PlayerError
        There is none of that name.
    """
    if isinstance(pegging, (bool, np.bool_)):
        return pegging_table() if pegging else None
    if not isinstance(pegging, str) or pegging not in PEGGING_TABLES:
        raise PlayerError(f"pegging={pegging!r}: give True, False or one of {', '.join(PEGGING_TABLES)}")
    return pegging_table(pegging)


def pegging_points(pegging: bool | str) -> NDArray[np.float64]:
    """Own pegging less the other's by role and kept ranks, (2, 1820), of the table that is meant; 0 where none is."""
    table = pegging_of(pegging)
    return table.difference if table else np.zeros((2, N_KEPT))


@functools.cache
def pegging_table(name: str = PEGGING_TABLES[0]) -> PeggingTable:
    """A pegging table that ships, by the strategy that plays it."""
    path = DATA / f"pegging_{name}.csv"
    values = np.full((3, 2, N_KEPT), np.nan)
    for row in table_rows(path, ("kept",)):
        index = RANK_PLACES[np.arange(4), _ranks(row["kept"], 4, path)].sum()
        for role, seat in enumerate(("pone", "dealer")):
            columns = [f"{seat}_own", f"{seat}_other", f"{seat}_se"]
            values[:, role, index] = _numbers(row, columns, path)
    assert not np.isnan(values).any(), path
    return PeggingTable(f"{name} against {name}", *values)


def write_pegging_table(table: PeggingTable, path: Path, about: Iterable[str]) -> None:
    """Write a table as it ships, its story in comments."""
    lines = [f"# {line}" for line in about]
    lines.append("kept,pone_own,pone_other,pone_se,dealer_own,dealer_other,dealer_se")
    for ranks in itertools.combinations_with_replacement(range(13), 4):
        index = RANK_PLACES[np.arange(4), ranks].sum()
        shown = [f"{array[role, index]:.4f}" for role in range(2) for array in (table.own, table.other, table.se)]
        lines.append(",".join(["".join(RANKS[rank] for rank in ranks), *shown]))
    path.write_text("\n".join(lines) + "\n")
