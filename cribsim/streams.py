"""Randomness by number: the cards of deal *n* and every random choice come from (seed, purpose, number).

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011), a
function from a 128-bit counter and a 64-bit key to 128 random bits. The key is the seed; the counter holds the number
of the deal or game, the deal within the game, and the purpose. No state, no order, nothing shared. The random choices
of the seats need no long streams: one 64-bit key for each decision, the finaliser of splitmix64 (Steele, Lea, Flood:
"Fast splittable pseudorandom number generators", 2014) applied in turn to seed, purpose, number and place.

Several cards are drawn from one 32-bit word without bias (Brackett-Rozinsky and Lemire: "Batched ranged random
integer generation", 2024): multiply by each range in turn, the high halves are the draws, and a word whose last low
half falls under 2^32 mod the product of the ranges is drawn anew.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.errors import CribsimError, require_whole, shown

DEAL = 1
"""Purpose: the cards of a deal."""
CHOICE = 2
"""Purpose: the random choices of the seats."""
FIRST_DEALER = 3
"""Purpose: the cut for who deals first."""

DISCARD_PLACE = 31
"""The place of the discard among a seat's decisions in a deal; a play's is the number of cards that lie."""

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_SPAN = np.uint64(4294967296)
_GROUPS = ((0, 4), (4, 4), (8, 4), (12, 1), (13, 4), (17, 4))
"""First place and number of places drawn from each word."""
_MOST_CARDS = 21


def check_seed(seed: int) -> int:
    """A seed is an int from 0 to 2^64 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise CribsimError(f"seed {shown(seed)}: give a whole number from 0 to 2^64 - 1")
    return int(seed)


