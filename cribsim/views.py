"""What a seat may know, and nothing else: the records that strategies are asked with, and the shape of a strategy.

A compiled strategy is a kernel `answer(views, which, params, table, out_answers)`: for each i in `which` it reads
`views[i]` and writes `out_answers[i]`. `params` (float64) and `table` (uint8) are its own. An answer to a discard is
the index into the lexicographic combinations of the sorted cards thrown (15 for two of six, 5 for one of five); to a
play, the position in the view's unplayed cards.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cribsim.cards import NO_CARD, format_card, parse_cards, require_cards
from cribsim.errors import CardError, CribsimError, IllegalPlay, shown
from cribsim.pegging import EMPTY_HAND, PLAY_FIELDS, end_turn, end_turn_next, lay_card, start_play
from cribsim.rule_record import MAX_PLAYERS, MAX_TARGET
from cribsim.rules import MAX_COUNT, Rules, pip_of, read_rules

DISCARD_VIEW = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("scores", "i4", (MAX_PLAYERS,)),
            ("cards", "u1", (6,)),
            ("n_cards", "u1"),
            ("n_thrown", "u1"),
            ("seat", "u1"),
            ("dealer", "u1"),
            ("players", "u1"),
            ("role", "u1"),
        ],
    )
)
"""One discard: own cards (sorted; the first n_cards count, NO_CARD behind), how many to throw, the scores by seat,
role (0 the pone, players - 1 the dealer), and `key`, 64 random bits of this decision."""

PLAY_VIEW = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("scores", "i4", (MAX_PLAYERS,)),
            ("cards", "u1", (4,)),
            ("discards", "u1", (2,)),
            ("n_cards", "u1"),
            ("seat", "u1"),
            *PLAY_FIELDS,
            ("spare", "u1", (4,)),
        ],
    )
)
"""One play: own unplayed cards (sorted, NO_CARD behind), own discards, and all that lies on the table
(see `cribsim.pegging.PLAY_FIELDS`)."""

_WHICH, _PARAMS, _TABLE, _ANSWERS = types.int32[::1], types.float64[::1], types.uint8[::1], types.int64[::1]
DISCARD_ANSWER = types.void(numba.from_dtype(DISCARD_VIEW)[::1], _WHICH, _PARAMS, _TABLE, _ANSWERS)
PLAY_ANSWER = types.void(numba.from_dtype(PLAY_VIEW)[::1], _WHICH, _PARAMS, _TABLE, _ANSWERS)
"""The two signatures of a compiled strategy."""


def thrown_positions(n_cards: int, n_thrown: int) -> NDArray[np.int64]:
    """The positions thrown by each discard answer, (answers, n_thrown), in lexicographic order.

    >>> thrown_positions(6, 2)[:3].tolist()
    [[0, 1], [0, 2], [0, 3]]
    """
    return np.array(list(itertools.combinations(range(n_cards), n_thrown)), np.int64)


def kept_positions(n_cards: int, n_thrown: int) -> NDArray[np.int64]:
    """The positions kept by each discard answer, (answers, n_cards - n_thrown)."""
    return np.array(
        [[i for i in range(n_cards) if i not in thrown] for thrown in thrown_positions(n_cards, n_thrown).tolist()],
        np.int64,
    )


THROWN_2, KEPT_2 = thrown_positions(6, 2), kept_positions(6, 2)
KEPT_1 = kept_positions(5, 1)
THROWN_2_OF_5, KEPT_2_OF_5 = thrown_positions(5, 2), kept_positions(5, 2)


def empty_views(dtype: np.dtype[Any], n: int) -> NDArray[Any]:
    """`n` blank views."""
    return np.zeros(n, dtype)


def discard_view(
    hand: str | Iterable[str | int],
    *,
    dealer: int,
    seat: int,
    players: int = 2,
    scores: Sequence[int] | None = None,
    rules: Rules | str | None = None,
) -> NDArray[Any]:
    """The view of one discard, as an array of one.

    Parameters
    ----------
    hand
        The cards dealt: six with two players, otherwise five.
    dealer, seat
        Who deals, and who is asked.
    scores
        By side; None: all 0.
    rules
        By which is played, and how many play; None: `players` play the standard game.

    Raises
    ------
    CardError
        Not the right number of different cards.

    Examples
    --------
    >>> view = discard_view("2C 3H 4D 5D 5S JS", dealer=1, seat=0)[0]
    >>> view.cards.tolist(), int(view.role)
    ([4, 10, 13, 17, 19, 43], 0)
    """
    known = read_rules(rules, players)
    players = known.players
    dealer, seat = read_seat(dealer, players, "dealer"), read_seat(seat, players, "seat")
    held = sorted(require_cards(hand, known.n_dealt, f"a hand of {players} players"))
    views = empty_views(DISCARD_VIEW, 1)
    view = views[0]
    view.cards[:] = held + [NO_CARD] * (6 - len(held))
    view.n_cards, view.n_thrown = len(held), known.n_thrown
    view.seat, view.dealer, view.players, view.role = seat, dealer, players, (seat - dealer - 1) % players
    _show_scores(view, known, scores)
    return views


def play_view(
    hand: str | Iterable[str | int],
    plays: Iterable[Sequence[Any]],
    *,
    dealer: int,
    seat: int,
    players: int = 2,
    starter: str | int | None = None,
    discards: str | Iterable[str | int] = (),
    scores: Sequence[int] | None = None,
    rules: Rules | str | None = None,
) -> NDArray[Any]:
    """The view of one play, as an array of one, from what the seat to play knows.

    Nothing is assumed of the cards that others hold: a seat passed over has said go, and a count is closed when the
    next card doesn't fit, or, at the end, when no card of `hand` does.

    Parameters
    ----------
    hand
        The cards that `seat` still holds.
    plays
        All that was played in this deal, [(seat, card | "go"), ...]; goes may be left out.
    dealer, seat
        Who deals, and who is to play.
    starter, discards
        The cut card and the cards that `seat` threw, where known.
    scores
        By side; None: all 0.
    rules
        By which is played, and how many play; None: `players` play as in the standard game.

    Raises
    ------
    IllegalPlay
        The plays break the rules, or another seat is to play.
    CardError
        A card stands twice, or the hand hasn't as many cards as `seat` must hold.

    Examples
    --------
    >>> view = play_view("5H 5S JD", [(0, "7C"), (1, "8D")], dealer=1, seat=0)[0]
    >>> view.cards.tolist(), int(view.count), view.n_left.tolist()[:2]
    ([18, 19, 41, 255], 15, [3, 3])
    """
    known = read_rules(rules, players)
    players = known.players
    dealer, seat = read_seat(dealer, players, "dealer"), read_seat(seat, players, "seat")
    held, thrown = sorted(parse_cards(hand)), sorted(parse_cards(discards))
    cut = [] if starter is None else require_cards([starter], 1, "the starter")
    moves = read_plays(plays, players)
    parse_cards([*held, *thrown, *cut, *(card for _, card in moves if card is not None)])  # none stands twice
    if len(thrown) > known.n_thrown:
        raise CardError(f"discards={shown(discards)}: each of {players} players throws {known.n_thrown}")
    table = _SeenTable(dealer, known, cut[0] if cut else NO_CARD)
    for line, (other, card) in enumerate(moves, 1):
        table.follow(other, card, line)
    table.ask(seat, held)
    view = table.views[0]
    view.seat, view.n_cards = seat, len(held)
    view.cards[:] = held + [NO_CARD] * (4 - len(held))
    view.discards[:] = thrown + [NO_CARD] * (2 - len(thrown))
    _show_scores(view, known, scores)
    return table.views


def read_seat(seat: Any, players: int, what: str) -> int:
    """A seat from 0 to players - 1, or an error that names it."""
    try:
        number = operator.index(seat)
    except TypeError:
        number = -1
    if isinstance(seat, bool) or not 0 <= number < players:
        raise CribsimError(f"{what}={shown(seat)}: give a seat from 0 to {players - 1}")
    return number


def read_scores(scores: Sequence[int] | None, rules: Rules) -> list[int]:
    """Scores by side: whole numbers from 0, one for each side; None gives zeros."""
    is_list = isinstance(scores, Iterable) and not isinstance(scores, (str, Set, Mapping))
    given: list[Any] = [0] * rules.sides if scores is None else list(scores) if is_list else [scores]
    wrong = any(isinstance(n, bool) or not hasattr(n, "__index__") or not 0 <= n <= MAX_TARGET for n in given)
    if len(given) != rules.sides or wrong:
        wanted = f"{rules.sides} whole numbers from 0 to {MAX_TARGET:,}, one for each side"
        raise CribsimError(f"scores={shown(given)}: give a list of {wanted}")
    return [int(score) for score in given]


def read_plays(plays: Iterable[Sequence[Any]], players: int) -> list[tuple[int, int | None]]:
    """Plays, (seat, card | "go"), as seats and cards; the card of a go is None."""
    if not isinstance(plays, Iterable) or isinstance(plays, (str, Mapping, Set)):
        raise IllegalPlay(f"plays={shown(plays)}: give a list of (seat, card)")
    return [_read_play(play, players, line) for line, play in enumerate(plays, 1)]


def _read_play(play: Any, players: int, line: int) -> tuple[int, int | None]:
    if isinstance(play, str) or not isinstance(play, Sequence) or len(play) != 2:
        raise IllegalPlay(f'play {line}: {shown(play)} is not a play; write a seat and a card, or go: [0, "5H"]')
    seat, card = play
    try:
        seat = read_seat(seat, players, "seat")
        is_go = isinstance(card, str) and card.strip().lower() == "go"
        return seat, None if is_go else require_cards([card], 1, "a play")[0]
    except CribsimError as error:
        raise type(error)(f"play {line}: {error}") from None


def _show_scores(view: Any, rules: Rules, scores: Sequence[int] | None) -> None:
    by_side = read_scores(scores, rules)
    view.scores[: rules.players] = [by_side[rules.side(seat)] for seat in range(rules.players)]


GUESS = 1 << 40
"""Added to an answer by a strategy that didn't know the place and fell back on a rule of thumb; counted, not judged."""


