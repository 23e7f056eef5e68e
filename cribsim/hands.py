"""Hands by number: among all hands of six cards, and among the classes of hands that differ only by names of suits.

Six cards have 20,358,520 hands but 962,988 classes. What is worth the same whatever the suits are called (a discard
without a score, say) is kept by class. The index counts the ways in which four suits can share the cards: sort the
suits by their number of cards and by the ranks in them; suits with as many cards form a multiset of sets of ranks
(after Waugh: "A fast and optimal hand isomorphism algorithm", 2013).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import kernel
from cribsim.cards import N_CARDS, parse_cards
from cribsim.errors import CardError

MAX_HAND = 6
N_CLASSES = (1, 13, 169, 1755, 16432, 134459, 962988)
"""Classes of hands of 0 to 6 cards."""
N_HANDS_6 = math.comb(N_CARDS, 6)

CARD_PLACES = np.array([[math.comb(card, place + 1) for card in range(N_CARDS)] for place in range(MAX_HAND)])
"""What each of the sorted cards adds to the number of its hand in colexicographic order, (6, 52)."""

_SET_RANK = np.zeros(8192, np.uint16)
"""The number of a set of ranks (13 bits) among those of as many ranks; in the order of the masks as numbers."""
for _n in range(14):
    _of_n = np.flatnonzero(np.bitwise_count(np.arange(8192)) == _n)
    _SET_RANK[_of_n] = np.arange(len(_of_n))


def _shares_of(n: int) -> list[tuple[int, ...]]:
    """How many cards each suit may have, most first."""
    return [s for s in itertools.product(range(n, -1, -1), repeat=4) if sum(s) == n and list(s) == sorted(s)[::-1]]


def _number_shares(shares: tuple[int, ...], first: int) -> tuple[list[list[int]], int]:
    """By place of the suit, what a set of ranks adds to the index; and the index behind the last class."""
    addends, radix = [], 1
    for place, n_cards in enumerate(shares):
        # of suits with as many cards the largest set comes first: a multiset, whose lowest is the last
        below = shares[place + 1 :].count(n_cards)
        n_sets = math.comb(13, n_cards)
        addends.append([first * (place == 0) + radix * math.comb(at + below, below + 1) for at in range(n_sets)])
        if below == 0:
            n_same = shares.count(n_cards)
            radix *= math.comb(n_sets + n_same - 1, n_same)
    return addends, first + radix


def _number_classes() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For hands of 1 to 6 cards: where the addends of their shares begin, (1024, 4), and the addends."""
    starts = np.zeros((1024, 4), np.int32)
    addends: list[int] = []
    for n in range(1, MAX_HAND + 1):
        first = 0
        for shares in _shares_of(n):
            by_place, first = _number_shares(shares, first)
            for place, added in enumerate(by_place):
                starts[n << 7 | shares[0] << 4 | shares[1] << 2 | shares[2], place] = len(addends)
                addends += added
    return starts, np.array(addends, np.int32)


_STARTS, _ADDENDS = (array.ravel() for array in _number_classes())


@kernel(inline=True)
def _exchange(one, two):
    return max(one, two), min(one, two)


@kernel(inline=True)
def suit_order(cards, n):
    """The suits of n cards, that with most cards first; each as number of cards, 13 bits of ranks, 2 bits of suit."""
    suits = np.uint64(0)  # 16 bits each: how many cards, and the 13 ranks
    for i in range(n):
        card = np.uint64(cards[i])
        suits += (np.uint64(1 << 13) | np.uint64(1) << (card >> np.uint64(2))) << (
            (card & np.uint64(3)) << np.uint64(4)
        )
    a = np.int64(suits & np.uint64(0xFFFF)) << 2
    b = np.int64(suits >> np.uint64(16) & np.uint64(0xFFFF)) << 2 | 1
    c = np.int64(suits >> np.uint64(32) & np.uint64(0xFFFF)) << 2 | 2
    d = np.int64(suits >> np.uint64(48)) << 2 | 3
    a, b = _exchange(a, b)
    c, d = _exchange(c, d)
    a, c = _exchange(a, c)
    b, d = _exchange(b, d)
    b, c = _exchange(b, c)
    return a, b, c, d


@kernel(inline=True)
def _addend(at, suit):
    """What a suit adds to the index. at: where its start stands in `_STARTS`."""
    rank = np.int64(_SET_RANK[np.uint64(suit >> 2 & 8191)])
    return np.int64(_ADDENDS[np.uint64(np.int64(_STARTS[np.uint64(at)]) + rank)])


@kernel(inline=True)
def class_index(order, n):
    """The number of the class of n cards whose suits are ordered so (`suit_order`)."""
    a, b, c, d = order
    at = (n << 7 | (a >> 15) << 4 | (b >> 15) << 2 | c >> 15) << 2
    return _addend(at, a) + _addend(at + 1, b) + _addend(at + 2, c) + _addend(at + 3, d)


