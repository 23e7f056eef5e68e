"""Cribbage played slowly and plainly, as a second opinion on the fast kernels.

Written from the text of the rules alone: no numba, no NumPy and nothing imported from cribsim, so that a
mistake there cannot repeat itself here. It owns the count of a hand, the play, a deal, a game and three
simple players, for two, three or four seats. A card is an int 0-51: rank is card >> 2 (ace 0, king 12),
suit is card & 3. Seats run clockwise from 0; the seat after the dealer leads and counts first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

MAX_COUNT = 31
JACK = 10
CARDS_DEALT = {2: 6, 3: 5, 4: 5}
CARDS_KEPT = 4
PHASES = ("heels", "pegging", "hand", "crib")
PAIR_POINTS = {2: 2, 3: 6, 4: 12}

Parts = dict[str, int]


# Cards


def rank_of(card: int) -> int:
    """Return the rank, 0 for an ace to 12 for a king."""
    return card >> 2


def suit_of(card: int) -> int:
    """Return the suit, 0 to 3."""
    return card & 3


def pip_of(card: int) -> int:
    """Return the counting value: ace 1, court cards 10."""
    return min(rank_of(card) + 1, 10)


def seats_after(seat: int, n_players: int) -> list[int]:
    """Return every seat once, clockwise, beginning at the left of `seat` and ending with `seat` itself."""
    return [(seat + step) % n_players for step in range(1, n_players + 1)]


# The show


def fifteens_points(cards: Sequence[int]) -> int:
    """Two for every set of cards, of any size, that adds up to fifteen."""
    return 2 * sum(
        sum(pip_of(card) for card in chosen) == 15
        for size in range(2, len(cards) + 1)
        for chosen in combinations(cards, size)
    )


def pairs_points(cards: Sequence[int]) -> int:
    """Two for every two cards of one rank; three alike hold three pairs, four alike six."""
    return 2 * sum(rank_of(first) == rank_of(second) for first, second in combinations(cards, 2))


def is_run(cards: Sequence[int]) -> bool:
    """Say whether the ranks, sorted, climb by one; an ace is only ever low."""
    ranks = sorted(rank_of(card) for card in cards)
    return len(ranks) >= 3 and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def runs_points(cards: Sequence[int]) -> int:
    """The length of each run of the longest length; shorter runs inside a longer one do not count."""
    for length in range(len(cards), 2, -1):
        n_runs = sum(is_run(chosen) for chosen in combinations(cards, length))
        if n_runs:
            return length * n_runs
    return 0


def is_flush(cards: Sequence[int]) -> bool:
    """Say whether all the cards are of one suit."""
    return len({suit_of(card) for card in cards}) == 1


def flush_points(four: Sequence[int], starter: int, is_crib: bool) -> int:
    """Five when all five agree; else four for the held four, except in the crib."""
    if is_flush([*four, starter]):
        return 5
    if is_flush(four) and not is_crib:
        return 4
    return 0


def nobs_points(four: Sequence[int], starter: int) -> int:
    """One for holding the jack of the starter's suit; a jack as starter is heels, not nobs."""
    return int(any(rank_of(card) == JACK and suit_of(card) == suit_of(starter) for card in four))


def show_parts(four: Sequence[int], starter: int, is_crib: bool = False) -> Parts:
    """Count four cards with the starter: fifteens, pairs, runs, flush, nobs and their total, in points."""
    five = [*four, starter]
    if len(five) != CARDS_KEPT + 1 or len(set(five)) != CARDS_KEPT + 1:
        raise ValueError(f"the show takes four cards and another as starter, not {list(four)} and {starter}")
    parts = {
        "fifteens": fifteens_points(five),
        "pairs": pairs_points(five),
        "runs": runs_points(five),
        "flush": flush_points(four, starter, is_crib),
        "nobs": nobs_points(four, starter),
    }
    return {**parts, "total": sum(parts.values())}


# The play


