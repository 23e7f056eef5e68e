"""`heuristic` discards and play: rules of thumb that players teach, each with a weight.

A throw's worth is the points of the four kept as they lie, plus the weights below for what is kept, and plus (own
crib) or minus (the other's) the weights for what is thrown. `cribsim strategies` lists them.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.pegging import highest_rank
from cribsim.scoring import JACK, points_as_they_lie, two_card_points
from cribsim.strategies.greedy import crib_sign
from cribsim.views import KEPT_1, KEPT_2, THROWN_2

_FIVE = 4
SIGN, PARTNERS = range(2)
KEEP_RUN, KEEP_FIVE, KEEP_LOW, KEEP_JACK, THROW_POINTS, THROW_FIVE, THROW_NEAR, THROW_SUITED, THROW_JACK = range(2, 11)
"""Places of the weights among the parameters; the first say whether it is for points or against them, and whether
opposite seats are partners."""


@kernel(inline=True)
def _kept_worth(c0, c1, c2, c3, params):
    """Points as they lie, and what may still come of the cards kept."""
    worth = np.float64(points_as_they_lie(c0, c1, c2, c3))
    r0, r1, r2, r3 = c0 >> 2, c1 >> 2, c2 >> 2, c3 >> 2
    for low, high in ((r0, r1), (r1, r2), (r2, r3)):
        worth += params[KEEP_RUN] * (high - low in (1, 2))
    for rank in (r0, r1, r2, r3):
        worth += (
            params[KEEP_FIVE] * (rank == _FIVE) + params[KEEP_LOW] * (rank < _FIVE) + params[KEEP_JACK] * (rank == JACK)
        )
    return worth


@kernel(inline=True)
def _thrown_worth(one, two, params):
    """What two cards promise a crib."""
    low, high = one >> 2, two >> 2
    worth = params[THROW_POINTS] * two_card_points(low, high)
    worth += params[THROW_FIVE] * ((low == _FIVE) + (high == _FIVE)) + params[THROW_NEAR] * (high - low in (1, 2))
    return worth + params[THROW_SUITED] * ((one ^ two) & 3 == 0) + params[THROW_JACK] * ((low == JACK) + (high == JACK))


@kernel
def heuristic_discard(views, which, params, table, out_answers):
    """The throw that is worth most by the rules of thumb; first of equals. params: sign, partners, then the weights."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        cards, sign = view.cards, crib_sign(view, params[PARTNERS] != 0)
        best, most = 0, -1e18
        for answer in range(15 if view.n_thrown == 2 else 5):
            kept = KEPT_2[answer] if view.n_thrown == 2 else KEPT_1[answer]
            c0, c1 = np.int64(cards[kept[0]]), np.int64(cards[kept[1]])
            c2, c3 = np.int64(cards[kept[2]]), np.int64(cards[kept[3]])
            worth = _kept_worth(c0, c1, c2, c3, params)
            if view.n_thrown == 2:
                first, second = THROWN_2[answer]
                worth += sign * _thrown_worth(np.int64(cards[first]), np.int64(cards[second]), params)
            else:
                rank = np.int64(cards[answer]) >> 2
                worth += sign * (params[THROW_FIVE] * (rank == _FIVE) + params[THROW_JACK] * (rank == JACK))
            worth *= params[SIGN]
            if worth > most:
                best, most = answer, worth
        out_answers[i] = best


POINTS, LEAD_LOW, LEAD_PAIR, LEAD_FIVE, LEAVE_FIVE, LEAVE_TEN, LEAVE_NEAR, HIGH_FIRST, TO_THIRTY = range(1, 10)
"""Places of the weights of the play among the parameters, behind the sign."""


@kernel(inline=True)
def _lead_worth(cards, position, params):
    """What speaks for a lead."""
    rank = np.int64(cards[position]) >> 2
    paired = False
    for other in range(4):
        paired |= other != position and np.int64(cards[other]) >> 2 == rank
    return params[LEAD_LOW] * (rank < _FIVE) + params[LEAD_PAIR] * paired - params[LEAD_FIVE] * (rank == _FIVE)


@kernel(inline=True)
def _reply_worth(view, rank, params):
    """What speaks for a card on a pile: its points, and what it leaves to the next."""
    points, count = np.int64(view.gains) >> (4 * rank) & 15, np.int64(view.count) + min(rank + 1, 10)
    worth = params[POINTS] * points + params[TO_THIRTY] * (count >= 28)
    worth -= params[LEAVE_FIVE] * (count == 5) + params[LEAVE_TEN] * (count == 21)
    newest = (np.int64(view.pile) & 15) - 1
    return worth - params[LEAVE_NEAR] * (points == 0 and abs(rank - newest) in (1, 2))


@kernel
def heuristic_play(views, which, params, table, out_answers):
    """The card for which most speaks; first of equals. params: sign, then the weights."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        highest, best, most = highest_rank(np.int64(view.count)), 0, -1e18
        for position in range(4):
            rank = np.int64(view.cards[position]) >> 2
            if rank > highest:
                continue
            worth = params[HIGH_FIRST] * min(rank + 1, 10)
            if view.count == 0:
                worth += _lead_worth(view.cards, position, params)
            else:
                worth += _reply_worth(view, rank, params)
            worth *= params[SIGN]
            if worth > most:
                best, most = position, worth
        out_answers[i] = best
