"""The battery that every strategy must pass: `check_strategy`.

The views come from real games of random play. A view holds nothing hidden, so a strategy sees hidden cards only if its
answer depends on anything but its own view: the rows beside it, their order, or what it was asked before.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import StrategyError, require_whole
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import MAX_COUNT, PIPS, Rules
from cribsim.strategies.base import DISCARD, PLAY, Bound, Half, fault_text, read_numbers, view_text
from cribsim.strategies.finding import find_halves
from cribsim.strategies.random import random_discard, random_play
from cribsim.streams import check_seed
from cribsim.views import thrown_positions, without_guesses

_ROUNDS = 16
"""Deals played in each slot: enough for a game to end."""
_MAX_DEALS = 10**6
"""Their views are all kept."""
_N_ALONE = 64
"""Views that are asked about one by one."""


@dataclass(frozen=True)
class CheckReport:
    """What a strategy passed."""

    player: str
    players: tuple[int, ...]
    n_views: int
    checks: tuple[str, ...]

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.players))
        lines = [f"{self.player}: passed with {numbers} players, {self.n_views:,} decisions"]
        return "\n".join([*lines, *(f"  {check}" for check in self.checks)])


def check_strategy(
    player: Any, *, players: int | Iterable[int] | None = None, seed: int = 0, n_deals: int = 1000
) -> CheckReport:
    """Try a strategy on the decisions of random games: is it legal, repeatable, and blind to what is hidden?

    Parameters
    ----------
    player
        Anything that `find_player` takes; one half alone will do.
    players
        The numbers of players to try. None: all that the strategy says it can play with (each half its own; the
        report names those of both).
    seed, n_deals
        Which games the decisions come from, and about how many deals for each number of players.

    Returns
    -------
    CheckReport
        The checks passed, and on how many decisions.

    Raises
    ------
    StrategyError
        A check failed; the message names it, and shows the view in card text.
    PlayerError
        There is no such strategy, or it doesn't play with these numbers of players.
    CribsimError
        `seed` or `n_deals` is no such number.

    Examples
    --------
    >>> check_strategy("greedy", players=2, n_deals=20).players
    (2,)
    """
    halves, seed = find_halves(player), check_seed(seed)
    n_deals = require_whole(n_deals, "n_deals", 1, _MAX_DEALS)
    numbers = _numbers(halves, players)
    n_views = 0
    for n in numbers:
        views = sample_views(n, seed=seed, n_deals=n_deals)
        for half in halves:
            if n in half.players or players is not None:
                _Trial(half, half.ready(Rules(players=n)), views[half.stage]).run()
                n_views += len(views[half.stage])
    text = "+".join(dict.fromkeys(half.text for half in halves))
    together = tuple(n for n in numbers if all(n in half.players for half in halves))
    return CheckReport(text, together, n_views, tuple(about for about, _ in CHECKS))


def _numbers(halves: list[Half], players: int | Iterable[int] | None) -> tuple[int, ...]:
    if players is None:
        return tuple(sorted({n for half in halves for n in half.players}))
    return read_numbers(players)


def sample_views(players: int, *, seed: int = 0, n_deals: int = 200) -> dict[str, NDArray[Any]]:
    """Views of every seat about to choose, by stage, from games of random play."""
    # only the check plays: strategies know nothing of the engine
    from cribsim.engine import play_rounds
    from cribsim.table import END, ROUNDS, Seats, new_table
    from cribsim.tally import empty_counts

    seen: dict[str, list[NDArray[Any]]] = {DISCARD: [], PLAY: []}

    def recorder(stage: str, kernel: Callable[..., None]) -> Callable[..., None]:
        def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
            seen[stage].append(views[which].copy())
            kernel(views, which, params, table, out_answers)

        return answer

    n_slots = -(-n_deals // _ROUNDS)
    state = np.zeros(8, np.int64)
    state[END], state[ROUNDS] = 1 << 40, _ROUNDS
    numbers = Seats(*((np.zeros(1, kind),) * MAX_PLAYERS for kind in (float, np.uint8, float, np.uint8)))
    answers = [recorder(DISCARD, random_discard)] * MAX_PLAYERS + [recorder(PLAY, random_play)] * MAX_PLAYERS
    rules = Rules(players=players).record(in_game=True)[0]
    loop = getattr(play_rounds, "py_func", play_rounds)
    loop(np.uint64(seed), rules, new_table(n_slots, 0), empty_counts(), numbers, *answers, state)
    return {stage: np.concatenate(views) for stage, views in seen.items()}


class _Trial:
    """One half, bound, before the views of one number of players."""

    def __init__(self, half: Half, bound: Bound, views: NDArray[Any]) -> None:
        self.half, self.bound, self.views = half, bound, views
        self.answers = np.zeros(0, np.int64)

    def run(self) -> None:
        """Every check in turn."""
        if self.bound.plain is not None:
            self.try_plain(dataclasses.replace(self.bound, answer=self.bound.plain))
        self.answers = self.ask(self.views, "answers every decision")
        for about, check in CHECKS:
            check(self, about)

    def try_plain(self, plain: Bound) -> None:
        """In plain Python first: compiled, an index out of bounds reads what lies there, or ends the process."""
        compiled, self.bound = self.bound, plain
        self.ask(self.views, "answers every decision in plain Python")
        self.bound = compiled

    def ask(self, views: NDArray[Any], about: str, which: NDArray[Any] | None = None, fill: int = -1) -> Any:
        """The answers to some of these views; places not asked about hold `fill`."""
        asked = np.arange(len(views)) if which is None else which
        answers = np.full(len(views), fill, np.int64)
        bound = self.bound
        try:
            bound.answer(views.copy(), asked.astype(np.int32), bound.params, bound.table, answers)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self.raised(about, views[asked], error) from error
        return without_guesses(answers)

    def raised(self, about: str, views: NDArray[Any], error: BaseException) -> StrategyError:
        """The failure that names the first view at which the strategy raises, asked one by one."""
        bound, one = self.bound, np.zeros(1, np.int32)
        for i in range(len(views)):
            try:
                bound.answer(views[i : i + 1].copy(), one, bound.params, bound.table, np.zeros(1, np.int64))
            except KeyboardInterrupt:
                raise
            except BaseException as again:
                return self.said(about, views[i], fault_text(again))
        return self.said(about, views[0], fault_text(error))

    def failed(self, about: str, i: int | np.integer[Any], what: str) -> StrategyError:
        """The failure at one of the views."""
        return self.said(about, self.views[i], what)

    def said(self, about: str, view: Any, what: str) -> StrategyError:
        """The text of a failure."""
        return StrategyError(
            f"{self.half.text} ({self.half.stage}) fails the check {about!r}: {what}; {view_text(view)}"
        )

    def check_legal(self, about: str) -> None:
        """Every answer is one of the throws, or a card that fits."""
        again = self.ask(self.views, about, fill=-2)
        for i in np.flatnonzero((self.answers == -1) & (again == -2)):
            raise self.failed(about, i, "gave no answer")
        for i in np.flatnonzero((self.answers < 0) | (self.answers >= n_legal(self.views))):
            raise self.failed(about, i, f"answered {self.answers[i]}")

    def check_repeat(self, about: str) -> None:
        """The same views again, after other calls; the generators that all of Python shares stay untouched."""
        before = _shared_randomness()
        self.ask(self.views[::-1], about)
        if _shared_randomness() != before:
            raise self.failed(about, 0, "drew from `random` or `numpy.random`; draw from view.key")
        self.compare(self.ask(self.views, about), about)

    def check_order(self, about: str) -> None:
        """The views in another order, among others that aren't asked about."""
        order = np.random.default_rng(1).permutation(len(self.views))
        answers = np.empty_like(self.answers)
        answers[order] = self.ask(self.views[order], about)
        self.compare(answers, about)
        every = np.arange(len(self.views))
        for part in (every[::2], every[1::2]):
            answers = self.answers.copy()
            answers[part] = self.ask(self.views, about, part)[part]
            self.compare(answers, about)

    def check_neighbours(self, about: str) -> None:
        """The views among rows of other deals, with other bytes where a view holds nothing."""
        views = np.repeat(self.views, 2)
        views[1::2] = np.roll(self.views, 7)
        if "spare" in (views.dtype.names or ()):
            views["spare"] = 99
        which = np.arange(0, len(views), 2)
        self.compare(self.ask(views, about, which)[::2], about)

    def check_alone(self, about: str) -> None:
        """One view at a time."""
        answers = self.answers.copy()
        for i in np.linspace(0, len(self.views) - 1, min(_N_ALONE, len(self.views))).astype(int):
            answers[i] = self.ask(self.views[i : i + 1], about)[0]
        self.compare(answers, about)

    def check_unwritten(self, about: str) -> None:
        """Neither the views nor the answers of others change."""
        bound, which = self.bound, np.arange(0, len(self.views), 2, dtype=np.int32)
        views, answers = self.views.copy(), np.full(len(self.views), -7, np.int64)
        bound.answer(views, which, bound.params, bound.table, answers)
        for i in np.flatnonzero(views != self.views):
            raise self.failed(about, i, "changed the view")
        for i in np.flatnonzero(answers[1::2] != -7) * 2 + 1:
            raise self.failed(about, i, "answered though it wasn't asked")

    def compare(self, answers: NDArray[np.int64], about: str) -> None:
        """Fail where answers differ from the first ones."""
        for i in np.flatnonzero(answers != self.answers):
            raise self.failed(about, i, f"answered {self.answers[i]} at first and {answers[i]} then")


