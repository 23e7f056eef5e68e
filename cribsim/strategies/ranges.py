"""The range: how likely each hand of ranks is kept, by role, under a discard strategy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.hands import CARD_PLACES, class_hands, class_sizes
from cribsim.scoring import N_KEPT, RANK_PLACES
from cribsim.strategies.base import Half
from cribsim.strategies.policy import policy_of
from cribsim.views import KEPT_2


def kept_chances(half: Half) -> NDArray[np.float64]:
    """How likely each four ranks are kept by pone and dealer, (2, 1820) by `scoring.kept_index`; two players.

    Raises
    ------
    PlayerError
        The strategy has no policy (`policy.policy_of`).
    """
    return _kept_chances(half, (half.code, *map(id, half.functions)))


@functools.lru_cache(maxsize=4)
def _kept_chances(half: Half, _code: tuple[Any, ...]) -> NDArray[np.float64]:
    hands, sizes = class_hands(6), class_sizes(6)
    number = CARD_PLACES[np.arange(6), hands].sum(axis=1)
    found = np.zeros((2, N_KEPT))
    for role in (0, 1):
        kept = np.take_along_axis(hands, KEPT_2[policy_of(half, role)[number]], axis=1) >> 2
        index = RANK_PLACES[np.arange(4), kept].sum(axis=1)
        found[role] = np.bincount(index, weights=sizes, minlength=N_KEPT) / sizes.sum()
    return found
