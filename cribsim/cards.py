"""Cards as small ints, and as text: `card >> 2` is the rank (0 = ace, 12 = king), `card & 3` the suit.

Sorted cards are sorted by rank. This room knows nothing of any game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cribsim.errors import CardError, shown

RANKS = "A23456789TJQK"
SUITS = "CDHS"
N_CARDS = 52
NO_CARD = 255
"""Fills the places of card lists that hold nothing."""

_SUIT_SIGNS = str.maketrans("♣♦♥♠♧♢♡♤", "CDHSCDHS")
_CARD = re.compile(r"(10|[A2-9TJQK])([CDHS])")


def parse_card(text: str) -> int:
    """Read one card: rank then suit, as in `5H`, `TD`, `10d` or `J♥`.

    >>> parse_card("5H"), parse_card("10d"), parse_card("A♣")
    (18, 37, 0)
    """
    match = _CARD.fullmatch(text.strip().upper().translate(_SUIT_SIGNS))
    if match is None:
        raise CardError(f"{shown(text)} is not a card; write rank then suit, as in 5H or TD")
    rank, suit = match.groups()
    return RANKS.index(rank.replace("10", "T")) * 4 + SUITS.index(suit)


def parse_cards(cards: str | Iterable[str | int]) -> list[int]:
    """Read several different cards, in the order given.

    Parameters
    ----------
    cards
        Text such as `"5H 5S 5C JD"` (spaces or commas between, or nothing), or a list of texts or ints 0-51.

    Raises
    ------
    CardError
        Something is not a card, or a card is given twice.

    Examples
    --------
    >>> parse_cards("5H 5S 5C JD")
    [18, 19, 16, 41]
    >>> parse_cards(["5H", 19])
    [18, 19]
    """
    codes = [_code(card) for card in _split(cards)]
    seen: set[int] = set()
    for code in codes:
        if code in seen:
            raise CardError(f"{format_card(code)} given twice")
        seen.add(code)
    return codes


def _split(cards: str | Iterable[str | int]) -> list[str | int]:
    if not isinstance(cards, Iterable) or isinstance(cards, Mapping):
        raise CardError(f"{shown(cards)} is not a list of cards; write '5H 5S JD'")
    if not isinstance(cards, str):
        return list(cards)
    words: list[str | int] = []
    for word in cards.replace(",", " ").split():
        plain = word.upper().translate(_SUIT_SIGNS)
        together = [match.group() for match in _CARD.finditer(plain)]
        words.extend(together if "".join(together) == plain else [word])
    return words


def _code(card: str | int) -> int:
    if isinstance(card, str):
        return parse_card(card)
    try:
        code = int("no card" if isinstance(card, bool) else card)
    except (TypeError, ValueError, OverflowError):
        raise CardError(f"{shown(card)} is not a card; give text such as 5H or an int 0-51") from None
    if code != card or not 0 <= code < N_CARDS:
        raise CardError(f"card code {card} out of range; cards are the ints 0-51 (rank * 4 + suit)")
    return code


def format_card(card: int) -> str:
    """Write one card, as in `5H`."""
    return RANKS[card >> 2] + SUITS[card & 3]


def format_cards(cards: Iterable[int]) -> str:
    """Write cards as text that `parse_cards` reads back.

    Raises
    ------
    CardError
        Something is not a card.

    Examples
    --------
    >>> format_cards([18, 19, 16, 41])
    '5H 5S 5C JD'
    """
    return " ".join(format_card(_code(card)) for card in _split(cards))


def require_cards(cards: str | Iterable[str | int], n: int, what: str) -> list[int]:
    """Read exactly `n` cards, or say what was given and wanted."""
    codes = parse_cards(cards)
    if len(codes) != n:
        given = format_cards(codes) or "nothing"
        raise CardError(f"{what} takes {n} card{'s' if n != 1 else ''}, not {len(codes)} ({given})")
    return codes
