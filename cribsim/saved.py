"""What a saved run tells of itself beside its numbers: provenance, rules, which units were played; JSON read and
written. Provenances and ranges of runs that are added join."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from cribsim import __version__
from cribsim.errors import ResultError, shown, written
from cribsim.rules import Rules
from cribsim.stats import clean_json

SCHEMA_VERSION = 1
Range = tuple[int, int, int]
"""Seed, first unit, number of units."""


def write_json(path: Path, told: dict[str, Any]) -> None:
    """Write an object. Of a name that is no proper text the odd letters are written as JSON's escapes."""
    text = json.dumps(clean_json(told), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


T = TypeVar("T")


def read_saved(folder: str | Path, what: str, file: str, read: Callable[[dict[str, Any], Path], T]) -> T:
    """What `read` makes of the JSON file of a folder and of the folder, or the error that says what is wrong."""
    folder = _read_path(folder)
    try:
        told = json.loads((folder / file).read_text(encoding="utf-8"))
        if told["schema_version"] != SCHEMA_VERSION:
            raise ResultError(f"{folder}: schema version {told['schema_version']}, this cribsim reads {SCHEMA_VERSION}")
        return read(told, folder)
    except ResultError:
        raise
    except FileNotFoundError as error:
        raise ResultError(f"{folder} holds no {what}: {error.filename} is missing") from None
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise ResultError(f"{folder} can't be read as a {what}: {why}") from None


UNITS = {"deals": "deal", "games": "game", "matches": "match"}
"""The modes of a run, and the word for one unit of each."""


def read_told_rules(told: dict[str, Any]) -> Rules:
    """The rules of a saved run, of which the two that matter most must be there."""
    rules = dict(told["rules"])
    if "skunk_scope" not in rules:  # a file of the first versions
        if rules["players"] != 2:
            rules.pop("cards", None)
        rules.pop("triple_skunk", None)
        rules["double_skunk"] = min(rules.get("double_skunk", 0), rules.get("skunk", 0))
        if rules["players"] == 3 or rules.get("teams") is False:
            rules["skunk_scope"] = "second"
    return Rules.from_dict({**rules, "target": rules["target"]})


def read_ranges(told: list[dict[str, int]], units: int) -> tuple[Range, ...]:
    """Which units were played, as many as the numbers count."""
    ranges = tuple((item["seed"], item["first"], item["units"]) for item in told)
    if not all(isinstance(number, int) and number >= 0 for item in ranges for number in item):
        raise ValueError(f"ranges {shown(told)}")
    if sum(n for _, _, n in ranges) != units:
        raise ValueError(f"ranges of {sum(n for _, _, n in ranges)} units, but {units} are counted")
    return join_ranges(ranges)


def provenance(command: str | None, complete: bool, code: dict[str, str]) -> dict[str, Any]:
    """What a later reader needs to make the run again; code: see `Job.code`."""
    import numba

    return {
        "command": command,
        "complete": complete,
        "code": code,
        "cribsim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "machine": platform.machine(),
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def require_same(what: str, one: Any, two: Any, names: Sequence[str]) -> None:
    """What differs in one of these names doesn't add; of rules the error names the fields."""
    for name in names:
        values = getattr(one, name), getattr(two, name)
        if values[0] == values[1]:
            continue
        if name == "rules":
            rows = [rules.as_dict() for rules in values]
            unlike = [key for key in rows[0] if rows[0][key] != rows[1][key]]
            told = [", ".join(f"{key}={written(row[key])}" for key in unlike) for row in rows]
        else:
            told = [shown(value) for value in values]
        raise ResultError(f"{what} with different {name} don't add: {'; '.join(told)}")


def join_provenance(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    """The provenance of a sum; players whose code has changed are an error."""
    code, other = one.get("code", {}), two.get("code", {})
    changed = [half for half in {**code, **other} if code.get(half) != other.get(half)]
    if changed:
        raise ResultError(f"results of different code don't add: {', '.join(changed)} changed between the runs")
    parts = [part for told in (one, two) for part in told.get("parts", [told])]
    return {"complete": all(part.get("complete", False) for part in parts), "code": code, "parts": parts}


def told_ranges(ranges: tuple[Range, ...]) -> list[dict[str, int]]:
    """Ranges as JSON has them."""
    return [{"seed": seed, "first": first, "units": units} for seed, first, units in ranges]


def join_ranges(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Ranges of units in order, neighbours joined; a unit played twice is an error."""
    joined: list[Range] = []
    for seed, first, units in sorted(ranges):
        if joined and joined[-1][0] == seed:
            _, before, n = joined[-1]
            if first < before + n:
                raise ResultError(f"both results hold unit {first} of seed {seed}; the same deals don't count twice")
            if first == before + n:
                joined[-1] = (seed, before, n + units)
                continue
        joined.append((seed, first, units))
    return tuple(joined)


def _read_path(folder: Any) -> Path:
    if not isinstance(folder, (str, Path)) or "\0" in str(folder):
        raise ResultError(f"{shown(folder)} is no folder; give a path")
    return Path(folder)
