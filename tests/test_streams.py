"""Deals by number: Philox against its published answers, the draws against plain integers, and uniformity.

`plain_deal` says again, in whole numbers of Python and apart from the kernels, which cards (seed, number, step) mean.
"""

import itertools
from collections import Counter
from functools import cache
from math import prod

import numba
import numpy as np
import pytest
from scipy import stats

import cribsim
from cribsim import Rules
from cribsim.records import record_chunk
from cribsim.runs import Job
from cribsim.strategies import find_player
from cribsim.streams import (
    DISCARD_PLACE,
    check_seed,
    choice_key,
    deal_cards,
    decision_key,
    draw_places,
    mix,
    philox,
    random_below,
    shuffled_cards,
)

WORD = 1 << 32
GROUPS = ((0, 4), (4, 4), (8, 4), (12, 1), (13, 4), (17, 4))
LEAST = 1e-5  # no test here may be less likely than this; seeds are fixed, so none flickers


def words(*texts):
    return [int(text, 16) for text in texts]


# Philox


# kat_vectors of Random123 (D. E. Shaw Research), lines "philox4x32 10": counter, key, result.
KNOWN_ANSWERS = [
    (words(*["00000000"] * 4), words(*["00000000"] * 2), words("6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8")),
    (words(*["ffffffff"] * 4), words(*["ffffffff"] * 2), words("408f276d", "41c83b0e", "a20bc7c6", "6d5451fd")),
    (
        words("243f6a88", "85a308d3", "13198a2e", "03707344"),
        words("a4093822", "299f31d0"),
        words("d16cfe09", "94fdcceb", "5001e420", "24126ea1"),
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter, key, answer):
    found = philox(*(np.uint64(word) for word in counter + key))
    assert [int(word) for word in found] == answer
    assert plain_philox(counter, key) == answer


def test_mix_gives_the_published_numbers_of_splitmix64():
    """Rosetta Code, "Pseudo-random numbers/Splitmix64": the first five for the seed 1234567."""
    answers = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    golden = 0x9E3779B97F4A7C15
    states = [(1234567 + golden * (i + 1)) % 2**64 for i in range(5)]
    assert [int(mix(np.uint64(state))) for state in states] == answers
    assert [plain_mix(state) for state in states] == answers


# The same in plain integers


def plain_philox(counter, key):
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, WORD)
        high1, low1 = divmod(0xCD9E8D57 * c2, WORD)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) % WORD, (k1 + 0xBB67AE85) % WORD
    return [c0, c1, c2, c3]


def plain_mix(word):
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


def batched_draw(word, ranges, span=WORD):
    """One draw from each range out of one word below `span`, and whether the word may be used."""
    draws = []
    for n in ranges:
        draw, word = divmod(word * n, span)
        draws.append(draw)
    return draws, word >= span % prod(ranges)


