"""Strategies of users: the two decorators, and the object that a decorated function becomes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

from cribsim.errors import PlayerError, shown
from cribsim.rules import Rules
from cribsim.strategies.answers import batch_answer, compile_function, compiled_answer, is_compiled, plain_answer
from cribsim.strategies.base import DISCARD, PLAY, STAGE_WORDS, Bound, Half, read_numbers
from cribsim.strategies.registry import ALL_RULES, Definition, register_user
from cribsim.strategies.spec import is_word


class Strategy:
    """A decorated function: half a player, and still callable as the function it was."""

    def __init__(
        self, function: Callable[..., Any], name: str, stage: str, *, jit: bool, batch: bool, players: tuple[int, ...]
    ) -> None:
        self.function, self.name, self.stage = function, name, stage
        self.jit, self.batch, self.players = jit, batch, players
        self.__name__ = getattr(function, "__name__", name)
        self.__doc__ = function.__doc__
        self.__module__ = getattr(function, "__module__", None) or __name__
        self.__wrapped__ = function
        self._made: dict[tuple[int, int], Bound] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return f"<{STAGE_WORDS[self.stage]} strategy {self.name!r}>"

    @property
    def definition(self) -> Definition:
        """What the registry keeps."""
        file = _file_of(self.function)
        about = (inspect.getdoc(self.function) or "").split("\n")[0]
        source = file if os.path.isfile(file) else self.__module__
        origin = frozenset({file, self.__module__} - {""})
        functions = (self.function,)
        return Definition(
            self.name, self.stage, self.bind, {}, self.players, source, about, False, origin, functions, ALL_RULES
        )

    @property
    def half(self) -> Half:
        """Half a player."""
        known = self.definition
        return Half(self.name, self.stage, self.bind, self.players, known.source, False, known.functions)

    def bind(self, rules: Rules) -> Bound:
        """Make it ready for rules; compiled once for each size of hand."""
        shape = (rules.n_dealt, rules.n_thrown)
        if shape not in self._made:
            self._made[shape] = self._bind(*shape)
        return self._made[shape]

    def _bind(self, n_cards: int, n_thrown: int) -> Bound:
        if self.batch:
            plain = batch_answer(self.function, self.stage, jit=False)
            answer = batch_answer(self.function, self.stage, jit=True) if self.jit else plain
            return Bound(answer, compiled=False, plain=plain if self.jit else None)
        plain = plain_answer(self.function, self.stage, n_cards, n_thrown)
        if self.jit:
            decide = compile_function(self.function, self.name, self.stage)
            if is_compiled(decide):
                return Bound(compiled_answer(decide, self.name, self.stage, n_cards, n_thrown), plain=plain)
        return Bound(plain, compiled=False)


def discard_strategy(
    name: str, *, jit: bool = False, batch: bool = False, players: int | Iterable[int] = (2, 3, 4)
) -> Callable[[Callable[..., Any]], Strategy]:
    """Make a discard strategy of a function, and register it under `name`.

    Parameters
    ----------
    name
        What texts call it: letters, digits, `_`, `-`. The same name from the same file or notebook replaces it.
    jit
        Compile the function with numba.
    batch
        The function is `f(views, out)`: it writes the answers to n views into `out`, int64 (n,).
    players
        The numbers of players it can play with.

    Returns
    -------
    Callable
        The decorator. A function of one decision gets a view and returns the positions in `view.cards` to throw: a
        tuple, or for one card an int. An int for two cards is the index into the 15 throws, as in `out`.

    Raises
    ------
    PlayerError
        The name is taken or can't be a name, or the function doesn't take these arguments.

    Examples
    --------
    >>> @discard_strategy("first-two", players=2)
    ... def first_two(view):
    ...     return 0, 1
    >>> first_two.half.players
    (2,)
    """
    return _decorator(DISCARD, name, jit, batch, players)


def pegging_strategy(
    name: str, *, jit: bool = False, batch: bool = False, players: int | Iterable[int] = (2, 3, 4)
) -> Callable[[Callable[..., Any]], Strategy]:
    """Make a pegging strategy of a function, and register it under `name`.

    The parameters are those of `discard_strategy`; the answer is the position in `view.cards` of a card that fits.
    Asked is only a seat with a choice: it holds at least two cards that fit, and those are the first of `view.cards`.

    Examples
    --------
    >>> @pegging_strategy("lowest")
    ... def lowest(view):
    ...     return 0
    >>> lowest
    <pegging strategy 'lowest'>
    """
    return _decorator(PLAY, name, jit, batch, players)


def _decorator(
    stage: str, name: str, jit: bool, batch: bool, players: int | Iterable[int]
) -> Callable[[Callable[..., Any]], Strategy]:
    word = f"{STAGE_WORDS[stage]}_strategy"
    if not isinstance(name, str):
        raise PlayerError(f"@{word} needs a name: write @{word}('keep-fives') above the function")
    if not is_word(name):
        raise PlayerError(f"{shown(name)} can't name a strategy; take letters, digits, _ and -, a letter first")
    numbers = read_numbers(players)

    def decorate(function: Callable[..., Any]) -> Strategy:
        if isinstance(function, Strategy):
            function = function.function
        if jit:
            function = getattr(function, "py_func", function)
        strategy = Strategy(function, name, stage, jit=jit, batch=batch, players=numbers)
        _check_arguments(strategy)
        register_user(strategy.definition)
        return strategy

    return decorate


def _check_arguments(strategy: Strategy) -> None:
    """The function must take (view), or (views, out) for a batch."""
    function, wanted = strategy.function, ("views", "out") if strategy.batch else ("view",)
    if not callable(function) or inspect.isclass(function):
        raise PlayerError(f"{strategy.name}: a function is wanted, not {shown(function)}")
    if strategy.jit and not hasattr(function, "__code__"):
        raise PlayerError(f"{strategy.name}: jit=True compiles a function, not {shown(function)}")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*wanted)
    except TypeError as error:
        hint = "" if strategy.batch else "; for a function of (views, out) add batch=True"
        raise PlayerError(f"{strategy.name} is called with ({', '.join(wanted)}): {error}{hint}") from None
    except ValueError:
        return  # a callable that doesn't tell its arguments


def _file_of(function: Any) -> str:
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return code.co_filename if code else ""
