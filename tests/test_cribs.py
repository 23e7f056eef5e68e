"""The crib as it comes together: exact averages against plain counts of everything that the others may throw.

The counts here are NumPy over the oracle's points, without a kernel; where all hands of the other are walked through,
they are walked through in another order than the package's.
"""

import csv
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from oracle import fifteens_points, pairs_points, runs_points, show_parts

import cribsim
from cribsim.analysis.discards import discard_values
from cribsim.cribs import uniform_cribs
from cribsim.errors import PlayerError
from cribsim.rules import Rules
from cribsim.sampling import draw_cards, return_cards
from cribsim.strategies import find_half
from cribsim.strategies.policy import policy_of
from cribsim.strategies.throws import crib_histograms, throw_model, unseen_by
from cribsim.views import KEPT_2, THROWN_2

DATA = Path(__file__).parent / "data"
RANKS = "A23456789TJQK"
HANDS_2 = [
    "2C 3H 4D 5D 5S JS",
    "AH 4H 7H JH KH JD",  # a flush kept, jacks kept and thrown, two of a suit thrown
    "JC JD JH JS 5C 6C",
    "3D 3S 6D 9D TD QS",
]


@cache
def _points_by_ranks():
    """Fifteens, pairs and runs of five ranks in any order, by the oracle: int8[13, 13, 13, 13, 13]."""
    found = np.zeros((13,) * 5, np.int8)
    for ranks in combinations_with_replacement(range(13), 5):
        cards = [rank * 4 for rank in ranks]
        points = fifteens_points(cards) + pairs_points(cards) + runs_points(cards)
        for order in set(permutations(ranks)):
            found[order] = points
    return found


def show(four, starter, is_crib):
    """Points of many shows. four: four arrays of cards; starter: an array."""
    cards = np.broadcast_arrays(*four, starter)
    points = _points_by_ranks()[tuple(card >> 2 for card in cards)].astype(int)
    suits = [card & 3 for card in cards]
    alike = (suits[0] == suits[1]) & (suits[0] == suits[2]) & (suits[0] == suits[3])
    all_alike = alike & (suits[0] == suits[4])
    points += 5 * all_alike + 4 * (alike & ~all_alike & (not is_crib))
    for card in cards[:4]:
        points += (card >> 2 == 10) & ((card ^ cards[4]) & 3 == 0)
    return points


def cards_of(text):
    return np.array(sorted(cribsim.parse_cards(text)))


def by_throw(found):
    return {row["throw"]: row for row in found.rows}


def split(cards, n_thrown):
    """Every (text of the thrown, thrown, kept)."""
    for thrown in combinations(cards.tolist(), n_thrown):
        yield cribsim.format_cards(thrown), thrown, [card for card in cards.tolist() if card not in thrown]


def test_the_counts_here_agree_with_the_oracle():
    rng = np.random.default_rng(1)
    hands = rng.permuted(np.tile(np.arange(52), (600, 1)), axis=1)[:, :5]
    hands[:60] = hands[:60] // 4 * 4 % 52  # flushes
    hands = np.array([hand for hand in hands.tolist() if len(set(hand)) == 5])
    hands = np.concatenate([hands, [[40, 4, 8, 12, 16], [41, 16, 18, 19, 17], [41, 5, 9, 13, 16]]])
    for is_crib in (False, True):
        found = show(hands.T[:4], hands.T[4], is_crib)
        right = [show_parts(hand[:4], hand[4], is_crib)["total"] for hand in hands.tolist()]
        assert found.tolist() == right


# others who throw anything