def plain_deal(seed, number, step=0, n_cards=13):
    """The first cards of a deal, and how many words were refused on the way."""
    cards, refused = list(range(52)), 0
    for group, (first, n_places) in enumerate(GROUPS):
        if first >= n_cards:
            break
        ranges = [52 - place for place in range(first, first + n_places)]
        usable, retry = False, 0
        while not usable:
            block = 65536 + group // 4 + 256 * retry
            counter = [number % WORD, number // WORD, step, block]
            word = plain_philox(counter, [seed % WORD, seed // WORD])[group % 4]
            draws, usable = batched_draw(word, ranges)
            retry += 1
        refused += retry - 1
        for place, draw in enumerate(draws, first):
            other = place + draw
            cards[place], cards[other] = cards[other], cards[place]
    return cards[:n_cards], refused


@pytest.mark.parametrize(
    ("bits", "ranges"),
    [
        (8, (3,)),
        (8, (16, 15)),
        (9, (7, 6, 5)),
        (10, (10, 9, 8)),
        (12, (9, 8, 7, 6)),
        (16, (12, 11, 10, 9)),
        (16, (52, 51)),
    ],
)
def test_the_draws_are_exactly_uniform(bits, ranges):
    """Over all words of few bits: the words that pass give every combination of draws equally often."""
    span = 2**bits
    found = Counter()
    refused = 0
    for word in range(span):
        draws, usable = batched_draw(word, ranges, span)
        refused += not usable
        if usable:
            found[tuple(draws)] += 1
    assert len(found) == prod(ranges)
    assert set(found.values()) == {span // prod(ranges)}
    assert refused == span % prod(ranges)


EXTREMES = [
    (seed, number, step)
    for seed in (0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1)
    for number in (0, 2**32 - 1, 2**32, 10**13)
    for step in (0, 1, 40)
]


@pytest.mark.parametrize("n_cards", [13, 17, 21])
def test_deals_are_those_of_plain_integers(n_cards):
    for seed, number, step in EXTREMES + [(20261130, number, 0) for number in range(300)]:
        cards, _ = plain_deal(seed, number, step, n_cards)
        assert shuffled_cards(seed, number, step=step, n_cards=n_cards) == cards


# Numbers of seed 7 found by search: in each group of places a word is refused once, or twice in turn.
REFUSED_ONCE = [83758, 84233, 1794, 2492, 4211, 26851, 34056, 75132686, 3387, 5763, 16985, 19037]
REFUSED_TWICE = [1003463, 2641557, 8354794, 75881390, 616695, 4939168, 2516518, 10037566]


@pytest.mark.parametrize(("numbers", "refused"), [(REFUSED_ONCE, 1), (REFUSED_TWICE, 2)], ids=["once", "twice"])
def test_refused_words_are_drawn_anew(numbers, refused):
    for number in numbers:
        cards, n_refused = plain_deal(7, number, n_cards=21)
        assert n_refused == refused
        assert shuffled_cards(7, number, n_cards=21) == cards
        assert shuffled_cards(7, number) == cards[:13]
        assert len(set(cards)) == 21


def test_refused_words_are_refused_among_other_deals_too():
    numbers = list(range(83700, 83800))
    found = deal_many(7, numbers, 13)
    assert found.tolist() == [plain_deal(7, number)[0] for number in numbers]


# Golden deals: these are the cards for ever


GOLDEN = [
    (0, 0, 0, [46, 37, 49, 25, 31, 18, 9, 6, 1, 14, 19, 41, 33]),
    (0, 1, 0, [42, 6, 23, 20, 41, 38, 11, 49, 25, 26, 35, 30, 21]),
    (1, 0, 0, [31, 4, 47, 39, 0, 3, 36, 44, 35, 10, 33, 23, 29]),
    (7, 12345, 0, [11, 19, 27, 3, 49, 26, 33, 22, 9, 17, 0, 12, 51]),
    (7, 12345, 3, [49, 23, 14, 32, 35, 10, 36, 51, 8, 47, 29, 17, 7]),
    (2**64 - 1, 2**40 + 1, 0, [23, 33, 35, 19, 1, 46, 28, 11, 18, 51, 27, 40, 15]),
    (0, 0, 0, [46, 37, 49, 25, 31, 18, 9, 6, 1, 14, 19, 41, 33, 7, 40, 0, 36]),
    (20261130, 999, 2, [37, 14, 9, 36, 43, 7, 49, 23, 50, 30, 1, 22, 12, 20, 0, 26, 41]),
    (0, 0, 0, [46, 37, 49, 25, 31, 18, 9, 6, 1, 14, 19, 41, 33, 7, 40, 0, 36, 29, 16, 47, 35]),
    (2**63, 10**13, 11, [21, 5, 28, 20, 42, 15, 7, 9, 13, 26, 44, 14, 49, 35, 30, 51, 4, 27, 45, 29, 17]),
]


@pytest.mark.parametrize(("seed", "number", "step", "cards"), GOLDEN)
def test_a_deal_is_the_same_cards_for_ever(seed, number, step, cards):
    assert shuffled_cards(seed, number, step=step, n_cards=len(cards)) == cards


@pytest.mark.parametrize(
    ("n_players", "dealt", "starter"),
    [
        (2, "AH 4S 7C 9C TD TS 2D 9D 9S QS KD KS", "JD"),
        (3, "AH 4S 7C 9C TS 2D 9D TD QS KS 3H 4D 9S JD KD", "9H"),
        (4, "AH 4S 7C 9C TS 2D 9D TD QS KS 3H 4D 9S JD KD 4H 5D 6H 7H 9H", "AD"),
    ],
)
def test_a_players_hand_is_the_same_for_ever(n_players, dealt, starter):
    """Deal 2 of seed 5 as a run records it."""
    rows, _ = run_rows(n_players, seed=5, n=3)
    assert cribsim.format_cards(rows[2]["dealt"]) == dealt
    assert cribsim.format_cards([rows[2]["starter"]]) == starter


PONE_DISCARDS = [1, 2, 2, 5, 5, 12, 13, 13, 11, 10, 2, 4, 13, 1, 1]
DEALER_PLAYS = [2, 0, 1, 1, 3, 2, 2, 1, 2, 0, 2, 2, 2, 2, 3]


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_choices_are_those_of_plain_integers(seed):
    """The key of a decision: seed, the purpose 2, number and step scattered in turn, then role and place."""
    golden = 0x9E3779B97F4A7C15
    for number, step, role, place in itertools.product((0, 1, 2**32, 10**13), (0, 9), (0, 1, 3), (0, 7, DISCARD_PLACE)):
        key = plain_mix((seed + golden * 2) % 2**64)
        for n in (number, step, role * 32 + place + 1):
            key = plain_mix((key + golden * n) % 2**64)
        deal_key = np.uint64(choice_key(np.uint64(seed), np.uint64(number), np.int64(step)))
        assert int(decision_key(deal_key, role, place)) == key


def test_random_players_choose_the_same_for_ever():
    """The first fifteen of seed 1: the pone's discards of fifteen, and the dealer's first plays of four."""
    assert choices(15, n_deals=15).tolist() == PONE_DISCARDS
    assert choices(4, n_deals=15, role=1, place=1).tolist() == DEALER_PLAYS


# The engine's rows


def run_rows(n_players, *, seed, n, first=0, in_game=False):
    job = Job((find_player("random"),) * n_players, Rules(players=n_players), seed, in_game)
    tally, table = record_chunk(job, first, n)
    return table.to_pylist(), tally


@pytest.mark.parametrize("n_players", [2, 3, 4])
@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_the_engine_deals_the_deals_by_number(n_players, seed):
    """From the pone round to the dealer, then the crib's card with three, then the starter; games by game and deal."""
    for in_game, first in ((False, 10**12), (True, 2**32 - 3)):
        rows, _ = run_rows(n_players, seed=seed, n=40, first=first, in_game=in_game)
        for row in rows:
            number, step = (row["game"], row["deal"]) if in_game else (row["deal"], 0)
            cards, _ = plain_deal(seed, number, step, {2: 13, 3: 17, 4: 21}[n_players])
            size = 6 if n_players == 2 else 5
            for role in range(n_players):
                seat = (row["dealer"] + 1 + role) % n_players
                hand = row["dealt"][seat * size : seat * size + size]
                assert hand == sorted(cards[role * size : role * size + size])
            assert row["starter"] == cards[-1]
            if n_players == 3:
                assert cards[15] in row["crib"]


def deal_many(seed, numbers, n_cards, steps=None):
    """Many deals at once, (n, n_cards)."""
    n = len(numbers)
    numbers = np.array(numbers, np.uint64)
    steps = np.zeros(n, np.int64) if steps is None else np.array(steps, np.int64)
    places, moved, cards = (np.zeros((24, n), np.uint8) for _ in range(3))
    draw_places(np.uint64(seed), numbers, steps, n, n_cards, np.zeros((8, n), np.uint64), np.zeros(n, bool), places)
    deal_cards(places, n, n_cards, moved, cards)
    return cards[:n_cards].T


@pytest.mark.parametrize("n_cards", [13, 17, 21])
def test_many_deals_are_the_deals_one_by_one(n_cards):
    numbers = np.random.default_rng(1).integers(0, 10**13, 500)
    steps = np.random.default_rng(2).integers(0, 30, 500)
    found = deal_many(11, numbers, n_cards, steps)
    alone = [shuffled_cards(11, int(n), step=int(k), n_cards=n_cards) for n, k in zip(numbers, steps, strict=True)]
    assert found.tolist() == alone


@cache
def sample(seed=1, n_cards=21, n=400_000, first=0, step=0):
    return deal_many(seed, np.arange(first, first + n), n_cards, np.full(n, step))


def test_no_card_is_dealt_twice():
    cards = np.sort(sample(), axis=1)
    assert (np.diff(cards.astype(int), axis=1) > 0).all()
    assert cards.max() == 51


def test_the_first_thirteen_of_twenty_one_are_the_deal_of_two():
    assert (sample()[:, :13] == sample(n_cards=13)).all()
    assert (sample()[:, :17] == sample(n_cards=17)).all()


# Uniform


def p_uniform(counts):
    """The chance of counts as uneven as these, where all are as likely."""
    return stats.chisquare(counts).pvalue


def p_independent(first, second, sizes):
    """The chance of a dependence as strong as this between two rows of uniform numbers."""
    counts = np.bincount(first.astype(np.int64) * sizes[1] + second, minlength=sizes[0] * sizes[1])
    return p_uniform(counts)


def check_all(chances):
    """None is too small, and together they look like chances (Kolmogorov and Smirnov)."""
    chances = np.array(chances)
    assert chances.min() > LEAST
    if len(chances) > 20:
        assert stats.kstest(chances, "uniform").pvalue > LEAST


@pytest.mark.parametrize("seed", [1, 0, 2**63 + 12345])
def test_every_card_is_as_likely_in_every_place(seed):
    cards = sample(seed)
    check_all([p_uniform(np.bincount(cards[:, place], minlength=52)) for place in range(21)])


def test_pairs_of_places_are_uniform():
    """Every ordered pair of different cards is as likely in any two places."""
    cards, different = sample().astype(np.int64), ~np.eye(52, dtype=bool).ravel()
    chances = []
    for one, two in itertools.combinations(range(21), 2):
        counts = np.bincount(cards[:, one] * 52 + cards[:, two], minlength=52 * 52)
        assert counts[~different].sum() == 0
        chances.append(p_uniform(counts[different]))
    check_all(chances)


def test_three_places_are_uniform_by_suit_and_court():
    """Ranks and suits of three cards at once, in classes: 8 (suit of four, court card or not) each."""
    kind = np.array([(card & 3) * 2 + (card >> 2 >= 10) for card in range(52)])[sample()]
    share = np.array([10, 3] * 4)
    chances = []
    for places in itertools.islice(itertools.combinations(range(21), 3), 0, None, 7):
        a, b, c = (kind[:, place] for place in places)
        counts = np.bincount(a * 64 + b * 8 + c, minlength=512)
        expected = three_of_classes(share) * len(kind)
        chances.append(stats.chisquare(counts, expected).pvalue)
    check_all(chances)


def three_of_classes(share):
    """The chances of three cards drawn without replacement to be of classes of these sizes, flat."""
    chances = np.zeros((8, 8, 8))
    for a, b, c in itertools.product(range(8), repeat=3):
        chances[a, b, c] = share[a] * (share[b] - (b == a)) * (share[c] - (c == a) - (c == b)) / (52 * 51 * 50)
    return chances.ravel()


def test_a_card_follows_its_neighbour_as_often_as_any():
    """CR-158: in how many deals card 1 comes directly after card 0."""
    cards = sample()
    n_followed = int(((cards[:, :-1] == 0) & (cards[:, 1:] == 1)).sum())
    chance = 20 / (52 * 51)
    assert stats.binomtest(n_followed, len(cards), chance).pvalue > LEAST


# Independent


PLACES = [(0, 0), (0, 12), (3, 4), (12, 12), (7, 20), (16, 16), (20, 0)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param({"seed": 1}, {"seed": 2}, id="neighbouring seeds"),
        pytest.param({"seed": 1}, {"seed": 1 + 2**32}, id="seeds that differ above 32 bits"),
        pytest.param({"seed": 0}, {"seed": 2**64 - 1}, id="first and last seed"),
        pytest.param({"seed": 1}, {"seed": 1, "first": 1}, id="neighbouring deals"),
        pytest.param({"seed": 1}, {"seed": 1, "first": 2**32}, id="deals that differ above 32 bits"),
        pytest.param({"seed": 1}, {"seed": 1, "step": 1}, id="neighbouring deals of a game"),
        pytest.param({"seed": 1, "step": 1}, {"seed": 1, "first": 1}, id="deal and step exchanged"),
        pytest.param({"seed": 2}, {"seed": 1, "first": 1}, id="seed and deal exchanged"),
    ],
)
def test_neighbours_are_independent(one, two):
    first, second = sample(**one), sample(**two)
    assert not (first == second).all(axis=1).any()
    check_all([p_independent(first[:, i], second[:, j], (52, 52)) for i, j in PLACES])


@numba.njit
def _fill_choices(seed, numbers, step, role, place, n, out):
    for i in range(len(numbers)):
        out[i] = random_below(decision_key(choice_key(seed, numbers[i], step), role, place), n)


def choices(n, *, seed=1, first=0, step=0, role=0, place=DISCARD_PLACE, n_deals=400_000):
    """Random choices among n, deal by deal, as the players `random` make them."""
    out = np.zeros(n_deals, np.int64)
    numbers = np.arange(first, first + n_deals).astype(np.uint64)
    _fill_choices(np.uint64(seed), numbers, np.int64(step), role, place, n, out)
    return out


@pytest.mark.parametrize("n", [2, 3, 4, 5, 15, 52, 1000])
def test_choices_are_uniform(n):
    keys = itertools.product((0, 1, 3), (0, 5, DISCARD_PLACE))
    check_all([p_uniform(np.bincount(choices(n, role=role, place=at), minlength=n)) for role, at in keys])


CHOICE_NEIGHBOURS = [
    {"seed": 2},
    {"seed": 1 + 2**32},
    {"first": 1},
    {"first": 2**32},
    {"step": 1},
    {"role": 1},
    {"role": 3},
    {"place": 0},
    {"role": 1, "place": 0},
]


@pytest.mark.parametrize("change", CHOICE_NEIGHBOURS, ids=str)
def test_choices_of_neighbours_are_independent(change):
    check_all([p_independent(choices(n), choices(n, **change), (n, n)) for n in (4, 15, 37)])


def test_choices_are_independent_of_the_cards():
    chances = []
    for role, place in itertools.product((0, 1), (0, 1, DISCARD_PLACE)):
        chosen = choices(15, role=role, place=place)
        chances += [p_independent(sample()[:, i], chosen, (52, 15)) for i in (0, 5, 6, 12, 20)]
    check_all(chances)


def test_decisions_have_keys_of_their_own():
    key = np.uint64(choice_key(np.uint64(1), np.uint64(5), np.int64(0)))
    keys = {int(decision_key(key, role, place)) for role in range(4) for place in (*range(16), DISCARD_PLACE)}
    assert len(keys) == 4 * 17


# One draw from a key


def plain_below(key, n):
    """Lemire's draw from the upper half of a key; a refused key is scattered on."""
    while True:
        draw, rest = divmod((key >> 32) * n, WORD)
        if rest >= WORD % n:
            return draw
        key = plain_mix((key + 0x9E3779B97F4A7C15) % 2**64)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 15, 52, 1000, 2**30 + 1, 2**31 - 1])
def test_draws_below_are_those_of_plain_integers(n):
    rng = np.random.default_rng(n)
    keys = [int(key) for key in rng.integers(0, 2**64, 500, np.uint64)]
    keys += [int(key) for key in rng.integers(0, WORD, 20, np.uint64)]  # an upper half of 0 is refused by most n
    keys += [int(key) for key in rng.integers(0, 16 << 32, 50, np.uint64)]
    keys += [0, 2**64 - 1, WORD - 1, WORD]
    found = [int(random_below(np.uint64(key), n)) for key in keys]
    assert found == [plain_below(key, n) for key in keys]
    assert all(0 <= draw < n for draw in found)
    if n & n - 1:
        assert any((key >> 32) * n % WORD < WORD % n for key in keys)


def test_draws_below_are_exactly_uniform_in_small():
    """The rule of one draw is that of a batch of one, which is uniform over all words (above)."""
    for n, word in itertools.product((3, 7, 15, 52), range(0, WORD, 99_999_989)):
        draws, usable = batched_draw(word, (n,))
        if usable:
            assert plain_below(word << 32, n) == draws[0]


# Seeds


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, 0.5, "7", True, False, [1], np.int64(-1), np.float64(2)], ids=repr)
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(cribsim.CribsimError, match="seed"):
        check_seed(seed)
    with pytest.raises(cribsim.CribsimError, match="seed"):
        cribsim.simulate(["random", "random"], deals=1, seed=seed)
    with pytest.raises(cribsim.CribsimError, match="seed"):
        cribsim.compare("random", "greedy", deals=1, seed=seed)


@pytest.mark.parametrize("seed", [0, 4_000_000_000, 2**63, 2**64 - 1])
def test_every_seed_of_64_bits_is_a_seed(seed):
    result = cribsim.simulate(["random", "random"], deals=20, seed=seed, workers=1)
    same = cribsim.simulate(["random", "random"], deals=20, seed=np.uint64(seed), workers=1)
    assert result.seed == seed
    assert result.tally == same.tally


def test_the_upper_bits_of_a_seed_count():
    """CR-134: these two differ only above 32 bits."""
    one, two = (cribsim.simulate(["random"] * 2, deals=50, seed=s, workers=1) for s in (1099511627776, 1103806595072))
    assert one.tally != two.tally


def test_no_seed_picks_one_and_reports_it():
    one = cribsim.simulate(["random", "random"], deals=50, seed=None, workers=1)
    two = cribsim.simulate(["random", "random"], deals=50, seed=None, workers=1)
    assert one.seed != two.seed
    again = cribsim.simulate(["random", "random"], deals=50, seed=one.seed, workers=1)
    assert again.tally == one.tally
