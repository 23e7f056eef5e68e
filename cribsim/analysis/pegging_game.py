"""The pegging game solved and measured: `cribsim solve pegging`, `cribsim exploit --play`."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim import __version__
from cribsim.cards import RANKS
from cribsim.errors import CribsimError, Interrupted, ResultError
from cribsim.folders import locked
from cribsim.pegging_game.compact import Compact, fine_levels, make_compact
from cribsim.pegging_game.game import PONE, SMALLEST_CHANCE, Exploited, Game, Profile, with_small_chances
from cribsim.pegging_game.sets import N_SETS, ROW_WIDTHS, SETS
from cribsim.pegging_game.solving import Solver, solve
from cribsim.pegging_game.tree import build_tree
from cribsim.pegging_game.walk import FOLLOW, JUDGE
from cribsim.saved import provenance
from cribsim.scoring import N_RANKS, kept_texts
from cribsim.stats import clean_json
from cribsim.stopping import hold_stops
from cribsim.strategies.base import DISCARD, PLAY, Half
from cribsim.strategies.equilibrium_play import LEVELS_FILE, SOLUTION_FILE, is_equilibrium, solution_of
from cribsim.strategies.finding import find_half
from cribsim.strategies.play_policy import play_policy
from cribsim.strategies.ranges import kept_chances
from cribsim.work import Progress

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_RANGE = "expectimax"
ROLES = ("pone", "dealer")
_WORK = "work"


@dataclass(frozen=True)
class PlayExploitability(Exploited):
    """What a best reply gains against a pegging strategy in the pegging game, exact. range: the discard strategy whose
    kept hands are played."""

    strategy: str
    range: str

    def to_json(self) -> dict[str, Any]:
        """The contract's `exploit`."""
        told = {
            **{"strategy": self.strategy, "pone": self.pone, "dealer": self.dealer},
            **{"exploitability": self.exploitability, "mirror_value": self.mirror_value},
            **{"range": self.range, "smallest_chance": SMALLEST_CHANCE},
        }
        return clean_json(told)  # type: ignore[no-any-return]


def play_exploitability(
    play: str | Half | Any, *, discards: str | Half | Any = None, progress: Progress | None = None
) -> PlayExploitability:
    """What a best reply gains against a pegging strategy in the pegging game, exactly, in points per deal.

    Parameters
    ----------
    play
        A pegging strategy that draws nothing at random, or `random`, or `equilibrium`, whose chances are known.
    discards
        The discard strategy whose kept hands both hold, every hand with at least a small chance. None: bare
        `expectimax`, and for `equilibrium` play what it was solved for.
    progress
        Called with the places asked about and in all.

    Returns
    -------
    PlayExploitability
        Gains of a best reply that knows the strategy, as pone and as dealer, over all 1,820 hands.

    Raises
    ------
    PlayerError, StrategyError
        No such strategy; it draws at random; it raised.

    Examples
    --------
    >>> found = play_exploitability("greedy")  # doctest: +SKIP
    >>> round(found.exploitability, 2)  # doctest: +SKIP
    0.87
    """
    measured = measure_play(play, discards, progress)
    found = measured.game.exploitability(measured.profile)
    return PlayExploitability(**vars(found), strategy=measured.half.text, range=measured.kept.text)


@dataclass(frozen=True, eq=False)
class MeasuredPlay:
    """A strategy in its game."""

    half: Half
    kept: Half
    game: Game
    profile: Profile


def measure_play(play: str | Half | Any, discards: str | Half | Any, progress: Progress | None) -> MeasuredPlay:
    """The game and the profile of a strategy, by default with the range of `play_exploitability`."""
    half = find_half(play, PLAY)
    solved = solution_of(half) if is_equilibrium(half) else None
    kept = find_half(discards or (solved.range if solved else DEFAULT_RANGE), DISCARD)
    chances = with_small_chances(kept_chances(kept))
    if solved:
        return MeasuredPlay(half, kept, Game(build_tree(), chances), solved.profile())
    tree = build_tree(whole=True)
    return MeasuredPlay(half, kept, Game(tree, chances), play_policy(half, tree, progress))


def kept_values(
    play: str | Half | Any = "equilibrium", *, discards: str | Half | Any = None, progress: Progress | None = None
) -> pd.DataFrame:
    """What each four ranks kept are worth in the play, exactly, where both play by a strategy in the pegging game.

    Returns
    -------
    pandas.DataFrame
        One row for each of the 1,820: kept, pone, dealer (own pegging less the other's, as pone and as dealer, points),
        pone_chance, dealer_chance (how often they are kept). Parameters and errors as of `play_exploitability`.
    """
    import pandas as pd

    measured = measure_play(play, discards, progress)
    values = dict(zip(ROLES, values_by_kept(measured.game, measured.profile), strict=True))
    chances = {f"{name}_chance": measured.game.chances[me] for me, name in enumerate(ROLES)}
    return pd.DataFrame({"kept": kept_texts(), **values, **chances})


def values_by_kept(game: Game, profile: Profile, mode: int = FOLLOW) -> NDArray[np.float64]:
    """What each hand pegs less what the other pegs, by role, (2, 1820), where both follow the profile, or (BEST) one's
    own side replies best to it."""
    return np.stack([game.values(me, mode, profile) for me in range(len(ROLES))])