def n_alike_at_end(pile: Sequence[int]) -> int:
    """Return how many cards at the end of the pile share the newest card's rank, without interruption."""
    n_alike = 0
    for card in reversed(pile):
        if rank_of(card) != rank_of(pile[-1]):
            break
        n_alike += 1
    return n_alike


def run_at_end(pile: Sequence[int]) -> int:
    """Return the length of the longest run, in any order, made by the newest cards; 0 for none."""
    for length in range(len(pile), 2, -1):
        if is_run(pile[-length:]):
            return length
    return 0


def card_parts(pile: Sequence[int], count_after: int) -> Parts:
    """Return what the newest card scores: fifteen, thirty_one, pair and run, only those that score.

    `pile` holds the cards since the count was last zero, newest last; `count_after` is the count with it.
    The point for a go or for the last card belongs to `Play`.
    """
    if count_after != sum(pip_of(card) for card in pile):
        raise ValueError(f"the pile {list(pile)} does not count to {count_after}")
    parts = {
        "fifteen": 2 if count_after == 15 else 0,
        "thirty_one": 2 if count_after == MAX_COUNT else 0,
        "pair": PAIR_POINTS.get(n_alike_at_end(pile), 0),
        "run": run_at_end(pile),
    }
    return {name: points for name, points in parts.items() if points}


class Played(NamedTuple):
    """One card of the play: the count with it, and its points with any go or last-card point."""

    seat: int
    card: int
    count: int  # type: ignore[assignment]
    points: int
    parts: Parts


class Play:
    """The play of one deal, card by card.

    `seat` is to play next (None when over); `hands` holds the unplayed cards by seat, sorted; `pile` and
    `count` are those of the count under way; `log` lists every card, `goes` every (seat, count) of a go;
    `points` is what each seat has scored. A card's points are written in full even where the game ended.

    `award(seat, points, "pegging")` is called once for each card that scores, with its go or last-card
    point included; when it returns True the game is over and the play stops there.
    """

    def __init__(
        self,
        hands: Sequence[Sequence[int]],
        dealer: int,
        award: Callable[[int, int, str], bool] | None = None,
    ) -> None:
        self.hands = [sorted(hand) for hand in hands]
        self.n_players = len(hands)
        self.dealer = dealer
        self.award = award
        self.log: list[Played] = []
        self.goes: list[tuple[int, int]] = []
        self.points = [0] * self.n_players
        self.start_count(dealer)

    @property
    def over(self) -> bool:
        """Say whether the play has ended, by the last card or by the end of the game."""
        return self.seat is None

    def legal_cards(self, seat: int | None = None) -> list[int]:
        """Return the cards a seat (the one to play, unless named) may play, sorted; none when over."""
        if self.seat is None:
            return []
        return self.cards_that_fit(self.seat if seat is None else seat)

    def cards_that_fit(self, seat: int) -> list[int]:
        """Return the cards of a seat that keep the count within thirty-one."""
        return [card for card in self.hands[seat] if self.count + pip_of(card) <= MAX_COUNT]

    def start_count(self, last_seat: int) -> None:
        """Begin at zero; the first seat after `last_seat` that still has cards leads."""
        self.pile: list[int] = []
        self.count = 0
        self.said_go: set[int] = set()
        leaders = [seat for seat in seats_after(last_seat, self.n_players) if self.hands[seat]]
        self.seat: int | None = leaders[0] if leaders else None

    def play(self, card: int) -> Played:
        """Play a card for the seat whose turn it is."""
        if card not in self.legal_cards():
            raise ValueError(f"seat {self.seat} cannot play {card} at {self.count}; legal: {self.legal_cards()}")
        seat = self.seat
        assert seat is not None
        self.hands[seat].remove(card)
        self.pile.append(card)
        self.count += pip_of(card)

        is_closed = self.nobody_can_play()
        parts = card_parts(self.pile, self.count)
        if is_closed and self.count != MAX_COUNT:  # thirty-one has its two already and is never three
            parts["go" if any(self.hands) else "last"] = 1
        played = Played(seat, card, self.count, sum(parts.values()), parts)
        self.log.append(played)
        self.points[seat] += played.points

        if self.pays_out(played):
            self.seat = None
        elif is_closed:
            self.start_count(seat)
        else:
            self.pass_turn(seat)
        return played

    def nobody_can_play(self) -> bool:
        """Say whether no seat holds a card that fits, which closes the count."""
        return not any(self.cards_that_fit(seat) for seat in range(self.n_players))

    def pays_out(self, played: Played) -> bool:
        """Announce the points of a card; say whether they ended the game."""
        if self.award is None or not played.points:
            return False
        return bool(self.award(played.seat, played.points, "pegging"))

    def pass_turn(self, last_seat: int) -> None:
        """Give the turn to the next seat able to play.

        Seats passed over with cards in hand say go, each once a count.
        """
        for seat in seats_after(last_seat, self.n_players):
            if self.cards_that_fit(seat):
                self.seat = seat
                return
            if self.hands[seat] and seat not in self.said_go:
                self.said_go.add(seat)
                self.goes.append((seat, self.count))


