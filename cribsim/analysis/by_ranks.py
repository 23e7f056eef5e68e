"""The crib by ranks: a model cheap enough for every hand, in which suits are averages.

What the other throws of each multiset of six ranks is a mix of throws (his suits decide between them). Given my own
six ranks, the chance of each (pair thrown, starter's rank) is a sum over his multisets with exact removal. Flush and
nobs are added from how many cards of each suit are unseen. `docs/discards.md` says how far this is from exact.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.hands import class_hands, class_sizes
from cribsim.scoring import JACK, N_PAIRS, N_RANKS, PAIR_CLASS, RANK_PLACES, RANK_POINTS, multisets
from cribsim.starters import N_STARTERS, is_flush, kept_number, rank_sum, suit_counts, suit_sum
from cribsim.strategies.expectimax import N_SIX
from cribsim.views import KEPT_2, THROWN_2
from cribsim.work import share_out

_BLOCK = 128
_WIDTH = 16
"""Ranks padded for the processor."""
_JACKS = np.array([(low == JACK) + (high == JACK) for high in range(N_RANKS) for low in range(high + 1)], np.float32)
"""Jacks in each pair of ranks."""
_RANK_POINTS = RANK_POINTS.reshape(N_PAIRS, -1).astype(np.float32)


@functools.cache
def _ranks() -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.float32]]:
    """The multisets, the pairs of ranks that each answer throws, (18564, 15), and how many of each rank are held."""
    six = multisets(6)
    pairs = np.stack([PAIR_CLASS[six[:, a] * 13 + six[:, b]] for a, b in THROWN_2], axis=1)
    held = np.zeros((N_SIX, _WIDTH), np.float32)
    for place in range(6):
        held[np.arange(N_SIX), six[:, place]] += 1
    return six, pairs, held


@functools.cache
def classes() -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """A hand of each of the 962,988 classes, how many hands it stands for, and the number of its ranks."""
    hands = class_hands(6)
    return hands, class_sizes(6), RANK_PLACES[np.arange(6), hands >> 2].sum(axis=1)


def mix_of(answers: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """How often each pair of ranks is thrown of each multiset, (18564, 91), from answers by class of six cards."""
    _, sizes, index = classes()
    pairs = _ranks()[1][index, answers]
    mix = np.bincount(index * N_PAIRS + pairs, weights=sizes, minlength=N_SIX * N_PAIRS).reshape(N_SIX, N_PAIRS)
    shares: NDArray[np.float64] = mix / np.maximum(mix.sum(axis=1, keepdims=True), 1)
    return shares


class _Sparse(NamedTuple):
    """A mix without its zeros: the entries of multiset m are starts[m] to starts[m + 1]."""

    starts: Any
    pairs: Any
    shares: Any


def _sparse(mix: NDArray[np.float64]) -> _Sparse:
    rows, pairs = np.nonzero(mix)
    starts = np.zeros(N_SIX + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=N_SIX), out=starts[1:])
    return _Sparse(starts, pairs.astype(np.uint8), mix[rows, pairs].astype(np.float32))


@kernel(inline=True)
def _choose(ways, unseen, rank, above, same):
    """Ways times those to take one card more: of this rank too as many are taken as `same` says if it's that above."""
    taken = same if rank == above else 0
    return ways * (unseen[np.uint64(rank)] - taken) / (taken + 1), taken + 1


@kernel
def _weigh_throws(unseen, mix, held, out_thrown, out_held):
    """How likely each pair is thrown of the cards unseen, and how many of each rank are then held.

    unseen: float32[13], by rank; held: float32[18564, 16]; out_thrown: float32[91]; out_held: float32[91, 16].
    """
    at = 0
    for r5 in range(N_RANKS):
        ways5, same5 = _choose(np.float32(1), unseen, r5, -1, 0)
        for r4 in range(r5 + 1):
            ways4, same4 = _choose(ways5, unseen, r4, r5, same5)
            for r3 in range(r4 + 1):
                ways3, same3 = _choose(ways4, unseen, r3, r4, same4)
                for r2 in range(r3 + 1):
                    ways2, same2 = _choose(ways3, unseen, r2, r3, same3)
                    for r1 in range(r2 + 1):
                        ways1, same1 = _choose(ways2, unseen, r1, r2, same2)
                        for r0 in range(r1 + 1):
                            ways, _ = _choose(ways1, unseen, r0, r1, same1)
                            if ways > 0:
                                _add_throws(at, np.float32(ways), mix, held[at], out_thrown, out_held)
                            at += 1


