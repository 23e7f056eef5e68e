"""cribsim: cribbage strategy research at compiled speed.

The public names below are loaded on first use, so that `import cribsim` and `cribsim --help` stay instant.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "parse_cards": "cards",
    "format_cards": "cards",
    "score_hand": "scoring",
    "HandScore": "scoring",
    "Rules": "rules",
    "replay_play": "replay",
    "settle_deal": "replay",
    "simulate": "simulation",
    "Result": "result",
    "compare": "comparison",
    "Comparison": "comparison",
    "evaluate_discards": "analysis.discards",
    "discard_values": "analysis.discards",
    "evaluate_plays": "analysis.plays",
    "play_values": "analysis.plays",
    "crib_table": "analysis.crib_table",
    "exploitability": "analysis.exploiting",
    "discard_strategy": "strategies",
    "pegging_strategy": "strategies",
    "check_strategy": "strategies",
    "find_player": "strategies",
    "CribsimError": "errors",
    "CardError": "errors",
    "RulesError": "errors",
    "PlayerError": "errors",
    "IllegalPlay": "errors",
    "ResultError": "errors",
    "StrategyError": "errors",
}

__all__ = [  # noqa: RUF022
    "__version__",
    "parse_cards",
    "format_cards",
    "score_hand",
    "HandScore",
    "Rules",
    "replay_play",
    "settle_deal",
    "simulate",
    "Result",
    "compare",
    "Comparison",
    "evaluate_discards",
    "discard_values",
    "evaluate_plays",
    "play_values",
    "crib_table",
    "exploitability",
    "discard_strategy",
    "pegging_strategy",
    "check_strategy",
    "find_player",
    "CribsimError",
    "CardError",
    "RulesError",
    "PlayerError",
    "IllegalPlay",
    "ResultError",
    "StrategyError",
]

if TYPE_CHECKING:
    from cribsim.analysis.crib_table import crib_table
    from cribsim.analysis.discards import discard_values, evaluate_discards
    from cribsim.analysis.exploiting import exploitability
    from cribsim.analysis.plays import evaluate_plays, play_values
    from cribsim.cards import format_cards, parse_cards
    from cribsim.comparison import Comparison, compare
    from cribsim.errors import (
        CardError,
        CribsimError,
        IllegalPlay,
        PlayerError,
        ResultError,
        RulesError,
        StrategyError,
    )
    from cribsim.replay import replay_play, settle_deal
    from cribsim.result import Result
    from cribsim.rules import Rules
    from cribsim.scoring import HandScore, score_hand
    from cribsim.simulation import simulate
    from cribsim.strategies import check_strategy, discard_strategy, find_player, pegging_strategy


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cribsim' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"cribsim.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
