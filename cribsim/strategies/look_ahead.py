"""Looking ahead with open hands, two players: what a card leads to when both hands are known.

Both sides choose what is best for them to a number of plays (or the other plays greedily); what comes after those is
not looked at. Points for go and last card count as they fall.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.pegging import card_at, highest_rank, next_gains, without_card
from cribsim.rules import MAX_COUNT
from cribsim.strategies.greedy import greedy_place

MOST_PLAYS = 8
BEST, GREEDY = 0, 1
"""How the other replies: best for himself, or greedily."""
_PILE, _COUNT, _MINE, _THEIRS, _MOVER, _PLACE, _BEST, _PENDING = range(8)
NOBODY = -1


@kernel(inline=True)
def _settle(pile, count, last, mine, theirs, out_state):
    """Who plays after a card of `last` (0: I, 1: the other), NOBODY at the end; returns the point for go or last card
    that `last` gets. Fills a row of the stack (`look_ahead`)."""
    limit, following, point = highest_rank(count), np.int64(NOBODY), 0
    lowest_mine, lowest_theirs = card_at(mine, 0), card_at(theirs, 0)
    can_mine = lowest_mine != NO_CARD and lowest_mine >> 2 <= limit
    can_theirs = lowest_theirs != NO_CARD and lowest_theirs >> 2 <= limit
    if not (can_mine or can_theirs):
        point, pile, count = np.int64(count < MAX_COUNT), 0, 0
        can_mine, can_theirs = lowest_mine != NO_CARD, lowest_theirs != NO_CARD
    if can_mine or can_theirs:
        following = 1 - last if (can_mine if last == 1 else can_theirs) else last
    out_state[_PILE], out_state[_COUNT], out_state[_MINE], out_state[_THEIRS] = pile, count, mine, theirs
    out_state[_MOVER], out_state[_PLACE], out_state[_BEST] = following, 0, -99 if following == 0 else 99
    return point


@kernel(inline=True)
def _next_place(state, reply):
    """The next place of the hand to be tried, from the row's place on; 4 where there is none."""
    mover, count, place = state[_MOVER], state[_COUNT], state[_PLACE]
    hand, limit = state[_MINE] if mover == 0 else state[_THEIRS], highest_rank(count)
    if mover == 1 and reply == GREEDY:
        if place > 0:
            return 4
        return greedy_place(hand, next_gains(state[_PILE], count), count)
    while place < 4:
        rank = card_at(hand, place) >> 2
        if rank > limit:
            return 4
        if place == 0 or rank != card_at(hand, place - 1) >> 2:
            return place
        place += 1
    return 4


@kernel
def look_ahead(pile, count, mine, theirs, place, n_plays, reply, stack):
    """My points less the other's from a card of mine on, both hands open, `n_plays` plays after it looked at.

    mine, theirs: packed hands; place: of my card; reply: BEST or GREEDY; stack: int64[9, 8], scratch.
    """
    rank = card_at(mine, place) >> 2
    first = next_gains(pile, count) >> (4 * rank) & 15
    after = count + min(rank + 1, 10)
    first += _settle(pile << 4 | (rank + 1), after, 0, without_card(mine, place), theirs, stack[0])
    level = 0
    if n_plays == 0 or stack[0, _MOVER] == NOBODY:
        return first
    while True:
        state = stack[level]
        at, mover = _next_place(state, reply), state[_MOVER]
        if at < 4:
            state[_PLACE] = at + 1
            hand = state[_MINE] if mover == 0 else state[_THEIRS]
            rank, left = card_at(hand, at) >> 2, without_card(hand, at)
            points = next_gains(state[_PILE], state[_COUNT]) >> (4 * rank) & 15
            lower, after = state[_PILE] << 4 | (rank + 1), state[_COUNT] + min(rank + 1, 10)
            mine_now, theirs_now = (left, state[_THEIRS]) if mover == 0 else (state[_MINE], left)
            points += _settle(lower, after, mover, mine_now, theirs_now, stack[level + 1])
            value = points if mover == 0 else -points
            if level + 1 < n_plays and stack[level + 1, _MOVER] != NOBODY:
                state[_PENDING] = value
                level += 1
                continue
        else:
            value = state[_BEST]
            level -= 1
            if level < 0:
                return first + value
            state = stack[level]
            value += state[_PENDING]
        state[_BEST] = max(state[_BEST], value) if state[_MOVER] == 0 else min(state[_BEST], value)


def make_stack() -> NDArray[Any]:
    """Scratch of `look_ahead`."""
    return np.zeros((MOST_PLAYS + 1, 8), np.int64)