def without_guesses(answers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Answers without the mark of a guess."""
    return np.where(answers >= GUESS, answers - GUESS, answers)


_FITS, _FITS_NOT = EMPTY_HAND - 255, EMPTY_HAND - 255 + 51
"""Hands of an ace and of a king: for the kernels a seat that can play, and one that can't."""


class _SeenTable:
    """The play as an onlooker follows it. Whoever plays a card that fits could play, whoever is passed over couldn't:
    so the kernels are given an ace or a king for the hands that nobody sees."""

    def __init__(self, dealer: int, rules: Rules, starter: int) -> None:
        self.views = empty_views(PLAY_VIEW, 1)
        self.rules, self.players = rules, rules.players
        names = {(dealer + 1 + at) % rules.players: role for at, role in enumerate(rules.roles)}
        self.names = [f"seat {seat} ({names[seat]})" for seat in range(rules.players)]
        self.hands = np.full(MAX_PLAYERS, EMPTY_HAND, np.int64)
        self.said: set[int] = set()
        self.stuck = [MAX_COUNT] * rules.players
        """By seat the lowest count at which it couldn't play."""
        start_play(self.views[0], dealer, rules.players, rules.n_kept, starter)

    def follow(self, seat: int, card: int | None, line: int) -> None:
        """Take up one play."""
        try:
            if card is not None:
                self.lay(seat, card)
            elif not self.views[0].n_played or seat in self.said:
                raise IllegalPlay(f"{self.names[seat]} can't say go here")
            else:
                self.said.add(seat)
        except IllegalPlay as error:
            raise IllegalPlay(f"play {line}: {error}") from None

    def lay(self, seat: int, card: int) -> None:
        """Play a card for the seat that shows by it that it was its turn."""
        play = self.views[0]
        if not play.n_left[seat]:
            raise IllegalPlay(
                f"{self.names[seat]} has played its {self.rules.n_kept} cards; it doesn't hold {format_card(card)}"
            )
        self.turn_to(seat, int(play.count) + pip_of(card) <= MAX_COUNT)
        self.require_stuck(seat, [card])
        self.hands[seat] = EMPTY_HAND - 255 + card
        lay_card(play, self.hands, seat, 0)

    def ask(self, seat: int, held: list[int]) -> None:
        """Turn the table to a seat that holds these cards and is to play one."""
        play = self.views[0]
        n_left, n_kept = int(play.n_left[seat]), self.rules.n_kept
        if len(held) != n_left or not held:
            wanted = f"it holds {n_left}" if n_left else "it isn't asked any more"
            raise CardError(
                f"{self.names[seat]} has played {n_kept - n_left} of {n_kept} cards, so {wanted}; given {len(held)}"
            )
        self.turn_to(seat, any(int(play.count) + pip_of(card) <= MAX_COUNT for card in held))
        self.require_stuck(seat, held)

    def turn_to(self, seat: int, goes_on: bool) -> None:
        """End the last turn, when `seat` is known to be next: within the count, or with a new one."""
        play = self.views[0]
        if not play.n_played:
            self.require_turn(seat, (int(play.dealer) + 1) % self.players)
            return
        last, count = int(play.last_seat), int(play.count)
        if self.rules.cards == 5 and (not goes_on or not count):
            raise IllegalPlay(f"with cards=5 the play ends with its first count; {self.names[seat]} isn't asked")
        steps = (seat - last - 1) % self.players if goes_on else self.players
        passed = self.asked([(last + 1 + step) % self.players for step in range(steps)])
        for other in range(self.players):
            self.hands[other] = _FITS_NOT if play.n_left[other] else EMPTY_HAND
        if goes_on:
            self.hands[seat] = _FITS
        self.pass_over(passed, seat)
        following, _ = (end_turn_next if self.rules.go_order == "next" else end_turn)(play, self.hands)
        for other in passed:
            self.stuck[other] = min(self.stuck[other], count)
        self.require_turn(seat, following)

    def asked(self, seats: list[int]) -> list[int]:
        """Who of the seats after the last is asked for a card: all, or by `go_order=next` until a second has none."""
        if self.rules.go_order == "all":
            return seats
        play, found = self.views[0], list[int]()
        for seat in seats:
            if play.n_left[seat] and (found or not int(play.gone) >> seat & 1):
                found.append(seat)
        return found[:2]

    def pass_over(self, passed: list[int], seat: int) -> None:
        """Check that the seats passed over can have been without a card that fits, and that no other said go."""
        count, left = int(self.views[0].count), self.views[0].n_left
        for other in passed:
            if left[other] and count + 10 <= MAX_COUNT:
                raise IllegalPlay(f"{self.names[other]} is to play, not {self.names[seat]}: any card fits at {count}")
        for other in self.said.difference(passed):
            raise IllegalPlay(f"{self.names[other]} said go at {count} before its turn came")
        self.said.clear()

    def require_turn(self, seat: int, following: int) -> None:
        """Refuse a play out of turn."""
        if seat != following:
            raise IllegalPlay(f"{self.names[following]} is to play, not {self.names[seat]}")

    def require_stuck(self, seat: int, cards: list[int]) -> None:
        """Refuse cards that a seat could have played when it was passed over."""
        count = self.stuck[seat]
        for card in cards:
            if count + pip_of(card) <= MAX_COUNT:
                raise IllegalPlay(
                    f"{self.names[seat]} could have played {format_card(card)} at {count}, where it was passed over"
                )
