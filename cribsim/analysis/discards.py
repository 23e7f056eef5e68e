"""One hand: what each discard is worth, exactly or by sampling."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import RANKS, format_cards, parse_cards
from cribsim.cribs import N_POINTS, add_samples_of_two, show_hands
from cribsim.errors import CardError, CribsimError
from cribsim.hands import index_classes
from cribsim.rules import Rules
from cribsim.sampling import BLOCK, sample_pairs, sample_singles
from cribsim.scoring import PAIR_CLASS, PARTS, RANK_PLACES, score_parts
from cribsim.stats import check_confidence, clean_json, quantile
from cribsim.strategies.tables import OTHERS, OWN, crib_table, pegging_table
from cribsim.strategies.throws import ANY_CARDS, ThrowModel, crib_histograms, throw_model, unseen_by
from cribsim.streams import check_seed, choice_key
from cribsim.views import kept_positions, thrown_positions
from cribsim.work import Progress, n_cores, share_out

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DEFAULT_OPPONENT = {2: "equilibrium", 3: "expectimax", 4: "expectimax"}
STATIC_TABLE = "schell"
MOST_SAMPLES = 10**10
_CHUNK = 1 << 16
_POINTS = np.arange(N_POINTS)


@dataclass(frozen=True)
class Worths:
    """Points by throw, in the order of the answers, as chances of 0 to 29: (answers, 30) each; for samples also the
    standard error of hand plus or minus crib."""

    hands: NDArray[np.float64]
    cribs: NDArray[np.float64]
    parts: NDArray[np.float64]
    total_se: NDArray[np.float64] | None = None


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
        total, loss, win; with samples also hand_se, crib_se, total_se, total_low, total_high; `parts` and the chances
        of points, `hand_points` and `crib_points`.
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
        """The contract's `discard`; with the parts of the hand and the chances of points where asked."""
        left_out = {name for name in _LONG if not (parts if name == "parts" else distributions)}
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


_LONG = ("parts", "hand_points", "crib_points")


def evaluate_discards(hand: str | Iterable[str | int], *, dealer: bool | None = None, **options: Any) -> pd.DataFrame:
    """What each discard of a hand is worth, one row each, best first.

    The parameters are those of `discard_values`, whose `frame` this is.

    Examples
    --------
    >>> frame = evaluate_discards("2C 3H 4D 5D 5S JS", dealer=False, opponent="uniform", pegging=False)
    >>> frame.keep[0], frame.throw[0], round(float(frame.hand[0]), 4)
    ('3H 4D 5D 5S', '2C JS', 12.4783)
    """
    return discard_values(hand, dealer=dealer, **options).frame


