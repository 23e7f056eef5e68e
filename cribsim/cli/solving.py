"""Commands about best play: solve, exploit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from cribsim.cli.common import (
    Number,
    confidence_option,
    given_options,
    json_option,
    print_json,
    print_table,
    progress_bar,
    quiet_option,
    tell_if_compiling,
)
from cribsim.cli.output import tell
from cribsim.cli.play import command_line
from cribsim.errors import CribsimError, count_of

_GAMES = ("pegging", "deal")
_OF_PEGGING = ("minutes", "kept")
_OPPONENTS = {"pone": "pone", "dealer": "dealer", "exploitability": "mean of both"}


@click.command()
@click.argument("game")
@click.option("--minutes", type=float, default=10.0, help="pegging: of solving, those before a resume too. Default 10.")
@click.option("--target", type=float, help="Solve the play to this exploitability. deal: default 0.0001.")
@click.option("--range", "kept", default="equilibrium", help="pegging: whose kept hands, a discard strategy.")
@click.option(
    "--out", help="A new folder, or one in which the same was begun. pegging: default where equilibrium looks."
)
@quiet_option
@json_option
def solve(
    game: str, minutes: float, target: float | None, kept: str, out: str | None, quiet: bool, as_json: bool
) -> None:
    """Solve the play of the hands that a discard strategy keeps (pegging), or discards and play together (deal).

    Takes 4 GB of memory; a deal some 20 minutes. Ctrl-C keeps what is solved, and the same command goes on.

    Example: cribsim solve pegging --minutes 10 --out solution
    """
    if game not in _GAMES:
        raise CribsimError(f"{game!r} can't be solved; write cribsim solve pegging, or cribsim solve deal")
    if out is not None and not out.strip():
        raise CribsimError("--out '': name a folder")
    if not out and (game == "deal" or given_options("kept")):
        raise CribsimError(f"name a folder for the solution, as in cribsim solve {game} --out solution")
    for name in given_options(*_OF_PEGGING) if game == "deal" else ():
        raise CribsimError(f"--{'range' if name == 'kept' else name} goes with cribsim solve pegging")
    out = out or _usual_folder()
    tell_if_compiling(quiet=quiet)
    if game == "deal":
        found = _solve_deal(out, target, quiet)
    else:
        found = _solve_pegging(out, kept, minutes, target or 0.0, quiet)
    if as_json:
        print_json({"out": out, **found})
        return
    tell(f"{count_of(found['rounds'], 'round')} in {found['seconds']:.0f} s; range: {found['range']}")
    tell(f"pone less dealer {found['mirror_value']:.4f} points a deal in the play")
    tell(
        f"exploitability of the play, points a deal: {found['exploitability_solution']:.6f}; in 250ths (levels.npy) "
        f"{found['exploitability_full']:.6f}; small form of {found['places_kept']:,} places "
        f"{found['exploitability_small']:.6f}"
    )
    tell(_how_to_play(out))
    if game == "deal":
        last = found["deal"][-1]
        tell(
            f"values of kept hands moved by {last['mean_moved']:.4f} points on average in the last of "
            f"{last['number']} rounds"
        )
        tell(f'throw by it as table(file="{out}")')


def _how_to_play(out: str) -> str:
    from cribsim.strategies.equilibrium_play import is_better

    if out != _usual_folder():
        return f'play it as equilibrium(solution="{out}")'
    if is_better(Path(out)):
        return f"in {out}; equilibrium plays it from now on"
    return f"in {out}; equilibrium goes on with what ships, which loses less: solve it longer"


def _usual_folder() -> str:
    from cribsim.strategies.equilibrium_play import full_folder

    return str(full_folder())


def _solve_pegging(out: str, kept: str, minutes: float, target: float, quiet: bool) -> dict[str, Any]:
    from cribsim.analysis.pegging_game import solve_pegging

    options: dict[str, Any] = {"discards": kept, "minutes": minutes, "target": target, "command": command_line()}
    with progress_bar("seconds", quiet=quiet) as progress:
        return solve_pegging(out, **options, told=_say(quiet), progress=progress)


def _solve_deal(out: str, target: float | None, quiet: bool) -> dict[str, Any]:
    from cribsim.analysis.whole_deal import solve_deal

    options: dict[str, Any] = {} if target is None else {"target": target}
    return solve_deal(out, **options, command=command_line(), told=_say(quiet))


def _say(quiet: bool) -> Callable[[str], None] | None:
    return None if quiet else lambda line: tell(line, err=True)


@click.command()
@click.option("--discard", "discards", help="A discard strategy that draws nothing at random, also file.py:name.")
@click.option("--play", help="A pegging strategy that draws nothing at random, or equilibrium, or random.")
@click.option("--range", "kept", help="--play alone: whose kept hands, a discard strategy. Default expectimax.")
@click.option("--no-pegging", is_flag=True, help="--discard alone: leave out what the kept cards peg.")
@click.option("--hands", type=Number(), default=400, help="--discard: hands of each role worked out. Default 400.")
@click.option("--seen", type=Number(), default=200, help="Both: deals of each role seen by the reply. Default 200.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the drawing of hands and deals.")
@confidence_option
@quiet_option
@json_option
def exploit(quiet: bool, as_json: bool, **asked: Any) -> None:
    """How many points a deal a best reply gains against a strategy, by role: of discards, of play, or of both.

    Takes a minute or a few.

    Example: cribsim exploit --play greedy
    """
    discards, play = asked.pop("discards"), asked.pop("play")
    if discards is None and play is None:
        raise CribsimError("name a strategy, as in cribsim exploit --discard expectimax, or --play greedy, or both")
    _refuse_idle(discards, play)
    from cribsim.analysis.exploiting import exploitability

    tell_if_compiling(quiet=quiet)
    with progress_bar("hands" if play is None else "steps", quiet=quiet) as progress:
        found = exploitability(
            discard=discards,
            play=play,
            discards=asked.pop("kept"),
            pegging=not asked.pop("no_pegging"),
            **asked,
            progress=progress,
        ).to_json()
    if as_json:
        print_json(found)
    elif discards is None:
        _print_play(found)
    elif play is None:
        _print_discards(found)
    else:
        _print_deal(found)


def _refuse_idle(discards: str | None, play: str | None) -> None:
    """Options that would do nothing."""
    if discards is None:
        for name in given_options("no_pegging", "hands", "seen", "seed", "confidence"):
            raise CribsimError(f"--{name.replace('_', '-')} goes with --discard; --play is measured over all hands")
    else:
        for _ in given_options("kept"):
            raise CribsimError("--range goes with --play alone")
    if discards is not None and play is not None:
        for _ in given_options("no_pegging"):
            raise CribsimError("--no-pegging goes with --discard alone")
    elif play is None:
        for _ in given_options("seen"):
            raise CribsimError("--seen goes with --discard and --play together")


def _gains(found: dict[str, Any], confidence: float) -> list[list[str]]:
    """Gain, standard error and interval by the opponent's role."""
    from cribsim.stats import quantile

    rows = []
    for key, name in _OPPONENTS.items():
        se = found["se" if key == "exploitability" else f"{key}_se"]
        reach = quantile(confidence) * se
        rows.append([name, f"{found[key]:.4f}", f"{se:.4f}", f"{found[key] - reach:.4f} – {found[key] + reach:.4f}"])
    return rows


