"""`expectimax` play: a card's points, less the best reply that the next player is expected to have, exactly. (A
partner, who is next once the opponents have gone, adds his.)

With two players every hand that the other may hold counts with its chance (`ranges`). To find how likely the best reply
has some worth, ranks are taken in the order of what they are worth as replies: the chance that a hand holds none of the
ranks so far is a sum over hands. Chances are whole numbers (2^30 for certain), so that these sums become vector
instructions and don't hang on their order. With three and four players any cards unseen are as likely, and the chance
has a closed form.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.errors import PlayerError
from cribsim.pegging import highest_rank, next_gains, pack_hand
from cribsim.pegging_game.paths import pack_ranks
from cribsim.pegging_game.sets import N_SETS, SETS, WIDTHS, count_ranks
from cribsim.rules import MAX_COUNT, Rules
from cribsim.scoring import N_RANKS
from cribsim.strategies.base import Bound, Half
from cribsim.strategies.look_ahead import BEST, GREEDY, MOST_PLAYS, look_ahead, make_stack
from cribsim.strategies.objective import NO_LIMIT, Aim, counted, room_of
from cribsim.strategies.ranges import likely_chances, rule_out, see_ranks

_ONE = float(1 << 30)
_WORST = 32
_NONE = -100
REPLIES = ("best", "greedy")
"""By number: `look_ahead.BEST`, `look_ahead.GREEDY`."""


class Tables(NamedTuple):
    """chances: float32[2, 1820], by role, 2^30 for certain; bits: int32[5, 1824], by number of cards held which ranks
    each hand holds; factors: float32[5, 13, 20, 1824], by number of cards held the factors of what was seen, by rank,
    cards of it not seen (less than 5) and played by the other (less than 4)."""

    chances: NDArray[np.float32]
    bits: NDArray[np.int32]
    factors: NDArray[np.float32]


class Goal(NamedTuple):
    """sign: for points (1) or against them (-1); room, their_room: how many I may still peg, and the next player;
    share: what his points count for me, above 0 where he is my partner."""

    sign: int
    room: int
    their_room: int
    share: float


def _bits(n: int) -> NDArray[np.int32]:
    held = (count_ranks(n) > 0) @ (1 << np.arange(N_RANKS))
    return np.pad(held, (0, int(WIDTHS[4] - N_SETS[n]))).astype(np.int32)


def _factors(n: int) -> NDArray[np.float32]:
    """Of n cards held: the chance factor of holding k more of a rank, given how many are unseen and were played."""
    by_count = np.zeros((5, 4, 5))
    for unseen in range(5):
        for played in range(4):
            for more in range(5):
                ways = [(max(unseen - played - nth, 0), 4 - played - nth) for nth in range(more)]
                by_count[unseen, played, more] = math.prod(a / b if b > 0 else 0.0 for a, b in ways)
    held = count_ranks(n)
    table = np.zeros((N_RANKS, 20, int(WIDTHS[4])), np.float32)
    for rank in range(N_RANKS):
        table[rank, :, : N_SETS[n]] = by_count.reshape(20, 5)[:, held[:, rank]]
    return table


@functools.cache
def shared_tables() -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """`bits` and `factors` of `Tables`, the same for every strategy."""
    return np.stack([_bits(n) for n in range(5)]), np.stack([_factors(n) for n in range(5)])


@kernel
def weigh(view, lowest, tables, sets, numbers, weights, out_masses):
    """The chances of the other's hands, whole numbers; returns their number and their sum. He holds a card at least.

    lowest: int64[4] (`ranges.rule_out`); numbers: int32[1824] and weights: float32[1824], scratch; out_masses:
    int32[1824].
    """
    other, left = 1 - np.int64(view.seat), see_ranks(view)
    n, theirs = np.int64(view.n_left[other]), 0
    n_hands = 1820 if n == 4 else 455 if n == 3 else 91 if n == 2 else 13
    chances = tables.chances[1 - (view.seat == view.dealer)]
    if n == 4:
        for hand in range(n_hands):
            weights[hand] = chances[hand]
    else:
        theirs = _number_kept(view, other, n, n_hands, sets, numbers)
        for hand in range(n_hands):
            weights[hand] = chances[numbers[hand]]
    for rank in range(N_RANKS):
        unseen, played = left >> (3 * rank) & 7, theirs >> (3 * rank) & 7
        if unseen < 4:
            row = tables.factors[n, rank, unseen * 4 + min(played, 3)]
            for hand in range(n_hands):
                weights[hand] *= row[hand]
    for hand in range(n_hands):
        out_masses[hand] = np.int32(weights[hand])
    if lowest[other] > 0:
        bits, ruled_out = tables.bits[n], (1 << lowest[other]) - 1
        for hand in range(n_hands):
            out_masses[hand] &= -np.int32(bits[hand] & ruled_out == 0)
    total = np.int32(0)
    for hand in range(n_hands):
        total += out_masses[hand]
    return n_hands, np.int64(total)


@kernel
def _number_kept(view, other, n, n_hands, sets, out_numbers):
    """The numbers of the four ranks kept, by what is left of them: fills out_numbers. Returns how many of each rank the
    other has played, three bits each."""
    theirs, n_cards = 0, n
    for hand in range(n_hands):
        out_numbers[hand] = hand
    for at in range(np.int64(view.n_played)):
        if view.played_by[at] == other:
            rank, n_cards = np.int64(view.played[at]) >> 2, n_cards + 1
            theirs += 1 << (3 * rank)
            to_hand = sets.to_two if n_cards == 2 else sets.to_three if n_cards == 3 else sets.to_four
            row = to_hand[rank]
            for hand in range(n_hands):
                out_numbers[hand] = row[out_numbers[hand]]
    return theirs


@kernel
def _mass_without(masses, bits, n_hands, ranks):
    """The mass of hands that hold none of these ranks."""
    total = np.int32(0)
    for hand in range(n_hands):
        total += masses[hand] & -np.int32(bits[hand] & ranks == 0)
    return np.int64(total)


@kernel
def _share_without(left, n, lowest, ranks):
    """The chance that n cards, any of those unseen from a rank on, hold none of these ranks. left: see `see_ranks`."""
    unseen, free = 0, 0
    for rank in range(lowest, N_RANKS):
        cards = left >> (3 * rank) & 7
        unseen += cards
        free += cards * (ranks >> rank & 1 == 0)
    share = 1.0
    for nth in range(n):
        share *= max(free - nth, 0) / (unseen - nth)
    return share


@kernel(inline=True)
def _gain(gains, rank, count, sign, room):
    """What a card of a rank on a count is worth to who plays it. sign, room: see `objective`."""
    points = gains >> (4 * rank) & 15
    if room >= NO_LIMIT and sign > 0:
        return points
    return sign * counted(points, count + min(rank + 1, 10), room)


@kernel
def _best_follow(view, position, pile, count, goal):
    """The most that another of my cards is worth on a pile; _NONE where none fits. goal: `Goal`."""
    gains, highest, best = next_gains(pile, count), highest_rank(count), _NONE
    for place in range(np.int64(view.n_cards)):
        rank = np.int64(view.cards[place]) >> 2
        if place != position and rank <= highest:
            best = max(best, _gain(gains, rank, count, goal.sign, goal.room))
    return best


@kernel
def _sort_replies(view, position, pile, count, depth, goal, out_ranks):
    """Which ranks the next player may reply with, by worth: points, and at depth 2 less what I make of it then (plus,
    for a partner).

    out_ranks: int64[64], bits of ranks by worth + 32. Returns the bits of all ranks that fit.
    """
    gains, fits = next_gains(pile, count), 0
    out_ranks[:] = 0
    for rank in range(highest_rank(count) + 1):
        worth, after = _gain(gains, rank, count, goal.sign, goal.their_room), count + min(rank + 1, 10)
        if depth >= 2 and after < MAX_COUNT:
            follow = _best_follow(view, position, pile << 4 | (rank + 1), after, goal)
            if follow > _NONE:
                worth += follow if goal.share > 0 else -follow
        out_ranks[worth + _WORST] |= 1 << rank
        fits |= 1 << rank
    return fits


@kernel
def worth_of(view, position, depth, goal, known, left, lowest, n_next, masses, bits, n_hands, ranks):
    """What a card is worth: its points, less the best reply expected of an opponent, or plus that of a partner.

    goal: `Goal`; known: the sum of `masses`, 0 where the next player's cards are any of those unseen; n_next: how many
    he has; ranks: int64[64], scratch.
    """
    rank, count = np.int64(view.cards[position]) >> 2, np.int64(view.count)
    worth = np.float64(_gain(np.int64(view.gains), rank, count, goal.sign, goal.room))
    pile, after = np.int64(view.pile) << 4 | (rank + 1), count + min(rank + 1, 10)
    if after == MAX_COUNT:
        return worth
    silent = 1.0
    if n_next > 0:
        fits, taken = _sort_replies(view, position, pile, after, depth, goal, ranks), 0
        for level in range(2 * _WORST - 1, -1, -1):
            if ranks[level] == 0:
                continue
            taken |= ranks[level]
            if depth < 2 and level == _WORST and goal.sign > 0:
                if after <= MAX_COUNT - 10:
                    return worth  # whatever else he plays brings him nothing, and he can always play
                taken = fits
            if known > 0:
                without = _mass_without(masses, bits, n_hands, taken) / known
            else:
                without = _share_without(left, n_next, lowest, taken)
            worth += goal.share * (silent - without) * (level - _WORST)
            silent = without
            if taken == fits:
                break
    follow = _best_follow(view, position, pile, after, goal)
    if follow == _NONE:
        return worth + goal.sign * silent  # the go, or the last card, is mine
    return worth + (silent * follow if depth >= 2 else 0.0)


@kernel(inline=True)
def _only_rank(view):
    """Whether only one rank fits (then there is nothing to choose), the cards being sorted."""
    last, limit = np.int64(view.n_cards) - 1, highest_rank(np.int64(view.count))
    while last > 0 and view.cards[last] >> 2 > limit:
        last -= 1
    return view.cards[last] >> 2 == view.cards[0] >> 2


@kernel
def _see_next(view, lowest):
    """Who may play next: how many cards he holds (0 where nobody follows), the lowest rank that they may have, and his
    seat."""
    players, seat, n_next, limit = np.int64(view.players), np.int64(view.seat), np.int64(0), np.int64(0)
    following = seat
    for step in range(players - 1, 0, -1):
        other = (seat + step) % players
        if view.n_left[other] > 0 and not (view.gone >> other & 1):
            n_next, limit, following = np.int64(view.n_left[other]), lowest[other], other
    return n_next, limit, following


@kernel
def choose_best(view, depth, aims, tables, sets, scratch):
    """The position of the card that is worth most by `worth_of`; of equals the highest rank. aims: float64[4], sign and
    target (`objective.Aim`), what the others' points count, and whether opposite seats are partners."""
    lowest, numbers, weights, masses, ranks, _ = scratch
    players, seat = np.int64(view.players), np.int64(view.seat)
    rule_out(view, lowest)
    n_next, limit, following = _see_next(view, lowest)
    target = np.int64(aims[1])
    share = 1.0 if aims[3] != 0 and following == seat ^ 2 else -aims[2]
    goal = Goal(np.int64(aims[0]), room_of(view, seat, target), room_of(view, following, target), share)
    n_hands, known, left = 0, np.int64(0), np.int64(0)
    if n_next > 0 and players == 2:
        n_hands, known = weigh(view, lowest, tables, sets, numbers, weights, masses)
    elif n_next > 0:
        left = see_ranks(view)
        for at in range(np.int64(view.n_played)):
            if view.played_by[at] != seat:
                left -= 1 << (3 * (np.int64(view.played[at]) >> 2))
    bits = tables.bits[n_next]
    best, most = 0, -1e9
    for position in range(np.int64(view.n_cards)):
        rank = np.int64(view.cards[position]) >> 2
        if rank > highest_rank(np.int64(view.count)):
            break
        if position == 0 or rank != view.cards[position - 1] >> 2:
            worth = worth_of(view, position, depth, goal, known, left, limit, n_next, masses, bits, n_hands, ranks)
            if worth >= most - 1e-9:
                best, most = position, max(worth, most)
    return best


