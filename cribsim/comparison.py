"""`compare`: is A better than B, by how much, and how sure? Every deal is played with A in every place.

With two sides (two players, or partners) A has one side and then the other; with three or four players each for himself
A has each seat in turn, and B all others. Luck of the cards falls on both alike, so the plays of one deal are one
observation (a pair, where they are two), and its differences are what is averaged.
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

from cribsim.errors import ResultError, count_of, shown
from cribsim.folders import new_folder
from cribsim.rules import Rules, read_rules
from cribsim.runs import Batch, Job, check_executor, check_first, check_progress, check_workers, play_all, warm_up
from cribsim.saved import (
    SCHEMA_VERSION,
    UNITS,
    Range,
    join_provenance,
    join_ranges,
    provenance,
    read_ranges,
    read_saved,
    read_told_rules,
    require_same,
    told_ranges,
    write_json,
)
from cribsim.simulation import carry_out, make_job
from cribsim.stats import Estimate, check_confidence, clean_json, estimate_paired_share, from_sums
from cribsim.stopping import Watch, hold_stops
from cribsim.tally import PHASES, TOTAL, phases_of

if TYPE_CHECKING:
    import pandas as pd

FILE = "comparison.json"
_WINS, _GAME_POINTS, _MARGIN = range(3)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What the pairs said. `a + b` of the same two players adds the pairs.

    Attributes
    ----------
    a, b
        The players as text.
    pairs
        Observations: deals (games, matches) played with A in every place.
    sums
        int64 (roles and all, 6 phases, 2): sum and sum of squares of A's points less B's; see `estimate`.
    game_sums
        int64 (3, 2): the same of A's wins, of game points and of the margin, over the games of an observation.
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

    @property
    def plays(self) -> int:
        """How often each deal is played."""
        return self.rules.sides

    @property
    def seats(self) -> tuple[str, ...]:
        """Where A's points less B's are taken: in each role (on the same cards), and all together: of two players the
        mean of `both`, else of `all`, of partners their sum."""
        return (*self.rules.roles, "both" if self.rules.players == 2 else "all")

    def estimate(self, seat: str, phase: str) -> Estimate:
        """A's points less B's of one phase, a deal, a game or a match: in a role, or all together (see `seats`)."""
        names = phases_of(muggins=self.rules.muggins)
        if seat not in self.seats or phase not in names:
            known = f"seats: {', '.join(self.seats)}; phases: {', '.join(names)}"
            raise ResultError(f"no seat {shown(seat)} with phase {shown(phase)}; {known}")
        at, which = self.seats.index(seat), PHASES.index(phase)
        return self._mean_of(self.sums[at, which], self.plays if seat == self.seats[-1] else 1)

    def _mean_of(self, sums: NDArray[np.int64], plays: int) -> Estimate:
        """A mean over the groups, of sums (`group_chunk`) over so many plays."""
        total, squares = (int(value) for value in sums)
        scale = 1 / n_others(self.rules) / plays
        return from_sums(self.pairs, total, squares, scale=scale, confidence=self.confidence)

    def _game_estimate(self, which: int) -> Estimate | None:
        return None if self.mode == "deals" else self._mean_of(self.game_sums[which], self.plays)

    @property
    def difference(self) -> Estimate:
        """By how much A is the better: its points less B's, a deal, or the margin of a game; game points of a match. In
        lowball, where points are bad, B's points less A's."""
        which = _MARGIN if self.mode == "games" else _GAME_POINTS
        points = self.estimate(self.seats[-1], "total")
        return self._game_estimate(which) or (-points if self.rules.lowball else points)

    @property
    def win_rate_a(self) -> Estimate | None:
        """The share of games (or matches) that A wins, with an interval that stays within 0 to 1; None for deals. With
        three and four players each for himself equal players win a third and a quarter."""
        if self.mode == "deals":
            return None
        wins, squares = (int(value) for value in self.game_sums[_WINS])
        if self.a == self.b:  # a mirror: no luck is left
            return from_sums(self.pairs, wins, squares, scale=1 / self.plays, confidence=self.confidence)
        return estimate_paired_share(self.pairs, wins, squares, plays=self.plays, confidence=self.confidence)

    @property
    def game_points(self) -> Estimate | None:
        """A's game points less B's, a game or a match; None for deals."""
        return self._game_estimate(_GAME_POINTS)

    @property
    def phases(self) -> list[dict[str, Any]]:
        """A's points less B's by seat and phase."""
        seats = self.seats if self.mode == "deals" else self.seats[-1:]
        names = phases_of(muggins=self.rules.muggins)
        return [
            {"seat": seat, "phase": phase, **self.estimate(seat, phase).as_dict()} for seat in seats for phase in names
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
                "plays": self.plays,
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
        require_same("comparisons", self, other, ("a", "b", "rules", "mode"))
        return dataclasses.replace(
            self,
            ranges=join_ranges((*self.ranges, *other.ranges)),
            pairs=self.pairs + other.pairs,
            sums=self.sums + other.sums,
            game_sums=self.game_sums + other.game_sums,
            seconds=self.seconds + other.seconds,
            provenance=join_provenance(self.provenance, other.provenance),
        )

    @property
    def group(self) -> str:
        """The word for one observation."""
        return "pair" if self.plays == 2 else "group"

    def __repr__(self) -> str:
        played = f"{count_of(self.pairs, self.group)} of {self.mode}, seed {self.seed}"
        return f"<Comparison {self.a} less {self.b}, {played}: {self.difference} points a {UNITS[self.mode]}>"

    def _repr_html_(self) -> str:
        found = f"{self.difference} over {count_of(self.pairs, self.group)}, seed {self.seed}"
        head = f"<p><b>{self.a}</b> less <b>{self.b}</b>: {found}</p>"
        return head + str(self.summary().round(4).to_html(index=False))


def _read_comparison(told: dict[str, Any], _folder: Path) -> Comparison:
    """The comparison that a file tells of; ValueError where it makes no sense."""
    a, b, mode, pairs = (told[name] for name in ("a", "b", "mode", "pairs"))
    if not isinstance(a, str) or not isinstance(b, str) or mode not in UNITS:
        raise ValueError(f"a {shown(a)}, b {shown(b)}, mode {shown(mode)}")
    rules, ranges = read_told_rules(told), read_ranges(told["ranges"], pairs)
    told_sums = [rows + [[0, 0]] * (len(rows) == TOTAL + 1) for rows in told["sums"]]  # at first there were no muggins
    sums = _read_sums(told_sums, (rules.players + 1, len(PHASES), 2))
    game_sums = _read_sums(told["game_sums"], (3, 2))
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
    matches: int | None = None,
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
    """Play every deal (game, match) with A in every place, and estimate A's advantage from these groups.

    Parameters
    ----------
    a, b
        Two players, as text or objects.
    deals, games, matches
        Distinct deals, or games or matches on the same deals; one of the three.
    rules
        With two players, or partners, A has one side and then the other; with three or four players each for himself A
        has each seat in turn, and B all others.
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
    known = read_rules(rules, 2)
    players = [a] + [b] * (known.players - 1)
    job, n = make_job(players, deals=deals, games=games, matches=matches, seed=seed, rules=known)
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
        (a, b), rules = self.job.players[:2], self.job.rules
        sums = np.zeros((rules.players + 1, len(PHASES), 2), np.int64)
        game_sums, confidence = np.zeros((3, 2), np.int64), self.confidence
        self.found = Comparison(a.text, b.text, rules, self.job.mode, (), 0, sums, game_sums, confidence=confidence)

    def warm_up(self) -> None:
        """Load every kernel and table, so that `seconds` is of playing only."""
        warm_up(group_chunk, self.job, self.first)

    def play(self, watch: Watch, _draft: Path | None) -> Comparison | None:
        """What was played, all or up to a stop; None for nothing at all."""
        start = time.perf_counter()
        chunks = play_all(group_chunk, self.job, self.n, watch, self.workers, executor=self.executor, first=self.first)
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
        return f"{self.found.pairs:,} of {self.n:,} {self.found.group}s"


