"""What a user's function reaches: the values of its globals, closures and defaults, those of its helpers included.

numba freezes such values when it compiles, so they belong into the name of a compiled function's folder; and two runs
are of the same strategy only if what its functions reach is the same. Attributes are followed through modules, not into
objects. Python's own modules, numpy, numba and cribsim are known by their versions and aren't looked into.
"""

from __future__ import annotations

import dis
import hashlib
import sys
import sysconfig
from collections import ChainMap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_KNOWN = {"builtins", "numpy", "numba", "cribsim"}
_NOTHING = object()


class Reach:
    """What one function reaches.

    Attributes
    ----------
    is_whole
        Whether the digest of the values is whole. Objects of users' classes aren't looked into, for example.
    files
        The source files of the functions and classes reached.
    """

    def __init__(self, function: Any) -> None:
        self.is_whole = True
        self.files: set[Path] = set()
        self._values, self._code = hashlib.sha256(), hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}
        self._has_files = True
        self._take(function)

    @property
    def compiled(self) -> str:
        """Hex digits that change with all that numba makes of the function: values and byte code."""
        return self._values.hexdigest() + self._code.hexdigest()

    @property
    def source(self) -> str:
        """Sixteen hex digits that change with the values and source files, and are the same in any folder."""
        digest = hashlib.sha256(self._values.digest())
        for content in sorted(path.read_bytes() for path in self.files):
            digest.update(hashlib.sha256(content).digest())
        if not self._has_files:  # a function typed at a prompt
            digest.update(self._code.digest())
        return digest.hexdigest()[:16]

    def _note(self, *items: Any) -> None:
        self._values.update(repr(items).encode())

    def _take(self, value: Any) -> None:
        """Digest a value."""
        value = _plain_function(value)
        if type(value) in _PLAIN:
            self._note(value)
        elif id(value) in self._seen:
            self._note("again", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = (len(self._seen), value)  # held, so that no other value gets its id
            self._take_new(value)

    def _take_new(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._take_function(value)
        elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            array = np.asarray(value)
            self._note(type(value).__name__, array.dtype, array.shape, array.strides)
            self._values.update(array.tobytes())
        elif isinstance(value, (tuple, list, dict)):
            self._note(type(value).__qualname__, getattr(value, "_fields", None), len(value))
            for item in value.items() if isinstance(value, dict) else value:
                self._take(item)
        else:
            self._take_other(value)

    def _take_function(self, function: FunctionType) -> None:
        if _is_known(function.__module__):
            self._note(function.__module__, function.__qualname__)
            return
        self._note(function.__qualname__)
        self._add_file(function.__code__.co_filename)
        self._take((function.__defaults__, function.__kwdefaults__))
        names = ChainMap(_closure(function), function.__globals__)
        for code in _all_code(function.__code__):
            constants = [item for item in code.co_consts if not isinstance(item, (CodeType, frozenset))]
            self._code.update(repr((code.co_code, code.co_names, constants)).encode())
            for name, value in _loaded(code, names):
                self._note(name)
                self._take(value)

    def _take_other(self, value: Any) -> None:
        """Digest what has a known name, or a numba type; the rest can't be told by its bytes."""
        kind = value if isinstance(value, type) else type(value)
        if _is_known(getattr(value, "__module__", None)) and hasattr(value, "__name__"):
            self._note(value.__module__, value.__name__)
        elif isinstance(value, (np.ufunc, np.dtype, types.Type)):
            self._note(str(value))
        elif isinstance(value, ModuleType) and _is_known(value.__name__):
            self._note(value.__name__)
        else:
            self.is_whole = False
            self._note(kind.__qualname__)
            if not _is_known(kind.__module__):
                self._add_file(getattr(sys.modules.get(kind.__module__), "__file__", None) or "")

    def _add_file(self, name: str) -> None:
        if name.endswith(".py") and Path(name).is_file():
            self.files.add(Path(name).resolve())
        else:
            self._has_files = False


_SOURCES: dict[int, tuple[Any, str]] = {}


def source_digest(function: Any) -> str:
    """`Reach.source` as it was when first asked for: what a function learns in play isn't another function."""
    if id(function) not in _SOURCES:
        _SOURCES[id(function)] = (function, Reach(function).source)
    return _SOURCES[id(function)][1]


def _plain_function(value: Any) -> Any:
    """The Python function of one that is compiled, cached or decorated as a strategy; anything else as it is."""
    for name in ("py_func", "__wrapped__"):
        inner = None if isinstance(value, FunctionType) else getattr(value, name, None)
        value = inner if isinstance(inner, FunctionType) else value
    return value


def _is_known(name: str | None) -> bool:
    """Whether a module is one of Python's or of those that every digest names."""
    root = (name or "").partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    is_python = root in sys.stdlib_module_names and (not file or file.startswith(sysconfig.get_path("stdlib")))
    return root in _KNOWN or is_python


def _closure(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != type(cell)()}


def _all_code(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions within."""
    yield code
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _all_code(item)


def _loaded(code: CodeType, names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The global and closure values that the code loads, looked up through users' modules; with their names."""
    value: Any = _NOTHING
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for step, after in pairwise(steps):
        if step.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            value = names.get(step.argval, _NOTHING)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and _is_users(value):
            value = getattr(value, step.argval, _NOTHING)
        else:
            value = _NOTHING
        looks_into = _is_users(value) and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if value is not _NOTHING and not looks_into:
            yield step.argval, value


def _is_users(value: Any) -> bool:
    return isinstance(value, ModuleType) and not _is_known(value.__name__)
