"""`compare`: is A better than B, by how much, and how sure? Every deal is played twice, with the roles swapped.

Luck of the cards falls on both alike, so the pair is one observation and its differences are what is averaged.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.counting import game_value
from cribsim.errors import ResultError, RulesError, count_of, shown
from cribsim.folders import new_folder
from cribsim.rules import Rules
from cribsim.runs import Batch, Job, check_executor, check_first, check_progress, check_workers, play_all, warm_up
from cribsim.saved import (
    SCHEMA_VERSION,
    Range,
    join_provenance,
    join_ranges,
    provenance,
    read_ranges,
    read_saved,
    read_told_rules,
    told_ranges,
    write_json,
)
from cribsim.simulation import carry_out, make_job
from cribsim.stats import Estimate, check_confidence, clean_json, estimate_paired_share, from_sums
from cribsim.stopping import Watch, hold_stops
from cribsim.tally import PHASES

if TYPE_CHECKING:
    import pandas as pd

FILE = "comparison.json"
SEATS = ("pone", "dealer", "both")
"""Where A's points less B's are taken: as pone, as dealer (on the same cards), and the mean of the two."""
_WINS, _GAME_POINTS, _MARGIN = range(3)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What the pairs said. `a + b` of the same two players adds the pairs.

    Attributes
    ----------
    a, b
        The players as text.
    pairs
        Observations: deals (or games) played twice.
    sums
        int64 (3 seats, 5 phases, 2): sum and sum of squares of A's points less B's; of `both` twice the mean.
    game_sums
        int64 (3, 2): the same of A's wins, of game points and of the margin, over the two games of a pair.
    """

    a: str
    b: str
    rules: Rules
    mode: str
    ranges: tuple[Range, ...]
    pairs: int
    sums: NDArray[np.int64]
    game_sums: NDArray[np.int64]
    seconds: float = 0.0
    confidence: float = 0.95
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def seed(self) -> int:
        """The seed of the run; where several were added, of the first of `ranges`, which are in order of the seeds."""
        return self.ranges[0][0]

    def estimate(self, seat: str, phase: str) -> Estimate:
        """A's points less B's of one phase, a deal or a game: as `pone`, as `dealer`, or the mean of `both`."""
        if seat not in SEATS or phase not in PHASES:
            known = f"seats: {', '.join(SEATS)}; phases: {', '.join(PHASES)}"
            raise ResultError(f"no seat {shown(seat)} with phase {shown(phase)}; {known}")
        at, which = SEATS.index(seat), PHASES.index(phase)
        total, squares = (int(value) for value in self.sums[at, which])
        scale = 0.5 if seat == "both" else 1.0
        return from_sums(self.pairs, total, squares, scale=scale, confidence=self.confidence)

    def _game_estimate(self, which: int) -> Estimate | None:
        if self.mode != "games":
            return None
        total, squares = (int(value) for value in self.game_sums[which])
        return from_sums(self.pairs, total, squares, scale=0.5, confidence=self.confidence)

    @property
    def difference(self) -> Estimate:
        """A's points less B's: a deal, or in games mode the margin of a game."""
        return self._game_estimate(_MARGIN) or self.estimate("both", "total")

    @property
    def win_rate_a(self) -> Estimate | None:
        """The share of games that A wins (games mode), with an interval that stays within 0 to 1."""
        if self.mode != "games":
            return None
        wins, squares = (int(value) for value in self.game_sums[_WINS])
        return estimate_paired_share(self.pairs, wins, squares, confidence=self.confidence)

    @property
    def game_points(self) -> Estimate | None:
        """A's game points less B's, a game (games mode)."""
        return self._game_estimate(_GAME_POINTS)

    @property
    def phases(self) -> list[dict[str, Any]]:
        """A's points less B's by seat and phase."""
        seats = ("both",) if self.mode == "games" else SEATS
        return [
            {"seat": seat, "phase": phase, **self.estimate(seat, phase).as_dict()} for seat in seats for phase in PHASES
        ]

    def summary(self) -> pd.DataFrame:
        """One row for each seat and phase: seat, phase, mean, se, low, high, n (pairs)."""
        import pandas as pd

        frame = pd.DataFrame(self.phases)
        return frame.assign(n=self.pairs)

    def save(self, folder: str | Path) -> Path:
        """Write `comparison.json` into a new folder (or an empty one)."""
        with hold_stops(), new_folder(folder) as draft:
            self.write(draft)
        return Path(folder)

    @classmethod
    def load(cls, folder: str | Path) -> Comparison:
        """Read a saved comparison."""
        return read_saved(folder, "comparison", FILE, _read_comparison)

    def write(self, folder: Path) -> None:
        """Write `comparison.json`, with its sums and provenance, into a folder that is being made."""
        told = {**self.to_json(), "sums": self.sums.tolist(), "game_sums": self.game_sums.tolist(), **self.provenance}
        write_json(folder / FILE, told)

    def to_json(self) -> dict[str, Any]:
        """The comparison as one JSON object."""
        win_rate, game_points = self.win_rate_a, self.game_points
        return clean_json(  # type: ignore[no-any-return]
            {
                "schema_version": SCHEMA_VERSION,
                "a": self.a,
                "b": self.b,
                "rules": self.rules.as_dict(),
                "seed": self.seed,
                "ranges": told_ranges(self.ranges),
                "mode": self.mode,
                "pairs": self.pairs,
                "confidence": self.confidence,
                "difference": self.difference.as_dict(),
                "phases": self.phases,
                "win_rate_a": win_rate.as_dict() if win_rate else None,
                "game_points": game_points.as_dict() if game_points else None,
                "seconds": self.seconds,
            }
        )

    def __add__(self, other: Comparison) -> Comparison:
        if not isinstance(other, Comparison):
            return NotImplemented
        for name in ("a", "b", "rules", "mode"):
            if getattr(self, name) != getattr(other, name):
                raise ResultError(f"comparisons with different {name} don't add")
        return dataclasses.replace(
            self,
            ranges=join_ranges((*self.ranges, *other.ranges)),
            pairs=self.pairs + other.pairs,
            sums=self.sums + other.sums,
            game_sums=self.game_sums + other.game_sums,
            seconds=self.seconds + other.seconds,
            provenance=join_provenance(self.provenance, other.provenance),
        )

    def __repr__(self) -> str:
        unit = "game" if self.mode == "games" else "deal"
        played = f"{count_of(self.pairs, 'pair')} of {unit}s, seed {self.seed}"
        return f"<Comparison {self.a} less {self.b}, {played}: {self.difference} points a {unit}>"

    def _repr_html_(self) -> str:
        found = f"{self.difference} over {count_of(self.pairs, 'pair')}, seed {self.seed}"
        head = f"<p><b>{self.a}</b> less <b>{self.b}</b>: {found}</p>"
        return head + str(self.summary().round(4).to_html(index=False))


