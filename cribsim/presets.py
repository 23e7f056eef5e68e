"""The named games: which rules each has, and what it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

USUAL_TARGET = 121
_HALF = "half"
"""A line at half the target, rounded up, whatever that is."""
PRESETS: dict[str, tuple[dict[str, Any], str]] = {
    "standard": ({}, "two players to 121; a win counts 1, a skunk (loser under 91) 2"),
    "acc": (
        {"win_value": 2, "skunk_value": 3},
        "American Cribbage Congress: a win counts 2, a skunk 3, a double skunk no more",
    ),
    "casual": (
        {"double_skunk_value": 4, "triple_skunk_value": "match", "match": 7},
        "a win counts 1, a skunk 2, a double skunk 4; a triple skunk wins the match, which goes to 7",
    ),
    "short": (
        {"target": 61, "skunk": _HALF, "double_skunk": 0},
        "once round: two players to 61; a lurch (loser under 31) counts 2",
    ),
    "lurch": ({"skunk": _HALF, "double_skunk": 0}, "to 121; a lurch (loser under 61) counts 2, nothing else"),
    "stakes": ({"double_skunk_value": 4}, "to 121; a loser under three quarters (91) counts 2, under half (61) 4"),
    "three": ({"players": 3}, "three players, five cards each and one from the pack, to 121"),
    "four": ({"players": 4}, "four players in two partnerships, five cards each, to 121"),
    "five-card": (
        {"cards": 5, "target": 61, "skunk": _HALF, "double_skunk": 0},
        "the old game: five cards, three kept, three points for the first pone, one count of play, to 61",
    ),
    "lowball": ({"lowball": True}, "two players; the first to 121 loses"),
}


def preset_values(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a named game; a lurch lies at half the target, its own or one that is given, and only one kind of
    match is played.

    >>> preset_values("short", {})["skunk"], preset_values("short", {"target": 71})["skunk"]
    (31, 36)
    """
    values = dict(PRESETS[name][0])
    if given.get("match_games"):
        values.pop("match", None)
    targets = [given.get("target"), values.get("target"), USUAL_TARGET]
    half = math.ceil(next(target for target in targets if isinstance(target, int)) / 2)
    return {key: half if value == _HALF else value for key, value in values.items()}
