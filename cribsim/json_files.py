"""JSON files that people write: every fault one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from cribsim.errors import CribsimError, shown


class FileError(CribsimError):
    """A file that can't be read."""


def read_json(path: Path) -> Any:
    """What a JSON file holds.

    Raises
    ------
    FileError
        It can't be read, is no JSON, holds a key twice or what no number of JSON is; the message doesn't name the file.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once, parse_constant=_refuse_constant)
    except OSError as error:
        _fail(f"{error.strerror or error}; give a JSON file")
    except UnicodeDecodeError:
        _fail("not text; give a JSON file")
    except json.JSONDecodeError as error:
        _fail(f"not JSON (line {error.lineno}: {error.msg})")
    except RecursionError:
        _fail("nested too deeply")
    except FileError:
        raise
    except ValueError:
        _fail("holds a whole number of thousands of digits")  # which Python refuses to read


def _fail(why: str) -> NoReturn:
    raise FileError(why)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; of two JSON would keep the last."""
    given = dict(pairs)
    twice = [key for key in given if sum(key == other for other, _ in pairs) > 1] if len(given) < len(pairs) else []
    return _fail(f"the key {shown(twice[0])} is given twice") if twice else given


def _refuse_constant(word: str) -> NoReturn:
    _fail(f"{word} is no number of JSON")
