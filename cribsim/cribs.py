"""The crib as its parts come together: the cards I throw, those that the others throw beside them, and the starter.

What the others throw is counted, not sampled: every hand they can hold is walked through, and a policy (an answer for
every hand, `strategies.policy`) says what they throw of it. For a throw t and a starter s the hands that throw t and
don't hold s number thrown[t] - kept[t, s]. Several others are taken as independent but for that each doesn't hold the
starter, nor what another throws (exact for one other, and for others who throw anything).
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.hands import CARD_PLACES
from cribsim.scoring import (
    JACK,
    MAX_SHOW,
    N_PAIRS,
    N_RANKS,
    PAIR_CLASS,
    RANK_PLACES,
    RANK_POINTS,
    multisets,
    rank_parts,
    score_parts,
    show_points,
)
from cribsim.views import KEPT_1, KEPT_2, KEPT_2_OF_5, THROWN_2, THROWN_2_OF_5

N_POINTS = MAX_SHOW + 1
N_UNSEEN = 46
"""Cards unseen by a player who looks at six."""
_SPLIT_2 = np.concatenate([THROWN_2, KEPT_2], axis=1).astype(np.uint64)
SPLIT_1 = np.concatenate([np.arange(5)[:, None], KEPT_1], axis=1).astype(np.uint64)
SPLIT_2_OF_5 = np.concatenate([THROWN_2_OF_5, KEPT_2_OF_5], axis=1).astype(np.uint64)
"""The positions thrown and then those kept, of five cards, by answer."""


@kernel(inline=True)
def _pair_place(low, high):
    return high * (high - 1) // 2 + low


@kernel
def count_pairs(unseen, policy, last, hand, out_thrown, out_kept):
    """Count what every hand throws whose highest card is unseen[last], two of six.

    unseen: int64[46], sorted; policy: uint8 by hand (`hand_index`); hand: uint64[6], scratch; out_thrown: int32[1035]
    by pair of places in `unseen`; out_kept: int32[1035, 46] by pair and place of a card kept.
    """
    hand[5] = last
    at5 = CARD_PLACES[5, unseen[last]]
    for fourth in range(4, last):
        hand[4] = fourth
        at4 = at5 + CARD_PLACES[4, unseen[fourth]]
        for third in range(3, fourth):
            hand[3] = third
            at3 = at4 + CARD_PLACES[3, unseen[third]]
            for second in range(2, third):
                hand[2] = second
                at2 = at3 + CARD_PLACES[2, unseen[second]]
                for first in range(1, second):
                    hand[1] = first
                    at1 = at2 + CARD_PLACES[1, unseen[first]]
                    for lowest in range(first):
                        hand[0] = lowest
                        split = _SPLIT_2[np.uint64(policy[np.uint64(at1 + unseen[lowest])])]
                        pair = np.uint64(_pair_place(np.int64(hand[split[0]]), np.int64(hand[split[1]])))
                        out_thrown[pair] += 1
                        kept = out_kept[pair]
                        kept[hand[split[2]]] += 1
                        kept[hand[split[3]]] += 1
                        kept[hand[split[4]]] += 1
                        kept[hand[split[5]]] += 1


@kernel
def count_fives(unseen, policy, split, n_thrown, last, hand, out_thrown, out_kept):
    """The same for one or two cards of five. unseen: int64[47]; split: SPLIT_1 or SPLIT_2_OF_5; out_thrown: int32[47],
    or by pair int32[1081]; out_kept: the same by 47."""
    hand[4] = last
    at4 = CARD_PLACES[4, unseen[last]]
    for third in range(3, last):
        hand[3] = third
        at3 = at4 + CARD_PLACES[3, unseen[third]]
        for second in range(2, third):
            hand[2] = second
            at2 = at3 + CARD_PLACES[2, unseen[second]]
            for first in range(1, second):
                hand[1] = first
                at1 = at2 + CARD_PLACES[1, unseen[first]]
                for lowest in range(first):
                    hand[0] = lowest
                    at = split[np.uint64(policy[np.uint64(at1 + unseen[lowest])])]
                    thrown = np.int64(hand[at[0]])
                    thrown = thrown if n_thrown == 1 else _pair_place(thrown, np.int64(hand[at[1]]))
                    out_thrown[thrown] += 1
                    kept = out_kept[thrown]
                    for k in range(n_thrown, 5):
                        kept[hand[at[k]]] += 1


_ORDERS = np.array([(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
"""Which of three cards each of the three others throws."""


@kernel
def _weigh_orders(cards, thrown, free, out_weights):
    """How likely the three others throw three cards, by who throws which. cards: int64[3]; thrown: float64[3, 47], by
    other; free: float64[3, 47, 47], the share of those hands that don't hold another card; out_weights: float64[6]."""
    for order in range(6):
        weight = 1.0
        for other in range(3):
            own = cards[_ORDERS[order, other]]
            weight *= thrown[other, own]
            for card in cards:
                weight *= free[other, own, card] if card != own else 1.0
        out_weights[order] = weight


