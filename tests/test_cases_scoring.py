"""The show, case by case: fifteens, pairs, runs, flush and nobs of a hand and of a crib.

Every row is a count that some other program got wrong; data/cases_scoring.jsonl says what and why.
"""

from itertools import permutations

import pytest
from case_rows import kinds, rows, text

import cribsim

PARTS = ("fifteens", "pairs", "runs", "flush", "nobs")


def test_every_kind_of_row_is_checked():
    # crib_composition and procedure (hands and crib partition the deal) are checked in test_cases_crib.py
    assert kinds("scoring") == {"score_hand", "full_show", "crib_composition", "procedure"}


@rows("scoring", "score_hand")
def test_each_part_and_the_total(row):
    given, right = row["input"], row["expected"]
    score = cribsim.score_hand(text(given["hand"]), given["starter"], crib=given["is_crib"])
    assert {part: getattr(score, part) for part in PARTS} == {part: right[part] for part in PARTS}, row["why"]
    assert score.total == right["total"], row["why"]


@rows("scoring", "score_hand")
def test_the_total_is_the_sum_of_its_parts(row):
    given = row["input"]
    score = cribsim.score_hand(text(given["hand"]), given["starter"], crib=given["is_crib"])
    assert score.total == sum(getattr(score, part) for part in PARTS)


@rows("scoring", "score_hand")
def test_the_order_of_the_four_cards_does_not_matter(row):
    given, right = row["input"], row["expected"]
    orders = list(permutations(given["hand"]))
    scores = [cribsim.score_hand(text(four), given["starter"], crib=given["is_crib"]) for four in orders]
    assert len(orders) == right.get("orders_checked", 24)
    assert {score.total for score in scores} == {right["total"]}


@rows("scoring", "full_show")
def test_the_whole_show(row):
    given, right = row["input"], row["expected"]
    starter = given["starter"]
    assert cribsim.score_hand(text(given["pone_hand"]), starter).total == right["pone_total"]
    assert cribsim.score_hand(text(given["dealer_hand"]), starter).total == right["dealer_total"]
    assert cribsim.score_hand(text(given["crib"]), starter, crib=True).total == right["crib_total"]
    table = cribsim.parse_cards(text([*given["pone_hand"], *given["dealer_hand"], *given["crib"], starter]))
    assert len({int(card) for card in table}) == right["distinct_cards"]


def test_the_starter_may_not_be_a_card_of_the_hand():
    with pytest.raises(ValueError, match="5H"):
        cribsim.score_hand("5H 5S 5C JD", "5H")
