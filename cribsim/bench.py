"""`cribsim bench`: how fast this machine is. Processor time, best of several, one worker unless said."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.engine import LIVE, NEXT
from cribsim.rules import Rules
from cribsim.runs import Batch, Job, play_chunk
from cribsim.scoring import score_many
from cribsim.simulation import simulate
from cribsim.strategies import find_player
from cribsim.strategies.base import DISCARD

PLAYERS = {"exact": "expectimax+greedy", "random": "random"}
_TRIALS = 5


def _job(player: str, in_game: bool = False, seed: int = 1) -> Job:
    return Job((find_player(player),) * 2, Rules(), seed, in_game)


def _best(work: Callable[[], int]) -> tuple[float, float]:
    """Things per processor second, and the seconds of the best of several trials."""
    work()
    best = (0.0, 0.0)
    for _ in range(_TRIALS):
        start = time.process_time()
        n = work()
        seconds = time.process_time() - start
        best = max(best, (n / seconds, seconds))
    return best


def _row(work: str, measured: tuple[float, float]) -> dict[str, Any]:
    return {"work": work, "per_second": measured[0], "cpu_seconds": measured[1]}


def sample_views(half: str, n: int = 1 << 14) -> tuple[Any, NDArray[np.int32], NDArray[np.int64]]:
    """Views of random deals (the pone's discard, or its lead), which of them to answer, and room for the answers."""
    batch = Batch(_job("random"), 0, n, slots=n)
    batch.advance(1)
    views = batch.table.discards if half == DISCARD else _leads(batch)
    return views, np.arange(n, dtype=np.int32), np.zeros(n, np.int64)


def _leads(batch: Batch) -> Any:
    """The table turned back to the pone's lead."""
    from cribsim.engine import cut_starters

    live = int(batch.state[LIVE] or batch.state[NEXT])
    deals, table = batch.table.deals[:live], batch.table
    deals["hands"] = np.where(deals["kept"] > 0, deals["kept"], deals["hands"])
    cut_starters(batch.rules, deals, table.plays, table.waiting[0], table.n_waiting[0])
    return table.plays


def score_rate(n: int = 1 << 20) -> tuple[float, float]:
    """Hands of five cards scored in a kernel."""
    rng = np.random.default_rng(1)
    cards = np.argsort(rng.random((1 << 14, 52)), axis=1)[:, :5].astype(np.uint8)
    fours = np.ascontiguousarray(np.tile(cards[:, :4], (n >> 14, 1)))
    starters = np.ascontiguousarray(np.tile(cards[:, 4], n >> 14))
    points = np.zeros(n, np.uint8)

    def work() -> int:
        for _ in range(20):
            score_many(fours, starters, 0, points)
        return 20 * n

    return _best(work)


def play_rate(player: str, in_game: bool, units: int) -> tuple[float, float]:
    """Deals (or games) of a mirror match on one thread."""
    job = _job(player, in_game)

    def work() -> int:
        play_chunk(job, 0, units)
        return units

    return _best(work)


def two_workers() -> float:
    """How many times faster two workers are than one, by the clock: medians of alternating runs."""
    ratios = []
    for _ in range(_TRIALS):
        seconds = [simulate([PLAYERS["exact"]] * 2, deals=2_000_000, workers=workers).seconds for workers in (1, 2)]
        ratios.append(seconds[0] / seconds[1])
    return float(np.median(ratios))


def decision_rate(half: str, player: str) -> tuple[float, float]:
    """Decisions of one half in a batch."""
    views, which, answers = sample_views(half)
    chosen = find_player(player)
    bound = (chosen.discard if half == DISCARD else chosen.play).ready(Rules())

    def work() -> int:
        for _ in range(20):
            bound.answer(views, which, bound.params, bound.table, answers)
        return 20 * len(which)

    return _best(work)


def _subprocess_seconds(code: str, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


_SMALL_RUN = "import cribsim; cribsim.simulate(['expectimax+greedy', 'random'], deals=100)"


def compile_seconds() -> float:
    """Compiling every kernel of a run from nothing, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return _subprocess_seconds(_SMALL_RUN, NUMBA_CACHE_DIR=folder)


def run_bench(*, cold: bool = False) -> dict[str, Any]:
    """Everything `cribsim bench` reports."""
    rows = [
        _row("exact deals", play_rate(PLAYERS["exact"], False, 200_000)),
        _row("random deals", play_rate(PLAYERS["random"], False, 200_000)),
        _row("exact games", play_rate(PLAYERS["exact"], True, 25_000)),
        _row("random games", play_rate(PLAYERS["random"], True, 20_000)),
        _row("five-card hands scored", score_rate()),
        _row("expectimax discards", decision_rate(DISCARD, "expectimax+greedy")),
        _row("greedy plays", decision_rate("play", "expectimax+greedy")),
    ]
    return {
        "rows": rows,
        "two_workers": two_workers(),
        "compile_seconds": compile_seconds() if cold else None,
        "startup_seconds": _subprocess_seconds(_SMALL_RUN),
    }
