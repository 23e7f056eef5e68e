"""One hand: what each discard is worth, exactly or by sampling."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.reading import check_samples, format_hand, read_hand, read_role
from cribsim.analysis.worths import Job, Worths, average, merge_equals
from cribsim.cribs import N_POINTS
from cribsim.errors import CribsimError
from cribsim.rules import Rules, read_rules, refuse_rules
from cribsim.scoring import PAIR_CLASS, PARTS, RANK_PLACES
from cribsim.stats import check_confidence, clean_json, quantile
from cribsim.strategies.objective import aim_of, is_usual
from cribsim.strategies.tables import OTHERS, OWN, PeggingTable, crib_table, pegging_of
from cribsim.strategies.throws import throw_model
from cribsim.streams import check_seed
from cribsim.work import Progress

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

STATIC_TABLE = "schell"
_POINTS = np.arange(N_POINTS)


@dataclass(frozen=True, eq=False)
class DiscardValues:
    """What each discard of a hand is worth, best first.

    Attributes
    ----------
    hand, role, opponent
        The cards, whose they are, and the model of what the others throw.
    pegging
        What the pegging values come from; None where they are left out.
    static
        The published table beside the crib.
    samples, seed, confidence
        0 samples: exact.
    rows
        One dict a discard: keep, throw, hand, hand_sd, hand_min, hand_max, crib, crib_sd, static, pegging, pegging_se,
        total, loss, win; with samples also the standard errors and intervals of what was sampled, as in hand_se,
        hand_low and hand_high, of hand, crib, total and loss; hand and crib by part, `parts` and `crib_parts`; the
        chances of points, `hand_points` and `crib_points`.
    """

    hand: str
    role: str
    opponent: str
    rules: Rules
    pegging: str | None
    static: str
    samples: int
    seed: int
    confidence: float
    rows: tuple[dict[str, Any], ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row a discard, best first."""
        import pandas as pd

        return pd.DataFrame([{key: value for key, value in row.items() if key not in _LONG} for row in self.rows])

    def to_json(self, *, parts: bool = False, distributions: bool = False) -> dict[str, Any]:
        """The contract's `discard`; with hand and crib by part and the chances of points where asked."""
        left_out = {name for name in _LONG if not (parts if name in _PARTS else distributions)}
        rows = [{key: value for key, value in row.items() if key not in left_out} for row in self.rows]
        told = {
            **{"hand": self.hand, "role": self.role, "opponent": self.opponent, "rules": self.rules.as_dict()},
            **{"pegging_table": self.pegging, "crib_table": self.static},
            **{"samples": self.samples, "seed": self.seed if self.samples else None, "confidence": self.confidence},
            "discards": rows,
        }
        return clean_json(told)  # type: ignore[no-any-return]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw hand, crib and pegging of each discard."""
        from cribsim.plots import plot_discards

        return plot_discards(self, ax=ax)

    def _repr_html_(self) -> str:
        return f"<p><b>{self.hand}</b>, {self.role}</p>{self.frame.round(3).to_html(index=False)}"


_PARTS = ("parts", "crib_parts")
_LONG = (*_PARTS, "hand_points", "crib_points")


