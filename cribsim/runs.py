"""Many deals or games: cut into chunks, played on any executor, added up in whole numbers.

What a chunk counts depends on its numbers alone, so the chunks may have any size and finish in any order. Chunks are
sized by the clock: short enough to stop within a moment of Ctrl-C, long enough to cost nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribsim.engine import play_rounds
from cribsim.errors import CribsimError, StrategyError, shown
from cribsim.given import MOST_REDRAWN, NOTHING_GIVEN, Given
from cribsim.pegging import NOBODY
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import Rules
from cribsim.stopping import Watch
from cribsim.strategies import Player
from cribsim.strategies.base import Bound, fault_text, view_text
from cribsim.strategies.check import n_legal
from cribsim.table import END, FIRST, GAVE_UP, LIVE, NEXT, ROUNDS, SEAT, SLOT, STAGE, Seats, Table, new_table
from cribsim.tally import MAX_NARROW_DEALS, Tally, empty_counts
from cribsim.work import n_cores

SLOTS = 512
MAX_UNITS = 10**13
_CHUNK_SECONDS = 0.15
_FIRST_CHUNK = 512
_LARGEST_CHUNK = 1 << 17
_ENDLESS = 1 << 62


@dataclass(frozen=True)
class Seated:
    """The players bound to the rules, in the form the engine takes."""

    discards: tuple[Bound, ...]
    plays: tuple[Bound, ...]
    seats: Seats
    compiled: bool
    loop: Callable[..., None]

    @classmethod
    def of(cls, players: tuple[Player, ...], rules: Rules) -> Seated:
        """Bind every player's halves."""
        halves = [(player.discard.ready(rules), player.play.ready(rules)) for player in players]
        halves += halves[:1] * (MAX_PLAYERS - len(halves))
        discards, plays = tuple(half[0] for half in halves), tuple(half[1] for half in halves)
        numbers = (
            tuple(half.params for half in discards),
            tuple(half.table for half in discards),
            tuple(half.params for half in plays),
            tuple(half.table for half in plays),
        )
        compiled = all(half.compiled for half in (*discards, *plays))
        loop = play_rounds if compiled else getattr(play_rounds, "py_func", play_rounds)
        return cls(discards, plays, Seats(*numbers), compiled, loop)


@dataclass(frozen=True)
class Job:
    """What is played: players by seat, rules, seed; deals, games (`in_game`) or matches (`in_match`, too)."""

    players: tuple[Player, ...]
    rules: Rules
    seed: int
    in_game: bool
    given: Given = NOTHING_GIVEN
    in_match: bool = False

    @property
    def unit(self) -> str:
        """The word for one unit."""
        return "match" if self.in_match else "game" if self.in_game else "deal"

    @property
    def mode(self) -> str:
        """The word for many."""
        return f"{self.unit}es" if self.in_match else f"{self.unit}s"

    @property
    def code(self) -> dict[str, str]:
        """For each half that isn't built in a digest of its code (`Half.code`)."""
        halves = [half for player in self.players for half in (player.discard, player.play)]
        return {f"{half.text} ({half.stage})": half.code for half in halves if half.code}

    @functools.cached_property
    def seated(self) -> Seated:
        """The players bound to the rules; made once in each process."""
        return Seated.of(self.players, self.rules)

    @functools.cached_property
    def arranged(self) -> tuple[tuple[tuple[bool, ...], Job], ...]:
        """The same with the first two players in every arrangement of seats in which they are compared: which seats the
        first one has, and the job. He has one of two sides (and then the other), or one seat of several."""
        a, b = self.players[:2]
        n, sides = self.rules.players, self.rules.sides
        seatings = [tuple(seat % sides == own for seat in range(n)) for own in range(sides)]
        return tuple(
            (mine, dataclasses.replace(self, players=tuple(a if own else b for own in mine))) for mine in seatings
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("seated", "arranged")}


