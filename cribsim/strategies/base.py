"""What a strategy is: half a player (discard or play), and the player made of two halves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._reach import source_digest
from cribsim.cards import NO_CARD, format_cards
from cribsim.errors import PlayerError, StrategyError, shown, text_of, written
from cribsim.folders import file_digest
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import Rules, read_rules
from cribsim.views import DISCARD_VIEW, PLAY_VIEW, without_guesses

DISCARD, PLAY = "discard", "play"
NO_PARAMS: NDArray[np.float64] = np.zeros(1)
NO_TABLE: NDArray[np.uint8] = np.zeros(1, np.uint8)
VIEWS = {DISCARD: DISCARD_VIEW, PLAY: PLAY_VIEW}
STAGE_WORDS = {DISCARD: "discard", PLAY: "pegging"}


class AnswerError(StrategyError):
    """An answer of the wrong kind. The message starts with a verb; whoever asked adds which deal it was."""


@dataclass(frozen=True)
class Bound:
    """A half made ready for one set of rules: `answer(views, which, params, table, out_answers)` and its numbers.

    `compiled` says whether `answer` is a kernel (with the signature of `views.DISCARD_ANSWER` or `PLAY_ANSWER`);
    otherwise it is a Python callable of the same shape.
    """

    answer: Callable[..., Any]
    params: NDArray[np.float64] = field(default_factory=lambda: NO_PARAMS)
    table: NDArray[np.uint8] = field(default_factory=lambda: NO_TABLE)
    compiled: bool = True
    plain: Callable[..., Any] | None = None
    """Of a user's compiled function the same in plain Python, which is tried first: compiled code checks no bounds."""


@dataclass(frozen=True)
class Half:
    """Half a player, by name and parameters; `bind` makes it ready for rules."""

    text: str
    stage: str
    bind: Callable[[Rules], Bound] = field(repr=False, compare=False)
    players: tuple[int, ...] = (2, 3, 4)
    source: str = "built in"
    by_name: bool = True
    """Whether the text alone finds this half again, in any process."""
    functions: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    """The users' functions that it is made of; none of a built-in half."""
    files: tuple[Path, ...] = field(default=(), repr=False, compare=False)
    """The users' files that it reads."""

    @property
    def code(self) -> str:
        """Hex digits that change with the source of its functions, the values they reach and the files it reads; empty
        when it is made of nothing of a user's."""
        digests = [source_digest(function) for function in self.functions]
        return "-".join(digests + [file_digest(path) for path in self.files])

    @property
    def state(self) -> tuple[Any, ...]:
        """What changes when it would answer otherwise: a key for what is remembered of its answers."""
        return (self.code, *map(id, self.functions))

    def ready(self, rules: Rules) -> Bound:
        """Bind to rules, or say which numbers of players this half can play with."""
        if rules.players not in self.players:
            wanted = " or ".join(str(n) for n in self.players)
            raise PlayerError(f"{self.text} ({self.stage}) plays with {wanted} players, not {rules.players}")
        return self.bind(rules)

    def answer(self, views: NDArray[Any], rules: Rules | str | None = None) -> NDArray[np.int64]:
        """What this half answers to some views, (n,): indices of throws, or positions of cards to play.

        Parameters
        ----------
        views
            Views of its stage, (n,), as `cribsim.views.discard_view` and `play_view` make them; one record will do.
        rules
            `Rules`, or text such as `"short"`; None: the standard game. Of the views' number of players.

        Raises
        ------
        StrategyError
            The strategy raised, or gave an answer of the wrong kind; the message shows the first view.

        Examples
        --------
        >>> from cribsim.strategies import find_half
        >>> from cribsim.views import play_view
        >>> find_half("greedy", "play").answer(play_view("5H 7S JD 2C", [(0, "8D")], dealer=1, seat=1)).tolist()
        [2]
        """
        asked = as_views(views, self.stage)
        answers = np.full(len(asked), -1, np.int64)
        if len(asked):
            bound = self.ready(read_rules(rules, int(asked[0]["players"])))
            try:
                bound.answer(asked, np.arange(len(asked), dtype=np.int32), bound.params, bound.table, answers)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise StrategyError(f"{self.text} ({self.stage}) {fault_text(error)}; {view_text(asked[0])}") from error
        return without_guesses(answers)


