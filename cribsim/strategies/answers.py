"""How one function becomes an answer to a batch of views: asked view by view, with the batch, or compiled.

A user's function gets a copy of its view in which every number is a signed 64-bit int, `key` too: sums, differences
and remainders then mean the same in Python, NumPy and compiled code. (In the engine's small unsigned ints, 15 - count
would wrap round, and numba makes a float of a signed and an unsigned int.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cribsim._jit import kernel, user_kernel
from cribsim.errors import PlayerError, shown
from cribsim.strategies.base import DISCARD, PLAY, VIEWS, AnswerError
from cribsim.views import DISCARD_ANSWER, PLAY_ANSWER, thrown_positions

_SIGNATURES = {DISCARD: DISCARD_ANSWER, PLAY: PLAY_ANSWER}


@functools.cache
def _throws(n_cards: int, n_thrown: int) -> dict[tuple[int, ...], int]:
    """The answer of each sorted tuple of positions thrown."""
    return {tuple(throw): index for index, throw in enumerate(thrown_positions(n_cards, n_thrown).tolist())}


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    names = [name for name in dtype.names or () if name != "spare"]
    return np.dtype((np.record, [(name, "i8", dtype[name].shape) for name in names]))


USER_VIEWS = {stage: _wide(dtype) for stage, dtype in VIEWS.items()}
"""The views of user functions: the fields of DISCARD_VIEW and PLAY_VIEW, all int64."""


def is_compiled(function: Any) -> bool:
    """Whether numba compiled a function (with NUMBA_DISABLE_JIT it doesn't)."""
    return hasattr(function, "py_func")


def user_views(views: NDArray[Any], which: NDArray[np.int32], stage: str) -> NDArray[Any]:
    """Copies of views as user functions get them, a record array."""
    fresh = np.empty(len(which), USER_VIEWS[stage])
    (_widen_plays if stage == PLAY else _widen_discards)(views, which, fresh)
    return fresh.view(np.recarray)


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _wrong(value: Any, wanted: str) -> AnswerError:
    text = shown(value.item() if isinstance(value, np.generic) else value)
    return AnswerError(f"returned {text} ({type(value).__name__}); {wanted} wanted")


def _bounded(value: Any) -> int:
    """An int that fits the engine's; it says what is legal."""
    if abs(int(value)) >= 1 << 62:
        raise AnswerError(f"answered {shown(int(value))}")
    return int(value)


def read_position(value: Any) -> int:
    """The answer for a returned position."""
    if not _is_int(value):
        raise _wrong(value, "a position (int) is")
    return _bounded(value)


def read_throw(value: Any, n_cards: int, n_thrown: int) -> int:
    """The answer for returned positions, or for the index of a throw."""
    throws = _throws(n_cards, n_thrown)
    if _is_int(value):
        return _bounded(value)
    wanted = "a position (int) is" if n_thrown == 1 else f"{n_thrown} positions (a tuple of ints) or an index (int) are"
    if not isinstance(value, (tuple, list)) or not all(_is_int(position) for position in value):
        raise _wrong(value, wanted)
    throw = tuple(sorted(int(position) for position in value))
    if throw not in throws:
        number = "one position" if n_thrown == 1 else f"{n_thrown} different positions"
        raise _wrong(value, f"{number} from 0 to {n_cards - 1} {'is' if n_thrown == 1 else 'are'}")
    return throws[throw]


def plain_answer(decide: Callable[..., Any], stage: str, n_cards: int, n_thrown: int) -> Callable[..., None]:
    """Ask a Python function view by view."""

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        for i, view in zip(which.tolist(), user_views(views, which, stage), strict=True):
            value = decide(view)
            out_answers[i] = read_position(value) if stage == PLAY else read_throw(value, n_cards, n_thrown)

    return answer


class _Answers(np.ndarray[Any, Any]):
    """The `out` of a batch function: what is written must be whole."""

    def __setitem__(self, key: Any, value: Any) -> None:
        _require_whole(np.asarray(value))
        super().__setitem__(key, value)


def _require_whole(values: NDArray[Any]) -> None:
    if values.dtype.kind in "iu":
        return
    wrong = values[~(np.floor(values) == values)] if values.dtype.kind == "f" else values.ravel()[:1]
    if wrong.size:
        given = shown(wrong.flat[0].item() if hasattr(wrong.flat[0], "item") else wrong.flat[0])
        raise AnswerError(f"returned {given} ({values.dtype}) in out; answers are ints")


def batch_answer(function: Callable[..., Any], stage: str, *, jit: bool) -> Callable[..., None]:
    """Ask a function of a batch. Its first answers are also taken as floats, which shows what would be rounded."""
    decide = user_kernel(function) if jit else function
    compiled = is_compiled(decide)
    checked = False

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        nonlocal checked
        fresh, out = user_views(views, which, stage), np.full(len(which), -1, np.int64)
        plain = fresh.view(np.ndarray)
        returned = decide(plain, out) if compiled else decide(fresh, out.view(_Answers))
        if returned is not None and (out == -1).any():
            raise AnswerError(f"returned a {type(returned).__name__}; a batch function fills out, as in out[:] = 0")
        if not checked:
            again = user_views(views, which, stage)
            _check_floats(decide, again.view(np.ndarray) if compiled else again)
            checked = True
        out_answers[which] = out

    return answer


def _check_floats(decide: Callable[..., Any], views: NDArray[Any]) -> None:
    floats = np.full(len(views), -1.0)
    try:
        decide(views, floats)
    except Exception:
        return  # it needs the ints, as indices for instance
    _require_whole(floats)


def compile_function(function: Callable[..., Any], name: str, stage: str) -> Any:
    """The compiled function of one decision; the Python function when numba is switched off."""
    decide = user_kernel(function)
    if not is_compiled(decide):
        return decide
    try:
        decide.compile((numba.from_dtype(USER_VIEWS[stage]),))
    except Exception as error:
        raise PlayerError(f"{name} can't be compiled: {_numba_text(error)}") from error
    return decide


def _numba_text(error: Exception) -> str:
    """What numba has to say, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    place = [line for line in lines if line.startswith("File ")]
    said = [line for line in lines if not line.startswith(("Failed in nopython", "File ", "During:"))]
    return "; ".join([(said or [type(error).__name__])[0], *(line.rstrip(":") for line in place[-1:])])


def compiled_answer(decide: Any, name: str, stage: str, n_cards: int, n_thrown: int) -> Any:
    """The kernel that asks a compiled function view by view, with the engine's signature."""
    dtype, widen = USER_VIEWS[stage], _WIDEN[stage]
    returned = decide.overloads[(numba.from_dtype(dtype),)].signature.return_type
    encode = _encoder(returned, name, stage, n_thrown)

    def answer(views, which, params, table, out_answers):
        scratch = np.zeros(1, dtype)
        for k in range(len(which)):
            out_answers[which[k]] = -1  # for the case that the function raises
        for k in range(len(which)):
            widen(views[which[k]], scratch[0])
            out_answers[which[k]] = encode(decide(scratch[0]), n_cards)

    return numba.njit(_SIGNATURES[stage], nogil=True)(answer)


def _encoder(returned: Any, name: str, stage: str, n_thrown: int) -> Any:
    """How the compiled function's answers are read, or why its type of answer can't be."""
    kind = types.unliteral(returned)
    if isinstance(kind, types.Integer):
        return _encode_int
    items = _items(kind)
    if stage == DISCARD and len(items) == n_thrown and all(isinstance(item, types.Integer) for item in items):
        return _encode_pair if n_thrown == 2 else _encode_single
    wanted = "a position (int) is"
    if stage == DISCARD and n_thrown == 2:
        wanted = "two positions (a tuple of ints) or an index (int) are"
    raise PlayerError(f"{name} returns {_kind_text(kind)} when compiled; {wanted} wanted")


def _items(kind: Any) -> list[Any]:
    """What a tuple holds; nothing when it is none."""
    is_tuple = isinstance(kind, types.BaseTuple)
    return [types.unliteral(item) for item in kind] if is_tuple else []


def _kind_text(kind: Any) -> str:
    if isinstance(kind, types.Optional):
        return f"{_kind_text(kind.type)} or nothing (None)"
    if isinstance(kind, types.NoneType):
        return "nothing (None)"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(_kind_text(item) for item in _items(kind))})"
    return str(kind)


