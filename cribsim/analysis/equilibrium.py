"""Discards that are best against each other: iterated best replies of all hands in both roles, damped.

Each round takes the mixes of throws of both roles, works out the crib by ranks for every hand, and lets every hand of
either role throw what is best against the other's mix. The mixes then move half the way to what was thrown. What is
left at the end is the fixed point: the policies, and the average cribs that go with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.analysis.by_ranks import Cribs, average_cribs, best_throws, classes, mix_of, value_throws
from cribsim.errors import CribsimError
from cribsim.hands import CARD_PLACES
from cribsim.strategies.base import Half
from cribsim.strategies.policy import policy_of
from cribsim.views import THROWN_2
from cribsim.work import share_out

PONE, DEALER = 0, 1
SIGNS = (-1.0, 1.0)
"""What the crib counts for, by role."""
N_THROWN = 169
"""Kinds of two cards: 91 pairs of ranks of two suits, then 78 of one suit."""
_BLOCK = 50_000
_TEMPERATURE = 0.25
_RARE = 1000
"""A pair thrown of fewer of the 20,358,520 hands counts as never thrown."""
_SUITED = 78 * 4 / 1326
"""The chance that two cards are of one suit."""


def answers_by_class(half: Half, role: int) -> NDArray[np.uint8]:
    """What a strategy throws of a hand of each class, (962988,)."""
    index = CARD_PLACES[np.arange(6), classes()[0]].sum(axis=1)
    answers: NDArray[np.uint8] = policy_of(half, role)[index]
    return answers


@kernel(inline=True)
def pair_kind(one, two):
    """The kind of two cards, 0 to 168."""
    low, high = min(one >> 2, two >> 2), max(one >> 2, two >> 2)
    if (one ^ two) & 3 == 0:
        return 91 + high * (high - 1) // 2 + low
    return high * (high + 1) // 2 + low


@kernel
def _add_cribs(hands, sizes, index, own, cribs, pegging, flush, scratch, out_sums):
    """Add up the cribs by the kind of pair. out_sums: float64[169, 4]: hands that throw it and their cribs; and both
    again with every hand that holds it counted the less the more it loses by the throw."""
    values, crib_values = scratch
    for i in range(len(hands)):
        value_throws(hands[i], index[i], own, cribs, pegging, flush, values, crib_values)
        best = 0
        for answer in range(1, 15):
            best = answer if values[answer] > values[best] else best
        for answer in range(15):
            one, two = np.int64(hands[i, THROWN_2[answer, 0]]), np.int64(hands[i, THROWN_2[answer, 1]])
            sums, crib = out_sums[pair_kind(one, two)], crib_values[answer]
            if answer == best:
                sums[0] += sizes[i]
                sums[1] += sizes[i] * crib
            weight = sizes[i] * np.exp((values[answer] - values[best]) / _TEMPERATURE)
            sums[2] += weight
            sums[3] += weight * crib


@kernel
def _count_suited(hands, sizes, answers, out_sums):
    """How many hands throw two cards of one suit."""
    for i in range(len(hands)):
        one, two = hands[i, THROWN_2[answers[i], 0]], hands[i, THROWN_2[answers[i], 1]]
        out_sums[0] += sizes[i] * ((np.int64(one) ^ np.int64(two)) & 3 == 0)


def suited_ratio(answers: NDArray[np.uint8]) -> float:
    """How much oftener than by chance two cards of one suit are thrown."""
    hands, sizes, _ = classes()
    found = np.zeros(1)
    _count_suited(hands, sizes, answers, found)
    return float(found[0] / sizes.sum() / _SUITED)


@dataclass(frozen=True)
class Reply:
    """The best replies of one role to a mix of throws. best: uint8 (classes, 2), the two best answers; values:
    float32 (classes, 2); sums: see `_add_cribs`."""

    best: NDArray[np.uint8]
    values: NDArray[np.float32]
    sums: NDArray[np.float64]

    @property
    def cribs(self) -> NDArray[np.float64]:
        """The average crib by kind of pair, (169,); of pairs that are never thrown, of the hands that lose least."""
        thrown, crib, weight, weighted = self.sums.T
        found: NDArray[np.float64] = np.where(thrown >= _RARE, crib / np.maximum(thrown, 1), weighted / weight)
        return found

    @property
    def shares(self) -> NDArray[np.float64]:
        """How often each kind of pair is thrown, (169,)."""
        shares: NDArray[np.float64] = self.sums[:, 0] / self.sums[:, 0].sum()
        return shares


def best_reply(cribs: Cribs, role: int, pegging: NDArray[np.float64], flush: float) -> Reply:
    """The best throws of all hands of a role when the cribs are these. pegging: (1820,), by kept ranks."""
    hands, sizes, index = classes()
    best, values = np.zeros((len(hands), 2), np.uint8), np.zeros((len(hands), 2), np.float32)

    def reply(first: int) -> NDArray[np.float64]:
        part, sums = slice(first, min(first + _BLOCK, len(hands))), np.zeros((N_THROWN, 4))
        given = (hands[part], index[part], SIGNS[role], cribs, pegging, flush, np.zeros((2, 15)))
        best_throws(*given, best[part], values[part])
        _add_cribs(hands[part], sizes[part], *given[1:], sums)
        return sums

    sums = list(share_out(reply, range(0, len(hands), _BLOCK)))
    return Reply(best, values, np.sum(sums, axis=0))


@dataclass(frozen=True)
class FixedPoint:
    """Policies that are best replies to each other. replies: by role; moved: by round, the most that an average crib
    of a pair that is thrown moved."""

    replies: tuple[Reply, Reply]
    moved: tuple[float, ...]

    def answers(self, role: int) -> NDArray[np.uint8]:
        """The policy of a role by class of hands, (962988,)."""
        return np.ascontiguousarray(self.replies[role].best[:, 0])


def solve_discards(
    start: Sequence[NDArray[np.uint8]],
    pegging: NDArray[np.float64],
    *,
    tolerance: float = 0.002,
    most_rounds: int = 40,
    progress: Callable[[int, int], None] | None = None,
    told: Callable[[int, float], None] | None = None,
) -> FixedPoint:
    """Iterate best replies until no average crib moves by more than `tolerance`.

    Parameters
    ----------
    start
        What pone and dealer throw at first (`answers_by_class`); the fixed point doesn't hang on it.
    pegging
        Own less the other's pegging by role and kept ranks, (2, 1820); zeros leave it out.
    progress, told
        Called with the work done in a round, and with each round's number and movement.
    """
    answers = list(start)
    mixes = [mix_of(found) for found in answers]
    before: Any = None
    moved: list[float] = []
    while True:
        cribs = [average_cribs(mixes[1 - role], progress) for role in (PONE, DEALER)]
        flush = [suited_ratio(answers[1 - role]) for role in (PONE, DEALER)]
        replies = [best_reply(cribs[role], role, pegging[role], flush[role]) for role in (PONE, DEALER)]
        after = np.stack([reply.cribs for reply in replies])
        if before is not None:
            moved.append(float(np.abs(after - before).max()))
            if told:
                told(len(moved), moved[-1])
            if moved[-1] > tolerance and len(moved) >= most_rounds:
                raise CribsimError(
                    f"after {len(moved)} rounds average cribs still move by {moved[-1]:.4f} points, "
                    f"more than {tolerance:g}"
                )
            if moved[-1] <= tolerance:
                return FixedPoint((replies[PONE], replies[DEALER]), tuple(moved))
        before = after
        answers = [reply.best[:, 0] for reply in replies]
        mixes = [(mix + mix_of(found)) / 2 for mix, found in zip(mixes, answers, strict=True)]
