"""Commands about the play: solve."""

from __future__ import annotations

import click

from cribsim.cli.common import json_option, print_json, progress_bar, tell_if_compiling
from cribsim.cli.output import tell
from cribsim.cli.play import command_line
from cribsim.errors import CribsimError


@click.command()
@click.argument("game")
@click.option("--minutes", type=float, default=10.0, show_default=True, help="Of solving, those before a resume too.")
@click.option("--target", type=float, default=0.0, help="Stop earlier at this exploitability, points a deal.")
@click.option("--range", "kept", default="equilibrium", show_default=True, help="Whose kept hands: a discard strategy.")
@click.option("--out", help="A new folder, or one in which the same game was being solved.")
@click.option("--quiet", is_flag=True, help="Nothing on stderr but errors.")
@json_option
def solve(game: str, minutes: float, target: float, kept: str, out: str | None, quiet: bool, as_json: bool) -> None:
    """Solve the pegging game: near-Nash play, with its exact exploitability.

    Takes 4 GB of memory. Ctrl-C keeps what is solved, and the same command goes on.

    Example: cribsim solve pegging --minutes 10 --out solution
    """
    if game != "pegging":
        raise CribsimError(f"{game!r} can't be solved; write cribsim solve pegging")
    if not out:
        raise CribsimError("name a folder for the solution, as in cribsim solve pegging --out solution")
    from cribsim.analysis.pegging_game import solve_pegging

    tell_if_compiling(quiet=quiet)
    with progress_bar("seconds", quiet=quiet) as progress:
        found = solve_pegging(
            out,
            discards=kept,
            minutes=minutes,
            target=target,
            command=command_line(),
            told=None if quiet else _tell,
            progress=progress,
        )
    if as_json:
        print_json({"out": out, **found})
        return
    tell(f"{found['rounds']} rounds in {found['seconds']:.0f} s; range: {found['range']}")
    tell(f"pone less dealer {found['mirror_value']:.4f} points a deal")
    tell(
        f"exploitability, points a deal: {found['exploitability_solution']:.6f}; in 250ths (levels.npy) "
        f"{found['exploitability_full']:.6f}; small form of {found['places_kept']:,} places "
        f"{found['exploitability_small']:.6f}"
    )
    tell(f'play it as equilibrium(solution="{out}")')


def _tell(line: dict[str, float]) -> None:
    tell(f"round {line['rounds']}: {line['seconds']:.0f} s, exploitability {line['exploitability']:.6f}", err=True)