def _shared_randomness() -> tuple[Any, ...]:
    """The states of the generators that any code may draw from."""
    name, words, *rest = np.random.get_state(legacy=True)
    return random.getstate(), name, np.asarray(words).tobytes(), *rest


def n_legal(views: NDArray[Any]) -> NDArray[np.int64]:
    """How many answers are legal for each view: throws, or cards that fit (the lowest, so the first ones)."""
    if "n_thrown" in (views.dtype.names or ()):
        shapes = zip(views["n_cards"].tolist(), views["n_thrown"].tolist(), strict=True)
        return np.array([len(thrown_positions(*shape)) for shape in shapes], np.int64)
    pips = PIPS[np.minimum(views["cards"] >> 2, 12)]
    held = np.arange(views["cards"].shape[1]) < views["n_cards"][:, None]
    fits = held & (pips + views["count"][:, None].astype(np.int64) <= MAX_COUNT)
    return np.asarray(fits.sum(axis=1), np.int64)


CHECKS: tuple[tuple[str, Callable[[_Trial, str], None]], ...] = (
    ("every answer is legal", _Trial.check_legal),
    ("the same view, the same answer", _Trial.check_repeat),
    ("the order of the batch doesn't matter", _Trial.check_order),
    ("it sees its own view only", _Trial.check_neighbours),
    ("alone as in a batch", _Trial.check_alone),
    ("it changes no view", _Trial.check_unwritten),
)
"""The battery: what each check is called, and what finds the views that fail it."""
