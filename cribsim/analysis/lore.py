"""What players teach about the play, against what a strategy does and what it costs, exactly, in the pegging game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.pegging_game import MeasuredPlay, measure_play
from cribsim.cards import RANKS
from cribsim.pegging_game.game import DEALER, PONE, Game, Profile
from cribsim.pegging_game.sets import N_SETS, ROW_WIDTHS, SETS
from cribsim.pegging_game.walk import JUDGE
from cribsim.rules import PIPS
from cribsim.scoring import N_RANKS, multisets
from cribsim.strategies.base import Half
from cribsim.work import Progress

if TYPE_CHECKING:
    import pandas as pd

_FIVE = RANKS.index("5")
_LOW = RANKS.index("4")


@dataclass(frozen=True, eq=False)
class _Place:
    """A place in the play at which a side chooses, and how likely its hands are there, the other's apart."""

    node: int
    count: int
    reach: NDArray[np.float64]


def lore(
    play: str | Half | Any = "equilibrium", *, discards: str | Half | Any = None, progress: Progress | None = None
) -> pd.DataFrame:
    """What players teach, checked against a strategy that both play by.

    Returns
    -------
    pandas.DataFrame
        One row for each rule: rule; chance (how often a hand has the choice: a card that keeps the rule and one that
        breaks it); kept_to (the share of these in which the strategy keeps it); cost (points that the best card against
        the rule loses to the best that keeps it, on average); with, without (what these two lose to the best card).
        Counts of 5 and 21 are those left by the second and by the third card. Parameters and errors as of
        `play_exploitability`.
    """
    import pandas as pd

    measured = measure_play(play, discards, progress)
    first, second, third = _places(measured)
    leads, replies, thirds = (
        _Choices.of(measured, side, places) for side, places in ((PONE, first), (DEALER, second), (PONE, third))
    )
    rules = {
        "don't lead a five": leads.judge(leads.ranks != _FIVE),
        "lead four or less": leads.judge(leads.ranks <= _LOW),
        "lead from a pair": leads.judge(leads.held > 1),
        "leave no count of 5": replies.judge(replies.after != 5),
        "leave no count of 21": thirds.judge(thirds.after != 21),
    }
    return pd.DataFrame([{"rule": rule, **found} for rule, found in rules.items()])


def _places(measured: MeasuredPlay) -> tuple[list[_Place], list[_Place], list[_Place]]:
    """The lead, the dealer's replies to it and the pone's second cards."""
    game, child = measured.game, measured.game.tree.nodes.child
    shares = _lead_shares(measured)
    second, third = [], []
    for lead in range(N_RANKS):
        node = int(child[0, lead])
        count = int(PIPS[lead])
        second.append(_Place(node, count, game.base[DEALER]))
        reach = game.base[PONE][SETS.to_four[lead]] * shares[lead]
        third += [
            _Place(int(child[node, reply]), count + int(PIPS[reply]), reach)
            for reply in range(N_RANKS)
            if child[node, reply] >= 0
        ]
    return [_Place(0, 0, game.base[PONE])], second, third


def _lead_shares(measured: MeasuredPlay) -> NDArray[np.float64]:
    """How often the strategy leads a rank with the three others, (13, 455)."""
    slots = measured.profile.follow[: N_RANKS * int(ROW_WIDTHS[4])].reshape(N_RANKS, -1)[:, : N_SETS[3]]
    totals = np.zeros(N_SETS[4])
    np.add.at(totals, SETS.to_four, slots)
    shares: NDArray[np.float64] = slots / totals[SETS.to_four]
    return shares


@dataclass(frozen=True, eq=False)
class _Choices:
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

    @classmethod
    def of(cls, measured: MeasuredPlay, side: int, places: Iterable[_Place]) -> _Choices:
        """What the strategy's side may do at these places, both going on by the strategy."""
        game, follow = measured.game, measured.profile.follow
        points, often = (_judge(one, side, follow) for one in (game, game.counting(side)))
        parts = [_at(game, place, points, often, follow) for place in places]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def judge(self, keeps: NDArray[np.bool_]) -> dict[str, float]:
        """How a rule fares: keeps says of each rank whether playing it keeps the rule."""
        can = np.isfinite(self.values)
        with_rule = np.where(can & keeps, self.values, -np.inf).max(axis=1)
        without = np.where(can & ~keeps, self.values, -np.inf).max(axis=1)
        has_choice = np.isfinite(with_rule) & np.isfinite(without)
        weights = self.weights[has_choice] / self.weights[has_choice].sum()
        with_rule, without = with_rule[has_choice], without[has_choice]
        best = np.maximum(with_rule, without)
        kept_to = np.where(keeps, self.shares, 0).sum(axis=1)[has_choice]
        return {
            "chance": float(self.weights[has_choice].sum() / self.weights.sum()),
            "kept_to": float(weights @ kept_to),
            "cost": float(weights @ (with_rule - without)),
            "with": float(weights @ (best - with_rule)),
            "without": float(weights @ (best - without)),
        }


def _judge(game: Game, side: int, follow: NDArray[np.float32]) -> NDArray[np.float32]:
    """What every play of a side is worth, summed over the other's reach, by slot."""
    values = np.zeros(game.tree.n_slots, np.float32)
    game.walk(side, JUDGE, Profile(follow, values, follow))
    return values


def _at(
    game: Game, place: _Place, points: NDArray[np.float32], often: NDArray[np.float32], follow: NDArray[np.float32]
) -> tuple[NDArray[Any], ...]:
    """The columns of `_Choices` at one place."""
    nodes = game.tree.nodes
    n = int(nodes.n_mover[place.node])
    to_hand = (SETS.to_two, SETS.to_three, SETS.to_four)[n - 2]
    shape = (int(N_SETS[n]), N_RANKS)
    values, shares, masses = np.full(shape, np.nan), np.zeros(shape), np.zeros(shape[0])
    for rank in range(int(nodes.n_legal[place.node])):
        if nodes.child[place.node, rank] == -1:
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
    held = (multisets(n)[:, :, None] == np.arange(N_RANKS)).sum(axis=1)
    after = np.broadcast_to(place.count + PIPS, shape)
    return values, shares, held, after, place.reach * masses
