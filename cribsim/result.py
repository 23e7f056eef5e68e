"""What a run found: tallies with their provenance, as tables, JSON, pictures and files. Results add."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim import winning
from cribsim.errors import ResultError, count_of, shown
from cribsim.folders import new_folder
from cribsim.given import Given
from cribsim.rules import Rules
from cribsim.saved import (
    SCHEMA_VERSION,
    UNITS,
    Range,
    join_provenance,
    join_ranges,
    read_ranges,
    read_saved,
    read_told_rules,
    require_same,
    told_ranges,
    write_json,
)
from cribsim.stats import (
    Estimate,
    check_confidence,
    clean_json,
    estimate_mean,
    estimate_ratio,
    from_sums,
)
from cribsim.stopping import hold_stops
from cribsim.tally import PHASES, Counts, Tally, empty_counts, phases_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_PROVENANCE, _TALLY = "provenance.json", "tally.parquet"


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The added-up result of a run. `a + b` is the result of both runs, if they have no deal in common.

    Attributes
    ----------
    players
        The players as text, by seat.
    rules, mode
        The rules; `deals`, `games` or `matches`.
    ranges
        Which units were played, in order: (seed, first, number).
    tally
        The integers (`cribsim.tally.Counts` says what each means).
    given
        Cards that were known, by name (`cribsim.given`); `tally.counts.redrawn` is how many deals weren't as given.
    seconds, cpu_seconds, startup_seconds
        Of playing only; of this process's processor while playing (what other processes do isn't in it); of loading
        kernels and tables.
    provenance
        Command, versions, machine, `complete`, and `code`: a digest of each half that isn't built in. Of a sum
        `complete` (whether all parts are), `code`, and `parts`: the provenance of each run.
    """

    players: tuple[str, ...]
    rules: Rules
    mode: str
    ranges: tuple[Range, ...]
    tally: Tally
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    startup_seconds: float = 0.0
    confidence: float = 0.95
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)
    given: dict[str, str] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """The seed of the run; where several were added, of the first of `ranges`, which are in order of the seeds."""
        return self.ranges[0][0]

    @property
    def deals(self) -> int:
        """Deals played."""
        return self.tally.deals

    @property
    def games(self) -> int:
        """Games finished."""
        return self.tally.games

    @property
    def deals_per_second(self) -> float:
        """Deals per second of playing."""
        return self.deals / self.seconds if self.seconds else float("nan")

    @property
    def matches(self) -> int:
        """Matches finished."""
        return self.tally.matches

    @property
    def phase_names(self) -> tuple[str, ...]:
        """The phases that are played, and their total."""
        return phases_of(muggins=self.rules.muggins)

    def estimate(self, role: str, phase: str) -> Estimate:
        """Points per deal of one role and phase.

        The deals of a game or match belong together, so there the interval is that of a ratio over games or matches.
        """
        at, which = self._place(role, phase)
        if self.mode != "deals":
            counts = self.tally.counts
            return estimate_ratio(counts.units[at, which], counts.unit_deals, confidence=self.confidence)
        return estimate_mean(self.tally.counts.histograms[at, which], confidence=self.confidence)

    def seat_estimate(self, seat: int, phase: str) -> Estimate:
        """Points per deal of one seat, whatever roles it had."""
        if seat not in range(self.rules.players):
            raise ResultError(f"no seat {shown(seat)}; seats: 0 to {self.rules.players - 1}")
        if self.mode == "deals":
            return self.estimate(self.rules.roles[seat], phase)  # the last seat always deals
        counts, which = self.tally.counts, self._place("pone", phase)[1]
        return estimate_ratio(counts.seat_units[seat, which], counts.unit_deals, confidence=self.confidence)

    def _place(self, role: str, phase: str) -> tuple[int, int]:
        """The numbers of a role and a phase."""
        roles = self.rules.roles
        if role not in roles or phase not in self.phase_names:
            known = f"roles: {', '.join(roles)}; phases: {', '.join(self.phase_names)}"
            raise ResultError(f"no role {shown(role)} with phase {shown(phase)}; {known}")
        return roles.index(role), PHASES.index(phase)

    def phases(self) -> list[dict[str, Any]]:
        """Every role's phases with their estimates."""
        return [
            {"seat": role, "phase": phase, **self.estimate(role, phase).as_dict()}
            for role in self.rules.roles
            for phase in self.phase_names
        ]

    def seats(self) -> list[dict[str, Any]]:
        """Every seat's total with its estimate, and with muggins what it took. Empty where files of the first versions
        are in it, which didn't count games by seat."""
        counts, which = self.tally.counts, PHASES.index("total")
        if self.mode != "deals" and counts.seat_units[:, which, 0].sum() != counts.units[:, which, 0].sum():
            return []
        rows: list[dict[str, Any]] = []
        for seat, player in enumerate(self.players):
            rows.append({"player": player, "seat": seat, **self.seat_estimate(seat, "total").as_dict()})
            if self.rules.muggins:
                rows[-1]["muggins"] = self.seat_estimate(seat, "muggins").as_dict()
        return rows

    def summary(self) -> pd.DataFrame:
        """One row for each role and phase: seat, phase, mean, se, low, high, n (deals, in games mode games)."""
        import pandas as pd

        rows = []
        for role in self.rules.roles:
            for phase in self.phase_names:
                found = self.estimate(role, phase)
                rows.append((role, phase, found.mean, found.se, found.low, found.high, found.n))
        return pd.DataFrame(rows, columns=["seat", "phase", "mean", "se", "low", "high", "n"])

    def histogram(self, phase: str = "total", role: str = "dealer") -> NDArray[np.int64]:
        """Deals by points of one phase and role."""
        return self.tally.histogram(phase, self._place(role, phase)[0])

    def crib_averages(self, role: str = "dealer") -> pd.DataFrame:
        """The average crib by the thrown ranks (13 x 13, unsuited above, suited below the diagonal), and how often."""
        import pandas as pd

        thrown = self.tally.counts.thrown[self._place(role, "crib")[0]]
        low, high = np.nonzero(thrown[:, :, 0])
        n, total, squares = thrown[low, high].T
        found = [from_sums(int(a), int(b), int(c)) for a, b, c in zip(n, total, squares, strict=True)]
        columns = {"row": low, "column": high, "n": n, "crib": [e.mean for e in found], "se": [e.se for e in found]}
        return pd.DataFrame(columns)

    def _require(self, n: int, what: str) -> None:
        if not n:
            raise ResultError(f"no {what} were played: play with {what}= to see who wins")

    def wins(self) -> list[dict[str, Any]]:
        """By seat: the share of games won, and game points per game. ResultError in deals mode."""
        self._require(self.games, "games")
        return winning.wins_by_player(self.players, self.tally, self.confidence)

    def wins_by_turn(self) -> list[dict[str, Any]]:
        """By role in a game's first deal: the share of games that it won. ResultError in deals mode."""
        self._require(self.games, "games")
        return winning.wins_by_turn(self.rules, self.tally, self.confidence)

    def first_dealer_wins(self) -> Estimate:
        """The share of games that the side of the first dealer won. ResultError in deals mode."""
        self._require(self.games, "games")
        return winning.first_dealer_wins(self.tally, self.confidence)

    def deals_per_game(self) -> Estimate:
        """How many deals a game takes. ResultError in deals mode."""
        self._require(self.games, "games")
        return winning.deals_per_game(self.tally, self.confidence)

    def games_per_match(self) -> Estimate:
        """How many games a match takes. ResultError where no matches were played."""
        self._require(self.matches, "matches")
        return winning.games_per_match(self.tally, self.confidence)

    def skunks(self) -> dict[str, Any]:
        """The share of games that end in each kind of skunk and in any, how many by winning seat. ResultError in deals
        mode."""
        self._require(self.games, "games")
        return winning.skunks(self.rules, self.tally, self.confidence)

    def match_wins(self) -> list[dict[str, Any]]:
        """By seat: the share of matches won. ResultError where no matches were played."""
        self._require(self.matches, "matches")
        return winning.match_wins(self.players, self.tally, self.confidence)

    def to_json(self) -> dict[str, Any]:
        """The run as one JSON object."""
        return clean_json(  # type: ignore[no-any-return]
            {
                "schema_version": SCHEMA_VERSION,
                "players": list(self.players),
                "rules": self.rules.as_dict(),
                "seed": self.seed,
                "ranges": told_ranges(self.ranges),
                "mode": self.mode,
                "given": self.given,
                "redrawn": int(self.tally.counts.redrawn[0]),
                "guesses": self.tally.counts.guesses[: len(self.players)].tolist(),
                "deals": self.deals,
                "games": self.games,
                "confidence": self.confidence,
                "seconds": self.seconds,
                "cpu_seconds": self.cpu_seconds,
                "startup_seconds": self.startup_seconds,
                "deals_per_second": self.deals_per_second,
                "phases": self.phases(),
                "seats": self.seats(),
                **winning.told(self.players, self.rules, self.tally, self.confidence),
            }
        )

    def __add__(self, other: Result) -> Result:
        if not isinstance(other, Result):
            return NotImplemented
        require_same("results", self, other, ("players", "rules", "mode", "given"))
        ranges = join_ranges((*self.ranges, *other.ranges))
        return dataclasses.replace(
            self,
            ranges=ranges,
            tally=self.tally + other.tally,
            seconds=self.seconds + other.seconds,
            cpu_seconds=self.cpu_seconds + other.cpu_seconds,
            startup_seconds=self.startup_seconds + other.startup_seconds,
            provenance=join_provenance(self.provenance, other.provenance),
        )

    def save(self, folder: str | Path) -> Path:
        """Write `tally.parquet` and `provenance.json` into a new folder (or an empty one)."""
        with hold_stops(), new_folder(folder) as draft:
            self.write(draft)
        return Path(folder)

    def write(self, folder: Path) -> None:
        """Write the files of a result into a folder that is being made."""
        import pyarrow.parquet as pq

        pq.write_table(_tally_table(self.tally), folder / _TALLY, compression="zstd")
        told = {**self._provenance(), "tally_sha256": _sha256(folder / _TALLY)}
        write_json(folder / _PROVENANCE, told)

    def _provenance(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "players": list(self.players),
            "rules": self.rules.as_dict(),
            "mode": self.mode,
            "given": self.given,
            "ranges": told_ranges(self.ranges),
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "startup_seconds": self.startup_seconds,
            "confidence": self.confidence,
            **self.provenance,
        }

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a saved result."""
        return read_saved(folder, "result", _PROVENANCE, _read_result)

    def plot(self, ax: Axes | None = None, phase: str = "total", **style: Any) -> Axes:
        """Draw how often each role scores how much in a phase."""
        from cribsim.plots import plot_points

        return plot_points(self, ax=ax, phase=phase, **style)

    def plot_cribs(self, ax: Axes | None = None, role: str = "dealer", **style: Any) -> Axes:
        """Draw the average crib by the ranks that a role threw."""
        from cribsim.plots import plot_cribs

        return plot_cribs(self, ax=ax, role=role, **style)

    def __repr__(self) -> str:
        return f"<Result {self._heading()}: {', '.join(self._totals())}>"

    def _heading(self) -> str:
        numbers = {"match": self.matches, "game": self.games}
        played = [count_of(n, unit) for unit, n in numbers.items() if n]
        return ", ".join([" · ".join(self.players), *played, count_of(self.deals, "deal"), f"seed {self.seed}"])

    def _totals(self) -> list[str]:
        """Points per deal by role, and what the games brought."""
        points = [f"{role} {self.estimate(role, 'total').mean:.4f}" for role in self.rules.roles]
        wins = [f"{row['player']} wins {row['mean']:.4f}" for row in self.wins()] if self.games else []
        return points + wins

    def _repr_html_(self) -> str:
        head = f"<p>{self._heading()}</p>"
        return head + str(self.summary().round(4).to_html(index=False))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_result(told: dict[str, Any], folder: Path) -> Result:
    """The result that a folder's provenance and tally tell of; ValueError where they make no sense."""
    rules = read_told_rules(told)
    players, mode = tuple(told["players"]), told["mode"]
    if len(players) != rules.players or not all(isinstance(player, str) for player in players):
        raise ValueError(f"players {shown(told['players'])} for {rules.players} seats")
    if mode not in UNITS:
        raise ValueError(f"mode {shown(mode)}")
    if _sha256(folder / _TALLY) != told["tally_sha256"]:
        raise ValueError(f"{_TALLY} is damaged, or belongs to another run")
    tally = _read_tally(folder / _TALLY, rules.players)
    ranges = read_ranges(told["ranges"], getattr(tally, mode))
    times = {name: float(told[name]) for name in ("seconds", "cpu_seconds", "startup_seconds")}
    known = {"schema_version", "players", "rules", "mode", "given", "ranges", "confidence", "tally_sha256", *times}
    rest = {key: value for key, value in told.items() if key not in known}
    confidence = check_confidence(told["confidence"])
    given = Given.read(told.get("given", {}), rules).as_dict()
    return Result(players, rules, mode, ranges, tally, confidence=confidence, provenance=rest, given=given, **times)