@kernel
def weigh_singles(thrown, free, three, weights, out_weights):
    """How likely three others throw three cards and a starter is cut.

    thrown, free: see `_weigh_orders`; three: int64[3] and weights: float64[6], scratch; out_weights:
    float64[16215, 47], by `cards_of_others` and place of the starter.
    """
    n, row = thrown.shape[1], 0
    for high in range(2, n):
        for middle in range(1, high):
            for low in range(middle):
                three[0], three[1], three[2] = low, middle, high
                _weigh_orders(three, thrown, free, weights)
                for starter in range(n):
                    if starter in (low, middle, high):
                        continue
                    for order in range(6):
                        one, two, last = three[_ORDERS[order, 0]], three[_ORDERS[order, 1]], three[_ORDERS[order, 2]]
                        out_weights[row, starter] += (
                            weights[order] * free[0, one, starter] * free[1, two, starter] * free[2, last, starter]
                        )
                row += 1


def weigh_pairs(thrown: NDArray[np.int32], kept: NDArray[np.int32]) -> NDArray[np.float64]:
    """How many hands throw a pair and leave a starter to be cut, (pairs, unseen): `cards_of_others` and place."""
    places = cards_of_others(np.arange(kept.shape[1]), 2)
    weights = (thrown[:, None] - kept).astype(np.float64)
    weights[np.arange(len(places))[:, None], places] = 0
    return weights