def read_numbers(players: Any) -> tuple[int, ...]:
    """Numbers of players, sorted: of one number, or of several.

    >>> read_numbers(2), read_numbers([4, 2])
    ((2,), (2, 4))
    """
    numbers = list(players) if isinstance(players, Iterable) else [players]
    if not numbers or not all(isinstance(n, int) and 2 <= n <= MAX_PLAYERS for n in numbers):
        raise PlayerError(f"players={shown(players)}: give numbers from 2 to {MAX_PLAYERS}, as in players=(2, 3)")
    return tuple(sorted(set(numbers)))


def as_views(views: Any, stage: str) -> NDArray[Any]:
    """A fresh array of the engine's views of this stage, (n,). Views as user functions get them will do too."""
    given = np.atleast_1d(np.asarray(views))
    dtype = VIEWS[stage]
    fields = [name for name in dtype.names or () if name != "spare"]
    if given.dtype.names is None or not set(fields) <= set(given.dtype.names):
        raise PlayerError(f"views of a {stage} are wanted, not {given.dtype}; see cribsim.views.{stage}_view")
    fresh = np.zeros(len(given), dtype)
    for name in fields:
        fresh[name] = given[name]
    return fresh


def fault_text(error: BaseException) -> str:
    """What a strategy did wrong, as the middle of a sentence."""
    text = text_of(error)
    return text if isinstance(error, AnswerError) else f"raised {type(error).__name__}: {text}"


def view_text(view: Any) -> str:
    """One view in card text."""
    seats = f"seat {view['seat']} of {view['players']}, dealer {view['dealer']}"
    scores = "-".join(str(score) for score in view["scores"][: view["players"]])
    cards = format_cards(view["cards"][: view["n_cards"]])
    if "n_thrown" in view.dtype.names:
        return f"view: {cards}, {seats}, scores {scores}"
    thrown = format_cards([card for card in view["discards"] if card != NO_CARD])
    now = format_cards(view["played"][view["count_start"] : view["n_played"]]) or "nothing"
    before = format_cards(view["played"][: view["count_start"]]) or "nothing"
    starter = format_cards([view["starter"]]) if view["starter"] != NO_CARD else "unknown"
    return (
        f"view: holds {cards}, threw {thrown}, count {view['count']} ({now}), before that {before}, "
        f"starter {starter}, {seats}, scores {scores}"
    )


def check_miss(miss: Any) -> float:
    """How likely a player overlooks an item."""
    if isinstance(miss, bool) or not isinstance(miss, (int, float)) or not 0 <= miss <= 1:
        raise PlayerError(f"miss={written(miss)}: give a chance from 0 to 1, as in expectimax+greedy(miss=0.03)")
    return float(miss)


@dataclass(frozen=True)
class Player:
    """A discard strategy and a pegging strategy."""

    discard: Half
    play: Half
    text: str = ""
    miss: float | None = None
    """How likely he overlooks an item; None: as the rules say."""

    def __post_init__(self) -> None:
        same = self.discard.text == self.play.text
        text = self.text or (self.discard.text if same else f"{self.discard.text}+{self.play.text}")
        if self.miss is not None:
            object.__setattr__(self, "miss", check_miss(self.miss))
            text += "" if text.endswith(mark := f"(miss={self.miss!r})") else mark
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        if not (self.discard.by_name and self.play.by_name):
            raise PlayerError(f"{self.text} can't go to other processes; keep it in a file, named file.py:name")
        from cribsim.strategies import find_player

        return find_player, (self.text,)
