"""Hands by number: every class of hands of up to six cards has one number, whatever its suits are called."""

import random
from functools import cache
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import cribsim
from cribsim.errors import CardError
from cribsim.hands import N_CLASSES, N_HANDS_6, class_hands, class_sizes, hand_index, index_classes, number_hand

SIZES = range(1, 7)
CLASSES = {1: 13, 2: 169, 3: 1755, 4: 16432, 5: 134459, 6: 962988}
RENAMINGS = list(permutations(range(4)))


@cache
def classes_of(n):
    return class_hands(n)


def renamed(cards, suits):
    """The cards with suit s called suits[s], sorted."""
    return tuple(sorted(card & ~3 | suits[card & 3] for card in cards))


def plainest(cards):
    """The first of all hands that differ from this one by names of suits."""
    return min(renamed(cards, suits) for suits in RENAMINGS)


def numbers(hands):
    found = np.full(len(hands), -1, np.int64)
    index_classes(np.asarray(hands, np.uint8), found)
    return found


def hands_of(n):
    return some.lists(some.integers(0, 51), min_size=n, max_size=n, unique=True)


@pytest.mark.parametrize("n", SIZES)
def test_there_are_so_many_classes(n):
    assert len(classes_of(n)) == len(class_sizes(n)) == N_CLASSES[n] == CLASSES[n]


@pytest.mark.parametrize("n", SIZES)
def test_row_k_of_the_classes_has_the_number_k(n):
    assert np.array_equal(numbers(classes_of(n)), np.arange(CLASSES[n]))


@pytest.mark.parametrize("n", SIZES)
def test_the_classes_hold_different_sorted_cards(n):
    hands = classes_of(n)
    assert hands.shape == (CLASSES[n], n)
    assert (hands < 52).all()
    assert (hands[:, 1:] > hands[:, :-1]).all()


@pytest.mark.parametrize("n", SIZES)
def test_the_classes_share_out_all_hands(n):
    sizes = class_sizes(n)
    assert sizes.sum() == comb(52, n)
    assert set(sizes.tolist()) <= {1, 4, 6, 12, 24}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_hands_share_a_number_exactly_when_suits_can_be_renamed(n):
    """Every hand of up to three cards, and how many there are of each class."""
    hands = list(combinations(range(52), n))
    found = numbers(hands)
    classes = {}
    for hand, number in zip(hands, found.tolist(), strict=True):
        classes.setdefault(plainest(hand), set()).add(number)
    assert all(len(seen) == 1 for seen in classes.values())
    assert len(set().union(*classes.values())) == len(classes) == CLASSES[n]
    assert np.array_equal(np.bincount(found), class_sizes(n))


@pytest.mark.parametrize("n", [4, 5, 6])
def test_a_class_is_as_large_as_its_names_are_many(n):
    hands, sizes = classes_of(n), class_sizes(n)
    for at in random.Random(n).sample(range(len(hands)), 400):
        hand = hands[at].tolist()
        assert len({renamed(hand, suits) for suits in RENAMINGS}) == sizes[at], cribsim.format_cards(hand)


@settings(deadline=None)
@given(some.integers(1, 6).flatmap(hands_of), some.sampled_from(RENAMINGS))
def test_names_of_suits_change_no_number(cards, suits):
    number = number_hand(cards)
    assert number_hand(renamed(cards, suits)) == number
    assert 0 <= number < CLASSES[len(cards)]
    representative = classes_of(len(cards))[number].tolist()
    assert plainest(representative) == plainest(cards)


@settings(deadline=None)
@given(hands_of(7), some.integers(1, 6))
def test_another_card_gives_another_number_unless_suits_can_be_renamed(cards, n):
    one, other = cards[:n], [*cards[1:n], cards[6]]
    assert (number_hand(one) == number_hand(other)) == (plainest(one) == plainest(other))


def test_hands_are_numbered_in_colexicographic_order():
    """The hands of the lowest 21 cards come first; read from the highest card down they are in order."""
    hands = sorted(combinations(range(21), 6), key=lambda hand: hand[::-1])
    found = [hand_index(np.array(hand)) for hand in hands]
    assert found == list(range(comb(21, 6)))
    assert comb(52, 6) == N_HANDS_6
    assert hand_index(np.arange(46, 52, dtype=np.uint8)) == comb(52, 6) - 1


def test_text_and_order_change_no_number():
    assert number_hand("JD 5C 5S 5H") == number_hand("5H 5S 5C JD") == number_hand([18, 19, 16, 41])
    assert number_hand("5H 5S 5C JD") != number_hand("5H 5S 5C JH")


@pytest.mark.parametrize(
    ("hand", "wanted"),
    [
        ("", "0 cards"),
        ("AC 2C 3C 4C 5C 6C 7C", "7 cards"),
        ("5H 5H", "5H given twice"),
        ("5H 5X", "not a card"),
        ([52], "52"),
        (7, "7"),
    ],
)
def test_what_is_no_hand_has_no_number(hand, wanted):
    with pytest.raises(CardError, match=wanted) as caught:
        number_hand(hand)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n", [0, 7, -1])
def test_classes_are_known_for_one_to_six_cards(n):
    for wanted in (class_hands, class_sizes):
        with pytest.raises(CardError, match="1 to 6"):
            wanted(n)
