"""The pegging game: how likely each hand is kept, and what strategies are worth in it.

f_pone and f_dealer are the chances of the kept hands of ranks. A pair of hands has the weight f_pone(h) f_dealer(k)
times the product over ranks of C(4 - h_r, k_r) / C(4, k_r), which leaves out what one deck doesn't hold. Starter and
discards play no part. The payoff is the pone's pegging less the dealer's, last card and goes included.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cribsim.pegging_game.leaves import Leaves
from cribsim.pegging_game.sets import N_SETS, SETS, WIDTHS, count_ranks
from cribsim.pegging_game.tree import NONE, Nodes, Tree, widths
from cribsim.pegging_game.walk import BEST, FOLLOW, Places, Scratch, come_back, go_down
from cribsim.work import n_cores, share_out

PONE, DEALER = 0, 1
SMALLEST_CHANCE = 1e-6
"""No hand that the deck holds is less likely to be kept than this, so that everything is learnt."""


def with_small_chances(chances: NDArray[np.float64], smallest: float = SMALLEST_CHANCE) -> NDArray[np.float64]:
    """Ranges, (2, hands), in which every hand has at least a small chance."""
    shares = np.maximum(chances / chances.sum(axis=1, keepdims=True), smallest)
    mixed: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return mixed


def pair_weights(chances: NDArray[np.float64], deck: tuple[int, ...]) -> NDArray[np.float64]:
    """The joint weights of the hands of pone and dealer, (hands, hands), not normed. chances: (2, hands)."""
    n = int(np.flatnonzero(chances.shape[1] == N_SETS)[0])
    weights: NDArray[np.float64] = np.outer(chances[PONE], chances[DEALER]) * _ways_beside(deck, n)
    return weights


@functools.lru_cache(maxsize=2)
def _ways_beside(deck: tuple[int, ...], n: int) -> NDArray[np.float64]:
    """What a deck leaves of each hand of n cards beside each other hand, (hands, hands): the product over ranks."""
    held = count_ranks(n)
    found = np.ones((len(held), len(held)))
    for rank, size in enumerate(deck):
        ways = np.array([[_ways(size, one, two) for two in range(n + 1)] for one in range(n + 1)])
        found *= ways[held[:, None, rank], held[None, :, rank]]
    return found


def _ways(size: int, one: int, two: int) -> float:
    """C(size - one, two) / C(size, two), 0 where the deck doesn't hold them."""
    if one + two > size:
        return 0.0
    return math.comb(size - one, two) / math.comb(size, two)


def _only_hand(tree: Tree, me: int, hand: int) -> NDArray[np.int32]:
    """The children of the nodes without a side's plays of ranks that a hand doesn't hold."""
    child = tree.nodes.child.copy()
    missing = np.append(count_ranks(tree.hand_size)[hand] == 0, False)
    child[np.ix_(tree.nodes.mover == me, missing)] = NONE
    return child


@dataclass(eq=False)
class Game:
    """A tree with ranges. chances: (2, hands), pone's and dealer's."""

    tree: Tree
    chances: NDArray[np.float64]
    total: float = field(init=False)
    base: NDArray[np.float64] = field(init=False)
    """By role the reach of each hand at the root: its chance, less the removal of its own cards."""

    def __post_init__(self) -> None:
        held = count_ranks(self.tree.hand_size)
        self._own = np.ones(len(held))
        for rank, size in enumerate(self.tree.deck):
            orders = np.array([math.perm(size, n) if n <= size else 0 for n in range(self.tree.hand_size + 1)])
            self._own *= np.divide(1.0, orders, out=np.zeros(len(orders)), where=orders > 0)[held[:, rank]]
        self.base = self.chances * self._own
        self._ways = _ways_beside(self.tree.deck, self.tree.hand_size)
        self._beside = [
            self._ways @ self.chances[1 - me] for me in (PONE, DEALER)
        ]  # the ways are the same from either side
        self.total = float(self.chances[PONE] @ self._beside[PONE])
        self._walkers = [_Walker(self.tree, me) for me in (PONE, DEALER)]

    def walk(self, me: int, mode: int, profile: Profile, weight: float = 0.0) -> NDArray[np.float64]:
        """Walk the tree for one side; return what each of its hands is worth times its other factors: see `value`."""
        return self._walkers[me].walk(self.base[1 - me], mode, profile, weight, self.tree.nodes)

    def value(self, me: int, mode: int, profile: Profile) -> float:
        """Points a deal for one side: its best reply (BEST) or its part of the profile (FOLLOW) against the profile."""
        return float(self.base[me] @ self.walk(me, mode, profile)) / self.total

    def values(self, me: int, mode: int, profile: Profile) -> NDArray[np.float64]:
        """The same for each hand that the side may hold: points on average, (hands,); nan where the deck can't hold it
        beside any of the other's."""
        points, often = self.walk(me, mode, profile) * self._own, self._beside[me]
        averages: NDArray[np.float64] = np.divide(points, often, out=np.full(len(points), np.nan), where=often > 0)
        return averages

    def value_of_hand(self, me: int, hand: int, weights: NDArray[np.float64], mode: int, profile: Profile) -> float:
        """Points on average for one hand of a side, where the other's hands have these weights, (hands,), given all
        that the side sees: not those of the game's ranges."""
        ways = self._ways[hand]
        base = np.divide(weights, ways, out=np.zeros(len(ways)), where=ways > 0) * self._own
        nodes = self.tree.nodes._replace(child=_only_hand(self.tree, me, hand))
        points = self._walkers[me].walk(base, mode, profile, 0.0, nodes)
        return float(points[hand] * self._own[hand] / weights[ways > 0].sum())

    def counting(self, me: int) -> Game:
        """The game in which every play is worth one to a side: walks then count how often places are reached."""
        nodes = self.tree.nodes
        ones = np.full(self.tree.n, 1 if me == PONE else -1, np.int8)
        leaves = Leaves(*(np.zeros_like(values) for values in self.tree.leaves))
        tree = replace(self.tree, nodes=nodes._replace(gain=np.zeros_like(nodes.gain), points=ones), leaves=leaves)
        return Game(tree, self.chances)

    def exploitability(self, profile: Profile) -> Exploited:
        """What best replies in both roles gain against a profile."""
        pone, dealer = (self.value(me, BEST, profile) for me in (PONE, DEALER))
        mirror = self.value(PONE, FOLLOW, profile)
        return Exploited(pone - mirror, dealer + mirror, mirror)


