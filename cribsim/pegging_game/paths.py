"""How a node is reached: what was played before it, what each side may still hold, and the view of whoever moves.

The tree knows ranks alone. In a view the cards of a rank get suits in the order in which they are met, the starter and
one's own discards are unknown (NO_CARD), and the scores are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.pegging import EMPTY_HAND, next_gains
from cribsim.pegging_game.sets import n_hands_of, row_width
from cribsim.pegging_game.tree import GO, Tree
from cribsim.rules import MAX_COUNT
from cribsim.scoring import N_RANKS, RANK_PLACES


class Paths(NamedTuple):
    """parent, branch: int32, int8 (n,), the node above and the branch from it; before: int64 (n, 2), by side where the
    weights of its last choice stand, for the rank it played, by hand kept (-1: it hasn't chosen yet); lowest: int8
    (n, 2), by side the lowest rank that it may hold after the goes it said."""

    parent: NDArray[np.int32]
    branch: NDArray[np.int8]
    before: NDArray[np.int64]
    lowest: NDArray[np.int8]


@kernel
def _fill_paths(nodes, paths):
    paths.parent[0], paths.branch[0] = -1, GO
    paths.before[0, :] = -1
    paths.lowest[0, :] = 0
    for node in range(len(nodes.mover)):
        mover, n_mover = np.int64(nodes.mover[node]), np.int64(nodes.n_mover[node])
        for branch in range(N_RANKS + 1):
            child = nodes.child[node, branch]
            if child < 0:
                continue
            paths.parent[child], paths.branch[child] = node, branch
            for side in range(2):
                paths.before[child, side] = paths.before[node, side]
                paths.lowest[child, side] = paths.lowest[node, side]
            if branch == GO:
                paths.lowest[child, mover] = max(paths.lowest[node, mover], nodes.n_legal[node])
            elif n_mover >= 2:
                paths.before[child, mover] = nodes.slot[node] + branch * row_width(n_mover)


def find_paths(tree: Tree) -> Paths:
    """The paths to all nodes."""
    n = tree.n
    found = Paths(np.zeros(n, np.int32), np.zeros(n, np.int8), np.zeros((n, 2), np.int64), np.zeros((n, 2), np.int8))
    _fill_paths(tree.nodes, found)
    return found


@kernel(inline=True)
def rank_in(hands, hand, place, n):
    """The rank at a place of a hand of n. hands: `Sets`."""
    return hands.fours[hand, place] if n == 4 else hands.threes[hand, place] if n == 3 else hands.twos[hand, place]


@kernel(inline=True)
def pack_ranks(sets, hand, n):
    """The ranks of hand number `hand` of n cards as a packed hand (`pegging`), all of one suit."""
    packed = EMPTY_HAND
    for place in range(n):
        packed += ((hand if n == 1 else rank_in(sets, hand, place, n)) * 4 - NO_CARD) << (8 * place)
    return packed


@kernel(inline=True)
def number_without(hands, hand, place, n):
    """The number of a hand without the card at a place."""
    number, at = np.int64(0), np.int64(0)
    for other in range(n):
        if other != place:
            number += RANK_PLACES[at, np.int64(rank_in(hands, hand, other, n))]
            at += 1
    return number


@kernel
def list_choices(first, end, side, n, nodes, sets, paths, weights, out_nodes, out_hands):
    """The choices of a side with n cards at the nodes first to end - 1: hands that it may hold there by what it chose
    before, with two ranks or more that fit. Hands with one rank that fits get its weight at once.

    weights: float32[slots], filled for the side's choices before. Returns the node to go on with and the number listed.
    """
    n_listed, n_hands, width = 0, n_hands_of(n), row_width(n)
    for node in range(first, end):
        if nodes.mover[node] != side or nodes.n_mover[node] != n:
            continue
        if n_listed + n_hands > len(out_hands):
            return node, n_listed
        before, n_legal, left = paths.before[node, side], np.int64(nodes.n_legal[node]), nodes.left[node]
        for hand in range(n_hands):
            lowest = rank_in(sets, hand, 0, n)
            if lowest < paths.lowest[node, side] or lowest >= n_legal:
                continue
            if before >= 0 and weights[before + hand] <= 0:
                continue
            held, second, fits_deck, n_same = np.int64(-1), np.int64(-1), True, 0
            for place in range(n):
                rank = rank_in(sets, hand, place, n)
                n_same = n_same + 1 if rank == held else 1
                held = rank
                fits_deck &= n_same <= left >> (3 * rank) & 7
                if rank != lowest and rank < n_legal:
                    second = rank
            if not fits_deck:
                continue
            if second >= 0:
                out_nodes[n_listed], out_hands[n_listed] = node, hand
                n_listed += 1
            else:
                weights[nodes.slot[node] + lowest * width + number_without(sets, hand, 0, n)] = 1
    return end, n_listed


@kernel(inline=True)
def _start_count(view):
    view.pile, view.count, view.gone, view.count_start = 0, 0, 0, view.n_played


@kernel
def _follow(view, mover, n_other, branch, used):
    """One step of a path. used: int64[13], cards of each rank that have a suit."""
    other = 1 - mover
    if branch == GO:
        if view.gone >> other & 1 or n_other == 0:
            view.goes[view.n_played] = 0  # a go after which nobody could play isn't noted
            _start_count(view)
        else:
            view.gone |= 1 << mover
            view.goes[view.n_played] |= 1 << mover
        return
    at = view.n_played
    view.played[at], view.played_by[at] = branch * 4 + used[branch], mover
    used[branch] += 1
    view.n_played += 1
    view.n_left[mover] -= 1
    view.last_seat = mover
    view.count += min(branch + 1, 10)
    view.pile = view.pile << 4 | (branch + 1)
    if view.count == MAX_COUNT or (view.gone >> other & 1 and view.n_left[mover] == 0):
        _start_count(view)


@kernel
def fill_views(chosen_nodes, chosen_hands, n, hand_size, nodes, sets, paths, steps, used, out_views):
    """The view of each choice (`list_choices`). steps: int64[32] and used: int64[13], scratch; out_views: PLAY_VIEW."""
    for i in range(len(out_views)):
        view, node, hand = out_views[i], np.int64(chosen_nodes[i]), chosen_hands[i]
        for place in range(16):
            view.played[place], view.played_by[place], view.goes[place] = NO_CARD, NO_CARD, 0
        for seat in range(4):
            view.n_left[seat], view.scores[seat] = hand_size * (seat < 2), 0
        view.n_played, view.last_seat, view.dealer, view.players, view.starter = 0, 1, 1, 2, NO_CARD
        view.discards[0], view.discards[1] = NO_CARD, NO_CARD
        _start_count(view)
        used[:] = 0
        depth, above = 0, node
        while above > 0:
            steps[depth] = above
            above = np.int64(paths.parent[above])
            depth += 1
        for place in range(depth - 1, -1, -1):
            parent = np.int64(paths.parent[steps[place]])
            mover, branch = np.int64(nodes.mover[parent]), np.int64(paths.branch[steps[place]])
            _follow(view, mover, nodes.n_other[parent], branch, used)
        view.gains = next_gains(view.pile, np.int64(view.count)) if view.count else 0
        view.seat, view.n_cards = nodes.mover[node], n
        for place in range(4):
            view.cards[place] = NO_CARD
        for place in range(n):
            rank = rank_in(sets, hand, place, n)
            view.cards[place] = rank * 4 + used[rank]
            used[rank] += 1


@kernel
def take_answers(chosen_nodes, chosen_hands, n, answers, nodes, sets, weights):
    """Give weight 1 to what was answered: positions in the hand. Returns the first choice with an answer that isn't a
    card that fits, or -1."""
    for i in range(len(answers)):
        node, hand, answer = np.int64(chosen_nodes[i]), chosen_hands[i], answers[i]
        if answer < 0 or answer >= n:
            return i
        rank = rank_in(sets, hand, answer, n)
        if rank >= nodes.n_legal[node]:
            return i
        weights[nodes.slot[node] + rank * row_width(n) + number_without(sets, hand, answer, n)] = 1
    return -1