@kernel
def ahead_of(view, position, n_plays, reply, masses, n_hands, sets, stack):
    """The sum over the other's hands, by their masses, of what a card leads to with open hands (`look_ahead`)."""
    mine, n = pack_hand(view.cards), np.int64(view.n_left[1 - np.int64(view.seat)])
    pile, count, total = np.int64(view.pile), np.int64(view.count), np.int64(0)
    for hand in range(n_hands if n else 1):
        mass = np.int64(masses[hand]) if n else 1
        if mass > 0:
            value = look_ahead(pile, count, mine, pack_ranks(sets, hand, n), position, n_plays, reply, stack)
            total += mass * value
    return total


@kernel
def choose_ahead(view, n_plays, reply, tables, sets, scratch):
    """The position of the card that leads to most with open hands; of equals the highest rank. Two players."""
    lowest, numbers, weights, masses, _, stack = scratch
    best, most, n_hands = 0, np.int64(-1) << 60, 0
    if view.n_left[1 - np.int64(view.seat)] > 0:
        rule_out(view, lowest)
        n_hands, _ = weigh(view, lowest, tables, sets, numbers, weights, masses)
    for position in range(np.int64(view.n_cards)):
        rank = np.int64(view.cards[position]) >> 2
        if rank > highest_rank(np.int64(view.count)):
            break
        if position == 0 or rank != view.cards[position - 1] >> 2:
            worth = ahead_of(view, position, n_plays, reply, masses, n_hands, sets, stack)
            if worth >= most:
                best, most = position, worth
    return best


