"""`simulate`: many deals, games or matches between strategies, added up."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cribsim.errors import CribsimError, Interrupted
from cribsim.folders import new_folder
from cribsim.given import Given
from cribsim.records import RecordWriter, record_chunk
from cribsim.result import Result
from cribsim.rule_record import miss_threshold
from cribsim.rules import Rules, read_rules
from cribsim.runs import (
    Job,
    check_executor,
    check_first,
    check_progress,
    check_units,
    check_workers,
    play_all,
    play_chunk,
    warm_up,
)
from cribsim.saved import Range, join_ranges, provenance
from cribsim.stats import check_confidence
from cribsim.stopping import Watch, hold_stops
from cribsim.strategies import Player, find_player
from cribsim.streams import check_seed
from cribsim.tally import Tally

Progress = Callable[[int, int], None]


class _Written(Protocol):
    def write(self, folder: Path) -> None:
        """Write its files into a folder that is being made."""


R = TypeVar("R", bound=_Written, covariant=True)


def simulate(
    players: Sequence[str | Player | Any],
    *,
    deals: int | None = None,
    games: int | None = None,
    matches: int | None = None,
    seed: int | None = 0,
    rules: Rules | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    first: int = 0,
    given: Mapping[str, Any] | Sequence[str] | None = None,
    out: str | Path | None = None,
    record: bool = False,
    progress: Progress | None = None,
    confidence: float = 0.95,
    command: str | None = None,
) -> Result:
    """Play deals, games or matches between `players` and return the added-up result.

    Parameters
    ----------
    players
        One strategy or text per seat; in deals mode the last always deals, so two players are pone and dealer.
    deals, games, matches
        How many; one of the three. Deal n of a seed is the same cards in every run. Game g is dealt first by seat
        (players - 1 + g) % players, unless the rules say otherwise. Matches need rules with `match` or `match_games`.
    seed
        0 to 2^64 - 1; None picks one and reports it.
    rules
        `Rules`, or text such as `"short,players=4"`; None is the standard game for this many players.
    workers, executor
        Threads (default: every core), or any `concurrent.futures` executor; neither changes the result. What other
        processes of an executor do isn't in `cpu_seconds`.
    first
        The number of the first deal or game: runs of one seed over different numbers add.
    given
        Cards that are known, by name: `pone`, `dealer`... (dealt), `pone_kept`, `pone_thrown`..., `starter`, in part
        too; deals are drawn from those in which the players are dealt these and choose so (deals mode).
    out, record
        A new folder for tallies and provenance; with `record`, for one row of every deal too (`deals.parquet`).
    progress
        Called from the host loop with units done and units in all.
    confidence
        Of the intervals.
    command
        Text kept in the provenance.

    Returns
    -------
    Result
        Integer tallies of every phase, points per deal, with intervals on demand.

    Raises
    ------
    CribsimError
        Players, numbers or rules that can't be used.
    StrategyError
        A strategy raised or answered with something illegal; the message names the deal.
    Interrupted
        Ctrl-C between chunks; what was played is in its `result` (and in `out`).

    Examples
    --------
    >>> result = simulate(["greedy", "greedy"], deals=1000, seed=1)
    >>> result.deals
    1000
    """
    if record and out is None:
        raise CribsimError("record=True needs out=, a folder for the deal records")
    job, n = make_job(players, deals=deals, games=games, matches=matches, seed=seed, rules=rules, given=given)
    check_first(first, n)
    check_executor(executor)
    check_progress(progress)
    run = _Run(job, n, first, check_workers(workers), executor, record, progress, check_confidence(confidence), command)
    return carry_out(run, out)


class Run(Protocol[R]):
    """What `carry_out` carries out: `warm_up`, then `play`, which stops when the watch has heard a stop."""

    stopped: bool

    def warm_up(self) -> None:
        """Load what is needed."""

    def play(self, watch: Watch, draft: Path | None) -> R | None:
        """What was played, all or up to a stop; None for nothing at all."""

    def done_text(self) -> str:
        """How far it came."""


def carry_out(run: Run[R], out: str | Path | None) -> R:
    """Play, and write what was played into the folder `out`. From the first chunk to the last byte stops are held."""
    with hold_stops() as watch:
        with new_folder(out) if out is not None else contextlib.nullcontext() as draft:
            with watch.let_through():
                run.warm_up()
            found = run.play(watch, draft)
            if found is None:
                raise Interrupted(run.done_text(), None)
            if draft is not None:
                found.write(draft)
        if run.stopped or watch.number:
            raise Interrupted(run.done_text(), found)
    return found


def make_job(
    players: Sequence[str | Player | Any],
    *,
    deals: int | None,
    games: int | None,
    seed: int | None,
    rules: Rules | str | None,
    matches: int | None = None,
    given: Mapping[str, Any] | Sequence[str] | None = None,
) -> tuple[Job, int]:
    """Check what was asked for; return the job and the number of its units."""
    if not isinstance(players, (list, tuple)) or not 2 <= len(players) <= 4:
        raise CribsimError("players: give a list of two, three or four, one for each seat")
    amounts = {"deals": deals, "games": games, "matches": matches}
    asked = {name: n for name, n in amounts.items() if n is not None}
    if len(asked) != 1:
        raise CribsimError("give one of deals=, games= and matches=")
    ((what, amount),) = asked.items()
    seated = tuple(find_player(player) for player in players)
    known = read_rules(rules, len(seated))
    if known.players != len(seated):
        raise CribsimError(f"{len(seated)} players given, but the rules are for {known.players}")
    n = check_units(amount, what)
    if matches is not None and not known.is_match:
        raise CribsimError("matches= needs rules that say when a match is won: match=7 (game points) or match_games=5")
    cards = Given.read(given, known)
    if cards and deals is None:
        raise CribsimError(f"given cards belong to single deals: use deals=, not {what}=")
    misses = [known.miss if player.miss is None else player.miss for player in seated]
    if deals is None and all(miss_threshold(miss) == 2**32 for miss in misses):
        raise CribsimError("miss=1 for all players: nobody ever pegs a point, and no game ends")
    seed = secrets.randbits(63) if seed is None else check_seed(seed)
    return Job(seated, known, seed, deals is None, cards, matches is not None), n


@dataclasses.dataclass
class _Run:
    """One simulation in progress."""

    job: Job
    n: int
    first: int
    workers: int
    executor: Executor | None
    record: bool
    progress: Progress | None
    confidence: float
    command: str | None
    stopped: bool = False
    startup: float = 0.0
    start: float = 0.0
    cpu_start: float = 0.0

    def __post_init__(self) -> None:
        self.code = self.job.code
        # one name for both, so that a stop between two statements can't part them
        self.done: tuple[Tally, tuple[Range, ...]] = (Tally.empty(self.job.rules.players), ())

    def warm_up(self) -> None:
        """Load every kernel and table, so that `seconds` is of playing only."""
        self.startup = warm_up(play_chunk, self.job, self.first)

    def play(self, watch: Watch, draft: Path | None) -> Result | None:
        """What was played, all or up to a stop; None for nothing at all."""
        writer = RecordWriter(draft, self.first) if draft is not None and self.record else None
        chunk = record_chunk if writer else play_chunk
        chunks = play_all(chunk, self.job, self.n, watch, self.workers, executor=self.executor, first=self.first)
        self.start, self.cpu_start = time.perf_counter(), time.process_time()
        try:
            for at, units, value in chunks:
                self._take(at, units, value, writer)
                if self.progress:
                    self.progress(self._n_done(), self.n)
        except KeyboardInterrupt:  # from the function `progress`, or from a strategy
            self.stopped = True
        finally:
            chunks.close()
            if writer:
                writer.close()
        return self._result() if self.done[1] else None

    def _take(self, at: int, units: int, value: Any, writer: RecordWriter | None) -> None:
        """Add a chunk; with records, those chunks whose rows have been written."""
        added = writer.take(at, units, *value) if writer else [(at, units, value)]
        for first, n, tally in added:
            before, ranges = self.done
            self.done = (before + tally, join_ranges((*ranges, (self.job.seed, first, n))))

    def _n_done(self) -> int:
        return sum(units for _, _, units in self.done[1])

    def done_text(self) -> str:
        """How far it came."""
        return f"{self._n_done():,} of {self.n:,} {self.job.mode}"

    def _result(self) -> Result:
        tally, ranges = self.done
        complete = self._n_done() == self.n
        return Result(
            players=tuple(player.text for player in self.job.players),
            rules=self.job.rules,
            mode=self.job.mode,
            given=self.job.given.as_dict(),
            ranges=ranges,
            tally=tally,
            seconds=time.perf_counter() - self.start,
            cpu_seconds=time.process_time() - self.cpu_start,
            startup_seconds=self.startup,
            confidence=self.confidence,
            provenance=provenance(self.command, complete, self.code),
        )
