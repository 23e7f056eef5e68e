"""Experiments: a question, a method and an answer in a TOML file, with one `simulate` or `compare` that regenerates
its result.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pydantic

from cribsim.comparison import Comparison, compare
from cribsim.errors import CribsimError
from cribsim.result import Result, new_folder
from cribsim.runs import MAX_UNITS
from cribsim.simulation import simulate

_STRICT = pydantic.ConfigDict(extra="forbid", frozen=True, strict=True)


class Simulation(pydantic.BaseModel):
    """A `[simulate]` table."""

    model_config = _STRICT
    players: list[str]
    deals: int | None = None
    games: int | None = None
    seed: int = 0
    rules: str | None = None


class Duel(pydantic.BaseModel):
    """A `[compare]` table."""

    model_config = _STRICT
    a: str
    b: str
    deals: int | None = None
    games: int | None = None
    seed: int = 0
    rules: str | None = None


class Experiment(pydantic.BaseModel):
    """One file."""

    model_config = _STRICT
    title: str
    question: str
    method: str = ""
    answer: str = ""
    out: str | None = None
    simulate: Simulation | None = None
    compare: Duel | None = None
    file: str

    @pydantic.model_validator(mode="after")
    def _one_kind_of_work(self) -> Experiment:
        if (self.simulate is None) == (self.compare is None):
            raise ValueError("give one table, [simulate] or [compare]")
        return self


def read_experiment(path: str | Path) -> Experiment:
    """Read a file; every mistake in one line."""
    try:
        values = tomllib.loads(Path(path).read_text())
    except OSError as error:
        raise CribsimError(f"{path} can't be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CribsimError(f"{path} is not TOML: {error}") from None
    try:
        return Experiment(**values, file=str(path))
    except (pydantic.ValidationError, TypeError) as error:
        raise CribsimError(f"{path}: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    if not isinstance(error, pydantic.ValidationError):
        return str(error)
    faults = [(".".join(str(part) for part in fault["loc"]), fault["msg"]) for fault in error.errors()]
    return "; ".join(f"{where}: {what}" if where else what for where, what in faults)


def list_experiments(folder: str | Path = "experiments") -> list[dict[str, str]]:
    """The experiments of a folder."""
    found = [read_experiment(path) for path in sorted(Path(folder).glob("*.toml"))]
    return [{"file": item.file, "title": item.title, "question": item.question} for item in found]


def run_experiment(
    experiment: Experiment,
    *,
    scale: float = 1.0,
    out: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    command: str | None = None,
) -> tuple[Result | Comparison, str]:
    """Run it and write `summary.csv` (and a simulation's result) into its folder."""
    folder = out or experiment.out or str(Path("results") / Path(experiment.file).stem)
    with new_folder(folder) as draft:
        found = _play(experiment, scale, progress, command)
        found.summary().assign(seed=found.seed).to_csv(draft / "summary.csv", index=False, float_format="%.6g")
        found.write(draft)
    return found, folder


def _play(
    experiment: Experiment, scale: float, progress: Callable[[int, int], None] | None, command: str | None
) -> Result | Comparison:
    work = experiment.simulate or experiment.compare
    assert work is not None
    options: dict[str, Any] = {
        "deals": _scaled(work.deals, scale),
        "games": _scaled(work.games, scale),
        "seed": work.seed,
        "rules": work.rules,
        "progress": progress,
        "command": command,
    }
    if isinstance(work, Simulation):
        return simulate(work.players, **options)
    return compare(work.a, work.b, **options)


def _scaled(units: int | None, scale: float) -> int | None:
    if units is None:
        return None
    if not 0 < scale <= MAX_UNITS:
        raise CribsimError(f"--scale {scale}: give a number above 0")
    return max(1, round(units * scale))