def _print_discards(found: dict[str, Any]) -> None:
    title = f"{found['strategy']}: what its best opponent gains over the mirror, points a deal"
    columns = ["opponent as", "gain", "se", f"{100 * found['confidence']:g} %"]
    print_table(title, columns, _gains(found, found["confidence"]))
    pegging = f"pegging: {found['pegging_table']}" if found["pegging_table"] else "no pegging"
    mirror = f"mirror ({found['strategy']} against itself): pone less dealer"
    tell(f"{mirror} {found['mirror_value']:.3f} points without heels")
    tell(f"{pegging}; se of the part worked out exactly on {found['hands']} hands of each role, seed {found['seed']}")


def _print_play(found: dict[str, Any]) -> None:
    rows = [[name, f"{found[key]:.6f}"] for key, name in _OPPONENTS.items()]
    title = f"{found['strategy']}: what its best opponent gains over the mirror, points a deal, exact"
    print_table(title, ["opponent as", "gain"], rows)
    tell(f"mirror: pone less dealer {found['mirror_value']:.4f}; hands as {found['range']} keeps them")


def _print_deal(found: dict[str, Any]) -> None:
    title = f"{found['strategy']}: what its best opponent gains over the mirror, points a deal"
    names = {"discard": "throws alone", "play": "play alone", "play_seeing_all": "play, seeing starter and throws"}
    rows = [["throws and play", *row] for row in _gains(found, found["confidence"])]
    for key, name in names.items():
        rows += [[name, *row] for row in _gains(found["parts"][key], found["confidence"])]
    print_table(title, ["it changes", "as", "gain", "se", f"{100 * found['confidence']:g} %"], rows)
    tell("but for the last rows the reply sees neither starter nor its own throws in the play")
    tell(f"mirror: pone less dealer {found['mirror_value']:.3f} points without heels")
    tell(f"{found['hands']} hands and {found['seen']} deals of each role worked out exactly, seed {found['seed']}")
