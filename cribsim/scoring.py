"""The show: what a hand or crib of four cards is worth with a starter, in parts and in all.

The points that ranks alone bring (fifteens, pairs, runs) are looked up: two cards give one of 91 pairs of ranks, two
pairs and the starter's rank give an entry of a 91 x 91 x 13 table, whatever the order of the cards. Flush and nobs are
added from the suits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, RANKS, format_card, format_cards, parse_cards, require_cards
from cribsim.errors import CardError
from cribsim.rules import PIPS, pip_of

JACK = 10
N_RANKS = 13
N_PAIRS = 91
N_KEPT = 1820
"""Multisets of four ranks."""
MAX_SHOW = 29


def _pair_classes() -> NDArray[np.uint8]:
    """The class of two ranks, 0-90, whichever comes first; flat, 13 x 13."""
    low, high = np.minimum.outer(range(13), range(13)), np.maximum.outer(range(13), range(13))
    return np.ascontiguousarray((high * (high + 1) // 2 + low).astype(np.uint8).ravel())


PAIR_CLASS = _pair_classes()


def _fifteens_points(held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Two for each combination that counts fifteen. held: (n, 13) numbers of each rank."""
    ways = np.zeros((len(held), 16), np.int64)
    ways[:, 0] = 1
    for rank, value in enumerate(PIPS):
        for copy in range(1, 6):
            more = held[:, rank] >= copy
            ways[more, value:] += ways[more, : 16 - value].copy()
    return 2 * ways[:, 15]


def _pairs_points(held: NDArray[np.int64]) -> NDArray[np.int64]:
    points: NDArray[np.int64] = (held * (held - 1)).sum(axis=1)
    return points


