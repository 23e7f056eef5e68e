"""The pegging game solved and measured: `cribsim solve pegging`, `cribsim exploit --play`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim import __version__
from cribsim.analysis.choices import lead_choices
from cribsim.cards import RANKS
from cribsim.checkpoints import write_whole
from cribsim.errors import CribsimError, Interrupted, ResultError
from cribsim.folders import locked
from cribsim.pegging_game.compact import Compact, fine_levels, make_compact
from cribsim.pegging_game.game import PONE, SMALLEST_CHANCE, Exploited, Game, Profile, with_small_chances
from cribsim.pegging_game.solving import Solver, solve
from cribsim.pegging_game.tree import build_tree
from cribsim.pegging_game.walk import FOLLOW
from cribsim.saved import provenance
from cribsim.scoring import kept_texts
from cribsim.stats import clean_json
from cribsim.stopping import hold_stops
from cribsim.strategies.base import DISCARD, PLAY, Half
from cribsim.strategies.equilibrium_play import LEVELS_FILE, SOLUTION_FILE, is_equilibrium, solution_of
from cribsim.strategies.finding import find_half
from cribsim.strategies.play_policy import play_policy
from cribsim.strategies.ranges import kept_chances
from cribsim.strategies.table import ROLES
from cribsim.work import Progress

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_RANGE = "expectimax"
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
    leads = lead_choices(measured.game, measured.profile)
    hand, rank = np.nonzero(np.isfinite(leads.values))
    found = {"hand": hand, "lead": np.array(list(RANKS))[rank]}
    frame = pd.DataFrame({**found, "value": leads.values[hand, rank], "share": leads.shares[hand, rank]})
    frame = frame.sort_values(["hand", "lead"], kind="stable", ignore_index=True)
    frame["loss"] = frame.groupby("hand").value.transform("max") - frame.value
    frame["chance"] = measured.game.chances[PONE][frame.hand]
    frame.insert(0, "kept", np.array(kept_texts())[frame.hand])
    return frame[["kept", "lead", "value", "loss", "share", "chance"]]


def solve_pegging(
    out: str | Path,
    *,
    discards: str = "equilibrium",
    minutes: float = 10.0,
    target: float = 0.0,
    n_kept: int = 2_000_000,
    command: str | None = None,
    told: Callable[[str], None] | None = None,
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
        Called with lines about what was reached.
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
    Interrupted
        It was stopped; what was solved is written.
    """
    for name, value, least in (("minutes", minutes, 0.001), ("target", target, 0.0)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < 1e6:
            raise CribsimError(f"{name}={value!r}: give a number from {least:g} to a million")
    if isinstance(n_kept, bool) or not isinstance(n_kept, int) or not 1 <= n_kept <= 10**8:
        raise CribsimError(f"n_kept={n_kept!r}: give a whole number from 1 to 100,000,000")
    half, folder, say = find_half(discards, DISCARD), Path(out), told or (lambda _line: None)
    refuse_other_work(folder, _WORK)
    game = Game(build_tree(), with_small_chances(kept_chances(half)))
    about = {"range": half.text, "code": half.code, "smallest_chance": SMALLEST_CHANCE, "cribsim": __version__}
    solver = Solver(game, about)
    with open_solution(folder, _WORK) as work, hold_stops() as watch:
        watch.notice = lambda: say("stopping: this round is finished and what is solved is written, up to two minutes")
        if solver.resume(work) and (done := _finished(folder, solver, 60 * minutes)):
            return done
        solve(
            solver,
            seconds=60 * minutes,
            target=target,
            folder=work,
            told=lambda line: say(
                "round {rounds}: {seconds:.0f} s, exploitability {exploitability:.6f}".format(**line)
            ),
            progress=progress,
            stopped=lambda: bool(watch.number),
        )
        if not solver.rounds:
            raise Interrupted("no round was solved, nothing is written", None)
        say("writing it in both forms and measuring each, a minute or less")
        code = {half.text: half.code} if half.code else {}
        found = write_solution(folder, solver, n_kept, provenance(command, True, code))
        if watch.number:
            raise Interrupted(f"{solver.rounds} rounds, written to {folder}; the same command goes on", found)
    return found


def _finished(folder: Path, solver: Solver, seconds: float) -> dict[str, Any] | None:
    """What a folder tells of a solution that needs no more rounds; None where there is something to do."""
    try:
        told: dict[str, Any] = json.loads((folder / "solution.json").read_text())
    except (OSError, ValueError):
        return None
    whole = all((folder / name).exists() for name in (SOLUTION_FILE, LEVELS_FILE))
    return told if whole and told.get("rounds") == solver.rounds and solver.seconds >= seconds else None


def refuse_other_work(folder: Path, name: str) -> None:
    """Refuse a folder that is neither new nor holds what is half done. name: of that."""
    try:
        if not folder.exists() or (folder / name).is_dir() or not any(folder.iterdir()):
            return
    except NotADirectoryError:
        pass
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    raise ResultError(f"{folder} exists already; name a new folder, nothing was overwritten")


@contextlib.contextmanager
def open_solution(folder: Path, name: str) -> Iterator[Path]:
    """The folder for what is half done in a folder that is new or was begun, locked meanwhile. name: of the work."""
    work = folder / name
    refuse_other_work(folder, name)
    try:
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
        write_whole(folder / SOLUTION_FILE, lambda draft: write_small(draft, compact, about))
        write_whole(folder / LEVELS_FILE, lambda draft: np.save(draft, levels))
        write_whole(folder / "solution.json", lambda draft: draft.write_text(text))
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    return about


def write_small(path: Path, compact: Compact, about: dict[str, Any]) -> None:
    """Write the small form as it ships."""
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez_compressed(path, about=text, **compact.arrays())  # type: ignore[arg-type]
