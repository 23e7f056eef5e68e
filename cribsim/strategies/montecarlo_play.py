"""`montecarlo` play: hands of the others drawn from the range, each card tried on the same hands to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, NO_CARD
from cribsim.pegging import EMPTY_HAND, card_at, highest_rank, next_gains, without_card
from cribsim.pegging_game.paths import pack_ranks
from cribsim.pegging_game.sets import SETS, n_hands_of
from cribsim.rollouts import roll_out
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import MAX_COUNT, Rules
from cribsim.sampling import draw_cards, return_cards, sample_word
from cribsim.strategies.base import Bound, Half
from cribsim.strategies.greedy import greedy_place
from cribsim.strategies.ranges import likely_chances, rule_out, weigh_holdings

_MOST_TRIES = 64


@kernel
def roll_greedily(pile, count, last, players, sides, others, hands, seat, place):
    """Points of the side of `seat` less the others', from a card of its own to the end, all playing greedily.

    hands: int64[4], packed, used up; last: who played last; place: of the card that `seat` plays first; sides: bits of
    the seats of its side; others: what a point of the others counts.
    """
    difference = 0.0
    while True:
        hand = hands[seat]
        rank = card_at(hand, place) >> 2
        points = next_gains(pile, count) >> (4 * rank) & 15
        hands[seat] = without_card(hand, place)
        count, pile, last = count + min(rank + 1, 10), pile << 4 | (rank + 1), seat
        following, holds = -1, -1
        for step in range(players, 0, -1):
            other = (last + step) % players
            lowest = card_at(hands[other], 0)
            if lowest != NO_CARD:
                holds = other
                if lowest >> 2 <= highest_rank(count):
                    following = other
        if following < 0:
            points += count < MAX_COUNT
            pile, count, following = 0, 0, holds
        difference += points if sides >> last & 1 else -others * points
        if following < 0:
            return difference
        seat = following
        place = greedy_place(hands[seat], next_gains(pile, count), count)


@kernel(inline=True)
def _draw_of_two(view, sample, n, total, weights, sets):
    """A hand of the other, packed, by the weights (cumulative) of his holdings."""
    word = sample_word(view.key, sample, 0)
    wanted = np.float64(word >> np.uint64(11)) / 9007199254740992.0 * total
    low, high = 0, n_hands_of(n) - 1
    while low < high:
        middle = (low + high) // 2
        if weights[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return pack_ranks(sets, low, n)


@kernel(inline=True)
def _sorted_in(hand, n, card):
    """A packed hand of n cards with one more, sorted."""
    place = n
    while place > 0 and card_at(hand, place - 1) > card:
        place -= 1
    below = (1 << (8 * place)) - 1
    return (hand & below) | card << (8 * place) | (hand & ~below & 0xFFFFFF) << 8


@kernel
def _draw_of_many(view, sample, lowest, n_unseen, pack, places, out_hands):
    """Hands of all others, any cards unseen that their goes allow. (After many tries the goes are let be.)"""
    n_drawn = 0
    for seat in range(np.int64(view.players)):
        if seat != view.seat:
            n_drawn += np.int64(view.n_left[seat])
    for attempt in range(_MOST_TRIES):
        draw_cards(view.key, sample * _MOST_TRIES + attempt, 0, n_unseen, n_drawn, pack, places)
        at, fits = 0, True
        for seat in range(np.int64(view.players)):
            if seat == view.seat:
                continue
            out_hands[seat] = EMPTY_HAND
            for n in range(np.int64(view.n_left[seat])):
                out_hands[seat] = _sorted_in(out_hands[seat], n, pack[at])
                at += 1
            fits &= card_at(out_hands[seat], 0) >> 2 >= lowest[seat]
        return_cards(n_drawn, pack, places)
        if fits:
            return


@kernel(inline=True)
def _see(view, out_pack):
    """The cards that the seat hasn't seen; returns how many."""
    seen = 0
    for place in range(4):
        seen |= (view.cards[place] != NO_CARD) << (np.int64(view.cards[place]) & 63)
    for place in range(2):
        seen |= (view.discards[place] != NO_CARD) << (np.int64(view.discards[place]) & 63)
    seen |= (view.starter != NO_CARD) << (np.int64(view.starter) & 63)
    for at in range(np.int64(view.n_played)):
        seen |= 1 << np.int64(view.played[at])
    n = 0
    for card in range(N_CARDS):
        if seen >> card & 1 == 0:
            out_pack[n] = card
            n += 1
    return n


@kernel
def _prepare(view, chances, sets, weights, lowest, pack):
    """What is drawn from: with two players fills `weights`, cumulative, and returns their sum; else fills `pack` and
    returns the number of cards unseen."""
    rule_out(view, lowest)
    if view.players > 2:
        return np.float64(_see(view, pack))
    total, n_other = 0.0, np.int64(view.n_left[1 - np.int64(view.seat)])
    weigh_holdings(view, chances[1 - (view.seat == view.dealer)], lowest, sets, weights)
    for hand in range(n_hands_of(n_other) if n_other else 0):
        total += weights[hand]
        weights[hand] = total
    return total


@kernel
def _draw(view, sample, total, sets, weights, lowest, pack, places, out_hands):
    """The hands of all seats in a sample, packed; the seat's own in its place. total: of `_prepare`."""
    seat, own = np.int64(view.seat), EMPTY_HAND
    for place in range(np.int64(view.n_cards)):
        own += (np.int64(view.cards[place]) - NO_CARD) << (8 * place)
    if view.players > 2:
        _draw_of_many(view, sample, lowest, np.int64(total), pack, places, out_hands)
    else:
        n_other = np.int64(view.n_left[1 - seat])
        out_hands[1 - seat] = _draw_of_two(view, sample, n_other, total, weights, sets) if n_other else EMPTY_HAND
    out_hands[seat] = own


