"""What a strategy is: half a player (discard or play), and the player made of two halves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import PlayerError
from cribsim.rules import Rules

DISCARD, PLAY = "discard", "play"
NO_PARAMS: NDArray[np.float64] = np.zeros(1)
NO_TABLE: NDArray[np.uint8] = np.zeros(1, np.uint8)


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

    def ready(self, rules: Rules) -> Bound:
        """Bind to rules, or say which numbers of players this half can play with."""
        if rules.players not in self.players:
            wanted = " or ".join(str(n) for n in self.players)
            raise PlayerError(f"{self.text} ({self.stage}) plays with {wanted} players, not {rules.players}")
        return self.bind(rules)


@dataclass(frozen=True)
class Player:
    """A discard strategy and a pegging strategy."""

    discard: Half
    play: Half
    text: str = ""

    def __post_init__(self) -> None:
        if not self.text:
            same = self.discard.text == self.play.text
            object.__setattr__(self, "text", self.discard.text if same else f"{self.discard.text}+{self.play.text}")

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        if not (self.discard.by_name and self.play.by_name):
            raise PlayerError(f"{self.text} can't go to other processes; keep it in a file, named file.py:name")
        from cribsim.strategies import find_player

        return find_player, (self.text,)
