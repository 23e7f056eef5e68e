"""One walk through the tree for one side: down with how likely the other's hands are, back with what mine are worth.

Each node has the other's hands with their reach (how likely the other plays this way with them, times the removal of
the cards seen) and one's own with their value (points from the whole play, summed over the other's reach). Going down
nodes are met in order; coming back the nodes met are taken in reverse. What nobody reaches is left out, which changes
nothing.

The removal of cards is public: both hands fit one deck in as many ways as the cards played one after the other have
cards of their rank left, so each play multiplies by the number left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.pegging_game.ends import pair_ends_of_mine, pair_ends_of_other, ways_alone
from cribsim.pegging_game.sets import n_hands_of, row_width
from cribsim.pegging_game.tree import GO
from cribsim.scoring import N_RANKS

LEARN, BEST, FOLLOW, JUDGE = range(4)
"""What one's own side does: plays by its regrets and learns, plays its best reply, follows the strategy, or follows it
and notes what each play is worth."""
_F0, _F1 = np.float32(0), np.float32(1)


class Places(NamedTuple):
    """Where each node's numbers stand in the buffers: int64[n]."""

    reach: NDArray[np.int64]
    value: NDArray[np.int64]


class Scratch(NamedTuple):
    """Of one thread. reach, value: float32, by `Places`; left: float32[16], cards of each rank not yet played; plays:
    float32[13, 464], by rank played and hand kept; sums: float32[4, 1824], by hand; met: int32, the nodes met."""

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    left: NDArray[np.float32]
    plays: NDArray[np.float32]
    sums: NDArray[np.float32]
    met: NDArray[np.int32]


@kernel(inline=True)
def _read_left(packed, out_left):
    for rank in range(N_RANKS):
        out_left[rank] = packed >> (3 * rank) & 7


