"""House rules: where points go when not all go where the standard game puts them.

What a player scores at once is a count of items (a fifteen, a pair, a run, a flush, a jack, 31, a go). Here items may
be overlooked, and then lost or taken by another (muggins); a count may be refused because it would pass the target
(exact count-out); the point for a go may be pegged when it is called; only the next player may play on after a go; and
the old five-card game ends its play with the first count. Games in which nothing of this can happen don't come here.

The items of a count are one integer, four bits for the points of each, the first lowest.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.deals import award, role_of, side_of
from cribsim.pegging import (
    NOBODY,
    card_at,
    end_turn,
    end_turn_next,
    lay_card,
)
from cribsim.rule_record import EXACT_ITEMS
from cribsim.rules import HEELS_POINTS, MAX_COUNT
from cribsim.scoring import JACK
from cribsim.streams import item_draw
from cribsim.tally import CRIB, HAND, HEELS, MUGGINS, PEGGING

HEELS_EVENT, SHOW_EVENT, CRIB_EVENT = 0, 20, 24
"""What counts are numbered by within a deal: heels, the cards of the play from 1, the hands by role, the crib."""


@kernel
def overlooks(rules, deal, seat, event, item):
    """Whether a seat overlooks an item. Drawn by the role, so that it hangs on no player."""
    chance = rules.miss[np.uint64(seat)]
    if chance == 0:
        return False
    role = role_of(np.int64(deal.dealer), seat, rules.players)
    return item_draw(deal.key, role, event, item) < chance


@kernel
def peg_count(rules, deal, seat, phase, points):
    """Peg one count, unless it would pass a target that must be hit; True when that ends the game."""
    side = np.uint64(side_of(seat, rules.sides))
    if points == 0 or (rules.exact_out and deal.scores[side] + points > rules.target):
        return False
    return award(deal, rules, seat, phase, points)


@kernel
def _who_sees(rules, deal, seat, event, item):
    """The next opponent round the table who sees an item that `seat` overlooked, or NOBODY."""
    for step in range(1, rules.players):
        other = (seat + step) % rules.players
        if side_of(other, rules.sides) != side_of(seat, rules.sides) and not overlooks(rules, deal, other, event, item):
            return other
    return NOBODY


@kernel
def settle(rules, deal, seat, phase, event, first, items):
    """Peg a count as far as it is seen, and then what others take of the rest; True when that ends the game. Where
    items count singly, so do those that are taken.

    event, first: the number of the count, and of the first of its items within the event.
    """
    singly = rules.exact_out == EXACT_ITEMS and phase in (HAND, CRIB)
    own, taken, item = 0, 0, first
    while items:
        points = items & 15
        is_seen = not overlooks(rules, deal, seat, event, item)
        taker = _who_sees(rules, deal, seat, event, item) if rules.muggins and not is_seen else NOBODY
        if singly:
            if is_seen and peg_count(rules, deal, seat, phase, points):
                return True
            if taker != NOBODY and peg_count(rules, deal, taker, MUGGINS, points):
                return True
        elif is_seen:
            own += points
        elif taker != NOBODY:
            taken += points << (8 * taker)
        items >>= 4
        item += 1
    if peg_count(rules, deal, seat, phase, own):
        return True
    for step in range(1, rules.players):
        other = (seat + step) % rules.players
        if peg_count(rules, deal, other, MUGGINS, taken >> (8 * other) & 255):
            return True
    return False


@kernel
def house_heels(rules, deal):
    """Two for the dealer; True when that ends the game."""
    return settle(rules, deal, np.int64(deal.dealer), HEELS, HEELS_EVENT, 0, HEELS_POINTS)


@kernel
def house_play(rules, deal, view, seat, position):
    """Play a card and peg what it brings; return who plays next, or NOBODY where the play or the game is over."""
    points = lay_card(view, deal.hands, seat, position)
    count, event, gone = np.int64(view.count), np.int64(view.n_played), view.gone
    before = deal.points[np.uint64(seat), PEGGING]
    following, point = end_turn_next(view, deal.hands) if rules.go_next else end_turn(view, deal.hands)
    closes = view.count == 0
    fifteen = 2 if count == 15 else 0
    last = 2 if count == MAX_COUNT else point
    if deal.called > 0:  # somebody has the point for the go of this count
        last = 0 if count < MAX_COUNT else 1 if deal.called == seat + 1 else 2
    combined = points - 2 * (count == 15 or count == MAX_COUNT)
    is_over = settle(rules, deal, seat, PEGGING, event, 0, combined | fifteen << 4)
    is_over = is_over or settle(rules, deal, seat, PEGGING, event, 2, last)
    if closes:
        deal.called = 0
    elif rules.go_at_call and gone == 0 and view.gone != 0 and not is_over:
        deal.called = following + 1
        is_over = settle(rules, deal, following, PEGGING, event, 3, 1)
    deal.play_points[np.uint64(event - 1)] = deal.points[np.uint64(seat), PEGGING] - before
    return NOBODY if is_over or (closes and rules.one_count) else following


@kernel
def rank_items(cards, n):
    """The fifteens, pairs and runs of n packed cards, and how many items they are."""
    items, n_items, pairs, counts = 0, 0, 0, 0
    for chosen in range(1, 1 << n):
        pips = 0
        for place in range(n):
            pips += (chosen >> place & 1) * min((card_at(cards, place) >> 2) + 1, 10)
        if pips == 15:
            items |= 2 << (4 * n_items)
            n_items += 1
    for place in range(n):
        rank = card_at(cards, place) >> 2
        pairs += counts >> (4 * rank) & 15
        counts += 1 << (4 * rank)
    for _ in range(pairs):
        items |= 2 << (4 * n_items)
        n_items += 1
    ways, length = _runs(counts)
    for _ in range(ways):
        items |= length << (4 * n_items)
        n_items += 1
    return items, n_items


@kernel
def show_items(cards, n, starter, flush_in_hand):
    """The items of n packed cards with the starter, in the order in which players count: fifteens, pairs, runs, flush,
    jack. flush_in_hand: whether the n cards alone make a flush, too."""
    cards &= (1 << (8 * n)) - 1
    items, n_items = rank_items(cards | starter << (8 * n), n + 1)
    jack, suited = 0, 1
    for place in range(n):
        card = card_at(cards, place)
        jack |= card == JACK * 4 + (starter & 3)
        suited &= card & 3 == cards & 3
    flush = n + 1 if suited and cards & 3 == starter & 3 else n if suited and flush_in_hand else 0
    items |= flush << (4 * n_items)
    n_items += flush > 0
    return items | jack << (4 * n_items)


@kernel
def _runs(counts):
    """How many runs there are of the greatest length, and the length. counts: four bits a rank."""
    best_ways, best_length, ways, length = 0, 0, 1, 0
    for rank in range(14):
        held = counts >> (4 * rank) & 15 if rank < 13 else 0
        if held:
            ways *= held
            length += 1
            continue
        if length >= 3 and length > best_length:
            best_ways, best_length = ways, length
        ways, length = 1, 0
    return best_ways, best_length


@kernel
def house_hand(rules, deal, role, seat):
    """Count a hand."""
    items = show_items(deal.kept[np.uint64(seat)], rules.n_kept, np.int64(deal.starter), True)
    settle(rules, deal, seat, HAND, SHOW_EVENT + role, 0, items)


@kernel
def house_crib(rules, deal):
    """Count the crib."""
    items = show_items(np.int64(deal.crib), 4, np.int64(deal.starter), rules.crib_flush == 4)
    settle(rules, deal, np.int64(deal.dealer), CRIB, CRIB_EVENT, 0, items)
