"""`montecarlo` play: hands of the others drawn from the range, each card tried on the same hands, greedy to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, NO_CARD
from cribsim.pegging import EMPTY_HAND, card_at, highest_rank, next_gains, without_card
from cribsim.pegging_game.paths import rank_in
from cribsim.pegging_game.sets import SETS, n_hands_of
from cribsim.rules import MAX_COUNT, MAX_PLAYERS, Rules
from cribsim.sampling import draw_cards, return_cards, sample_word
from cribsim.strategies.base import Bound, Half
from cribsim.strategies.ranges import likely_chances, rule_out, weigh_holdings

_MOST_TRIES = 64


@kernel(inline=True)
def _greedy_place(hand, gains, count):
    """Where in a packed hand the card stands that scores most now; of equals the highest rank, then the first."""
    highest, best = highest_rank(count), 0
    for place in range(4):
        rank = card_at(hand, place) >> 2
        worth = (gains >> (4 * (rank & 15)) & 15) << 8 | (rank + 1) << 2 | 3 - place
        best = max(best, worth if rank <= highest else 0)
    return 3 - (best & 3)


@kernel
def roll_greedily(pile, count, last, players, sides, hands, seat, place):
    """Points of the side of `seat` less the others', from a card of its own to the end, all playing greedily.

    hands: int64[4], packed, used up; last: who played last; place: of the card that `seat` plays first; sides: bits of
    the seats of its side.
    """
    difference = 0
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
        difference += points if sides >> last & 1 else -points
        if following < 0:
            return difference
        seat = following
        place = _greedy_place(hands[seat], next_gains(pile, count), count)


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
    hand = EMPTY_HAND
    for place in range(n):
        rank = low if n == 1 else rank_in(sets, low, place, n)
        hand += (rank * 4 - NO_CARD) << (8 * place)
    return hand


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
def choose_card(view, n_samples, partners, chances, sets, scratch):
    """The position of the best card. chances: float64[2, 1820], by role; scratch: see `_scratch`."""
    weights, lowest, pack, places, drawn, hands, sums = scratch
    players, seat, n = np.int64(view.players), np.int64(view.seat), np.int64(view.n_cards)
    sides = 1 << seat | ((partners and players == 4) << (seat ^ 2))
    own = EMPTY_HAND
    for place in range(n):
        own += (np.int64(view.cards[place]) - NO_CARD) << (8 * place)
    rule_out(view, lowest)
    other, total, n_unseen = 1 - seat, 0.0, 0
    n_other = np.int64(view.n_left[other]) if players == 2 else 0
    if players == 2:
        weigh_holdings(view, chances[1 - (view.seat == view.dealer)], lowest, sets, weights)
        for hand in range(n_hands_of(n_other)):
            total += weights[hand]
            weights[hand] = total
    else:
        n_unseen = _see(view, pack)
    sums[:] = 0
    for sample in range(n_samples if n_other or players > 2 else 1):
        if players == 2:
            drawn[other] = _draw_of_two(view, sample, n_other, total, weights, sets) if n_other else EMPTY_HAND
        else:
            _draw_of_many(view, sample, lowest, n_unseen, pack, places, drawn)
        drawn[seat] = own
        for place in range(n):
            rank = np.int64(view.cards[place]) >> 2
            if rank > highest_rank(np.int64(view.count)):
                break
            if place > 0 and rank == view.cards[place - 1] >> 2:
                continue
            for who in range(MAX_PLAYERS):
                hands[who] = drawn[who] if who < players else EMPTY_HAND
            pile, last = np.int64(view.pile), np.int64(view.last_seat)
            sums[place] += roll_greedily(pile, np.int64(view.count), last, players, sides, hands, seat, place)
    best = 0
    for place in range(1, n):
        rank = np.int64(view.cards[place]) >> 2
        if (
            rank <= highest_rank(np.int64(view.count))
            and rank != view.cards[place - 1] >> 2
            and sums[place] > sums[best]
        ):
            best = place
    return best


@kernel
def answer_plays(views, which, n_samples, partners, chances, sets, scratch, out_answers):
    """Answer views of the play. Arguments as of `choose_card`."""
    for k in range(len(which)):
        i = which[k]
        out_answers[i] = choose_card(views[i], n_samples, partners, chances, sets, scratch)


def _scratch() -> tuple[NDArray[Any], ...]:
    return (
        np.zeros(1820),
        np.zeros(4, np.int64),
        np.zeros(52, np.int64),
        np.zeros(52, np.int64),
        np.full(4, EMPTY_HAND, np.int64),
        np.full(4, EMPTY_HAND, np.int64),
        np.zeros(4, np.int64),
    )


def montecarlo_play(rules: Rules, discards: Half, n_samples: int) -> Bound:
    """Monte Carlo play. discards: by which the other keeps his cards, with two players."""
    two = rules.players == 2
    chances = likely_chances(discards) if two else np.ones((2, 1820))

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        answer_plays(views, which, n_samples, bool(rules.teams), chances, SETS, _scratch(), out_answers)

    return Bound(answer, compiled=False)
