"""Deal records: one Parquet row for every deal, in order of the deals, whatever order the chunks finish in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.deals import REDRAWN
from cribsim.runs import Batch, Job
from cribsim.table import LIVE
from cribsim.tally import CRIB, HAND, HEELS, MUGGINS, PEGGING, Tally

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_GROUP = 1 << 16
FILE = "deals.parquet"


def record_chunk(job: Job, first: int, n: int) -> tuple[Tally, Any]:
    """Play a chunk round by round; return its tally and an Arrow table of its deals, by game and deal."""
    import pyarrow as pa

    batch = Batch(job, first, n)
    rounds = []
    while batch.advance(1):
        rounds.append(_round_rows(batch))
    table = pa.concat_tables(rounds)
    order = ["match", "game", "deal"] if job.in_match else ["game", "deal"]
    return batch.tally, table.sort_by([(name, "ascending") for name in order])


def _round_rows(batch: Batch) -> pa.Table:
    """The deals that lie on the table now."""
    import pyarrow as pa

    live, job = int(batch.state[LIVE]), batch.job
    rules, players = job.rules, job.rules.players
    deals, games, plays = (part[:live] for part in (batch.table.deals, batch.table.games, batch.table.plays))
    number, step = deals["number"].astype(np.int64), deals["step"] - games["first_step"]
    n_played = plays["n_played"].astype(np.int64)
    seats, dealer = np.arange(players), deals["dealer"].astype(np.int64)
    points = deals["points"][:, :players].astype(np.int64)
    zero = np.zeros(live, np.int64)
    columns = {
        **({"match": number} if job.in_match else {}),
        "game": games["n_games"] if job.in_match else number if job.in_game else zero,
        "deal": step if job.in_game else number,
        "dealer": dealer.astype(np.uint8),
        "dealt": _lists(_dealt(batch, live, dealer)),
        "kept": _lists(_bytes(deals["kept"][:, :players], rules.n_kept).reshape(live, -1)),
        "crib": _lists(_crib(batch, live)),
        "starter": deals["starter"],
        "plays": _lists(plays["played"], n_played),
        "play_seat": _lists(plays["played_by"], n_played),
        "play_points": _lists(deals["play_points"], n_played),
        "heels": points[:, :, HEELS].sum(axis=1).astype(np.uint8),
        "pegging": _lists(points[:, :, PEGGING].astype(np.uint8)),
        "hand": _lists(points[:, :, HAND].astype(np.uint8)),
        "crib_points": points[:, :, CRIB].sum(axis=1).astype(np.uint8),
        **({"muggins": _lists(points[:, :, MUGGINS].astype(np.uint8))} if rules.muggins else {}),
        "scores": _lists(_scores(batch, live, points, seats).astype(np.int32)),
    }
    return pa.table(columns).filter(pa.array(deals["winner"] != REDRAWN))


def _scores(batch: Batch, live: int, points: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
    """Scores by side after the deal; out of a game, what the deal brought."""
    sides = batch.job.rules.sides
    if batch.job.in_game:
        scores: NDArray[np.int64] = batch.table.deals[:live]["scores"][:, :sides]
        return scores
    totals = points.sum(axis=2)
    return np.stack([totals[:, seats % sides == side].sum(axis=1) for side in range(sides)], axis=1)


def _dealt(batch: Batch, live: int, dealer: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Cards dealt, seat 0's first. The table holds them by role."""
    rules = batch.job.rules
    n = rules.n_dealt
    by_role = batch.table.cards[: rules.players * n, :live].T.reshape(live, rules.players, n)
    roles = (np.arange(rules.players)[None, :] - dealer[:, None] - 1) % rules.players
    dealt: NDArray[np.uint8] = by_role[np.arange(live)[:, None], roles].reshape(live, -1)
    return dealt


def _crib(batch: Batch, live: int) -> NDArray[np.uint8]:
    """The crib: what seat 0 threw first, and with three players the card from the pack at the end."""
    deals, rules = batch.table.deals[:live], batch.job.rules
    thrown = _bytes(deals["thrown"][:, : rules.players], rules.n_thrown).reshape(live, -1)
    if rules.players == 3:
        return np.concatenate([thrown, _bytes(deals["crib"][:, None], 4)[:, 0, 3:]], axis=1)
    return thrown


def _bytes(packed: NDArray[Any], n: int) -> NDArray[np.uint8]:
    return (packed[..., None] >> (8 * np.arange(n)) & 255).astype(np.uint8)


def _lists(rows: NDArray[Any], lengths: NDArray[np.int64] | None = None) -> pa.Array:
    """Rows as Arrow lists, each cut to its length."""
    import pyarrow as pa

    if lengths is None:
        lengths = np.full(len(rows), rows.shape[1])
    kept = np.arange(rows.shape[1])[None, :] < lengths[:, None]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows[kept]))


class RecordWriter:
    """Writes chunks in the order of their numbers, in row groups of one size: the same bytes from any run."""

    def __init__(self, folder: Path, first: int) -> None:
        self.path, self.following = folder / FILE, first
        self.waiting: dict[int, tuple[int, Tally, Any]] = {}
        self.rest: Any = None
        self.file: Any = None

    def take(self, first: int, units: int, tally: Tally, rows: Any) -> list[tuple[int, int, Tally]]:
        """Take a chunk; write the chunks that have their turn and return them: first unit, units, tally."""
        self.waiting[first] = (units, tally, rows)
        written = []
        while self.following in self.waiting:
            units, tally, rows = self.waiting.pop(self.following)
            self._write(rows, whole=True)
            written.append((self.following, units, tally))
            self.following += units
        return written

    def _write(self, rows: Any, *, whole: bool) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self.file is None:
            self.file = pq.ParquetWriter(self.path, rows.schema, compression="zstd")
        self.rest = rows if self.rest is None else pa.concat_tables([self.rest, rows])
        while self.rest.num_rows >= ROWS_PER_GROUP or (not whole and self.rest.num_rows):
            self.file.write_table(self.rest.slice(0, ROWS_PER_GROUP))
            self.rest = self.rest.slice(ROWS_PER_GROUP)

    def close(self) -> None:
        """Write the rest. After a stop only the deals before the first gap are kept."""
        if self.file is not None:
            self._write(self.rest.slice(0, 0), whole=False)
            self.file.close()
