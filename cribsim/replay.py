"""A referee for deals that were played elsewhere: every card of the play checked and pegged, and the show settled.

The kernels of the play say what a card scores, who is next and when a count closes; here plays are checked against the
hands, points get their names, and what breaks a rule is refused with the reason. Files are read in
`replay_files`; playing is left to the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribsim.cards import NO_CARD, format_card, format_cards, parse_cards, require_cards
from cribsim.errors import CardError, CribsimError, IllegalPlay, shown
from cribsim.pegging import EMPTY_HAND, NOBODY, end_turn, lay_card, pack_hand, start_play
from cribsim.rule_record import MAX_PLAYERS
from cribsim.rules import HEELS_POINTS, MAX_COUNT, Rules, pip_of, read_rules, refuse_rules
from cribsim.scoring import JACK, show_points
from cribsim.views import PLAY_VIEW, empty_views, read_plays, read_scores, read_seat

Cards = str | Iterable[str | int]
Hands = Mapping[int, Cards] | Sequence[Cards]

_PAIR_POINTS = {2: 2, 3: 6, 4: 12}
_NOT_FOLLOWED = ("cards", "lowball", "go_order", "go_point", "exact_out", "crib_flush", "miss")


class PlayEvent(NamedTuple):
    """One card of the play: the count with it, and its points with any go or last-card point, named in `parts`."""

    seat: int
    card: str
    count: int  # type: ignore[assignment]
    points: int
    parts: dict[str, int]


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """The play of one deal as it went."""

    events: list[PlayEvent]
    """The cards in the order played, (seat, card, count, points, parts)."""
    goes: list[tuple[int, int]]
    """(seat, count) of each go, said or not, after which another seat played on; a seat once in a count. A go that
    closes the count isn't listed: before a card that doesn't fit, every seat that held cards couldn't play."""
    pegged: tuple[int, ...]
    """By seat what the plays scored, in full also where the game ended."""
    scores: tuple[int, ...]
    """By side, never above the target."""
    count: int
    next_seat: int | None
    """None when every card is down or the game is over."""
    over: bool
    """Whether a side has reached the target."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """Heels and show of one deal."""

    awards: list[tuple[int, str, int]]
    """(seat, phase, points pegged) in the order counted, zeros too; the last stops at the target."""
    scores: tuple[int, ...]
    """By side, never above the target."""
    winner: int | None
    """The side that reached the target."""

    @property
    def over(self) -> bool:
        """Whether the deal ended the game."""
        return self.winner is not None


def replay_play(
    hands: Hands,
    plays: Iterable[Sequence[Any]],
    *,
    dealer: int = 0,
    rules: Rules | str | None = None,
    scores: Sequence[int] | None = None,
) -> PlayRecord:
    """Replay the play of one deal, and say what each card scored.

    Parameters
    ----------
    hands
        The kept cards, {seat: cards} or a list by seat: four each, or fewer.
    plays
        (seat, card) or (seat, "go"), in order. Goes may be left out; one said after the count has closed is accepted
        and changes nothing.
    dealer
        The seat that deals; the next one leads.
    rules
        `Rules`, or text such as `"short"`; None: the standard game. Of as many players as there are hands.
    scores
        By side, before the play. None: all 0.

    Raises
    ------
    IllegalPlay
        A play breaks the rules; the message names it and says why.
    CardError
        Something is not a card, or the hands are not those of the players.

    Examples
    --------
    >>> record = replay_play(["5H 9C", "TD KS"], [(1, "TD"), (0, "5H")], dealer=0)
    >>> record.events[1]
    PlayEvent(seat=0, card='5H', count=15, points=2, parts={'fifteen': 2})
    >>> record.pegged, record.next_seat
    ((2, 0), 1)
    """
    known = rules if isinstance(rules, Rules) else read_rules(rules, _n_hands(hands))
    refuse_rules(known, "replay can't follow", _NOT_FOLLOWED)
    referee = _Referee(_read_hands(hands, known.players), read_seat(dealer, known.players, "dealer"), known, scores)
    for line, (seat, card) in enumerate(read_plays(plays, known.players), 1):
        try:
            if card is None:
                referee.hear_go(seat)
            else:
                referee.lay(seat, card)
        except IllegalPlay as error:
            raise IllegalPlay(f"play {line}: {error}") from None
    return referee.record()


def settle_deal(
    *,
    dealer: int,
    starter: str | int,
    hands: Hands | None = None,
    crib: Cards | None = None,
    rules: Rules | str | None = None,
    scores: Sequence[int] | None = None,
    heels: bool = True,
) -> Settlement:
    """Peg what the starter and the show bring, in the order of the game, until somebody is out.

    Parameters
    ----------
    dealer, starter
        Who deals, and the cut card: a jack is two for the dealer.
    hands, crib
        The kept cards by seat, four each, and the crib; what is left out isn't counted.
    rules
        `Rules`, or text such as `"short"`; None: the standard game. Of as many players as hands (two without).
    scores
        By side, before. None: all 0.
    heels
        Whether his heels are still to be pegged.

    Raises
    ------
    CardError
        Not four cards where four are wanted, or a card stands twice.

    Examples
    --------
    >>> settle_deal(dealer=0, starter="JC", scores=[119, 118]).winner
    0
    """
    known = rules if isinstance(rules, Rules) else read_rules(rules, 2 if hands is None else _n_hands(hands))
    refuse_rules(known, "the show can't follow", _NOT_FOLLOWED)
    dealer = read_seat(dealer, known.players, "dealer")
    cut = require_cards([starter], 1, "the starter")[0]
    board = _Board(known, scores)
    awards = []
    for seat, phase, points in _due(dealer, cut, _read_show(hands, crib, cut, known), known, heels):
        if board.winner is None:
            awards.append((seat, phase, board.peg(seat, points)))
    return Settlement(awards, tuple(board.scores), board.winner)


# The board


class _Board:
    """Scores by side, stopping at the target."""

    def __init__(self, rules: Rules, scores: Sequence[int] | None) -> None:
        self.rules = rules
        self.scores = read_scores(scores, rules)
        self.winner: int | None = None
        if max(self.scores) >= rules.target:
            raise CribsimError(f"scores={self.scores}: the game is over at {rules.target}; give lower scores")

    def peg(self, seat: int, points: int) -> int:
        """Peg points, no further than the target; return how many."""
        side = self.rules.side(seat)
        pegged = min(points, self.rules.target - self.scores[side])
        self.scores[side] += pegged
        if self.scores[side] == self.rules.target:
            self.winner = side
        return pegged


# The play


class _Referee:
    """Follows one play with all hands open."""

    def __init__(self, hands: list[list[int]], dealer: int, rules: Rules, scores: Sequence[int] | None) -> None:
        self.dealt = hands
        self.held = [sorted(hand) for hand in hands]
        self.board = _Board(rules, scores)
        self.play = empty_views(PLAY_VIEW, 1)[0]
        self.packed = _pack(self.held)
        start_play(self.play, dealer, rules.players, rules.n_kept, NO_CARD)
        self.play.n_left[: rules.players] = [len(hand) for hand in hands]
        self.next_seat: int | None = (dealer + 1) % rules.players
        self.passed: list[int] = []
        """Seats that couldn't play when the last card lay."""
        self.said: set[int] = set()
        self.events: list[PlayEvent] = []
        self.goes: list[tuple[int, int]] = []
        self.pegged = [0] * rules.players

    def lay(self, seat: int, card: int) -> None:
        """Play a card: check it, peg it, pass the turn."""
        self.require_legal(seat, card)
        play, before = self.play, int(self.play.count_start)
        points = lay_card(play, self.packed, seat, self.held[seat].index(card))
        self.held[seat].remove(card)
        count, pile = int(play.count), play.played[before : play.n_played].tolist()
        following, closing = end_turn(play, self.packed)
        points, parts = int(points + closing), name_parts(pile, count)
        if closing:
            parts["go" if any(self.held) else "last"] = 1
        if sum(parts.values()) != points:
            raise RuntimeError(f"{format_cards(pile)} scores {points} but is made of {parts}; please report this")
        self.events.append(PlayEvent(seat, format_card(card), count, points, parts))
        self.pegged[seat] += points
        self.board.peg(seat, points)
        self.pass_turn(seat, int(following), count)

    def pass_turn(self, last_seat: int, following: int, count: int) -> None:
        """Note who is next, and who said go."""
        players = len(self.held)
        order = [(last_seat + 1 + step) % players for step in range(players)]
        self.passed = order[: order.index(following)] if self.play.count else order
        self.said.clear()
        self.next_seat = None if following == NOBODY or self.board.winner is not None else following
        if self.next_seat is not None and self.play.count:
            new = int(self.play.goes[self.play.n_played])
            self.goes += [(seat, count) for seat in self.passed if new >> seat & 1]

    def hear_go(self, seat: int) -> None:
        """Accept the go of a seat that couldn't play; the turn has passed it over already."""
        if seat in self.passed and seat not in self.said:
            self.said.add(seat)
            return
        self.require_open()
        fits = [card for card in self.held[seat] if self.play.count + pip_of(card) <= MAX_COUNT]
        if fits:
            shown = "an empty table" if not self.play.count else str(self.play.count)
            raise IllegalPlay(f"seat {seat} can't say go: {format_card(fits[0])} fits at {shown}")
        if seat in self.said:
            raise IllegalPlay(f"seat {seat} has said go already")
        raise IllegalPlay(f"seat {seat} can't say go out of turn: seat {self.next_seat} is to play")

    def require_open(self) -> None:
        """Refuse anything once the play is over."""
        if self.board.winner is not None:
            raise IllegalPlay(f"the game is over: the score is {'-'.join(map(str, self.board.scores))}")
        if self.next_seat is None:
            raise IllegalPlay("every card is down")

    def require_legal(self, seat: int, card: int) -> None:
        """Refuse a card that may not be played now."""
        name = format_card(card)
        if self.board.winner is not None:
            self.require_open()
        if card not in self.dealt[seat]:
            raise IllegalPlay(f"seat {seat} doesn't hold {name}; its hand is {format_cards(self.dealt[seat])}")
        if card not in self.held[seat]:
            raise IllegalPlay(f"seat {seat} has played {name} already")
        count = int(self.play.count)
        must_go = seat in self.passed and count
        if seat != self.next_seat and not must_go:
            raise IllegalPlay(f"seat {seat} can't play {name}: seat {self.next_seat} is to play")
        if count + pip_of(card) > MAX_COUNT:
            advice = f"; it must say go and seat {self.next_seat} plays on" if must_go else ""
            raise IllegalPlay(
                f"seat {seat} can't play {name}: {count} + {pip_of(card)} = {count + pip_of(card)} is over 31{advice}"
            )

    def record(self) -> PlayRecord:
        """What has been played so far."""
        board, count = self.board, int(self.play.count)
        over = board.winner is not None
        return PlayRecord(self.events, self.goes, tuple(self.pegged), tuple(board.scores), count, self.next_seat, over)


