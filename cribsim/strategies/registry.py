"""The names of strategies: what each is, which parameters it takes, and how it is made ready.

Those built in are registered in `catalogue`.
Strategies of users come through the decorators of `user`, those of installed packages through the entry-point group
`cribsim.strategies`, which is read only when a name isn't known or when all are listed.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from cribsim.errors import PlayerError, text_of
from cribsim.rules import Rules
from cribsim.strategies.base import DISCARD, PLAY, STAGE_WORDS, Bound

GROUP = "cribsim.strategies"
BUILT_IN = "built in"
STAGES = (DISCARD, PLAY)
ALL_RULES = frozenset({"lowball", "exact_out", "cards"})
"""The rules that ask for other play than the standard game: points are bad, or must fit, or three cards are kept."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a strategy.

    default: None where it must be given. kind: `int`, `float`, `bool` or `str`; a tuple of the words allowed; or
    "discard" or "play", for half a player.
    low, high: the least and the largest number allowed. file: the file that a text means, if it means one.
    """

    default: Any
    kind: Any
    about: str
    low: float | None = None
    high: float | None = None
    file: Callable[[str], Path | None] | None = None


@dataclass(frozen=True)
class Definition:
    """Half a player as the registry keeps it. `make(rules, **parameters)` makes it ready; halves come as `Half`."""

    name: str
    stage: str
    make: Callable[..., Bound]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    players: tuple[int, ...] = (2, 3, 4)
    source: str = BUILT_IN
    about: str = ""
    by_name: bool = True
    origin: Any = None
    """What a later definition of the same name must share to replace this one (a user's file or module)."""
    functions: tuple[Any, ...] = ()
    """The user's function; none when built in."""
    knows: frozenset[str] = frozenset()
    """Of the rules that ask for other play (`ALL_RULES`) those by which it can play."""


Table = dict[tuple[str, str], Definition]
_BUILT_IN: Table = {}
_USER: Table = {}
_INSTALLED: Table = {}
_CAPTURE: ContextVar[Table | None] = ContextVar("_CAPTURE", default=None)


def register(definition: Definition) -> None:
    """Add a built-in strategy."""
    _BUILT_IN[definition.name, definition.stage] = definition


def register_user(definition: Definition) -> None:
    """Add a user's strategy; the same name from the same file, module or notebook replaces it."""
    name, key = definition.name, (definition.name, definition.stage)
    if any((name, stage) in _BUILT_IN for stage in STAGES):
        raise PlayerError(f"{name} is the name of a built-in strategy; choose another")
    captured = _CAPTURE.get()
    if captured is not None:
        captured[key] = definition
        return
    former = _USER.get(key)
    if former is not None and not set(former.origin) & set(definition.origin):
        raise PlayerError(f"{name} is already the name of a {STAGE_WORDS[key[1]]} strategy of {former.source}")
    _USER[key] = definition


@contextmanager
def captured() -> Iterator[Table]:
    """Keep the strategies that are decorated meanwhile apart from the names known to all."""
    table: Table = {}
    token = _CAPTURE.set(table)
    try:
        yield table
    finally:
        _CAPTURE.reset(token)


@functools.cache
def _load_installed() -> None:
    """Import what installed packages offer. A package that fails is a warning: it may not be the one wanted."""
    for point in metadata.entry_points(group=GROUP):
        source = f"package {point.dist.name}" if point.dist else f"entry point {point.name}"
        try:
            with captured() as table:
                loaded = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            said = f"{type(error).__name__}: {text_of(error)}"
            warnings.warn(f"{source}: its strategies can't be loaded: {said}", stacklevel=2)
            continue
        found = [getattr(item, "definition", None) for item in (loaded, *getattr(loaded, "__dict__", {}).values())]
        for definition in (*table.values(), *found):
            if isinstance(definition, Definition):
                _install(definition, source)


def _install(definition: Definition, source: str) -> None:
    key = (definition.name, definition.stage)
    fields = {**definition.__dict__, "source": source, "by_name": True}
    _INSTALLED.setdefault(key, Definition(**fields))


def find_definition(name: str, stage: str) -> Definition | None:
    """The definition of this name and stage, if there is one."""
    for attempt in range(2):
        for table in (_BUILT_IN, _USER, _INSTALLED):
            if (name, stage) in table:
                return table[name, stage]
        if attempt == 0:
            _load_installed()
    return None


def definitions() -> list[Definition]:
    """Every strategy known: built in, then users', then installed."""
    _load_installed()
    found = {**_INSTALLED, **_USER, **_BUILT_IN}
    ranks = (BUILT_IN,)
    return sorted(found.values(), key=lambda item: (item.source not in ranks, item.source, item.name, item.stage))


def require_known(item: Definition, rules: Rules, text: str) -> None:
    """Refuse a strategy that can't play by these rules."""
    usual = Rules(players=rules.players)
    asked = {name for name in ALL_RULES if getattr(rules, name) != getattr(usual, name)}
    for name in sorted(asked - item.knows):
        able = ", ".join(
            sorted({other.name for other in _BUILT_IN.values() if other.stage == item.stage and name in other.knows})
        )
        raise PlayerError(
            f"{text} ({item.stage}) can't play by {name}={str(getattr(rules, name)).lower()}; these can: {able}, "
            f"and your own"
        )


def names(stage: str) -> list[str]:
    """All names known for a stage, in order."""
    return sorted({item.name for item in definitions() if item.stage == stage})
