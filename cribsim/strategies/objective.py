"""What a strategy is after: points; in lowball to avoid them; with exact count-out only those that may be pegged."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from cribsim._jit import kernel
from cribsim.rules import MAX_COUNT, Rules

POINTS = "points"
OBJECTIVES = ("rules", POINTS)
"""What the parameter `objective` may be: as the rules say, or points whatever the rules."""
NO_LIMIT = 1 << 30


class Aim(NamedTuple):
    """sign: 1 for points, -1 against them. target: the score that must be hit exactly; 0 where it may be passed.
    singly: whether the items of a show count singly then."""

    sign: int
    target: int
    singly: bool

    @property
    def is_plain(self) -> bool:
        """Whether it is simply points."""
        return self.sign == 1 and not self.target


PLAIN = Aim(1, 0, False)


def aim_of(rules: Rules) -> Aim:
    """What these rules make of points."""
    return Aim(-1 if rules.lowball else 1, rules.target if rules.exact_out else 0, rules.exact_out == "item")


def is_usual(rules: Rules) -> bool:
    """Whether two players with six cards each are simply after points: what the tables and solutions that ship know."""
    return rules.cards == 6 and aim_of(rules).is_plain


def without_aim(rules: Rules) -> Rules:
    """The same rules for somebody who is after points whatever they say."""
    return dataclasses.replace(rules, lowball=False, exact_out=False)


@kernel(inline=True)
def room_of(view, seat, target):
    """How many points a seat may still peg."""
    return target - np.int64(view.scores[np.uint64(seat)]) if target > 0 else NO_LIMIT


@kernel(inline=True)
def counted(points, count, room):
    """What is pegged of the points of a card that makes a count: its combinations, then the two for 31, are counts of
    their own, and none may pass the room."""
    last = 2 if count == MAX_COUNT else 0
    first = points - last if points - last <= room else 0
    return first + (last if first + last <= room else 0)
