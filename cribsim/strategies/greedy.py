"""`greedy`: the most points now. Discards look at the cards as they lie; the play takes what the card brings."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.pegging import card_at, highest_rank
from cribsim.scoring import points_as_they_lie, two_card_points
from cribsim.strategies.objective import counted, room_of
from cribsim.views import KEPT_1, KEPT_2, THROWN_2


@kernel(inline=True)
def crib_sign(view, partners):
    """1 when the crib is one's own side's, otherwise -1."""
    own = view.seat == view.dealer or (partners and (view.seat ^ view.dealer) & 1 == 0)
    return 1 if own else -1


@kernel
def greedy_discard(views, which, params, table, out_answers):
    """Most points in the four kept as they lie, plus or minus (other's crib) those in the thrown; first of equals.

    params: [whether opposite seats are partners].
    """
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        cards, sign = view.cards, crib_sign(view, params[0] != 0)
        best, most = 0, -100
        for answer in range(15 if view.n_thrown == 2 else 5):
            kept = KEPT_2[answer] if view.n_thrown == 2 else KEPT_1[answer]
            worth = points_as_they_lie(
                np.int64(cards[kept[0]]), np.int64(cards[kept[1]]), np.int64(cards[kept[2]]), np.int64(cards[kept[3]])
            )
            if view.n_thrown == 2:
                first, second = THROWN_2[answer]
                worth += sign * two_card_points(np.int64(cards[first]) >> 2, np.int64(cards[second]) >> 2)
            if worth > most:
                best, most = answer, worth
        out_answers[i] = best


@kernel(inline=True)
def _order(rank, place, gains, highest):
    """What puts cards in order: points now, then the rank, then the place; 0 where the card doesn't fit."""
    order = (gains >> (4 * (rank & 15)) & 15) << 8 | (rank + 1) << 2 | 3 - place
    return order if rank <= highest else 0


@kernel(inline=True)
def greedy_position(view):
    """The card that scores most now (go and last card apart); of equals the highest rank, then the first card."""
    highest, best = highest_rank(np.int64(view.count)), 0
    for position in range(4):
        best = max(best, _order(np.int64(view.cards[position]) >> 2, position, view.gains, highest))
    return 3 - (best & 3)


@kernel(inline=True)
def greedy_place(hand, gains, count):
    """The same for a packed hand, of which a card fits. gains: see `pegging.next_gains`."""
    highest, best = highest_rank(count), 0
    for place in range(4):
        best = max(best, _order(card_at(hand, place) >> 2, place, gains, highest))
    return 3 - (best & 3)


@kernel
def greedy_aimed_play(views, which, params, table, out_answers):
    """Most (or in lowball fewest) points that can be pegged now; of equals the highest rank, then the first card.

    params: sign, target (`objective.Aim`).
    """
    sign, target = np.int64(params[0]), np.int64(params[1])
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        count, room = np.int64(view.count), room_of(view, np.int64(view.seat), target)
        highest, best, most = highest_rank(count), 0, -1000
        for position in range(4):
            rank = np.int64(view.cards[position]) >> 2
            if rank <= highest:
                points = np.int64(view.gains) >> (4 * rank) & 15
                order = sign * counted(points, count + min(rank + 1, 10), room) * 16 + rank
                if order > most:
                    best, most = position, order
        out_answers[i] = best


@kernel
def greedy_play(views, which, params, table, out_answers):
    """See `greedy_position`."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        out_answers[i] = greedy_position(views[i])
