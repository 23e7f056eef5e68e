"""Deals of which something is given: cards that a player is dealt, keeps or throws, and the starter.

Cards that are given as dealt, kept or thrown are dealt to their player, the rest is drawn from what is left of the
pack. Where a player's choice is given, the strategy is asked all the same, and a deal in which it chooses otherwise is
drawn anew: so the deals are those that the strategies would have come to. Only when all of a player's cards are given
as kept or thrown there is nothing to choose, and the strategy isn't heard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, NO_CARD, format_cards, parse_cards
from cribsim.errors import CardError, CribsimError, nearest
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import Rules
from cribsim.sampling import draw_cards, return_cards
from cribsim.streams import choice_key, decision_key
from cribsim.views import thrown_positions

GIVEN = np.dtype(
    (
        np.record,
        [
            ("rows", "u1", (24,)),
            ("pack", "i8", (N_CARDS,)),
            ("places", "i8", (N_CARDS,)),
            ("n_pack", "i8"),
            ("kept", "u8", (MAX_PLAYERS,)),
            ("thrown", "u8", (MAX_PLAYERS,)),
            ("forced", "i8", (MAX_PLAYERS,)),
        ],
    )
)
"""What the engine needs: the card of each row of `table.Table.cards` (NO_CARD: to be drawn), the pack that is left
(n_pack 0: nothing is given) and scratch; by role the cards that must be kept and thrown, as bits, and the answer of a
player who has nothing to choose (-1: he has)."""

MOST_REDRAWN = 100_000
"""Deals drawn for one that is as given; after so many the run gives up."""
_DEALING = 4
"""In place of a role: the key by which given deals are drawn."""
_PARTS = ("", "_kept", "_thrown")


@kernel
def deal_given(seed, rules, given, numbers, steps, n, out_cards):
    """Deal what isn't given from the rest of the pack. given: GIVEN[1]; numbers: uint64[n]; steps: int64[n]; out_cards:
    uint8[24, n]."""
    what = given[0]
    n_free = 0
    for row in range(rules.n_cards):
        n_free += what.rows[row] == NO_CARD
    for i in range(n):
        key = decision_key(choice_key(seed, numbers[i], steps[i]), _DEALING, 0)
        draw_cards(key, 0, 0, what.n_pack, n_free, what.pack, what.places)
        drawn = 0
        for row in range(rules.n_cards):
            if what.rows[row] == NO_CARD:
                out_cards[row, i] = what.pack[drawn]
                drawn += 1
            else:
                out_cards[row, i] = what.rows[row]
        return_cards(n_free, what.pack, what.places)


@kernel(inline=True)
def holds(packed, n, cards):
    """Whether packed cards are all of those of a set. packed: n bytes; cards: uint64, by bits."""
    held = np.uint64(0)
    for k in range(n):
        held |= np.uint64(1) << np.uint64(packed >> (8 * k) & 63)
    return cards & ~held == 0


@dataclass(frozen=True)
class Given:
    """What is given: cards by name (`pone`, `pone_kept`, `pone_thrown`, so for each role, and `starter`)."""

    cards: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cards)

    def as_dict(self) -> dict[str, str]:
        """The cards as text, by name."""
        return {name: format_cards(list(cards)) for name, cards in self.cards}

    @property
    def text(self) -> str:
        """In one line."""
        return ", ".join(f"{name} {cards}" for name, cards in self.as_dict().items())

    @classmethod
    def read(cls, given: Mapping[str, Any] | Sequence[str] | None, rules: Rules) -> Given:
        """What a caller gives: a mapping, or texts such as `pone=5H 5S`.

        Raises
        ------
        CribsimError
            A name that isn't known or is given twice.
        CardError
            Cards that contradict each other; the message names them.

        Examples
        --------
        >>> Given.read(["starter=5C", "pone_kept=5H 5S"], Rules()).as_dict()
        {'starter': '5C', 'pone_kept': '5H 5S'}
        """
        found: dict[str, tuple[int, ...]] = {}
        known = ["starter", *(role + part for role in rules.roles for part in _PARTS)]
        for name, cards in _pairs(given):
            if name not in known:
                raise CribsimError(f"given {name}: not known{nearest(name, known)}; known: {', '.join(known)}")
            if name in found:
                raise CribsimError(f"{name} is given twice")
            found[name] = tuple(_read_cards(name, cards))
        _check(found, rules)
        return cls(tuple(found.items()))

    def of(self, name: str) -> list[int]:
        """The cards of one name."""
        return list(dict(self.cards).get(name, ()))

    def record(self, rules: Rules) -> NDArray[Any]:
        """In the form the engine takes: GIVEN[1]."""
        record = np.zeros(1, GIVEN)
        what = record[0]
        what["rows"], what["forced"] = NO_CARD, -1
        if not self:
            return record
        for role, name in enumerate(rules.roles):
            self._fill_role(what, role, name, rules)
        for card in self.of("starter"):
            what["rows"][int(rules.record(in_game=False)[0]["n_cards"]) - 1] = card
        pack = np.setdiff1d(np.arange(N_CARDS), what["rows"])
        what["pack"][: len(pack)], what["n_pack"] = pack, len(pack)
        return record

    def _fill_role(self, what: Any, role: int, name: str, rules: Rules) -> None:
        dealt, kept, thrown = (self.of(name + part) for part in _PARTS)
        n_dealt, held = rules.n_dealt, sorted({*dealt, *kept, *thrown})
        what["rows"][role * n_dealt : role * n_dealt + len(held)] = held
        what["kept"][role], what["thrown"][role] = (sum(1 << card for card in cards) for cards in (kept, thrown))
        if len(kept) + len(thrown) == n_dealt or (len(held) == n_dealt and len(kept) == rules.n_kept):
            thrown = sorted(set(held) - set(kept))
        if len(held) == n_dealt and len(thrown) == rules.n_thrown:
            at = [held.index(card) for card in sorted(thrown)]
            what["forced"][role] = thrown_positions(n_dealt, rules.n_thrown).tolist().index(at)


NOTHING_GIVEN = Given()


def _pairs(given: Mapping[str, Any] | Sequence[str] | None) -> list[tuple[str, Any]]:
    if given is None:
        return []
    if isinstance(given, Mapping) and all(isinstance(name, str) for name in given):
        return list(given.items())
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, str) and "=" in item for item in given):
        raise CribsimError(f"given {given!r}: write name=cards, as in starter=5C or pone_kept='5H 5S'")
    return [(name.strip(), cards) for name, _, cards in (item.partition("=") for item in given)]


def _read_cards(name: str, cards: Any) -> list[int]:
    try:
        found = sorted(parse_cards(cards))
    except CardError as error:
        raise CardError(f"given {name}: {error}") from None
    if not found:
        raise CardError(f"given {name}: no cards")
    return found


def _check(found: dict[str, tuple[int, ...]], rules: Rules) -> None:
    """Refuse cards that can't be together, by name."""
    n_dealt, places = rules.n_dealt, {"starter": set(found.get("starter", ()))}
    _check_number("starter", places["starter"], 1)
    for role in rules.roles:
        dealt, kept, thrown = (set(found.get(role + part, ())) for part in _PARTS)
        _check_number(f"{role}_kept", kept, rules.n_kept)
        _check_number(f"{role}_thrown", thrown, rules.n_thrown)
        if kept & thrown:
            raise CardError(f"given {role}_kept and {role}_thrown both hold {format_cards(sorted(kept & thrown))}")
        places[role] = dealt | kept | thrown
        _check_number(role, places[role], n_dealt)
    names = list(places)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            if places[one] & places[other]:
                both = format_cards(sorted(places[one] & places[other]))
                raise CardError(f"given {one} and {other} both hold {both}")


def _check_number(name: str, cards: set[int], most: int) -> None:
    if len(cards) > most:
        raise CardError(f"given {name}: {len(cards)} cards ({format_cards(sorted(cards))}), but at most {most} can be")
