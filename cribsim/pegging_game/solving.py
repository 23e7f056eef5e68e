"""Solving the pegging game: counterfactual regret minimisation over the whole tree.

CFR+ (Tammelin, 2014): both sides take turns; each walks the whole tree against the other's present strategy, adds the
regret of each play to its sum and forgets sums below zero; strategies follow the sums in proportion. What converges is
the average of the strategies, round t weighed by t squared. Nothing is sampled, so the same start gives the same end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cribsim.checkpoints import keep, kept
from cribsim.errors import ResultError
from cribsim.pegging_game.game import DEALER, PONE, Exploited, Game, Profile
from cribsim.pegging_game.walk import LEARN

_REGRETS, _SUMS = "regrets", "sums"


@dataclass
class Solver:
    """A game being solved.

    rounds: done so far; halfway: whether a round was broken off, and nothing should be kept of it; log: one dict for
    each time the exploitability was measured, with rounds, seconds and points.
    """

    game: Game
    about: dict[str, Any] = field(default_factory=dict)
    rounds: int = 0
    seconds: float = 0.0
    log: list[dict[str, float]] = field(default_factory=list)
    halfway: bool = False

    def __post_init__(self) -> None:
        self.regrets = np.zeros(self.game.tree.n_slots, np.float32)
        self.sums = np.zeros(self.game.tree.n_slots, np.float32)

    def step(self) -> None:
        """One round: both sides learn once."""
        start, self.halfway = time.perf_counter(), True
        learning = Profile(self.regrets, self.regrets, self.sums)
        for me in (PONE, DEALER):
            self.game.walk(me, LEARN, learning, float(self.rounds + 1) ** 2)
        self.rounds += 1
        self.halfway = False
        self.seconds += time.perf_counter() - start

    def average(self) -> Profile:
        """The average strategy so far, which is the solution."""
        return Profile.of(self.sums)

    def measure(self) -> Exploited:
        """The exploitability of the average strategy, added to the log."""
        found = self.game.exploitability(self.average())
        self.log.append(
            {
                **{"rounds": self.rounds, "seconds": round(self.seconds, 1)},
                **{"pone": found.pone, "dealer": found.dealer},
                **{"exploitability": found.exploitability, "mirror_value": found.mirror_value},
            }
        )
        return found

    def save(self, folder: Path) -> None:
        """Keep all that is needed to go on."""
        told = {"rounds": self.rounds, "seconds": self.seconds, "log": self.log}
        keep(folder, self.rounds, self.about, told, {_REGRETS: self.regrets, _SUMS: self.sums})

    def resume(self, folder: Path) -> bool:
        """Go on from what was kept, if anything was; the work must be the same.

        Raises
        ------
        ResultError
            It was other work, or what was kept is damaged.
        """
        found = kept(folder, self.about, (_REGRETS, _SUMS))
        if found is None:
            return False
        told, arrays = found
        if any(array.shape != self.regrets.shape for array in arrays):
            raise ResultError(f"{folder} holds work on another tree; name a new folder")
        self.regrets, self.sums = arrays
        self.rounds, self.seconds, self.log = told["rounds"], told["seconds"], told["log"]
        return True


def solve(
    solver: Solver,
    *,
    seconds: float,
    target: float = 0.0,
    folder: Path | None = None,
    save_every: float = 300.0,
    told: Callable[[dict[str, float]], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Exploited:
    """Solve for some seconds in all (those before a resume count), or until the exploitability is at most `target`.

    It is measured at some rounds (`is_looked_at`) and at the end; `told` hears each. What is needed to go on
    is kept in `folder` every `save_every` seconds and however it ends. `stopped` is asked after each round.
    """
    saved = time.perf_counter()
    found = None
    try:
        while solver.seconds < seconds and not stopped():
            solver.step()
            found = None
            if progress:
                progress(min(int(solver.seconds), int(seconds)), int(seconds))
            if is_looked_at(solver.rounds):
                found = solver.measure()
                if told:
                    told(solver.log[-1])
                if found.exploitability <= target:
                    break
            if folder and time.perf_counter() - saved > save_every:
                solver.save(folder)
                saved = time.perf_counter()
    finally:
        if folder and solver.rounds and not solver.halfway:
            solver.save(folder)
    if found is None:
        found = solver.measure()
        if told:
            told(solver.log[-1])
    return found


def is_looked_at(rounds: int) -> bool:
    """Whether the exploitability is measured after so many rounds: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64, 80
    and so on."""
    power = 1 << (rounds.bit_length() - 1)
    step = power // 4 if power >= 32 else max(power // 2, 1)
    return rounds % step == 0
