"""What the commands share: numbers, options, JSON, tables, progress."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from cribsim.errors import CribsimError

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(?:e\+?(\d+))?([kmbKMB]?)")
_LARGEST = 10**13


def read_number(text: str) -> int:
    """A whole number of things: 1000, 1_000, 10M, 2.5k, 1e6.

    >>> read_number("2.5k"), read_number("1e6")
    (2500, 1000000)
    """
    from decimal import Decimal

    match = _NUMBER.fullmatch(text.replace("_", "").replace(",", ""))
    if match is None:
        raise CribsimError(f"{text!r} is not a number of deals or games; write 1000, 2.5k, 10M or 1e6")
    digits, power, unit = match.groups()
    if int(power or 0) > 15:
        raise CribsimError(f"{text} is too many; at most 10^13")
    value = Decimal(digits) * 10 ** int(power or 0) * {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}[unit.lower()]
    if value != int(value) or value < 1:
        raise CribsimError(f"{text}: give a whole number above 0")
    if value > _LARGEST:
        raise CribsimError(f"{text} is too many; at most 10^13")
    return int(value)


class Number(click.ParamType[int]):
    """A number of deals or games."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return value if isinstance(value, int) else read_number(value)


def read_confidence(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    """0.95 or 95."""
    return value / 100 if value > 1 else value


def seed_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that plays."""
    for option in (
        click.option("--seed", type=int, default=0, show_default=True, help="Deal n of a seed is the same for ever."),
        click.option("--workers", type=int, help="Threads; default every core. Changes nothing but the time."),
        click.option("--rules", help="A named game and keys, as in short,skunk=40 (see `cribsim rules`)."),
        click.option("--confidence", type=float, default=0.95, callback=read_confidence, help="Of the intervals."),
        click.option("--quiet", is_flag=True, help="No progress on stderr."),
        json_option,
    ):
        function = option(function)
    return function


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")


def print_json(value: dict[str, Any]) -> None:
    """Exactly one JSON object, with the schema's version."""
    from cribsim.stats import clean_json

    click.echo(json.dumps(clean_json({"schema_version": 1, **value}), ensure_ascii=False, allow_nan=False))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for people; texts left, numbers right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for at, name in enumerate(columns):
        numeric = bool(rows) and all(re.fullmatch(r"[-+±\d.,%\s–]*", row[at]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else 160
    Console(width=width, highlight=False, markup=False).print(table)


@contextlib.contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while a terminal looks on."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def warn_if_cold() -> None:
    """One line when the kernels must be compiled first."""
    from cribsim._jit import is_cold

    if is_cold():
        click.echo("compiling cribsim's kernels; this happens once (about half a minute)", err=True)


def interval(estimate: dict[str, Any], digits: int = 4) -> tuple[str, str]:
    """A mean and half its interval, as text."""
    if estimate["mean"] is None:
        return "", ""
    reach = None if estimate["high"] is None else (estimate["high"] - estimate["low"]) / 2
    mean = f"{estimate['mean']:.{digits}f}"
    shown = mean.lstrip("-") if float(mean) == 0 else mean
    return shown, "" if reach is None else f"± {reach:.{digits}f}"
