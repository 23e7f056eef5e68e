"""Commands that play: simulate, compare, run."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from cribsim.cli.common import (
    Number,
    interval,
    json_option,
    print_json,
    print_table,
    progress_bar,
    seed_option,
    warn_if_cold,
)
from cribsim.errors import CribsimError


def _command() -> str:
    return shlex.join(["cribsim", *sys.argv[1:]])


@click.command()
@click.option("--players", multiple=True, required=True, metavar="A B [C [D]]", help="One for each seat; last deals.")
@click.option("--deals", type=Number(), help="How many deals, as in 10M.")
@click.option("--games", type=Number(), help="How many games.")
@click.option("--matches", type=Number(), help="Not played yet.")
@click.option("--out", help="A new folder for tallies and provenance.")
@click.option("--record", is_flag=True, help="One row of every deal too, into --out.")
@seed_option
def simulate(
    players: tuple[str, ...],
    deals: int | None,
    games: int | None,
    matches: int | None,
    out: str | None,
    record: bool,
    seed: int,
    workers: int | None,
    rules: str | None,
    confidence: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play many deals or games and average every phase.

    Example: cribsim simulate --players expectimax+greedy greedy --deals 1M --out results/mine
    """
    if matches is not None:
        raise CribsimError("--matches isn't played yet; use --games")
    warn_if_cold()
    from cribsim.simulation import simulate as play

    with progress_bar("games" if games else "deals", quiet=quiet) as progress:
        result = play(
            list(players),
            deals=deals,
            games=games,
            seed=seed,
            rules=rules,
            workers=workers,
            out=out,
            record=record,
            progress=progress,
            confidence=confidence,
            command=_command(),
        )
    if as_json:
        print_json(result.to_json())
    else:
        _print_result(result.to_json())
        if out:
            click.echo(f"saved in {out}")


def _print_result(found: dict[str, Any]) -> None:
    roles = list(dict.fromkeys(row["seat"] for row in found["phases"]))
    phases = list(dict.fromkeys(row["phase"] for row in found["phases"]))
    cells = {(row["seat"], row["phase"]): " ".join(interval(row)) for row in found["phases"]}
    title = f"points per deal, {found['confidence']:.0%} intervals"
    print_table(title, ["seat", *phases], [[role, *(cells[role, phase] for phase in phases)] for role in roles])
    if found["wins"]:
        rows = [
            [str(row["seat"]), row["player"], " ".join(interval(row)), " ".join(interval(row["game_points"]))]
            for row in found["wins"]
        ]
        print_table("games", ["seat", "player", "share of wins", "game points a game"], rows)
        click.echo(f"first dealer wins {' '.join(interval(found['first_dealer_wins']))}")
        click.echo(f"deals per game {' '.join(interval(found['deals_per_game'], 3))}")
    played = f"{found['games']:,} games, " if found["games"] else ""
    click.echo(
        f"{' · '.join(found['players'])}: {played}{found['deals']:,} deals, seed {found['seed']}, "
        f"{found['deals_per_second']:,.0f} deals/s"
    )


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--deals", type=Number(), help="Distinct deals; each is played twice.")
@click.option("--games", type=Number(), help="Pairs of games on the same deals.")
@seed_option
def compare(
    a: str,
    b: str,
    deals: int | None,
    games: int | None,
    seed: int,
    workers: int | None,
    rules: str | None,
    confidence: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Is A better than B? Every deal is played twice with the roles swapped.

    Example: cribsim compare expectimax+greedy greedy --deals 1M
    """
    warn_if_cold()
    from cribsim.comparison import compare as play

    with progress_bar("pairs", quiet=quiet) as progress:
        found = play(
            a,
            b,
            deals=deals,
            games=games,
            seed=seed,
            rules=rules,
            workers=workers,
            progress=progress,
            confidence=confidence,
            command=_command(),
        )
    if as_json:
        print_json(found.to_json())
    else:
        _print_comparison(found.to_json())


def _print_comparison(found: dict[str, Any]) -> None:
    roles = list(dict.fromkeys(row["seat"] for row in found["phases"]))
    phases = list(dict.fromkeys(row["phase"] for row in found["phases"]))
    cells = {(row["seat"], row["phase"]): " ".join(interval(row)) for row in found["phases"]}
    title = f"{found['a']} less {found['b']}, {found['confidence']:.0%} intervals"
    print_table(title, ["as", *phases], [[role, *(cells[role, phase] for phase in phases)] for role in roles])
    unit = "a game" if found["mode"] == "games" else "a deal"
    click.echo(f"difference {' '.join(interval(found['difference']))} points {unit}")
    if found["win_rate_a"]:
        click.echo(f"{found['a']} wins {' '.join(interval(found['win_rate_a']))} of its games")
        click.echo(f"game points {' '.join(interval(found['game_points']))} a game")
    click.echo(f"{found['pairs']:,} pairs, seed {found['seed']}")


@click.command()
@click.argument("file", required=False)
@click.option("--list", "listing", is_flag=True, help="List the experiments under experiments/.")
@click.option("--scale", type=float, default=1.0, help="Multiply deals or games.")
@click.option("--out", help="Where the result goes; default results/<name of the file>.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@json_option
def run(file: str | None, listing: bool, scale: float, out: str | None, quiet: bool, as_json: bool) -> None:
    """Run an experiment: a question, a method, and one simulate or compare, in a TOML file.

    Example: cribsim run experiments/expectimax_vs_greedy.toml --scale 0.1
    """
    from cribsim.experiment import list_experiments, read_experiment, run_experiment

    if listing:
        rows = list_experiments()
        if as_json:
            print_json({"experiments": rows})
        else:
            print_table("", ["file", "question"], [[row["file"], row["question"]] for row in rows])
        return
    if file is None:
        raise CribsimError("name a TOML file, or use --list")
    experiment = read_experiment(file)
    warn_if_cold()
    with progress_bar("playing", quiet=quiet) as progress:
        found, folder = run_experiment(experiment, scale=scale, out=out, progress=progress, command=_command())
    if as_json:
        print_json(found.to_json())
        return
    (_print_comparison if "difference" in found.to_json() else _print_result)(found.to_json())
    click.echo(f"saved in {folder}")
