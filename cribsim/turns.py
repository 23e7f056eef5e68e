"""A seat's turn in the play: a card, all that it forces, and the view turned to who chooses next."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.deals import award, role_of, side_of
from cribsim.house import house_play
from cribsim.pegging import NOBODY, card_at, end_turn, highest_rank, lay_card
from cribsim.streams import decision_key
from cribsim.tally import PEGGING


@kernel(inline=True)
def show_play(rules, deal, seat, out_view):
    """Turn the view to a seat: its cards, its discards, its key."""
    role, at = role_of(np.int64(deal.dealer), seat, rules.players), np.uint64(seat)
    hand, thrown = deal.hands[at], deal.thrown[at]
    out_view.key = decision_key(deal.key, role, np.int64(out_view.n_played))
    out_view.seat = seat
    out_view.n_cards = out_view.n_left[at]
    for k in range(4):
        out_view.cards[k] = card_at(hand, k)
    for k in range(2):
        out_view.discards[k] = thrown >> (8 * k) & 255
    if rules.in_game:
        for other in range(rules.players):
            out_view.scores[other] = deal.scores[side_of(other, rules.sides)]


@kernel(inline=True)
def play_on(rules, deal, view, seat, position):
    """Play a card, then all that is forced; return the next seat with a choice, its view filled, or NOBODY."""
    while True:
        if rules.is_plain:
            points = lay_card(view, deal.hands, seat, position)
            following, point = end_turn(view, deal.hands)
            points += point
            deal.play_points[np.uint64(np.int64(view.n_played) - 1)] = points
            following = NOBODY if award(deal, rules, seat, PEGGING, points) else following
        else:
            following = house_play(rules, deal, view, seat, position)
        if following == NOBODY:
            return NOBODY
        seat, position = following, 0
        if card_at(deal.hands[np.uint64(seat)], 1) >> 2 <= highest_rank(np.int64(view.count)):
            show_play(rules, deal, seat, view)
            return seat
