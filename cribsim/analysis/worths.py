"""Points of hand and crib by throw, as chances: exact, or of sampled deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cribsim.cribs import N_POINTS, add_samples, cards_of_others, crib_parts, show_cribs, show_hands, show_threes
from cribsim.hands import CARD_PLACES
from cribsim.rules import Rules
from cribsim.sampling import BLOCK, sample_pairs, sample_singles
from cribsim.scoring import score_parts
from cribsim.strategies.throws import ANY_CARDS, ThrowModel, throw_weights, unseen_by
from cribsim.streams import choice_key
from cribsim.views import kept_positions, thrown_positions
from cribsim.work import Progress, n_cores, share_out

Cards = NDArray[np.int64]
_CHUNK, _SHOWN = 1 << 16, 1 << 24
"""Samples between two looks at Ctrl-C, and between two tellings of progress."""


@dataclass(frozen=True)
class Worths:
    """Points by throw, in the order of the answers, as chances of 0 to 29, (answers, 30) each; their averages by part,
    (answers, 5) each; for samples also the variances of the average hand and crib, and the covariances of the averages
    of hand plus or minus crib, (answers, answers): all throws are tried on the same samples."""

    hands: NDArray[np.float64]
    cribs: NDArray[np.float64]
    hand_parts: NDArray[np.float64]
    crib_parts: NDArray[np.float64]
    hand_variance: NDArray[np.float64] | None = None
    crib_variance: NDArray[np.float64] | None = None
    total_covariance: NDArray[np.float64] | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether there are errors."""
        return self.total_covariance is not None


@dataclass(frozen=True)
class Job:
    """What is asked about a hand."""

    rules: Rules
    role: int
    model: ThrowModel
    samples: int
    seed: int

    @property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions thrown and kept by answer."""
        n, n_thrown = self.rules.n_dealt, self.rules.n_thrown
        return thrown_positions(n, n_thrown), kept_positions(n, n_thrown)

    @property
    def sign(self) -> int:
        """What the crib counts for: 1 when one's own side pegs it."""
        n = self.rules.players
        partners = bool(self.rules.teams) and (n - 1 - self.role) % 2 == 0
        return 1 if self.role == n - 1 or partners else -1

    @property
    def flush_of_five(self) -> int:
        """Whether only five of a suit make a flush in the crib."""
        return int(self.rules.crib_flush == 5)

    def worths(self, cards: list[int], progress: Progress | None = None) -> Worths:
        """Points by throw of one hand. progress: called with samples done and in all."""
        mine, kept = (np.array(cards)[places] for places in self.places)
        unseen = unseen_by(cards)
        if self.samples:
            others = cards_of_others(unseen, 4 - mine.shape[1])
            return self._sampled(mine, kept, others, unseen, self._count(cards, unseen, progress))
        return self._exact(mine, kept, *throw_weights(self.model, unseen, self.role))

    def _exact(self, mine: Cards, kept: Cards, others: Cards, unseen: Cards, weights: NDArray[np.float64]) -> Worths:
        hands, cribs = np.zeros((2, len(mine), N_POINTS))
        (show_hands if kept.shape[1] == 4 else show_threes)(kept, unseen, hands)
        show_cribs(mine, others, unseen, weights, self.flush_of_five, cribs)
        cribs /= cribs.sum(axis=1, keepdims=True)
        starters = np.full(len(unseen), 1 / len(unseen))
        parts = _hand_parts(kept, unseen, starters), crib_parts(mine, others, unseen, weights, self.flush_of_five)
        return Worths(hands / len(unseen), cribs, *parts)

    def _sampled(self, mine: Cards, kept: Cards, others: Cards, unseen: Cards, counts: NDArray[np.float64]) -> Worths:
        n = self.samples
        hands, cribs = np.zeros((2, len(mine), N_POINTS))
        totals, sums, products = np.zeros(len(mine)), np.zeros(len(mine)), np.zeros((len(mine), len(mine)))
        points = hands, cribs, sums, products
        add_samples(mine, kept, others, unseen, counts, self.sign, self.flush_of_five, totals, *points)
        hands, cribs = hands / n, cribs / n
        parts = (
            _hand_parts(kept, unseen, counts.sum(axis=0) / n),
            crib_parts(mine, others, unseen, counts, self.flush_of_five),
        )
        covariance = (products / n - np.outer(sums, sums) / n**2) / max(n - 1, 1)
        hand_spread, crib_spread = (_spread(chances) / max(n - 1, 1) for chances in (hands, cribs))
        return Worths(hands, cribs, *parts, hand_spread, crib_spread, covariance)

    def _count(self, cards: list[int], unseen: Cards, progress: Progress | None) -> NDArray[np.float64]:
        """How often the others throw which cards and which starter is cut. The samples derive from seed, role and hand:
        no two hands share draws."""
        hand = CARD_PLACES[np.arange(len(cards)), cards].sum()
        key = np.uint64(choice_key(np.uint64(self.seed), np.uint64(hand), self.role))
        count = _count_pairs if self.rules.players == 2 else _count_singles
        found, n = np.zeros(0), self.samples
        for first in range(0, n, _SHOWN):
            end = min(first + _SHOWN, n)
            found = count(self, key, unseen, first, end) + (found if first else 0)
            if progress:
                progress(end, n)
        return found


