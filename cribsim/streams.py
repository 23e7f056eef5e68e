"""Randomness by number: the cards of deal *n* and every random choice come from (seed, purpose, number).

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011), a
function from a 128-bit counter and a 64-bit key to 128 random bits. The key is the seed; the counter holds the number
of the deal or game, the deal within the game, and the purpose. No state, no order, nothing shared.

Several cards are drawn from one 32-bit word without bias (Brackett-Rozinsky and Lemire: "Batched ranged random
integer generation", 2024): multiply by each range in turn, the high halves are the draws, and a word whose last low
half falls under 2^32 mod the product of the ranges is drawn anew.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import N_CARDS
from cribsim.errors import CribsimError

DEAL = 1
"""Purpose: the cards of a deal."""
CHOICE = 2
"""Purpose: the random choices of the seats."""

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_SPAN = np.uint64(4294967296)


def check_seed(seed: int) -> int:
    """A seed is an int from 0 to 2^64 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise CribsimError(f"seed {seed!r}: give a whole number from 0 to 2^64 - 1")
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
    """The uint64 from which all random choices of one deal derive."""
    w0, w1, _, _ = stream_block(seed, CHOICE, number, step, 0)
    return (w0 << _32) | w1


@kernel(inline=True)
def decision_key(deal_key, role, n_played):
    """The random key of one decision: by the deal, the role and how many cards lie (31 for the discard)."""
    return mix(deal_key + _GOLDEN * np.uint64(role * 32 + n_played + 1))


@kernel(inline=True)
def random_below(key, n):
    """An unbiased draw from range(n) out of a 64-bit key (n below 2^31)."""
    top = key >> _32
    product = top * np.uint64(n)
    if (product & _LOW) < np.uint64(n):
        floor = np.uint64((4294967296 - n) % n)
        while (product & _LOW) < floor:
            key = mix(key + _GOLDEN)
            product = (key >> _32) * np.uint64(n)
    return np.int64(product >> _32)


@kernel(inline=True)
def _draw_places(word, first, n, out_places):
    """Fisher-Yates targets for `n` places from `first` on, out of one word; False when it must be drawn anew."""
    ranges = np.uint64(1)
    for place in range(first, first + n):
        ahead = np.uint64(N_CARDS - place)
        ranges *= ahead
        product = word * ahead
        out_places[place] = place + np.int64(product >> _32)
        word = product & _LOW
    return word >= ranges or word >= _SPAN % ranges


@kernel
def _draw_again(seed, number, step, group, first, n, out_places):
    retry = 1
    while True:
        words = stream_block(seed, DEAL, number, step, group // 4 + 256 * retry)
        if _draw_places(words[group % 4], first, n, out_places):
            return
        retry += 1


@kernel(inline=True)
def _draw_group(seed, number, step, group, word, first, n, out_places):
    if not _draw_places(word, first, n, out_places):
        _draw_again(seed, number, step, group, first, n, out_places)


@kernel(inline=True)
def deal_cards(seed, number, step, n_cards, deck, places, out_cards):
    """The first `n_cards` (13, 17 or 21) of shuffle (seed, number, step).

    Four places are drawn from one word; the thirteenth card (the starter with two players) has a word of its own.
    deck: uint8[52], holding 0 to 51 in order before and after; places: int64[24], scratch; out_cards: uint8[n_cards].
    """
    w0, w1, w2, w3 = stream_block(seed, DEAL, number, step, 0)
    _draw_group(seed, number, step, 0, w0, 0, 4, places)
    _draw_group(seed, number, step, 1, w1, 4, 4, places)
    _draw_group(seed, number, step, 2, w2, 8, 4, places)
    _draw_group(seed, number, step, 3, w3, 12, 1, places)
    if n_cards > 13:
        w0, w1, _, _ = stream_block(seed, DEAL, number, step, 1)
        _draw_group(seed, number, step, 4, w0, 13, 4, places)
        _draw_group(seed, number, step, 5, w1, 17, 4, places)
    for i in range(n_cards):
        j = places[i]
        out_cards[i] = deck[j]
        deck[j] = deck[i]
    for i in range(n_cards):
        deck[i] = i
        deck[places[i]] = places[i]


def shuffled_cards(seed: int, number: int, *, step: int = 0, n_cards: int = 13) -> list[int]:
    """The first cards of a deal: the pone's, round to the dealer's, (one for the crib with three,) the starter.

    Parameters
    ----------
    seed, number, step
        The run's seed, the number of the deal (or of the game), and the deal within the game.
    n_cards
        How many: 13 with two players, 17 with three, 21 with four.

    Examples
    --------
    >>> len(set(shuffled_cards(0, 0)))
    13
    """
    cards = np.zeros(n_cards, np.uint8)
    deck, places = np.arange(N_CARDS, dtype=np.uint8), np.zeros(24, np.int64)
    deal_cards(np.uint64(check_seed(seed)), np.uint64(number), step, n_cards, deck, places, cards)
    return [int(card) for card in cards]

