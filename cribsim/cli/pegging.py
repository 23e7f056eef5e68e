"""Commands about the play: peg, solve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from cribsim.cli.common import Number, json_option, print_json, print_table, progress_bar, tell_if_compiling
from cribsim.cli.output import tell
from cribsim.cli.play import command_line
from cribsim.errors import CribsimError


@click.command()
@click.option("--hand", help="The cards still held.")
@click.option("--played", default="", help="The cards played, in order, with go where one was said: '7C 8D KH go'.")
@click.option("--dealer", is_flag=True, help="You deal; the other led.")
@click.option("--pone", is_flag=True, help="The other deals; you led.")
@click.option("--discards", "thrown", default="", help="The cards you threw.")
@click.option("--starter", help="The cut card.")
@click.option("--score", help="Not known yet.")
@click.option("--position", "file", help="A JSON file instead: players, dealer, seat, hand, discards, starter, plays.")
@click.option("--rollout", help="Who plays on: a pegging strategy. Default equilibrium; three and four: greedy.")
@click.option("--range", "kept", help="What the other keeps: a discard strategy. Default equilibrium.")
@click.option("--sample", type=Number(), default=20_000, help="Draws of the hidden cards. Default 20,000.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draws.")
@json_option
def peg(file: str | None, as_json: bool, **options: Any) -> None:
    """What each card that may be played is worth to the end of the play.

    Example: cribsim peg --hand "5H 5S JD" --played "7C 8D" --pone
    """
    from cribsim.analysis.plays import play_values

    if options["score"]:
        raise CribsimError("--score: values by chance of winning aren't known yet; leave it out")
    position = _read_position(file) if file else _position_of(**options)
    tell_if_compiling()
    asked = {"rollout": options["rollout"], "discards": options["kept"], "samples": options["sample"]}
    found = play_values(position, **asked, seed=options["seed"]).to_json()
    if as_json:
        print_json(found)
        return
    rows = [
        [row["card"], str(row["now"]), *(f"{row[name]:.3f}" for name in ("own", "other", "difference"))]
        + [f"{(row['high'] - row['low']) / 2:.3f}"]
        + ([] if row["equilibrium"] is None else [f"{100 * row['equilibrium']:.0f} %"])
        for row in found["plays"]
    ]
    columns = ["card", "now", "own", "other", "difference", "±", "equilibrium"][: len(rows[0])]
    print_table("points to the end of the play, on average", columns, rows)
    kept = f"the other keeps cards as {found['discards']} does" if found["discards"] else "the others hold any cards"
    told = f"{kept}; all play on as {found['rollout']}; {found['samples']:,} draws, seed {found['seed']}"
    tell(f"{told}; ± {100 * found['confidence']:g} %, the same draws for every card")


def _read_position(file: str) -> dict[str, Any]:
    try:
        found = json.loads(Path(file).read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else f"it is no JSON ({error})"
        raise CribsimError(f"--position {file}: {why}") from None
    if not isinstance(found, dict):
        raise CribsimError(f"--position {file}: an object with hand, plays, dealer, seat is wanted")
    return found


def _position_of(hand: str | None, played: str, dealer: bool, pone: bool, **options: Any) -> dict[str, Any]:
    if not hand:
        raise CribsimError('name the cards held, as in cribsim peg --hand "5H 5S JD" --played "7C 8D" --pone')
    if dealer == pone:
        raise CribsimError("who deals? give one of --dealer and --pone")
    plays = _plays_of(played.replace(",", " ").split())
    told = {"dealer": 1, "seat": int(dealer), "hand": hand, "plays": plays}
    return told | {"discards": options["thrown"] or None, "starter": options["starter"]}


def _plays_of(words: list[str]) -> list[tuple[int, str]]:
    """Who played what, two players: the pone (seat 0) leads, a go passes the turn for the rest of the count."""
    from cribsim.cards import parse_cards
    from cribsim.rules import MAX_COUNT, pip_of

    plays: list[tuple[int, str]] = []
    seat, count, last, gone, left = 0, 0, 1, set[int](), [4, 4]
    for word in words:
        if word.lower() == "go":
            plays.append((seat, "go"))
            gone.add(seat)
            seat = 1 - seat
            continue
        pip = pip_of(parse_cards(word)[0])
        if count + pip > MAX_COUNT:
            seat, count, gone = 1 - last, 0, set()
        if not left[seat]:
            seat = 1 - seat
        plays.append((seat, word))
        left[seat] -= 1
        count, last = count + pip, seat
        if count == MAX_COUNT:
            count, gone = 0, set()
        seat = seat if 1 - seat in gone or not left[1 - seat] else 1 - seat
    return plays


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
