"""Files for `cribsim replay`: a deal's play as JSON, replayed and compared with the points that were recorded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

from cribsim.errors import CribsimError, nearest, shown
from cribsim.json_files import FileError, read_json
from cribsim.replay import PlayRecord, replay_play
from cribsim.rules import Rules

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "players": ((int,), "a whole number"),
    "dealer": ((int,), "a whole number"),
    "hands": ((dict, list), "a list by seat"),
    "plays": ((list,), "a list"),
    "scores": ((list,), "a list"),
    "rules": ((str, dict), "text or an object"),
    "pegged": ((list,), "a list"),
}
"""The keys of a file, and what they hold."""
_NEEDED = ("hands", "plays")


def replay_file(path: str | Path) -> dict[str, Any]:
    """Replay a JSON file of one deal's play, and compare the points that were recorded with the right ones.

    Parameters
    ----------
    path
        A JSON object with `hands` ({"0": cards, ...} or a list by seat) and `plays` ([seat, card or "go"], with the
        recorded points as a third item where known, or the same as {"seat", "card", "points"}); and if need be
        `players`, `dealer` (0), `scores`, `rules` (text or an object), `pegged` (as recorded, by seat). docs/replay.md
        has an example.

    Returns
    -------
    dict
        `events`, `pegged`, `scores`, and `errors`: for each play whose recorded points are wrong its `line` (from 1;
        None for a wrong total), `recorded`, `right` and `why`.

    Raises
    ------
    CribsimError
        The file can't be read, a key is missing, unknown, given twice or wrong, or a play is illegal.
    """
    try:
        given = _load(Path(path)) if str(path) else _fail("an empty name; give a JSON file")
        lines = [_read_line(line, number) for number, line in enumerate(given["plays"], 1)]
        plays = [(seat, card) for seat, card, _ in lines]
        hands, rules = _file_hands(given["hands"]), _file_rules(given)
        record = replay_play(hands, plays, dealer=given.get("dealer", 0), rules=rules, scores=given.get("scores"))
        errors = _wrong_lines(lines, record) + _wrong_totals(given.get("pegged"), record)
    except CribsimError as error:
        raise type(error)(f"{path or repr('')}: {error}") from None
    except RecursionError:
        raise FileError(f"{path}: nested too deeply for a deal") from None
    return {
        "events": [event._asdict() for event in record.events],
        "pegged": list(record.pegged),
        "scores": list(record.scores),
        "errors": errors,
    }


def _fail(why: str) -> NoReturn:
    raise FileError(why)


def _load(path: Path) -> dict[str, Any]:
    """A JSON object with the keys that a replay needs, and no others."""
    given = read_json(path)
    if not isinstance(given, dict):
        _fail(f"a JSON object with hands and plays is wanted, not {type(given).__name__}")
    _refuse_unknown(given, tuple(_KINDS), "")
    given = {key: value for key, value in given.items() if value is not None or key in _NEEDED}
    for key in _NEEDED:
        if key not in given:
            _fail(f"the key {key!r} is missing")
    for key, value in given.items():
        kinds, wanted = _KINDS[key]
        if not isinstance(value, kinds):
            _fail(f"{key!r} holds {shown(value)}; {wanted} is wanted")
    return given


def _refuse_unknown(given: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            _fail(f"{where}no key {shown(key)}{nearest(key, known)}; keys: {', '.join(known)}")


def _read_line(line: Any, number: int) -> tuple[Any, Any, int | None]:
    """One of the plays of a file: seat, card or "go", and the points recorded, if any."""
    where = f"'plays', play {number}: "
    if isinstance(line, dict) and {"seat", "card"} <= line.keys():
        _refuse_unknown(line, ("seat", "card", "points"), where)
        line = [line["seat"], line["card"], line.get("points")]
    if not isinstance(line, list) or len(line) not in (2, 3):
        _fail(f"{where}{shown(line)}; write [seat, card] or [seat, card, points]")
    seat, card, points = (*line, None)[:3]
    if points is not None and type(points) is not int:
        _fail(f"{where}points {shown(points)}; give a whole number")
    return seat, card, points


def _file_hands(hands: Any) -> Any:
    """JSON writes seats as text."""
    if not isinstance(hands, dict):
        return hands
    for seat in hands:
        if not re.fullmatch("[0-9]", seat):
            _fail(f'\'hands\': {shown(seat)} is not a seat; write "0", "1", ...')
    return {int(seat): cards for seat, cards in hands.items()}


def _file_rules(given: dict[str, Any]) -> Rules:
    """The rules of a file; without any, the standard game of its players."""
    players, rules = given.get("players", len(given["hands"])), given.get("rules", {})
    read = Rules.parse(rules) if isinstance(rules, str) else Rules.from_dict({"players": players, **rules})
    if read.players != players:
        _fail(f"'rules' are for {read.players} players, the rest for {players}; add players={players}")
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
        _fail(f"'pegged' has {len(pegged)} numbers for {len(record.pegged)} seats")
    for points in pegged:
        if type(points) is not int:
            _fail(f"'pegged' holds {shown(points)}; give whole numbers")
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
