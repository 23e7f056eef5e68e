"""The rules as the kernels read them: one record of numbers, and what these mean. `rules` makes it."""

from __future__ import annotations

import numpy as np

MAX_PLAYERS = 4
NO_TARGET = 2**31 - 1
MAX_TARGET = 10**6
"""A game to a million takes tens of thousands of deals, so no run is long enough for the sum of its squared margins to
pass 2^63. To 10^9 ten games would be."""

RULES = np.dtype(
    (
        np.record,
        [
            ("players", "i8"),
            ("sides", "i8"),
            ("n_dealt", "i8"),
            ("n_thrown", "i8"),
            ("n_kept", "i8"),
            ("n_cards", "i8"),
            ("target", "i8"),
            ("in_game", "i8"),
            ("is_plain", "i8"),
            ("crib_flush", "i8"),
            ("head_start", "i8"),
            ("one_count", "i8"),
            ("go_next", "i8"),
            ("go_at_call", "i8"),
            ("muggins", "i8"),
            ("miss", "u8", (MAX_PLAYERS,)),
            ("exact_out", "i8"),
            ("lowball", "i8"),
            ("first_deal", "i8"),
            ("match", "i8"),
            ("match_games", "i8"),
            ("lines", "i8", (3,)),
            ("values", "i8", (4,)),
            ("takes_match", "i8", (4,)),
            ("judge_each", "i8"),
        ],
    )
)
"""The rules as the kernels read them: one record.

n_cards: cards of a deal with the starter; is_plain: whether every point goes where the standard game puts it (else
`house`); one_count: whether the play ends with its first count; miss: by seat, of 2^32 draws those that miss;
exact_out: EXACT_COUNTS, EXACT_ITEMS or 0; first_deal: a seat, or CUT, ALTERNATE, LOSER; match, match_games: 0 where no
match is played; lines: under which a loser is skunked once, twice, three times; values: game points of a win and of
those skunks; takes_match: whether they win the match at once.
"""
EXACT_COUNTS, EXACT_ITEMS = 1, 2
CUT, ALTERNATE, LOSER = -1, -2, -3
FIRST_DEALS = {"cut": CUT, "alternate": ALTERNATE, "loser": LOSER}


def miss_threshold(chance: float) -> int:
    """A chance of overlooking an item, of 2^32 draws."""
    return round(chance * 2**32)
