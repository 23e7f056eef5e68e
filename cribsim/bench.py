"""`cribsim bench`: how fast this machine is. Best of several; processor time, of several workers that of the clock."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.discards import discard_values
from cribsim.analysis.uniform import uniform_values
from cribsim.rules import Rules
from cribsim.runs import Job, play_chunk
from cribsim.scoring import score_many
from cribsim.simulation import simulate
from cribsim.strategies import Half, check, find_half, find_player
from cribsim.strategies.base import DISCARD, PLAY

PLAYERS = {"exact": "expectimax+greedy", "random": "random"}
PER_CPU, PER_CLOCK = "per processor second", "per second of the clock"
"""What a rate is of; several workers save time on the clock alone."""
_TRIALS = 5
_N_VIEWS = 1 << 14


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


def _row(work: str, measured: tuple[float, float], unit: str = PER_CPU) -> dict[str, Any]:
    return {"work": work, "per_second": measured[0], "unit": unit, "cpu_seconds": measured[1]}


def sample_views(stage: str, n: int = _N_VIEWS) -> NDArray[Any]:
    """Views of n decisions of a stage, from games of random play."""
    views = check.sample_views(2, n_deals=n)[stage]
    return views[:: len(views) // n][:n].copy()


def answer_all(half: Half, views: NDArray[Any]) -> Callable[[], int]:
    """The work of answering all views once."""
    bound = half.ready(Rules())
    which, answers = np.arange(len(views), dtype=np.int32), np.zeros(len(views), np.int64)

    def work() -> int:
        bound.answer(views, which, bound.params, bound.table, answers)
        return len(views)

    return work


def score_rate(rounds: int = 20, n: int = 1 << 20) -> tuple[float, float]:
    """Hands of five cards scored in a kernel."""
    rng = np.random.default_rng(1)
    cards = np.argsort(rng.random((1 << 14, 52)), axis=1)[:, :5].astype(np.uint8)
    fours = np.ascontiguousarray(np.tile(cards[:, :4], (n >> 14, 1)))
    starters = np.ascontiguousarray(np.tile(cards[:, 4], n >> 14))
    points = np.zeros(n, np.uint8)

    def work() -> int:
        for _ in range(rounds):
            score_many(fours, starters, 0, points)
        return rounds * n

    return _best(work)


def play_rate(player: str, in_game: bool, units: int) -> tuple[float, float]:
    """Deals (or games) of a mirror match on one thread."""
    job = _job(player, in_game)

    def work() -> int:
        play_chunk(job, 0, units)
        return units

    return _best(work)


def workers_rate(workers: int, deals: int) -> tuple[tuple[float, float], float]:
    """Deals per second of the clock with so many workers, and how many times that is one worker's.

    One and many take turns; the ratio is the median, so that a busy moment of the machine decides nothing.
    """
    runs = [[simulate([PLAYERS["exact"]] * 2, deals=deals, workers=n) for n in (1, workers)] for _ in range(_TRIALS)]
    best = min((many for _, many in runs), key=lambda run: run.seconds)
    return (best.deals_per_second, best.cpu_seconds), median(one.seconds / many.seconds for one, many in runs)


def decision_rate(name: str, stage: str) -> tuple[float, float]:
    """Decisions of one half in a batch."""
    once = answer_all(find_half(name, stage), sample_views(stage))
    return _best(lambda: sum(once() for _ in range(20)))


def discard_rates(scale: float) -> list[dict[str, Any]]:
    """Hands against a uniform other, all throws exact; and sampled evaluations against a policy, on all cores."""
    rng = np.random.default_rng(1)
    hands = np.sort(np.argsort(rng.random((1 << 16, 52)), axis=1)[:, :6], axis=1)
    samples = int((1 << 24) * scale)

    def value() -> int:
        return len(uniform_values(hands)[0])

    def sample() -> int:
        discard_values(hands[0].tolist(), dealer=True, samples=samples)
        return samples * 15

    return [
        _row("hands against a uniform other, 15 throws exact", _best(value)),
        _row("throws evaluated by samples, against equilibrium", _best(sample)),
    ]


def _subprocess_seconds(code: str, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


_SMALL_RUN = "import cribsim; cribsim.simulate(['expectimax+greedy', 'random'], deals=100)"


def compile_seconds() -> float:
    """Compiling every kernel of a run from nothing, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return _subprocess_seconds(_SMALL_RUN, NUMBA_CACHE_DIR=folder)


def run_bench(*, cold: bool = False, workers: int = 2, scale: float = 1.0) -> dict[str, Any]:
    """Everything `cribsim bench` reports; `scale` multiplies the deals and games played."""
    exact, random = PLAYERS["exact"], PLAYERS["random"]
    many, ratio = workers_rate(workers, int(2_000_000 * scale))
    rows = [
        _row("exact deals", play_rate(exact, False, int(200_000 * scale))),
        _row("random deals", play_rate(random, False, int(200_000 * scale))),
        _row("exact games", play_rate(exact, True, int(25_000 * scale))),
        _row("random games", play_rate(random, True, int(20_000 * scale))),
        _row("five-card hands scored", score_rate(int(20 * scale) or 1)),
        _row("expectimax discards", decision_rate("expectimax", DISCARD)),
        _row("discards by table (equilibrium)", decision_rate("equilibrium", DISCARD)),
        _row("greedy plays", decision_rate("greedy", PLAY)),
        *discard_rates(scale),
        _row(f"exact deals, {workers} workers", many, PER_CLOCK),
    ]
    return {
        "rows": rows,
        "workers": workers,
        "workers_ratio": ratio,
        "compile_seconds": compile_seconds() if cold else None,
        "startup_seconds": _subprocess_seconds(_SMALL_RUN),
    }
