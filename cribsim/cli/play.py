"""Commands that play: simulate, compare, run."""

from __future__ import annotations

import contextlib
import importlib
import shlex
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from cribsim.cli.common import (
    Number,
    interval,
    json_option,
    print_json,
    print_table,
    progress_bar,
    quiet_option,
    rules_text,
    seed_option,
    share_interval,
    tell_if_compiling,
)
from cribsim.cli.output import tell
from cribsim.errors import CribsimError, Interrupted, count_of


def command_line() -> str:
    """The command as it was given."""
    return shlex.join(["cribsim", *sys.argv[1:]])


def _check_amount(deals: int | None, games: int | None, matches: int | None) -> str:
    """The one amount that is given, by its name."""
    asked = [name for name, n in (("deals", deals), ("games", games), ("matches", matches)) if n is not None]
    if len(asked) != 1:
        raise CribsimError(f"give {'one of ' if asked else ''}--deals N, --games N or --matches N")
    return asked[0]


@contextlib.contextmanager
def _telling(show: Callable[[dict[str, Any]], None], *, as_json: bool, out: str | None = None) -> Iterator[None]:
    """On Ctrl-C show people what was played so far."""
    try:
        yield
    except Interrupted as stop:
        told: Any = stop.result
        if told is not None and not as_json:
            show(told.to_json())
        if told is not None and out is not None:
            stop.done += f", saved in {out}"
        raise


def _tell(found: Any, show: Callable[[dict[str, Any]], None], *, as_json: bool, out: str | None) -> None:
    """Show a result or a comparison."""
    if as_json:
        print_json(found.to_json())
        return
    show(found.to_json())
    if out is not None:
        tell(f"saved in {out}")


