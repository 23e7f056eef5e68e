"""Experiments: a question, a method and an answer in a TOML file, with work that regenerates its result."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Self

import pydantic

from cribsim.analysis.pegging import PeggingRun, pegging_run
from cribsim.comparison import Comparison, compare
from cribsim.errors import CribsimError, nearest, shown
from cribsim.folders import new_folder
from cribsim.result import Result
from cribsim.runs import MAX_UNITS
from cribsim.simulation import simulate
from cribsim.stopping import hold_stops

_STRICT = pydantic.ConfigDict(extra="forbid", frozen=True, strict=True)
_FILES = {"summary.csv", "comparison.json", "provenance.json", "tally.parquet", "deals.parquet", "pegging.csv"}
"""What an experiment writes. A folder that holds these alone, the summary among them, is made anew."""

Amount = Annotated[int, pydantic.Field(ge=1, le=MAX_UNITS)]
Seed = Annotated[int, pydantic.Field(ge=0, lt=1 << 64)]


class Work(pydantic.BaseModel):
    """What both kinds of work say."""

    model_config = _STRICT
    deals: Amount | None = None
    games: Amount | None = None
    matches: Amount | None = None
    seed: Seed = 0
    rules: str | None = None

    @pydantic.model_validator(mode="after")
    def _one_amount(self) -> Self:
        if sum(amount is not None for amount in (self.deals, self.games, self.matches)) != 1:
            raise ValueError("give deals, games or matches, one of the three")
        return self


class Simulation(Work):
    """A `[simulate]` table."""

    players: Annotated[list[str], pydantic.Field(min_length=2, max_length=4)]
    record: bool = False


class Duel(Work):
    """A `[compare]` table."""

    a: str
    b: str


class Pegging(pydantic.BaseModel):
    """A `[pegging]` table: what is pegged by the ranks kept, for discards to be weighed with."""

    model_config = _STRICT
    discards: str
    play: str
    deals: Amount
    seeds: Annotated[list[Seed], pydantic.Field(min_length=1, max_length=10)]


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
    pegging: Pegging | None = None
    _file: str = pydantic.PrivateAttr("experiment.toml")

    @pydantic.model_validator(mode="after")
    def _one_kind_of_work(self) -> Self:
        if sum(work is not None for work in (self.simulate, self.compare, self.pegging)) != 1:
            raise ValueError("give one table, [simulate], [compare] or [pegging]")
        return self

    @property
    def file(self) -> str:
        """Where it was read from."""
        return self._file


_TABLES: dict[tuple[int | str, ...], type[pydantic.BaseModel]] = {
    (): Experiment,
    ("simulate",): Simulation,
    ("compare",): Duel,
    ("pegging",): Pegging,
}


def read_experiment(path: str | Path) -> Experiment:
    """Read a file; every mistake in one line."""
    if not str(path):
        raise CribsimError("an empty name; name a TOML file, or use --list")
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CribsimError(f"{path} can't be read: {error.strerror or error}") from None
    except RecursionError:
        raise CribsimError(f"{path} is nested too deeply for an experiment") from None
    except ValueError as error:  # not TOML, not text, or a whole number of thousands of digits
        raise CribsimError(f"{path} is not TOML: {error}") from None
    try:
        experiment = Experiment.model_validate(values)
    except pydantic.ValidationError as error:
        raise CribsimError(f"{path}: {'; '.join(_say_fault(fault) for fault in error.errors())}") from None
    experiment._file = str(path)
    return experiment


def _say_fault(fault: Any) -> str:
    """One mistake: where, what is there, what is allowed."""
    where, (*table, key) = ".".join(map(str, fault["loc"])), fault["loc"] or ("",)
    if fault["type"] == "extra_forbidden":
        known = list(_TABLES[tuple(table)].model_fields)
        return f"no key {where}{nearest(str(key), known)}; keys: {', '.join(known)}"
    if fault["type"] == "missing":
        return f"{where} is missing"
    what = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{where} = {shown(fault['input'])} {what}" if what.startswith("should") else f"{where}: {what}".lstrip(": ")


def list_experiments(folder: str | Path = "experiments") -> list[dict[str, str]]:
    """The experiments of a folder."""
    found = [read_experiment(path) for path in sorted(Path(folder).glob("*.toml"))]
    return [{"file": item.file, "title": _flat(item.title), "question": _flat(item.question)} for item in found]


def _flat(text: str) -> str:
    return " ".join(text.split())


def run_experiment(
    experiment: Experiment,
    *,
    scale: float = 1.0,
    out: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    command: str | None = None,
) -> tuple[Result | Comparison | PeggingRun, str]:
    """Run it; write `summary.csv` and the result (`Result.write`, `Comparison.write`) into its folder.

    The folder is `out`, which must be new; or the experiment's own (`out` in the file, else `results/<file's name>`),
    whose earlier result is replaced when the new one is complete. A run at another scale has a folder of its own.
    """
    if not 0 < scale <= MAX_UNITS:
        raise CribsimError(f"scale {scale:g}: give a number above 0, at most 10^13")
    own = (experiment.out or str(Path("results") / Path(experiment.file).stem)) + ("" if scale == 1 else f"-x{scale:g}")
    folder = own if out is None else out
    with hold_stops(), new_folder(folder, _is_earlier if out is None else lambda _folder: False) as draft:
        found = _play(experiment, scale, progress, command, draft / "run")
        for path in (draft / "run").iterdir():
            path.rename(draft / path.name)
        (draft / "run").rmdir()
        found.summary().assign(seed=found.seed).to_csv(draft / "summary.csv", index=False, float_format="%.6g")
    return found, folder


def _is_earlier(folder: Path) -> bool:
    """Whether a folder holds an experiment's result and nothing else."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return "summary.csv" in names and names <= _FILES


def _play(
    experiment: Experiment,
    scale: float,
    progress: Callable[[int, int], None] | None,
    command: str | None,
    out: Path,
) -> Result | Comparison | PeggingRun:
    if experiment.pegging:
        table = experiment.pegging
        n = max(1, round(table.deals * scale))
        made = pegging_run(table.discards, table.play, n, table.seeds, progress=progress, command=command)
        with new_folder(out) as draft:
            made.write(draft)
        return made
    work = experiment.simulate or experiment.compare
    assert work is not None
    options: dict[str, Any] = {
        "deals": _scaled(work.deals, scale),
        "games": _scaled(work.games, scale),
        "matches": _scaled(work.matches, scale),
        "seed": work.seed,
        "rules": work.rules,
        "progress": progress,
        "command": command,
        "out": out,
    }
    if isinstance(work, Simulation):
        return simulate(work.players, record=work.record, **options)
    return compare(work.a, work.b, **options)


def _scaled(units: int | None, scale: float) -> int | None:
    return None if units is None else max(1, round(units * scale))
