"""What long work keeps to go on from: numbers and arrays in a folder, whole at every moment."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import ResultError

_STATE = "state.json"


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place (`write` gets the path), and put it there when it is whole."""
    draft = path.with_stem(f"{path.stem}-draft")
    write(draft)
    os.replace(draft, path)


def keep(
    folder: Path, number: int, about: Mapping[str, Any], told: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Keep all that is needed to go on. What was kept before stays whole until this is.

    number: grows with the work; about: what work it is; told: what JSON can hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    new = {name: folder / f"{name}-{number}.npy" for name in arrays}
    for name, path in new.items():
        write_whole(path, lambda draft, name=name: np.save(draft, arrays[name]))  # type: ignore[misc]
    text = json.dumps({"number": number, "about": about, "told": told})
    write_whole(folder / _STATE, lambda draft: draft.write_text(text))
    for old in folder.glob("*.npy"):
        if old not in new.values():
            old.unlink()


def kept(
    folder: Path, about: Mapping[str, Any], names: tuple[str, ...]
) -> tuple[dict[str, Any], list[NDArray[Any]]] | None:
    """What was kept, if anything was: what was told, and the arrays of these names.

    Raises
    ------
    ResultError
        It is of other work, or damaged.
    """
    if not (folder / _STATE).exists():
        return None
    try:
        state = json.loads((folder / _STATE).read_text())
        number, told, begun = state["number"], dict(state["told"]), dict(state["about"])
        arrays = [np.load(folder / f"{name}-{number}.npy") for name in names]
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        why = f"{_STATE} lacks {error}" if isinstance(error, KeyError) else f"it is damaged: {error}"
        raise ResultError(f"{folder} can't be gone on with ({why}); remove it and begin anew") from None
    if begun != about:
        apart = [
            f"{name} {begun.get(name)!r}, not {value!r}" for name, value in about.items() if begun.get(name) != value
        ]
        raise ResultError(f"{folder} holds other work ({'; '.join(apart)}); name a new folder")
    return told, arrays