@click.command()
@click.option("--players", multiple=True, required=True, metavar="A B [C [D]]", help="One for each seat; last deals.")
@click.option("--deals", type=Number(), help="How many deals, as in 10M.")
@click.option("--games", type=Number(), help="How many games.")
@click.option("--matches", type=Number(), help="How many matches; --rules says to how many game points: acc,match=7.")
@click.option(
    "--given",
    multiple=True,
    help="Cards that are known: pone='5H 5S', pone_kept=, pone_thrown=, starter=5C and so on; one --given each.",
)
@click.option("--out", help="A new folder for tallies and provenance.")
@click.option("--record", is_flag=True, help="One row of every deal too, into --out.")
@seed_option
def simulate(
    players: tuple[str, ...],
    deals: int | None,
    games: int | None,
    matches: int | None,
    given: tuple[str, ...],
    out: str | None,
    record: bool,
    first: int,
    seed: int,
    workers: int | None,
    rules: str | None,
    confidence: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play many deals, games or matches and average every phase.

    Example: cribsim simulate --players expectimax+greedy greedy --deals 1M --out results/mine
    """
    unit = _check_amount(deals, games, matches)
    _check_simulation(players, record and out is None)
    tell_if_compiling(quiet=quiet)
    if out is not None:
        importlib.import_module("pyarrow.parquet")  # now, so that Ctrl-C needn't wait for it
    from cribsim.simulation import simulate as play

    with _telling(_print_result, as_json=as_json, out=out), progress_bar(unit, quiet=quiet) as progress:
        result = play(
            list(players),
            deals=deals,
            games=games,
            matches=matches,
            first=first,
            seed=seed,
            rules=rules,
            workers=workers,
            given=given,
            out=out,
            record=record,
            progress=progress,
            confidence=confidence,
            command=command_line(),
        )
    _tell(result, _print_result, as_json=as_json, out=out)


def _check_simulation(players: tuple[str, ...], homeless: bool) -> None:
    if not 2 <= len(players) <= 4:
        raise CribsimError(f"--players takes two, three or four, one for each seat, not {len(players)}")
    if homeless:
        raise CribsimError("--record needs --out DIR, a folder for the deal records")


def _print_phases(title: str, headings: dict[str, str], found: dict[str, Any]) -> None:
    """Phases down, roles across: so that four players' numbers fit a narrow terminal."""
    roles = list(dict.fromkeys(row["seat"] for row in found["phases"]))
    phases = list(dict.fromkeys(row["phase"] for row in found["phases"]))
    digits = _digits(found["phases"])
    cells = {(row["seat"], row["phase"]): interval(row, digits) for row in found["phases"]}
    print_table(
        f"{title}, {100 * found['confidence']:g} % intervals",
        ["phase", *(headings.get(role, role) for role in roles)],
        [[phase, *(cells[role, phase] for role in roles)] for phase in phases],
    )


def _print_given(found: dict[str, Any]) -> None:
    if found["given"]:
        cards = ", ".join(f"{name} {cards}" for name, cards in found["given"].items())
        tell(f"given: {cards}; {count_of(found['redrawn'], 'deal')} drawn anew")


def _digits(estimates: list[dict[str, Any]]) -> int:
    """Digits behind the point: few where few deals leave whole points in doubt."""
    return 2 if any(row["high"] is not None and row["high"] - row["low"] >= 2 for row in estimates) else 4


def _print_seats(found: dict[str, Any]) -> None:
    """Points by seat, where the seats change their roles and different players sit there."""
    if found["mode"] == "deals" or len(set(found["players"])) == 1 or not found["seats"]:
        return
    muggins = found["rules"]["muggins"]
    rows = [
        [str(row["seat"]), row["player"], interval(row), *([interval(row["muggins"])] if muggins else [])]
        for row in found["seats"]
    ]
    columns = ["seat", "player", "points a deal", *(["taken by muggins"] if muggins else [])]
    print_table("by seat, whatever the roles", columns, rows)


def _print_result(found: dict[str, Any]) -> None:
    _print_phases("points per deal", {}, found)
    _print_seats(found)
    if found["match_wins"]:
        rows = [[str(row["seat"]), row["player"], share_interval(row)] for row in found["match_wins"]]
        print_table("matches", ["seat", "player", "share of wins"], rows)
        tell(f"games per match {interval(found['games_per_match'], 3)}\n")
    if found["wins"]:
        rows = [
            [str(row["seat"]), row["player"], share_interval(row), interval(row["game_points"])]
            for row in found["wins"]
        ]
        print_table("games", ["seat", "player", "share of wins", "game points a game"], rows)
        tell(f"first dealer wins {share_interval(found['first_dealer_wins'])}")
        if len(found["wins_by_turn"]) > len(found["sides"]) or len(found["sides"]) > 2:
            turns = [f"{row['role']} {share_interval(row)}" for row in found["wins_by_turn"]]
            tell(f"by role in the first deal: {'; '.join(turns)}")
        _print_skunks(found["skunks"], found["rules"])
        tell(f"deals per game {interval(found['deals_per_game'], 3)}")
    _print_given(found)
    numbers = {"match": found["matches"], "game": found["games"]}
    played = "".join(f"{count_of(n, unit)}, " for unit, n in numbers.items() if n)
    speed = f", {found['deals_per_second']:,.0f} deals/s" if found["deals_per_second"] else ""
    tell(
        f"{' · '.join(found['players'])}: {played}{count_of(found['deals'], 'deal')}, seed {found['seed']}, "
        f"rules {rules_text(found['rules'])}{speed}"
    )


def _print_skunks(found: dict[str, Any], rules: dict[str, Any]) -> None:
    """The share of each kind that there is: a double skunk isn't counted among the skunks, so all are told, too."""
    names = [name for name in ("skunk", "double_skunk", "triple_skunk") if name in found and rules[name]]
    for name in names:
        only = " and no more" if name != names[-1] else ""
        tell(f"{name.replace('_', ' ')}{only} {share_interval(found[name])}")
    if len(names) > 1:
        tell(f"skunks of any kind {share_interval(found['any'])}")


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--deals", type=Number(), help="Distinct deals; each is played twice.")
@click.option("--games", type=Number(), help="Pairs of games on the same deals.")
@click.option("--matches", type=Number(), help="Pairs of matches on the same deals.")
@click.option("--out", help="A new folder for the comparison.")
@seed_option
def compare(
    a: str,
    b: str,
    deals: int | None,
    games: int | None,
    matches: int | None,
    out: str | None,
    first: int,
    seed: int,
    workers: int | None,
    rules: str | None,
    confidence: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Is A better than B? Every deal is played with A in every place: twice, or with three or four players each for
    himself (--rules three) once for each seat that A has among B's.

    Example: cribsim compare expectimax+greedy greedy --deals 1M
    """
    _check_amount(deals, games, matches)
    tell_if_compiling(quiet=quiet)
    from cribsim.comparison import compare as play

    with _telling(_print_comparison, as_json=as_json, out=out), progress_bar("pairs", quiet=quiet) as progress:
        found = play(
            a,
            b,
            deals=deals,
            games=games,
            matches=matches,
            first=first,
            seed=seed,
            rules=rules,
            workers=workers,
            out=out,
            progress=progress,
            confidence=confidence,
            command=command_line(),
        )
    _tell(found, _print_comparison, as_json=as_json, out=out)


def _print_comparison(found: dict[str, Any]) -> None:
    from cribsim.saved import UNITS

    unit, roles = UNITS[found["mode"]], dict.fromkeys(row["seat"] for row in found["phases"])
    headings = {role: f"as {role}" for role in roles if role not in ("both", "all")}
    _print_phases(f"{found['a']} less {found['b']}, points a {unit}", headings, found)
    kind = "game points" if found["mode"] == "matches" else "points"
    if found["rules"]["teams"]:
        tell("all: the sum of a side's two seats, on average over both sides")
    bad = f" in favour of {found['a']} (fewer are better)" if found["rules"]["lowball"] else ""
    tell(f"difference {interval(found['difference'])} {kind} a {unit}{bad}")
    if found["win_rate_a"]:
        fair = f" (equal players: 1 of {found['plays']})" if found["plays"] > 2 else ""
        tell(f"{found['a']} wins {share_interval(found['win_rate_a'])} of its {found['mode']}{fair}")
        if found["mode"] == "games":
            tell(f"game points {interval(found['game_points'])} a game")
    n = count_of(found["pairs"], "pair") if found["plays"] == 2 else f"{found['pairs']:,} groups of {found['plays']}"
    tell(f"{n}, seed {found['seed']}, rules {rules_text(found['rules'])}")


@click.command()
@click.argument("file", required=False)
@click.option("--list", "listing", is_flag=True, help="List the experiments under experiments/.")
@click.option("--scale", type=float, default=1.0, help="Multiply deals or games; the result gets its own folder.")
@click.option("--out", help="A new folder; default results/NAME of NAME.toml.")
@quiet_option
@json_option
def run(file: str | None, listing: bool, scale: float, out: str | None, quiet: bool, as_json: bool) -> None:
    """Run an experiment: a question, a method, and one simulate or compare, in a TOML file.

    results/NAME is the experiment's own folder: an earlier result of it there is replaced when the new one is whole.

    Example: cribsim run experiments/expectimax_vs_greedy.toml --scale 0.1
    """
    from cribsim.experiment import list_experiments, read_experiment, run_experiment

    if listing:
        _print_experiments(list_experiments(), as_json)
        return
    if file is None:
        raise CribsimError("name a TOML file, or use --list")
    experiment = read_experiment(file)
    tell_if_compiling(quiet=quiet)
    kinds = ((experiment.compare, _print_comparison), (experiment.pegging, _print_pegging))
    show = next((show for work, show in kinds if work), _print_result)
    with _telling(show, as_json=as_json), progress_bar("playing", quiet=quiet) as progress:
        found, folder = run_experiment(experiment, scale=scale, out=out, progress=progress, command=command_line())
    if as_json:
        print_json(found.to_json())
        return
    tell(f"{experiment.title}\n")
    show(found.to_json())
    tell(f"saved in {folder}")


def _print_pegging(found: dict[str, Any]) -> None:
    tell(f"{found['pegging']}: {found['kept_hands']:,} kept hands, {found['deals']:,} deals for each role")
    tell(f"largest standard error {found['largest_se']:.3f} points; seed {found['seed']}")


def _print_experiments(rows: list[dict[str, str]], as_json: bool) -> None:
    if as_json:
        print_json({"experiments": rows})
    elif rows:
        print_table("", ["file", "title", "question"], [[row["file"], row["title"], row["question"]] for row in rows])
    else:
        tell("no experiments (*.toml) in experiments/", err=True)
