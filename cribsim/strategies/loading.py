"""Strategies in files and modules: `path/to/file.py:name` and `package.module:name`.

A file is run under a module name of its own, so that files of one name in different folders don't meet, and its
strategies stay apart from the names known to all. Its folder goes to the front of `sys.path`, as for a script.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from cribsim.errors import PlayerError, nearest, shown, text_of
from cribsim.strategies.registry import Definition, Table, captured
from cribsim.strategies.user import Strategy


@dataclass(frozen=True)
class Loaded:
    """A file or module that was run, and what it decorated meanwhile."""

    text: str
    module: ModuleType
    table: Table
    digest: str = ""

    def definitions(self, name: str) -> dict[str, Definition]:
        """By stage what this name means: a strategy's own name, or the Python name of a decorated function."""
        found = {stage: item for (known, stage), item in self.table.items() if known == name}
        for strategy in self.strategies():
            if strategy.name == name:
                found[strategy.stage] = strategy.definition
        item = getattr(self.module, name, None)
        if isinstance(item, Strategy):
            found.setdefault(item.stage, item.definition)
        return found

    def strategies(self) -> list[Strategy]:
        """The decorated functions that the module holds."""
        return [item for item in vars(self.module).values() if isinstance(item, Strategy)]

    def function(self, name: str) -> Any:
        """An undecorated function of this name, or None."""
        item = getattr(self.module, name, None)
        is_function = callable(item) and not isinstance(item, (type, Strategy))
        return item if is_function else None

    def missing(self, name: str) -> PlayerError:
        """The error for a name that leads to no strategy."""
        if name in vars(self.module):
            what = type(getattr(self.module, name)).__name__
            return PlayerError(f"{self.text}: {name} is no function but a {what}")
        known = {strategy.name for strategy in self.strategies()} | {known for known, _ in self.table}
        known |= {item for item in vars(self.module) if self.function(item) and not item.startswith("_")}
        return PlayerError(f"{self.text} has no strategy {shown(name)}{nearest(name, known)}{_listed(known)}")


def _listed(known: set[str]) -> str:
    names = sorted(known)
    return f"; it has {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}" if names else "; it has none"


_FILES: dict[Path, Loaded] = {}
_MODULES: dict[str, Loaded] = {}


def load(text: str) -> Loaded:
    """Run a file, or import a module, once for each content.

    Raises
    ------
    PlayerError
        There is no such file or module, or it raises; the message names the line.
    """
    is_file = text.endswith(".py") or "/" in text or os.sep in text
    return _load_file(text) if is_file else _load_module(text)


def _load_file(text: str) -> Loaded:
    path = Path(os.path.realpath(os.path.expanduser(text)))
    if path.suffix != ".py":
        raise PlayerError(f"{text}: strategies are read from Python files, whose names end with .py")
    digest = hashlib.sha256(_read(text, path)).hexdigest()
    if path not in _FILES or _FILES[path].digest != digest:
        module, table = _run(text, path)
        _FILES[path] = Loaded(text, module, table, digest)
    return _FILES[path]


def _read(text: str, path: Path) -> bytes:
    try:
        str(path).encode()
        return path.read_bytes()
    except UnicodeEncodeError:
        raise PlayerError(f"{shown(text)}: the name of the file is no text; give it another") from None
    except IsADirectoryError:
        raise PlayerError(f"{text} is a folder; name a Python file in it") from None
    except (FileNotFoundError, NotADirectoryError):
        raise PlayerError(f"{text}: there is no such file{_nearby(path)}") from None
    except OSError as error:
        raise PlayerError(f"{text} can't be read: {error.strerror}") from error


def _nearby(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor a folder {path.parent}"
    return nearest(path.name, [item.name for item in path.parent.glob("*.py") if item.is_file()])


def _run(text: str, path: Path) -> tuple[ModuleType, Table]:
    name = f"cribsim_user_{re.sub(r'[^0-9A-Za-z]', '_', path.stem)}_{_short(str(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    _use_folder(path.parent)
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with captured() as table:
            # not `spec.loader.exec_module`: its byte code is keyed by time and size, and misses a quick edit
            exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _put_back(name, before)
        raise _failure(text, error, path) from error
    return module, table


def _put_back(name: str, before: ModuleType | None) -> None:
    del sys.modules[name]
    if before is not None:
        sys.modules[name] = before


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


_FOLDERS: set[Path] = set()


def _use_folder(folder: Path) -> None:
    """Put a folder first on `sys.path`; helpers of the same name from other such folders make room."""
    if str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    _FOLDERS.add(folder)
    for name, module in list(sys.modules.items()):
        home = Path(getattr(module, "__file__", None) or "/").parent
        is_elsewhere = home in _FOLDERS and home != folder and not name.startswith("cribsim_user_")
        if is_elsewhere and "." not in name and name != "__main__" and (folder / f"{name}.py").is_file():
            # the other folder's functions hold it; under this name its source still counts for their cache
            sys.modules[f"cribsim_user_{name}_{_short(str(home))}"] = sys.modules.pop(name)


def _failure(text: str, error: BaseException, path: Path | None = None) -> PlayerError:
    """One line that says what went wrong, and in which line of which file."""
    if isinstance(error, SyntaxError) and error.filename:
        return PlayerError(f"{_place(error.filename, text, path)} line {error.lineno}: {error.msg}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    frames = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    own = [frame for frame in frames if Path(frame.filename).resolve() == path] or frames
    where = f"{_place(own[-1].filename, text, path)} line {own[-1].lineno}" if own else text
    first = (text_of(error).splitlines() or [""])[0]
    said = first if isinstance(error, PlayerError) else f"{type(error).__name__}: {first}"
    return PlayerError(f"{where}: {said}")


def _place(filename: str, text: str, path: Path | None) -> str:
    return text if Path(filename).resolve() == path else filename


def _load_module(text: str) -> Loaded:
    if text in _MODULES and sys.modules.get(text) is _MODULES[text].module:
        return _MODULES[text]
    try:
        with captured() as table:
            module = _import(text)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{text}.".startswith(f"{error.name}."):
            raise PlayerError(f"{text}: there is no module {error.name}; for a file write {text}.py:name") from error
        raise _failure(text, error) from error
    _MODULES[text] = Loaded(text, module, table)
    return _MODULES[text]


def _import(text: str) -> ModuleType:
    """Import a module, from the current folder too."""
    importlib.invalidate_caches()
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    return importlib.import_module(text)