def _tally_table(tally: Tally) -> Any:
    """One row for each count that isn't zero: which, up to three indices, the count."""
    import pyarrow as pa

    names: list[str] = []
    indices: list[NDArray[np.int64]] = []
    values: list[NDArray[np.int64]] = []
    for name, counts in tally.counts._asdict().items():
        at = np.argwhere(counts)
        indices.append(np.pad(at, ((0, 0), (0, 4 - at.shape[1])), constant_values=-1))
        values.append(counts[tuple(at.T)])
        names += [name] * len(at)
    index = np.concatenate(indices).astype(np.int16)
    columns = {f"i{axis}": index[:, axis] for axis in range(4)}
    return pa.table({"count": pa.array(names).dictionary_encode(), **columns, "value": np.concatenate(values)})


def _read_tally(path: Path, players: int) -> Tally:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise ResultError(f"{path} is damaged: {error}") from None
    counts = empty_counts()
    names = np.array(table["count"].to_pylist())
    index = np.stack([table[f"i{axis}"].to_numpy() for axis in range(4)], axis=1)
    values = table["value"].to_numpy()
    for name in Counts._fields:
        mine, array = names == name, getattr(counts, name)
        array[tuple(index[mine, : array.ndim].T)] = values[mine]
    return Tally(counts, players)
