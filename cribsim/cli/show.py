"""Commands that answer at once: score, replay, rules, strategies."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import click

from cribsim.cli.common import json_option, print_json, print_table, rule_words, say, tell_if_compiling
from cribsim.cli.output import tell


@click.command()
@click.argument("hand", nargs=-1, required=True)
@click.option("--starter", required=True, help="The cut card.")
@click.option("--crib", is_flag=True, help="The four lie in the crib: only five of a suit make a flush.")
@json_option
def score(hand: tuple[str, ...], starter: str, crib: bool, as_json: bool) -> None:
    """Score four cards with a starter.

    Example: cribsim score "5H 5S 5C JD" --starter 5D
    """
    tell_if_compiling()
    from cribsim.scoring import score_hand

    found = score_hand(" ".join(hand), starter, crib=crib)
    parts = {name: getattr(found, name) for name in ("total", "fifteens", "pairs", "runs", "flush", "nobs")}
    if as_json:
        print_json({**parts, "explain": found.explain()})
    else:
        tell(f"{found.total}: {found.explain()}")


@click.command()
@click.argument("file")
@json_option
def replay(file: str, as_json: bool) -> None:
    """Check and score a recorded play: JSON with hands, plays and dealer, and the points where they were recorded.

    docs/replay.md lists the keys; examples/play.json is such a file.

    Example: cribsim replay examples/play.json
    """
    tell_if_compiling()
    from cribsim.replay_files import replay_file

    found = replay_file(file)
    if as_json:
        print_json(found)
        return
    rows = [
        [str(event["seat"]), event["card"], str(event["count"]), str(event["points"]), ", ".join(event["parts"])]
        for event in found["events"]
    ]
    print_table("", ["seat", "card", "count", "points", "for"], rows)
    tell(f"pegged {list(found['pegged'])}, scores {list(found['scores'])}")
    for error in found["errors"]:
        tell(f"line {error['line']}: recorded {error['recorded']}, right {error['right']} ({error['why']})")


def _unlike(values: dict[str, Any]) -> str:
    return ", ".join(rule_words(values)) or "-"


@click.command()
@click.argument("text", required=False)
@json_option
def rules(text: str | None, as_json: bool) -> None:
    """List the named games, or show one in full.

    Example: cribsim rules short,skunk=40
    """
    from cribsim.presets import PRESETS
    from cribsim.rule_text import MAY_BE
    from cribsim.rules import Rules

    known = {name: (Rules.named(name), about) for name, (_, about) in PRESETS.items()}
    if text:
        found = Rules.parse(text)
        about = PRESETS[text][1] if text in PRESETS else _unlike(found.as_dict())
        known = {text: (found, about)}
    if as_json:
        presets = [{"name": n, "rules": found.as_dict(), "about": about} for n, (found, about) in known.items()]
        print_json({"presets": presets})
    elif text:
        told, about = known[text]
        rows = [[key, say(value), MAY_BE[key]] for key, value in told.as_dict().items()]
        print_table(text, ["rule", "value", "may be"], rows)
        tell(about if text in PRESETS else f"unlike the standard game: {about}")
        tell("what each rule means: docs/rules.md")
    else:
        rows = [[name, _unlike(found.as_dict()), about] for name, (found, about) in known.items()]
        print_table("", ["name", "unlike the standard game", "about"], rows)
        tell("cribsim rules NAME shows every rule and what it may be; --rules acc,target=61 changes some")


@click.command()
@click.option("--time", "timed", is_flag=True, help="Measure nanoseconds per decision.")
@click.option("--check", "player", metavar="PLAYER", help="Try a player, or half of one, on thousands of decisions.")
@json_option
def strategies(timed: bool, player: str | None, as_json: bool) -> None:
    """List the strategies, or check one.

    Example: cribsim strategies --time

    Example: cribsim strategies --check examples/my_strategy.py:keep_fives
    """
    tell_if_compiling()
    from cribsim.strategies import check_strategy, list_strategies

    if player is not None:
        report = check_strategy(player)
        print_json({"check": dataclasses.asdict(report)}) if as_json else tell(str(report))
        return
    rows = list_strategies()
    for row in rows:
        row["ns_per_decision"] = _ns_per_decision(row) if timed or as_json else None
    if as_json:
        print_json({"strategies": rows})
        return
    shown = [
        [
            row["name"],
            row["half"],
            ", ".join(map(str, row["players"])),
            ", ".join(row["parameters"]) or "-",
            *([_rate(row["ns_per_decision"])] if timed else []),
            row["about"],
        ]
        for row in rows
    ]
    print_table("", ["name", "half", "players", "parameters", *(["ns"] if timed else []), "about"], shown)


def _rate(nanoseconds: float | None) -> str:
    return "" if nanoseconds is None else f"{nanoseconds:.0f}"


def _ns_per_decision(row: dict[str, Any]) -> float | None:
    """Time a built-in half over decisions of random games."""
    needs = any(parameter["default"] is None for parameter in row["parameters"].values())
    if row["source"] != "built in" or 2 not in row["players"] or needs:
        return None
    from cribsim.bench import answer_all, sample_views
    from cribsim.strategies import find_half

    views = sample_views(row["half"])
    work = answer_all(find_half(row["name"], row["half"]), views)
    best = float("inf")
    for _ in range(4):  # the first loads what it needs
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best / len(views) * 1e9