@kernel
def draw_hands(view, chances, sets, scratch, out_hands):
    """Draw the hidden hands again and again. out_hands: int64[n, 4], packed, EMPTY_HAND where nobody sits."""
    weights, lowest, pack, places, _, _, _ = scratch
    total = _prepare(view, chances, sets, weights, lowest, pack)
    for sample in range(len(out_hands)):
        _draw(view, sample, total, sets, weights, lowest, pack, places, out_hands[sample])


@kernel(inline=True)
def is_tried(view, place):
    """Whether a card fits and is the first of its rank in the hand."""
    rank = np.int64(view.cards[place]) >> 2
    return rank <= highest_rank(np.int64(view.count)) and (place == 0 or rank != view.cards[max(place - 1, 0)] >> 2)


@kernel
def choose_card(view, n_samples, partners, others, chances, sets, scratch):
    """The position of the best card. others: what a point of the others counts; chances: float64[2, 1820], by role;
    scratch: see `make_scratch`."""
    weights, lowest, pack, places, drawn, hands, sums = scratch
    players, seat, n = np.int64(view.players), np.int64(view.seat), np.int64(view.n_cards)
    sides = 1 << seat | ((partners and players == 4) << (seat ^ 2))
    total = _prepare(view, chances, sets, weights, lowest, pack)
    sums[:] = 0
    for sample in range(n_samples if players > 2 or view.n_left[1 - seat] > 0 else 1):
        _draw(view, sample, total, sets, weights, lowest, pack, places, drawn)
        for place in range(n):
            if is_tried(view, place):
                for who in range(MAX_PLAYERS):
                    hands[who] = drawn[who] if who < players else EMPTY_HAND
                pile, last = np.int64(view.pile), np.int64(view.last_seat)
                count = np.int64(view.count)
                sums[place] += roll_greedily(pile, count, last, players, sides, others, hands, seat, place)
    best = 0
    for place in range(1, n):
        if is_tried(view, place) and sums[place] > sums[best]:
            best = place
    return best


@kernel
def answer_plays(views, which, n_samples, partners, others, chances, sets, scratch, out_answers):
    """Answer views of the play. Arguments as of `choose_card`."""
    for k in range(len(which)):
        i = which[k]
        out_answers[i] = choose_card(views[i], n_samples, partners, others, chances, sets, scratch)


def make_scratch() -> tuple[NDArray[Any], ...]:
    """For one thread: weights, limits, pack, places, hands drawn, hands in play, sums."""
    return (
        np.zeros(1820),
        np.zeros(4, np.int64),
        np.zeros(52, np.int64),
        np.zeros(52, np.int64),
        np.full(4, EMPTY_HAND, np.int64),
        np.full(4, EMPTY_HAND, np.int64),
        np.zeros(4),
    )


def montecarlo_play(rules: Rules, discards: Half, n_samples: int, rollout: Half, others: float, sign: int) -> Bound:
    """Monte Carlo play.

    Parameters
    ----------
    discards
        By which the other keeps his cards, with two players.
    rollout
        Who plays on.
    others
        What a point of the others counts against one of one's own side.
    sign
        1 for points, -1 against them.

    The built-in `greedy` after points plays on in the standard way, whatever the rules of goes and counts; any other
    rollout follows them.
    """
    chances = likely_chances(discards) if rules.players == 2 else np.ones((2, 1820))
    if rollout.text == "greedy" and rollout.source == "built in" and sign == 1:
        return Bound(_greedily(rules, n_samples, others, chances), compiled=False)
    return Bound(_by_strategy(rules, n_samples, others, sign, chances, rollout), compiled=False)


def _greedily(rules: Rules, n_samples: int, others: float, chances: NDArray[np.float64]) -> Callable[..., None]:
    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        scratch = make_scratch()
        answer_plays(views, which, n_samples, bool(rules.teams), others, chances, SETS, scratch, out_answers)

    return answer


def _by_strategy(
    rules: Rules, n_samples: int, others: float, sign: int, chances: NDArray[np.float64], half: Half
) -> Callable[..., None]:
    """Rollouts by any pegging strategy: slow, a few hundred decisions a second."""
    bound, signs = half.ready(rules), (sign, -sign * others)

    def play_on(views: NDArray[Any], which: NDArray[np.int32], out: NDArray[np.int64]) -> None:
        bound.answer(views, which, bound.params, bound.table, out)

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        for i in which:
            out_answers[i] = _best_by_strategy(views[i], rules, n_samples, signs, chances, play_on)

    return answer


def _best_by_strategy(
    view: Any,
    rules: Rules,
    n_samples: int,
    signs: tuple[float, float],
    chances: NDArray[np.float64],
    play_on: Callable[..., None],
) -> int:
    """signs: what a point of one's own side and of the others counts."""
    tried = [place for place in range(int(view["n_cards"])) if is_tried(view, place)]
    if len(tried) == 1:
        return tried[0]
    hands, seat = np.full((n_samples, MAX_PLAYERS), EMPTY_HAND, np.int64), int(view["seat"])
    draw_hands(view, chances, SETS, make_scratch(), hands)
    by_seat = np.full(MAX_PLAYERS, signs[1])
    by_seat[[seat, seat ^ 2] if rules.teams else [seat]] = signs[0]
    means = []
    for place in tried:
        views, at = np.repeat(np.asarray(view)[None], n_samples), np.full(n_samples, place)
        rng = np.random.default_rng(int(view["key"]))  # the same keys for every card
        points = roll_out(rules, views, hands, at, [play_on] * rules.players, rng, in_game=bool(rules.exact_out))
        means.append((points @ by_seat).mean())
    return tried[int(np.argmax(means))]
