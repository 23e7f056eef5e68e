"""A solution made small: chances in 250ths, and only where they differ from playing greedily.

A place is a node and a hand that its mover may hold there. Places at which the solution hardly ever plays otherwise
than greedily, counted by how often they are reached, aren't kept; whoever reads the table plays greedily there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.pegging_game.game import DEALER, PONE, Game, Profile
from cribsim.pegging_game.paths import find_paths, number_without, rank_in
from cribsim.pegging_game.sets import N_SETS, SETS, n_hands_of, row_width
from cribsim.pegging_game.tree import Tree
from cribsim.pegging_game.walk import JUDGE

LEVELS = 250
"""Chances are kept in 250ths."""
STRAYS = 0.1


@kernel(inline=True)
def greedy_rank(node, hand, n, nodes, sets):
    """The place of the card that scores most at once, of equals the highest; -1 where none fits."""
    best, most = -1, -1
    for place in range(n):
        rank = rank_in(sets, hand, place, n)
        if rank < nodes.n_legal[node] and nodes.gain[node, rank] >= most:
            best, most = place, np.int64(nodes.gain[node, rank])
    return best


@kernel(inline=True)
def _chances(node, hand, n, nodes, sets, follow, out_chances, out_slots):
    """The chances of the ranks of a hand that fit, by place (equal ranks: the first). Returns the number of ranks."""
    n_ranks, total = 0, 0.0
    for place in range(n):
        rank = rank_in(sets, hand, place, n)
        out_chances[place], out_slots[place] = 0.0, -1
        if rank < nodes.n_legal[node] and (place == 0 or rank != rank_in(sets, hand, place - 1, n)):
            slot = nodes.slot[node] + rank * row_width(n) + number_without(sets, hand, place, n)
            out_chances[place], out_slots[place] = follow[slot], slot
            total += follow[slot]
            n_ranks += 1
    for place in range(n):
        if out_slots[place] >= 0:
            out_chances[place] = out_chances[place] / total if total > 0 else 1.0 / n_ranks
    return n_ranks


@kernel
def _mix(share, nodes, sets, follow, chances, slots, out_mixed):
    """The strategy with a share of every play that fits, in equal parts, as chances by slot."""
    for node in range(len(nodes.mover)):
        n = np.int64(nodes.n_mover[node])
        if n < 2:
            continue
        for hand in range(n_hands_of(n)):
            n_ranks = _chances(node, hand, n, nodes, sets, follow, chances, slots)
            for place in range(n):
                if slots[place] >= 0:
                    out_mixed[slots[place]] = (1 - share) * chances[place] + share / n_ranks


@kernel
def judge(side, first_reach, nodes, sets, paths, follow, masses, chances, slots, own, out_often):
    """How often a play is another than the greedy one, at each place with each hand.

    first_reach: float64[hands], of the side at the root; follow, masses: float32[slots], the strategy and how often the
    other comes there; chances, slots: scratch of 4; own: float32[slots], filled with the side's own reach;
    out_often: float32[places], by place and hand (`first_places`).
    """
    at = 0
    for node in range(len(nodes.mover)):
        n = np.int64(nodes.n_mover[node])
        if n < 2:
            continue
        if nodes.mover[node] == side:
            before = paths.before[node, side]
            for hand in range(n_hands_of(n)):
                reach = first_reach[hand] if before < 0 else np.float64(own[before + hand])
                if rank_in(sets, hand, 0, n) < paths.lowest[node, side]:
                    reach = 0.0
                n_ranks = _chances(node, hand, n, nodes, sets, follow, chances, slots)
                for place in range(n):
                    if slots[place] >= 0:
                        own[slots[place]] = reach * chances[place]
                if n_ranks >= 2:
                    place = greedy_rank(node, hand, n, nodes, sets)
                    while place > 0 and rank_in(sets, hand, place - 1, n) == rank_in(sets, hand, place, n):
                        place -= 1
                    out_often[at + hand] = reach * masses[slots[place]] * (1 - chances[place])
        at += n_hands_of(n)


@kernel
def _write_codes(kept, nodes_of, firsts, nodes, sets, follow, chances, slots, out_codes):
    """The levels of the ranks that fit, but for the last, of the places kept. kept: int64[k]; nodes_of: int64[k], their
    nodes; firsts: int64[n], the first place of each node; out_codes: uint8[3, k]."""
    for i in range(len(kept)):
        node, left, code = nodes_of[i], LEVELS, 0
        n, hand = np.int64(nodes.n_mover[node]), kept[i] - firsts[nodes_of[i]]
        _chances(node, hand, n, nodes, sets, follow, chances, slots)
        for place in range(n):
            if slots[place] >= 0 and code < 3:
                level = min(np.int64(chances[place] * LEVELS + 0.5), left)
                out_codes[code, i] = level
                left -= level
                code += 1


@kernel
def _write_fine(firsts, nodes, sets, follow, chances, slots, out_levels):
    for node in range(len(nodes.mover)):
        n = np.int64(nodes.n_mover[node])
        if n >= 2:
            for hand in range(n_hands_of(n)):
                _chances(node, hand, n, nodes, sets, follow, chances, slots)
                for place in range(n):
                    if slots[place] >= 0:
                        out_levels[slots[place]] = np.int64(chances[place] * LEVELS + 0.5)


@kernel
def _write_levels(kept, nodes_of, firsts, codes, nodes, sets, chances, slots, out_levels):
    """From codes to levels by slot; arguments as of `_write_codes`."""
    for i in range(len(kept)):
        node, left, code = nodes_of[i], LEVELS, 0
        n, hand = np.int64(nodes.n_mover[node]), kept[i] - firsts[nodes_of[i]]
        n_ranks = _chances(node, hand, n, nodes, sets, out_levels, chances, slots)
        for place in range(n):
            if slots[place] >= 0:
                code += 1
                level = left if code == n_ranks else min(np.int64(codes[code - 1, i]), left)
                out_levels[slots[place]] = level
                left -= level


@kernel
def _play_greedily(nodes, sets, chances, slots, out_levels):
    """Where all plays of a hand have level 0, give all to the greedy one. out_levels: by slot."""
    for node in range(len(nodes.mover)):
        n = np.int64(nodes.n_mover[node])
        if n < 2:
            continue
        for hand in range(n_hands_of(n)):
            n_ranks, total = _chances(node, hand, n, nodes, sets, out_levels, chances, slots), 0.0
            for place in range(n):
                if slots[place] >= 0:
                    total += out_levels[slots[place]]
            if n_ranks and total == 0:
                place = greedy_rank(node, hand, n, nodes, sets)
                while slots[place] < 0:
                    place -= 1
                out_levels[slots[place]] = LEVELS


@dataclass(frozen=True, eq=False)
class Compact:
    """A solution made small. kept: int64 (k,), the numbers of places and hands; codes: uint8 (3, k), the levels of the
    ranks that fit, but for the last, which has the rest."""

    kept: NDArray[np.int64]
    codes: NDArray[np.uint8]

    def levels(self, tree: Tree) -> NDArray[np.uint8]:
        """The levels by slot; 0 for all plays of a hand of which nothing is kept."""
        out, firsts = np.zeros(tree.n_slots, np.uint8), first_places(tree)
        given = (self.kept, _nodes_of(self.kept, firsts), firsts[:-1], self.codes)
        _write_levels(*given, tree.nodes, SETS, np.zeros(4), np.zeros(4, np.int64), out)
        return out

    def profile(self, tree: Tree) -> Profile:
        """The strategy as it is played."""
        return filled(tree, self.levels(tree))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For a file: steps between the places, and the codes."""
        return {"steps": np.diff(self.kept, prepend=0).astype(np.uint32), "codes": self.codes}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Compact:
        """From `arrays`."""
        return cls(np.cumsum(arrays["steps"].astype(np.int64)), arrays["codes"])


