"""Strategies: what chooses the cards. Built in, decorated by users, read from files; found by text or object."""

from cribsim.strategies import catalogue as _catalogue  # noqa: F401  (registers what ships)
from cribsim.strategies.base import Bound, Half, Player
from cribsim.strategies.check import CheckReport, check_strategy
from cribsim.strategies.finding import find_half, find_halves, find_player, list_strategies
from cribsim.strategies.user import Strategy, discard_strategy, pegging_strategy

__all__ = [
    "Bound",
    "CheckReport",
    "Half",
    "Player",
    "Strategy",
    "check_strategy",
    "discard_strategy",
    "find_half",
    "find_halves",
    "find_player",
    "list_strategies",
    "pegging_strategy",
]