@kernel(inline=True)
def hand_index(cards):
    """The number of six sorted cards among all 20,358,520 hands, in colexicographic order."""
    index = 0
    for place in range(6):
        index += CARD_PLACES[place, np.uint64(cards[place])]
    return index


@kernel
def index_classes(hands, out_index):
    """Number the classes of many hands. hands: uint8[m, n]; out_index: int64[m]."""
    for i in range(len(hands)):
        out_index[i] = class_index(suit_order(hands[i], hands.shape[1]), hands.shape[1])


def _read_sets(index: NDArray[np.int64], n_cards: int, n_same: int) -> list[NDArray[np.int64]]:
    """The sets of ranks of `n_same` suits with n_cards each, as masks, from the number of their multiset."""
    masks = np.flatnonzero(np.bitwise_count(np.arange(8192)) == n_cards)
    sets = []
    for below in range(n_same - 1, -1, -1):
        steps = np.array([math.comb(at + below, below + 1) for at in range(len(masks))])
        chosen = np.searchsorted(steps, index, side="right") - 1
        index = index - steps[chosen]
        sets.append(masks[chosen])
    return sets


def _classes_of(shares: tuple[int, ...]) -> NDArray[np.int64]:
    """The sets of ranks by suit of all classes with these shares, (classes, 4) masks, in the order of the index."""
    groups = [(n_cards, shares.count(n_cards)) for n_cards in dict.fromkeys(shares)]
    blocks = [math.comb(math.comb(13, n_cards) + n_same - 1, n_same) for n_cards, n_same in groups]
    left = np.arange(math.prod(blocks))
    suits: list[NDArray[np.int64]] = []
    for (n_cards, n_same), block in zip(groups, blocks, strict=True):
        suits += _read_sets(left % block, n_cards, n_same)
        left = left // block
    return np.stack(suits, axis=1)


@functools.cache
def _class_masks(n: int) -> NDArray[np.int64]:
    return np.concatenate([_classes_of(shares) for shares in _shares_of(n)])


def class_hands(n: int) -> NDArray[np.uint8]:
    """One hand of each class of n cards (1 to 6), sorted, uint8 (classes, n); row k has the index k.

    >>> class_hands(2)[:2].tolist()
    [[0, 4], [0, 8]]
    """
    masks = _class_masks(_check_size(n))
    bits = masks[:, None, :] >> np.arange(13)[None, :, None] & 1  # by rank and suit: the order of cards
    rows, cards = np.nonzero(bits.reshape(len(masks), N_CARDS))
    assert len(rows) == n * len(masks)
    return cards.reshape(len(masks), n).astype(np.uint8)


def class_sizes(n: int) -> NDArray[np.int64]:
    """How many hands each class of n cards has: the ways to name its suits.

    >>> int(class_sizes(2).sum()) == 52 * 51 // 2
    True
    """
    masks = _class_masks(_check_size(n))
    same = (masks[:, :, None] == masks[:, None, :]).sum(axis=2)  # n suits alike: n of them count n each
    factorials = np.array([1, 1, 2, 6, 24])
    alike = np.ones(len(masks), np.int64)
    for place in range(4):
        first_of_its_kind = ~(masks[:, :place] == masks[:, place : place + 1]).any(axis=1)
        alike *= np.where(first_of_its_kind, factorials[same[:, place]], 1)
    sizes: NDArray[np.int64] = 24 // alike
    return sizes


def number_hand(hand: str | Iterable[str | int]) -> int:
    """The number of the class of a hand of 1 to 6 cards: the same for hands that differ only by names of suits.

    >>> number_hand("5H 5S 5C JD") == number_hand("5D 5S 5H JC")
    True
    """
    cards = sorted(parse_cards(hand))
    index = np.zeros(1, np.int64)
    index_classes(np.array([cards], np.uint8).reshape(1, _check_size(len(cards))), index)
    return int(index[0])


def _check_size(n: int) -> int:
    if not 1 <= n <= MAX_HAND:
        raise CardError(f"{n} cards: classes are numbered for hands of 1 to {MAX_HAND} cards")
    return n


def n_hands(n_cards: int) -> int:
    """Hands of five or six cards."""
    return math.comb(N_CARDS, n_cards)


@kernel(inline=True)
def next_hand(cards):
    """Go on to the next hand in colexicographic order. cards: sorted, with 52 behind."""
    place = 0
    while cards[place] + 1 == cards[place + 1]:
        cards[place] = place
        place += 1
    cards[place] += 1


def hand_at(index: int, n_cards: int) -> NDArray[np.int64]:
    """The hand of this number, with 52 behind it (twice, so that going on from the last hand ends)."""
    cards = np.full(8, N_CARDS)
    for place in range(n_cards - 1, -1, -1):
        cards[place] = np.searchsorted(CARD_PLACES[place], index, side="right") - 1
        index -= CARD_PLACES[place, cards[place]]
    return cards
