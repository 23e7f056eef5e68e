"""The public tree of the play: what both players see of it, in ranks.

A node is a place in the play at which somebody is to move: the ranks played so far and the goes said. From it leads a
branch for each rank that fits within 31 and isn't used up, and, where some hands can't play, one for the go. A go is a
branch of its own because it tells: whoever says it holds nothing that fits. Places with one card left in both hands,
or with cards in one hand alone, are ends (`leaves`): nothing is left to choose against anybody. A whole tree has those
with two and three cards in one hand as nodes too, so that a strategy that plays them badly can be measured.

Nodes are numbered in preorder: a node's subtree is a stretch of numbers behind it, so walks are loops over arrays.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.pegging import highest_rank
from cribsim.pegging_game.leaves import PAIR, Leaves, end_key, gain_of, make_leaves, pips
from cribsim.pegging_game.sets import ROW_WIDTHS, WIDTHS
from cribsim.rules import MAX_COUNT
from cribsim.scoring import N_RANKS

GO = N_RANKS
"""The place of the go among a node's children."""
NONE = -1
N_BRANCHES = N_RANKS + 1
FULL_DECK = (4,) * N_RANKS
_STATE = 9
_MOST_ENDS = 1 << 17


class Nodes(NamedTuple):
    """The nodes in preorder, (n,) each.

    child: int32[n, 14], by rank and for the go: a node, NONE, or -2 less the number of an end of the play; gain: int8
    [n, 14], what the move brings the side to move (a point for a go or last card that it settles included); mover: 0
    the pone, 1 the dealer; n_mover, n_other: cards left; n_legal: the ranks that fit, the lowest ones; points: the
    pone's less the dealer's so far; left: how many of each rank aren't played, three bits each; slot: where the
    node's numbers begin in an array of strategies; end: the first node behind the subtree.
    """

    child: NDArray[np.int32]
    gain: NDArray[np.int8]
    mover: NDArray[np.int8]
    n_mover: NDArray[np.int8]
    n_other: NDArray[np.int8]
    n_legal: NDArray[np.int8]
    points: NDArray[np.int8]
    left: NDArray[np.int64]
    slot: NDArray[np.int64]
    end: NDArray[np.int32]


@kernel(inline=True)
def _end_number(key, kind, keys, table, n_ends):
    """The number of an end among those of its kind; new ones are added. keys, table: int64[4, ...], by kind."""
    size = table.shape[1]
    place = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(44)
    while table[kind, place] >= 0:
        number = table[kind, place]
        if keys[kind, number] == key:
            return number
        place = (place + np.uint64(1)) & np.uint64(size - 1)
    number = n_ends[kind]
    table[kind, place], keys[kind, number] = number, key
    n_ends[kind] += 1
    return number


@kernel(inline=True)
def _move(state, rank, out_state):
    """The state after a rank is played (or a go, rank 13), and what it brings.

    state: int64[9], pile, count, left, mover, cards of the mover, of the other, whether the mover played last and goes
    on alone in this count, points, and a place for the parent.
    """
    pile, count, left, mover, mine, others, alone = state[0], state[1], state[2], state[3], state[4], state[5], state[6]
    gain, next_alone = 0, 0
    if rank == N_RANKS:
        if alone or others == 0:
            gain, pile, count = 1 if alone else -1, 0, 0
        else:
            next_alone = 1
        if others > 0:
            mover, mine, others = 1 - mover, others, mine
    else:
        gain = gain_of(pile, count, rank)
        pile, count, left, mine = pile << 4 | (rank + 1), count + pips(rank), left - (1 << (3 * rank)), mine - 1
        if others == 0:
            alone = 1
        elif alone and mine == 0 and count < MAX_COUNT:
            gain, pile, count, alone = gain + 1, 0, 0, 0
        if count == MAX_COUNT:
            pile, count, alone = 0, 0, 0
        next_alone = alone
        if not alone and others > 0:
            mover, mine, others = 1 - mover, others, mine
    sign = 1 - 2 * state[3]
    out_state[0], out_state[1], out_state[2], out_state[3] = pile, count, left, mover
    out_state[4], out_state[5], out_state[6], out_state[7] = mine, others, next_alone, state[7] + sign * gain
    return gain


@kernel(inline=True)
def _copy(state, out_state):
    for place in range(_STATE):
        out_state[place] = state[place]


