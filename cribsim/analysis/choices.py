"""What a side may do at places of the pegging game, and what each card is worth there where both follow a profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.pegging_game.game import PONE, Game, Profile
from cribsim.pegging_game.sets import N_SETS, ROW_WIDTHS, SETS, count_ranks
from cribsim.pegging_game.tree import NONE
from cribsim.pegging_game.walk import JUDGE
from cribsim.rules import PIPS
from cribsim.scoring import N_RANKS


@dataclass(frozen=True, eq=False)
class Place:
    """A place in the play at which a side chooses, and how likely its hands are there, the other's apart."""

    node: int
    count: int
    reach: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Choices:
    """What a side may play at some places: arrays (hands at places, 13), and weights (hands at places,).

    values: what a rank brings, nan where it can't be played; shares: how often it is played; held: how many of it the
    hand has; after: the count that it makes.
    """

    values: NDArray[np.float64]
    shares: NDArray[np.float64]
    held: NDArray[np.int64]
    after: NDArray[np.int64]
    weights: NDArray[np.float64]

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each column."""
        return np.broadcast_to(np.arange(N_RANKS), self.values.shape)


def choices_at(game: Game, profile: Profile, side: int, places: Iterable[Place]) -> Choices:
    """What a side may do at these places, both going on by the profile."""
    points, often = (_judge(one, side, profile.follow) for one in (game, game.counting(side)))
    parts = [_at(game, place, points, often, profile.follow) for place in places]
    return Choices(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def lead_choices(game: Game, profile: Profile) -> Choices:
    """What the pone may lead."""
    return choices_at(game, profile, PONE, [Place(0, 0, game.base[PONE])])


def _judge(game: Game, side: int, follow: NDArray[np.float32]) -> NDArray[np.float32]:
    """What every play of a side is worth, summed over the other's reach, by slot."""
    values = np.zeros(game.tree.n_slots, np.float32)
    game.walk(side, JUDGE, Profile(follow, values, follow))
    return values


def _at(
    game: Game, place: Place, points: NDArray[np.float32], often: NDArray[np.float32], follow: NDArray[np.float32]
) -> tuple[NDArray[Any], ...]:
    """The columns of `Choices` at one place."""
    nodes = game.tree.nodes
    n = int(nodes.n_mover[place.node])
    to_hand = (SETS.to_two, SETS.to_three, SETS.to_four)[n - 2]
    shape = (int(N_SETS[n]), N_RANKS)
    values, shares, masses = np.full(shape, np.nan), np.zeros(shape), np.zeros(shape[0])
    for rank in range(int(nodes.n_legal[place.node])):
        if nodes.child[place.node, rank] == NONE:
            continue
        at = int(nodes.slot[place.node]) + rank * int(ROW_WIDTHS[n])
        part, hands = slice(at, at + int(N_SETS[n - 1])), to_hand[rank]
        known = often[part] > 0
        values[hands[known], rank] = points[part][known] / often[part][known]
        shares[hands, rank] = follow[part]
        masses[hands] = np.maximum(masses[hands], often[part])
    totals = shares.sum(axis=1, keepdims=True)
    able = np.isfinite(values)
    even = able / np.maximum(able.sum(axis=1, keepdims=True), 1)
    shares = np.where(totals > 0, shares / np.where(totals > 0, totals, 1), even)
    held = count_ranks(n)
    after = np.broadcast_to(place.count + PIPS, shape)
    return values, shares, held, after, place.reach * masses