def test_cribs_of_any_cards_equal_the_published_exact_values():
    """Only the two thrown are seen: the other two and the starter are any of fifty."""
    with open(DATA / "discard_tables.csv", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    hands, right = [], []
    for row in rows:
        low, high = (RANKS.index(rank) for rank in row["pair"])
        hands.append([4 * low, 4 * high + 1])
        right.append(float(row["uniform_exact_unsuited"]))
        if low != high:
            hands.append([4 * low + 2, 4 * high + 2])
            right.append(float(row["uniform_exact_suited"]))
    scratch = np.zeros(13, np.int64), np.zeros(4, np.int64), np.zeros(455, np.int16)
    found = np.zeros((len(hands), 1))
    uniform_cribs(np.array(hands, np.uint8), np.array([[0, 1]]), *scratch, found)
    assert len(hands) == 169
    assert np.abs(found[:, 0] - right).max() < 0.00005


@pytest.mark.parametrize("hand", HANDS_2)
@pytest.mark.parametrize("dealer", [True, False])
def test_hand_and_crib_equal_a_count_of_every_pair_and_starter(hand, dealer):
    """45,540 cribs (two of the other's, the starter) and 46 starters for each of the 15 throws, as whole numbers."""
    cards = cards_of(hand)
    unseen = np.setdiff1d(np.arange(52), cards)
    rows = by_throw(discard_values(hand, dealer=dealer, opponent="uniform", pegging=False))
    assert len(rows) == 15
    triples = np.array([(a, b, s) for a, b in combinations(unseen, 2) for s in unseen if s not in (a, b)]).T
    assert triples.shape[1] == 1035 * 44
    for text, thrown, kept in split(cards, 2):
        row = rows[text]
        hands = np.bincount(show(kept, unseen, False), minlength=30)
        cribs = np.bincount(show([*thrown, triples[0], triples[1]], triples[2], True), minlength=30)
        assert np.abs(np.array(row["hand_points"]) * 46 - hands).max() < 1e-9, text
        assert np.abs(np.array(row["crib_points"]) * 45540 - cribs).max() < 1e-6, text
        assert row["hand"] == pytest.approx(hands @ np.arange(30) / 46, abs=1e-12)
        assert row["crib"] == pytest.approx(cribs @ np.arange(30) / 45540, abs=1e-12)
        assert row["total"] == pytest.approx(row["hand"] + (1 if dealer else -1) * row["crib"], abs=1e-12)


def test_the_fast_average_equals_the_counted_one():
    rng = np.random.default_rng(2)
    hands = np.sort(rng.permuted(np.tile(np.arange(52), (40, 1)), axis=1)[:, :6], axis=1).astype(np.uint8)
    hands[0] = cards_of("AH 4H 7H JH KH JD")
    scratch = np.zeros(13, np.int64), np.zeros(4, np.int64), np.zeros(455, np.int16)
    found = np.zeros((len(hands), 15))
    uniform_cribs(hands, THROWN_2, *scratch, found)
    model = throw_model("uniform")
    for hand, cribs in zip(hands, found, strict=True):
        counted = crib_histograms(model, hand.tolist(), 1) @ np.arange(30)
        assert np.abs(cribs - counted).max() < 1e-9


def test_a_player_who_throws_at_random_is_the_same_as_any_cards():
    assert throw_model("random").half is None
    hand = HANDS_2[0]
    rows = [discard_values(hand, dealer=True, opponent=who).rows for who in ("random", "uniform")]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("hand", ["5H 5S TH JH QH", "2C 3D 7S JC JD"])
def test_cribs_of_three_others_equal_a_count_of_every_three_and_starter(players, hand):
    """One from each of two others and one from the pack, or one from each of three: any three of the 47 unseen."""
    cards = cards_of(hand)
    unseen = np.setdiff1d(np.arange(52), cards)
    others = np.array(list(combinations(unseen, 3)))
    fours = np.repeat(others, len(unseen), axis=0)
    starters = np.tile(unseen, len(others))
    apart = (fours != starters[:, None]).all(axis=1)
    a, b, c, starter = *fours[apart].T, starters[apart]
    assert len(starter) == comb(47, 3) * 44
    rules = f"standard,players={players}"
    rows = by_throw(discard_values(hand, dealer=True, opponent="uniform", rules=rules))
    assert len(rows) == 5
    for text, thrown, kept in split(cards, 1):
        cribs = np.bincount(show([thrown[0], a, b, c], starter, True), minlength=30)
        hands = np.bincount(show(kept, unseen, False), minlength=30)
        assert np.abs(np.array(rows[text]["crib_points"]) * len(starter) - cribs).max() < 1e-5
        assert np.abs(np.array(rows[text]["hand_points"]) * 47 - hands).max() < 1e-9


# others with a policy


def all_hands(n_cards, n):
    """Every choice of n of n_cards places, (C, n) uint8, in lexicographic order."""
    found = np.arange(n_cards, dtype=np.uint8)[:, None]
    for _ in range(n - 1):
        left = n_cards - 1 - found[:, -1].astype(int)
        rows = np.repeat(found, left, axis=0)
        first = np.repeat(np.cumsum(left) - left, left)
        added = rows[:, -1] + 1 + (np.arange(len(rows)) - first)
        found = np.column_stack([rows, added.astype(np.uint8)])
    return found


def test_all_hands_here_are_all_hands():
    assert all_hands(9, 4).tolist() == [list(hand) for hand in combinations(range(9), 4)]


def count_pairs_and_starters(unseen, policy):
    """Over every hand of six of the 46 unseen: (pair thrown, starter) to hands that throw it and don't hold it."""
    places = all_hands(46, 6)
    assert len(places) == comb(46, 6)
    at = np.array([[comb(int(card), k + 1) for card in unseen] for k in range(6)], np.int32)
    answers = policy[sum(at[k][places[:, k]] for k in range(6))]
    counts = np.zeros((46, 46, 46), np.int64)
    for answer in range(15):
        mine = places[answers == answer]
        low, high = (mine[:, k].astype(np.int32) for k in THROWN_2[answer])
        pair = low * 46 + high
        thrown = np.bincount(pair, minlength=46 * 46).reshape(46, 46)
        counts += thrown[:, :, None]
        held = sum(np.bincount(pair * 46 + mine[:, k], minlength=46**3) for k in KEPT_2[answer])
        counts -= held.reshape(46, 46, 46)
        for card in range(46):
            counts[card, :, card] -= thrown[card]
            counts[:, card, card] -= thrown[:, card]
    return counts


@pytest.mark.parametrize(("role", "strategy", "hand"), [(1, "greedy", HANDS_2[0]), (0, "equilibrium", HANDS_2[1])])
def test_the_crib_against_a_policy_equals_a_walk_through_all_hands(role, strategy, hand):
    cards = cards_of(hand)
    unseen = unseen_by(cards)
    counts = count_pairs_and_starters(unseen, np.asarray(policy_of(find_half(strategy, "discard"), 1 - role)))
    assert counts.min() >= 0
    assert counts.sum() == comb(46, 6) * 40
    low, high, starter = np.nonzero(counts)
    weights = counts[low, high, starter]
    found = crib_histograms(throw_model(strategy), cards.tolist(), role)
    for answer, (_, thrown, _) in enumerate(split(cards, 2)):
        points = show([*thrown, unseen[low], unseen[high]], unseen[starter], True)
        right = np.bincount(points, weights=weights, minlength=30) / (comb(46, 6) * 40)
        assert np.abs(found[answer] - right).max() < 1e-12


@pytest.mark.parametrize("dealer", [True, False])
def test_the_crib_against_a_policy_is_what_is_dealt(dealer):
    """Deals in which the hand and the throw are given bring the exact averages of hand and crib."""
    role = "dealer" if dealer else "pone"
    found = discard_values(HANDS_2[0], dealer=dealer, opponent="expectimax", pegging=False)
    for row in (found.rows[0], found.rows[-1]):
        given = {f"{role}_kept": row["keep"], f"{role}_thrown": row["throw"]}
        result = cribsim.simulate(["expectimax+greedy"] * 2, deals=60_000, seed=5, given=given)
        table = result.summary().set_index(["seat", "phase"])
        crib, hand = table.loc[("dealer", "crib")], table.loc[(role, "hand")]
        assert abs(crib["mean"] - row["crib"]) < 5 * crib["se"]
        assert abs(hand["mean"] - row["hand"]) < 5 * hand["se"]


HAND_1, ROLES_1 = "4H 5S 6H JH KC", [(3, "dealer"), (3, "pone"), (4, "second"), (4, "dealer")]


@pytest.mark.parametrize(("players", "role"), ROLES_1)
def test_three_and_four_players_are_near_what_is_sampled(players, role):
    """With several policies the throws are taken as nearly independent; `docs/discards.md` says how far that is off."""
    asked = {"role": role, "opponent": "expectimax", "rules": f"standard,players={players}"}
    model = by_throw(discard_values(HAND_1, **asked))
    sampled = by_throw(discard_values(HAND_1, samples=300_000, seed=3, **asked))
    assert set(model) == set(sampled)
    assert max(abs(row["hand"] - sampled[throw]["hand"]) for throw, row in model.items()) < 0.03
    assert max(abs(row["crib"] - sampled[throw]["crib"]) for throw, row in model.items()) < (
        0.04 if players == 3 else 0.1
    )


@pytest.mark.parametrize(("players", "role"), ROLES_1)
def test_three_and_four_players_are_sampled_as_they_are_dealt(players, role):
    """Samples for one hand are the deals in which that hand and throw are given."""
    rules = f"standard,players={players}"
    sampled = discard_values(HAND_1, role=role, opponent="greedy", rules=rules, samples=100_000, seed=3)
    row = sampled.rows[1]
    given = {f"{role}_kept": row["keep"], f"{role}_thrown": row["throw"]}
    result = cribsim.simulate(["greedy"] * players, deals=50_000, seed=4, given=given)
    table = result.summary().set_index(["seat", "phase"])
    for found, told in ((table.loc[("dealer", "crib")], "crib"), (table.loc[(role, "hand")], "hand")):
        assert abs(found["mean"] - row[told]) < 5 * (found["se"] ** 2 + row[f"{told}_se"] ** 2) ** 0.5


def test_three_players_throw_nearly_independently_in_the_model():
    """The chance of three cards and a starter is the product over the others: they throw the card, and don't hold the
    starter or what another throws."""
    cards = cards_of(HAND_1)
    unseen = unseen_by(cards)
    places = all_hands(47, 5)
    at = np.array([[comb(int(card), k + 1) for card in unseen] for k in range(5)])
    number = sum(at[k][places[:, k]] for k in range(5))
    thrown, free = [np.ones(47)], [1 - np.eye(47)]  # the card from the pack
    for role in (0, 1):
        answers = np.asarray(policy_of(find_half("greedy", "discard"), role, Rules(players=3)))[number]
        weights = np.zeros((47, 47))
        for answer in range(5):
            mine = places[answers == answer].astype(int)
            weights += np.bincount(mine[:, answer], minlength=47)[:, None]
            for k in range(5):
                weights -= np.bincount(mine[:, answer] * 47 + mine[:, k], minlength=47**2).reshape(47, 47)
        hands = np.array([sum((places[answers == a][:, a] == card).sum() for a in range(5)) for card in range(47)])
        thrown.append(hands)
        free.append(weights / np.maximum(hands[:, None], 1))
    threes, found = np.array(list(combinations(range(47), 3))), np.zeros(30)
    for starter in range(47):
        rest = threes[(threes != starter).all(axis=1)].T
        weights = 0
        for order in permutations(range(3)):
            weight = 1.0
            for other, own in enumerate(order):
                weight = weight * thrown[other][rest[own]] * free[other][rest[own], starter]
                for another in set(order) - {own}:
                    weight = weight * free[other][rest[own], rest[another]]
            weights = weights + weight
        points = show([cards[0], *unseen[rest]], unseen[starter], True)
        found += np.bincount(points, weights=weights, minlength=30)
    model = crib_histograms(throw_model("greedy", Rules(players=3)), cards.tolist(), 2)
    assert np.abs(model[0] - found / found.sum()).max() < 1e-9


def test_a_policy_matters():
    rows = {who: by_throw(discard_values(HANDS_2[0], dealer=True, opponent=who)) for who in ("uniform", "equilibrium")}
    apart = [abs(row["crib"] - rows["equilibrium"][throw]["crib"]) for throw, row in rows["uniform"].items()]
    assert max(apart) > 0.1


@pytest.mark.parametrize("opponent", ["montecarlo(samples=5)", "gredy"])
def test_a_model_is_a_known_strategy_that_draws_nothing(opponent):
    with pytest.raises(PlayerError) as caught:
        discard_values(HANDS_2[0], dealer=True, opponent=opponent)
    assert "\n" not in str(caught.value)


# drawing


def drawn(n, n_drawn, n_samples, key=12345):
    pack, places = np.arange(n), np.zeros(n, np.int64)
    found = np.zeros((n_samples, n_drawn), np.int64)
    for sample in range(n_samples):
        draw_cards(np.uint64(key), sample, 0, n, n_drawn, pack, places)
        found[sample] = pack[:n_drawn]
        return_cards(n_drawn, pack, places)
        assert pack[0] == 0
    assert pack.tolist() == list(range(n))
    return found


def chi_square(counts, expected):
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(("n", "n_drawn"), [(46, 7), (47, 16)])
def test_every_card_is_drawn_as_often_at_every_place(n, n_drawn):
    found = drawn(n, n_drawn, 30_000)
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0).all()
    for place in range(n_drawn):
        counts = np.bincount(found[:, place], minlength=n)
        # n - 1 degrees of freedom: six standard deviations above
        assert chi_square(counts, len(found) / n) < n - 1 + 6 * (2 * (n - 1)) ** 0.5


@pytest.mark.parametrize("places", [(0, 1), (2, 6), (6, 7), (3, 12)])
def test_two_places_have_nothing_to_do_with_each_other(places):
    """Ordered pairs of the places of one word, of its halves, and of two words."""
    found = drawn(47, 13, 30_000, key=99)
    pairs = found[:, places[0]] * 47 + found[:, places[1]]
    apart = np.flatnonzero(~np.eye(47, dtype=bool).ravel())
    counts = np.bincount(pairs, minlength=47 * 47)
    assert counts[apart].sum() == len(found)
    freedom = len(apart) - 1
    assert chi_square(counts[apart], len(found) / len(apart)) < freedom + 6 * (2 * freedom) ** 0.5