def filled(tree: Tree, levels: NDArray[np.uint8]) -> Profile:
    """The strategy of levels as it is played: greedy where nothing is kept."""
    weights = levels.astype(np.float32)
    _play_greedily(tree.nodes, SETS, np.zeros(4), np.zeros(4, np.int64), weights)
    return Profile.of(weights)


def fine_levels(tree: Tree, profile: Profile) -> NDArray[np.uint8]:
    """The whole strategy in 250ths, by slot. What is never played at all by a hand keeps a level for its plays."""
    out, firsts = np.zeros(tree.n_slots, np.uint8), first_places(tree)
    _write_fine(firsts, tree.nodes, SETS, profile.follow, np.zeros(4), np.zeros(4, np.int64), out)
    return out


def first_places(tree: Tree) -> NDArray[np.int64]:
    """The number of each node's first hand among the places to choose at, and their number, (n + 1,)."""
    sizes = np.where(tree.nodes.n_mover >= 2, N_SETS[tree.nodes.n_mover], 0)
    return np.concatenate([[0], np.cumsum(sizes)])


def _nodes_of(kept: NDArray[np.int64], firsts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(firsts, kept, side="right").astype(np.int64) - 1


def otherwise_of(game: Game, profile: Profile) -> NDArray[np.float32]:
    """How often a play is another than the greedy one, by place (`judge`), against an opponent who strays from
    the strategy with a share of his plays: whoever looks for a weakness plays what nobody would. (What greedy plays
    would lose says little: between plays that are mixed nothing is lost, until the other makes use of it.)"""
    tree, paths = game.tree, find_paths(game.tree)
    found = np.zeros(first_places(tree)[-1], np.float32)
    masses, own, mixed = (np.zeros(tree.n_slots, np.float32) for _ in range(3))
    scratch = np.zeros(4), np.zeros(4, np.int64)
    _mix(STRAYS, tree.nodes, SETS, profile.follow, *scratch, mixed)
    for side in (PONE, DEALER):
        game.counting(side).walk(side, JUDGE, Profile(mixed, masses, mixed))
        reach = game.base[side] / game.total
        judge(side, reach, tree.nodes, SETS, paths, profile.follow, masses, *scratch, own, found)
    return found


def make_compact(game: Game, profile: Profile, n_kept: int) -> Compact:
    """Keep about so many places: those at which the play is another than the greedy one most often."""
    tree, often = game.tree, otherwise_of(game, profile)
    firsts = first_places(tree)
    least = float(np.partition(often, -n_kept)[-n_kept]) if n_kept < len(often) else 0.0
    kept = np.flatnonzero(often > max(least, 0.0))
    codes = np.zeros((3, len(kept)), np.uint8)
    given = (kept, _nodes_of(kept, firsts), firsts[:-1])
    _write_codes(*given, tree.nodes, SETS, profile.follow, np.zeros(4), np.zeros(4, np.int64), codes)
    return Compact(kept, codes)
