"""`montecarlo` discards: the others' cards and the starter are drawn many times, all throws meet the same draws.

What the others throw comes from a discard model's policy. A throw that falls clearly behind the best (its paired
difference lies more than three standard errors below zero) isn't followed any further.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.rules import Rules
from cribsim.sampling import draw_cards, draw_pair, return_cards, thrown_of_five
from cribsim.scoring import show_points
from cribsim.starters import kept_number
from cribsim.strategies.base import Bound
from cribsim.strategies.greedy import crib_sign
from cribsim.strategies.policy import Policy
from cribsim.strategies.throws import ANY_CARDS, ThrowModel
from cribsim.views import KEPT_1, KEPT_2, THROWN_2

_ROUND = 32
"""Samples between two looks at who has fallen behind."""
_CLEARLY = 3.0


@kernel(inline=True)
def _see(cards, n, out_unseen):
    """The cards that aren't among the first n, sorted."""
    at = 0
    for card in range(52):
        seen = False
        for i in range(n):
            seen = seen or cards[i] == card
        if not seen:
            out_unseen[at] = card
            at += 1


@kernel(inline=True)
def _hand(cards, kept, starter):
    c0, c1 = np.int64(cards[kept[0]]), np.int64(cards[kept[1]])
    return show_points(c0, c1, np.int64(cards[kept[2]]), np.int64(cards[kept[3]]), starter, 0)


@kernel
def _worth(view, answer, thrown, starter, sign, flush_of_five):
    """Hand plus or minus crib of one throw in one sample. flush_of_five: 0 where four make a flush in the crib."""
    cards = view.cards
    if view.n_thrown == 2:
        one, two = np.int64(cards[THROWN_2[answer, 0]]), np.int64(cards[THROWN_2[answer, 1]])
        crib = show_points(one, two, thrown[0], thrown[1], starter, flush_of_five)
        return _hand(cards, KEPT_2[answer], starter) + sign * crib
    crib = show_points(np.int64(cards[answer]), thrown[0], thrown[1], thrown[2], starter, flush_of_five)
    return _hand(cards, KEPT_1[answer], starter) + sign * crib


@kernel
def _draw_two(key, sample, unseen, policies, pack, places, hand, out_thrown):
    """What the other throws in one sample, and the starter."""
    n_drawn = 3 if len(policies[0]) == 1 else 7
    draw_cards(key, sample, 0, 46, n_drawn, pack, places)
    low, high = draw_pair(pack, unseen, policies[0], hand)
    out_thrown[0], out_thrown[1] = unseen[np.uint64(low)], unseen[np.uint64(high)]
    starter = unseen[np.uint64(pack[np.uint64(n_drawn - 1)])]
    return_cards(n_drawn, pack, places)
    return starter


@kernel
def _draw_one(key, sample, unseen, policies, pack, places, hand, out_thrown):
    n_drawn = 1
    for which in range(3):
        n_drawn += 1 if len(policies[which]) == 1 else 5
    draw_cards(key, sample, 0, 47, n_drawn, pack, places)
    at = 0
    for which in range(3):
        policy = policies[which]
        if len(policy) == 1:
            out_thrown[which] = unseen[np.uint64(pack[at])]
            at += 1
        else:
            out_thrown[which] = unseen[np.uint64(thrown_of_five(at, pack, unseen, policy, hand))]
            at += 5
    starter = unseen[np.uint64(pack[at])]
    return_cards(n_drawn, pack, places)
    return starter


@kernel
def _drop(n, n_answers, sums, products, following):
    """Stop following the throws that are clearly behind the best; return the best and how many are followed."""
    best = 0
    for answer in range(n_answers):
        if following[answer] and (not following[best] or sums[answer] > sums[best]):
            best = answer
    left = 0
    for answer in range(n_answers):
        if following[answer] and answer != best:
            behind = (sums[best] - sums[answer]) / n
            square = (products[best, best] - 2 * products[best, answer] + products[answer, answer]) / n
            se = np.sqrt(max(square - behind * behind, 0.0) / n)
            following[answer] = behind <= _CLEARLY * se or behind <= 0
        left += following[answer]
    return best, left


