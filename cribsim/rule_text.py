"""Rules as people write them: named games, what each field may be, and texts read into names and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cribsim.errors import RulesError, cut, nearest, shown
from cribsim.presets import PRESETS, preset_values
from cribsim.rule_record import MAX_TARGET

LINES = ("skunk", "double_skunk", "triple_skunk")
VALUES = ("win_value", "skunk_value", "double_skunk_value", "triple_skunk_value")
WORDS: dict[str, tuple[Any, ...]] = {
    "skunk_scope": ("each", "second"),
    "go_order": ("all", "next"),
    "go_point": ("last", "call"),
    "crib_flush": (5, 4),
    "exact_out": (False, True, "item"),
    "muggins": (False, True),
    "lowball": (False, True),
}
"""Rules that are one of a few words."""
_LINE, _VALUE = "0 (none) to the target", "0 to 1000, match"
NONE = {**dict.fromkeys((*LINES, "match", "match_games"), 0), **dict.fromkeys(VALUES[2:])}
"""What `none` means in a text."""
MAY_BE = {
    "players": "2, 3, 4",
    "target": f"1 to {MAX_TARGET:,}",
    "teams": "true, false (four players)",
    "cards": "6, 5 (two players)",
    **dict.fromkeys(LINES, _LINE),
    **dict.fromkeys(VALUES, _VALUE),
    "double_skunk_value": f"{_VALUE}, none (as a skunk)",
    "triple_skunk_value": f"{_VALUE}, none",
    "first_deal": "alternate, cut, loser, a seat",
    "miss": "0 to 1",
    **{name: ", ".join(str(word).lower() for word in words) for name, words in WORDS.items()},
    "match": "0 (none) to 1000",
    "match_games": "0 (none) to 1000",
}
"""What each field may be, in a few words."""


def named_values(name: Any, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The keys of a named game, by `preset_values`; an error that helps where none has the name."""
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"no rules named {shown(name)}{_hint(name)}; named: {', '.join(PRESETS)}")
    return preset_values(name, given or {})


def _hint(name: Any) -> str:
    """What somebody may have meant who gave no name of a game."""
    if str(name).isdecimal():
        return f"; write target={cut(str(name))}"
    if str(name) in MAY_BE:
        return f"; write {name}= with {MAY_BE[name]}"
    return nearest(str(name), PRESETS)


def read_text(text: str) -> tuple[str | None, dict[str, Any]]:
    """The name of a game, if a text begins with one, and the keys with their values.

    >>> read_text("short,skunk=40,muggins=true")
    ('short', {'skunk': 40, 'muggins': True})
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    name = words.pop(0) if words and "=" not in words[0] else None
    given: dict[str, Any] = {}
    for word in words:
        key, value = _key_and_value(word, text)
        if key in given:
            raise RulesError(f"rules {shown(text)}: {cut(key)} is given twice")
        given[key] = value
    return name, given


def _key_and_value(word: str, text: str) -> tuple[str, Any]:
    """A rule as it is written in a text."""
    key, mark, value = (part.strip() for part in word.partition("="))
    if not mark:
        raise RulesError(f"rules {shown(text)}: write {shown(word)} as key=value; a name stands first")
    return key, NONE[key] if value == "none" and key in NONE else _read(value)


def _read(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