@kernel
def answer_plays(views, which, depth, reply, ends, aims, tables, sets, scratch, out_answers):
    """Answer views of the play. depth, reply, ends: see `expectimax_play`; the rest as of `choose_best`."""
    for k in range(len(which)):
        i = which[k]
        view = views[i]
        n_both = np.int64(view.n_cards) + np.int64(view.n_left[1 - np.int64(view.seat)]) if view.players == 2 else 99
        if _only_rank(view):
            out_answers[i] = 0
        elif n_both <= ends:
            out_answers[i] = choose_ahead(view, MOST_PLAYS, reply, tables, sets, scratch)
        elif depth > 2 or reply == GREEDY:
            out_answers[i] = choose_ahead(view, depth, reply, tables, sets, scratch)
        else:
            out_answers[i] = choose_best(view, depth, aims, tables, sets, scratch)


def make_scratch() -> tuple[NDArray[Any], ...]:
    """For one thread: limits, numbers, weights, masses, replies, plays ahead."""
    widest = int(WIDTHS[4])
    kinds = ((4, np.int64), (widest, np.int32), (widest, np.float32), (widest, np.int32), (2 * _WORST, np.int64))
    return *(np.zeros(n, kind) for n, kind in kinds), make_stack()


def tables_of(discards: Half) -> Tables:
    """The tables for a discard strategy."""
    return Tables((likely_chances(discards) * _ONE).astype(np.float32), *shared_tables())


