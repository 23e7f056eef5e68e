"""Where the command line writes: streams that are closed or full, or that can't show every letter."""

from __future__ import annotations

import codecs
import io
import os
import sys

_PLAIN = {"±": "+/-", "·": "/", "–": "-"}


def _write_plainly(error: UnicodeError) -> tuple[str, int]:
    """In place of letters that a stream can't take: something like them, or their escapes."""
    assert isinstance(error, UnicodeEncodeError)
    odd = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, letter.encode("ascii", "backslashreplace").decode()) for letter in odd), error.end


def prepare_streams() -> None:
    """Make sure that both streams can be written to. What is closed leads nowhere."""
    codecs.register_error("cribsim", _write_plainly)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="cribsim")


def plain(text: str) -> str:
    """A text as stdout will show it.

    >>> plain("2.5 ± 0.1").endswith("0.1")
    True
    """
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "cribsim").decode(encoding)


def tell(line: str, *, err: bool = False) -> None:
    """Write a line. (click's `echo` would write UTF-8 where another encoding is asked for.)"""
    print(line, file=sys.stderr if err else sys.stdout, flush=True)


def give_up_failed_streams() -> None:
    """What a full or closed stream hasn't taken must not fail once more when the process ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