@kernel(inline=True)
def _add_throws(at, ways, mix, held, out_thrown, out_held):
    for entry in range(mix.starts[at], mix.starts[at + 1]):
        weight, pair = ways * mix.shares[entry], np.uint64(mix.pairs[entry])
        out_thrown[pair] += weight
        row = out_held[pair]
        for rank in range(_WIDTH):
            row[rank] += weight * held[rank]


class Cribs(NamedTuple):
    """What the crib is worth by ranks, for each multiset of my six ranks.

    points: float32 (18564, 15), fifteens, pairs and runs by answer; starters: float32 (18564, 13), chances of the
    starter's rank; jacks: float32 (18564,), jacks that the other throws.
    """

    points: Any
    starters: Any
    jacks: Any


@kernel
def _show_throws(unseen, pairs, thrown, held, rank_points, out_points, out_starters):
    """Average the crib over what is thrown and the starter. rank_points: float32[91, 91 * 13]; pairs: uint8[15]."""
    total = np.float32(0)
    for pair in range(N_PAIRS):
        total += thrown[pair]
        for rank in range(N_RANKS):
            held[pair, rank] = thrown[pair] * unseen[rank] - held[pair, rank]
    total *= 40  # starters that remain
    for rank in range(N_RANKS):
        out_starters[rank] = 0
        for pair in range(N_PAIRS):
            out_starters[rank] += held[pair, rank] / total
    for answer in range(15):
        row, points = rank_points[pairs[answer]], np.float32(0)
        for pair in range(N_PAIRS):
            for rank in range(N_RANKS):
                points += held[pair, rank] * row[pair * 13 + rank]
        out_points[answer] = points / total


@kernel
def _sweep(six, pairs, all_held, mix, rank_points, unseen, thrown, held, first, end, out):
    """Fill `Cribs` for the multisets first to end - 1. unseen: float32[13]; thrown, held: as above; scratch."""
    for at in range(first, end):
        possible = True
        for rank in range(N_RANKS):
            unseen[rank] = 4 - all_held[at, rank]
            possible = possible and unseen[rank] >= 0
        if possible:
            thrown[:], held[:] = 0, 0
            _weigh_throws(unseen, mix, all_held, thrown, held)
            jacks, total = np.float32(0), np.float32(0)
            for pair in range(N_PAIRS):
                total += thrown[pair]
                jacks += thrown[pair] * _JACKS[pair]
            out.jacks[at] = jacks / total
            _show_throws(unseen, pairs[at], thrown, held, rank_points, out.points[at], out.starters[at])


def average_cribs(mix: NDArray[np.float64], progress: Callable[[int, int], None] | None = None) -> Cribs:
    """The crib for every multiset of my ranks when the other throws by this mix (`mix_of`)."""
    six, pairs, held = _ranks()
    sparse = _sparse(mix)
    out = Cribs(np.zeros((N_SIX, 15), np.float32), np.zeros((N_SIX, N_RANKS), np.float32), np.zeros(N_SIX, np.float32))

    def fill(first: int) -> int:
        scratch = np.zeros(N_RANKS, np.float32), np.zeros(N_PAIRS, np.float32), np.zeros((N_PAIRS, _WIDTH), np.float32)
        end = min(first + _BLOCK, N_SIX)
        _sweep(six, pairs, held, sparse, _RANK_POINTS, *scratch, first, end, out)
        return end - first

    done = 0
    for n in share_out(fill, range(0, N_SIX, _BLOCK)):
        done += n
        if progress:
            progress(done, N_SIX)
    return out


