"""What is asked about a hand, as people write it: cards or ranks alone, whose they are, under which rules."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import RANKS, format_cards, parse_cards
from cribsim.errors import CardError, CribsimError
from cribsim.hands import index_classes
from cribsim.rules import Rules

MOST_SAMPLES = 10**10


def read_role(dealer: bool | None, role: str | None, rules: Rules) -> str:
    """The role that exactly one of `dealer` and `role` names."""
    if not (dealer is None or isinstance(dealer, (bool, np.bool_))):
        raise CribsimError(f"dealer={dealer!r}: give True or False (or role=, one of {', '.join(rules.roles)})")
    if (dealer is None) == (role is None):
        raise CribsimError("give dealer=True or dealer=False, or role=")
    if role is None:
        return "dealer" if dealer else "pone"
    if role not in rules.roles:
        more = "; with three and four players (rules='three', rules='four') also second and third"
        raise CribsimError(f"role={role!r}: one of {', '.join(rules.roles)}{more if rules.players == 2 else ''}")
    return role


def check_flag(name: str, value: bool) -> bool:
    """True or False, and nothing that only looks like it."""
    if not isinstance(value, (bool, np.bool_)):
        raise CribsimError(f"{name}={value!r}: give True or False")
    return bool(value)


def check_samples(samples: int) -> int:
    """A number of deals to sample; 0: none."""
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or not 0 <= samples <= MOST_SAMPLES:
        raise CribsimError(f"samples={samples!r}: give a whole number from 0 to 10^10")
    return int(samples)


def read_hand(hand: str | Iterable[str | int], rules: Rules) -> tuple[list[list[int]], NDArray[np.float64], bool]:
    """The hand that is meant, or one for each way to give suits to ranks; their weights; whether ranks were given."""
    n = rules.n_dealt
    ranks = _read_ranks(hand) if isinstance(hand, str) else None
    given = ranks if ranks is not None else parse_cards(hand)
    if len(given) != n:
        shown = hand if ranks is not None else format_cards(given)
        more = "; rules three, four and five-card take five" if rules.n_dealt == 6 and len(given) == 5 else ""
        raise CardError(
            f"with {rules.players} players a hand has {n} cards; given {len(given)}: {shown or 'nothing'}{more}"
        )
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
    words = ["T" if word == "10" else word for word in re.split(r"[\s,-]+", text.strip(" \t\n,-").upper())]
    return [RANKS.index(word) for word in words] if all(len(word) == 1 and word in RANKS for word in words) else None


def _suits_of(ranks: list[int]) -> list[list[int]]:
    """Every hand of these sorted ranks."""
    ways = [
        [[rank * 4 + suit for suit in suits] for suits in itertools.combinations(range(4), ranks.count(rank))]
        for rank in sorted(set(ranks))
    ]
    return [list(itertools.chain(*chosen)) for chosen in itertools.product(*ways)]


def format_hand(cards: Iterable[int], by_ranks: bool) -> str:
    """Cards as text, or their ranks alone."""
    return " ".join(RANKS[card >> 2] for card in cards) if by_ranks else format_cards(list(cards))
