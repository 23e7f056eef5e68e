"""The rows of tests/data/cases_*.jsonl as pytest parameters, and how a row's hands and plays are replayed.

Each row says what went in, what is right and why; data/README.md says where they come from. The tests over
them stand in test_cases_*.py. Nothing here knows a rule of cribbage.
"""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import cribsim

DATA = Path(__file__).parent / "data"
PACK = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]


@cache
def load(name):
    """All rows of data/cases_<name>.jsonl, in the order of the file."""
    text = (DATA / f"cases_{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def kinds(name):
    return {row["input"]["kind"] for row in load(name)}


def rows(name, *wanted, where=None):
    """Parametrise a test over the rows of these kinds (argument `row`); test ids are case id and title."""
    chosen = [row for row in load(name) if row["input"]["kind"] in wanted and (where is None or where(row))]
    assert chosen, f"no row of kind {wanted} in cases_{name}.jsonl"
    params = [pytest.param(row, id=f"{row['id']} {row['title']}") for row in chosen]
    return pytest.mark.parametrize("row", params)


def row_by_id(name, case_id):
    return next(row for row in load(name) if row["id"] == case_id)


def fraction(value):
    """The exact value of a number written as num and den."""
    return Fraction(value["num"], value["den"])


def text(cards):
    return " ".join(cards)


def hands_of(given):
    """The hands of a row by seat number."""
    return {int(seat): text(cards) for seat, cards in given["hands"].items()}


def rules_of(given):
    """Standard rules for the row's number of players, with its target where it names one."""
    target = {"target": given["target"]} if "target" in given else {}
    return cribsim.Rules(players=given.get("players", 2), **target)


def replay(given, plays=None):
    """Replay the row's plays, or others from the same hands."""
    moves = given["plays"] if plays is None else plays
    return cribsim.replay_play(
        hands_of(given),
        [tuple(move) for move in moves],
        dealer=given["dealer"],
        rules=rules_of(given),
        scores=given.get("scores_before"),
    )


def cards_played(record):
    """The events that are cards, goes left out."""
    return [event for event in record.events if event[1] != "go"]


def closing_points(event):
    """What the card earned for the go or for being last."""
    parts = event[4]
    return parts.get("go", 0) + parts.get("last", 0)


def card_points(event):
    """What the card itself scored: all but the go or last-card point."""
    return event[3] - closing_points(event)


def unseen(*seen):
    """The pack without these cards (texts or lists), in pack order."""
    gone = {card for cards in seen for card in (cards.split() if isinstance(cards, str) else cards)}
    return [card for card in PACK if card not in gone]


def in_order(cards):
    """Cards sorted by rank, then suit, as a view shows them."""
    return sorted(cards, key=PACK.index)