def n_others(rules: Rules) -> int:
    """How often B has a role for each time that A has it: with several seats each for himself in all plays but one."""
    return 1 if rules.sides == 2 else rules.players - 1


def group_chunk(job: Job, first: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play units first to first + n - 1 with A in every place; return the sums of the groups (see `Comparison`).

    Where A has a role once and B k times, A's points count k times, so that all sums are whole numbers.
    """
    k = n_others(job.rules)
    by_seat: Any = [0] * job.rules.players
    by_game: Any = [0] * 3
    for mine, arranged in job.arranged:
        outcomes = _outcomes(arranged, first, n)
        for seat, own in enumerate(mine):
            by_seat[seat] = by_seat[seat] + (k if own else -1) * _phase_points(outcomes, seat)
        if job.in_game:
            values = _game_values(job.rules, outcomes, np.array(mine[: job.rules.sides]), k)
            by_game = [sums + value for sums, value in zip(by_game, values, strict=True)]
    sums = np.stack([_sums(points) for points in (*by_seat, sum(by_seat))])
    return sums, np.stack([_sums(values) for values in by_game]) if job.in_game else np.zeros((3, 2), np.int64)


def _outcomes(job: Job, first: int, n: int) -> NDArray[Any]:
    batch = Batch(job, first, n, n_outcomes=n)
    while batch.advance():
        pass
    outcomes: NDArray[Any] = batch.table.outcomes
    return outcomes


def _phase_points(outcomes: NDArray[Any], seat: int) -> NDArray[np.int64]:
    """Points by phase, the total among them, (n, 6)."""
    points: NDArray[np.int64] = outcomes["points"][:, seat].astype(np.int64)
    points[:, TOTAL] = points.sum(axis=1)
    return points


def _sums(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([values.sum(axis=0), (values * values).sum(axis=0)], axis=-1)


def _game_values(
    rules: Rules, outcomes: NDArray[Any], mine: NDArray[np.bool_], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of each game whether A has won it, and A's game points and score less those of the others (in lowball the other
    way round, as low scores win). mine: by side."""
    signs = np.where(mine, k, -1)
    won = mine[outcomes["winner"]].astype(np.int64)
    sides = slice(rules.sides)
    return won, outcomes["value"][:, sides] @ signs, outcomes["scores"][:, sides] @ (-signs if rules.lowball else signs)
