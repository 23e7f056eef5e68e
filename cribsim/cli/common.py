"""What the commands share: numbers, options, JSON, tables, progress."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cribsim.cli.output import plain, tell
from cribsim.errors import CribsimError, shown, written

_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)?(\.\d+)?(?:[eE]\+?(\d+)|([kmbKMB]))?", re.ASCII)
_SCORE = re.compile(r"(\d{1,7})(\*?)\s*-\s*(\d{1,7})(\*?)", re.ASCII)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}
_LARGEST = 10**13
_PICTURES = (".png", ".svg", ".pdf")
_MOST_CONFIDENT = 1 - 1e-9


def read_number(text: str) -> int:
    """A whole number of things: 1000, 1_000, 10M, 2.5k, 1e6.

    >>> read_number("2.5k"), read_number("1e6")
    (2500, 1000000)
    """
    from fractions import Fraction

    match = _NUMBER.fullmatch(text)
    whole, part, power, unit = match.groups() if match else (None,) * 4
    if not (whole or part) or len(text) > 40:
        raise CribsimError(f"{shown(text)} is not a number; write 1000, 2.5k, 10M or 1e6")
    digits = Fraction((whole or "0").replace(",", "").replace("_", "") + (part or ""))
    value = digits * 10 ** min(int(power or 0), 60) * _UNITS[(unit or "").lower()]
    if value.denominator != 1 or value < 1:
        raise CribsimError(f"{text}: give a whole number above 0")
    if value > _LARGEST:
        raise CribsimError(f"{text} is too many; at most 10^13")
    return int(value)


def read_score(text: str, *, is_dealer: bool) -> tuple[int, int]:
    """One's own score and the other's; a star marks the dealer's, as score sheets have it.

    >>> read_score("83-64*", is_dealer=False)
    (83, 64)
    """
    match = _SCORE.fullmatch(text.strip())
    if not match:
        raise CribsimError(f"--score {shown(text)}: write your score and the other's, as in 110-113")
    own, own_star, other, other_star = match.groups()
    if other_star if is_dealer else own_star:
        raise CribsimError(f"--score {text}: the star stands with the dealer's score, and you {_DEALS[is_dealer]}")
    return int(own), int(other)


_DEALS = {True: "deal", False: "don't deal"}


class Number(click.ParamType[int]):
    """A number of deals or games, or the number of one of them."""

    name = "number"

    def __init__(self, *, or_zero: bool = False) -> None:
        self.or_zero = or_zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return 0 if self.or_zero and value == "0" else read_number(value)
        except CribsimError as error:
            raise CribsimError(f"{param.opts[0]} {error}" if param else str(error)) from None


def read_confidence(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    """0.95 or 95."""
    share = value / 100 if value > 1 else value
    if not 0 < share <= _MOST_CONFIDENT:
        raise CribsimError(f"--confidence {value:g}: give a number between 0 and 1, or per cent, as in 0.95 or 95")
    return share


confidence_option = click.option(
    "--confidence", type=float, default=0.95, callback=read_confidence, help="Of the intervals: 0.95 or 95."
)
quiet_option = click.option("--quiet", is_flag=True, help="Nothing on stderr but errors.")


def seed_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that plays."""
    for option in (
        click.option("--seed", type=int, default=0, show_default=True, help="Deal n of a seed is the same for ever."),
        click.option(
            "--workers", type=click.IntRange(1, 1024), help="Threads; default every core. Changes nothing but the time."
        ),
        click.option("--rules", help="A named game and keys, as in short,skunk=40 (see `cribsim rules`)."),
        confidence_option,
        quiet_option,
        click.option(
            "--first", type=Number(or_zero=True), default=0, help="Number of the first deal or game; default 0."
        ),
        json_option,
    ):
        function = option(function)
    return function


_STDOUT = "cribsim.stdout"


def _keep_stdout(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """With --json stdout is for the object alone; what a strategy prints goes to stderr."""
    if value:
        ctx.meta[_STDOUT] = sys.stdout
        sys.stdout = sys.stderr
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_keep_stdout, help="One JSON object on stdout; all else on stderr."
)


