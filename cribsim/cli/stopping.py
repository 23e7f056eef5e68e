"""Ctrl-C, whatever becomes of its exception: a compiler may swallow it, or turn it into another."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

_AGAIN_SECONDS = 0.05


class Watch:
    """Whether Ctrl-C was pressed, and whether it no longer matters."""

    asked = False
    over = False

    def on_signal(self, _number: int, _frame: Any) -> None:
        """Remember, and interrupt what runs."""
        self.asked = True
        raise KeyboardInterrupt

    def again(self) -> None:
        """Interrupt once more, a moment later."""
        timer = threading.Timer(_AGAIN_SECONDS, lambda: None if self.over else _thread.interrupt_main())
        timer.daemon = True
        timer.start()


@contextlib.contextmanager
def watch_for_stop() -> Iterator[Watch]:
    """Watch for Ctrl-C, unless somebody else does (or it is ignored, as under nohup)."""
    watch = Watch()
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield watch
        return
    before = sys.unraisablehook

    def on_unraisable(found: Any) -> None:
        # numba's compiler calls back from C, where an exception can't get through: try again a moment later
        if issubclass(found.exc_type, KeyboardInterrupt):
            watch.again()
        else:
            before(found)

    signal.signal(signal.SIGINT, watch.on_signal)
    sys.unraisablehook = on_unraisable
    try:
        yield watch
    finally:
        watch.over = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = before
