"""`equilibrium` play: the solved pegging game (`pegging_game`) looked up, drawn by its chances."""

from __future__ import annotations

import functools
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.errors import PlayerError
from cribsim.folders import data_home, user_path
from cribsim.pegging import highest_rank
from cribsim.pegging_game.compact import Compact, filled
from cribsim.pegging_game.game import Profile
from cribsim.pegging_game.leaves import play_alone
from cribsim.pegging_game.sets import row_width
from cribsim.pegging_game.tree import GO, N_BRANCHES, Tree, build_tree
from cribsim.scoring import RANK_PLACES
from cribsim.strategies.base import Bound, Half
from cribsim.strategies.greedy import greedy_position
from cribsim.strategies.spec import parse_half
from cribsim.strategies.tables import DATA
from cribsim.streams import random_below
from cribsim.views import GUESS

BEST, SHIPPED = "best", "shipped"
"""The full solution where a better one lies in `full_folder`, else what ships; always what ships."""
SOLUTION_FILE, LEVELS_FILE = "pegging_equilibrium.npz", "levels.npy"
_ALIGN = 64


def _packed(tree: Tree, levels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The tree and the levels as one table of bytes, and where its parts begin: child, slot, mover, n_legal, levels."""
    nodes = tree.nodes
    parts: list[NDArray[Any]] = [nodes.child, nodes.slot, nodes.mover, nodes.n_legal, levels]
    begins, at = [], 0
    for part in parts:
        begins.append(at)
        at += -(-part.nbytes // _ALIGN) * _ALIGN
    table = np.zeros(at, np.uint8)
    for part, begin in zip(parts, begins, strict=True):
        table[begin : begin + part.nbytes] = part.ravel().view(np.uint8)
    return table, np.array([*begins, tree.n], np.float64)


@kernel(inline=True)
def _find_node(view, child, mover, n_legal):
    """The node at which the seat to play is, or an end of the play (below -1)."""
    node, pone = np.int64(0), 1 - np.int64(view.dealer)
    for k in range(np.int64(view.n_played)):
        side = np.int64(view.played_by[k]) ^ pone
        rank = np.int64(view.played[k]) >> 2
        while mover[np.uint64(node)] != side or rank >= n_legal[np.uint64(node)]:
            node = np.int64(child[np.uint64(node * N_BRANCHES + GO)])
        node = np.int64(child[np.uint64(node * N_BRANCHES + rank)])
        if node < 0:
            return node
    side, lowest = np.int64(view.seat) ^ pone, np.int64(view.cards[0]) >> 2
    while node >= 0 and (mover[np.uint64(node)] != side or lowest >= n_legal[np.uint64(node)]):
        node = np.int64(child[np.uint64(node * N_BRANCHES + GO)])
    return node


@kernel(inline=True)
def _kept_number(view, n, position):
    """The number of the hand without a card."""
    number, place = np.int64(0), 0
    for other in range(n):
        if other != position:
            number += RANK_PLACES[place, np.uint64(view.cards[other] >> 2)]
            place += 1
    return number


@kernel
def _best_alone(view, n):
    """The card to begin with when the other has none left."""
    count, pile, is_mine = np.int64(view.count), np.int64(view.pile), view.last_seat == view.seat
    ranks = np.int64(view.cards[0]) >> 2, np.int64(view.cards[1]) >> 2, np.int64(view.cards[2]) >> 2
    best, most = 0, -100
    for position in range(n):
        if ranks[position] > highest_rank(count):
            break
        one, two = ranks[1 if position == 0 else 0], ranks[1 if position == 2 else 2]
        if n == 2:
            value = play_alone(pile, count, is_mine, ranks[position], one, 0, 2)
        else:
            value = play_alone(pile, count, is_mine, ranks[position], one, two, 3)
            value = max(value, play_alone(pile, count, is_mine, ranks[position], two, one, 3))
        if value > most:
            best, most = position, value
    return best


@kernel(inline=True)
def _levels_of(view, n, row, width, n_legal, levels):
    """The levels of the cards that fit, a byte each by position (of one rank the first card has them), and their sum.
    row: where the node's levels begin."""
    weights, total = np.int64(0), np.int64(0)
    for position in range(n):
        rank = np.int64(view.cards[position]) >> 2
        if rank < n_legal and (position == 0 or rank != view.cards[position - 1] >> 2):
            level = np.int64(levels[np.uint64(row + rank * width + _kept_number(view, n, position))])
            total += level
            weights |= level << (8 * position)
    return weights, total


@kernel(inline=True)
def _draw(view, weights, total):
    """A position by its weight."""
    drawn, position = random_below(view.key, total), 0
    while drawn >= weights >> (8 * position) & 255:
        drawn -= weights >> (8 * position) & 255
        position += 1
    return position


@kernel
def look_up(view, params, table):
    """What the solution plays in a view: levels by position, a byte each, and their sum; 0 where nothing is kept. An
    end of the play has its best card. params, table: see `_packed`."""
    n_nodes = np.int64(params[5])
    child = table[np.int64(params[0]) : np.int64(params[0]) + n_nodes * N_BRANCHES * 4].view(np.int32)
    slots = table[np.int64(params[1]) : np.int64(params[1]) + n_nodes * 8].view(np.int64)
    mover = table[np.int64(params[2]) : np.int64(params[2]) + n_nodes].view(np.int8)
    legal = table[np.int64(params[3]) : np.int64(params[3]) + n_nodes].view(np.int8)
    n, node = np.int64(view.n_cards), _find_node(view, child, mover, legal)
    if n == 1:
        return np.int64(1), np.int64(1)
    if node < 0:
        return np.int64(1) << (8 * _best_alone(view, n)), np.int64(1)
    levels = table[np.int64(params[4]) :]
    return _levels_of(view, n, slots[np.uint64(node)], row_width(n), np.int64(legal[np.uint64(node)]), levels)


@kernel
def equilibrium_play(views, which, params, table, out_answers):
    """Look up and draw; where nothing is kept, play greedily and say that it is a guess. params, table: `_packed`."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        weights, total = look_up(views[i], params, table)
        out_answers[i] = _draw(views[i], weights, total) if total > 0 else greedy_position(views[i]) + GUESS


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved pegging game. about: what is told of it, with the range it was solved for; levels: by slot, 0 for all
    plays of a hand of which nothing is kept."""

    about: dict[str, Any]
    levels: NDArray[np.uint8]

    @property
    def range(self) -> str:
        """The discard strategy whose kept hands were played."""
        return str(self.about["range"])

    def profile(self) -> Profile:
        """The strategy as it is played: greedy where nothing is kept."""
        return filled(build_tree(), self.levels)


def full_folder() -> Path:
    """Where `cribsim solve pegging` writes if no folder is named, and `equilibrium` looks."""
    return data_home() / "pegging"


def is_better(folder: Path) -> bool:
    """Whether a folder holds a full solution that was measured to lose less than what ships does."""
    try:
        full = json.loads((folder / "solution.json").read_text())["exploitability_full"]
        return (folder / LEVELS_FILE).exists() and full < _shipped_about()["exploitability_small"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


@functools.cache
def _shipped_about() -> dict[str, Any]:
    with np.load(DATA / SOLUTION_FILE) as arrays:
        told: dict[str, Any] = json.loads(bytes(arrays["about"]).decode())
    return told


def solution_file(text: str) -> Path | None:
    """The file that `solution=` means; None: what ships."""
    if text == SHIPPED:
        return None
    if text == BEST:
        return full_folder() / LEVELS_FILE if is_better(full_folder()) else None
    try:
        return user_path(text) / LEVELS_FILE
    except ValueError as error:
        raise PlayerError(f"solution={text}: {error}") from None


def read_solution(text: str) -> Solution:
    """The solution that ships, or the full one in a folder of `cribsim solve pegging`."""
    file = solution_file(text)
    small = DATA / SOLUTION_FILE if file is None else file.parent / SOLUTION_FILE
    try:
        with np.load(small) as arrays:
            about = json.loads(bytes(arrays["about"]).decode())
            levels = np.load(file) if file else Compact.of_arrays(arrays).levels(build_tree())
        if levels.shape != (build_tree().n_slots,) or levels.dtype != np.uint8:
            raise ValueError("of another size")
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        where = f"solution={text}: no solution of the pegging game can be read in {small.parent} ({error})"
        raise PlayerError(f"{where}; solve it anew, or take solution=shipped") from None
    return Solution(about, levels)


@functools.lru_cache(maxsize=2)
def _held(text: str, _digest: str) -> tuple[Solution, Bound]:
    solution = read_solution(text)
    table, begins = _packed(build_tree(), solution.levels)
    return solution, Bound(equilibrium_play, begins, table)


def _hold(text: str) -> tuple[Solution, Bound]:
    """A solution and its play, read once while the file stays what it is."""
    file = solution_file(text)
    stat = file.stat() if file and file.exists() else None
    return _held(text, f"{stat.st_size} {stat.st_mtime_ns}" if stat else "")


def equilibrium_of(text: str) -> Bound:
    """A solution, ready to play."""
    return _hold(text)[1]


def is_equilibrium(half: Half) -> bool:
    """Whether a pegging strategy is the solved one."""
    return half.source == "built in" and parse_half(half.text).ref == "equilibrium"


def _solution_named(half: Half) -> str:
    return str(dict(parse_half(half.text).parameters).get("solution", BEST))


def solution_of(half: Half) -> Solution:
    """The solution that an `equilibrium` half plays."""
    return _hold(_solution_named(half))[0]


def play_chances(view: Any, half: Half) -> NDArray[np.float64] | None:
    """How often an `equilibrium` half plays each card of a view, (4,); cards of one rank share alike. Two players. None
    where nothing is kept of the place, and it plays greedily."""
    bound, n = _hold(_solution_named(half))[1], int(view["n_cards"])
    ranks, chances = np.asarray(view["cards"][:n], np.int64) >> 2, np.zeros(4)
    fitting = int((ranks <= highest_rank(int(view["count"]))).sum())
    if (ranks[:fitting] == ranks[0]).all():
        chances[:fitting] = 1 / fitting
        return chances
    weights, total = look_up(view, bound.params, bound.table)
    if total == 0:
        return None
    for position in range(n):
        alike = np.flatnonzero(ranks == ranks[position])
        chances[alike] += (int(weights) >> (8 * position) & 255) / (int(total) * len(alike))
    return chances
