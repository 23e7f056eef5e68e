"""What game is being played: the `Rules`, the named games, and their text form.

A rule that cribsim doesn't play yet is an error, never silently the standard game.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cribsim.errors import RulesError, cut, nearest, shown

MAX_PLAYERS = 4
MAX_COUNT = 31
HEELS_POINTS = 2
NO_TARGET = 2**31 - 1
MAX_TARGET = 10**6
"""A game to a million takes tens of thousands of deals, so no run is long enough for the sum of its squared margins to
pass 2^63. To 10^9 ten games would be."""
PIPS = np.array([min(rank + 1, 10) for rank in range(13)])
"""The counting value of each rank: ace 1, court cards 10."""

RULES = np.dtype(
    (
        np.record,
        [
            ("players", "i8"),
            ("sides", "i8"),
            ("n_dealt", "i8"),
            ("n_thrown", "i8"),
            ("n_cards", "i8"),
            ("target", "i8"),
            ("in_game", "i8"),
            ("skunk", "i8"),
            ("double_skunk", "i8"),
            ("win_value", "i8"),
            ("skunk_value", "i8"),
            ("double_skunk_value", "i8"),
        ],
    )
)
"""The rules as the kernels read them: one record. `n_cards` counts the cards of a deal with the starter."""

_LATER: dict[str, Any] = {
    "muggins": False,
    "exact_out": False,
    "go_order": "all",
    "go_point": "last",
    "crib_flush": 5,
    "lowball": False,
    "triple_skunk": 0,
    "match": 0,
    "match_games": 0,
}
"""Rules of the books that a later version plays, with the one value that is played now."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one game.

    Parameters
    ----------
    players
        2, 3 or 4 seats. With two, six cards each and two thrown; with three and four, five cards each and one thrown
        (with three, a card from the pack completes the crib).
    target
        The points that win, 1 to 1,000,000: 121 ("twice round"), 61 ("once round") or any other.
    teams
        With four players, whether opposite seats are partners and share one score. None: yes with four.
    skunk, double_skunk
        A loser under this line is skunked (0: no skunks). None: three quarters and half of the target, rounded up
        (91 and 61 of 121).
    win_value, skunk_value, double_skunk_value
        Game points of the winner; a double skunk counts like a skunk unless it has a value of its own.
    first_deal
        `alternate`: game g is dealt first by seat (players - 1 + g) % players.
    cards
        Cards dealt to each player. None: six with two players, otherwise five.

    Raises
    ------
    RulesError
        A field contradicts the others or isn't played.

    Examples
    --------
    >>> Rules().skunk, Rules(target=61).skunk, Rules(players=4).sides
    (91, 46, 2)
    """

    players: int = 2
    target: int = 121
    teams: bool | None = None
    skunk: int | None = None
    double_skunk: int | None = None
    win_value: int = 1
    skunk_value: int = 2
    double_skunk_value: int | None = None
    first_deal: str = "alternate"
    cards: int | None = None
    muggins: bool = field(default=False, repr=False)
    exact_out: bool = field(default=False, repr=False)
    go_order: str = field(default="all", repr=False)
    go_point: str = field(default="last", repr=False)
    crib_flush: int = field(default=5, repr=False)
    lowball: bool = field(default=False, repr=False)
    triple_skunk: int = field(default=0, repr=False)
    match: int = field(default=0, repr=False)
    match_games: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        self._check_numbers()
        defaults = {
            "teams": self.players == 4,
            "skunk": math.ceil(3 * self.target / 4),
            "double_skunk": math.ceil(self.target / 2),
            "double_skunk_value": self.skunk_value,
            "cards": 6 if self.players == 2 else 5,
        }
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        self._check_sense()

    def _check_numbers(self) -> None:
        _require(self.players, int, "players", "2, 3 or 4", lambda n: 2 <= n <= MAX_PLAYERS)
        wanted = f"a whole number from 1 to {MAX_TARGET:,}"
        _require(self.target, int, "target", wanted, lambda n: 1 <= n <= MAX_TARGET)
        for name in ("win_value", "skunk_value", "double_skunk_value"):
            value = getattr(self, name)
            if value is not None:
                _require(value, int, name, "a whole number from 0 to 1000", lambda n: 0 <= n <= 1000)
        for name in ("skunk", "double_skunk"):
            line = getattr(self, name)
            if line is not None:
                wanted = f"a line from 0 (none) to the target {self.target}"
                _require(line, int, name, wanted, lambda n: 0 <= n <= self.target)
        if self.teams is not None:
            _require(self.teams, bool, "teams", "true or false", lambda _: True)

    def _check_sense(self) -> None:
        if self.teams and self.players != 4:
            raise RulesError(f"teams=true with players={self.players}: partners need players=4")
        if self.double_skunk > self.skunk > 0:  # type: ignore[operator]
            raise RulesError(f"double_skunk={self.double_skunk} lies above skunk={self.skunk}; it must lie under it")
        wanted = 6 if self.players == 2 else 5
        if self.cards != wanted:
            raise RulesError(
                f"cards={shown(self.cards)} with players={self.players}: only cards={wanted} is played so far"
            )
        if self.first_deal != "alternate":
            raise RulesError(f"first_deal={shown(self.first_deal)}: only first_deal=alternate is played so far")
        for name, played in _LATER.items():
            value = getattr(self, name)
            if value != played or isinstance(value, bool) != isinstance(played, bool):
                raise RulesError(f"{name}={_show(value)}: only {name}={_show(played)} is played so far")

    @property
    def sides(self) -> int:
        """How many scores are kept: one for each player, or one for each pair of partners."""
        return 2 if self.teams else self.players

    @property
    def n_thrown(self) -> int:
        """Cards each player throws to the crib."""
        return 2 if self.players == 2 else 1

    @property
    def roles(self) -> tuple[str, ...]:
        """Seats in the order in which they count, named from the pone to the dealer."""
        return (*("pone", "second", "third")[: self.players - 1], "dealer")

    def side(self, seat: int) -> int:
        """The score that a seat pegs on."""
        return seat % self.sides

    def record(self, *, in_game: bool) -> np.ndarray[Any, Any]:
        """The rules for the kernels. Out of a game (`in_game=False`) nothing stops a deal and scores read 0."""
        cards = self.cards or 0
        n_cards = self.players * cards + (self.players == 3) + 1
        target = self.target if in_game else NO_TARGET
        values = (self.players, self.sides, cards, self.n_thrown, n_cards, target, in_game, self.skunk)
        return np.array(
            [(*values, self.double_skunk, self.win_value, self.skunk_value, self.double_skunk_value)], RULES
        )

    def as_dict(self) -> dict[str, Any]:
        """Every field with its value, in order."""
        return dataclasses.asdict(self)

    @classmethod
    def named(cls, name: str) -> Rules:
        """A named game, as `cribsim rules` lists them.

        >>> Rules.named("short").target
        61
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise RulesError(f"no rules named {shown(name)}{nearest(str(name), PRESETS)}; named: {', '.join(PRESETS)}")
        return cls(**PRESETS[name][0])

    @classmethod
    def parse(cls, text: str, *, players: int | None = None) -> Rules:
        """Read `standard`, `short,players=4` or `target=61,skunk=31`: a name first, if any, then keys.

        `players` is taken where the text doesn't say how many play.

        >>> Rules.parse("short,skunk=40").skunk
        40
        """
        if not isinstance(text, str):
            raise RulesError(f"rules {shown(text)}: give text such as 'short,skunk=40'")
        words = [word.strip() for word in text.split(",") if word.strip()]
        values: dict[str, Any] = {}
        if words and "=" not in words[0]:
            name = words.pop(0)
            cls.named(name)
            values.update(PRESETS[name][0])
        given: dict[str, Any] = {}
        for word in words:
            key, value = _key_and_value(word, text)
            if key in given:
                raise RulesError(f"rules {shown(text)}: {cut(key)} is given twice")
            given[key] = value
        values |= given
        if players is not None:
            values.setdefault("players", players)
        return cls.from_dict(values)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Rules from keys and values; an unknown key is an error with the nearest ones."""
        known = [item.name for item in dataclasses.fields(cls)]
        if not isinstance(values, Mapping):
            raise RulesError(f"rules {shown(values)}: give keys with values; keys: {', '.join(known)}")
        for key in values:
            if key not in known:
                raise RulesError(f"no rule {shown(key)}{nearest(str(key), known)}; rules: {', '.join(known)}")
        return cls(**values)


PRESETS: dict[str, tuple[dict[str, Any], str]] = {
    "standard": ({}, "two players to 121; a win counts 1, a skunk (loser under 91) 2"),
    "acc": ({"win_value": 2, "skunk_value": 3}, "American Cribbage Congress: a win counts 2, a skunk 3"),
    "short": ({"target": 61}, "once round: two players to 61"),
    "three": ({"players": 3}, "three players, five cards each and one from the pack, to 121"),
    "four": ({"players": 4}, "four players in two partnerships, five cards each, to 121"),
}


def read_rules(rules: Any, players: int) -> Rules:
    """Rules as they are, from text such as `short,skunk=40`, or (None) the standard game; for so many players.

    >>> read_rules("short", 3).target
    61
    """
    if isinstance(rules, Rules):
        return rules
    if rules is None:
        return Rules(players=players)
    if isinstance(rules, str):
        return Rules.parse(rules, players=players)
    raise RulesError(f"rules {shown(rules)}: give Rules or text such as 'short,skunk=40'")


def pip_of(card: int) -> int:
    """The counting value of a card.

    >>> pip_of(0), pip_of(51)
    (1, 10)
    """
    return int(PIPS[card >> 2])


def _require(value: Any, kind: type, name: str, wanted: str, accept: Any) -> None:
    right_kind = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not right_kind or not accept(value):
        raise RulesError(f"{name}={_show(value)}: give {wanted}")


def _key_and_value(word: str, text: str) -> tuple[str, Any]:
    """A rule as it is written in a text."""
    key, mark, value = (part.strip() for part in word.partition("="))
    if not mark:
        raise RulesError(f"rules {shown(text)}: write {shown(word)} as key=value; a name stands first")
    return key, _read(value)


def _show(value: Any) -> str:
    if isinstance(value, str):
        return cut(value)
    return str(value).lower() if isinstance(value, bool) else shown(value)


def _read(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
