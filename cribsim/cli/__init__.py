"""The command line. This module imports only click and the standard library, so that `--help` is instant; each
command's own module is loaded when it is called.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import re
import sys
from collections.abc import Sequence
from signal import SIGINT
from typing import NoReturn

import click

from cribsim import __version__
from cribsim.cli.output import give_up_failed_streams, prepare_streams, tell
from cribsim.errors import cut, nearest, shown
from cribsim.stopping import STOPS, Watch, remove_drafts, watch_for

COMMANDS = {
    "score": ("show", "Score a hand or crib, part by part."),
    "replay": ("show", "Check and score a recorded play."),
    "rules": ("show", "List the named games and every rule."),
    "strategies": ("show", "List the strategies and what they take."),
    "simulate": ("play", "Play many deals or games."),
    "compare": ("play", "Is A better than B? Every deal twice, roles swapped."),
    "discard": ("discards", "What is each discard of a hand worth?"),
    "crib": ("discards", "What does the crib bring, by the cards thrown?"),
    "kept": ("kept", "What do four kept ranks bring in the play?"),
    "peg": ("pegging", "What is each card worth in the play?"),
    "solve": ("solving", "Solve the play, or discards and play: near-Nash."),
    "exploit": ("solving", "What does a best reply gain against a strategy?"),
    "run": ("play", "Run an experiment from a TOML file."),
    "bench": ("machine", "How fast is this machine?"),
    "cache": ("machine", "Compiled code: where it lies; remove it."),
}
GREEDY_OPTIONS = ("--players",)
"""Options that take all words up to the next option."""
MANY_TIMES = ("--given",)
"""Options that may be given again and again."""


class _Lazy(click.Group):
    """Finds a command in its module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"cribsim.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(
                f"no command {shown(args[0])}{nearest(args[0], COMMANDS)}; commands: {', '.join(COMMANDS)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="cribsim")
def cli() -> None:
    """Cribbage strategy research at compiled speed.

    Example: cribsim simulate --players expectimax+greedy greedy --deals 1M

    Shell completion: eval "$(_CRIBSIM_COMPLETE=bash_source cribsim)"
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command; exit 0 done, 1 failed, 2 misuse, 128 and the signal's number (130: Ctrl-C) interrupted."""
    with watch_for(STOPS, _leave) as watch:
        code = _run(list(sys.argv[1:] if argv is None else argv), watch)
        if watch.number:
            _end(code)
    sys.exit(code)


def _run(argv: list[str], watch: Watch) -> int:
    prepare_streams()
    try:
        _invoke(argv)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return int(done.exit_code)
    except KeyboardInterrupt as stop:
        return _complain(f"interrupted; done: {getattr(stop, 'done', 'nothing yet')}", 128 + (watch.number or SIGINT))
    except Exception as error:
        return _explain(error)
    return _complain("interrupted; done: everything", 128 + watch.number) if watch.number else 0


def _leave(watch: Watch) -> NoReturn:
    """End now. An exception might not get through: numba's compiler calls back from C, and swallows or changes it."""
    remove_drafts()
    what = "what was played is lost" if watch.held else "done: nothing yet"
    with contextlib.suppress(OSError):
        os.write(2, f"cribsim: interrupted; {what}\n".encode())
    os._exit(128 + watch.number)


def _end(code: int) -> NoReturn:
    """End without the interpreter's farewell, in which one more signal would kill the process."""
    give_up_failed_streams()
    os._exit(code)


def _invoke(argv: list[str]) -> None:
    """Run a command. click's own `main` would hide Ctrl-C and closed pipes from us; completion needs it."""
    if "_CRIBSIM_COMPLETE" in os.environ:
        cli.main(args=argv, prog_name="cribsim")
    refuse_repeats(argv)
    # `--json` turns stdout away for the time of the command
    with contextlib.redirect_stdout(sys.stdout), cli.make_context("cribsim", spread_options(argv)) as context:
        cli.invoke(context)


def refuse_repeats(argv: Sequence[str]) -> None:
    """An option that is given twice says two things."""
    words = itertools.takewhile(lambda word: word != "--", argv)
    names = [word.partition("=")[0] for word in words if word.startswith("--")]
    for name in names:
        if names.count(name) > 1 and name not in MANY_TIMES:
            raise click.UsageError(f"{name} is given twice")


def _explain(error: Exception) -> int:
    """One line about what went wrong; what nobody expected keeps its traceback."""
    from cribsim.errors import CribsimError, StrategyError

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        tell(error.format_message(), err=True)
        return 2
    if isinstance(error, click.ClickException):
        return _complain(error.format_message(), 2)
    if isinstance(error, StrategyError):
        return _complain(str(error), 1)
    if isinstance(error, CribsimError):
        return _complain(str(error), 2)
    if isinstance(error, OSError):
        give_up_failed_streams()
        return 0 if isinstance(error, BrokenPipeError) else _complain(str(error), 1)
    raise error


def _complain(message: str, code: int) -> int:
    """One line on stderr, if it can be written; very long words are cut."""
    line = re.sub(r"\S{200,}", lambda word: cut(word.group()), " ".join(message.split()))
    try:
        tell(f"cribsim: {line}", err=True)
    except OSError:
        give_up_failed_streams()
    return code


def spread_options(argv: Sequence[str]) -> list[str]:
    """Repeat an option that takes many words before each of them, as click wants it.

    >>> spread_options(["simulate", "--players", "a", "b", "--deals", "5"])
    ['simulate', '--players', 'a', '--players', 'b', '--deals', '5']
    """
    words: list[str] = []
    current = ""
    for at, word in enumerate(argv, 1):
        name, _, value = word.partition("=")
        if name in GREEDY_OPTIONS:
            current = name
            words += [current, value] if value else []
            if not value and (at == len(argv) or argv[at].startswith("-")):
                raise click.UsageError(f"{name} wants names behind it, as in {name} expectimax+greedy greedy")
        elif word.startswith("-") or not current:
            current = ""
            words.append(word)
        else:
            words += [current, word]
    return words
