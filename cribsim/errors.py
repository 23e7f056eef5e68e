"""The errors a user can meet. Each message says what was given, what is wanted and what to do; what several rooms need
for that is here too.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable
from typing import Any

MOST_SHOWN = 60
"""Characters of something given that a message repeats."""


class CribsimError(ValueError):
    """Something the caller gave can't be used. The command line prints its one line and exits with 2."""


class CardError(CribsimError):
    """Text or numbers that are not the cards they should be."""


class RulesError(CribsimError):
    """Rules that contradict themselves or that cribsim doesn't play."""


class IllegalPlay(CribsimError):
    """A play that breaks the rules of the pegging phase."""


class PlayerError(CribsimError):
    """A player's text, name or parameters that don't lead to a strategy."""


class ResultError(CribsimError):
    """A saved result that can't be read, written or added."""


class StrategyError(RuntimeError):
    """A strategy raised, or answered with something illegal. The message names the deal to replay."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C: the run stopped between chunks. `done` says how far it came; `result` holds what was played."""

    def __init__(self, done: str, result: object) -> None:
        super().__init__(done)
        self.done = done
        self.result = result


def require_whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number from low to high, or the error that names it.

    >>> require_whole(3, "n_deals", 1, 1000)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise CribsimError(f"{what}={shown(value)}: give a whole number from {low:,} to {high:,}")
    return number


def nearest(word: str, known: Iterable[str]) -> str:
    """`; nearest: ...` with the known words that resemble this one, or nothing.

    >>> nearest("Gredy", ["greedy", "random"])
    '; nearest: greedy'
    """
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), list(by_lower), n=3, cutoff=0.5)
    return f"; nearest: {', '.join(by_lower[name] for name in close)}" if close else ""


def count_of(n: int, word: str) -> str:
    """A number of things.

    >>> count_of(1, "deal"), count_of(2000, "deal")
    ('1 deal', '2,000 deals')
    """
    return f"{n:,} {word}{'' if n == 1 else 'es' if word.endswith('ch') else 's'}"


def cut(text: str) -> str:
    """A text for a message, cut to what people read.

    >>> cut("5" * 5000)[55:]
    '55555...'
    """
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def shown(value: object) -> str:
    """A value for a message: cut, and also where it can't be written (a whole number of 5,000 digits can't)."""
    try:
        return cut(repr(value))
    except Exception:
        return f"({type(value).__name__}, which can't be written)"


def written(value: object) -> str:
    """A value for a message, as people write it in a command: texts without quotes, true and false.

    >>> written("often"), written(True), written(0.5)
    ('often', 'true', '0.5')
    """
    if isinstance(value, str):
        return cut(value)
    return str(value).lower() if isinstance(value, bool) else shown(value)


def text_of(error: BaseException) -> str:
    """What an exception says; that of a strategy may fail to say anything."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as another:
        return f"(its text raises {type(another).__name__})"
