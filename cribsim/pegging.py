"""The play: what a card scores, who is to play, when a count closes. Kernels over one record of PLAY_FIELDS.

The pile (the ranks since the count was last zero) is one integer of 4-bit places holding rank + 1, the newest card
lowest; an empty place is 0. At most thirteen cards make 31, so it fits 52 bits. `gains` holds, in 4-bit places by
rank, the points that a card of that rank would score next (at most 14). A hand is one integer too: its sorted cards a
byte each, the lowest card lowest, NO_CARD behind them. The kernels prefer arithmetic to branches: what a card brings
can't be predicted, and a mispredicted branch costs more than all the sums here.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import MAX_COUNT, PIPS

MAX_PLAYS = 16
NOBODY = -1

PLAY_FIELDS = [
    ("pile", "i8"),
    ("gains", "i8"),
    ("n_left", "u1", (MAX_PLAYERS,)),
    ("count", "u1"),
    ("n_played", "u1"),
    ("count_start", "u1"),
    ("gone", "u1"),
    ("dealer", "u1"),
    ("players", "u1"),
    ("starter", "u1"),
    ("last_seat", "u1"),
    ("played", "u1", (MAX_PLAYS,)),
    ("played_by", "u1", (MAX_PLAYS,)),
    ("goes", "u1", (MAX_PLAYS,)),
]
"""What everybody at the table sees of the play.

count: the running total; pile, gains: see above; n_played: cards played in this deal; count_start: how many of them lay
when the count was last zero; gone: a bit for each seat that said go in this count; last_seat: who played last;
n_left: cards left by seat; played, played_by: the cards in order and their seats; goes: for each card a bit for every
seat that the turn passed over just before it, for the first time in its count, with cards in hand of which none fitted.
A go after which nobody could play isn't there: it closes the count, as `count_start` shows, and then every seat that
still held cards couldn't play at the count that the last card made. (With `go_order=next` but for the seats that
weren't asked any more: their bits stand four places higher, with the next card.)
"""


def _turns() -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Whose turn it is when `last` has played and the seats of a bit mask can play, and the seats passed over."""
    seats = np.full((MAX_PLAYERS + 1, MAX_PLAYERS, 16), NOBODY, np.int8)
    passed = np.zeros((MAX_PLAYERS + 1, MAX_PLAYERS, 16), np.uint8)
    for players in range(2, MAX_PLAYERS + 1):
        for last in range(players):
            for able in range(1, 2**players):
                order = [(last + 1 + i) % players for i in range(players)]
                first = next(i for i, seat in enumerate(order) if able >> seat & 1)
                seats[players, last, able] = order[first]
                passed[players, last, able] = sum(1 << seat for seat in order[:first])
    return seats, passed


TURNS, PASSED = _turns()
EMPTY_HAND = np.int64(0xFFFFFFFF)
_ONE = np.uint64(1)


@kernel(inline=True)
def card_at(hand, position):
    """One card of a packed hand."""
    return hand >> (8 * position) & 255


@kernel(inline=True)
def without_card(hand, position):
    """The packed hand when that card is gone."""
    below = (1 << (8 * position)) - 1
    return (hand & below) | (hand >> 8 & ~below & 0xFFFFFF) | (NO_CARD << 24)


@kernel
def pack_hand(cards):
    """Sorted cards (uint8[4]) as one integer."""
    hand = 0
    for i in range(4):
        hand |= np.int64(cards[i]) << (8 * i)
    return hand


@kernel
def run_lengths(pile):
    """For each rank the length of the run it would make on this pile (0: none), in 4-bit places by rank."""
    lengths, seen, low, high, total, n = 0, 0, 16, 0, 0, 0
    while pile:
        place = pile & 15
        low, high, total, n = min(low, place), max(high, place), total + place, n + 1
        if seen >> place & 1 or high - low > 6:
            break
        seen |= 1 << place
        if n >= 2 and high - low == n - 1:
            for rank in (low - 2, high):  # a stretch of n ranks grows at either end
                if 0 <= rank <= 12:
                    lengths = lengths & ~(15 << (4 * rank)) | (n + 1) << (4 * rank)
        elif n >= 2 and high - low == n:
            rank = (low + high) * (n + 1) // 2 - total - 1  # the one rank missing between
            lengths = lengths & ~(15 << (4 * rank)) | (n + 1) << (4 * rank)
        pile >>= 4
    return lengths


_DEEPER = np.int64(1) << 60


def _near_gains() -> NDArray[np.int64]:
    """Gains from pairs and runs of the last three cards; _DEEPER is set where a fourth card may add a run."""
    plain = getattr(run_lengths, "py_func", run_lengths)
    table = np.zeros(4096, np.int64)
    for newest, middle, oldest in itertools.product(range(1, 14), range(14), range(14)):
        if middle or not oldest:
            pile = oldest << 8 | middle << 4 | newest
            places = {place for place in (newest, middle, oldest) if place}
            deeper = len(places) == 3 and max(places) - min(places) <= 6
            pairs = 2 if middle != newest else 6 if oldest != newest else 12
            table[pile] = plain(pile) | pairs << 4 * (newest - 1) | _DEEPER * deeper
    return table


def _count_gains() -> NDArray[np.int64]:
    """By the count, two points for each rank that makes 15 or 31, in 4-bit places by rank."""
    return np.array(
        [sum(2 << 4 * rank for rank in range(13) if count + PIPS[rank] in (15, MAX_COUNT)) for count in range(32)]
    )


NEAR_GAINS = _near_gains()
COUNT_GAINS = _count_gains()


