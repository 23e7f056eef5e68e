"""Play policies: what a pegging strategy plays at every node of the pegging game with every hand it may hold there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cribsim.errors import PlayerError, StrategyError
from cribsim.pegging_game.game import Profile
from cribsim.pegging_game.paths import fill_views, find_paths, list_choices, take_answers
from cribsim.pegging_game.sets import N_SETS, ROW_WIDTHS, SETS, count_ranks
from cribsim.pegging_game.tree import Tree
from cribsim.rules import Rules
from cribsim.scoring import N_RANKS
from cribsim.strategies.base import PLAY, Bound, Half, fault_text, view_text
from cribsim.views import PLAY_VIEW, empty_views, without_guesses

_BLOCK = 1 << 16


def play_policy(half: Half, tree: Tree, progress: Callable[[int, int], None] | None = None) -> Profile:
    """What a strategy plays in both roles, with every hand that it may hold after its own choices.

    The views show suits that stand for nothing, an unknown starter and unknown discards, and scores of 0.

    Raises
    ------
    PlayerError
        It draws at random (but for `random`, whose chances are known).
    StrategyError
        It raised, or answered with a card that doesn't fit.
    """
    if half.text == "random" and half.source == "built in":
        return _any_card(tree)
    bound, weights = half.ready(Rules()), np.zeros(tree.n_slots, np.float32)
    paths, done = find_paths(tree), 0
    n_choosing = int((tree.nodes.n_mover >= 2).sum())
    listed = np.zeros(_BLOCK, np.int32), np.zeros(_BLOCK, np.int32)
    steps, used = np.zeros(32, np.int64), np.zeros(13, np.int64)
    for side in (0, 1):
        for n in range(tree.hand_size, 1, -1):
            first, n_nodes = 0, int(((tree.nodes.mover == side) & (tree.nodes.n_mover == n)).sum())
            while first < tree.n:
                first, found = list_choices(first, tree.n, side, n, tree.nodes, SETS, paths, weights, *listed)
                nodes, hands = (part[:found] for part in listed)
                views = empty_views(PLAY_VIEW, found)
                fill_views(nodes, hands, n, tree.hand_size, tree.nodes, SETS, paths, steps, used, views)
                wrong = take_answers(nodes, hands, n, _ask(half, bound, views), tree.nodes, SETS, weights)
                if wrong >= 0:
                    view = view_text(views[wrong])
                    raise StrategyError(f"{half.text} ({PLAY}) answered with no card that fits; {view}")
                if progress:
                    progress(int(done + n_nodes * first / tree.n), n_choosing)
            done += n_nodes
    return Profile.of(weights)


def _ask(half: Half, bound: Bound, views: NDArray[np.void]) -> NDArray[np.int64]:
    """The answers, the same whatever the random keys."""
    found = []
    which = np.arange(len(views), dtype=np.int32)
    for key in (0, 1):
        if key:
            # a few of each block are asked twice
            views, which = views[:: max(len(views) // 256, 1)].copy(), which[: len(views[:: max(len(views) // 256, 1)])]
            views["key"] = np.random.default_rng(1).integers(1 << 64, size=len(views), dtype=np.uint64)
        answers = np.full(len(views), -1, np.int64)
        if len(views):
            try:
                bound.answer(views, which, bound.params, bound.table, answers)
            except Exception as error:
                raise StrategyError(f"{half.text} ({PLAY}) {fault_text(error)}; {view_text(views[0])}") from error
        found.append(without_guesses(answers))
    if not np.array_equal(found[0][:: max(len(found[0]) // 256, 1)], found[1]):
        raise PlayerError(
            f"{half.text} draws its plays at random; it can't be asked at every place as those can that don't, nor are "
            "its chances known as those of random and equilibrium"
        )
    return found[0]


def _any_card(tree: Tree) -> Profile:
    """Each card that fits as likely: a rank by how many of it are held."""
    weights = np.zeros(tree.n_slots, np.float32)
    for n in range(2, tree.hand_size + 1):
        block = np.zeros((N_RANKS, int(ROW_WIDTHS[n])), np.float32)
        block[:, : N_SETS[n - 1]] = count_ranks(n - 1).T + 1
        for slot in tree.nodes.slot[tree.nodes.n_mover == n]:
            weights[slot : slot + block.size] = block.ravel()
    return Profile.of(weights)