def discard_values(
    hand: str | Iterable[str | int],
    *,
    dealer: bool | None = None,
    role: str | None = None,
    opponent: Any = None,
    pegging: bool = True,
    static: str = STATIC_TABLE,
    samples: int = 0,
    seed: int = 0,
    rules: Rules | str | None = None,
    score: str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> DiscardValues:
    """What each discard of a hand is worth: hand, plus or minus crib, plus pegging.

    Parameters
    ----------
    hand
        Six cards for two players, five for three and four; or as many ranks (`"2 3 4 5 5 J"`): averages over suits.
    dealer, role
        Whose cards they are: `dealer=True` or False (the pone), or a role of the rules, as in `role="second"`.
    opponent
        How the others throw: `uniform` (any cards that are unseen) or a discard strategy that draws nothing at random.
        None: `equilibrium`, and with three and four players `expectimax`.
    pegging
        Whether the values of the play are added (two players).
    static
        The published crib table shown beside the crib.
    samples, seed
        Deals to sample instead of the exact answer (the hand's average, too, is then sampled).
    rules
        `Rules` or text; they say how many players.
    score
        Values by score aren't known yet.
    progress
        Called with hands (or samples) done and in all, for ranks alone and for samples.

    Returns
    -------
    DiscardValues
        Exact for two players, and for others who throw anything; with three and four players a strategy's throws are
        taken as independent but for cards that can't be twice (crib up to 0.03 and 0.08 points too high).

    Raises
    ------
    CardError, PlayerError, CribsimError
        Cards, opponent or numbers that can't be used.
    """
    known = _read_rules(rules)
    whose = _read_role(dealer, role, known)
    check_confidence(confidence)
    if score is not None:
        raise CribsimError("score= values by chance of winning aren't known yet; leave it out")
    model = throw_model(DEFAULT_OPPONENT[known.players] if opponent is None else opponent, known.players)
    hands, weights, by_ranks = _read_hand(hand, known)
    job = _Job(known, known.roles.index(whose), model, _check_samples(samples), check_seed(seed))
    worths = _average([job.worths(cards) for cards in _watched(hands, progress)], weights)
    if by_ranks:
        worths = _merge_equals(worths, [_format([hands[0][at] for at in throw], True) for throw in job.places[0]])
    table = pegging_table() if pegging and known.players == 2 else None
    rows = _rows(hands[0], by_ranks, job, worths, table, static, confidence)
    return DiscardValues(
        _format(hands[0], by_ranks),
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


def _watched(hands: list[list[int]], progress: Progress | None) -> Iterable[list[int]]:
    for done, cards in enumerate(hands):
        yield cards
        if progress and len(hands) > 1:
            progress(done + 1, len(hands))


def _read_rules(rules: Rules | str | None) -> Rules:
    if rules is None or isinstance(rules, str):
        return Rules.parse(rules or "standard")
    if isinstance(rules, Rules):
        return rules
    raise CribsimError(f"rules {rules!r}: give Rules or text such as 'standard,players=3'")


def _read_role(dealer: bool | None, role: str | None, rules: Rules) -> str:
    if (dealer is None) == (role is None):
        raise CribsimError("give dealer=True or dealer=False, or role=")
    if role is None:
        return "dealer" if dealer else "pone"
    if role not in rules.roles:
        raise CribsimError(f"role={role!r}: one of {', '.join(rules.roles)}")
    return role


def _check_samples(samples: int) -> int:
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or not 0 <= samples <= MOST_SAMPLES:
        raise CribsimError(f"samples={samples!r}: give a whole number from 0 to 10^10")
    return int(samples)


def _read_hand(hand: str | Iterable[str | int], rules: Rules) -> tuple[list[list[int]], NDArray[np.float64], bool]:
    """The hand that is meant, or one for each way to give suits to ranks; their weights; whether ranks were given."""
    n = rules.cards or 0
    ranks = _read_ranks(hand) if isinstance(hand, str) else None
    given = ranks if ranks is not None else parse_cards(hand)
    if len(given) != n:
        shown = hand if ranks is not None else format_cards(given)
        raise CardError(f"with {rules.players} players a hand has {n} cards; given {len(given)}: {shown or 'nothing'}")
    if ranks is None:
        return [sorted(given)], np.ones(1), False
    crowded = [RANKS[rank] for rank in set(ranks) if ranks.count(rank) > 4]
    if crowded:
        raise CardError(f"{hand!r}: there are only four cards of rank {crowded[0]}")
    hands = _suits_of(sorted(ranks))
    index = np.zeros(len(hands), np.int64)
    index_classes(np.array(hands, np.uint8), index)
    _, first, counts = np.unique(index, return_index=True, return_counts=True)
    return [hands[at] for at in first], counts / counts.sum(), True


def _read_ranks(text: str) -> list[int] | None:
    """Ranks alone, or None where the text holds suits."""
    words = re.split(r"[\s,-]+", text.strip().upper())
    ranks = [RANKS.find("T" if word == "10" else word) if word else -1 for word in words]
    return ranks if all(rank >= 0 and len(word) in (1, 2) for rank, word in zip(ranks, words, strict=True)) else None


def _suits_of(ranks: list[int]) -> list[list[int]]:
    """Every hand of these sorted ranks."""
    ways = [
        [[rank * 4 + suit for suit in suits] for suits in itertools.combinations(range(4), ranks.count(rank))]
        for rank in sorted(set(ranks))
    ]
    return [list(itertools.chain(*chosen)) for chosen in itertools.product(*ways)]


def _format(cards: Iterable[int], by_ranks: bool) -> str:
    return " ".join(RANKS[card >> 2] for card in cards) if by_ranks else format_cards(list(cards))


@dataclass(frozen=True)
class _Job:
    """What is asked about a hand."""

    rules: Rules
    role: int
    model: ThrowModel
    samples: int
    seed: int

    @property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions thrown and kept by answer."""
        n, n_thrown = self.rules.cards or 0, self.rules.n_thrown
        return thrown_positions(n, n_thrown), kept_positions(n, n_thrown)

    @property
    def sign(self) -> int:
        """What the crib counts for: 1 when one's own side pegs it."""
        n = self.rules.players
        partners = bool(self.rules.teams) and (n - 1 - self.role) % 2 == 0
        return 1 if self.role == n - 1 or partners else -1

    def worths(self, cards: list[int]) -> Worths:
        """Points by throw of one hand."""
        parts = self._parts(cards)
        return self._sampled(cards, parts) if self.samples else self._exact(cards, parts)

    def _exact(self, cards: list[int], parts: NDArray[np.float64]) -> Worths:
        unseen = unseen_by(cards)
        hands = np.zeros((len(parts), N_POINTS))
        show_hands(np.array(cards), unseen, self.places[1], hands)
        return Worths(hands / len(unseen), crib_histograms(self.model, cards, self.role), parts)

    def _parts(self, cards: list[int]) -> NDArray[np.float64]:
        own, unseen, kept = np.array(cards), unseen_by(cards), self.places[1]
        fours = np.repeat(own[kept], len(unseen), axis=0)
        parts = score_parts(fours, np.tile(unseen, len(kept)))
        means: NDArray[np.float64] = parts.reshape(len(kept), len(unseen), -1).mean(axis=1)
        return means

    def _sampled(self, cards: list[int], parts: NDArray[np.float64]) -> Worths:
        n = self.samples
        sample = _sample_two if self.rules.players == 2 else _sample_one
        hands, cribs, totals = sample(self, np.array(cards), unseen_by(cards))
        mean = totals[:, 0] / n
        spread = np.maximum(totals[:, 1] / n - mean**2, 0)
        return Worths(hands / n, cribs / n, parts, np.sqrt(spread / max(n - 1, 1)))

    @property
    def key(self) -> np.uint64:
        """From which the samples derive."""
        return np.uint64(choice_key(np.uint64(self.seed), np.uint64(self.role), 0))


def _shared(n: int, work: Callable[[int, int], Any]) -> list[Any]:
    """Do the samples 0 to n - 1 on all cores, a share of chunks each."""
    share = -(-n // n_cores())
    return list(share_out(lambda at: work(at, min(at + share, n)), range(0, n, share)))


Sums = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _sample_two(job: _Job, cards: NDArray[np.int64], unseen: NDArray[np.int64]) -> Sums:
    policy = job.model.others(job.role)[0]

    def count(first: int, end: int) -> NDArray[np.int32]:
        counts = np.zeros((1035, 46), np.int32)
        scratch = [np.zeros(n, np.int64) for n in (46, 6, BLOCK, BLOCK)]
        for at in range(first, end, _CHUNK):
            sample_pairs(job.key, at, min(at + _CHUNK, end), unseen, policy, np.arange(46), *scratch, counts)
        return counts

    counts = np.sum(_shared(job.samples, count), axis=0)
    found = np.zeros((15, N_POINTS)), np.zeros((15, N_POINTS)), np.zeros((15, 2))
    add_samples_of_two(cards, unseen, counts, job.sign, *found)
    return found


def _sample_one(job: _Job, cards: NDArray[np.int64], unseen: NDArray[np.int64]) -> Sums:
    policies = (*job.model.others(job.role), ANY_CARDS)[:3]

    def add(first: int, end: int) -> Sums:
        found = np.zeros((5, N_POINTS)), np.zeros((5, N_POINTS)), np.zeros((5, 2))
        scratch = np.arange(47), np.zeros(47, np.int64), np.zeros(5, np.int64), np.zeros(3, np.int64)
        for at in range(first, end, _CHUNK):
            end_at = min(at + _CHUNK, end)
            sample_singles(job.key, at, end_at, cards, unseen, policies, job.sign, scratch, *found)
        return found

    parts = _shared(job.samples, add)
    return tuple(np.sum(found, axis=0) for found in zip(*parts, strict=True))


def _average(worths: list[Worths], weights: NDArray[np.float64]) -> Worths:
    """The average over hands; samples of different hands are independent."""
    if len(worths) == 1:
        return worths[0]
    errors = [found.total_se for found in worths if found.total_se is not None]
    se = np.sqrt(np.tensordot(weights**2, np.square(errors), axes=1)) if errors else None
    return Worths(
        np.tensordot(weights, [found.hands for found in worths], axes=1),
        np.tensordot(weights, [found.cribs for found in worths], axes=1),
        np.tensordot(weights, [found.parts for found in worths], axes=1),
        se,
    )


def _merge_equals(worths: Worths, thrown: list[str]) -> Worths:
    """Of ranks alone, throws of equal ranks are one: each gets the average of all. (Sorted cards of one rank differ in
    their suits, so that no single one of them stands for all.)"""
    alike = np.array([[one == other for other in thrown] for one in thrown], float)
    alike /= alike.sum(axis=1, keepdims=True)
    se = None if worths.total_se is None else alike @ worths.total_se
    return Worths(alike @ worths.hands, alike @ worths.cribs, alike @ worths.parts, se)


def _rows(
    cards: list[int], by_ranks: bool, job: _Job, worths: Worths, table: Any, static: str, confidence: float
) -> list[dict[str, Any]]:
    thrown, kept = job.places
    rows: dict[str, dict[str, Any]] = {}
    for answer in range(len(thrown)):
        throw, keep = [cards[at] for at in thrown[answer]], [cards[at] for at in kept[answer]]
        named = {"keep": _format(keep, by_ranks), "throw": _format(throw, by_ranks)}
        if named["throw"] not in rows:
            row = {**named, **_points(worths, answer, job), **_pegging(keep, table, job.role)}
            row["static"] = _static(throw, static, job.sign)
            row["total"] = row["hand"] + job.sign * row["crib"] + (row["pegging"] or 0.0)
            if worths.total_se is not None:
                row |= _interval(row["total"], float(worths.total_se[answer]), confidence)
            rows[named["throw"]] = row
    found = sorted(rows.values(), key=lambda row: -row["total"])
    for row in found:
        row["loss"] = found[0]["total"] - row["total"]
        row["win"] = None
    return found


def _moments(chances: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation of points."""
    mean = float(chances @ _POINTS)
    return mean, math.sqrt(max(float(chances @ _POINTS**2) - mean**2, 0.0))


def _points(worths: Worths, answer: int, job: _Job) -> dict[str, Any]:
    hands, cribs = worths.hands[answer], worths.cribs[answer]
    held = np.flatnonzero(hands)
    (hand, hand_sd), (crib, crib_sd) = _moments(hands), _moments(cribs)
    row = {
        **{"hand": hand, "hand_sd": hand_sd, "hand_min": int(held[0]), "hand_max": int(held[-1])},
        **{"crib": crib, "crib_sd": crib_sd},
        "parts": dict(zip(PARTS, worths.parts[answer].tolist(), strict=True)),
        "hand_points": hands.tolist(),
        "crib_points": cribs.tolist(),
    }
    if worths.total_se is not None:
        root = math.sqrt(max(job.samples - 1, 1))
        row |= {"hand_se": hand_sd / root, "crib_se": crib_sd / root}
    return row


def _interval(total: float, se: float, confidence: float) -> dict[str, float]:
    reach = quantile(confidence) * se
    return {"total_se": se, "total_low": total - reach, "total_high": total + reach}


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