@dataclass(frozen=True)
class Exploited:
    """What best replies gain as pone and as dealer over the profile against itself; its value, pone less dealer."""

    pone: float
    dealer: float
    mirror_value: float

    @property
    def exploitability(self) -> float:
        """The mean of the gains, points a deal."""
        return (self.pone + self.dealer) / 2


@dataclass(eq=False)
class Profile:
    """Both sides' strategies: weights of the plays of each hand at each node, float32[slots]; and what is learnt."""

    follow: NDArray[np.float32]
    regrets: NDArray[np.float32]
    sums: NDArray[np.float32]

    @classmethod
    def of(cls, weights: NDArray[np.float32]) -> Profile:
        """A profile that is only played."""
        return cls(weights, weights, weights)


class _Walker:
    """Walks for one side. The upper nodes, down to the second play, are walked first; each subtree below them is a
    task of its own, so that cores share the work and the result doesn't depend on how."""

    def __init__(self, tree: Tree, me: int) -> None:
        self.tree, self.me, nodes = tree, me, tree.nodes
        firsts = nodes.child[0][nodes.child[0] >= 0]
        self.upper = [0, *firsts.tolist()]
        self.roots = [int(child) for first in firsts for child in nodes.child[first] if child >= 0]
        self.places, self.size = self._place()
        self.alive = np.zeros(tree.n, np.bool_)
        self.top = self._scratch(len(self.upper))
        most = max((int(nodes.end[root]) - root for root in self.roots), default=1)
        self.free = [self._scratch(most) for _ in range(n_cores())]
        self.lock = threading.Lock()

    def _place(self) -> tuple[Places, tuple[int, int]]:
        """Upper nodes and roots of subtrees have places of their own; subtrees share theirs behind them."""
        nodes, shared = self.tree.nodes, np.array([*self.upper, *self.roots])
        places, sizes = [], []
        for width in widths(self.tree, self.me):
            place = np.zeros(self.tree.n, np.int64)
            place[shared] = np.cumsum(width[shared]) - width[shared]
            begin = most = int(width[shared].sum())
            for root in self.roots:
                inner = slice(root + 1, int(nodes.end[root]))
                place[inner] = begin + np.cumsum(width[inner]) - width[inner]
                most = max(most, begin + int(width[inner].sum()))
            places.append(place)
            sizes.append(most)
        return Places(*places), (sizes[0], sizes[1])

    def _scratch(self, n_nodes: int) -> Scratch:
        reach, value = (np.zeros(size + int(WIDTHS[-1]), np.float32) for size in self.size)
        widest = int(WIDTHS[3])
        return Scratch(
            reach,
            value,
            np.zeros(16, np.float32),
            np.zeros((13, widest), np.float32),
            np.zeros((4, int(WIDTHS[4])), np.float32),
            np.zeros(n_nodes, np.int32),
        )

    @contextmanager
    def _borrowed(self) -> Iterator[Scratch]:
        with self.lock:
            scratch = self.free.pop()
        try:
            yield scratch
        finally:
            with self.lock:
                self.free.append(scratch)

    def walk(
        self, base: NDArray[np.float64], mode: int, profile: Profile, weight: float, nodes: Nodes
    ) -> NDArray[np.float64]:
        leaves, top = self.tree.leaves, self.top
        arrays = (profile.regrets, profile.sums, profile.follow)

        def down(first: int, end: int, scratch: Scratch) -> int:
            given = (nodes, leaves, SETS, self.places, scratch, *arrays, self.alive)
            return int(go_down(first, end, self.me, mode, np.float32(weight), *given))

        def back(n_met: int, scratch: Scratch) -> None:
            given = (nodes, SETS, self.places, scratch, profile.regrets, profile.follow, self.alive)
            come_back(n_met, self.me, mode, *given)

        def subtree(root: int) -> None:
            with self._borrowed() as scratch:
                at = slice(self.places.reach[root], self.places.reach[root] + int(WIDTHS[4]))
                scratch.reach[at] = top.reach[at]
                back(down(root, int(nodes.end[root]), scratch), scratch)
                n = int(WIDTHS[nodes.n_mover[root] if nodes.mover[root] == self.me else nodes.n_other[root]])
                out = slice(self.places.value[root], self.places.value[root] + n)
                top.value[out] = scratch.value[out]

        self.alive[:] = False
        self.alive[0] = True
        top.reach[: len(base)] = base
        met = [node for node in self.upper if self.alive[node] and down(node, node + 1, top)]
        list(share_out(subtree, [root for root in self.roots if self.alive[root]]))
        for node in reversed(met):
            top.met[0] = node
            back(1, top)
        return top.value[: N_SETS[self.tree.hand_size]].astype(np.float64)
