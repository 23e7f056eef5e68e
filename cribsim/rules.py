"""What game is being played: the `Rules`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cribsim.errors import RulesError, nearest, shown, written
from cribsim.presets import USUAL_TARGET
from cribsim.rule_record import (
    ALTERNATE,
    EXACT_COUNTS,
    EXACT_ITEMS,
    FIRST_DEALS,
    LOSER,
    MAX_PLAYERS,
    MAX_TARGET,
    NO_TARGET,
    RULES,
    miss_threshold,
)
from cribsim.rule_text import LINES, NONE, VALUES, WORDS, named_values, read_text

MAX_COUNT = 31
HEELS_POINTS = 2
OLD_HEAD_START = 3
PIPS = np.array([min(rank + 1, 10) for rank in range(13)])
"""The counting value of each rank: ace 1, court cards 10."""


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
    cards
        With two players, cards dealt to each: 6, or 5 for the old game, in which three are kept, the pone starts the
        game with three points, and the play ends with its first count. (Three and four players always get five.)
    skunk, double_skunk, triple_skunk
        A loser under this line is skunked (0: no skunks). None: three quarters, half and a quarter of the target,
        rounded up (91, 61 and 31 of 121).
    win_value, skunk_value, double_skunk_value, triple_skunk_value
        Game points of the winner, or `match`: the match is won at once. A double skunk counts like a skunk unless it
        has a value of its own, and there are no triple skunks unless they have one.
    skunk_scope
        With three scores and more, which loser says what a win counts: `each`, the one who is beaten most; `second`,
        the one who is beaten least.
    first_deal
        Who deals first: `alternate`, game g seat (players - 1 + g) % players; `cut`, the lowest card; `loser`, in
        matches, after a cut for the first game; or a seat. None: alternate, in matches loser.
    go_order
        After a go the others play on in turn, `all`, until nobody can; or only the `next` player may, and who follows.
    go_point
        The point is pegged by the `last` card, or by the player to whom go is called, at once (`call`), who then pegs
        one more if he makes 31.
    muggins
        Whether points that a player overlooks go to the next who sees them.
    miss
        How likely a player overlooks each item, 0 to 1, unless he has his own `(miss=...)`.
    exact_out
        Whether the winner must land on the target: a count that would pass it isn't pegged. `item`: in the show each
        item is a count of its own.
    crib_flush
        Cards of one suit that make a flush in the crib: 5, all of them, or 4, as in the hand.
    lowball
        Whether the first to the target loses.
    match, match_games
        A match is played to so many game points, or as the best of so many games (0: no match).

    Raises
    ------
    RulesError
        A field that can't be, or contradicts the others.

    Examples
    --------
    >>> Rules().skunk, Rules(target=61).skunk, Rules(players=4).sides
    (91, 46, 2)
    """

    players: int = 2
    target: int = USUAL_TARGET
    teams: bool | None = None
    cards: int | None = None
    skunk: int | None = None
    double_skunk: int | None = None
    triple_skunk: int | None = None
    win_value: int | str = 1
    skunk_value: int | str = 2
    double_skunk_value: int | str | None = None
    triple_skunk_value: int | str | None = None
    skunk_scope: str = "each"
    first_deal: str | int | None = None
    go_order: str = "all"
    go_point: str = "last"
    muggins: bool = False
    miss: float = 0.0
    exact_out: bool | str = False
    crib_flush: int = 5
    lowball: bool = False
    match: int = 0
    match_games: int = 0

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.generic):
                object.__setattr__(self, item.name, value.item())
        self._check_numbers()
        self._check_words()
        defaults = {
            "teams": self.players == 4,
            "double_skunk_value": self.skunk_value,
            "cards": 6 if self.players == 2 else None,
            "first_deal": "loser" if self.is_match else "alternate",
            **self._usual_lines(),
        }
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        self._check_sense()

    def _usual_lines(self, *anew: str) -> dict[str, int]:
        """Three quarters, half and a quarter of the target; one that isn't under the line before is none (0). anew: as
        if not given."""
        lines, limit = {}, self.target + 1
        for name, quarters in zip(LINES, (3, 2, 1), strict=True):
            given = None if name in anew else getattr(self, name)
            usual = math.ceil(quarters * self.target / 4)
            lines[name] = usual if usual < limit else 0
            line = lines[name] if given is None else given
            limit = line if line or name == "skunk" else limit
        return lines

    def _check_numbers(self) -> None:
        _require(self.players, int, "players", "2, 3 or 4", lambda n: 2 <= n <= MAX_PLAYERS)
        wanted = f"a whole number from 1 to {MAX_TARGET:,}"
        _require(self.target, int, "target", wanted, lambda n: 1 <= n <= MAX_TARGET)
        for name in VALUES:
            value = getattr(self, name)
            if not (value is None and name in NONE) and value != "match":
                _require(value, int, name, "a whole number from 0 to 1000, or match", lambda n: 0 <= n <= 1000)
        for name in LINES:
            line = getattr(self, name)
            if line is not None:
                wanted = f"a line from 0 (none) to the target {self.target}"
                _require(line, int, name, wanted, lambda n: 0 <= n <= self.target)
        for name in ("match", "match_games"):
            _require(getattr(self, name), int, name, "a whole number from 0 (no match) to 1000", _is_small)
        _require(self.miss, (int, float), "miss", "a chance from 0 to 1", lambda p: 0 <= p <= 1)
        object.__setattr__(self, "miss", float(self.miss))
        if self.teams is not None:
            _require(self.teams, bool, "teams", "true or false", lambda _: True)

    def _check_words(self) -> None:
        for name, words in WORDS.items():
            value = getattr(self, name)
            if not any(type(value) is type(word) and value == word for word in words):
                raise RulesError(f"{name}={written(value)}: give {' or '.join(written(word) for word in words)}")
        first = self.first_deal
        is_seat = isinstance(first, int) and not isinstance(first, bool) and 0 <= first < self.players
        if not (first is None or is_seat or (isinstance(first, str) and first in FIRST_DEALS)):
            wanted = f"give {', '.join(FIRST_DEALS)} or a seat from 0 to {self.players - 1}"
            raise RulesError(f"first_deal={written(first)}: {wanted}")

    def _check_sense(self) -> None:
        if self.teams and self.players != 4:
            raise RulesError(f"teams=true with players={self.players}: partners need players=4")
        above = LINES[0]
        for name in LINES[1:]:
            line, limit = getattr(self, name), getattr(self, above)
            if line and not limit:
                raise RulesError(
                    f"{name}={line} with skunk=0: there are no skunks then; give skunk= above it, or leave it out"
                )
            if line > limit:
                raise RulesError(f"{name}={line} lies above {above}={limit}; give a line that doesn't")
            above = name if line else above
        if self.triple_skunk_value is None and self.triple_skunk not in (0, self._usual_lines(LINES[2])[LINES[2]]):
            raise RulesError(f"triple_skunk={self.triple_skunk}: give triple_skunk_value= too, or there are none")
        if self.players == 2 and (type(self.cards) is not int or self.cards not in (5, 6)):
            raise RulesError(f"cards={written(self.cards)}: give 6, or 5 for the old game")
        if self.players != 2 and self.cards is not None:
            raise RulesError(
                f"cards={written(self.cards)} with players={self.players}: only two players may choose; three and four "
                f"get five each, so leave it out"
            )
        if self.cards == 5 and self.target <= OLD_HEAD_START:
            raise RulesError(f"target={self.target} with cards=5: the pone starts with {OLD_HEAD_START}; give more")
        if self.match:
            for name in VALUES:
                if getattr(self, name) == 0:
                    raise RulesError(f"{name}=0 with match={self.match}: such wins never end a match; give 1 or more")
        if self.match and self.match_games:
            raise RulesError(f"match={self.match} with match_games={self.match_games}: give one of them")
        if self.first_deal == "loser" and not self.is_match:
            raise RulesError("first_deal=loser: only in matches; give match= or match_games= too")
        for name in VALUES:
            if getattr(self, name) == "match" and not self.is_match:
                raise RulesError(f"{name}=match: give match= or match_games= too")

    @property
    def sides(self) -> int:
        """How many scores are kept: one for each player, or one for each pair of partners."""
        return 2 if self.teams else self.players

    @property
    def is_match(self) -> bool:
        """Whether matches of several games can be played by these rules."""
        return bool(self.match or self.match_games)

    @property
    def n_dealt(self) -> int:
        """Cards dealt to each player."""
        return self.cards or 5

    @property
    def n_thrown(self) -> int:
        """Cards each player throws to the crib."""
        return 2 if self.players == 2 else 1

    @property
    def n_kept(self) -> int:
        """Cards each player keeps."""
        return self.n_dealt - self.n_thrown

    @property
    def roles(self) -> tuple[str, ...]:
        """Seats in the order in which they count, named from the pone to the dealer."""
        return (*("pone", "second", "third")[: self.players - 1], "dealer")

    def side(self, seat: int) -> int:
        """The score that a seat pegs on."""
        return seat % self.sides

    def record(
        self, *, in_game: bool, in_match: bool = False, miss: Sequence[float | None] = ()
    ) -> np.ndarray[Any, Any]:
        """The rules for the kernels. Out of a game (`in_game=False`) nothing stops a deal and scores read 0.

        miss: by seat how likely a player overlooks an item (None, or no number: as the rules say).
        """
        record = np.zeros(1, RULES)
        misses = [self.miss if own is None else own for own in (*miss, *[None] * MAX_PLAYERS)][:MAX_PLAYERS]
        old, first = self.cards == 5, FIRST_DEALS.get(self.first_deal, self.first_deal)  # type: ignore[arg-type]
        exact = {False: 0, True: EXACT_COUNTS, "item": EXACT_ITEMS}[self.exact_out] if in_game else 0
        values: dict[str, Any] = {
            "players": self.players,
            "sides": self.sides,
            "n_dealt": self.n_dealt,
            "n_thrown": self.n_thrown,
            "n_kept": self.n_kept,
            "n_cards": self.players * self.n_dealt + (self.players == 3) + 1,
            "target": self.target if in_game else NO_TARGET,
            "in_game": in_game,
            "is_plain": not (any(misses) or exact or old or self.go_order == "next" or self.go_point == "call"),
            "crib_flush": self.crib_flush,
            "head_start": OLD_HEAD_START if old else 0,
            "one_count": old,
            "go_next": self.go_order == "next",
            "go_at_call": self.go_point == "call",
            "muggins": self.muggins,
            "miss": [miss_threshold(p) for p in misses],
            "exact_out": exact,
            "lowball": self.lowball,
            "first_deal": ALTERNATE if first == LOSER and not in_match else first,
            "match": self.match if in_match else 0,
            "match_games": self.match_games if in_match else 0,
            "lines": [getattr(self, name) for name in LINES],
            "values": [self._value(name) for name in VALUES],
            "takes_match": [getattr(self, name) == "match" for name in VALUES],
            "judge_each": self.skunk_scope == "each",
        }
        if self.triple_skunk_value is None:
            values["lines"][2] = 0
        for name, value in values.items():
            record[name] = value
        return record

    def _value(self, name: str) -> int:
        """Game points; a win that takes the match counts as many as the match needs."""
        value = getattr(self, name)
        return int(value or 0) if value != "match" else self.match or self.match_games // 2 + 1

    def as_dict(self) -> dict[str, Any]:
        """Every field with its value, in order."""
        return dataclasses.asdict(self)

    @classmethod
    def named(cls, name: str) -> Rules:
        """A named game, as `cribsim rules` lists them.

        >>> Rules.named("short").target
        61
        """
        return cls(**named_values(name))

    @classmethod
    def parse(cls, text: str, *, players: int | None = None) -> Rules:
        """Read `standard`, `short,players=4` or `target=61,skunk=31`: a name first, if any, then keys.

        `players` is taken where the text doesn't say how many play.

        >>> Rules.parse("short,skunk=40").skunk
        40
        """
        if not isinstance(text, str):
            raise RulesError(f"rules {shown(text)}: give text such as 'short,skunk=40'")
        name, given = read_text(text)
        values = given if name is None else named_values(name, given) | given
        if players is not None:
            values.setdefault("players", players)
        try:
            return cls.from_dict(values)
        except RulesError as error:
            if str(error).partition("=")[0] in given.keys() | {"players"} or name is None:
                raise
            raise RulesError(f"{name} has {error}") from None

    def changed(self, **fields: Any) -> Rules:
        """The same rules but for some fields; what follows from others (lines, the first deal) follows anew.

        A field that is as it would be if it weren't given counts as not given.

        >>> Rules(target=61, lowball=True).changed(target=121).skunk
        91
        """
        return Rules.from_dict(self.unlike() | fields)

    def unlike(self, name: str = "standard") -> dict[str, Any]:
        """The fields that make these rules of a named game, without those that follow from the others.

        >>> Rules(players=4, target=61).unlike(), Rules.named("short").unlike("lurch")
        ({'players': 4, 'target': 61}, {'target': 61})
        """
        fields = self.as_dict()
        for key in reversed(list(fields)):  # those that follow come behind those that they follow from
            fewer = {other: value for other, value in fields.items() if other != key}
            if self._are(name, fewer):
                fields = fewer
        return fields

    def _are(self, name: str, fields: Mapping[str, Any]) -> bool:
        """Whether these are the rules of a named game with other fields."""
        try:
            return Rules(**named_values(name, fields) | dict(fields)) == self
        except RulesError:
            return False

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


