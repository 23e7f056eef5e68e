"""Files for `cribsim replay`: a deal's play as JSON, replayed and compared with the points that were recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cribsim.errors import CribsimError
from cribsim.replay import PlayRecord, replay_play
from cribsim.rules import Rules


class ReplayError(CribsimError):
    """A file for `cribsim replay` that can't be read."""


def replay_file(path: str | Path) -> dict[str, Any]:
    """Replay a JSON file of one deal's play, and compare the points that were recorded with the right ones.

    Parameters
    ----------
    path
        A JSON object with `hands` ({"0": cards, ...} or a list by seat) and `plays` ([seat, card or "go"], with the
        recorded points as a third item where known, or the same as {"seat", "card", "points"}); and if need be
        `players`, `dealer` (0), `scores`, `rules` (text or an object), `pegged` (as recorded, by seat).

    Returns
    -------
    dict
        `events`, `pegged`, `scores`, and `errors`: for each play whose recorded points are wrong its `line` (from 1;
        None for a wrong total), `recorded`, `right` and `why`.

    Raises
    ------
    CribsimError
        The file can't be read, a key is missing or wrong, or a play is illegal.
    """
    given = _load(Path(path))
    try:
        lines = [_read_line(line, number) for number, line in enumerate(given["plays"], 1)]
        plays = [(seat, card) for seat, card, _ in lines]
        hands, rules = _file_hands(given["hands"]), _file_rules(given)
        record = replay_play(hands, plays, dealer=given.get("dealer", 0), rules=rules, scores=given.get("scores"))
        errors = _wrong_lines(lines, record) + _wrong_totals(given.get("pegged"), record)
    except CribsimError as error:
        raise type(error)(f"{path}: {error}") from None
    return {
        "events": [event._asdict() for event in record.events],
        "pegged": list(record.pegged),
        "scores": list(record.scores),
        "errors": errors,
    }


def _load(path: Path) -> dict[str, Any]:
    """A JSON object with the keys that a replay needs."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror or error}; give a JSON file") from None
    except UnicodeDecodeError:
        raise ReplayError(f"{path}: not text; give a JSON file") from None
    except json.JSONDecodeError as error:
        raise ReplayError(f"{path}: not JSON (line {error.lineno}: {error.msg})") from None
    if not isinstance(given, dict):
        raise ReplayError(f"{path}: a JSON object with hands and plays is wanted, not {type(given).__name__}")
    for key in ("hands", "plays"):
        if key not in given:
            raise ReplayError(f"{path}: the key {key!r} is missing")
    for key, kinds in (("hands", (dict, list)), ("plays", (list,)), ("scores", (list,)), ("pegged", (list,))):
        if given.get(key) is not None and not isinstance(given[key], kinds):
            raise ReplayError(f"{path}: {key!r} holds {given[key]!r}; a list is wanted")
    return given


def _read_line(line: Any, number: int) -> tuple[Any, Any, int | None]:
    """One of the plays of a file: seat, card or "go", and the points recorded, if any."""
    if isinstance(line, dict) and {"seat", "card"} <= line.keys():
        line = [line["seat"], line["card"], line.get("points")]
    if not isinstance(line, list) or len(line) not in (2, 3):
        raise ReplayError(f"'plays', play {number}: {line!r}; write [seat, card] or [seat, card, points]")
    seat, card, points = (*line, None)[:3]
    if points is not None and type(points) is not int:
        raise ReplayError(f"'plays', play {number}: points {points!r}; give a whole number")
    return seat, card, points


def _file_hands(hands: Any) -> Any:
    """JSON writes seats as text."""
    if not isinstance(hands, dict):
        return hands
    for seat in hands:
        if not (seat.isascii() and seat.isdigit()):
            raise ReplayError(f'\'hands\': {seat!r} is not a seat; write "0", "1", ...')
    return {int(seat): cards for seat, cards in hands.items()}


def _file_rules(given: dict[str, Any]) -> Rules:
    """The rules of a file; without any, the standard game of its players."""
    players, rules = given.get("players"), given.get("rules")
    players = len(given["hands"]) if players is None else players
    if isinstance(rules, str):
        read = Rules.parse(rules)
    elif rules is None or isinstance(rules, dict):
        read = Rules.from_dict({"players": players, **(rules or {})})
    else:
        raise ReplayError(f"'rules' holds {rules!r}; write text or an object")
    if read.players != players:
        raise ReplayError(f"'rules' are for {read.players} players, the rest for {players}; add players={players}")
    return read


def _wrong_lines(lines: list[tuple[Any, Any, int | None]], record: PlayRecord) -> list[dict[str, Any]]:
    """The plays whose recorded points are wrong."""
    errors, events = [], iter(record.events)
    for number, (_, card, recorded) in enumerate(lines, 1):
        is_go = isinstance(card, str) and card.strip().lower() == "go"
        event = None if is_go else next(events)
        right = event.points if event else 0
        if recorded is not None and recorded != right:
            why = _speak(event.parts) if event else "saying go brings nothing; the go is paid on the last card"
            errors.append({"line": number, "recorded": recorded, "right": right, "why": why})
    return errors


def _wrong_totals(pegged: Any, record: PlayRecord) -> list[dict[str, Any]]:
    """The seats whose recorded total is wrong."""
    if pegged is None:
        return []
    if len(pegged) != len(record.pegged):
        raise ReplayError(f"'pegged' has {len(pegged)} numbers for {len(record.pegged)} seats")
    return [
        {"line": None, "recorded": recorded, "right": right, "why": f"seat {seat} pegged {right} in all"}
        for seat, (recorded, right) in enumerate(zip(pegged, record.pegged, strict=True))
        if recorded != right
    ]


_SPOKEN = {
    "fifteen": "fifteen for {}",
    "thirty_one": "thirty-one for {}",
    "pair": "{} for {}",
    "run": "a run of {0} for {0}",
    "go": "a go for {}",
    "last": "the last card for {}",
}
_PAIRS = {2: "a pair", 6: "a pair royal", 12: "a double pair royal"}


def _speak(parts: dict[str, int]) -> str:
    """Parts in words.

    >>> _speak({"fifteen": 2, "run": 3})
    'fifteen for 2 and a run of 3 for 3'
    """
    words = [
        _SPOKEN[name].format(*([_PAIRS[points]] if name == "pair" else []), points) for name, points in parts.items()
    ]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "nothing"