@kernel(inline=True)
def _crib_suits(cards, answer, suits, index, cribs, flush):
    """Nobs and flush in the crib, from the cards unseen by suit. flush: see `value_throws`."""
    one, two = np.int64(cards[THROWN_2[answer, 0]]), np.int64(cards[THROWN_2[answer, 1]])
    points = 0.0
    for card in (one, two):
        if card >> 2 == JACK:
            points += _starter_suit(cards, card & 3, cribs.starters[index])
    if (one ^ two) & 3 == 0:
        same = 13 - (suits >> (4 * (one & 3)) & 15)
        points += 5.0 * flush * same * (same - 1) * (same - 2) / (46 * 45 * 44)
    return points


@kernel(inline=True)
def _starter_suit(cards, suit, starters):
    """The chance that the starter is of a suit. starters: by rank."""
    chance = 0.0
    for rank in range(N_RANKS):
        left, mine = 4, 0
        for i in range(6):
            card = np.int64(cards[i])
            left -= card >> 2 == rank
            mine += card == rank * 4 + suit
        if left > 0:
            chance += starters[rank] * (1 - mine) / left
    return chance


@kernel(inline=True)
def _other_nobs(cards, suits, jacks):
    """Nobs by a jack that the other throws. jacks: how many he throws on average."""
    left, chance = 0, 0.0
    for suit in range(4):
        mine = 0
        for i in range(6):
            mine += np.int64(cards[i]) == JACK * 4 + suit
        left += 1 - mine
        chance += (1 - mine) * (12 - (suits >> (4 * suit) & 15)) / 45
    return jacks * chance / left if left > 0 else 0.0


@kernel
def value_throws(cards, index, own, cribs, pegging, flush, out_values, out_cribs):
    """The worth of the 15 throws of six sorted cards: hand, plus or minus crib, plus pegging.

    own: 1 for the dealer, -1 for the pone; pegging: float64[1820], by kept ranks; flush: how much likelier than by
    chance the other throws two of a suit; out_values, out_cribs: float64[15].
    """
    suits = suit_counts(cards, 6)
    others = _other_nobs(cards, suits, cribs.jacks[index])
    for answer in range(15):
        kept = KEPT_2[answer]
        points = rank_sum(cards, kept, 6) + suit_sum(cards, kept, 6, suits, is_flush(cards, kept))
        crib = cribs.points[index, answer] + others + _crib_suits(cards, answer, suits, index, cribs, flush)
        four = kept_number(cards, kept)
        out_cribs[answer] = crib
        out_values[answer] = points / N_STARTERS + own * crib + pegging[np.uint64(four)]


@kernel
def best_throws(hands, index, own, cribs, pegging, flush, scratch, out_best, out_values):
    """The two best throws of each hand. hands: uint8[m, 6]; index: int64[m], the number of their ranks; scratch:
    float64[2, 15]; out_best: uint8[m, 2]; out_values: float32[m, 2]."""
    values, crib_values = scratch
    for i in range(len(hands)):
        value_throws(hands[i], index[i], own, cribs, pegging, flush, values, crib_values)
        first, second = 0, -1
        for answer in range(1, 15):
            if values[answer] > values[first]:
                first, second = answer, first
            elif second < 0 or values[answer] > values[second]:
                second = answer
        out_best[i, 0], out_best[i, 1] = first, second
        out_values[i, 0], out_values[i, 1] = values[first], values[second]


@kernel
def value_answers(hands, index, own, cribs, pegging, flush, answers, scratch, out_values):
    """What given throws are worth beside the best. answers: uint8[m]; scratch: float64[2, 15].

    out_values: float64[m, 4], totals of the best, the second and the given throw, and the crib of the given.
    """
    values, crib_values = scratch
    for i in range(len(hands)):
        value_throws(hands[i], index[i], own, cribs, pegging, flush, values, crib_values)
        best, second = values[0], -1e18
        for answer in range(1, 15):
            best, second = max(best, values[answer]), max(second, min(best, values[answer]))
        answer = np.uint64(answers[i])
        out_values[i, 0], out_values[i, 1] = best, second
        out_values[i, 2], out_values[i, 3] = values[answer], crib_values[answer]
