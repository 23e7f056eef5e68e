"""Exact values, case by case: averages over the 46 starters, chances, and what a public function refuses.

The rows over all 12,994,800 hands stand in test_census.py.
"""

from fractions import Fraction
from math import comb

import pytest
from case_rows import PACK, fraction, kinds, row_by_id, rows, rules_of, text, unseen

import cribsim

PART_OF = {
    "mean hand": "total",
    "mean nobs points": "nobs",
    "mean flush points": "flush",
}


def test_every_kind_of_row_is_checked():
    here = {"discard_ev", "probability", "score_hand_codes", "peg_award"}
    in_the_census = {"exact_mean", "exact_count", "exact_distribution", "count_list"}
    assert kinds("exact") == here | in_the_census


def mean_over_starters(given, part):
    """Average of one part of the kept hand over the starters that can turn up."""
    starters = unseen(given["dealt"])
    keep = text(given["keep"])
    points = [getattr(cribsim.score_hand(keep, starter), part) for starter in starters]
    return Fraction(sum(points), len(starters))


@rows("exact", "discard_ev")
def test_average_of_a_kept_hand_over_the_46_starters(row):
    given, right = row["input"], row["expected"]
    assert len(unseen(given["dealt"])) == right["starters"]
    assert mean_over_starters(given, PART_OF[given["metric"]]) == fraction(right["mean"]), row["why"]
    for part, mean in right.get("parts", {}).items():
        assert mean_over_starters(given, part) == fraction(mean), part


def test_chance_of_a_29_hand_for_a_player_dealt_six_cards():
    """CR-114: dealt a jack and the three other fives, only the five of the jack's suit makes 29."""
    value = fraction(row_by_id("exact", "CR-114")["expected"]["value"])
    chance = Fraction(0)
    for suit in "CDHS":
        keep = [f"J{suit}", *(f"5{other}" for other in "CDHS" if other != suit)]
        dealt = [*keep, "2C", "3D"]  # the two thrown may be any but the fourth five
        totals = [cribsim.score_hand(text(keep), starter).total for starter in unseen(dealt)]
        chance += Fraction(comb(47, 2), comb(52, 6)) * Fraction(totals.count(29), len(totals))
    assert chance == value


def test_chance_of_heels():
    """CR-114-s3: one starter in thirteen is a jack."""
    heels = [bool(cribsim.settle_deal(dealer=0, starter=card, scores=[0, 0]).awards) for card in PACK]
    assert Fraction(sum(heels), 52) == fraction(row_by_id("exact", "CR-114-s3")["expected"]["value"])


@rows("exact", "score_hand_codes")
def test_a_card_outside_the_pack_is_refused(row):
    *four, starter = row["input"]["codes"]
    with pytest.raises(ValueError, match=str(starter)):
        cribsim.score_hand(four, starter)


@rows("exact", "peg_award")
def test_the_largest_hand_does_not_overrun_the_board(row):
    given, right = row["input"], row["expected"]
    hands, starter = {0: "5H 5S 5C JD", 1: "2C 4D TS KH"}, "5D"
    best = cribsim.score_hand(hands[0], starter).total
    assert best == given["points"]
    assert given["scores_before"][given["player"]] + best == right["raw_sum"]
    # the other player counts first, and not enough to be out
    settled = cribsim.settle_deal(
        dealer=given["player"],
        starter=starter,
        hands=hands,
        crib="2D 3H 9S 9C",
        rules=rules_of(given),
        scores=[given["scores_before"][0], given["scores_before"][1] - 4],
    )
    assert list(settled.scores) == right["scores_after_capped"]
    assert settled.winner == given["player"]
