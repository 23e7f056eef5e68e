"""`greedy`: the most points now. Discards look at the cards as they lie; the play takes what the card brings."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.pegging import highest_rank


@kernel
def greedy_play(views, which, params, table, out_answers):
    """The card that scores most now (go and last card apart); of equals the highest rank, then the first card."""
    for k in range(len(which)):
        view = views[which[k]]
        highest, best = highest_rank(np.int64(view.count)), 0
        for position in range(4):
            rank = np.int64(view.cards[position]) >> 2
            worth = (view.gains >> (4 * (rank & 15)) & 15) << 8 | (rank + 1) << 2 | 3 - position
            best = max(best, worth if rank <= highest else 0)
        out_answers[which[k]] = 3 - (best & 3)