def _read_comparison(told: dict[str, Any], _folder: Path) -> Comparison:
    """The comparison that a file tells of; ValueError where it makes no sense."""
    a, b, mode, pairs = (told[name] for name in ("a", "b", "mode", "pairs"))
    if not isinstance(a, str) or not isinstance(b, str) or mode not in ("deals", "games"):
        raise ValueError(f"a {shown(a)}, b {shown(b)}, mode {shown(mode)}")
    sums, game_sums = _read_sums(told["sums"], (3, len(PHASES), 2)), _read_sums(told["game_sums"], (3, 2))
    rules, ranges = read_told_rules(told), read_ranges(told["ranges"], pairs)
    confidence, seconds = check_confidence(told["confidence"]), float(told["seconds"])
    found = Comparison(a, b, rules, mode, ranges, pairs, sums, game_sums, seconds, confidence)
    known = {*found.to_json(), "sums", "game_sums"}
    if found.difference.mean != told["difference"]["mean"]:
        raise ValueError("its sums and its difference don't agree")
    return dataclasses.replace(found, provenance={key: value for key, value in told.items() if key not in known})


def _read_sums(told: Any, shape: tuple[int, ...]) -> NDArray[np.int64]:
    sums = np.array(told)
    if sums.shape != shape or sums.dtype != np.int64:
        raise ValueError(f"sums of shape {sums.shape}, not whole numbers of shape {shape}")
    return sums


def compare(
    a: Any,
    b: Any,
    *,
    deals: int | None = None,
    games: int | None = None,
    seed: int | None = 0,
    rules: Rules | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    first: int = 0,
    out: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    confidence: float = 0.95,
    command: str | None = None,
) -> Comparison:
    """Play every deal (or game) twice with the roles swapped, and estimate A's advantage from the pairs.

    Parameters
    ----------
    a, b
        Two players, as text or objects.
    deals, games
        Distinct deals, or games on the same deals; one of the two.
    out
        A new folder for the comparison, as `Comparison.save` writes it. The others as in `simulate`.

    Returns
    -------
    Comparison
        Paired estimates. A player compared with itself gives exactly zero.

    Examples
    --------
    >>> compare("random", "random", deals=500, seed=3).difference.mean
    0.0
    """
    job, n = make_job([a, b], deals=deals, games=games, seed=seed, rules=rules)
    if job.rules.players != 2:
        raise RulesError(f"compare plays two players so far, not {job.rules.players}")
    check_first(first, n)
    check_executor(executor)
    check_progress(progress)
    run = _Run(job, n, first, check_workers(workers), executor, progress, check_confidence(confidence), command)
    return carry_out(run, out)


