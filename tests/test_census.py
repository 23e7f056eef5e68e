"""The census: all 12,994,800 choices of four cards and a starter, counted as hands and as cribs.

The counts are published (see data/README.md) and were counted again by brute force for each rule; the
averages of cribs from random cards are exact too. Here the compiled scorer must give every one of them.
"""

import csv
from fractions import Fraction
from functools import cache
from itertools import chain, combinations

import numpy as np
import pytest
from case_rows import DATA, PACK, fraction, row_by_id, rows

from cribsim.scoring import score_shows

N_CARDS = 52
JACK = 10
N_SHOWS = 12_994_800


@cache
def all_fours():
    """int8[270725, 4]: every choice of four cards."""
    cards = chain.from_iterable(combinations(range(N_CARDS), 4))
    return np.fromiter(cards, dtype=np.int8).reshape(-1, 4)


@cache
def census(is_crib):
    """How many of all (four cards, starter) score each total, 0 to 29; one starter at a time."""
    fours = all_fours()
    counts = np.zeros(30, dtype=np.int64)
    for starter in range(N_CARDS):
        without = fours[(fours != starter).all(axis=1)]
        starters = np.full(len(without), starter, dtype=np.int8)
        counts += np.bincount(score_shows(without, starters, is_crib=is_crib), minlength=30)
    return counts


def table(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("is_crib", "column"), [(False, "bf_hand"), (True, "bf_crib")])
def test_census_of_every_hand_and_starter(is_crib, column):
    right = {int(line["score"]): int(line[column]) for line in table("hand_score_distribution.csv")}
    assert sum(right.values()) == N_SHOWS
    assert dict(enumerate(census(is_crib).tolist())) == right


@rows("exact", "exact_mean")
def test_average_of_all_hands(row):
    counts, right = census(row["input"]["scoring"] == "crib"), row["expected"]
    total = int(counts @ np.arange(30))
    assert (total, int(counts.sum())) == (right["sum"], right["n"])
    assert Fraction(total, N_SHOWS) == fraction(right["mean"])


@rows("exact", "exact_distribution")
def test_rare_and_impossible_hands(row):
    counts, right = census(False), row["expected"]
    for score in (0, 24, 28, 29):
        assert counts[score] == right[f"count_{score}"]
    assert np.flatnonzero(counts == 0).tolist() == right["impossible"]
    assert Fraction(int(counts @ np.arange(30)), N_SHOWS) == fraction(right["mean"])


@rows("exact", "count_list")
@pytest.mark.parametrize("is_crib", [False, True], ids=["hands", "cribs"])
def test_totals_that_never_occur(row, is_crib):
    assert np.flatnonzero(census(is_crib) == 0).tolist() == row["expected"]["value"]


@rows("exact", "exact_count", where=lambda row: row["input"]["event"] == "crib total 0")
def test_cribs_worth_nothing(row):
    assert census(True)[0] == row["expected"]["count"]


@rows("exact", "exact_count", where=lambda row: row["input"]["event"] == "crib flush")
def test_number_of_crib_flushes(row):
    """The same cards with one of the four in another suit lose the flush and nothing else."""
    fours = all_fours()
    suits = fours & 3
    of_a_suit = np.repeat(fours[(suits == suits[:, :1]).all(axis=1)], N_CARDS, axis=0)
    starters = np.tile(np.arange(N_CARDS, dtype=np.int8), len(of_a_suit) // N_CARDS)
    possible = (of_a_suit != starters[:, None]).all(axis=1)
    of_a_suit, starters = of_a_suit[possible], starters[possible]
    # the lowest of four ranks is ten at most, so the jack, and with it nobs, stays
    assert (of_a_suit[:, 0] >> 2 < JACK).all()
    spoiled = of_a_suit.copy()
    spoiled[:, 0] ^= np.where(spoiled[:, 0] ^ 1 == starters, 2, 1).astype(np.int8)
    flush = score_shows(of_a_suit, starters, is_crib=True).astype(int)
    flush -= score_shows(spoiled, starters, is_crib=True)
    assert set(flush.tolist()) == {0, 5}
    n_flushes = int((flush == 5).sum())
    assert n_flushes == row["expected"]["count"]
    assert Fraction(n_flushes, N_SHOWS) == fraction(row["expected"]["probability"])


def test_chance_of_29_from_four_random_cards():
    """CR-114-s2: four hands in 12,994,800."""
    value = fraction(row_by_id("exact", "CR-114-s2")["expected"]["value"])
    assert Fraction(int(census(False)[29]), N_SHOWS) == value


def _mean_crib(first, second):
    """Average crib of two cards, the other two and the starter any of the other fifty."""
    rest = np.array([card for card in range(N_CARDS) if card not in (first, second)], dtype=np.int8)
    others = rest[np.array(list(combinations(range(50), 2)))]
    n_pairs = len(others)
    pairs, starters = np.repeat(others, 50, axis=0), np.tile(rest, n_pairs)
    possible = (pairs != starters[:, None]).all(axis=1)
    fours = np.empty((int(possible.sum()), 4), dtype=np.int8)
    fours[:, 0], fours[:, 1], fours[:, 2:] = first, second, pairs[possible]
    return score_shows(fours, starters[possible], is_crib=True).mean(dtype=np.float64)


@pytest.mark.parametrize("column", ["uniform_exact_unsuited", "uniform_exact_suited"])
def test_average_crib_of_two_cards_with_random_others(column):
    right = {line["pair"]: float(line[column]) for line in table("discard_tables.csv") if line[column]}
    assert len(right) == (91 if column.endswith("unsuited") else 78)
    second_suit = "D" if column.endswith("unsuited") else "C"
    means = {pair: _mean_crib(PACK.index(pair[0] + "C"), PACK.index(pair[1] + second_suit)) for pair in right}
    assert means == pytest.approx(right, abs=6e-7)