def evaluate_discards(
    hand: str | Iterable[str | int],
    *,
    dealer: bool | None = None,
    role: str | None = None,
    opponent: Any = None,
    pegging: bool | str = True,
    static: str = STATIC_TABLE,
    samples: int = 0,
    seed: int = 0,
    rules: Rules | str | None = None,
    score: str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """What each discard of a hand is worth, one row each, best first: `discard_values(...).frame`, whose parameters and
    errors these are.

    Examples
    --------
    >>> frame = evaluate_discards("2C 3H 4D 5D 5S JS", dealer=False, opponent="uniform", pegging=False)
    >>> frame.keep[0], frame.throw[0], round(float(frame.hand[0]), 4)
    ('3H 4D 5D 5S', '2C JS', 12.4783)
    """
    return discard_values(
        hand,
        dealer=dealer,
        role=role,
        opponent=opponent,
        pegging=pegging,
        static=static,
        samples=samples,
        seed=seed,
        rules=rules,
        score=score,
        confidence=confidence,
        progress=progress,
    ).frame


def discard_values(
    hand: str | Iterable[str | int],
    *,
    dealer: bool | None = None,
    role: str | None = None,
    opponent: Any = None,
    pegging: bool | str = True,
    static: str = STATIC_TABLE,
    samples: int = 0,
    seed: int = 0,
    rules: Rules | str | None = None,
    score: str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> DiscardValues:
    """What each discard of a hand is worth: hand, plus or minus crib, plus pegging; in lowball the fewest points are
    best.

    Parameters
    ----------
    hand
        Six cards for two players, five for three and four and for the five-card game; or as many ranks
        (`"2 3 4 5 5 J"`): averages over suits.
    dealer, role
        Whose cards they are: `dealer=True` or False (the pone), or a role of the rules, as in `role="second"`.
    opponent
        How the others throw: `uniform` (any cards that are unseen) or a discard strategy that draws nothing at random.
        None: `equilibrium`; with three and four players, in the five-card game and in lowball `expectimax`.
    pegging
        Whether the values of the play are added (two players with six cards, not in lowball).
    static
        The published crib table shown beside the crib.
    samples, seed
        Deals to sample instead of the exact answer (the hand's average, too, is then sampled); not with five cards.
    rules
        `Rules` or text; they say how many players, and whether four of a suit make a flush in the crib. Exact count-out
        and what players overlook aren't known.
    score
        Values by score aren't known yet.
    confidence
        Of the intervals of samples.
    progress
        Called with hands done and in all, of ranks alone; with samples done and in all, of one hand.

    Returns
    -------
    DiscardValues
        Exact for two players, and for others who throw anything; with three and four players a strategy's throws are
        taken as independent but for cards that can't be twice (crib up to 0.03 and 0.08 points too high).

    Raises
    ------
    CardError, PlayerError, CribsimError
        Cards, opponent or numbers that can't be used.

    Examples
    --------
    >>> found = discard_values("2C 3H 4D 5D 5S JS", dealer=True, opponent="uniform")
    >>> found.rows[0]["throw"], round(found.rows[1]["loss"], 2), found.pegging
    ('5D 5S', 0.26, 'equilibrium against equilibrium')
    """
    known = read_rules(rules)
    refuse_rules(known, "discards are valued at no score, with nothing overlooked, so not with", ("exact_out", "miss"))
    whose = read_role(dealer, role, known)
    check_confidence(confidence)
    if score is not None:
        raise CribsimError("score= values by chance of winning aren't known yet; leave it out")
    model = throw_model(_default_opponent(known) if opponent is None else opponent, known)
    hands, weights, by_ranks = read_hand(hand, known)
    job = Job(known, known.roles.index(whose), model, check_samples(samples), check_seed(seed))
    if known.n_thrown == 2:
        crib_table(static)  # a table that isn't there is told before the work
    if known.cards == 5 and samples:
        raise CribsimError(f"samples={samples}: with cards=5 the exact answer is there at once; leave it out")
    table = _pegging_table(pegging, known)
    many = len(hands) > 1
    worths = average(
        [job.worths(cards, None if many else progress) for cards in _watched(hands, progress if many else None)],
        weights,
    )
    if by_ranks:
        worths = merge_equals(worths, [format_hand([hands[0][at] for at in throw], True) for throw in job.places[0]])
    rows = _rows(hands[0], by_ranks, job, worths, table, static, confidence)
    return DiscardValues(
        format_hand(hands[0], by_ranks),
        whose,
        model.text,
        known,
        table.text if table else None,
        static,
        job.samples,
        job.seed,
        confidence,
        tuple(rows),
    )


def _default_opponent(rules: Rules) -> str:
    return "equilibrium" if is_usual(rules) else "expectimax"


def _pegging_table(pegging: bool | str, rules: Rules) -> PeggingTable | None:
    if is_usual(rules):
        return pegging_of(pegging)
    if isinstance(pegging, str):
        raise CribsimError(
            f"pegging={pegging!r}: what kept cards peg is known for two players only, with six cards, who are "
            f"after points"
        )
    pegging_of(pegging)  # what isn't a flag is refused
    return None


def _watched(hands: list[list[int]], progress: Progress | None) -> Iterable[list[int]]:
    for done, cards in enumerate(hands):
        yield cards
        if progress:
            progress(done + 1, len(hands))


def _rows(
    cards: list[int], by_ranks: bool, job: Job, worths: Worths, table: Any, static: str, confidence: float
) -> list[dict[str, Any]]:
    thrown, kept = job.places
    rows: dict[str, tuple[int, dict[str, Any]]] = {}
    for answer in range(len(thrown)):
        throw, keep = [cards[at] for at in thrown[answer]], [cards[at] for at in kept[answer]]
        named = {"keep": format_hand(keep, by_ranks), "throw": format_hand(throw, by_ranks)}
        if named["throw"] not in rows:
            row = {**named, **_points(worths, answer), **_pegging(keep, table, job.role)}
            row["static"] = _static(throw, static, job.sign) if is_usual(job.rules) else None
            row["total"] = row["hand"] + job.sign * row["crib"] + (row["pegging"] or 0.0)
            rows[named["throw"]] = answer, row
    sign = aim_of(job.rules).sign
    found = sorted(rows.values(), key=lambda item: -sign * item[1]["total"])
    (best, best_row), reach = found[0], quantile(confidence)
    for answer, row in found:
        row["loss"] = sign * (best_row["total"] - row["total"]) + 0.0  # no -0.0
        row["win"] = None
        if worths.is_sampled:
            row |= _errors(worths, answer, best)
            for name in _SAMPLED:
                half = reach * row[f"{name}_se"]
                row |= {f"{name}_low": row[name] - half, f"{name}_high": row[name] + half}
    return [row for _, row in found]


_SAMPLED = ("hand", "crib", "total", "loss")


def _errors(worths: Worths, answer: int, best: int) -> dict[str, float]:
    """Standard errors of what was sampled. All throws are tried on the same deals, which a loss profits from."""
    covariance: Any = worths.total_covariance
    variances = {
        "hand": worths.hand_variance[answer],  # type: ignore[index]
        "crib": worths.crib_variance[answer],  # type: ignore[index]
        "total": covariance[answer, answer],
        "loss": covariance[best, best] + covariance[answer, answer] - 2 * covariance[best, answer],
    }
    return {f"{name}_se": math.sqrt(max(float(variance), 0.0)) for name, variance in variances.items()}


def _moments(chances: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation of points."""
    mean = float(chances @ _POINTS)
    return mean, math.sqrt(max(float(chances @ _POINTS**2) - mean**2, 0.0))


def _points(worths: Worths, answer: int) -> dict[str, Any]:
    hands, cribs = worths.hands[answer], worths.cribs[answer]
    held = np.flatnonzero(hands)
    (hand, hand_sd), (crib, crib_sd) = _moments(hands), _moments(cribs)
    return {
        **{"hand": hand, "hand_sd": hand_sd, "hand_min": int(held[0]), "hand_max": int(held[-1])},
        **{"crib": crib, "crib_sd": crib_sd},
        "parts": dict(zip(PARTS, worths.hand_parts[answer].tolist(), strict=True)),
        "crib_parts": dict(zip(PARTS, worths.crib_parts[answer].tolist(), strict=True)),
        "hand_points": hands.tolist(),
        "crib_points": cribs.tolist(),
    }


def _pegging(keep: list[int], table: Any, role: int) -> dict[str, Any]:
    if table is None:
        return {"pegging": None, "pegging_se": None}
    index = RANK_PLACES[np.arange(4), [card >> 2 for card in keep]].sum()
    return {"pegging": float(table.difference[role, index]), "pegging_se": float(table.se[role, index])}


def _static(throw: list[int], name: str, sign: int) -> float | None:
    """The published average of the pair thrown to this crib."""
    if len(throw) != 2:
        return None
    pair = PAIR_CLASS[(throw[0] >> 2) * 13 + (throw[1] >> 2)]
    return float(crib_table(name)[OWN if sign > 0 else OTHERS, pair])
