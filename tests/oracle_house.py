"""The house rules played slowly and plainly, on top of `oracle`; nothing here comes from cribsim either.

A game is told as counts: each is pegged whole or refused, what is overlooked goes to others or is lost. Items of a
count are numbered as the engine numbers them (that numbering is all they share): event 0 heels, 1 to 16 the cards of
the play, 20 and more the hands by role, 24 the crib; within the show fifteens, pairs, runs, flush, jack; within a card
of the play 0 pair or run, 1 fifteen, 2 thirty-one or last card, 3 the go that is pegged when called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import oracle

PHASES = (*oracle.PHASES, "muggins")


@dataclass
class House:
    """What differs from the standard game."""

    muggins: bool = False
    exact_out: bool | str = False
    go_order: str = "all"
    go_point: str = "last"
    crib_flush: int = 5
    old: bool = False


@dataclass
class Table:
    """The pegs of one deal under house rules. `misses(seat, event, item)`: whether a seat overlooks an item."""

    n_players: int
    n_sides: int
    house: House
    misses: Callable[[int, int, int], bool]
    scores: list[int]
    target: int | None
    winner: int | None = None
    points: list[dict[str, int]] = field(default_factory=list)
    refused: int = 0

    def __post_init__(self) -> None:
        self.points = [dict.fromkeys(PHASES, 0) for _ in range(self.n_players)]

    def peg(self, seat: int, phase: str, points: int) -> None:
        """One count: whole, refused, or as far as the target."""
        if self.winner is not None or not points:
            return
        side = seat % self.n_sides
        if self.target is not None:
            if self.house.exact_out and self.scores[side] + points > self.target:
                self.refused += 1
                return
            points = min(points, self.target - self.scores[side])
        self.scores[side] += points
        self.points[seat][phase] += points
        if self.scores[side] == self.target:
            self.winner = side

    def count(self, seat: int, phase: str, event: int, items: Sequence[tuple[int, int]]) -> None:
        """Peg (number, points) items as one count, or each as one; then of each count what the others take."""
        singly = self.house.exact_out == "item" and phase in ("hand", "crib")
        for group in [[item] for item in items] if singly else [items]:
            who = {number: self.who_pegs(seat, event, number) for number, _ in group}
            for other in oracle.seats_after(seat - 1, self.n_players):
                points = sum(points for number, points in group if who[number] == other)
                self.peg(other, phase if other == seat else "muggins", points)

    def who_pegs(self, seat: int, event: int, number: int) -> int | None:
        """Who pegs an item of a seat: itself, or with muggins the next opponent who sees it."""
        if not self.misses(seat, event, number):
            return seat
        others = [other for other in oracle.seats_after(seat, self.n_players)[:-1] if (other - seat) % self.n_sides]
        return next((o for o in others if self.house.muggins and not self.misses(o, event, number)), None)


def show_items(cards: Sequence[int], starter: int, *, flush_alone: bool) -> list[int]:
    """Points of every item of a hand or crib."""
    held = [*cards, starter]
    items = [
        2
        for size in range(2, len(held) + 1)
        for chosen in combinations(held, size)
        if sum(oracle.pip_of(card) for card in chosen) == 15
    ]
    items += [2 for one, two in combinations(held, 2) if oracle.rank_of(one) == oracle.rank_of(two)]
    for length in range(len(held), 2, -1):
        runs = [length for chosen in combinations(held, length) if oracle.is_run(chosen)]
        if runs:
            items += runs
            break
    if oracle.is_flush(held):
        items.append(len(held))
    elif oracle.is_flush(cards) and flush_alone:
        items.append(len(cards))
    return items + [1] * oracle.nobs_points(cards, starter)


class Play:
    """The play under house rules; `choose(seat)` gives a card."""

    def __init__(self, hands: Sequence[Sequence[int]], dealer: int, table: Table) -> None:
        self.hands = [sorted(hand) for hand in hands]
        self.table, self.house, self.n = table, table.house, len(hands)
        self.log: list[tuple[int, int]] = []
        self.pile: list[int] = []
        self.over = False
        self.begin(dealer)

    def begin(self, last: int) -> None:
        self.pile, self.gone, self.called = [], set[int](), None
        leaders = [seat for seat in oracle.seats_after(last, self.n) if self.hands[seat]]
        self.over = not leaders or (self.house.old and bool(self.log))
        self.seat = leaders[0] if leaders else -1

    @property
    def total(self) -> int:
        return sum(oracle.pip_of(card) for card in self.pile)

    def fits(self, seat: int) -> list[int]:
        return [card for card in self.hands[seat] if self.total + oracle.pip_of(card) <= oracle.MAX_COUNT]

    def play(self, card: int) -> None:
        """Play a card for the seat to play."""
        assert card in self.fits(self.seat)
        seat = self.seat
        self.hands[seat].remove(card)
        self.pile.append(card)
        self.log.append((seat, card))
        parts = oracle.card_parts(self.pile, self.total)
        event = len(self.log)
        first = [(0, parts.get("pair", 0) + parts.get("run", 0)), (1, parts.get("fifteen", 0))]
        self.table.count(seat, "pegging", event, [item for item in first if item[1]])
        following, new_goes = self.find_next(seat)
        last = 0
        if "thirty_one" in parts:
            last = 1 if self.called == seat else 2
        elif following is None and self.called is None:
            last = 1
        if last:
            self.table.count(seat, "pegging", event, [(2, last)])
        if self.table.winner is not None:
            self.over = True
        elif following is None:
            self.begin(seat)
        else:
            first_go = bool(new_goes) and not self.gone
            self.gone |= new_goes
            self.seat = following
            if self.house.go_point == "call" and first_go:
                self.called = following
                self.table.count(following, "pegging", event, [(3, 1)])
                self.over = self.table.winner is not None

    def find_next(self, last: int) -> tuple[int | None, set[int]]:
        """Who plays on in this count (None: nobody), and who says go before him."""
        goes: set[int] = set()
        for seat in oracle.seats_after(last, self.n):
            if self.fits(seat):
                return seat, goes
            if not self.hands[seat] or (seat in self.gone and not goes):
                continue
            is_next_after_a_go = bool(goes)
            goes |= {seat} - self.gone
            if is_next_after_a_go and self.house.go_order == "next":
                return None, goes
        return None, goes


def play_deal(
    dealt: Sequence[Sequence[int]],
    crib_card: int | None,
    starter: int,
    dealer: int,
    thrown: Sequence[Sequence[int]],
    play: Callable[[int, int], int],
    table: Table,
) -> Play:
    """One deal: heels, the play, hands, crib. play(number, seat): the card that is played."""
    seats = oracle.seats_after(dealer, len(dealt))
    kept = [[card for card in hand if card not in away] for hand, away in zip(dealt, thrown, strict=True)]
    crib = [card for away in thrown for card in away] + ([] if crib_card is None else [crib_card])
    if oracle.rank_of(starter) == oracle.JACK:
        table.count(dealer, "heels", 0, [(0, 2)])
    state = Play(kept, dealer, table)
    while table.winner is None and not state.over:
        state.play(play(len(state.log), state.seat))
    for role, seat in enumerate(seats):
        if table.winner is None:
            table.count(seat, "hand", 20 + role, list(enumerate(show_items(kept[seat], starter, flush_alone=True))))
    if table.winner is None:
        flush_alone = table.house.crib_flush == 4
        table.count(dealer, "crib", 24, list(enumerate(show_items(crib, starter, flush_alone=flush_alone))))
    return state


def lowest_cut(draw: Callable[[], int], seats: Sequence[int]) -> int:
    """Cut for deal: draw() gives cards 0-51; a card already cut in this round is drawn again."""
    while True:
        cut: dict[int, int] = {}
        for seat in seats:
            card = draw()
            while card in cut.values():
                card = draw()
            cut[seat] = card
        lowest = min(oracle.rank_of(card) for card in cut.values())
        seats = [seat for seat in seats if oracle.rank_of(cut[seat]) == lowest]
        if len(seats) == 1:
            return seats[0]


def winner_of(scores: Sequence[int], out: int, *, lowball: bool) -> int:
    """The side that wins when a side is out."""
    if not lowball:
        return out
    others = [(out + step) % len(scores) for step in range(1, len(scores))]
    return min(others, key=lambda side: scores[side])  # min keeps the first of equals


def skunk_class(scores: Sequence[int], winner: int, lines: Sequence[int], *, each: bool, lowball: bool) -> int:
    """0 to 3: how often the loser is skunked. lines: under which once, twice, three times."""
    losers = [score for side, score in enumerate(scores) if side != winner]
    judged = scores[winner] if lowball else min(losers) if each else max(losers)
    if judged >= lines[0]:
        return 0
    return max(number for number, line in enumerate(lines, 1) if judged < line)


def match_winner(games: Sequence[tuple[int, int, bool]], n_sides: int, *, points: int, best_of: int) -> int | None:
    """Who has won a match after some games, each (winning side, game points, whether it takes the match)."""
    if games and games[-1][2]:
        return games[-1][0]
    wins = [sum(1 for side, _, _ in games if side == one) for one in range(n_sides)]
    value = [sum(worth for side, worth, _ in games if side == one) for one in range(n_sides)]
    if points:
        return next((side for side in range(n_sides) if value[side] >= points), None)
    left = max(best_of - len(games), 0)
    for side in range(n_sides):
        if all(wins[side] > wins[other] + left for other in range(n_sides) if other != side):
            return side
    return None


def next_dealer(scores: Sequence[int], out: int, dealer: int, players: int, cut: Any, *, lowball: bool) -> int:
    """Who deals the next game of a match where losers deal. cut(seats): cut for it."""
    losers = [out] if lowball else [side for side, score in enumerate(scores) if score == min(scores)]
    seats = [seat for seat in oracle.seats_after(dealer, players) if seat % len(scores) in losers]
    if len(scores) < players:
        return seats[0]
    return seats[0] if len(seats) == 1 else cut(sorted(seats))
