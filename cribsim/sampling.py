"""Drawing what others may hold: cards from those unseen, unbiased, and what a policy throws of them.

Sample k of a decision comes from (key, k) alone, so samples may be drawn in any order and by any number of threads.
"""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.hands import CARD_PLACES
from cribsim.streams import mix
from cribsim.views import THROWN_2

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_SPAN = np.uint64(4294967296)


@kernel(inline=True)
def sample_word(key, sample, retry):
    """64 random bits of one sample. key: uint64."""
    return mix(key + _GOLDEN * np.uint64(sample * 64 + retry + 1))


@kernel(inline=True)
def _draw_places(word, first, end, n, out_places):
    """Draw the places first to end - 1 of a shuffle of n cards from 32 bits; False when they must be drawn anew."""
    ranges = np.uint64(1)
    for place in range(first, end):
        ahead = np.uint64(n - place)
        product = word * ahead
        out_places[place] = place + np.int64(product >> _32)
        word = product & _LOW
        ranges *= ahead
    return word >= ranges or word >= _SPAN % ranges


@kernel(inline=True)
def draw_cards(key, sample, block, n, n_drawn, pack, places):
    """Shuffle the first n_drawn of a pack of n cards; `return_cards` undoes it. Seven cards a block.

    pack: int64[n]; places: int64[n], scratch.
    """
    for first in range(0, n_drawn, 7):
        retry = block
        while True:
            word = sample_word(key, sample, retry)
            middle, end = min(first + 4, n_drawn), min(first + 7, n_drawn)
            done = _draw_places(word >> _32, first, middle, n, places)
            done = _draw_places(word & _LOW, middle, end, n, places) and done
            if done:
                break
            retry += 8
        block += 1
    for place in range(n_drawn):
        at = np.uint64(places[place])
        pack[np.uint64(place)], pack[at] = pack[at], pack[np.uint64(place)]


@kernel(inline=True)
def return_cards(n_drawn, pack, places):
    """Undo `draw_cards`."""
    for place in range(n_drawn - 1, -1, -1):
        at = np.uint64(places[place])
        pack[np.uint64(place)], pack[at] = pack[at], pack[np.uint64(place)]


@kernel(inline=True)
def _order(cards, low, high):
    one, two = cards[low], cards[high]
    cards[low], cards[high] = min(one, two), max(one, two)


@kernel(inline=True)
def sort_six(cards):
    """Sort six cards. cards: int64[6]."""
    for low, high in ((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)):
        _order(cards, low, high)


@kernel(inline=True)
def sort_five(cards):
    """Sort five cards. cards: int64[5]."""
    for low, high in ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)):
        _order(cards, low, high)


BLOCK = 128


@kernel
def _count_uniform(key, first, end, pack, places, out_counts):
    """Count (pair, starter) over samples in which the other throws any two."""
    for sample in range(first, end):
        draw_cards(key, sample, 0, 46, 3, pack, places)
        low, high = min(pack[0], pack[1]), max(pack[0], pack[1])
        out_counts[np.uint64(high * (high - 1) // 2 + low), np.uint64(pack[2])] += 1
        return_cards(3, pack, places)


@kernel
def _draw_hands(key, first, n, unseen, pack, places, hand, out_index, out_cards):
    """Draw the other's six cards and the starter, n times.

    out_index: int64[n], the number of the hand; out_cards: int64[n], places in `unseen`, a byte each, sorted, then the
    starter's.
    """
    for i in range(n):
        draw_cards(key, first + i, 0, 46, 7, pack, places)
        for k in range(6):
            hand[k] = pack[k]
        sort_six(hand)
        index, cards = 0, pack[6] << 48
        for k in range(6):
            index += CARD_PLACES[k, np.uint64(unseen[np.uint64(hand[k])])]
            cards |= hand[k] << (8 * k)
        out_index[i], out_cards[i] = index, cards
        return_cards(7, pack, places)


@kernel(inline=True)
def draw_pair(pack, unseen, policy, hand):
    """What the holder of the first six cards of the pack throws (of the first two, where any are thrown): places."""
    if len(policy) == 1:
        return min(pack[0], pack[1]), max(pack[0], pack[1])
    for k in range(6):
        hand[k] = pack[k]
    sort_six(hand)
    index = 0
    for k in range(6):
        index += CARD_PLACES[k, np.uint64(unseen[np.uint64(hand[k])])]
    throw = THROWN_2[np.uint64(policy[np.uint64(index)])]
    return hand[np.uint64(throw[0])], hand[np.uint64(throw[1])]


@kernel
def sample_pairs(key, first, end, unseen, policy, pack, places, hand, index, cards, out_counts):
    """Count (pair thrown, starter) over samples first to end - 1, the other holding any six of the cards unseen.

    unseen: int64[46], sorted; policy: uint8 by hand, or of length 1 where the other throws any two; pack: int64[46],
    the places of `unseen`; places: int64[46], hand: int64[6], index and cards: int64[BLOCK], scratch; out_counts:
    int32[1035, 46].
    """
    if len(policy) == 1:
        _count_uniform(key, first, end, pack, places, out_counts)
        return
    for start in range(first, end, BLOCK):
        n = min(BLOCK, end - start)
        _draw_hands(key, start, n, unseen, pack, places, hand, index, cards)
        for i in range(n):
            # apart from the drawing, so that many of these far reads are under way at once
            index[i] = policy[np.uint64(index[i])]
        for i in range(n):
            throw = THROWN_2[np.uint64(index[i])]
            low, high = cards[i] >> (8 * throw[0]) & 255, cards[i] >> (8 * throw[1]) & 255
            out_counts[np.uint64(high * (high - 1) // 2 + low), np.uint64(cards[i] >> 48)] += 1


@kernel(inline=True)
def thrown_of_five(first, pack, unseen, policy, hand):
    """What the holder of five cards of the pack, from `first` on, throws: a place in `unseen`."""
    for k in range(5):
        hand[k] = pack[first + k]
    sort_five(hand)
    index = 0
    for k in range(5):
        index += CARD_PLACES[k, np.uint64(unseen[np.uint64(hand[k])])]
    return hand[np.uint64(policy[np.uint64(index)])]


@kernel
def sample_singles(key, first, end, unseen, policies, pack, places, hand, others, out_counts):
    """Count (three cards thrown, starter) over samples first to end - 1, three others throwing a card each.

    unseen: int64[47], sorted; policies: of the others, uint8 by hand of five, or of length 1 where any card is thrown
    (the card from the pack is such a throw); pack: int64[47], the places of `unseen`; places: int64[47], hand: int64[5]
    and others: int64[3], scratch; out_counts: int32[16215, 47].
    """
    a, b, c = policies
    n_drawn = 1
    for n_hands in (len(a), len(b), len(c)):
        n_drawn += 1 if n_hands == 1 else 5
    for sample in range(first, end):
        draw_cards(key, sample, 0, 47, n_drawn, pack, places)
        at = 0
        for which, policy in enumerate((a, b, c)):
            if len(policy) == 1:
                others[which] = pack[at]
                at += 1
            else:
                others[which] = thrown_of_five(at, pack, unseen, policy, hand)
                at += 5
        for low, high in ((0, 1), (1, 2), (0, 1)):
            _order(others, low, high)
        row = CARD_PLACES[0, np.uint64(others[0])] + CARD_PLACES[1, np.uint64(others[1])]
        out_counts[np.uint64(row + CARD_PLACES[2, np.uint64(others[2])]), np.uint64(pack[n_drawn - 1])] += 1
        return_cards(n_drawn, pack, places)