def read_rules(rules: Any, players: int = 2) -> Rules:
    """Rules as they are, from text such as `short,skunk=40`, from a mapping of fields, or (None) the standard game; for
    so many players.

    >>> read_rules("short", 3).target
    61
    """
    if isinstance(rules, Rules):
        return rules
    if rules is None:
        return Rules(players=players)
    if isinstance(rules, str):
        return Rules.parse(rules, players=players)
    if isinstance(rules, Mapping):
        return Rules.from_dict({"players": players} | dict(rules))
    raise RulesError(f"rules {shown(rules)}: give Rules, text such as 'short,skunk=40', or a mapping of fields")


def refuse_rules(rules: Rules, what: str, names: Sequence[str]) -> None:
    """Refuse rules that something doesn't know, where they are other than in the standard game. what: how the error
    begins, as in "replay can't follow"."""
    for name in names:
        value, usual = getattr(rules, name), getattr(Rules(players=rules.players), name)
        if value != usual:
            raise RulesError(f"{what} {name}={written(value)}; leave it out ({name}={written(usual)})")


def pip_of(card: int) -> int:
    """The counting value of a card.

    >>> pip_of(0), pip_of(51)
    (1, 10)
    """
    return int(PIPS[card >> 2])


def _is_small(n: int) -> bool:
    return 0 <= n <= 1000


def _require(value: Any, kind: Any, name: str, wanted: str, accept: Any) -> None:
    right_kind = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not right_kind or not accept(value):
        raise RulesError(f"{name}={written(value)}: give {wanted}")
