"""Many hands at once against others who throw any cards unseen: exact averages, hundreds of thousands a second."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.cribs import uniform_cribs
from cribsim.errors import CardError
from cribsim.starters import N_STARTERS, is_flush, rank_sum, suit_counts, suit_sum
from cribsim.views import KEPT_2, THROWN_2


@kernel
def _average_hands(hands, out_hands):
    """hands: uint8[m, 6], sorted; out_hands: float64[m, 15], the average of the four kept over the starters."""
    for i in range(len(hands)):
        suits = suit_counts(hands[i], 6)
        for answer in range(15):
            kept = KEPT_2[answer]
            points = rank_sum(hands[i], kept, 6) + suit_sum(hands[i], kept, 6, suits, is_flush(hands[i], kept))
            out_hands[i, answer] = points / N_STARTERS


def uniform_values(hands: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The average hand and the average crib of all 15 throws of many hands, two players, the other throwing any cards.

    Parameters
    ----------
    hands
        Cards 0-51, (n, 6); each row sorted, its cards different.

    Returns
    -------
    hand, crib
        (n, 15), exact, by throw in the order of `views.THROWN_2`. The dealer's value is hand plus crib, the pone's hand
        less crib.

    Raises
    ------
    CardError
        Another shape, or rows that aren't six different cards in order.

    Examples
    --------
    >>> import cribsim
    >>> hand, crib = uniform_values([cribsim.parse_cards("2C 3H 4D 5D 5S JS")])
    >>> round(float(hand[0, 4]), 4), round(float(crib[0, 4]), 4)
    (12.4783, 3.8979)
    """
    cards = np.asarray(hands)
    if cards.ndim != 2 or cards.shape[1] != 6 or cards.dtype.kind not in "iu":
        raise CardError(f"hands of six cards as ints of shape (n, 6) are wanted; given {cards.dtype} {cards.shape}")
    rows = cards.astype(np.int64)
    wrong = (np.diff(rows, axis=1) <= 0).any(axis=1) | (rows < 0).any(axis=1) | (rows >= N_CARDS).any(axis=1)
    if wrong.any():
        at = int(wrong.argmax())
        raise CardError(f"row {at} isn't six different cards 0-51 in order: {rows[at].tolist()}")
    packed = np.ascontiguousarray(rows, np.uint8)
    hand, crib = np.zeros((len(rows), 15)), np.zeros((len(rows), 15))
    _average_hands(packed, hand)
    uniform_cribs(packed, THROWN_2, np.zeros(13, np.int64), np.zeros(4, np.int64), np.zeros(455, np.int16), crib)
    return hand, crib
