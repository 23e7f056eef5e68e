"""The rules themselves: what they may be, what follows from what, how they are written and read."""

import random
import re

import numpy as np
import pytest

import cribsim
from cribsim import Rules
from cribsim.cli.common import rules_text
from cribsim.presets import PRESETS


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("players=5", "players=5: give 2, 3 or 4"),
        ("target=0", "target=0: give a whole number from 1"),
        ("miss=-1", "miss=-1: give a chance from 0 to 1"),
        ("miss=often", "miss=often: give a chance"),
        ("skunk=122", "skunk=122: give a line from 0 (none) to the target 121"),
        ("triple_skunk=62,triple_skunk_value=3", "triple_skunk=62 lies above double_skunk=61"),
        ("cards=5,players=3", "cards=5 with players=3"),
        ("cards=7", "cards=7: give 6, or 5 for the old game"),
        ("go_order=some", "go_order=some: give all or next"),
        ("go_point=first", "go_point=first: give last or call"),
        ("exact_out=items", "exact_out=items: give false or true or item"),
        ("crib_flush=3", "crib_flush=3: give 5 or 4"),
        ("first_deal=2", "first_deal=2: give cut, alternate, loser or a seat from 0 to 1"),
        ("first_deal=loser", "only in matches"),
        ("match=3,match_games=3", "give one of them"),
        ("skunk_value=match", "give match= or match_games="),
        ("skunk_scope=all", "skunk_scope=all: give each or second"),
        ("match=-1", "match=-1: give a whole number"),
        ("cards=5,target=3", "target=3 with cards=5"),
        ("five-card,target=2", "target=2 with cards=5"),
        ("short,target=many", "target=many: give a whole number from 1"),
        ("match=3,win_value=0", "win_value=0 with match=3"),
        ("triple_skunk=40", "give triple_skunk_value="),
        ("skunk=0,double_skunk=50", "double_skunk=50 with skunk=0: there are no skunks then"),
        ("skunk_value=none", "skunk_value=none: give a whole number"),
        ("teams=none", "teams=none: give true or false"),
        ("casual,match=0", "casual has triple_skunk_value=match: give match="),
        ("short,players=3,cards=5", "cards=5 with players=3"),
        ("61", "write target=61"),
        ("muggins", "write muggins= with false, true"),
        ("cards=5.0", "cards=5.0: give 6, or 5"),
        ("crib_flush=4.0", "crib_flush=4.0: give 5 or 4"),
    ],
)
def test_contradictions_name_the_field_and_what_is_allowed(text, wanted):
    with pytest.raises(cribsim.RulesError, match=re.escape(wanted)):
        Rules.parse(text)


@pytest.mark.parametrize("name", ["win_value", "skunk_value"])
def test_wins_must_count_something_that_is_known(name):
    with pytest.raises(cribsim.RulesError, match=f"{name}=None: give a whole number"):
        Rules(**{name: None})


def test_lines_that_arent_under_the_one_before_are_none():
    def lines(text):
        rules = Rules.parse(text)
        return rules.skunk, rules.double_skunk, rules.triple_skunk

    assert lines("target=61,skunk=31") == (31, 0, 16)
    assert lines("skunk=40,triple_skunk_value=match,match=3") == (40, 0, 31)
    assert lines("double_skunk=0,triple_skunk=31,triple_skunk_value=3") == (91, 0, 31)
    assert lines("skunk=0") == (0, 0, 0)
    assert lines("triple_skunk=0") == (91, 61, 0)
    assert lines("target=1") == (1, 0, 0)
    found = cribsim.simulate(["greedy", "greedy"], games=2000, rules="target=61,skunk=31").skunks()
    assert found["skunk"]["mean"] > 0.01 > found["double_skunk"]["mean"] == 0


def test_rules_are_changed_with_what_follows_from_them():
    assert Rules().changed(match=7) == Rules(match=7)
    assert Rules().changed(players=3) == Rules(players=3)
    assert Rules().changed(target=61) == Rules(target=61)
    assert Rules(skunk=80).changed(target=100) == Rules(skunk=80, target=100)
    assert Rules.named("acc").changed(skunk_value=4) == Rules.parse("acc,skunk_value=4")
    assert Rules(skunk=61, double_skunk=61).changed(lowball=True).double_skunk == 61
    assert Rules(skunk=5).changed(skunk=61) == Rules(skunk=61)
    assert Rules(skunk=31).changed(skunk=91) == Rules()
    assert Rules(skunk=61).changed(target=61) == Rules(skunk=61, target=61)
    for name in PRESETS:
        assert Rules.named(name).changed() == Rules.named(name)


def odd_rules(chance):
    """Some fields at random, with lines close to one another; None where they contradict each other."""
    fields = {
        "players": [2, 3, 4],
        "target": [1, 2, 61, 121],
        "teams": [True, False],
        "cards": [5],
        **{key: [0, 1, 31, 60, 61, 91] for key in ("skunk", "double_skunk", "triple_skunk")},
        **{key: [2, 4, "match"] for key in ("double_skunk_value", "triple_skunk_value")},
        "first_deal": ["cut", "alternate", "loser", 1],
        "exact_out": [True, "item"],
        "match": [7],
        "match_games": [5],
    }
    given = {key: chance.choice(values) for key, values in fields.items() if chance.random() < 0.3}
    try:
        return Rules(**given)
    except cribsim.RulesError:
        return None


def test_rules_can_be_told_and_read_whatever_they_are():
    """As text (also as the fewest words), as fields unlike any named game, and changed in nothing."""
    chance = random.Random(1)
    found = [rules for rules in (odd_rules(chance) for _ in range(1200)) if rules]
    assert len(found) > 200
    for rules in found:
        assert Rules.parse(rules_text(rules.as_dict())) == rules
        assert rules.changed() == rules
        assert Rules(**rules.unlike()) == rules
        assert Rules.from_dict(rules.as_dict()) == rules


def test_none_is_no_line_and_no_value():
    assert Rules.parse("skunk=none,match=none") == Rules(skunk=0)
    assert Rules.parse("casual,triple_skunk_value=none") == Rules(double_skunk_value=4, match=7)
    assert rules_text(Rules(double_skunk_value=4, match=7).as_dict()) == "casual,triple_skunk_value=none"


def test_rules_take_numbers_of_numpy_and_mappings():
    assert Rules(target=np.int64(61), miss=np.float64(0.5), first_deal=np.int64(1)) == Rules(
        target=61, miss=0.5, first_deal=1
    )
    assert cribsim.simulate(["random"] * 3, deals=5, rules={"muggins": True}).rules == Rules(players=3, muggins=True)
    with pytest.raises(cribsim.RulesError, match="go_order"):
        Rules(go_order=np.array([1, 2]))
    assert Rules.parse("casual,match_games=5").match == 0
