"""One position of the play: what each card is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribsim.analysis.reading import check_samples
from cribsim.cards import format_cards
from cribsim.errors import CribsimError, IllegalPlay, require_whole, shown
from cribsim.pegging import EMPTY_HAND, highest_rank
from cribsim.pegging_game.game import with_small_chances
from cribsim.rollouts import card_points, roll_out
from cribsim.rules import Rules, pip_of, read_rules
from cribsim.stats import check_confidence, clean_json, quantile
from cribsim.strategies.base import DISCARD, PLAY, Half, fault_text
from cribsim.strategies.equilibrium_play import is_equilibrium, play_chances
from cribsim.strategies.finding import find_half
from cribsim.strategies.objective import aim_of, is_usual
from cribsim.strategies.ranges import holdings, kept_chances, pack, sample_hands
from cribsim.streams import check_seed
from cribsim.views import play_view, read_scores

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_SAMPLES = 20_000
_KEYS = {"players", "dealer", "seat", "hand", "discards", "starter", "plays", "scores"}


@dataclass(frozen=True, eq=False)
class PlayValues:
    """What each card that may be played is worth, best first.

    Attributes
    ----------
    count, unfit
        The count that is played on, and the cards held that would pass 31.
    rollout, discards, rules
        Who plays on; what the others keep (None: any cards unseen); by which rules.
    samples, seed, confidence
        Deals of the hidden cards, the same for every card.
    rows
        One dict a card: card, count (with it), now (what the card itself pegs, without go and last card, nothing
        overlooked), own and other (points to the end of the play or the game, on average, of the side and of the
        others), difference, se (of the difference), low, high, equilibrium (how often `equilibrium` plays it, by the
        solution of `rollout` if that is one: for points, nothing overlooked, the game not near its end; None in games
        that the solution isn't of), win (None).
    scores
        By side, where the position says so; None: the play goes to its end, whatever the scores.
    """

    count: int
    unfit: tuple[str, ...]
    rollout: str
    discards: str | None
    samples: int
    seed: int
    confidence: float
    rows: tuple[dict[str, Any], ...]
    rules: Rules
    scores: tuple[int, ...] | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One row a card, best first."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def to_json(self) -> dict[str, Any]:
        """The contract's `peg`."""
        told = {
            **{"count": self.count, "unfit": list(self.unfit)},
            **{"rollout": self.rollout, "discards": self.discards, "samples": self.samples, "seed": self.seed},
            **{"confidence": self.confidence, "rules": self.rules.as_dict()},
            **{"scores": None if self.scores is None else list(self.scores), "plays": list(self.rows)},
        }
        return clean_json(told)  # type: ignore[no-any-return]


def evaluate_plays(
    position: Mapping[str, Any],
    *,
    rollout: str | Half | Any = None,
    discards: str | Half | Any = None,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    rules: Rules | str | None = None,
) -> pd.DataFrame:
    """What each card that may be played is worth: `play_values(...).frame`, whose parameters and errors these are.

    Examples
    --------
    >>> frame = evaluate_plays({"dealer": 1, "seat": 0, "hand": "4D 5C 9H KS", "plays": []}, samples=2000)
    >>> sorted(frame.card), frame.card[3]
    (['4D', '5C', '9H', 'KS'], '5C')
    """
    asked: dict[str, Any] = {"rollout": rollout, "discards": discards, "samples": samples, "seed": seed}
    return play_values(position, **asked, confidence=confidence, rules=rules).frame


def play_values(
    position: Mapping[str, Any],
    *,
    rollout: str | Half | Any = None,
    discards: str | Half | Any = None,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    rules: Rules | str | None = None,
) -> PlayValues:
    """What each card that may be played is worth, from here to the end of the play.

    The hidden cards are drawn from the range: with two players how often the other keeps what he may still hold, given
    all cards that the seat has seen and every go; with three and four any cards unseen that the goes allow. Then all
    play on by `rollout`. Every card is tried on the same draws.

    Parameters
    ----------
    position
        dealer, seat, hand (cards still held), plays ([(seat, card or "go"), ...]) and, where known, players (2),
        discards, starter, scores (by side: then the game ends with the card that reaches the target).
    rollout
        A pegging strategy. None: `equilibrium`; with three and four players, in lowball and with exact count-out
        `expectimax`; in the five-card game `greedy`.
    discards
        A discard strategy that draws nothing at random, by which the other keeps his cards (two players with six
        cards). None: `equilibrium`, in lowball `expectimax`.
    samples, seed
        Draws of the hidden cards.
    rules
        `Rules` or text such as `lowball`; None: the standard game of as many players as the position says. In lowball
        the least difference is best. With exact count-out the position must tell the scores.

    Raises
    ------
    CribsimError
        A position that can't be (the message names the play), or numbers and strategies that can't be used.
    """
    known = _rules_of(position, rules)
    scores = _scores_of(position, known)
    view = _read(position, known, scores)
    check_confidence(confidence)
    if check_samples(samples) < 2:
        raise CribsimError(f"samples={samples!r}: at least 2 are wanted")
    rng = np.random.default_rng(check_seed(seed))
    is_solved = is_usual(known)
    half = find_half(_default_rollout(known) if rollout is None else rollout, PLAY)
    kept = _keeper(discards, known)
    hands = _draw(view, kept, known, samples, rng)
    solved = half if is_equilibrium(half) else find_half("equilibrium", PLAY)
    place = _Place(view, known, scores is not None, play_chances(view, solved) if is_solved else None)
    answers = [_answer_of(half, known)] * known.players
    held, highest = view["cards"][: int(view["n_cards"])].tolist(), highest_rank(int(view["count"]))
    rows, unfit = [], [card for card in held if card >> 2 > highest]
    for at in range(len(held) - len(unfit)):  # sorted: those that fit come first
        rolled = np.random.default_rng([seed, 1])  # the same keys for every card
        views, positions = np.repeat(view[None], len(hands)), np.full(len(hands), at)
        points = roll_out(known, views, hands, positions, answers, rolled, in_game=place.in_game)
        rows.append(place.row(at, points, confidence))
    rows.sort(key=lambda row: -aim_of(known).sign * row["difference"])
    counted = int(view["count"]), tuple(format_cards([card]) for card in unfit)
    kept_text = kept.text if kept else None
    return PlayValues(*counted, half.text, kept_text, len(hands), seed, confidence, tuple(rows), known, scores)


@dataclass(frozen=True)
class _Place:
    """What is asked about. in_game: whether its scores count; chances: of each card held, by the equilibrium."""

    view: Any
    rules: Rules
    in_game: bool
    chances: NDArray[np.float64] | None

    def row(self, at: int, points: NDArray[np.int64], confidence: float) -> dict[str, Any]:
        """What a card brings. points: by sample and seat."""
        view, rules, me = self.view, self.rules, int(self.view["seat"])
        mine = [seat for seat in range(rules.players) if rules.side(seat) == rules.side(me)]
        own = points[:, mine].sum(axis=1)
        other = points[:, : rules.players].sum(axis=1) - own
        apart = own - other
        mean, se = float(apart.mean()), float(apart.std(ddof=1) / math.sqrt(len(apart)))
        reach = quantile(confidence) * se
        card = int(view["cards"][at])
        return {
            "card": format_cards([card]),
            "count": int(view["count"]) + pip_of(card),
            "now": card_points(rules, view, at, in_game=self.in_game),
            **{"own": float(own.mean()), "other": float(other.mean()), "difference": mean, "se": se},
            **{"low": mean - reach, "high": mean + reach},
            **{"equilibrium": None if self.chances is None else float(self.chances[at]), "win": None},
        }


def _rules_of(position: Any, rules: Rules | str | None) -> Rules:
    """The rules that are given, and how many players the position says."""
    if not isinstance(position, Mapping) or not all(isinstance(key, str) for key in position):
        raise CribsimError(f"position {shown(position)}: give a mapping with {', '.join(sorted(_KEYS))}")
    unknown = set(position) - _KEYS
    missing = {"dealer", "seat", "hand", "plays"} - set(position)
    if unknown or missing:
        what = f"unknown: {', '.join(sorted(unknown))}" if unknown else f"missing: {', '.join(sorted(missing))}"
        raise CribsimError(f"position: {what}; it has {', '.join(sorted(_KEYS))}")
    given = position.get("players")
    players = None if given is None else require_whole(given, "players", 2, 4)
    known = read_rules(rules, players or 2)
    if players not in (None, known.players):
        raise CribsimError(f"position: players={players}, but the rules are for {known.players}; leave one out")
    return known


def _scores_of(position: Mapping[str, Any], rules: Rules) -> tuple[int, ...] | None:
    """The scores by side of a game that isn't over, where the position tells them."""
    if position.get("scores") is None:
        if rules.exact_out:
            raise CribsimError("with exact_out the scores decide what may be pegged: give scores (--score 110-113)")
        return None
    scores = tuple(read_scores(position["scores"], rules))
    if max(scores) >= rules.target:
        raise CribsimError(f"scores={list(scores)}: the game to {rules.target} is over")
    return scores


def _read(position: Mapping[str, Any], rules: Rules, scores: tuple[int, ...] | None) -> Any:
    options = {name: position[name] for name in ("starter", "discards") if position.get(name) is not None}
    view = play_view(
        position["hand"],
        position["plays"],
        dealer=position["dealer"],
        seat=position["seat"],
        rules=rules,
        scores=scores,
        **options,
    )[0]
    if int(view["cards"][0]) >> 2 > highest_rank(int(view["count"])):
        raise IllegalPlay(
            f"no card of {format_cards(view['cards'][: view['n_cards']])} fits at {view['count']}: it's a go"
        )
    return view


def _default_rollout(rules: Rules) -> str:
    """The strongest play that knows the rules."""
    if is_usual(rules):
        return "equilibrium"
    return "greedy" if rules.cards == 5 else "expectimax"


def _keeper(discards: Any, rules: Rules) -> Half | None:
    """By whom the other keeps his cards; None where any cards unseen are taken as likely."""
    if rules.cards == 6:
        usual = "expectimax" if rules.lowball else "equilibrium"
        return find_half(usual if discards is None else discards, DISCARD)
    if discards is not None:
        raise CribsimError(
            f"discards={shown(discards)} (--range): what others keep is known with two players and six cards; in other "
            f"games any cards unseen are as likely, so leave it out"
        )
    return None


def _draw(view: Any, kept: Half | None, rules: Rules, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Hands of all seats, packed, (samples, 4)."""
    if kept is None:
        found = sample_hands(view, samples, rng)
        if not len(found):
            raise CribsimError("hardly any hands of the others fit the goes; is the position right?")
        return found
    role = int(view["seat"] == view["dealer"])
    chances = with_small_chances(kept_chances(kept, rules))
    ranks, shares = holdings(view, chances[1 - role])
    if not len(ranks):
        raise CribsimError("the other can't hold any cards that fit what was played and said")
    drawn = rng.choice(len(ranks), samples, p=shares)
    hands = np.full((samples, 4), EMPTY_HAND, np.int64)
    hands[:, int(view["seat"])] = pack(view["cards"][None, : view["n_cards"]].astype(np.int64))[0]
    hands[:, 1 - int(view["seat"])] = pack(ranks * 4)[drawn]  # suits count nothing in the play
    return hands


def _answer_of(half: Half, rules: Rules) -> Callable[..., None]:
    bound = half.ready(rules)

    def answer(views: NDArray[Any], which: NDArray[np.int32], out: NDArray[np.int64]) -> None:
        try:
            bound.answer(views, which, bound.params, bound.table, out)
        except Exception as error:
            raise CribsimError(f"{half.text} ({PLAY}) {fault_text(error)}") from error

    return answer
