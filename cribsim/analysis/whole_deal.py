"""The whole deal solved: discards that are best with what the play brings, the play of the hands that they keep, and
so on until neither moves.

Each round settles the discards of both roles against each other (`equilibrium`), with what every kept hand pegs from
the round before; then the pegging game of the hands kept, going on from the last round's regrets. What is left at the
end is a policy for each role, a solution of the play, and values by kept hand that agree with both.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim import __version__
from cribsim.analysis.all_hands import table_of_reply
from cribsim.analysis.crib_table import table_of
from cribsim.analysis.equilibrium import DEALER, PONE, FixedPoint, answers_by_class, solve_discards
from cribsim.analysis.pegging_game import open_solution, refuse_other_work, values_by_kept, write_solution
from cribsim.checkpoints import keep, kept
from cribsim.errors import CribsimError, Interrupted, ResultError
from cribsim.pegging_game.game import Game, with_small_chances
from cribsim.pegging_game.solving import Solver, solve
from cribsim.pegging_game.tree import build_tree
from cribsim.saved import provenance
from cribsim.scoring import kept_texts
from cribsim.stopping import hold_stops
from cribsim.strategies.base import DISCARD
from cribsim.strategies.finding import find_half
from cribsim.strategies.ranges import chances_of_answers
from cribsim.strategies.spec import HalfSpec
from cribsim.strategies.table import ROLES
from cribsim.strategies.tables import pegging_table
from cribsim.work import Progress

_WORK = "rounds"
_COARSE, _FINER = 0.002, 0.03
"""The first play is solved to this exploitability, later ones to this share of what values moved by before."""
_STEP, _SHORTER, _SLOW = 0.55, 0.5, 0.6
"""How far values go on towards what the play brings: hands that peg well are kept oftener, and then peg less well, so
whole steps overshoot by three quarters. Steps get shorter when the values still move by more than 0.6 of the round
before: the nearer to the end, the more hands change what they throw for little."""
_SETTLED = 0.02
"""Average cribs of a round's discards may still move by this, and at the end by the tolerance."""
_LAST = 4
"""Values that moved by no more than so many times the tolerance: from here on all is solved as finely as is asked."""
_OFTEN = 0.001
"""Of hands that are kept in fewer deals the values say little: the play hardly minds them."""


@dataclass
class Round:
    """What a round did. finely: whether it was solved as finely as is asked; exploitability: of the play in its game,
    points; moved: the most that a kept hand brings in the play more or less than was thought of it when it was thrown
    for, of hands kept in 1 of 1,000 deals or more; mean_moved: on average over all hands as they are kept; step: how
    far the values then went on."""

    number: int
    finely: bool
    discard_rounds: int
    exploitability: float
    mirror_value: float
    moved: float
    mean_moved: float
    step: float


@dataclass
class _State:
    """Where the work stands: what is kept between rounds. regrets: of the solver, empty at first. (Its averages aren't
    kept: those of other ranges take longer to outgrow than to make anew.)"""

    values: NDArray[np.float64]
    answers: list[NDArray[np.uint8]]
    regrets: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    log: list[Round] = field(default_factory=list)