@kernel(inline=True)
def philox(c0, c1, c2, c3, k0, k1):
    """Four random words from four counter words and two key words (all uint64 holding 32 bits)."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel(inline=True)
def stream_block(seed, purpose, number, step, block):
    """Block `block` of the stream of (seed, purpose, number, step): four words. seed, number: uint64."""
    return philox(
        number & _LOW, number >> _32, np.uint64(step), np.uint64(purpose * 65536 + block), seed & _LOW, seed >> _32
    )


@kernel(inline=True)
def mix(word):
    """A bijection of 64-bit words that scatters neighbours (the finaliser of splitmix64)."""
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@kernel(inline=True)
def choice_key(seed, number, step):
    """The uint64 from which all random choices of one deal derive: (seed, CHOICE, number, step) scattered in turn."""
    return mix(mix(mix(seed + _GOLDEN * np.uint64(CHOICE)) + _GOLDEN * number) + _GOLDEN * np.uint64(step))


@kernel(inline=True)
def decision_key(deal_key, role, place):
    """The random key of one decision: by the deal, the role and its place (DISCARD_PLACE, or the cards that lie)."""
    return mix(deal_key + _GOLDEN * np.uint64(role * 32 + place + 1))


@kernel(inline=True)
def item_draw(deal_key, role, event, item):
    """32 random bits for whether a role overlooks an item of a count (`house`). event: below 32; item: below 32."""
    return np.int64(mix(deal_key + _GOLDEN * np.uint64(1024 + (event * 32 + item) * 4 + role)) >> _32)


@kernel(inline=True)
def cut_key(seed, number, game):
    """The random key of the cut for deal of one game of a unit."""
    return mix(mix(mix(seed + _GOLDEN * np.uint64(FIRST_DEALER)) + _GOLDEN * number) + _GOLDEN * np.uint64(game))


@kernel(inline=True)
def nth_key(key, n):
    """The n-th of many keys out of one."""
    return mix(key + _GOLDEN * np.uint64(n + 1))


@kernel(inline=True)
def random_below(key, n):
    """An unbiased draw from range(n) out of a 64-bit key (n below 2^31)."""
    key = np.uint64(key)
    top = key >> _32
    product = top * np.uint64(n)
    if (product & _LOW) < np.uint64(n):
        floor = np.uint64((4294967296 - n) % n)
        while (product & _LOW) < floor:
            key = mix(key + _GOLDEN)
            product = (key >> _32) * np.uint64(n)
    return np.int64(product >> _32)


@kernel
def _fill_words(seed, numbers, steps, n, block, w0, w1, w2, w3):
    """Four words for each of n deals. numbers: uint64[n]; steps: int64[n]; w0 to w3: uint64[n]."""
    for i in range(n):
        w0[i], w1[i], w2[i], w3[i] = stream_block(seed, DEAL, numbers[i], steps[i], block)


@kernel
def _fill_place(words, n, place, out_places):
    """Fisher-Yates targets for one place; the words are left holding what remains of them."""
    ahead = np.uint64(N_CARDS - place)
    for i in range(n):
        product = words[i] * ahead
        out_places[i] = np.uint64(place) + (product >> _32)
        words[i] = product & _LOW


@kernel
def _fill_places(words, n, group, out_places, out_low):
    """Targets for the places of one group out of one word each.

    words: uint64[n]; out_places: uint8[24, n]; out_low: set where the remainder is so low that the word may have to be
    drawn anew.
    """
    first, n_places = _GROUPS[group]
    ranges = np.uint64(1)
    for place in range(first, first + n_places):
        ranges *= np.uint64(N_CARDS - place)
        _fill_place(words, n, place, out_places[place])
    for i in range(n):
        out_low[i] |= words[i] < ranges


@kernel
def _draw_again(seed, number, step, group, first, n_places, remainder, places):
    """Draw a word anew until its remainder passes. places: uint8[24], one deal's."""
    ranges = np.uint64(1)
    for place in range(first, first + n_places):
        ranges *= np.uint64(N_CARDS - place)
    retry = 0
    while remainder < _SPAN % ranges:
        retry += 1
        remainder = stream_block(seed, DEAL, number, step, group // 4 + 256 * retry)[group % 4]
        for place in range(first, first + n_places):
            product = remainder * np.uint64(N_CARDS - place)
            places[place] = np.uint64(place) + (product >> _32)
            remainder = product & _LOW


@kernel
def draw_places(seed, numbers, steps, n, n_cards, words, out_low, out_places):
    """The targets of n deals' shuffles: four places to a word; the thirteenth card (the starter with two players) has
    a word of its own. words: uint64[8, n] and out_low: bool[n], scratch; out_places: uint8[24, n].
    """
    n_groups = 4 if n_cards <= 13 else 6
    for i in range(n):
        out_low[i] = False
    _fill_words(seed, numbers, steps, n, 0, words[0], words[1], words[2], words[3])
    if n_groups > 4:
        _fill_words(seed, numbers, steps, n, 1, words[4], words[5], words[6], words[7])
    for group in range(n_groups):
        _fill_places(words[group], n, group, out_places, out_low)
    for i in range(n):
        if out_low[i]:
            for group in range(n_groups):
                first, n_places = _GROUPS[group]
                _draw_again(seed, numbers[i], steps[i], group, first, n_places, words[group, i], out_places[:, i])


@kernel
def _replace_where(places, target, moved, n, out_cards):
    for i in range(n):
        new, old = moved[i], out_cards[i]
        out_cards[i] = new if places[i] == target[i] else old


@kernel
def _replace_at(places, place, moved, n, out_cards):
    at = np.uint8(place)
    for i in range(n):
        new, old = moved[i], out_cards[i]
        out_cards[i] = new if places[i] == at else old


@kernel
def deal_cards(places, n, n_cards, moved, out_cards):
    """The first cards of n shuffles. places: uint8[24, n]; moved: uint8[24, n], scratch; out_cards: uint8[24, n].

    Swap k exchanges cards k and places[k] of a pack in order. Instead of packs that are shuffled one after another,
    whole rows are followed through the swaps: a place holds its own number, or the card that the last swap which
    aimed at it moved there (`moved[k]` is the card that lay at k when its turn came).
    """
    for k in range(n_cards):
        for i in range(n):
            moved[k, i] = k
            out_cards[k, i] = places[k, i]
        for swap in range(k):
            _replace_at(places[swap], k, moved[swap], n, moved[k])
            _replace_where(places[swap], places[k], moved[swap], n, out_cards[k])


def shuffled_cards(seed: int, number: int, *, step: int = 0, n_cards: int = 13) -> list[int]:
    """The first cards of a deal: the pone's, round to the dealer's, (one for the crib with three,) the starter.

    Parameters
    ----------
    seed, number, step
        The run's seed, the number of the deal (or of the game), and the deal within the game.
    n_cards
        How many, 1 to 21: 13 with two players (11 in the five-card game), 17 with three, 21 with four.

    Examples
    --------
    >>> len(set(shuffled_cards(0, 0)))
    13
    """
    seed, number = check_seed(seed), require_whole(number, "number", 0, 2**64 - 1)
    step, n_cards = require_whole(step, "step", 0, 2**32 - 1), require_whole(n_cards, "n_cards", 1, _MOST_CARDS)
    numbers, steps = np.array([number], np.uint64), np.array([step])
    cards, places = np.zeros((24, 1), np.uint8), np.zeros((24, 1), np.uint8)
    words, low = np.zeros((8, 1), np.uint64), np.zeros(1, np.bool_)
    draw_places(np.uint64(seed), numbers, steps, 1, n_cards, words, low, places)
    deal_cards(places, 1, n_cards, np.zeros_like(cards), cards)
    return [int(card) for card in cards[:n_cards, 0]]
