"""What a best reply gains with its discards: by the model by ranks, put right on hands worked out exactly.

The gain of every hand is known by the model; on a sample of hands the exact gain is worked out too, and the difference
of the two, which is small and varies little, puts the model's mean right. Hands whose two best throws lie close
together, where the model may choose wrongly, are drawn oftener and weighed less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.by_ranks import average_cribs, classes, mix_of, value_answers
from cribsim.analysis.equilibrium import PONE, SIGNS, answers_by_class, suited_ratio
from cribsim.stats import quantile
from cribsim.strategies.base import Half
from cribsim.strategies.ranges import numbers_kept
from cribsim.strategies.throws import ThrowModel, exact_worths, kept_of
from cribsim.work import Progress

_CLOSE, _OFTENER = 0.03, 20.0


@dataclass(frozen=True)
class Gain:
    """Points a deal that a reply gains in one role, and its standard error."""

    mean: float
    se: float


@dataclass(frozen=True)
class Part:
    """Gains of a reply as pone and as dealer, points a deal."""

    pone: Gain
    dealer: Gain

    @property
    def mean(self) -> float:
        """The mean of both."""
        return (self.pone.mean + self.dealer.mean) / 2

    @property
    def se(self) -> float:
        """Of the mean."""
        return math.hypot(self.pone.se, self.dealer.se) / 2

    def to_json(self, confidence: float) -> dict[str, Any]:
        """Gains with standard errors; `exploitability`, their mean, with its interval."""
        reach = quantile(confidence) * self.se
        return {
            **{"pone": self.pone.mean, "dealer": self.dealer.mean},
            **{"pone_se": self.pone.se, "dealer_se": self.dealer.se},
            **{"exploitability": self.mean, "se": self.se, "low": self.mean - reach, "high": self.mean + reach},
        }


def reply_gains(
    model: ThrowModel,
    half: Half,
    role: int,
    own: NDArray[np.float64],
    replies: list[NDArray[np.float64]],
    n: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> tuple[list[Gain], float]:
    """What the best discards gain over those of a strategy that both throw by, in one role.

    Parameters
    ----------
    own
        What each kept hand pegs for the strategy, less what the other pegs, (1820,).
    replies
        What it pegs for the reply, one array for each kind of reply that is judged.
    n
        Hands worked out exactly, the same for every kind.

    Returns
    -------
    gains, taken
        A gain for each kind of reply; and what the strategy against itself takes from this role: the pone's hand less
        crib plus pegging, or the dealer's hand.
    """
    hands, sizes, index = classes()
    other, answers = answers_by_class(half, 1 - role), answers_by_class(half, role)
    cribs, flush = average_cribs(mix_of(other)), suited_ratio(other)
    kept = numbers_kept(hands, answers)
    weights, by_kind = sizes / sizes.sum(), []
    for reply in replies:
        values = np.zeros((len(hands), 4))
        value_answers(hands, index, SIGNS[role], cribs, reply, flush, answers, np.zeros((2, 15)), values)
        by_kind.append(values)
    drawn = weights * np.where(by_kind[-1][:, 0] - by_kind[-1][:, 1] < _CLOSE, _OFTENER, 1)
    chosen = rng.choice(len(hands), n, p=drawn / drawn.sum())
    gains = [found[:, 0] - found[:, 2] + (reply - own)[kept] for found, reply in zip(by_kind, replies, strict=True)]
    apart = np.zeros((len(replies), n))
    for done, at in enumerate(chosen):
        worths, places = exact_worths(model, hands[at], role), kept_of(hands[at])
        mine = worths[answers[at]] + own[kept[at]]
        for kind, reply in enumerate(replies):
            exact = (worths + reply[places]).max() - mine
            apart[kind, done] = (exact - gains[kind][at]) * weights[at] * drawn.sum() / drawn[at]
        if progress:
            progress(done + 1, n)
    found = [
        Gain(float(weights @ gain + off.mean()), float(off.std(ddof=1) / math.sqrt(n)))
        for gain, off in zip(gains, apart, strict=True)
    ]
    first = by_kind[0][:, 2] - replies[0][kept]
    return found, float(weights @ (first + own[kept] if role == PONE else first - by_kind[0][:, 3]))
