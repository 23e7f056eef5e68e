"""The command line. This module imports only click and the standard library, so that `--help` is instant; each
command's own module is loaded when it is called.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence

import click

from cribsim import __version__

COMMANDS = {
    "score": ("show", "Score a hand or crib, part by part."),
    "replay": ("show", "Check and score a recorded play."),
    "rules": ("show", "List the named games and every rule."),
    "strategies": ("show", "List the strategies and what they take."),
    "simulate": ("play", "Play many deals or games."),
    "compare": ("play", "Is A better than B? Every deal twice, roles swapped."),
    "run": ("play", "Run an experiment from a TOML file."),
    "bench": ("machine", "How fast is this machine?"),
    "cache": ("machine", "Compiled code: where it lies; remove it."),
}
GREEDY_OPTIONS = ("--players",)
"""Options that take all words up to the next option."""


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
            near = difflib.get_close_matches(args[0], COMMANDS, n=3, cutoff=0.4)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            raise click.UsageError(f"no command {args[0]!r}{hint}; commands: {', '.join(COMMANDS)}")
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
    """Run a command; exit 0 done, 1 failed, 2 misuse, 130 interrupted."""
    sys.exit(_run(list(sys.argv[1:] if argv is None else argv)))


def _run(argv: list[str]) -> int:
    from cribsim.errors import CribsimError, Interrupted, StrategyError

    try:
        cli.main(args=spread_options(argv), prog_name="cribsim", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return int(done.exit_code)
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except (Interrupted, KeyboardInterrupt, click.Abort) as stop:
        return _complain(f"interrupted; done: {getattr(stop, 'done', 'nothing yet')}", 130)
    except CribsimError as error:
        return _complain(str(error), 2)
    except StrategyError as error:
        return _complain(str(error), 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(str(error), 2)
    return 0


def _complain(message: str, code: int) -> int:
    click.echo(f"cribsim: {' '.join(message.split())}", err=True)
    return code


def spread_options(argv: Sequence[str]) -> list[str]:
    """Repeat an option that takes many words before each of them, as click wants it.

    >>> spread_options(["simulate", "--players", "a", "b", "--deals", "5"])
    ['simulate', '--players', 'a', '--players', 'b', '--deals', '5']
    """
    words: list[str] = []
    current = None
    for word in argv:
        if word in GREEDY_OPTIONS:
            current, wanted = word, True
        elif word.startswith("-") and word != "-":
            if current and wanted:
                words.append(current)
            current = None
            words.append(word)
        elif current:
            words += [current, word]
            wanted = False
        else:
            words.append(word)
    if current and wanted:
        words.append(current)
    return words