def _runs_points(held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each stretch of three or more ranks, once for every combination of its cards."""
    points = np.zeros(len(held), np.int64)
    length, ways = np.zeros(len(held), np.int64), np.ones(len(held), np.int64)
    for rank in range(N_RANKS + 1):
        here = held[:, rank] if rank < N_RANKS else np.zeros(len(held), np.int64)
        ended = (here == 0) & (length >= 3)
        points[ended] += (length * ways)[ended]
        length = np.where(here > 0, length + 1, 0)
        ways = np.where(here > 0, ways * here, 1)
    return points


def _count_ranks(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    held = np.zeros((len(ranks), N_RANKS), np.int64)
    for place in range(ranks.shape[1]):
        held[np.arange(len(ranks)), ranks[:, place]] += 1
    return held


def _rank_points_table() -> NDArray[np.uint8]:
    """Points of five ranks, flat: (class of two x 91 + class of two) x 13 + starter's rank."""
    sorted_ranks = np.array(list(itertools.combinations_with_replacement(range(N_RANKS), 5)))
    held = _count_ranks(sorted_ranks)
    values = (_fifteens_points(held) + _pairs_points(held) + _runs_points(held)).astype(np.uint8)
    by_key = np.zeros(N_RANKS**5, np.uint8)
    by_key[sorted_ranks @ 13 ** np.arange(5)] = values
    pairs = np.array([(low, high) for high in range(13) for low in range(high + 1)])
    first, second, starter = np.meshgrid(np.arange(91), np.arange(91), np.arange(13), indexing="ij")
    five = np.concatenate([pairs[first.ravel()], pairs[second.ravel()], starter.ravel()[:, None]], axis=1)
    return np.ascontiguousarray(by_key[np.sort(five, axis=1) @ 13 ** np.arange(5)])


RANK_POINTS = _rank_points_table()


def _two_cards() -> NDArray[np.uint16]:
    """All that the show needs of two cards, flat 52 x 52: class of their ranks (7 bits), jacks among them by suit
    (4 bits), and their suit if they share one (4 bits)."""
    first, second = np.divmod(np.arange(N_CARDS * N_CARDS), N_CARDS)
    suit, other = first & 3, second & 3
    jacks = np.where(first >> 2 == JACK, 1 << suit, 0) | np.where(second >> 2 == JACK, 1 << other, 0)
    shared = np.where(suit == other, 1 << suit, 0)
    return (PAIR_CLASS[(first >> 2) * 13 + (second >> 2)] | jacks << 7 | shared << 11).astype(np.uint16)


TWO_CARDS = _two_cards()


@kernel
def flush_points(c0, c1, c2, c3, starter, is_crib):
    """Four of a suit in the hand 4, with the starter 5; in the crib only all five count."""
    suits = ((c0 ^ c1) | (c0 ^ c2) | (c0 ^ c3)) & 3
    with_starter = (c0 ^ starter) & 3 == 0
    return (suits == 0) * (4 * (1 - is_crib) * (1 - with_starter) + 5 * with_starter)


@kernel
def nobs_points(c0, c1, c2, c3, starter):
    """One for holding the jack of the starter's suit (a jack turned up is his heels, never nobs)."""
    jack = JACK * 4 + (starter & 3)
    return np.int64((c0 == jack) | (c1 == jack) | (c2 == jack) | (c3 == jack))


def _four_points_table() -> NDArray[np.uint8]:
    """Points of four ranks as they lie, without a starter; flat: class of two x 91 + class of two."""
    pairs = np.array([(low, high) for high in range(13) for low in range(high + 1)])
    first, second = np.divmod(np.arange(N_PAIRS * N_PAIRS), N_PAIRS)
    held = _count_ranks(np.concatenate([pairs[first], pairs[second]], axis=1))
    return (_fifteens_points(held) + _pairs_points(held) + _runs_points(held)).astype(np.uint8)


FOUR_POINTS = _four_points_table()


@kernel(inline=True)
def points_as_they_lie(c0, c1, c2, c3):
    """Points of four cards without a starter: fifteens, pairs, runs and a flush of four."""
    one, two = np.int64(TWO_CARDS[c0 * 52 + c1]), np.int64(TWO_CARDS[c2 * 52 + c3])
    return np.int64(FOUR_POINTS[(one & 127) * 91 + (two & 127)]) + 4 * ((one & two) >> 11 != 0)


@kernel(inline=True)
def two_card_points(r0, r1):
    """Points of two ranks alone: a pair or a fifteen."""
    return 2 * (r0 == r1) + 2 * (min(r0 + 1, 10) + min(r1 + 1, 10) == 15)


@kernel(inline=True)
def show_points(c0, c1, c2, c3, starter, is_crib):
    """All points of four different cards, in any order, with a starter. Cards: int64 0-51; is_crib: 0 or 1."""
    one, two = np.int64(TWO_CARDS[c0 * 52 + c1]), np.int64(TWO_CARDS[c2 * 52 + c3])
    suit = starter & 3
    ranks = np.int64(RANK_POINTS[((one & 127) * 91 + (two & 127)) * 13 + (starter >> 2)])
    nobs = ((one | two) >> (7 + suit)) & 1
    flush = (one & two) >> 11
    with_starter = (flush >> suit) & 1
    return ranks + nobs + 5 * with_starter + 4 * ((flush != 0) & (with_starter == 0) & (is_crib == 0))


@kernel
def score_many(fours, starters, is_crib, out_points):
    """fours: uint8[n, 4]; starters: uint8[n]; is_crib: 0 or 1; out_points: uint8[n]."""
    for i in range(len(starters)):
        out_points[i] = show_points(
            np.int64(fours[i, 0]),
            np.int64(fours[i, 1]),
            np.int64(fours[i, 2]),
            np.int64(fours[i, 3]),
            np.int64(starters[i]),
            is_crib,
        )


def _rank_places(n: int) -> NDArray[np.int64]:
    """What each of n sorted ranks adds to the number of their multiset (colexicographic order), (n, 13)."""
    return np.array([[math.comb(rank + place, place + 1) for rank in range(N_RANKS)] for place in range(n)])


RANK_PLACES = _rank_places(6)


@kernel(inline=True)
def kept_index(r0, r1, r2, r3):
    """The number of four sorted ranks among the 1,820 multisets."""
    at = np.uint64
    return RANK_PLACES[0, at(r0)] + RANK_PLACES[1, at(r1)] + RANK_PLACES[2, at(r2)] + RANK_PLACES[3, at(r3)]


def multisets(n: int) -> NDArray[np.int64]:
    """Every n ranks, (number, n), each row sorted, in the order of `RANK_PLACES`."""
    rows = np.array(list(itertools.combinations_with_replacement(range(N_RANKS), n)), np.int64)
    return rows[np.argsort(RANK_PLACES[np.arange(n), rows].sum(axis=1))]


def kept_texts() -> list[str]:
    """The 1,820 multisets of four ranks as text, in the order of `kept_index`.

    >>> kept_texts()[0], kept_texts()[-1]
    ('AAAA', 'KKKK')
    """
    return ["".join(RANKS[rank] for rank in ranks) for ranks in multisets(4).tolist()]


def _kept_points_table() -> NDArray[np.uint8]:
    """Points of four sorted ranks with each starter rank, flat: kept_index x 13 + starter's rank."""
    rows = multisets(4)
    first, second = PAIR_CLASS[rows[:, 0] * 13 + rows[:, 1]], PAIR_CLASS[rows[:, 2] * 13 + rows[:, 3]]
    at = (first.astype(np.int64) * 91 + second) * 13
    return np.ascontiguousarray(RANK_POINTS[at[:, None] + np.arange(13)].ravel())


KEPT_POINTS = _kept_points_table()
"""The same points as RANK_POINTS for hands whose cards are sorted: a fifth of its size, so that it stays in the cache
beside all else that the engine touches."""


@kernel(inline=True)
def show_sorted(c0, c1, c2, c3, starter, is_crib):
    """`show_points` of four sorted cards."""
    suit = starter & 3
    index = kept_index(c0 >> 2, c1 >> 2, c2 >> 2, c3 >> 2)
    ranks = np.int64(KEPT_POINTS[np.uint64(index * 13 + (starter >> 2))])
    jack = JACK * 4 + suit
    nobs = (c0 == jack) | (c1 == jack) | (c2 == jack) | (c3 == jack)
    flush = ((c0 ^ c1) | (c0 ^ c2) | (c0 ^ c3)) & 3 == 0
    with_starter = c0 & 3 == suit
    return ranks + nobs + flush * (5 * with_starter + 4 * ((not with_starter) & (is_crib == 0)))


def score_shows(fours: ArrayLike, starters: ArrayLike, *, is_crib: bool = False) -> NDArray[np.uint8]:
    """Total points of many hands or cribs.

    Parameters
    ----------
    fours, starters
        Cards 0-51: shape (n, 4) and (n,). The five cards of a row must differ.

    Raises
    ------
    CardError
        A code lies outside 0-51, or a card stands twice in a row.

    Examples
    --------
    >>> score_shows([[18, 19, 16, 41]], [17]).tolist()
    [29]
    """
    hands, cuts = np.atleast_2d(np.asarray(fours)), np.atleast_1d(np.asarray(starters))
    if hands.shape != (len(cuts), 4) or cuts.ndim != 1 or hands.dtype.kind not in "iu" or cuts.dtype.kind not in "iu":
        given = f"{hands.dtype} {hands.shape} and {cuts.dtype} {cuts.shape}"
        raise CardError(f"hands of four and a starter wanted, ints of shapes (n, 4) and (n,); given {given}")
    cards = np.column_stack([hands, cuts])
    wrong = cards[(cards < 0) | (cards >= N_CARDS)]
    if len(wrong):
        raise CardError(f"card code {wrong[0]} out of range; cards are the ints 0-51 (rank * 4 + suit)")
    in_order = np.sort(cards, axis=1)
    twice = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
    if len(twice):
        raise CardError(f"row {twice[0]} holds a card twice: {format_cards(cards[twice[0]].tolist())}")
    cards = cards.astype(np.uint8)
    points = np.zeros(len(cards), np.uint8)
    score_many(np.ascontiguousarray(cards[:, :4]), np.ascontiguousarray(cards[:, 4]), int(bool(is_crib)), points)
    return points


PARTS = ("fifteens", "pairs", "runs", "flush", "nobs")


def score_parts(fours: NDArray[np.int64], starters: NDArray[np.int64], *, is_crib: bool = False) -> NDArray[np.int64]:
    """The points of many hands or cribs by part (`PARTS`), (n, 5). fours: (n, 4) different cards (of the five-card
    game's hands three); starters: (n,)."""
    one_suit = (fours & 3 == fours[:, :1] & 3).all(axis=1)
    with_starter = one_suit & (fours[:, 0] & 3 == starters & 3)
    size = fours.shape[1]
    flush = (size + 1) * with_starter + size * (one_suit & ~with_starter & (not is_crib))
    nobs = ((fours >> 2 == JACK) & (fours & 3 == (starters & 3)[:, None])).any(axis=1)
    return np.column_stack([rank_parts(fours >> 2, starters >> 2), flush, nobs])


def rank_parts(fours: NDArray[np.int64], starters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The points of fifteens, pairs and runs of many ranks, (n, 3). fours: (n, 4) ranks; starters: (n,)."""
    held = _count_ranks(np.column_stack([fours, starters]))
    return np.stack([_fifteens_points(held), _pairs_points(held), _runs_points(held)], axis=1)


@dataclass(frozen=True, slots=True)
class HandScore:
    """Points of a hand or crib: the total and its parts."""

    total: int
    fifteens: int
    pairs: int
    runs: int
    flush: int
    nobs: int
    counts: tuple[tuple[str, str, int], ...]
    """Every combination in the order players count: what it is, its cards, its points."""

    def explain(self) -> str:
        """The count as players speak it.

        >>> score_hand("7C 7D 8H 9S", "2C").explain()
        'fifteen two (7C 8H), fifteen four (7D 8H), a pair is six (7C 7D), and a double run of three makes twelve'
        """
        return _speak(self.counts)


def score_hand(hand: str | Iterable[str | int], starter: str | int, crib: bool = False) -> HandScore:
    """Score four cards with a starter, part by part.

    Parameters
    ----------
    hand
        Four cards, as text or ints 0-51.
    starter
        The cut card.
    crib
        Whether the four lie in the crib, where only five of a suit make a flush.

    Raises
    ------
    CardError
        Not four cards and a starter, or a card stands twice.

    Examples
    --------
    >>> score_hand("5H 5S 5C JD", "5D").total
    29
    """
    four = require_cards(hand, 4, "a hand")
    cut = require_cards(starter if isinstance(starter, str) else [starter], 1, "the starter")
    five = parse_cards([*four, *cut])
    is_crib = int(bool(crib))
    flush, nobs = int(flush_points(*four, *cut, is_crib)), int(nobs_points(*four, *cut))
    counts = tuple(_combinations(five, flush, nobs))
    points = {what: sum(n for name, _, n in counts if name == what) for what in ("fifteen", "pair", "run")}
    total = int(show_points(*four, *cut, is_crib))
    return HandScore(total, points["fifteen"], points["pair"], points["run"], flush, nobs, counts)


def _combinations(cards: list[int], flush: int, nobs: int) -> list[tuple[str, str, int]]:
    """Every scoring combination. cards: the four, then the starter."""
    four, starter, five = cards[:4], cards[4], sorted(cards)
    found = [
        ("fifteen", format_cards(cards), 2)
        for n in range(2, 6)
        for cards in itertools.combinations(five, n)
        if sum(pip_of(card) for card in cards) == 15
    ]
    found += [
        ("pair", format_cards(cards), 2) for cards in itertools.combinations(five, 2) if cards[0] >> 2 == cards[1] >> 2
    ]
    found += [("run", format_cards(cards), len(cards)) for cards in _runs(five)]
    if flush:
        found.append(("flush", format_cards(sorted(four) if flush == 4 else five), flush))
    if nobs:
        found.append(("nobs", format_card(JACK * 4 + (starter & 3)), 1))
    return found


def _runs(five: list[int]) -> list[tuple[int, ...]]:
    """Every run of the greatest length."""
    for n in (5, 4, 3):
        runs = [
            cards
            for cards in itertools.combinations(five, n)
            if [card >> 2 for card in cards] == list(range(cards[0] >> 2, (cards[0] >> 2) + n))
        ]
        if runs:
            return runs
    return []


_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "twenty-one"),
    *("twenty-two", "twenty-three", "twenty-four", "twenty-five", "twenty-six", "twenty-seven", "twenty-eight"),
    "twenty-nine",
)
_MULTIPLE = {1: "a", 2: "a double", 3: "a triple", 4: "a double double"}
_SAME = {1: "a pair", 3: "a pair royal", 6: "a double pair royal"}


def _speak(counts: tuple[tuple[str, str, int], ...]) -> str:
    so_far = 0
    phrases = []
    for what, cards, points in _spoken_groups(counts):
        so_far += points
        total = _NUMBERS[so_far]
        phrases.append(f"fifteen {total} ({cards})" if what == "fifteen" else f"{what} is {total} ({cards})")
    if not phrases:
        return "nothing"
    if len(phrases) > 1:
        last = phrases[-1].replace(" is ", " makes ", 1).partition(" (")[0]
        phrases[-1] = f"and {last}" if not last.startswith("fifteen") else phrases[-1]
    return ", ".join(phrases)


def _spoken_groups(counts: tuple[tuple[str, str, int], ...]) -> list[tuple[str, str, int]]:
    """Fifteens one by one; pairs of one rank, and runs, in one breath."""
    groups = [count for count in counts if count[0] == "fifteen"]
    for rank in RANKS:
        pairs = [cards for what, cards, _ in counts if what == "pair" and cards[0] == rank]
        if pairs:
            cards = sorted({card for pair in pairs for card in pair.split()}, key=lambda card: "CDHS".index(card[1]))
            groups.append((_SAME[len(pairs)], " ".join(cards), 2 * len(pairs)))
    runs = [cards for what, cards, _ in counts if what == "run"]
    if runs:
        length = len(runs[0].split())
        name = f"{_MULTIPLE[len(runs)]} run of {_NUMBERS[length]}"
        groups.append((name, runs[0] if len(runs) == 1 else "", length * len(runs)))
    groups += [
        ("a flush" if what == "flush" else "his nobs", cards, n)
        for what, cards, n in counts
        if what in ("flush", "nobs")
    ]
    return groups