def _spread(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of points of each throw."""
    points = np.arange(N_POINTS)
    spread: NDArray[np.float64] = np.maximum(chances @ points**2 - (chances @ points) ** 2, 0)
    return spread


def _hand_parts(kept: Cards, unseen: Cards, starters: NDArray[np.float64]) -> NDArray[np.float64]:
    """The average hand by part; starters: how likely each of the unseen is cut."""
    parts = score_parts(np.repeat(kept, len(unseen), axis=0), np.tile(unseen, len(kept)))
    means: NDArray[np.float64] = starters @ parts.reshape(len(kept), len(unseen), -1)
    return means


def _shared(first: int, end: int, count: Callable[[int, int], NDArray[np.int32]]) -> NDArray[np.float64]:
    """Count samples on all cores, a share of chunks each."""
    share = -(-(end - first) // n_cores())
    found = share_out(lambda at: count(at, min(at + share, end)), range(first, end, share))
    counts: NDArray[np.float64] = np.sum(list(found), axis=0, dtype=np.float64)
    return counts


def _count_pairs(job: Job, key: np.uint64, unseen: Cards, first: int, end: int) -> NDArray[np.float64]:
    policy = job.model.others(job.role)[0]

    def count(first: int, end: int) -> NDArray[np.int32]:
        counts = np.zeros((1035, 46), np.int32)
        scratch = [np.zeros(n, np.int64) for n in (46, 6, BLOCK, BLOCK)]
        for at in range(first, end, _CHUNK):
            sample_pairs(key, at, min(at + _CHUNK, end), unseen, policy, np.arange(46), *scratch, counts)
        return counts

    return _shared(first, end, count)


def _count_singles(job: Job, key: np.uint64, unseen: Cards, first: int, end: int) -> NDArray[np.float64]:
    policies = (*job.model.others(job.role), ANY_CARDS)[:3]  # with three players the third card comes from the pack

    def count(first: int, end: int) -> NDArray[np.int32]:
        counts = np.zeros((16215, 47), np.int32)
        scratch = [np.zeros(n, np.int64) for n in (47, 5, 3)]
        for at in range(first, end, _CHUNK):
            sample_singles(key, at, min(at + _CHUNK, end), unseen, policies, np.arange(47), *scratch, counts)
        return counts

    return _shared(first, end, count)


_POINTS = ("hands", "cribs", "hand_parts", "crib_parts")
_ERRORS = ("hand_variance", "crib_variance", "total_covariance")


def average(worths: list[Worths], weights: NDArray[np.float64]) -> Worths:
    """The average over hands, whose samples are independent."""
    if len(worths) == 1:
        return worths[0]
    shares = dict.fromkeys(_POINTS, weights) | (dict.fromkeys(_ERRORS, weights**2) if worths[0].is_sampled else {})
    found = {name: np.tensordot(by, [getattr(one, name) for one in worths], axes=1) for name, by in shares.items()}
    return Worths(**found)


def merge_equals(worths: Worths, thrown: list[str]) -> Worths:
    """Of ranks alone, throws of equal ranks are one: each gets the average of all. (Sorted cards of one rank differ in
    their suits, so that no single one of them stands for all.) The variances of hand and crib are then upper bounds, as
    the same samples serve all throws; that of the total is exact."""
    alike = np.array([[one == other for other in thrown] for one in thrown], float)
    alike /= alike.sum(axis=1, keepdims=True)
    found = {name: alike @ getattr(worths, name) for name in _POINTS}
    if worths.is_sampled:
        found |= {name: (alike @ np.sqrt(getattr(worths, name))) ** 2 for name in ("hand_variance", "crib_variance")}
        found["total_covariance"] = alike @ worths.total_covariance @ alike.T
    return Worths(**found)
