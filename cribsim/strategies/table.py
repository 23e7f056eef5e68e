"""Discards by table: an answer for each of the 962,988 classes of six cards, in both roles. `equilibrium` ships."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import PlayerError
from cribsim.folders import file_digest, user_path
from cribsim.strategies.base import NO_PARAMS, Bound
from cribsim.strategies.classes import N_SIX_CARDS, class_discard
from cribsim.strategies.tables import DATA

ROLES = ("pone", "dealer")


@functools.cache
def equilibrium_answers(pegging: bool = True) -> NDArray[np.uint8]:
    """The policies that ship, (2, 962988): by role and class of hand; solved with or without pegging values."""
    with np.load(DATA / "equilibrium.npz") as file:
        answers: NDArray[np.uint8] = file["pegging" if pegging else "plain"]
    return answers


def equilibrium(pegging: bool) -> Bound:
    """The discards that ship, ready to play."""
    return Bound(class_discard, NO_PARAMS, equilibrium_answers(pegging).ravel())


def policy_file(path: str) -> Path:
    """The file that a text means: itself, or the table in a folder of `cribsim discard --all`."""
    try:
        file = user_path(path)
    except ValueError as error:
        raise PlayerError(f"file={path}: {error}") from None
    return file / "discards.parquet" if file.is_dir() else file


@functools.lru_cache(maxsize=4)
def _held_policy(path: str, digest: str) -> NDArray[np.uint8]:
    """Read once while the file holds the same."""
    return read_policy(path)


def read_policy(path: str) -> NDArray[np.uint8]:
    """The policies in a Parquet file of `cribsim discard --all`, (2, 962988).

    Columns that are read: `role` (pone or dealer), `index` (the number of the hand's class), `throw` (0 to 14).

    Raises
    ------
    PlayerError
        No such file, or it isn't a table with one throw for every class in both roles.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(policy_file(path), columns=["role", "index", "throw"])
        roles = np.asarray(found["role"].cast(pa.string()).combine_chunks())
    except FileNotFoundError:
        raise PlayerError(f"{path}: there is no such file; `cribsim discard --all --out DIR` writes one") from None
    except (OSError, pa.ArrowException) as error:
        raise PlayerError(f"{path} can't be read as a table of discards: {' '.join(str(error).split())}") from None
    index, throws = (_whole_numbers(found[name], path) for name in ("index", "throw"))
    answers = np.full((2, N_SIX_CARDS), 255, np.uint8)
    for role, name in enumerate(ROLES):
        mine = roles == name
        if len(index) and not ((index >= 0) & (index < N_SIX_CARDS) & (throws >= 0) & (throws < 15)).all():
            raise PlayerError(f"{path}: index runs from 0 to {N_SIX_CARDS - 1:,} and throw from 0 to 14")
        answers[role, index[mine]] = throws[mine]
        if len(np.unique(index[mine])) != np.count_nonzero(mine):
            raise PlayerError(f"{path}: a hand stands twice for the {name}")
    missing = int((answers == 255).sum())
    if missing:
        raise PlayerError(f"{path}: {missing:,} of {answers.size:,} hands have no throw; is the table finished?")
    return answers


def _whole_numbers(column: Any, path: str) -> NDArray[np.int64]:
    import pyarrow as pa

    if not pa.types.is_integer(column.type) or column.null_count:
        raise PlayerError(f"{path}: whole numbers are wanted in the columns index and throw, not {column.type}")
    numbers: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    return numbers


def table_of(path: str) -> Bound:
    """The discards of a file, ready to play."""
    return Bound(class_discard, NO_PARAMS, _held_policy(path, file_digest(policy_file(path))).ravel())