def print_json(value: dict[str, Any]) -> None:
    """Exactly one JSON object, with the schema's version."""
    from cribsim.stats import clean_json

    # in ASCII, which every stream can take, whatever the names of files
    text = json.dumps(clean_json({"schema_version": 1, **value}), allow_nan=False)
    print(text, file=click.get_current_context().meta[_STDOUT], flush=True)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for people; texts left, numbers right and never broken."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for at, name in enumerate(columns):
        numeric = bool(rows) and all(re.fullmatch(r"[-+±\d.,%\s–\[\]]*", row[at]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        table.add_row(*map(plain, row))
    if title:
        tell(f"{title}\n")
    width = None if sys.stdout.isatty() else 160
    Console(width=width, highlight=False, markup=False).print(table)
    tell("")


@contextlib.contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while a terminal looks on."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)

    def show(done: int, total: int) -> None:
        bar.start()  # with the first chunk: what ends before leaves the terminal as it was
        bar.update(task, completed=done, total=total)

    try:
        yield show
    finally:
        bar.stop()


def tell_if_compiling(*, quiet: bool = False) -> None:
    """One line on stderr at the moment when this command must compile kernels."""
    from cribsim._jit import telling_of_compilation

    if not quiet:
        line = "compiling what this command needs; it is kept, and the next time takes no wait (all of cribsim: 40 s)"
        click.get_current_context().with_resource(telling_of_compilation(lambda: tell(line, err=True)))


def given_options(*names: str) -> list[str]:
    """Those of the options that stand on the command line."""
    ctx = click.get_current_context()
    return [name for name in names if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def check_picture(path: str | None) -> None:
    """Refuse a picture that can't be written, before the work."""
    if path is None:
        return
    file = Path(path)
    if file.suffix.lower() not in _PICTURES or not file.stem or file.is_dir():
        raise CribsimError(f"--plot {path}: name a file that ends in {', '.join(_PICTURES)}")
    if not file.absolute().parent.is_dir():
        raise CribsimError(f"--plot {path}: there is no folder {file.absolute().parent}")


def interval(estimate: dict[str, Any], digits: int = 4) -> str:
    """A mean and half its interval, as text.

    >>> interval({"mean": 2.5, "low": 2.25, "high": 2.75}, 2)
    '2.50 ± 0.25'
    """
    if estimate["mean"] is None:
        return ""
    mean = f"{estimate['mean']:.{digits}f}"
    shown = mean.lstrip("-") if float(mean) == 0 else mean
    if estimate["high"] is None:
        return shown
    return f"{shown} ± {(estimate['high'] - estimate['low']) / 2:.{digits}f}"


def share_interval(estimate: dict[str, Any], digits: int = 4) -> str:
    """A share and its interval, which isn't the same to both sides, as text.

    >>> share_interval({"mean": 1.0, "low": 0.6097, "high": 1.0})
    '1.0000 [0.6097, 1.0000]'
    """
    if estimate["mean"] is None or estimate["high"] is None:
        return interval(estimate, digits)
    mean, low, high = (f"{estimate[name]:.{digits}f}" for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


def rules_text(values: dict[str, Any]) -> str:
    """Rules as `--rules` takes them: the name of the nearest game, and what differs.

    >>> from cribsim.rules import Rules
    >>> rules_text(Rules.parse("short").as_dict()), rules_text(Rules(players=3, target=31, skunk=0).as_dict())
    ('short', 'three,target=31,skunk=0')
    """
    from cribsim.presets import PRESETS

    texts = [",".join([name, *rule_words(values, name)]) for name in PRESETS]
    readable = [text for text in texts if _means(text, values)]
    return min(readable, key=lambda text: text.count(","))  # min keeps the first of equals


def rule_words(values: dict[str, Any], name: str = "standard") -> list[str]:
    """What differs from a named game, as key=value, and not what follows from it."""
    from cribsim.rules import Rules

    return [f"{key}={say(value)}" for key, value in Rules(**values).unlike(name).items()]


def _means(text: str, values: dict[str, Any]) -> bool:
    from cribsim.errors import RulesError
    from cribsim.rules import Rules

    try:
        return Rules.parse(text) == Rules(**values)
    except RulesError:
        return False


def say(value: Any) -> str:
    """A value as it is written in rules and players."""
    return "none" if value is None else written(value)


def save_picture(figure: Any, path: str, width: float, height: float) -> None:
    """Write a figure of this size in inches."""
    figure.set_size_inches(width, height)
    try:
        figure.savefig(path, bbox_inches="tight", dpi=150)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CribsimError(f"--plot {path}: {why}") from None
