"""Points of hand and crib by throw, as chances: exact, or of sampled deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cribsim.cribs import N_POINTS, add_samples, cards_of_others, crib_parts, show_cribs, show_hands
from cribsim.rules import Rules
from cribsim.sampling import BLOCK, sample_pairs, sample_singles
from cribsim.scoring import score_parts
from cribsim.strategies.throws import ANY_CARDS, ThrowModel, throw_weights, unseen_by
from cribsim.streams import choice_key
from cribsim.views import kept_positions, thrown_positions
from cribsim.work import n_cores, share_out

Cards = NDArray[np.int64]
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Worths:
    """Points by throw, in the order of the answers, as chances of 0 to 29, (answers, 30) each; their averages by part,
    (answers, 5) each; for samples also the standard error of hand plus or minus crib."""

    hands: NDArray[np.float64]
    cribs: NDArray[np.float64]
    hand_parts: NDArray[np.float64]
    crib_parts: NDArray[np.float64]
    total_se: NDArray[np.float64] | None = None


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
        n, n_thrown = self.rules.cards or 0, self.rules.n_thrown
        return thrown_positions(n, n_thrown), kept_positions(n, n_thrown)

    @property
    def sign(self) -> int:
        """What the crib counts for: 1 when one's own side pegs it."""
        n = self.rules.players
        partners = bool(self.rules.teams) and (n - 1 - self.role) % 2 == 0
        return 1 if self.role == n - 1 or partners else -1

    def worths(self, cards: list[int]) -> Worths:
        """Points by throw of one hand."""
        mine, kept = (np.array(cards)[places] for places in self.places)
        unseen = unseen_by(cards)
        if self.samples:
            return self._sampled(mine, kept, cards_of_others(unseen, 4 - mine.shape[1]), unseen)
        return self._exact(mine, kept, *throw_weights(self.model, unseen, self.role))

    def _exact(self, mine: Cards, kept: Cards, others: Cards, unseen: Cards, weights: NDArray[np.float64]) -> Worths:
        hands, cribs = np.zeros((2, len(mine), N_POINTS))
        show_hands(kept, unseen, hands)
        show_cribs(mine, others, unseen, weights, cribs)
        cribs /= cribs.sum(axis=1, keepdims=True)
        starters = np.full(len(unseen), 1 / len(unseen))
        parts = _hand_parts(kept, unseen, starters), crib_parts(mine, others, unseen, weights)
        return Worths(hands / len(unseen), cribs, *parts)

    def _sampled(self, mine: Cards, kept: Cards, others: Cards, unseen: Cards) -> Worths:
        n = self.samples
        counts = (_count_pairs if self.rules.players == 2 else _count_singles)(self, unseen).astype(np.float64)
        hands, cribs = np.zeros((2, len(mine), N_POINTS))
        totals = np.zeros((len(mine), 2))
        add_samples(mine, kept, others, unseen, counts, self.sign, hands, cribs, totals)
        mean = totals[:, 0] / n
        spread = np.maximum(totals[:, 1] / n - mean**2, 0)
        parts = _hand_parts(kept, unseen, counts.sum(axis=0) / n), crib_parts(mine, others, unseen, counts)
        return Worths(hands / n, cribs / n, *parts, np.sqrt(spread / max(n - 1, 1)))

    @property
    def key(self) -> np.uint64:
        """From which the samples derive."""
        return np.uint64(choice_key(np.uint64(self.seed), np.uint64(self.role), 0))


def _hand_parts(kept: Cards, unseen: Cards, starters: NDArray[np.float64]) -> NDArray[np.float64]:
    """The average hand by part; starters: how likely each of the unseen is cut."""
    parts = score_parts(np.repeat(kept, len(unseen), axis=0), np.tile(unseen, len(kept)))
    means: NDArray[np.float64] = starters @ parts.reshape(len(kept), len(unseen), -1)
    return means


def _shared(n: int, count: Callable[[int, int], NDArray[np.int32]]) -> NDArray[np.int64]:
    """Count the samples 0 to n - 1 on all cores, a share of chunks each."""
    share = -(-n // n_cores())
    found = share_out(lambda at: count(at, min(at + share, n)), range(0, n, share))
    counts: NDArray[np.int64] = np.sum(list(found), axis=0, dtype=np.int64)
    return counts


def _count_pairs(job: Job, unseen: Cards) -> NDArray[np.int64]:
    policy = job.model.others(job.role)[0]

    def count(first: int, end: int) -> NDArray[np.int32]:
        counts = np.zeros((1035, 46), np.int32)
        scratch = [np.zeros(n, np.int64) for n in (46, 6, BLOCK, BLOCK)]
        for at in range(first, end, _CHUNK):
            sample_pairs(job.key, at, min(at + _CHUNK, end), unseen, policy, np.arange(46), *scratch, counts)
        return counts

    return _shared(job.samples, count)


def _count_singles(job: Job, unseen: Cards) -> NDArray[np.int64]:
    policies = (*job.model.others(job.role), ANY_CARDS)[:3]  # with three players the third card comes from the pack

    def count(first: int, end: int) -> NDArray[np.int32]:
        counts = np.zeros((16215, 47), np.int32)
        scratch = [np.zeros(n, np.int64) for n in (47, 5, 3)]
        for at in range(first, end, _CHUNK):
            sample_singles(job.key, at, min(at + _CHUNK, end), unseen, policies, np.arange(47), *scratch, counts)
        return counts

    return _shared(job.samples, count)


_POINTS = ("hands", "cribs", "hand_parts", "crib_parts")


def average(worths: list[Worths], weights: NDArray[np.float64]) -> Worths:
    """The average over hands; samples of different hands are independent."""
    if len(worths) == 1:
        return worths[0]
    errors = [found.total_se for found in worths if found.total_se is not None]
    se = np.sqrt(np.tensordot(weights**2, np.square(errors), axes=1)) if errors else None
    means = {name: np.tensordot(weights, [getattr(found, name) for found in worths], axes=1) for name in _POINTS}
    return Worths(**means, total_se=se)


def merge_equals(worths: Worths, thrown: list[str]) -> Worths:
    """Of ranks alone, throws of equal ranks are one: each gets the average of all. (Sorted cards of one rank differ in
    their suits, so that no single one of them stands for all.)"""
    alike = np.array([[one == other for other in thrown] for one in thrown], float)
    alike /= alike.sum(axis=1, keepdims=True)
    se = None if worths.total_se is None else alike @ worths.total_se
    return Worths(**{name: alike @ getattr(worths, name) for name in _POINTS}, total_se=se)