# The board


class Board:
    """The pegs: scores by side, stopping exactly at the target, and who pegged what in which phase."""

    def __init__(self, n_players: int, scores: Sequence[int] | None, target: int | None, partners: bool) -> None:
        if partners and n_players != 4:
            raise ValueError(f"partners need four players, not {n_players}")
        self.n_sides = 2 if partners else n_players
        self.scores = list(scores) if scores is not None else [0] * self.n_sides
        if len(self.scores) != self.n_sides:
            raise ValueError(f"{self.n_sides} sides need as many scores, not {self.scores}")
        if target is not None and max(self.scores) >= target:
            raise ValueError(f"the game is over already at {self.scores} of {target}")
        self.target = target
        self.winner: int | None = None
        self.points: list[Parts] = [dict.fromkeys(PHASES, 0) for _ in range(n_players)]
        self.awards: list[tuple[int, str, int]] = []

    def peg(self, seat: int, phase: str, points: int) -> bool:
        """Peg points as far as the target; return whether the game is over."""
        if self.winner is not None:
            raise RuntimeError("nothing is pegged after the end of the game")
        side = seat % self.n_sides
        if self.target is not None:
            points = min(points, self.target - self.scores[side])
        if points:
            self.scores[side] += points
            self.points[seat][phase] += points
            self.awards.append((seat, phase, points))
        if self.scores[side] == self.target:
            self.winner = side
        return self.winner is not None


# The deal


class DealRecord(NamedTuple):
    """One deal as it went. `points[seat][phase]` and `awards` (seat, phase, points) are as pegged."""

    dealer: int
    starter: int
    kept: list[list[int]]
    thrown: list[list[int]]
    crib: list[int]
    points: list[Parts]
    awards: list[tuple[int, str, int]]
    play_log: list[Played]
    goes: list[tuple[int, int]]
    scores: list[int]
    winner: int | None


DiscardCall = Callable[[int, list[int]], Sequence[int]]
PlayCall = Callable[[int, Play], int]


def check_deal(dealt: Sequence[Sequence[int]], extra_crib: int | None, starter: int) -> None:
    """Refuse a deal with the wrong number of cards or with a card twice."""
    n_players = len(dealt)
    if any(len(hand) != CARDS_DEALT[n_players] for hand in dealt):
        raise ValueError(f"{n_players} players take {CARDS_DEALT[n_players]} cards each, not {dealt}")
    if (extra_crib is not None) != (n_players == 3):
        raise ValueError("the crib has a card from the pack with three players, and only then")
    cards = [card for hand in dealt for card in hand] + [starter]
    if extra_crib is not None:
        cards.append(extra_crib)
    if len(set(cards)) != len(cards) or not set(cards) <= set(range(52)):
        raise ValueError(f"a deal takes different cards 0-51, not {sorted(cards)}")


