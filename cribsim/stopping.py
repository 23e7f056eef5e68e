"""Ctrl-C and its like, heard where nothing is lost: whoever plays or saves holds them, and asks between chunks whether
one came.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What stops a command: Ctrl-C, a polite kill, a closed terminal."""
DRAFTS: set[Path] = set()
"""Folders that are being written, to be removed when a command ends at once."""
_PATIENCE = 10
"""Seconds after the first stop in which others change nothing; later ones end what got stuck."""


class Watch:
    """Which signal asked to stop (0: none), and whether it must wait."""

    def __init__(self, leave: Callable[[Watch], NoReturn]) -> None:
        self.leave = leave
        self.number = 0
        self.held = False
        self.since = 0.0
        self.notice: Callable[[], None] | None = None
        """Says that a stop was heard, where it takes effect later."""

    def hear(self, number: int, _frame: Any) -> None:
        """Remember the first signal; leave at once, unless it is held."""
        is_first, now = not self.number, time.monotonic()
        if is_first:
            self.number, self.since = number, now
            if self.held and self.notice:
                self.notice()
        if (is_first and not self.held) or now - self.since > _PATIENCE:
            self.leave(self)

    @contextlib.contextmanager
    def let_through(self) -> Iterator[None]:
        """Within a hold: nothing is played yet, and loading kernels may take long."""
        self.held = False
        try:
            yield
        finally:
            self.held = True


_in_charge: list[Watch] = []


@contextlib.contextmanager
def watch_for(signals: tuple[signal.Signals, ...], leave: Callable[[Watch], NoReturn]) -> Iterator[Watch]:
    """Watch for signals that nobody else watches for or ignores (as under nohup)."""
    watch, usual = Watch(leave), (signal.SIG_DFL, signal.default_int_handler)
    heard = signals if threading.current_thread() is threading.main_thread() else ()
    before = {number: handler for number in heard if (handler := signal.getsignal(number)) in usual}
    for number in before:
        signal.signal(number, watch.hear)
    _in_charge.append(watch)
    try:
        yield watch
    finally:
        _in_charge.remove(watch)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def hold_stops() -> Iterator[Watch]:
    """Within the block a stop is only remembered. The command line holds on to its end: what follows is printing."""
    if threading.current_thread() is not threading.main_thread():
        yield Watch(_interrupt)
    elif _in_charge:
        _in_charge[-1].held = True
        yield _in_charge[-1]
    else:
        with watch_for((signal.SIGINT,), _interrupt) as watch:
            watch.held = True
            yield watch
        if watch.number:
            raise KeyboardInterrupt


def _interrupt(_watch: Watch) -> NoReturn:
    raise KeyboardInterrupt


def remove_drafts() -> None:
    """Remove what is unfinished."""
    for draft in DRAFTS:
        shutil.rmtree(draft, ignore_errors=True)
