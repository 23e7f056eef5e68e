"""`simulate`: many deals or games between strategies, added up."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from cribsim.errors import CribsimError, Interrupted
from cribsim.records import RecordWriter, record_chunk
from cribsim.result import Range, Result, join_ranges, new_folder, provenance
from cribsim.rules import Rules, read_rules
from cribsim.runs import (
    Job,
    check_executor,
    check_first,
    check_progress,
    check_units,
    check_workers,
    hold_interrupts,
    play_all,
    play_chunk,
    warm_up,
)
from cribsim.stats import check_confidence
from cribsim.strategies import Player, find_player
from cribsim.streams import check_seed
from cribsim.tally import Tally

Progress = Callable[[int, int], None]


def simulate(
    players: Sequence[str | Player | Any],
    *,
    deals: int | None = None,
    games: int | None = None,
    seed: int | None = 0,
    rules: Rules | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    first: int = 0,
    out: str | Path | None = None,
    record: bool = False,
    progress: Progress | None = None,
    confidence: float = 0.95,
    command: str | None = None,
) -> Result:
    """Play deals or games between `players` and return the added-up result.

    Parameters
    ----------
    players
        One strategy or text per seat; in deals mode the last always deals, so two players are pone and dealer.
    deals, games
        How many; one of the two. Deal n of a seed is the same cards in every run. Game g is dealt first by seat
        (players - 1 + g) % players.
    seed
        0 to 2^64 - 1; None picks one and reports it.
    rules
        `Rules`, or text such as `"short,players=4"`; None is the standard game for this many players.
    workers, executor
        Threads (default: every core), or any `concurrent.futures` executor; neither changes the result. What other
        processes of an executor do isn't in `cpu_seconds`.
    first
        The number of the first deal or game: runs of one seed over different numbers add.
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
        Ctrl-C; what was played is in its `result` (and in `out`).

    Examples
    --------
    >>> result = simulate(["greedy", "greedy"], deals=1000, seed=1)
    >>> result.deals
    1000
    """
    if record and out is None:
        raise CribsimError("record=True needs out=, a folder for the deal records")
    job, n = make_job(players, deals=deals, games=games, seed=seed, rules=rules)
    run = _Run(job, n, first, progress, check_confidence(confidence), command)
    workers = check_workers(workers)
    check_first(first, n)
    check_executor(executor)
    check_progress(progress)
    if out is None:
        return run.play(workers, executor, None)
    with new_folder(out) as draft:
        try:
            result = run.play(workers, executor, RecordWriter(draft, first) if record else None)
        except Interrupted as stop:
            if not isinstance(stop.result, Result):
                raise
            stop.result.write(draft)
            stopped: Interrupted | None = stop
        else:
            result.write(draft)
            stopped = None
    if stopped is not None:
        raise stopped
    return result


def make_job(
    players: Sequence[str | Player | Any],
    *,
    deals: int | None,
    games: int | None,
    seed: int | None,
    rules: Rules | str | None,
) -> tuple[Job, int]:
    """Check what was asked for; return the job and the number of its units."""
    if not isinstance(players, (list, tuple)) or not 2 <= len(players) <= 4:
        raise CribsimError("players: give a list of two, three or four, one for each seat")
    if (deals is None) == (games is None):
        raise CribsimError("give either deals= or games=")
    seated = tuple(find_player(player) for player in players)
    known = read_rules(rules, len(seated))
    if known.players != len(seated):
        raise CribsimError(f"{len(seated)} players given, but the rules are for {known.players}")
    if games is not None:
        n = check_units(games, "games")
    else:
        n = check_units(deals if deals is not None else 0, "deals")
    job = Job(seated, known, secrets.randbits(63) if seed is None else check_seed(seed), games is not None)
    return job, n


class _Run:
    """One simulation in progress."""

    def __init__(
        self, job: Job, n: int, first: int, progress: Progress | None, confidence: float, command: str | None
    ) -> None:
        self.job, self.n, self.first = job, n, first
        self.progress, self.confidence, self.command = progress, confidence, command
        self.code = job.code
        # one name for both, so that a stop between two statements can't part them
        self.done: tuple[Tally, tuple[Range, ...]] = (Tally.empty(job.rules.players), ())
        self.startup = self.start = self.cpu_start = 0.0

    def play(self, workers: int, executor: Executor | None, writer: RecordWriter | None) -> Result:
        chunks = play_all(
            record_chunk if writer else play_chunk,
            self.job,
            self.n,
            workers=workers,
            executor=executor,
            first=self.first,
        )
        try:
            self.startup = warm_up(play_chunk, self.job, self.first)
            self.start, self.cpu_start = time.perf_counter(), time.process_time()
            for at, units, value in chunks:
                with hold_interrupts():
                    self._take(at, units, value, writer)
                if self.progress:
                    self.progress(self._n_done(), self.n)
        except KeyboardInterrupt:
            chunks.close()
            raise Interrupted(self._done_text(), self._result(complete=False) if self.done[1] else None) from None
        finally:
            if writer:
                with hold_interrupts():
                    writer.close()
        return self._result(complete=True)

    def _take(self, at: int, units: int, value: Any, writer: RecordWriter | None) -> None:
        """Add a chunk; with records, those chunks whose rows have been written."""
        added = writer.take(at, units, *value) if writer else [(at, units, value)]
        for first, n, tally in added:
            before, ranges = self.done
            self.done = (before + tally, join_ranges((*ranges, (self.job.seed, first, n))))

    def _n_done(self) -> int:
        return sum(units for _, _, units in self.done[1])

    def _done_text(self) -> str:
        return f"{self._n_done():,} of {self.n:,} {self.job.unit}s"

    def _result(self, *, complete: bool) -> Result:
        tally, ranges = self.done
        return Result(
            players=tuple(player.text for player in self.job.players),
            rules=self.job.rules,
            mode="games" if self.job.in_game else "deals",
            ranges=ranges,
            tally=tally,
            seconds=time.perf_counter() - self.start,
            cpu_seconds=time.process_time() - self.cpu_start,
            startup_seconds=self.startup,
            confidence=self.confidence,
            provenance=provenance(self.command, complete, self.code),
        )