def solve_deal(
    out: str | Path,
    *,
    start: str = "equilibrium",
    tolerance: float = 0.002,
    target: float = 0.0001,
    most_rounds: int = 16,
    n_kept: int = 2_000_000,
    command: str | None = None,
    told: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Solve discards and play together, into a folder; work that was broken off goes on after its last whole round.

    Parameters
    ----------
    out
        A new folder, or one in which the same was begun.
    start
        The discard strategy to begin with.
    tolerance
        Points by which values of kept hands may still move at the end, on average over the hands as they are kept.
    target
        The exploitability of the play, points a deal, to which the last rounds solve it.
    most_rounds
        Rounds after which it ends in any case.
    n_kept
        Places that the small form of the play keeps.
    told, progress
        Called with lines about what was reached; with the work done in a round's sweep of the discards.

    Returns
    -------
    dict
        What `solution.json` holds: see `pegging_game.solve_pegging`; and `deal`, the rounds. The folder also has
        `discards.parquet` (`table(file=...)` plays it), `cribs.csv` and `kept_values.csv`.

    Raises
    ------
    CribsimError
        Numbers that can't be used, or a folder of other work.
    """
    for name, value in (("tolerance", tolerance), ("target", target)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
            raise CribsimError(f"{name}={value!r}: give a number of points above 0, at most 1")
    half, folder = find_half(start, DISCARD), Path(out)
    refuse_other_work(folder, _WORK)
    about = {"start": half.text, "code": half.code, "target": target, "cribsim": __version__}
    answers = [answers_by_class(half, role) for role in (PONE, DEALER)]
    with hold_stops() as watch, open_solution(folder, _WORK) as work:
        state = _resume(work, about) or _State(pegging_table().difference, answers)

        def stop_if_asked(*_: int) -> None:
            if watch.number:
                raise Interrupted(f"{len(state.log)} rounds are kept in {folder}, and the same command goes on", None)

        def sweep(done: int, total: int) -> None:
            stop_if_asked()
            if progress:
                progress(done, total)

        while True:
            point, solver = _round(state, folder, (tolerance, target), told, sweep, stop_if_asked)
            _save(work, about, state)
            last = state.log[-1]
            if (last.finely and last.mean_moved <= tolerance) or last.number >= most_rounds:
                break
        if told:
            told("writing it and measuring the play in both forms, a minute or less")
        found = _write(folder, state, point, solver, n_kept, provenance(command, True, {}))
        shutil.rmtree(work)
    return found


def _round(
    state: _State,
    folder: Path,
    aims: tuple[float, float],
    told: Callable[[str], None] | None,
    sweep: Progress,
    stop_if_asked: Progress,
) -> tuple[FixedPoint, Solver]:
    """Settle the discards, solve the play of what they keep, and take its values. aims: the tolerance and the target
    of the end."""
    say, number = told or (lambda _line: None), len(state.log) + 1
    before = state.log[-1].mean_moved if state.log else 1.0
    finely = before <= _LAST * aims[0]
    say(f"round {number}: discards")
    point = solve_discards(
        state.answers,
        state.values,
        tolerance=aims[0] if finely else max(aims[0], min(_SETTLED, before)),
        progress=sweep,
        told=lambda n, moved: say(f"  {n}: cribs moved by {moved:.4f}"),
    )
    state.answers = [point.answers(role) for role in (PONE, DEALER)]
    chances = chances_of_answers(state.answers)
    solver = Solver(
        Game(build_tree(), with_small_chances(chances)),
        {"range": str(HalfSpec("table", (("file", str(folder.absolute())),)))},
    )
    if len(state.regrets):
        solver.regrets = state.regrets
    say(f"round {number}: play")
    found = solve(
        solver,
        seconds=1e9,
        target=aims[1] if finely else max(aims[1], min(_COARSE, _FINER * before)),
        told=lambda line: say(f"  {line['rounds']}: exploitability {line['exploitability']:.6f}"),
        progress=stop_if_asked,
    )
    values = values_by_kept(solver.game, solver.average())
    apart = np.abs(values - state.values)
    moved, mean = float(apart[chances >= _OFTEN].max()), float((chances * apart).sum() / 2)
    step = state.log[-1].step * (_SHORTER if mean > _SLOW * before else 1) if state.log else _STEP
    line = Round(number, finely, len(point.moved), found.exploitability, found.mirror_value, moved, mean, step)
    say(f"round {number}: values moved by {moved:.4f} at most, {mean:.4f} on average")
    state.values += step * (values - state.values)
    state.regrets = solver.regrets
    state.log.append(line)
    return point, solver


def _save(work: Path, about: dict[str, Any], state: _State) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "values": state.values,
        "answers": np.stack(state.answers),
        "regrets": state.regrets,
    }
    keep(work, len(state.log), about, {"log": [asdict(line) for line in state.log]}, arrays)


def _resume(work: Path, about: dict[str, Any]) -> _State | None:
    """Where work that was broken off stands; None where nothing is kept."""
    found = kept(work, about, ("values", "answers", "regrets"))
    if found is None:
        return None
    told, (values, answers, regrets) = found
    return _State(values, list(answers), regrets, [Round(**line) for line in told["log"]])


def _write(
    folder: Path, state: _State, point: FixedPoint, solver: Solver, n_kept: int, told: dict[str, Any]
) -> dict[str, Any]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    log = [asdict(line) for line in state.log]
    found = write_solution(folder, solver, n_kept, {**told, "deal": log})
    about = (
        f"Average cribs where both throw and play best against each other, {len(log)} rounds; values by kept hand last "
        f"moved by {log[-1]['mean_moved']:.4f} points on average"
    )
    chances = {f"{name}_chance": solver.game.chances[role] for role, name in enumerate(ROLES)}
    kept = {"kept": kept_texts(), **dict(zip(ROLES, state.values, strict=True)), **chances}
    try:
        rows = [table_of_reply(role, point.replies[role]) for role in (PONE, DEALER)]
        pq.write_table(pa.concat_tables(rows), folder / "discards.parquet", compression="zstd")
        table_of(point, True, about).write(folder / "cribs.csv")
        pd.DataFrame(kept).to_csv(folder / "kept_values.csv", index=False, float_format="%.6g")
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    return {**found, "deal": log}