def throw_cards(seat: int, hand: Sequence[int], discard: DiscardCall) -> tuple[list[int], list[int]]:
    """Ask a seat for its discard; return the cards kept and those thrown, each sorted."""
    thrown = sorted(discard(seat, sorted(hand)))
    kept = sorted(set(hand) - set(thrown))
    if not set(thrown) <= set(hand) or len(kept) != CARDS_KEPT or len(thrown) != len(hand) - CARDS_KEPT:
        raise ValueError(f"seat {seat} cannot throw {thrown} of {sorted(hand)}")
    return kept, thrown


def peg_play(kept: list[list[int]], dealer: int, play: PlayCall, board: Board) -> Play:
    """Play the kept cards out, or as far as the game lasts."""
    state = Play(kept, dealer, lambda seat, points, what: board.peg(seat, what, points))
    while state.seat is not None:
        state.play(play(state.seat, state))
    return state


def peg_show(kept: list[list[int]], crib: list[int], starter: int, dealer: int, board: Board) -> None:
    """Count the hands from the dealer's left round to the dealer, then the crib, until somebody is out."""
    for seat in seats_after(dealer, len(kept)):
        if board.peg(seat, "hand", show_parts(kept[seat], starter)["total"]):
            return
    board.peg(dealer, "crib", show_parts(crib, starter, is_crib=True)["total"])


def play_deal(
    dealt: Sequence[Sequence[int]],
    extra_crib: int | None,
    starter: int,
    dealer: int,
    discard: DiscardCall,
    play: PlayCall,
    scores: Sequence[int] | None = None,
    target: int | None = None,
    partners: bool = False,
) -> DealRecord:
    """Play a whole deal: discards, heels, the play, hands, crib; stop where a side reaches the target.

    `dealt` is by seat; `extra_crib` is the card from the pack with three players, else None.
    `discard(seat, sorted_hand)` returns the cards thrown; `play(seat, state)` a card, with the `Play` as state.
    Scores are by side: the seat, or seat % 2 with `partners`. The crib lists the thrown cards in seat order.
    """
    check_deal(dealt, extra_crib, starter)
    board = Board(len(dealt), scores, target, partners)
    discards = [throw_cards(seat, hand, discard) for seat, hand in enumerate(dealt)]
    kept = [kept_by_seat for kept_by_seat, _ in discards]
    thrown = [thrown_by_seat for _, thrown_by_seat in discards]
    crib = [card for cards in thrown for card in cards]
    if extra_crib is not None:
        crib.append(extra_crib)

    play_log: list[Played] = []
    goes: list[tuple[int, int]] = []
    is_over = rank_of(starter) == JACK and board.peg(dealer, "heels", 2)
    if not is_over:
        state = peg_play(kept, dealer, play, board)
        play_log, goes = state.log, state.goes
    if board.winner is None:
        peg_show(kept, crib, starter, dealer, board)
    return DealRecord(
        dealer,
        starter,
        kept,
        thrown,
        crib,
        board.points,
        board.awards,
        play_log,
        goes,
        board.scores,
        board.winner,
    )


# The game


class GameRecord(NamedTuple):
    """One game: the side that won, the final scores by side, how many deals it took, and each of them."""

    winner: int
    scores: list[int]
    n_deals: int
    deals: list[DealRecord]


def play_game(
    deals: Callable[[int], tuple[Sequence[Sequence[int]], int | None, int]],
    first_dealer: int,
    discard: Callable[[int, list[int], int], Sequence[int]],
    play: PlayCall,
    players: int,
    target: int,
    partners: bool = False,
) -> GameRecord:
    """Deal until a side reaches the target; the deal passes to the left each time.

    `deals(n)` gives deal n (from 0) as (dealt, extra_crib, starter), the hands by role: role 0 is the seat
    after the dealer, the last role the dealer. `discard(seat, sorted_hand, dealer)` is told who deals.
    """
    scores = [0] * (2 if partners else players)
    records: list[DealRecord] = []
    winner = None
    while winner is None:
        dealer = (first_dealer + len(records)) % players
        dealt_by_role, extra_crib, starter = deals(len(records))
        hand_of = dict(zip(seats_after(dealer, players), dealt_by_role, strict=True))
        record = play_deal(
            [hand_of[seat] for seat in range(players)],
            extra_crib,
            starter,
            dealer,
            lambda seat, hand, dealer=dealer: discard(seat, hand, dealer),  # type: ignore[misc]
            play,
            scores,
            target,
            partners,
        )
        records.append(record)
        scores, winner = record.scores, record.winner
    return GameRecord(winner, scores, len(records), records)