def name_parts(pile: Sequence[int], count: int) -> dict[str, int]:
    """What the newest card of a pile scores, by name; go and last card apart.

    >>> name_parts([12, 20, 16], 15)
    {'fifteen': 2, 'run': 3}
    """
    parts = {
        "fifteen": 2 * (count == 15),
        "thirty_one": 2 * (count == MAX_COUNT),
        "pair": _PAIR_POINTS.get(_n_alike(pile), 0),
        "run": _run_length(pile),
    }
    return {name: points for name, points in parts.items() if points}


def _n_alike(pile: Sequence[int]) -> int:
    n = 0
    while n < len(pile) and pile[-1 - n] >> 2 == pile[-1] >> 2:
        n += 1
    return n


def _run_length(pile: Sequence[int]) -> int:
    for n in range(len(pile), 2, -1):
        ranks = {card >> 2 for card in pile[-n:]}
        if len(ranks) == n and max(ranks) - min(ranks) == n - 1:
            return n
    return 0


def _pack(hands: list[list[int]]) -> NDArray[np.int64]:
    packed = np.full(MAX_PLAYERS, EMPTY_HAND, np.int64)
    for seat, hand in enumerate(hands):
        packed[seat] = pack_hand(np.array(hand + [NO_CARD] * (4 - len(hand)), np.uint8))
    return packed


