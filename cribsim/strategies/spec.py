"""Players as text: the grammar, a frozen tree, and the text of a tree. What the names mean is for `finding`.

    player = half ["+" half] ["(" miss=NUMBER ")"]
    half   = name | path/to/file.py:name | package.module:name, then optionally "(" key=value {"," key=value} ")"
    value  = number | true | false | word | "quoted text" | half

A path with `+ ( ) , =` or a quotation mark in it is quoted as a whole: `"c++/mine.py:keep_fives"+greedy`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from cribsim.errors import PlayerError, shown

Value: TypeAlias = "bool | int | float | str | HalfSpec"
Parameters: TypeAlias = "tuple[tuple[str, Value], ...]"
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([kM]?)")
_PLAIN = re.compile(r'[^+(),="]+')
_TRUTH = {"true": True, "false": False}
_SIZES = {"": 1, "k": 1000, "M": 1_000_000}
MAX_DEPTH = 20


def is_word(text: str) -> bool:
    """Whether this can be the name of a strategy: letters, digits, `_`, `-` and `.`, a letter or `_` first."""
    return _WORD.fullmatch(text) is not None and text not in _TRUTH


@dataclass(frozen=True)
class HalfSpec:
    """Half a player: a name (or `file.py:name`, or `module:name`) and its parameters in the order given."""

    ref: str
    parameters: Parameters = ()

    def __str__(self) -> str:
        plain = _PLAIN.fullmatch(self.ref) and self.ref == self.ref.strip() and not _NUMBER.fullmatch(self.ref)
        ref = self.ref if plain else _quoted(self.ref)
        return ref + _parameters_text(self.parameters)


@dataclass(frozen=True)
class PlayerSpec:
    """A player: one half that means both, or a discard and a pegging half; `miss` stands behind the whole player."""

    halves: tuple[HalfSpec, ...]
    parameters: Parameters = field(default=())

    def __str__(self) -> str:
        return "+".join(map(str, self.halves)) + _parameters_text(self.parameters)


def parse_player(text: str) -> PlayerSpec:
    """Read a player.

    Raises
    ------
    PlayerError
        The text is no player; the message says what is wrong, and where.

    Examples
    --------
    >>> parse_player("montecarlo( samples = 2.5k )+greedy").halves[0]
    HalfSpec(ref='montecarlo', parameters=(('samples', 2500),))
    >>> str(parse_player("montecarlo( samples = 2.5k )+greedy"))
    'montecarlo(samples=2500)+greedy'
    """
    reader = _Reader(text)
    halves = [reader.half(0)]
    if reader.take("+"):
        halves.append(reader.half(0))
    if reader.next() == "+":
        reader.fail("a player has two halves at most, discard+play")
    parameters = reader.parameters(0)
    if parameters and [key for key, _ in parameters] != ["miss"]:
        raise PlayerError(f"{shown(text)}: behind a whole player only (miss=NUMBER) can stand")
    reader.end()
    last = dict(halves[-1].parameters)
    if "miss" in last and not parameters:  # as in expectimax+greedy(miss=0.1)
        parameters = (("miss", last.pop("miss")),)
        halves[-1] = HalfSpec(halves[-1].ref, tuple(last.items()))
    return PlayerSpec(tuple(halves), parameters)


def parse_half(text: str) -> HalfSpec:
    """Read half a player.

    >>> parse_half("mine.py:keep_fives")
    HalfSpec(ref='mine.py:keep_fives', parameters=())
    """
    reader = _Reader(text)
    half = reader.half(0)
    if reader.next() == "+":
        reader.fail("one half of a player is wanted here, so no +")
    reader.end()
    return half


def _parameters_text(parameters: Parameters) -> str:
    return "(" + ",".join(f"{key}={_value_text(value)}" for key, value in parameters) + ")" if parameters else ""


def _value_text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if is_word(value) else _quoted(value)
    return str(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        if not text.strip():
            raise PlayerError("an empty text names no player; write one such as expectimax+greedy")

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Stop with what is wrong, and where."""
        raise PlayerError(f"{shown(self.text)}, character {(self.at if at is None else at) + 1}: {what}")

    def next(self) -> str:
        """The next character that isn't a space; "" at the end."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, sign: str) -> bool:
        """Step over a sign if it comes next."""
        found = self.next() == sign
        self.at += found
        return found

    def end(self) -> None:
        """Nothing may be left."""
        left = self.next()
        if left == ")":
            self.fail("this parenthesis closes nothing")
        if left:
            self.fail(f"nothing can stand here, but there is {shown(self.text[self.at :])}")

    def half(self, depth: int) -> HalfSpec:
        """A name and its parameters."""
        if depth > MAX_DEPTH:
            self.fail("too many parentheses within parentheses")
        ref = self.quoted() if self.next() == '"' else self.plain("a name is wanted here")
        return HalfSpec(ref, self.parameters(depth))

    def plain(self, wanted: str) -> str:
        """Text up to the next sign."""
        self.next()
        match = _PLAIN.match(self.text, self.at)
        if match is None:
            there = f", not {shown(self.text[self.at])}" if self.at < len(self.text) else ""
            self.fail(wanted + there)
        self.at = match.end()
        return match.group().strip()

    def quoted(self) -> str:
        """Text in quotation marks, with \\" and \\\\ for the marks within."""
        start = self.at
        letters: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == '"':
                self.at += 1
                return "".join(letters) or self.fail("nothing stands between these quotation marks", start)
            if letter == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\"):
                self.at += 1
                letter = self.text[self.at]
            letters.append(letter)
            self.at += 1
        self.fail("this quotation mark isn't closed", start)

    def parameters(self, depth: int) -> Parameters:
        """`(key=value, ...)`, or nothing."""
        start = self.at
        if not self.take("("):
            self.at = start
            return ()
        start, found = self.at - 1, {}
        while self.next() != ")":
            at = self.at
            key = self.plain("a key is wanted here, as in (key=value)") if self.next() else self.unclosed(start)
            if not is_word(key):
                self.fail(f"{shown(key)} is not a key; a key is a word, as in (key=value)", at)
            if not self.take("="):
                self.fail(f"= is wanted behind {key}, as in {key}=value") if self.next() else self.unclosed(start)
            if key in found:
                self.fail(f"{key} is given twice", at)
            found[key] = self.value(depth, start)
            if not self.take(",") and self.next() != ")":
                self.fail("a comma or ) is wanted here") if self.next() else self.unclosed(start)
        self.at += 1
        return tuple(found.items())

    def unclosed(self, start: int) -> NoReturn:
        self.fail("this parenthesis isn't closed", start)

    def value(self, depth: int, start: int) -> Value:
        """A number, a truth, a word, a quoted text, or half a player."""
        first = self.next() or self.unclosed(start)
        if first == '"':
            text = self.quoted()
            return HalfSpec(text, self.parameters(depth + 1)) if self.next() == "(" else text
        number = self.number()
        if number is not None:
            return number
        at, half = self.at, self.half(depth + 1)
        if half.parameters or ":" in half.ref:
            return half
        if half.ref not in _TRUTH and not is_word(half.ref):
            self.fail(f"{shown(half.ref)} is neither a number nor a word; put text in quotation marks", at)
        return _TRUTH.get(half.ref, half.ref)

    def number(self) -> int | float | None:
        """A number, when what comes up to the next sign is one; 200, 2.5k and 1e6 are whole."""
        word = re.split("[,()]", self.text[self.at :], maxsplit=1)[0].strip()
        found = _NUMBER.fullmatch(word)
        if found is None:
            return None
        digits, size = found.groups()
        value = float(digits) * _SIZES[size]
        if not math.isfinite(value):
            self.fail(f"{word} is too large")
        self.at += len(word)
        if digits.lstrip("+-").isdigit():
            return int(digits) * _SIZES[size]
        return int(value) if value.is_integer() and (size or "e" in digits.lower()) else value
