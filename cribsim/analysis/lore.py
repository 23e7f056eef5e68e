"""What players teach about the play, against what a strategy does and what it costs, exactly, in the pegging game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.choices import Choices, Place, choices_at, lead_choices
from cribsim.analysis.pegging_game import measure_play
from cribsim.cards import RANKS
from cribsim.pegging_game.game import DEALER, PONE, Game
from cribsim.pegging_game.sets import SETS
from cribsim.rules import PIPS
from cribsim.scoring import N_RANKS
from cribsim.strategies.base import Half
from cribsim.work import Progress

if TYPE_CHECKING:
    import pandas as pd

_FIVE = RANKS.index("5")
_LOW = RANKS.index("4")


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
    game, profile = measured.game, measured.profile
    leads = lead_choices(game, profile)
    second, third = _later_places(game, leads)
    replies, thirds = (choices_at(game, profile, side, places) for side, places in ((DEALER, second), (PONE, third)))
    rules = {
        "don't lead a five": _judge_rule(leads, leads.ranks != _FIVE),
        "lead four or less": _judge_rule(leads, leads.ranks <= _LOW),
        "lead from a pair": _judge_rule(leads, leads.held > 1),
        "leave no count of 5": _judge_rule(replies, replies.after != 5),
        "leave no count of 21": _judge_rule(thirds, thirds.after != 21),
    }
    return pd.DataFrame([{"rule": rule, **found} for rule, found in rules.items()])


def _later_places(game: Game, leads: Choices) -> tuple[list[Place], list[Place]]:
    """The dealer's replies to each lead, and the pone's second cards."""
    child, second, third = game.tree.nodes.child, [], []
    for lead in range(N_RANKS):
        node, count, hands = int(child[0, lead]), int(PIPS[lead]), SETS.to_four[lead]
        second.append(Place(node, count, game.base[DEALER]))
        reach = game.base[PONE][hands] * leads.shares[hands, lead]
        third += [
            Place(int(child[node, reply]), count + int(PIPS[reply]), reach)
            for reply in range(N_RANKS)
            if child[node, reply] >= 0
        ]
    return second, third


def _judge_rule(choices: Choices, keeps: NDArray[np.bool_]) -> dict[str, float]:
    """How a rule fares: `keeps` says of each rank whether playing it keeps the rule."""
    can = np.isfinite(choices.values)
    with_rule = np.where(can & keeps, choices.values, -np.inf).max(axis=1)
    without = np.where(can & ~keeps, choices.values, -np.inf).max(axis=1)
    has_choice = np.isfinite(with_rule) & np.isfinite(without)
    weights = choices.weights[has_choice] / choices.weights[has_choice].sum()
    with_rule, without = with_rule[has_choice], without[has_choice]
    best = np.maximum(with_rule, without)
    kept_to = np.where(keeps, choices.shares, 0).sum(axis=1)[has_choice]
    return {
        "chance": float(choices.weights[has_choice].sum() / choices.weights.sum()),
        "kept_to": float(weights @ kept_to),
        "cost": float(weights @ (with_rule - without)),
        "with": float(weights @ (best - with_rule)),
        "without": float(weights @ (best - without)),
    }
