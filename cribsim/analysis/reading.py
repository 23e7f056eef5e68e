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


def read_rules(rules: Rules | str | None) -> Rules:
    if rules is None or isinstance(rules, str):
        return Rules.parse(rules or "standard")
    if isinstance(rules, Rules):
        return rules
    raise CribsimError(f"rules {rules!r}: give Rules or text such as 'standard,players=3'")


def read_role(dealer: bool | None, role: str | None, rules: Rules) -> str:
    if (dealer is None) == (role is None):
        raise CribsimError("give dealer=True or dealer=False, or role=")
    if role is None:
        return "dealer" if dealer else "pone"
    if role not in rules.roles:
        raise CribsimError(f"role={role!r}: one of {', '.join(rules.roles)}")
    return role


def check_samples(samples: int) -> int:
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or not 0 <= samples <= MOST_SAMPLES:
        raise CribsimError(f"samples={samples!r}: give a whole number from 0 to 10^10")
    return int(samples)


def read_hand(hand: str | Iterable[str | int], rules: Rules) -> tuple[list[list[int]], NDArray[np.float64], bool]:
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


def format_hand(cards: Iterable[int], by_ranks: bool) -> str:
    return " ".join(RANKS[card >> 2] for card in cards) if by_ranks else format_cards(list(cards))