def expectimax_play(rules: Rules, discards: Half, depth: int, reply: str, ends: int, others: float, aim: Aim) -> Bound:
    """Expectimax play.

    Parameters
    ----------
    discards
        By which the other keeps his cards.
    depth
        Plays after one's own that are looked at. From 3 on with open hands (`look_ahead`).
    reply
        How the other plays in them: best for himself, or greedily (with open hands).
    ends
        With so many cards left in both hands, or fewer, the play is looked at to its end, with open hands. (Not where
        the aim is other than points.)
    others
        What a point of the next player counts against one of one's own, if he is no partner.
    aim
        For points, against them, or for those that may be pegged.
    """
    if (depth > 2 or reply != REPLIES[BEST]) and not (rules.players == 2 and aim.is_plain and others == 1):
        raise PlayerError(
            "expectimax: depth=3 and more, and reply=greedy, are known for two players and plain points only (no "
            "lowball, exact_out, others=)"
        )
    tables = tables_of(discards) if rules.players == 2 else Tables(np.zeros((2, 1820), np.float32), *shared_tables())
    kind, ends = REPLIES.index(reply), ends if aim.is_plain and others == 1 else 0
    aims = np.array([aim.sign, aim.target, others, rules.players == 4 and rules.teams])

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        answer_plays(views, which, depth, kind, ends, aims, tables, SETS, make_scratch(), out_answers)

    return Bound(answer, compiled=False)
