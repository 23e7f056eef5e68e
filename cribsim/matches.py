"""Games and matches: who deals first, who has won, what a win counts, and when a match is over."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.deals import role_seat, side_of
from cribsim.pegging import NOBODY
from cribsim.rule_record import ALTERNATE, LOSER, MAX_PLAYERS
from cribsim.streams import cut_key, nth_key, random_below


@kernel
def lowest_cut(key, seats):
    """Cut for deal: the seat that cuts the lowest rank; who ties for it cuts again. seats: a bit for each that cuts."""
    draw = 0
    while True:
        lowest, tied, cut = 13, 0, np.uint64(0)
        for seat in range(MAX_PLAYERS):
            if seats >> seat & 1:
                card = random_below(nth_key(key, draw), N_CARDS)
                while cut >> np.uint64(card) & np.uint64(1):
                    draw += 1
                    card = random_below(nth_key(key, draw), N_CARDS)
                draw += 1
                cut |= np.uint64(1) << np.uint64(card)
                rank = card >> 2
                tied = 1 << seat if rank < lowest else tied | 1 << seat if rank == lowest else tied
                lowest = min(lowest, rank)
        if tied & (tied - 1) == 0:
            for seat in range(MAX_PLAYERS):
                if tied >> seat & 1:
                    return seat
        seats = tied


@kernel
def first_dealer(seed, rules, number, n_games):
    """Who deals first in a unit after so many games of it, where no loser does; out of games the last seat."""
    if not rules.in_game:
        return rules.players - 1
    if rules.first_deal >= 0:
        return rules.first_deal
    if rules.first_deal == ALTERNATE:
        return (rules.players - 1 + np.int64(number % np.uint64(rules.players)) + n_games) % rules.players
    return lowest_cut(cut_key(seed, number, n_games), (1 << rules.players) - 1)


@kernel
def next_dealer(seed, rules, deal, n_games):
    """Who deals first in the next game of a match. The loser: the lowest score, ties cut for it; of partners the one
    who sits next after the last dealer; in lowball who reached the target."""
    if rules.first_deal != LOSER:
        return first_dealer(seed, rules, deal.number, n_games)
    lowest, seats = deal.scores[0], 0
    for side in range(1, rules.sides):
        lowest = min(lowest, deal.scores[side])
    for role in range(rules.players):
        seat = role_seat(np.int64(deal.dealer), role, rules.players)
        side = side_of(seat, rules.sides)
        if side == deal.winner if rules.lowball else deal.scores[side] == lowest:
            if rules.sides < rules.players:
                return seat
            seats |= 1 << seat
    return lowest_cut(cut_key(seed, deal.number, n_games), seats)


@kernel
def game_winner(rules, deal):
    """The side that has won a game that is over. In lowball, where the first to the target loses, the lowest score; of
    equals the next round the table."""
    out = np.int64(deal.winner)
    if not rules.lowball:
        return out
    best = (out + 1) % rules.sides
    for step in range(2, rules.sides):
        side = (out + step) % rules.sides
        best = side if deal.scores[side] < deal.scores[best] else best
    return best


@kernel
def skunk_class(rules, score):
    """0 for a plain defeat with this score, 1 under the skunk line, 2 and 3 under those of double and triple skunks."""
    if score >= rules.lines[0]:
        return 0
    return 3 if score < rules.lines[2] else 2 if score < rules.lines[1] else 1


@kernel
def best_loser(rules, scores, winner):
    """The best score of those who lost."""
    best = -1
    for side in range(rules.sides):
        best = max(best, scores[side]) if side != winner else best
    return best


@kernel
def lowest_loser(rules, scores, winner):
    """The lowest score of those who lost."""
    lowest = rules.target
    for side in range(rules.sides):
        lowest = min(lowest, scores[side]) if side != winner else lowest
    return lowest


@kernel
def lead_of(rules, scores, winner):
    """How far the winner lies before the next: above the best loser, in lowball below the lowest."""
    if not rules.lowball:
        return scores[winner] - best_loser(rules, scores, winner)
    return lowest_loser(rules, scores, winner) - scores[winner]


@kernel
def win_class(rules, scores, winner):
    """The skunk class of a win: by the loser who is beaten most, or (skunk_scope=second) least; in lowball by the score
    of the winner."""
    if rules.lowball:
        return skunk_class(rules, scores[winner])
    if rules.judge_each:
        return skunk_class(rules, lowest_loser(rules, scores, winner))
    return skunk_class(rules, best_loser(rules, scores, winner))


@kernel
def match_winner(rules, game, winner, kind):
    """The side that has won a match with this game, or NOBODY. winner, kind: of the game (`win_class`)."""
    if rules.takes_match[kind]:
        return winner
    if rules.match > 0:
        return winner if game.value[winner] >= rules.match else NOBODY
    leader, best, left = 0, 0, max(rules.match_games - game.n_games, 0)
    for side in range(1, rules.sides):
        leader = side if game.wins[side] > game.wins[leader] else leader
    for side in range(rules.sides):
        best = max(best, game.wins[side]) if side != leader else best
    return leader if game.wins[leader] > best + left else NOBODY
