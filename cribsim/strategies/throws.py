"""What the others throw, as a model: any cards alike (`uniform`), or a discard strategy; and the crib that it makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import N_CARDS
from cribsim.cribs import (
    N_POINTS,
    N_UNSEEN,
    SPLIT_1,
    SPLIT_2_OF_5,
    cards_of_others,
    count_fives,
    count_pairs,
    show_cribs,
    show_hands,
    weigh_pairs,
    weigh_singles,
)
from cribsim.errors import PlayerError
from cribsim.rules import Rules
from cribsim.scoring import RANK_PLACES
from cribsim.strategies.base import DISCARD, Bound, Half
from cribsim.strategies.finding import find_half
from cribsim.strategies.policy import Policy, is_uniform, policy_of
from cribsim.views import KEPT_2, thrown_positions
from cribsim.work import n_cores, share_out

UNIFORM = "uniform"
ANY_CARDS: Policy = np.zeros(1, np.uint8)
"""In place of a policy: any cards are thrown with the same chance."""


@dataclass(frozen=True)
class ThrowModel:
    """How the others choose what they throw. `half` is None where any cards of the unseen are as likely."""

    text: str
    half: Half | None
    rules: Rules

    def policy(self, role: int) -> Policy:
        """What the player in a role throws, by hand; ANY_CARDS where all are alike."""
        return ANY_CARDS if self.half is None else policy_of(self.half, role, self.rules)

    def others(self, role: int) -> list[Policy]:
        """The policies of the others, by role."""
        return [self.policy(other) for other in range(self.rules.players) if other != role]


def throw_model(spec: str | Half | object, rules: Rules | None = None) -> ThrowModel:
    """The model that a text or a discard strategy means: `uniform`, or any strategy that draws nothing at random.

    rules: None for the standard game.

    Raises
    ------
    PlayerError
        Unknown, or it draws at random.

    Examples
    --------
    >>> throw_model("uniform").half is None
    True
    """
    if isinstance(spec, ThrowModel):
        return spec
    rules = rules or Rules()
    if spec == UNIFORM:
        return ThrowModel(UNIFORM, None, rules)
    try:
        half = find_half(spec, DISCARD)  # type: ignore[arg-type]
    except PlayerError as error:
        raise PlayerError(f"{error}; or uniform, any cards alike") from None
    half.ready(rules)  # a strategy that can't play by them says so
    return ThrowModel(half.text, None if is_uniform(half) else half, rules)


def unseen_by(cards: Sequence[int]) -> NDArray[np.int64]:
    """The cards of the pack that aren't among these, sorted."""
    return np.setdiff1d(np.arange(N_CARDS), np.asarray(cards))


def count_throws(
    unseen: NDArray[np.int64], policy: Policy, rules: Rules
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """What a policy throws and keeps over all hands of the unseen cards (46 or 47 of them).

    Returns
    -------
    thrown, kept
        Hands by what is thrown (pairs of places in `unseen`, or one place), and of these the hands that hold back each
        card, (thrown, unseen).
    """
    n_throws, n_hand = math.comb(len(unseen), rules.n_thrown), rules.n_dealt
    if len(policy) == 1:
        return np.ones(n_throws, np.int32), np.zeros((n_throws, len(unseen)), np.int32)
    n, split = n_cores(), SPLIT_1 if rules.n_thrown == 1 else SPLIT_2_OF_5

    def count_share(share: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        thrown, kept = np.zeros(n_throws, np.int32), np.zeros((n_throws, len(unseen)), np.int32)
        for last in range(len(unseen) - 1 - share, n_hand - 2, -n):
            hand = np.zeros(n_hand, np.uint64)
            if n_hand == 6:
                count_pairs(unseen, policy, last, hand, thrown, kept)
            else:
                count_fives(unseen, policy, split, rules.n_thrown, last, hand, thrown, kept)
        return thrown, kept

    thrown, kept = zip(*share_out(count_share, range(n)), strict=True)
    return np.sum(thrown, axis=0), np.sum(kept, axis=0)


def crib_histograms(model: ThrowModel, cards: Sequence[int], role: int) -> NDArray[np.float64]:
    """How likely the crib brings each number of points, by throw.

    Parameters
    ----------
    cards
        The six (or five) cards held, sorted.
    role
        Whose cards they are: 0 the pone, players - 1 the dealer.

    Returns
    -------
    numpy.ndarray
        (15 or 5, 30): chances of 0 to 29 points by throw. Exact for two players, and for others who throw anything;
        with three and four players a policy's throws are taken as independent but for cards that can't be twice.
    """
    unseen = unseen_by(cards)
    mine = np.asarray(cards, np.int64)[thrown_positions(len(cards), model.rules.n_thrown)]
    found = np.zeros((len(mine), N_POINTS))
    show_cribs(mine, *throw_weights(model, unseen, role), int(model.rules.crib_flush == 5), found)
    shares: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return shares


def throw_weights(
    model: ThrowModel, unseen: NDArray[np.int64], role: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The cards that others may throw, those unseen, and how likely each throw and starter are (see `show_cribs`)."""
    if model.rules.players == 2:
        counted = count_throws(unseen, model.others(role)[0], model.rules)
        return cards_of_others(unseen, 2), unseen, weigh_pairs(*counted)
    others = cards_of_others(unseen, 3)
    weights = np.zeros((len(others), len(unseen)))
    weigh_singles(*_throws_of_one(model, unseen, role), np.zeros(3, np.int64), np.zeros(6), weights)
    return others, unseen, weights


def _throws_of_one(
    model: ThrowModel, unseen: NDArray[np.int64], role: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By other how likely each card is thrown, and the share of the hands that throw it and don't hold another card."""
    policies = (*model.others(role), ANY_CARDS)[:3]  # with three players the third card comes from the pack
    counted = [count_throws(unseen, policy, model.rules) for policy in policies]
    thrown = np.stack([thrown / thrown.sum() for thrown, _ in counted])
    free = np.stack([1 - kept / np.maximum(thrown[:, None], 1) for thrown, kept in counted])
    return thrown, free


def exact_worths(model: ThrowModel, hand: NDArray[Any], role: int) -> NDArray[np.float64]:
    """Hand plus or minus crib, on average, of the 15 throws of six sorted cards, two players; exact."""
    cards: Any = hand.astype(np.int64)
    shown, points = np.zeros((15, N_POINTS)), np.arange(N_POINTS)
    show_hands(cards[KEPT_2], unseen_by(cards), shown)
    cribs = crib_histograms(model, cards, role) @ points
    worths: NDArray[np.float64] = shown @ points / N_UNSEEN + (2 * role - 1) * cribs
    return worths


def kept_of(hand: NDArray[Any]) -> NDArray[np.int64]:
    """The number of the ranks kept by each of the 15 throws of six sorted cards."""
    kept: NDArray[np.int64] = RANK_PLACES[np.arange(4), hand[KEPT_2].astype(np.int64) >> 2].sum(axis=1)
    return kept


def exact_discard(model: ThrowModel, bonus: NDArray[np.float64]) -> Bound:
    """Discards by the exact crib against a model, two players. Slow: every hand that the other may hold is counted.
    bonus: by role and kept ranks, (2, 1820)."""

    def answer(views: Any, which: Any, params: Any, table: Any, out_answers: Any) -> None:
        for i in which:
            hand, role = views[i]["cards"], int(views[i]["role"])
            worths = exact_worths(model, hand, role) + bonus[role, kept_of(hand)]
            out_answers[i] = np.argmax(np.round(worths, 9))  # so that equals are equal, and the first is thrown

    return Bound(answer, compiled=False)
