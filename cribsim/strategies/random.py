"""`random`: every discard, and every legal card, with the same chance."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.deals import n_throws
from cribsim.pegging import n_playable, pack_hand
from cribsim.streams import random_below


@kernel
def random_discard(views, which, params, table, out_answers):
    """A uniform discard."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        out_answers[i] = random_below(view.key, n_throws(view.n_cards, view.n_thrown))


@kernel
def random_play(views, which, params, table, out_answers):
    """A uniform choice among the cards that fit."""
    for k in range(len(which)):
        i = np.uint64(which[k])
        view = views[i]
        out_answers[i] = random_below(view.key, n_playable(pack_hand(view.cards), np.int64(view.count)))