@kernel
def _walk(start, whole, stack, keys, table, n_ends, child, gain, info, left, end):
    """Number the nodes from a state on; return how many. Where `child` is empty they are only counted.

    start: int64[9] (`_move`); stack: int64[m, 9], scratch; info: int8[n, 5], mover, n_mover, n_other, n_legal, points.
    """
    counting, depth, n = len(child) == 0, 1, 0
    _copy(start, stack[0])
    after, now = stack[-1], stack[-2]
    while depth > 0:
        depth -= 1
        state = stack[depth]
        node, parent, pushed = n, state[8], depth
        n += 1
        _copy(state, now)
        if not counting:
            info[node, 0], info[node, 1], info[node, 2] = now[3], now[4], now[5]
            info[node, 3], info[node, 4] = highest_rank(now[1]) + 1, now[7]
            left[node] = now[2]
            child[node, :] = NONE
            if parent >= 0:
                child[parent >> 4, parent & 15] = node
        for branch in range(N_RANKS, -1, -1):
            fits = branch <= highest_rank(now[1]) and now[2] >> (3 * branch) & 7 > 0
            if branch == N_RANKS:
                fits = highest_rank(now[1]) < N_RANKS - 1
            if not fits:
                continue
            brings = _move(now, branch, after)
            if not counting:
                gain[node, branch] = brings
            if (after[4] == 1 and after[5] <= 1) or (after[5] == 0 and not whole):
                kind = after[4] if after[5] == 0 else PAIR
                # a last card that nobody may follow: whose card lies decides to whom the go's point falls
                key = end_key(after[0], after[1], kind) | after[6] << 44
                number = _end_number(key, kind, keys, table, n_ends)
                if not counting:
                    child[node, branch] = -2 - number
            else:
                after[8] = node << 4 | branch
                _copy(after, stack[pushed])
                pushed += 1
        depth = pushed
    if not counting:
        for node in range(n - 1, -1, -1):
            end[node] = node + 1
            for branch in range(N_RANKS + 1):
                if child[node, branch] >= 0:
                    end[node] = max(end[node], end[child[node, branch]])
    return n


@dataclass(frozen=True, eq=False)
class Tree:
    """The tree of a deck and a size of hands, with the ends of the play. n_slots: numbers that a strategy takes."""

    deck: tuple[int, ...]
    hand_size: int
    nodes: Nodes
    leaves: Leaves
    n_slots: int

    @property
    def n(self) -> int:
        """Nodes."""
        return len(self.nodes.mover)


@functools.lru_cache(maxsize=2)
def build_tree(deck: tuple[int, ...] = FULL_DECK, hand_size: int = 4, *, whole: bool = False) -> Tree:
    """The public tree.

    Parameters
    ----------
    deck
        Cards of each of the 13 ranks, 0 to 4; smaller decks make smaller games, for tests.
    hand_size
        Cards of each player, 2 to 4.
    whole
        Whether what one side does when the other has no cards left is part of the tree.

    Examples
    --------
    >>> small = build_tree((2, 2, 2) + (0,) * 10, 2)
    >>> small.n, small.nodes.child[0, :3].tolist()
    (4, [1, 2, 3])
    """
    start = np.zeros(_STATE, np.int64)
    start[2] = sum(n << (3 * rank) for rank, n in enumerate(deck))
    start[4] = start[5] = hand_size
    start[8] = -1
    stack, keys = np.zeros((256, _STATE), np.int64), np.zeros((4, _MOST_ENDS), np.int64)
    shapes = [(0, 14), (0, 14), (0, 5), (0,), (0,)]
    for _ in range(2):
        table, n_ends = np.full((4, 1 << 20), -1), np.zeros(4, np.int64)
        types = (np.int32, np.int8, np.int8, np.int64, np.int32)
        child, gain, info, left, end = (np.zeros(shape, kind) for shape, kind in zip(shapes, types, strict=True))
        n = _walk(start, whole, stack, keys, table, n_ends, child, gain, info, left, end)
        shapes = [(n, *shape[1:]) for shape in shapes]
    mover, n_mover, n_other, n_legal, points = (np.ascontiguousarray(info[:, place]) for place in range(5))
    sizes = N_RANKS * ROW_WIDTHS[n_mover]
    slot = np.cumsum(sizes) - sizes
    nodes = Nodes(child, gain, mover, n_mover, n_other, n_legal, points, left, slot, end)
    leaves = make_leaves([keys[kind, : n_ends[kind]].copy() for kind in range(4)])
    return Tree(deck, hand_size, nodes, leaves, int(sizes.sum()))


def widths(tree: Tree, me: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many numbers each node's hands of the other take, and those of `me` (0 the pone), (n,) each."""
    mine = tree.nodes.mover == me
    of_mover, of_other = WIDTHS[tree.nodes.n_mover], WIDTHS[tree.nodes.n_other]
    return np.where(mine, of_other, of_mover), np.where(mine, of_mover, of_other)