# The hands


def _n_hands(hands: Hands) -> int:
    n = len(hands) if isinstance(hands, Mapping | Sequence) else 0
    if not 2 <= n <= MAX_PLAYERS:
        raise CardError(f"{n} hands; give one for each of 2, 3 or 4 players")
    return n


def _by_seat(hands: Hands, players: int) -> list[Cards]:
    wanted = f"give one for each seat from 0 to {players - 1}"
    if isinstance(hands, str) or not isinstance(hands, Mapping | Sequence):
        raise CardError(f"hands={shown(hands)}: {wanted}")
    seats = list(hands) if isinstance(hands, Mapping) else list(range(len(hands)))
    if len(seats) != players or any(seat not in seats for seat in range(players)):
        raise CardError(f"hands of seats {', '.join(map(str, seats))} with players={players}: {wanted}")
    return [hands[seat] for seat in range(players)]


def _read_hands(hands: Hands, players: int) -> list[list[int]]:
    """The kept cards by seat, one to four each, all different."""
    by_seat = [_read_cards(cards, f"seat {seat}") for seat, cards in enumerate(_by_seat(hands, players))]
    holder: dict[int, int] = {}
    for seat, hand in enumerate(by_seat):
        if not 1 <= len(hand) <= 4:
            raise CardError(f"seat {seat} has {len(hand)} cards ({format_cards(hand)}); a hand is one to four")
        for card in hand:
            if card in holder:
                raise IllegalPlay(f"{format_card(card)} is in two hands, of seats {holder[card]} and {seat}")
            holder[card] = seat
    return by_seat


def _read_cards(cards: Cards, whose: str) -> list[int]:
    try:
        return parse_cards(cards)
    except CardError as error:
        raise CardError(f"{whose}: {error}") from None


# The show


def _read_show(hands: Hands | None, crib: Cards | None, starter: int, rules: Rules) -> list[list[int]]:
    """The hands by seat and the crib behind them; an empty list where nothing is to be counted."""
    four = [require_cards(cards, 4, "a hand") for cards in _by_seat(hands, rules.players)] if hands is not None else []
    four = four or [[] for _ in range(rules.players)]
    four.append(require_cards(crib, 4, "the crib") if crib is not None else [])
    parse_cards([*(card for cards in four for card in cards), starter])  # none stands twice
    return four


def _due(dealer: int, starter: int, four: list[list[int]], rules: Rules, heels: bool) -> Iterable[tuple[int, str, int]]:
    """What the deal brings, (seat, phase, points), in the order counted."""
    if heels and starter >> 2 == JACK:
        yield dealer, "heels", HEELS_POINTS
    for role in range(1, rules.players + 1):  # the pone counts first
        seat = (dealer + role) % rules.players
        if four[seat]:
            yield seat, "hand", int(show_points(*four[seat], starter, 0))
    if four[-1]:
        yield dealer, "crib", int(show_points(*four[-1], starter, 1))