def cards_of_others(unseen: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The sets of 2 or 3 cards that others throw, (1035, 2) or (16215, 3), in the order in which they are counted."""
    sets = np.array(list(itertools.combinations(range(len(unseen)), n)))
    cards: NDArray[np.int64] = unseen[sets[np.lexsort(sets.T)]]
    return cards


@kernel(inline=True)
def _crib_points(mine, others, starter, flush_of_five):
    """One's own one or two cards with the two or three of the others. flush_of_five: 0 where four make a flush, too."""
    second = mine[1] if len(mine) == 2 else others[2]
    return show_points(mine[0], second, others[0], others[1], starter, flush_of_five)


@kernel
def show_cribs(mine, others, unseen, weights, flush_of_five, out_histogram):
    """The points of the crib after each throw.

    mine: int64[answers, 1 or 2], the cards thrown; others: int64, by `cards_of_others`; unseen: int64[n]; weights:
    float64[len(others), n]; flush_of_five: see `_crib_points`; out_histogram: float64[answers, 30].
    """
    for answer in range(len(mine)):
        row = out_histogram[answer]
        for at in range(len(others)):
            for starter in range(len(unseen)):
                weight = weights[at, starter]
                if weight > 0:
                    points = _crib_points(mine[answer], others[at], unseen[starter], flush_of_five)
                    row[np.uint64(points)] += weight


def crib_parts(
    mine: NDArray[np.int64],
    others: NDArray[np.int64],
    unseen: NDArray[np.int64],
    weights: NDArray[np.float64],
    flush_of_five: int = 1,
) -> NDArray[np.float64]:
    """The average crib by part (`scoring.PARTS`) after each throw, (answers, 5); arguments as of `show_cribs`.

    Points of ranks are counted by sets of ranks; flushes and nobs go by suits.
    """
    n, shares = others.shape[1], weights / weights.sum()
    chances = np.zeros((math.comb(N_RANKS + n - 1, n), N_RANKS))
    sets = RANK_PLACES[np.arange(n), np.sort(others >> 2, axis=1)].sum(axis=1)
    np.add.at(chances, (sets[:, None], unseen >> 2), shares)
    suits = unseen & 3
    means = np.zeros((len(mine), 5))
    for answer, cards in enumerate(mine):
        means[answer, :3] = chances.ravel() @ _rank_parts_beside(tuple((cards >> 2).tolist()))
        crib = np.column_stack([np.tile(cards, (len(others), 1)), others])
        one_suit = (crib & 3 == cards[0] & 3).all(axis=1)
        suited, by_starter = shares[one_suit], suits == cards[0] & 3
        means[answer, 3] = 5 * suited[:, by_starter].sum()
        if not flush_of_five:
            means[answer, 3] += 4 * suited[:, ~by_starter].sum()
        means[answer, 4] = sum(
            shares[crib[:, at] == 4 * JACK + suit][:, suits == suit].sum() for at in range(4) for suit in range(4)
        )
    return means


@functools.cache
def _rank_parts_beside(mine: tuple[int, ...]) -> NDArray[np.int64]:
    """Points of fifteens, pairs and runs of one or two ranks with every set of the other ranks and every starter."""
    n = 4 - len(mine)
    others = multisets(n)
    four = np.column_stack([np.tile(mine, (len(others), 1)), others])
    return rank_parts(np.repeat(four, N_RANKS, axis=0), np.tile(np.arange(N_RANKS), len(others)))


@kernel
def show_hands(kept, unseen, out_histogram):
    """The points of four kept over every starter. kept: int64[answers, 4]; out_histogram: float64[answers, 30]."""
    for answer in range(len(kept)):
        four = kept[answer]
        for starter in unseen:
            points = show_points(four[0], four[1], four[2], four[3], starter, 0)
            out_histogram[answer, np.uint64(points)] += 1


def show_threes(kept: NDArray[np.int64], unseen: NDArray[np.int64], out_histogram: NDArray[np.float64]) -> None:
    """The same for three cards kept, in the five-card game."""
    points = score_parts(np.repeat(kept, len(unseen), axis=0), np.tile(unseen, len(kept))).sum(axis=1)
    np.add.at(out_histogram, (np.repeat(np.arange(len(kept)), len(unseen)), points), 1)


@kernel
def add_samples(
    mine, kept, others, unseen, counts, own, flush_of_five, totals, out_hands, out_cribs, out_sums, out_products
):
    """Add up sampled cards of others and starters for each throw.

    mine, others, unseen, counts (for weights), flush_of_five: see `show_cribs`; kept: int64[answers, 4], the cards;
    own: 1 or -1, what the crib counts for; totals: float64[answers], scratch; out_hands, out_cribs: float64[answers,
    30], by points; out_sums: float64[answers] and out_products: float64[answers, answers], of hand plus or minus crib.
    """
    for at in range(len(others)):
        for starter in range(len(unseen)):
            n = counts[at, starter]
            if n <= 0:
                continue
            for answer in range(len(mine)):
                four = kept[answer]
                crib = _crib_points(mine[answer], others[at], unseen[starter], flush_of_five)
                hand = show_points(four[0], four[1], four[2], four[3], unseen[starter], 0)
                out_hands[answer, np.uint64(hand)] += n
                out_cribs[answer, np.uint64(crib)] += n
                totals[answer] = hand + own * crib
                out_sums[answer] += n * totals[answer]
            for answer in range(len(mine)):
                for other in range(len(mine)):
                    out_products[answer, other] += n * totals[answer] * totals[other]


N_TRIPLES = 455
"""Multisets of three ranks."""


def _triple_points() -> NDArray[np.int16]:
    """Fifteens, pairs and runs of two ranks thrown (91 pairs) with three more, whichever of them is the starter."""
    triples = [(a, b, c) for c in range(N_RANKS) for b in range(c + 1) for a in range(b + 1)]
    at = [int(PAIR_CLASS[b * 13 + a]) * 13 + c for a, b, c in triples]
    return np.ascontiguousarray(RANK_POINTS.reshape(N_PAIRS, -1)[:, at].astype(np.int16))


_TRIPLE_POINTS = _triple_points()


@kernel(inline=True)
def _weigh_triples(unseen, out_weights):
    """In how many ways each three ranks can be drawn. unseen: int64[13] by rank; out_weights: int16[455]."""
    at = 0
    for third in range(N_RANKS):
        n = unseen[third]
        for second in range(third):
            pairs = n * unseen[second]
            for first in range(second):
                out_weights[at] = pairs * unseen[first]
                at += 1
            out_weights[at] = pairs * (unseen[second] - 1) // 2
            at += 1
        for first in range(third):
            out_weights[at] = n * (n - 1) // 2 * unseen[first]
            at += 1
        out_weights[at] = n * (n - 1) * (n - 2) // 6
        at += 1


@kernel(inline=True)
def _uniform_suits(first, second, unseen_suits, jacks, n):
    """Nobs and flush of a crib whose other two cards and starter are any three of the n unseen.

    unseen_suits: int64[4]; jacks: the suits whose jack is unseen, as bits.
    """
    points = 0.0
    for card in (first, second):
        points += (card >> 2 == JACK) * unseen_suits[np.uint64(card & 3)] / n
    for suit in range(4):
        points += (jacks >> suit & 1) * 2.0 * (unseen_suits[suit] - 1) / (n * (n - 1))
    if (first ^ second) & 3 == 0:
        same = unseen_suits[np.uint64(first & 3)]
        points += 5.0 * same * (same - 1) * (same - 2) / (n * (n - 1) * (n - 2))
    return points


@kernel
def uniform_cribs(hands, throws, unseen, unseen_suits, weights, out_cribs):
    """The average crib when the other throws any two of the cards that are unseen.

    hands: uint8[m, k], the cards seen, k from 2 to 6; throws: int64[t, 2], the places thrown; unseen: int64[13],
    unseen_suits: int64[4] and weights: int16[455], scratch; out_cribs: float64[m, t].
    """
    for i in range(len(hands)):
        unseen[:], unseen_suits[:], jacks = 4, 13, 15
        n = N_CARDS - hands.shape[1]
        for place in range(hands.shape[1]):
            card = np.int64(hands[i, place])
            unseen[np.uint64(card >> 2)] -= 1
            unseen_suits[np.uint64(card & 3)] -= 1
            jacks &= ~((card >> 2 == JACK) << (card & 3))
        _weigh_triples(unseen, weights)
        for t in range(len(throws)):
            first, second = np.int64(hands[i, throws[t, 0]]), np.int64(hands[i, throws[t, 1]])
            row = _TRIPLE_POINTS[np.uint64(PAIR_CLASS[np.uint64((first >> 2) * 13 + (second >> 2))])]
            total = np.int32(0)
            for at in range(N_TRIPLES):
                total += np.int32(row[at]) * np.int32(weights[at])
            ranks = np.float64(total) * 6 / (n * (n - 1) * (n - 2))
            out_cribs[i, t] = ranks + _uniform_suits(first, second, unseen_suits, jacks, n)
