"""The command about one position of the play: peg."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cribsim.cli.common import (
    Number,
    given_options,
    json_option,
    print_json,
    print_table,
    read_score,
    rule_words,
    tell_if_compiling,
)
from cribsim.cli.output import tell
from cribsim.errors import CribsimError
from cribsim.json_files import FileError, read_json

if TYPE_CHECKING:
    from cribsim.rules import Rules

_ASKED = {"rollout": "rollout", "discards": "kept", "samples": "sample", "seed": "seed", "rules": "rules"}
"""Parameters of `play_values`, and the options that give them."""


@click.command()
@click.option("--hand", help="The cards still held.")
@click.option("--played", default="", help="The cards played, in order, with go where one was said: '7C 8D KH go'.")
@click.option("--dealer", is_flag=True, help="You deal; the other led.")
@click.option("--pone", is_flag=True, help="The other deals; you led.")
@click.option("--discards", "thrown", default="", help="The cards you threw.")
@click.option("--starter", help="The cut card.")
@click.option("--score", help="Yours and the other's, as in 110-113: the game ends at the target.")
@click.option(
    "--position",
    "file",
    help="A JSON file instead: players, dealer, seat, hand, discards, starter, plays, scores.",
)
@click.option("--rules", help="A named game and keys, as in lowball, or standard,exact_out=true.")
@click.option(
    "--rollout",
    help="Who plays on: a pegging strategy. Default equilibrium; other games: expectimax, with five cards greedy.",
)
@click.option(
    "--range",
    "kept",
    help="What the other keeps: a discard strategy. Default equilibrium, in lowball expectimax; with five cards each "
    "any unseen.",
)
@click.option("--sample", type=Number(), default=20_000, help="Draws of the hidden cards. Default 20,000.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draws.")
@json_option
def peg(file: str | None, as_json: bool, **options: Any) -> None:
    """What each card that may be played is worth to the end of the play.

    Example: cribsim peg --hand "5H 5S JD" --played "7C 8D" --pone
    """
    from cribsim.analysis.plays import play_values

    told_by_file = ("hand", "played", "dealer", "pone", "thrown", "starter", "score")
    for name in given_options(*told_by_file) if file is not None else []:
        raise CribsimError(
            f"--{'discards' if name == 'thrown' else name} doesn't go with --position, which says it all"
        )
    if file is None:
        options["rules"] = _rules_of(options["rules"])
    position = _read_position(file) if file is not None else _position_of(**options)
    tell_if_compiling()
    asked = {name: options[given] for name, given in _ASKED.items()}
    found = play_values(position, **asked).to_json()
    if as_json:
        print_json(found)
    else:
        _print_plays(found, int(position["seat"]))


def _print_plays(found: dict[str, Any], seat: int) -> None:
    is_solved = any(row["equilibrium"] is not None for row in found["plays"])
    rows = [
        [row["card"], str(row["count"]), str(row["now"])]
        + [f"{row[name]:.3f}" for name in ("own", "other", "difference")]
        + [f"{(row['high'] - row['low']) / 2:.3f}"]
        + ([_often(row["equilibrium"])] if is_solved else [])
        for row in found["plays"]
    ]
    columns = ["card", "count", "now", "own", "other", "difference", "±", "equilibrium"][: len(rows[0])]
    left = f" ({' '.join(found['unfit'])} would pass 31)" if found["unfit"] else ""
    or_game = " or the game" if found["scores"] else ""
    fewest = "; the fewest are best" if found["rules"]["lowball"] else ""
    game = ", ".join(rule_words(found["rules"]))
    told = f"the count is {found['count']}{left}; points to the end of the play{or_game}{fewest}"
    title = f"{game}: {told}" if game else told
    print_table(title, columns, rows)
    kept = f"the other keeps cards as {found['discards']} does" if found["discards"] else "the others hold any cards"
    if found["scores"]:
        tell(_score_text(found, seat))
    told = f"{kept}; all play on as {found['rollout']}; {found['samples']:,} draws, seed {found['seed']}"
    tell(f"{told}; ± {100 * found['confidence']:g} %, the same draws for every card")


def _often(share: float | None) -> str:
    return "not kept" if share is None else f"{100 * share:.0f} %"


def _read_position(file: str) -> dict[str, Any]:
    try:
        found = read_json(Path(file)) if file else None
    except FileError as error:
        raise CribsimError(f"--position {file}: {error}") from None
    if not isinstance(found, dict):
        raise CribsimError(
            f"--position {file or repr('')}: a file of an object with hand, plays, dealer, seat is wanted"
        )
    return found


def _score_text(found: dict[str, Any], seat: int) -> str:
    """The scores in words."""
    scores = found["scores"]
    own = seat % len(scores)
    others = " and ".join(str(score) for side, score in enumerate(scores) if side != own)
    return f"your side has {scores[own]}, the others {others}; the game ends at {found['rules']['target']}"


def _position_of(hand: str | None, played: str, dealer: bool, pone: bool, **options: Any) -> dict[str, Any]:
    if not hand:
        raise CribsimError('name the cards held, as in cribsim peg --hand "5H 5S JD" --played "7C 8D" --pone')
    if dealer == pone:
        raise CribsimError("who deals? give one of --dealer and --pone")
    plays = _plays_of(played.replace(",", " ").split(), options["rules"].n_kept)
    told = {"dealer": 1, "seat": int(dealer), "hand": hand, "plays": plays, "scores": None}
    if options["score"] is not None:
        own, other = read_score(options["score"], is_dealer=dealer)
        told["scores"] = [other, own] if dealer else [own, other]
    return told | {"discards": options["thrown"] or None, "starter": options["starter"]}


def _rules_of(text: str | None) -> Rules:
    """The rules of two players; a position of three and four comes in a file."""
    from cribsim.rules import read_rules

    known = read_rules(text, 2)
    if known.players != 2:
        raise CribsimError(f"--rules {text}: positions of {known.players} players come in a file, --position")
    return known


def _plays_of(words: list[str], n_kept: int) -> list[tuple[int, str]]:
    """Who played what, two players: the pone (seat 0) leads, a go passes the turn for the rest of the count."""
    from cribsim.cards import parse_cards
    from cribsim.rules import MAX_COUNT, pip_of

    plays: list[tuple[int, str]] = []
    seat, count, last, gone, left = 0, 0, 1, set[int](), [n_kept, n_kept]
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
