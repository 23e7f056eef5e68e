"""Ends of the play for all hands at once: what one card each, or a hand alone, brings by the other's reach.

A card that can't be twice weighs by the cards of its rank that are left; where both hold the same rank, one fewer is
left for the second.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.scoring import N_RANKS


@kernel(inline=True)
def pair_ends_of_other(plays, left, left_now, points, pairs, across, out_sum, out_value):
    """I move next with one card, the other keeps one: add what my cards are worth. plays: float32[13], the other's
    reach by the rank he keeps; left_now: cards of the rank just played that were left; points: mine so far."""
    total = np.float32(0)
    out_sum[:16] = np.float32(0)
    for other in range(N_RANKS):
        weight = plays[other] * left[other]
        total += weight
        row = across[other]
        for mine in range(16):
            out_sum[mine] += weight * np.float32(row[mine])
    for mine in range(N_RANKS):
        same = plays[mine] * (points + np.float32(pairs[N_RANKS, mine]))
        out_value[mine] += (out_sum[mine] + total * points - same) * left[mine] * left_now


@kernel(inline=True)
def pair_ends_of_mine(rho, left, left_now, points, pairs, out_value):
    """The other moves next with one card, I keep one: what my kept cards are worth. rho: float32[13], by his card."""
    total = np.float32(0)
    out_value[:16] = np.float32(0)
    for other in range(N_RANKS):
        weight = rho[other] * left[other]
        total += weight
        row = pairs[other]
        for mine in range(16):
            out_value[mine] -= weight * np.float32(row[mine])
    for mine in range(N_RANKS):
        same = rho[mine] * (points - np.float32(pairs[N_RANKS, mine]))
        out_value[mine] = (out_value[mine] + total * points - same) * left[mine] * left_now


@kernel
def ways_alone(left, twos, threes, n, out_ways):
    """In how many ways the cards left make each hand of two or three. out_ways: float32[91 or 455]."""
    if n == 2:
        for hand in range(91):
            a, b = twos[hand, 0], twos[hand, 1]
            out_ways[hand] = left[a] * (left[b] - np.float32(a == b))
        return
    for hand in range(455):
        a, b, c = threes[hand, 0], threes[hand, 1], threes[hand, 2]
        ways = left[a] * (left[b] - np.float32(a == b))
        out_ways[hand] = ways * (left[c] - np.float32(b == c) - np.float32(a == c))