@kernel
def choose_throw(
    view, n_samples, sign, aim, five, bonus, policies, unseen, pack, places, hand, thrown, sums, products, following
):
    """The best throw of one view. aim: 1 for points, -1 against them; five: see `_worth`; bonus: float64[15], added to
    each throw's points; the rest scratch."""
    two = view.n_thrown == 2
    n_answers = 15 if two else 5
    _see(view.cards, view.n_cards, unseen)
    sums[:] = 0
    products[:] = 0
    following[:] = True
    done, best, left = 0, 0, n_answers
    while done < n_samples and left > 1:
        end = min(done + _ROUND, n_samples)
        for sample in range(done, end):
            if two:
                starter = _draw_two(view.key, sample, unseen, policies, pack, places, hand, thrown)
            else:
                starter = _draw_one(view.key, sample, unseen, policies, pack, places, hand, thrown)
            worths = bonus[1]
            for answer in range(n_answers):
                if following[answer]:
                    worths[answer] = aim * (_worth(view, answer, thrown, starter, sign, five) + bonus[0, answer])
                    sums[answer] += worths[answer]
                    for other in range(answer + 1):
                        if following[other]:
                            product = worths[answer] * worths[other]
                            products[answer, other] += product
                            products[other, answer] += product * (answer != other)
        done = end
        best, left = _drop(done, n_answers, sums, products, following)
    return best


@kernel
def _pegging_bonus(view, pegging, out_bonus):
    """What each throw's kept cards peg. pegging: float64[2, 1820] by role."""
    for answer in range(15):
        out_bonus[answer] = pegging[np.uint64(view.role), np.uint64(kept_number(view.cards, KEPT_2[answer]))]


@kernel
def answer_many(views, which, n_samples, partners, aim, five, pegging, role, policies, scratch, out_answers):
    """Answer the views of one role. aim, five: see `choose_throw`; pegging: float64[2, 1820], or of no columns to
    leave it out."""
    unseen, pack, places, hand, thrown, sums, products, following, bonus = scratch
    for k in range(len(which)):
        i = which[k]
        view = views[i]
        if view.role == role:
            if pegging.shape[1] > 0:
                _pegging_bonus(view, pegging, bonus[0])
            sign = crib_sign(view, partners)
            out_answers[i] = choose_throw(
                view,
                n_samples,
                sign,
                aim,
                five,
                bonus,
                policies,
                unseen,
                pack,
                places,
                hand,
                thrown,
                sums,
                products,
                following,
            )


def _scratch() -> tuple[NDArray[Any], ...]:
    return (
        np.zeros(47, np.int64),
        np.arange(47),
        np.zeros(47, np.int64),
        np.zeros(6, np.int64),
        np.zeros(3, np.int64),
        np.zeros(15),
        np.zeros((15, 15)),
        np.zeros(15, np.bool_),
        np.zeros((2, 15)),
    )


def montecarlo_discard(
    rules: Rules, model: ThrowModel, n_samples: int, pegging: NDArray[np.float64], sign: int
) -> Bound:
    """Monte Carlo discards against a model of what the others throw. pegging: (2, 1820), or (2, 0) to leave it out;
    sign: 1 for points, -1 against them."""
    roles: list[tuple[Policy, ...]] = [(*model.others(role), ANY_CARDS, ANY_CARDS)[:3] for role in range(rules.players)]

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        for role, policies in enumerate(roles):
            asked = views, which, n_samples, bool(rules.teams), sign, int(rules.crib_flush == 5)
            answer_many(*asked, pegging, role, policies, _scratch(), out_answers)

    return Bound(answer, compiled=False)