class Batch:
    """One chunk in play: a table, a state and a tally; `advance` plays rounds."""

    def __init__(self, job: Job, first: int, n: int, *, n_outcomes: int = 0, slots: int = SLOTS) -> None:
        self.job = job
        self.seated = job.seated
        self.table: Table = new_table(min(slots, n), n_outcomes, job.given.record(job.rules))
        self.tally = Tally.empty(job.rules.players)
        self.counts = empty_counts(narrow=True)
        misses = [player.miss for player in job.players]
        self.rules = job.rules.record(in_game=job.in_game, in_match=job.in_match, miss=misses)[0]
        self.state: NDArray[np.int64] = np.zeros(8, np.int64)
        self.state[FIRST] = self.state[NEXT] = first
        self.state[END] = first + n
        self.state[SLOT] = NOBODY

    def advance(self, rounds: int = _ENDLESS) -> bool:
        """Play rounds; True while slots are in use. A strategy's fault becomes a StrategyError."""
        most = max(1, MAX_NARROW_DEALS // len(self.table.deals))
        while rounds > 0:
            self._play(min(rounds, most))
            self.tally.take(self.counts)
            rounds -= most
            if self.state[LIVE] == 0:
                return False
        return True

    def _play(self, rounds: int) -> None:
        self.state[ROUNDS] = rounds
        seated = self.seated
        answers = [half.answer for half in (*seated.discards, *seated.plays)]
        try:
            seed = np.uint64(self.job.seed)
            seated.loop(seed, self.rules, self.table, self.counts, seated.seats, *answers, self.state)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._raised(error) from error
        if self.state[STAGE] == GAVE_UP:
            raise CribsimError(
                f"none of {MOST_REDRAWN:,} deals came out as given ({self.job.given.text}): the strategies choose "
                f"otherwise; give all of a player's cards as kept or thrown, and there is nothing to choose"
            )
        slot = int(self.state[SLOT])
        if slot != NOBODY:
            raise self._fault(slot, f"answered {int(self.table.answers[slot])}")

    def _raised(self, error: BaseException) -> BaseException:
        """The StrategyError for a strategy that raised, found by asking it view by view; other errors as they are."""
        slots = self._asked() if self.state[STAGE] else []
        if not slots:
            return error
        half, views = self._asking()
        answers = np.full(len(views), NOBODY, np.int64)
        for slot in slots:
            try:
                half.answer(views, np.array([slot], np.int32), half.params, half.table, answers)
            except KeyboardInterrupt:
                raise
            except BaseException as again:
                return self._fault(slot, fault_text(again))
        return self._fault(slots[0], fault_text(error))

    def _asking(self) -> tuple[Bound, Any]:
        """The half that was asked last, and the views of its stage."""
        discarding, seat = self.state[STAGE] == 1, self.state[SEAT]
        halves = self.seated.discards if discarding else self.seated.plays
        return halves[seat], self.table.discards if discarding else self.table.plays

    def _asked(self) -> list[int]:
        """The slots that it was asked about."""
        if self.state[STAGE] == 1:
            return list(range(int(self.state[LIVE])))
        queues, lengths, seat = self.table.waiting, self.table.n_waiting, self.state[SEAT]
        return [int(slot) for now in (0, 1) for slot in queues[now, seat, : lengths[now, seat]]]

    def _fault(self, slot: int, why: str) -> StrategyError:
        """The error that names the strategy, the deal to play again and the view."""
        job, seat, discarding = self.job, int(self.state[SEAT]), self.state[STAGE] == 1
        player, deal, views = job.players[seat], self.table.deals[slot], self._asking()[1][slot : slot + 1]
        half = player.discard if discarding else player.play
        what = "index of a throw" if discarding else "position of a card that fits"
        unit = f"{job.unit} {deal['number']}" + (f", deal {deal['step']} of it" if job.in_game else "")
        return StrategyError(
            f"{half.text} ({half.stage}, seat {seat}) {why} in {unit}, seed {job.seed}, players by seat "
            f"{' · '.join(each.text for each in job.players)}; {view_text(views[0])}; "
            f"wanted: the {what}, 0 to {n_legal(views)[0] - 1}"
        )


def play_chunk(job: Job, first: int, n: int) -> Tally:
    """Play units first to first + n - 1 and return what they count."""
    batch = Batch(job, first, n)
    while batch.advance():
        pass
    return batch.tally


def check_units(n: int, what: str) -> int:
    """A number of deals or games that can be played."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MAX_UNITS:
        raise CribsimError(f"{what}={shown(n)}: give a whole number from 1 to 10^13, as in 10_000")
    return int(n)


def check_first(first: int, n: int) -> int:
    """The number of the first of n deals or games."""
    whole = isinstance(first, (int, np.integer)) and not isinstance(first, bool)
    if not whole or not 0 <= first <= MAX_UNITS - n:
        raise CribsimError(f"first={shown(first)}: give a whole number from 0, so that the last one lies under 10^13")
    return int(first)


def check_executor(executor: Any) -> Executor | None:
    """None, or something with the `submit` of `concurrent.futures`."""
    if executor is not None and not hasattr(executor, "submit"):
        raise CribsimError(f"executor={shown(executor)}: give a concurrent.futures executor")
    return executor  # type: ignore[no-any-return]


def check_progress(progress: Any) -> None:
    """None, or something to call with the units done and the units in all."""
    if progress is not None and not callable(progress):
        raise CribsimError(f"progress={shown(progress)}: give a function of (done, total)")


def check_workers(workers: int | None) -> int:
    """A number of workers; None takes every core that this process may use."""
    if workers is None:
        return n_cores()
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 1024:
        raise CribsimError(f"workers={shown(workers)}: give a whole number from 1 to 1024")
    return workers


T = TypeVar("T")


def play_all(
    chunk: Callable[[Job, int, int], T],
    job: Job,
    n: int,
    watch: Watch,
    workers: int,
    *,
    executor: Executor | None = None,
    first: int = 0,
) -> Generator[tuple[int, int, T], None, None]:
    """Play all n units; yield (first unit, units, what `chunk` returned) as chunks finish.

    After a stop that `watch` heard, or when the consumer has enough, what is running finishes its chunk and the rest
    is dropped.
    """
    own = ThreadPoolExecutor(workers) if executor is None else None
    pool = own if own is not None else executor
    assert pool is not None
    running: dict[Future[tuple[float, T]], tuple[int, int]] = {}
    size, given = min(_FIRST_CHUNK, n), 0
    if not job.seated.compiled:
        size = min(8, n)
    try:
        while (given < n or running) and not watch.number:
            while given < n and len(running) < workers + 1:
                units = min(size, n - given)
                at = first + given
                running[pool.submit(_timed, chunk, job, at, units)] = (at, units)
                given += units
            for future in wait(running, timeout=0.2, return_when=FIRST_COMPLETED).done:
                at, units = running.pop(future)
                seconds, value = future.result()
                size = _next_size(size, units, seconds)
                yield at, units, value
    finally:
        for future in running:
            future.cancel()
        if own is not None:
            own.shutdown(wait=True, cancel_futures=True)


def warm_up(chunk: Callable[[Job, int, int], Any], job: Job, first: int) -> float:
    """Play one unit, which loads every kernel and table: what is timed then is playing. Return the seconds it took."""
    start = time.perf_counter()
    chunk(job, first, 1)
    return time.perf_counter() - start


def _timed(chunk: Callable[[Job, int, int], T], job: Job, first: int, n: int) -> tuple[float, T]:
    start = time.perf_counter()
    value = chunk(job, first, n)
    return time.perf_counter() - start, value


def _next_size(size: int, units: int, seconds: float) -> int:
    """Chunks that take about _CHUNK_SECONDS, growing at most fourfold at a time."""
    wanted = int(units * _CHUNK_SECONDS / max(seconds, 1e-6))
    return max(1, min(wanted, 4 * size, _LARGEST_CHUNK))