# Simple players


def ways_to_throw(hand: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return every (kept, thrown) of a hand, in the lexicographic order of the positions thrown."""
    cards = sorted(hand)
    ways = []
    for positions in combinations(range(len(cards)), len(cards) - CARDS_KEPT):
        kept = [card for position, card in enumerate(cards) if position not in positions]
        ways.append((kept, [cards[position] for position in positions]))
    return ways


def best_throw(hand: Sequence[int], worth: Callable[[list[int], list[int]], Any]) -> list[int]:
    """Return the thrown cards of the first way of those worth most."""
    ways = ways_to_throw(hand)
    worths = [worth(kept, thrown) for kept, thrown in ways]
    return ways[worths.index(max(worths))][1]


def owns_crib(seat: int, dealer: int, partners: bool) -> bool:
    """Say whether the crib counts for this seat's side."""
    return seat == dealer or (partners and seat % 2 == dealer % 2)


def points_as_they_lie(cards: Sequence[int]) -> int:
    """Fifteens, pairs and runs of some cards without a starter."""
    return fifteens_points(cards) + pairs_points(cards) + runs_points(cards)


def greedy_discard(seat: int, hand: Sequence[int], dealer: int, partners: bool = False) -> list[int]:
    """Throw so that the kept four score most as they lie, plus or minus what the thrown cards hold."""
    sign = 1 if owns_crib(seat, dealer, partners) else -1

    def worth(kept: list[int], thrown: list[int]) -> int:
        return points_as_they_lie(kept) + 4 * is_flush(kept) + sign * points_as_they_lie(thrown)

    return best_throw(hand, worth)


def points_over_starters(kept: Sequence[int], hand: Sequence[int]) -> int:
    """Return the kept four's points summed over every starter not in the dealt hand (46 for six cards)."""
    return sum(show_parts(kept, starter)["total"] for starter in range(52) if starter not in hand)


def expectimax_discard(
    seat: int,
    hand: Sequence[int],
    dealer: int,
    table: Mapping[tuple[int, int], tuple[int | Fraction, int | Fraction]],
) -> list[int]:
    """Throw, with two players, for the best exact average of the hand plus own or minus other's average crib.

    `table[low_rank, high_rank]` is the pair's average (own, other) crib in hundredths of a point: ints, or
    Fractions for finer averages. Everything is scaled to whole numbers, so equals are equal exactly.
    """

    def worth(kept: list[int], thrown: list[int]) -> int | Fraction:
        low, high = (rank_of(card) for card in thrown)
        own, other = table[low, high]
        if not isinstance(own, int | Fraction) or not isinstance(other, int | Fraction):
            raise TypeError(f"crib averages are whole hundredths or Fractions, not {own!r} and {other!r}")
        n_starters = 52 - len(hand)
        crib = own if seat == dealer else -other
        return 100 * points_over_starters(kept, hand) + n_starters * crib

    return best_throw(hand, worth)


def greedy_play(seat: int, state: Play) -> int:
    """Play for most points now, go and last card apart; of equals the highest rank, then the first sorted."""

    def worth(card: int) -> tuple[int, int]:
        parts = card_parts([*state.pile, card], state.count + pip_of(card))
        return sum(parts.values()), rank_of(card)

    return max(state.legal_cards(seat), key=worth)  # max keeps the first of equals