@dataclass
class _Run:
    """One comparison in progress."""

    job: Job
    n: int
    first: int
    workers: int
    executor: Executor | None
    progress: Callable[[int, int], None] | None
    confidence: float
    command: str | None
    stopped: bool = False

    def __post_init__(self) -> None:
        self.code = self.job.code
        mode, (a, b) = "games" if self.job.in_game else "deals", self.job.players
        sums, game_sums = np.zeros((3, len(PHASES), 2), np.int64), np.zeros((3, 2), np.int64)
        rules, confidence = self.job.rules, self.confidence
        self.found = Comparison(a.text, b.text, rules, mode, (), 0, sums, game_sums, confidence=confidence)

    def warm_up(self) -> None:
        """Load every kernel and table, so that `seconds` is of playing only."""
        warm_up(pair_chunk, self.job, self.first)

    def play(self, watch: Watch, _draft: Path | None) -> Comparison | None:
        """What was played, all or up to a stop; None for nothing at all."""
        start = time.perf_counter()
        chunks = play_all(pair_chunk, self.job, self.n, watch, self.workers, executor=self.executor, first=self.first)
        try:
            for at, units, sums in chunks:
                self._take(at, units, *sums)
                if self.progress:
                    self.progress(self.found.pairs, self.n)
        except KeyboardInterrupt:  # from the function `progress`, or from a strategy
            self.stopped = True
        finally:
            chunks.close()
        told = provenance(self.command, self.found.pairs == self.n, self.code)
        found = dataclasses.replace(self.found, seconds=time.perf_counter() - start, provenance=told)
        return found if found.pairs else None

    def _take(self, at: int, units: int, sums: NDArray[np.int64], game_sums: NDArray[np.int64]) -> None:
        found = self.found
        self.found = dataclasses.replace(
            found,
            ranges=join_ranges((*found.ranges, (self.job.seed, at, units))),
            pairs=found.pairs + units,
            sums=found.sums + sums,
            game_sums=found.game_sums + game_sums,
        )

    def done_text(self) -> str:
        """How far it came."""
        return f"{self.found.pairs:,} of {self.n:,} pairs"


def pair_chunk(job: Job, first: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play units first to first + n - 1 twice; return the sums of the pairs (see `Comparison`)."""
    swapped = job.swapped
    one, two = _outcomes(job, first, n), _outcomes(swapped, first, n)
    # A sits at seat 0, then at seat 1
    a_one, b_one = _phase_points(one, 0), _phase_points(one, 1)
    a_two, b_two = _phase_points(two, 1), _phase_points(two, 0)
    as_pone, as_dealer = a_one - b_two, a_two - b_one
    sums = np.stack([_sums(as_pone), _sums(as_dealer), _sums(as_pone + as_dealer)])
    return sums, _game_sums(job, one, two)


def _outcomes(job: Job, first: int, n: int) -> NDArray[Any]:
    batch = Batch(job, first, n, n_outcomes=n)
    while batch.advance():
        pass
    outcomes: NDArray[Any] = batch.table.outcomes
    return outcomes


def _phase_points(outcomes: NDArray[Any], seat: int) -> NDArray[np.int64]:
    """Points by phase and in all, (n, 5)."""
    points = outcomes["points"][:, seat].astype(np.int64)
    return np.concatenate([points, points.sum(axis=1, keepdims=True)], axis=1)


def _sums(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([values.sum(axis=0), (values * values).sum(axis=0)], axis=-1)


def _game_sums(job: Job, one: NDArray[Any], two: NDArray[Any]) -> NDArray[np.int64]:
    if not job.in_game:
        return np.zeros((3, 2), np.int64)
    won_one, won_two = one["winner"] == 0, two["winner"] == 1
    points = _signed_values(job.rules, one, won_one) + _signed_values(job.rules, two, won_two)
    margins = one["scores"][:, 0] - one["scores"][:, 1] + two["scores"][:, 1] - two["scores"][:, 0]
    wins = won_one.astype(np.int64) + won_two
    return np.stack([_sums(wins), _sums(points), _sums(margins)])


def _signed_values(rules: Rules, outcomes: NDArray[Any], won: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Game points for A: plus those of a win, minus those of a loss."""
    losers = np.where(outcomes["winner"] == 0, outcomes["scores"][:, 1], outcomes["scores"][:, 0])
    record = rules.record(in_game=True)[0]
    scores, at = np.unique(losers, return_inverse=True)
    values = np.array([game_value(record, int(score)) for score in scores], np.int64)[at]
    return np.where(won, values, -values)