@kernel
def _encode_int(answer, n_cards):
    return np.int64(answer)


@kernel
def _encode_single(throw, n_cards):
    return np.int64(throw[0])


@kernel
def _encode_pair(throw, n_cards):
    """The answer that throws two positions; -1 when they are no two positions."""
    first, second = min(np.int64(throw[0]), np.int64(throw[1])), max(np.int64(throw[0]), np.int64(throw[1]))
    if first < 0 or second >= n_cards or first == second:
        return -1
    return first * (2 * n_cards - first - 1) // 2 + second - first - 1


@kernel
def _widen_discard(view, out_view):
    """Copy a view into one of int64s."""
    out_view.key = np.int64(view.key)
    out_view.n_cards, out_view.n_thrown = view.n_cards, view.n_thrown
    out_view.seat, out_view.dealer = view.seat, view.dealer
    out_view.players, out_view.role = view.players, view.role
    for i in range(4):
        out_view.scores[i] = view.scores[i]
    for i in range(6):
        out_view.cards[i] = view.cards[i]


@kernel
def _widen_play(view, out_view):
    """Copy a view into one of int64s."""
    out_view.key = np.int64(view.key)
    out_view.pile, out_view.gains = view.pile, view.gains
    out_view.n_cards, out_view.seat, out_view.count = view.n_cards, view.seat, view.count
    out_view.n_played, out_view.count_start, out_view.gone = view.n_played, view.count_start, view.gone
    out_view.dealer, out_view.players = view.dealer, view.players
    out_view.starter, out_view.last_seat = view.starter, view.last_seat
    for i in range(2):
        out_view.discards[i] = view.discards[i]
    for i in range(4):
        out_view.scores[i] = view.scores[i]
        out_view.cards[i] = view.cards[i]
        out_view.n_left[i] = view.n_left[i]
    for i in range(16):
        out_view.played[i] = view.played[i]
        out_view.played_by[i] = view.played_by[i]
        out_view.goes[i] = view.goes[i]


@kernel
def _widen_discards(views, which, out_views):
    """Copy some views, (len(which),)."""
    for k in range(len(which)):
        _widen_discard(views[which[k]], out_views[k])


@kernel
def _widen_plays(views, which, out_views):
    """Copy some views, (len(which),)."""
    for k in range(len(which)):
        _widen_play(views[which[k]], out_views[k])


_WIDEN = {DISCARD: _widen_discard, PLAY: _widen_play}