@kernel
def _two_by_two(rho, first, share, wish, out_plays):
    """Share out the reach of 91 hands of two among the rank played and the rank kept.

    rho: float32[91]; first: the lowest rank that doesn't fit; wish: float32[13 * 16], by rank played and kept.
    """
    for high in range(N_RANKS):
        for low in range(high):
            reach = rho[high * (high + 1) // 2 + low]
            one, two = wish[high * 16 + low], wish[low * 16 + high]
            total = one + two
            part = one / total if total > _F0 else share
            if high >= first:
                part = _F0
            out_plays[high, low] = reach * part
            out_plays[low, high] = reach - reach * part
        out_plays[high, high] = rho[high * (high + 1) // 2 + high]


@kernel
def _share_out(rho, n_hands, n_kept, n_legal, child, to_hand, wish, width, sums, out_plays):
    """The same for hands of three and four. to_hand: int32[13, kept]; wish: float32[13 * width]; sums: scratch."""
    totals, n_ways = sums[0], sums[1]
    totals[:n_hands] = _F0
    n_ways[:n_hands] = _F0
    for rank in range(n_legal):
        if child[rank] != -1:
            for kept in range(n_kept):
                hand = to_hand[rank, kept]
                totals[hand] += wish[rank * width + kept]
                n_ways[hand] += _F1
    for rank in range(n_legal):
        if child[rank] != -1:
            for kept in range(n_kept):
                hand = to_hand[rank, kept]
                total = totals[hand]
                part = wish[rank * width + kept] / total if total > _F0 else _F1 / n_ways[hand]
                out_plays[rank, kept] = rho[hand] * part


@kernel
def _forced(node, mine, nodes, leaves, sets, places, rho, scratch, out_value, out_alive):
    """A side with one card plays it, and the other goes on alone with two or three."""
    left, ways = scratch.left, scratch.sums[0]
    n_alone = np.int64(nodes.n_other[node])
    n_hands = n_hands_of(n_alone)
    ends = leaves.twos if n_alone == 2 else leaves.threes
    sign = _F1 if mine else -_F1
    so_far = np.float32(nodes.points[node]) * (_F1 if mine == (nodes.mover[node] == 0) else -_F1)
    for rank in range(nodes.n_legal[node]):
        child, left_now = nodes.child[node, rank], left[rank]
        if child == -1 or (not mine and rho[rank] <= _F0):
            if child >= 0:
                out_alive[child] = False
            continue
        if child >= 0:
            below = scratch.reach[places.reach[child] :]
            for hand in range(n_hands if mine else 1):
                below[hand] = (rho[hand] if mine else rho[rank]) * left_now
            out_alive[child] = True
            continue
        values = ends[-2 - child]
        left[rank] -= _F1
        ways_alone(left, sets.twos, sets.threes, n_alone, ways)
        left[rank] += _F1
        points = so_far + sign * np.float32(nodes.gain[node, rank])
        if mine:
            total = _F0
            for hand in range(n_hands):
                total += rho[hand] * ways[hand] * (points - np.float32(values[hand]))
            out_value[rank] = total * left_now
        else:
            weight = rho[rank] * left_now
            for hand in range(n_hands):
                out_value[hand] += weight * ways[hand] * (points + np.float32(values[hand]))


@kernel(inline=True)
def _choose_of_two(node, mode, n_legal, at, plays, wish, out_regrets, out_value):
    """My hands of two: their values, from what each play with each card kept is worth, and what is learnt of it."""
    for high in range(N_RANKS):
        for low in range(min(high + 1, n_legal)):
            hand = high * (high + 1) // 2 + low
            keep_high = plays[low, high]
            if high >= n_legal or high == low:
                out_value[hand] = keep_high
                continue
            keep_low = plays[high, low]
            if mode == BEST:
                out_value[hand] = max(keep_low, keep_high)
                continue
            one, two = wish[at + high * 16 + low], wish[at + low * 16 + high]
            total = one + two
            part = one / total if total > _F0 else np.float32(0.5)
            value = keep_high + part * (keep_low - keep_high)
            out_value[hand] = value
            if mode == JUDGE:
                out_regrets[at + high * 16 + low] = keep_low
                out_regrets[at + low * 16 + high] = keep_high
            if mode == LEARN:
                out_regrets[at + high * 16 + low] = max(one + keep_low - value, _F0)
                out_regrets[at + low * 16 + high] = max(two + keep_high - value, _F0)


@kernel
def _last_choice(node, mode, nodes, leaves, rho, scratch, wish, out_regrets, out_value):
    """I hold two cards and the other one or none: all but a go ends here."""
    left, n_legal = scratch.left, np.int64(nodes.n_legal[node])
    so_far = np.float32(nodes.points[node]) * (_F1 if nodes.mover[node] == 0 else -_F1)
    for rank in range(n_legal):
        child = nodes.child[node, rank]
        if child == -1:
            scratch.plays[rank, :16] = _F0
            continue
        left_now = left[rank]
        left[rank] -= _F1
        points = so_far + np.float32(nodes.gain[node, rank])
        if nodes.n_other[node] == 0:
            ones = leaves.ones[-2 - child]
            for kept in range(N_RANKS):
                value = points + np.float32(ones[kept])
                scratch.plays[rank, kept] = rho[0] * left_now * left[kept] * value
        else:
            pair_ends_of_mine(rho, left, left_now, points, leaves.pairs[-2 - child], scratch.plays[rank])
        left[rank] += _F1
    _choose_of_two(node, mode, n_legal, nodes.slot[node], scratch.plays, wish, out_regrets, out_value)


@kernel(inline=True)
def _is_stuck(hand, n_cards, n_legal, sets):
    """Whether a hand holds nothing that fits."""
    lowest = sets.fours[hand, 0] if n_cards == 4 else sets.threes[hand, 0] if n_cards == 3 else sets.twos[hand, 0]
    return lowest >= n_legal


@kernel
def _reach_go(node, mine, nodes, sets, places, scratch, out_alive):
    """The reach behind a go: of the other's hands that can't play, or all of them after a go of mine."""
    child = nodes.child[node, GO]
    if child < 0:
        return
    n_mover, n_legal = np.int64(nodes.n_mover[node]), np.int64(nodes.n_legal[node])
    n_hands = n_hands_of(nodes.n_other[node] if mine else n_mover)
    rho, below = scratch.reach[places.reach[node] :], scratch.reach[places.reach[child] :]
    alive = mine
    for hand in range(n_hands):
        stays = mine or (hand >= n_legal if n_mover == 1 else _is_stuck(hand, n_mover, n_legal, sets))
        below[hand] = rho[hand] if stays else _F0
        alive |= below[hand] > _F0
    out_alive[child] = alive


@kernel
def _reach_of_mine(node, nodes, places, scratch, out_alive):
    """I move: the other's reach is the same below, but for the card seen."""
    rho = scratch.reach[places.reach[node] :]
    n_hands = n_hands_of(nodes.n_other[node])
    for rank in range(nodes.n_legal[node]):
        child = nodes.child[node, rank]
        if child >= 0:
            below, ways = scratch.reach[places.reach[child] :], scratch.left[rank]
            for hand in range(n_hands):
                below[hand] = rho[hand] * ways
            out_alive[child] = True


@kernel
def _reach_of_other(node, weight, nodes, leaves, sets, places, scratch, wish, out_sums, out_value, out_alive):
    """The other moves by his strategy, which is added to its average; ends with one card each are worked out here."""
    n_mover, n_legal = np.int64(nodes.n_mover[node]), np.int64(nodes.n_legal[node])
    plays, left, at, width = scratch.plays, scratch.left, nodes.slot[node], row_width(n_mover)
    n_kept = n_hands_of(n_mover - 1)
    rho = scratch.reach[places.reach[node] :]
    if n_mover == 2:
        _two_by_two(rho, n_legal, np.float32(0.5), wish[at:], plays)
    else:
        to_hand = sets.to_three if n_mover == 3 else sets.to_four
        _share_out(
            rho, n_hands_of(n_mover), n_kept, n_legal, nodes.child[node], to_hand, wish[at:], width, scratch.sums, plays
        )
    ends = n_mover == 2 and nodes.n_other[node] <= 1
    so_far = np.float32(nodes.points[node]) * (_F1 if nodes.mover[node] == 1 else -_F1)
    for rank in range(n_legal):
        child = nodes.child[node, rank]
        if child == -1:
            continue
        row, most = plays[rank], _F0
        for kept in range(n_kept):
            most = max(most, row[kept])
        if most <= _F0:
            if child >= 0:
                out_alive[child] = False
            continue
        if weight > _F0:
            sums = out_sums[at + rank * width :]
            for kept in range(n_kept):
                sums[kept] += weight * row[kept]
        ways = left[rank]
        if ends:
            left[rank] -= _F1
            points = so_far - np.float32(nodes.gain[node, rank])
            if nodes.n_other[node] == 0:
                ones = leaves.ones[-2 - child]
                for kept in range(N_RANKS):
                    out_value[0] += row[kept] * ways * left[kept] * (points - np.float32(ones[kept]))
            else:
                pairs, across = leaves.pairs[-2 - child], leaves.across[-2 - child]
                pair_ends_of_other(row, left, ways, points, pairs, across, scratch.sums[0], out_value)
            left[rank] += _F1
        else:
            below = scratch.reach[places.reach[child] :]
            for kept in range(n_kept):
                below[kept] = row[kept] * ways
            out_alive[child] = True


@kernel
def go_down(first, end, me, mode, weight, nodes, leaves, sets, places, scratch, regrets, sums, follow, out_alive):
    """Meet the nodes first to end - 1 that are reached, in order; return how many.

    me: 0 the pone, 1 the dealer; mode: LEARN, BEST or FOLLOW; weight: of this round in the average strategy (0: none is
    kept); regrets, sums: float32[slots], of the strategy being learnt (in JUDGE regrets takes what the plays are worth,
    summed over the other's reach); follow: float32[slots], what the other (and in
    FOLLOW I) play by: weights of the plays of each hand. out_alive: bool[n], whether a node is reached.
    """
    node, n_met = first, 0
    while node < end:
        if not out_alive[node]:
            node = np.int64(nodes.end[node])
            continue
        scratch.met[n_met] = node
        n_met += 1
        _read_left(nodes.left[node], scratch.left)
        mine, n_mover = nodes.mover[node] == me, nodes.n_mover[node]
        value = scratch.value[places.value[node] :]
        n_mine = n_hands_of(n_mover if mine else nodes.n_other[node])
        for hand in range(n_mine):
            value[hand] = _F0
        if n_mover == 1:
            rho = scratch.reach[places.reach[node] :]
            _forced(node, mine, nodes, leaves, sets, places, rho, scratch, value, out_alive)
        elif not mine:
            _reach_of_other(node, weight, nodes, leaves, sets, places, scratch, follow, sums, value, out_alive)
        elif n_mover == 2 and nodes.n_other[node] <= 1:
            rho = scratch.reach[places.reach[node] :]
            _last_choice(node, mode, nodes, leaves, rho, scratch, follow, regrets, value)
        else:
            _reach_of_mine(node, nodes, places, scratch, out_alive)
        _reach_go(node, mine, nodes, sets, places, scratch, out_alive)
        node += 1
    return n_met


@kernel
def _choose(node, mode, nodes, sets, places, scratch, wish, out_regrets, out_value):
    """I move with cards to spare on both sides: take my hands' values from below, and learn."""
    n_mover, n_legal = np.int64(nodes.n_mover[node]), np.int64(nodes.n_legal[node])
    at, width, n_kept, n_hands = nodes.slot[node], row_width(n_mover), n_hands_of(n_mover - 1), n_hands_of(n_mover)
    if n_mover == 2:
        for rank in range(n_legal):
            child = nodes.child[node, rank]
            for kept in range(N_RANKS):
                scratch.plays[rank, kept] = scratch.value[places.value[child] + kept] if child >= 0 else _F0
        _choose_of_two(node, mode, n_legal, at, scratch.plays, wish, out_regrets, out_value)
        return
    to_hand = sets.to_three if n_mover == 3 else sets.to_four
    totals, weighted, plain, n_ways = scratch.sums[0], scratch.sums[1], scratch.sums[2], scratch.sums[3]
    for hand in range(n_hands):
        totals[hand] = weighted[hand] = plain[hand] = n_ways[hand] = _F0
    for rank in range(n_legal):
        child = nodes.child[node, rank]
        if child >= 0:
            below = scratch.value[places.value[child] :]
            for kept in range(n_kept):
                hand, value, liking = to_hand[rank, kept], below[kept], wish[at + rank * width + kept]
                totals[hand] += liking
                weighted[hand] += liking * value
                if mode == BEST:
                    plain[hand] = max(plain[hand], value) if n_ways[hand] > _F0 else value
                else:
                    plain[hand] += value
                n_ways[hand] += _F1
    for hand in range(n_hands):
        if n_ways[hand] > _F0:
            if mode == BEST:
                out_value[hand] = plain[hand]
            else:
                out_value[hand] = weighted[hand] / totals[hand] if totals[hand] > _F0 else plain[hand] / n_ways[hand]
    if mode != LEARN and mode != JUDGE:
        return
    for rank in range(n_legal):
        child = nodes.child[node, rank]
        if child >= 0:
            below = scratch.value[places.value[child] :]
            for kept in range(n_kept):
                slot, value = at + rank * width + kept, below[kept]
                if mode == LEARN:
                    value = max(out_regrets[slot] + value - out_value[to_hand[rank, kept]], _F0)
                out_regrets[slot] = value


@kernel
def _add_go(node, mine, nodes, sets, places, scratch, out_value):
    """The values behind a go: of my hands that can't play, or of all when the other said it."""
    child = nodes.child[node, GO]
    n_mover, n_legal = np.int64(nodes.n_mover[node]), np.int64(nodes.n_legal[node])
    below = scratch.value[places.value[child] :]
    if not mine:
        for hand in range(n_hands_of(nodes.n_other[node])):
            out_value[hand] += below[hand]
        return
    for hand in range(n_hands_of(n_mover)):
        if hand >= n_legal if n_mover == 1 else _is_stuck(hand, n_mover, n_legal, sets):
            out_value[hand] = below[hand]


@kernel(inline=True)
def _take_forced(node, mine, nodes, places, scratch, out_value, alive):
    """The values behind a card that had to be played, where that isn't an end."""
    for rank in range(nodes.n_legal[node]):
        child = nodes.child[node, rank]
        if child >= 0 and alive[child]:
            below = scratch.value[places.value[child] :]
            if mine:
                out_value[rank] = below[0]
            else:
                for hand in range(n_hands_of(nodes.n_other[node])):
                    out_value[hand] += below[hand]


@kernel
def come_back(n_met, me, mode, nodes, sets, places, scratch, regrets, follow, alive):
    """Take the nodes met in reverse and work out what one's own hands are worth. Arguments as of `go_down`."""
    for at in range(n_met - 1, -1, -1):
        node = np.int64(scratch.met[at])
        mine, n_mover = nodes.mover[node] == me, nodes.n_mover[node]
        value = scratch.value[places.value[node] :]
        ends = n_mover == 2 and nodes.n_other[node] <= 1
        if n_mover == 1:
            _take_forced(node, mine, nodes, places, scratch, value, alive)
        elif not ends and mine:
            _choose(node, mode, nodes, sets, places, scratch, follow, regrets, value)
        elif not ends:
            n_hands = n_hands_of(nodes.n_other[node])
            for rank in range(nodes.n_legal[node]):
                child = nodes.child[node, rank]
                if child >= 0 and alive[child]:
                    below = scratch.value[places.value[child] :]
                    for hand in range(n_hands):
                        value[hand] += below[hand]
        if nodes.child[node, GO] >= 0 and alive[nodes.child[node, GO]]:
            _add_go(node, mine, nodes, sets, places, scratch, value)