def lead_values(
    play: str | Half | Any = "equilibrium", *, discards: str | Half | Any = None, progress: Progress | None = None
) -> pd.DataFrame:
    """What each lead of each hand is worth to the pone, exactly, where both go on by the strategy.

    Returns
    -------
    pandas.DataFrame
        One row for each hand and rank in it: kept, lead, value (the pone's pegging less the dealer's, points), loss
        (against the best lead), share (how often the strategy leads it with this hand), chance (of the hand).
        Parameters and errors as of `play_exploitability`.
    """
    import pandas as pd

    measured = measure_play(play, discards, progress)
    game, profile, tree = measured.game, measured.profile, measured.game.tree
    often = game.counting(PONE).walk(PONE, FOLLOW, profile)
    values = np.zeros(tree.n_slots, np.float32)
    game.walk(PONE, JUDGE, Profile(profile.follow, values, profile.sums))
    threes = N_SETS[3]
    rows = []
    for rank in range(N_RANKS):
        at = int(tree.nodes.slot[0]) + rank * int(ROW_WIDTHS[4])
        hand = SETS.to_four[rank]
        found = {"hand": hand, "lead": RANKS[rank], "value": values[at : at + threes] / often[hand]}
        rows.append(pd.DataFrame({**found, "share": profile.follow[at : at + threes]}))
    frame = pd.concat(rows).sort_values(["hand", "lead"], kind="stable", ignore_index=True)
    by_hand = frame.groupby("hand")
    frame["share"] = frame.share / by_hand.share.transform("sum")
    frame["loss"] = by_hand.value.transform("max") - frame.value
    frame["chance"] = game.chances[PONE][frame.hand]
    frame.insert(0, "kept", np.array(kept_texts())[frame.hand])
    return frame.drop(columns="hand")[["kept", "lead", "value", "loss", "share", "chance"]]


def solve_pegging(
    out: str | Path,
    *,
    discards: str = "equilibrium",
    minutes: float = 10.0,
    target: float = 0.0,
    n_kept: int = 2_000_000,
    command: str | None = None,
    told: Callable[[dict[str, float]], None] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Solve the pegging game into a folder, or go on there.

    Parameters
    ----------
    out
        A new folder, or one in which the same game was being solved: it is gone on with.
    discards
        The discard strategy whose kept hands are played.
    minutes
        Of solving in all, those before a resume too.
    target
        An exploitability, points per deal, at which to stop earlier.
    n_kept
        Places that the small form keeps.
    told
        Called with rounds, seconds and exploitability each time it is measured.
    progress
        Called with seconds done and in all.

    Returns
    -------
    dict
        What `solution.json` holds: the range, rounds, seconds, exploitability of the full and of the small form, log.

    Raises
    ------
    CribsimError
        Numbers that can't be used, or a folder of other work.
    """
    for name, value, least in (("minutes", minutes, 0.001), ("target", target, 0.0)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < 1e6:
            raise CribsimError(f"{name}={value!r}: give a number from {least:g} to a million")
    if isinstance(n_kept, bool) or not isinstance(n_kept, int) or not 1 <= n_kept <= 10**8:
        raise CribsimError(f"n_kept={n_kept!r}: give a whole number from 1 to 100,000,000")
    half, folder = find_half(discards, DISCARD), Path(out)
    chances = with_small_chances(kept_chances(half))
    game = Game(build_tree(), chances)
    about = {"range": half.text, "code": half.code, "smallest_chance": SMALLEST_CHANCE, "cribsim": __version__}
    solver = Solver(game, about)
    with open_solution(folder) as work, hold_stops() as watch:
        solver.resume(work)
        solve(
            solver,
            seconds=60 * minutes,
            target=target,
            folder=work,
            told=told,
            progress=progress,
            stopped=lambda: bool(watch.number),
        )
        if not solver.rounds:
            raise Interrupted("no round was solved, nothing is written", None)
        code = {half.text: half.code} if half.code else {}
        return write_solution(folder, solver, n_kept, provenance(command, True, code))


@contextlib.contextmanager
def open_solution(folder: Path, name: str = _WORK) -> Iterator[Path]:
    """The folder for what is half done in a folder that is new or was begun, locked meanwhile. name: of the work."""
    work = folder / name
    try:
        if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not work.is_dir())):
            raise ResultError(f"{folder} exists already; name a new folder, nothing was overwritten")
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    with locked(work) as mine:
        if not mine:
            raise ResultError(f"{folder} is being written by another process")
        yield work


def write_solution(folder: Path, solver: Solver, n_kept: int, told: dict[str, Any]) -> dict[str, Any]:
    """Write a solution into a folder in both forms, each with its own exploitability; return what is told of it."""
    game, full = solver.game, solver.average()
    levels = fine_levels(game.tree, full)
    compact = make_compact(game, full, n_kept)
    exact = {
        "solution": game.exploitability(full),
        "full": game.exploitability(Profile.of(levels.astype(np.float32))),
        "small": game.exploitability(compact.profile(game.tree)),
    }
    about = {
        **solver.about,
        **{"rounds": solver.rounds, "seconds": round(solver.seconds, 1), "places_kept": len(compact.kept)},
        "mirror_value": exact["solution"].mirror_value,
        **{f"exploitability_{name}": found.exploitability for name, found in exact.items()},
    }
    text = json.dumps({**about, "log": solver.log, **told}, indent=2) + "\n"
    try:
        _replace(folder / SOLUTION_FILE, lambda draft: write_small(draft, compact, about))
        _replace(folder / LEVELS_FILE, lambda draft: np.save(draft, levels))
        _replace(folder / "solution.json", lambda draft: draft.write_text(text))
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    return about


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and put it there when it is whole."""
    draft = path.with_stem(f"{path.stem}-draft")
    write(draft)
    os.replace(draft, path)


def write_small(path: Path, compact: Compact, about: dict[str, Any]) -> None:
    """Write the small form as it ships."""
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez_compressed(path, about=text, **compact.arrays())  # type: ignore[arg-type]