@kernel(inline=True)
def next_gains(pile, count):
    """What a card of each rank scores next (go and last card apart), in 4-bit places by rank."""
    gains = np.int64(NEAR_GAINS[np.uint64(pile & 4095)])
    if gains >= _DEEPER:
        # three different ranks lie on top: a pair with the newest, or runs that may reach deeper
        gains = 2 << 4 * ((pile & 15) - 1) | run_lengths(pile) if pile > 4095 else gains - _DEEPER
    return gains + np.int64(COUNT_GAINS[np.uint64(count)])


@kernel(inline=True)
def highest_rank(count):
    """The highest rank that fits within 31 (-1: none)."""
    return 12 if count <= MAX_COUNT - 10 else MAX_COUNT - 1 - count


@kernel(inline=True)
def n_playable(hand, count):
    """How many cards of a packed hand fit within 31: the lowest ones."""
    highest, n = highest_rank(count), 0
    for position in range(4):
        n += (card_at(hand, position) >> 2) <= highest
    return n


@kernel
def start_play(play, dealer, players, n_kept, starter):
    """Clear the table for the play of one deal; the seat after the dealer leads."""
    play.pile = 0
    play.gains = 0
    play.count = 0
    play.gone = 0
    play.count_start = 0
    play.n_played = 0
    play.dealer = dealer
    play.players = players
    play.starter = starter
    play.last_seat = dealer
    for i in range(MAX_PLAYS):
        play.played[i] = NO_CARD
        play.played_by[i] = NO_CARD
        play.goes[i] = 0
    for seat in range(MAX_PLAYERS):
        play.n_left[seat] = n_kept * (seat < players)


@kernel(inline=True)
def lay_card(play, hands, seat, position):
    """Put a held card on the pile; return its points without go and last card. hands: int64[4], packed, by seat."""
    at, n = np.uint64(seat), np.uint64(play.n_played)
    hand, count = hands[at], np.int64(play.count)
    card = card_at(hand, position)
    rank = card >> 2
    points = play.gains >> (4 * rank) & 15
    hands[at] = without_card(hand, position)
    play.played[n] = card
    play.played_by[n] = seat
    play.n_played = n + _ONE
    play.n_left[at] -= 1
    play.last_seat = seat
    play.count = count + min(rank + 1, 10)
    play.pile = play.pile << 4 | (rank + 1)
    return points


@kernel(inline=True)
def _seats_under(lowest_ranks, limit):
    """A bit for each seat (a byte each) whose lowest rank is at most `limit`, all four compared at once."""
    over = lowest_ranks + (127 - limit) * 0x01010101 & 0x80808080
    return ((over ^ 0x80808080) >> 7) * 0x01020408 >> 24 & 15


@kernel(inline=True)
def end_turn(play, hands):
    """Who plays next (NOBODY at the end), and the point for go or last card. The count closes when nobody can play.

    31 has its two points from the card itself; otherwise the last card before a new count brings one. Seats that the
    turn passes over, with cards in hand of which none fits, have said go; it is noted only where somebody plays on.
    """
    players, last, count = np.uint64(play.players), np.uint64(play.last_seat), np.int64(play.count)
    lowest = hands[0] & 255 | (hands[1] & 255) << 8 | (hands[2] & 255) << 16 | (hands[3] & 255) << 24
    lowest = lowest >> 2 & 0x3F3F3F3F
    able = _seats_under(lowest, highest_rank(count))
    if able:
        passed = np.int64(PASSED[players, last, np.uint64(able)])
        if passed:
            goes = passed & _seats_under(lowest, 12) & ~np.int64(play.gone)
            play.goes[np.uint64(play.n_played)] |= goes
            play.gone |= goes
        play.gains = next_gains(play.pile, count)
        return np.int64(TURNS[players, last, np.uint64(able)]), 0
    play.pile = 0
    play.gains = 0
    play.count = 0
    play.gone = 0
    play.count_start = play.n_played
    return np.int64(TURNS[players, last, np.uint64(_seats_under(lowest, 12))]), np.int64(count < MAX_COUNT)


@kernel
def close_count(play):
    """Begin a new count."""
    play.pile, play.gains, play.count, play.gone = 0, 0, 0, 0
    play.count_start = play.n_played


@kernel
def end_turn_next(play, hands):
    """`end_turn` where only the next player may play on after a go: if he can't, whether he has said go before or not,
    the count is closed. Who wasn't asked then is noted with the next card, four bits higher than the goes."""
    players, last, count = np.int64(play.players), np.int64(play.last_seat), np.int64(play.count)
    goes, holders, is_closed = 0, 0, False
    for step in range(1, players + 1):
        seat = (last + step) % players
        lowest, has_gone = hands[np.uint64(seat)] & 255, play.gone >> seat & 1
        if lowest == NO_CARD:
            continue
        holders |= 1 << seat
        if is_closed or (has_gone and goes == 0):
            continue
        if lowest >> 2 <= highest_rank(count):
            play.goes[np.uint64(play.n_played)] |= goes
            play.gone |= goes
            play.gains = next_gains(play.pile, count)
            return seat, 0
        is_closed = goes != 0
        goes |= (1 << seat) * (1 - has_gone)
    unasked = holders & ~goes & ~np.int64(play.gone)
    if play.n_played < MAX_PLAYS:
        play.goes[np.uint64(play.n_played)] |= unasked << 4
    close_count(play)
    return np.int64(TURNS[players, last, holders]), np.int64(count < MAX_COUNT)
