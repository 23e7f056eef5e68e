"""Wrong arguments of public functions: whatever is given, it is taken or refused by an error of cribsim's own."""

import re

import pytest

import cribsim
from cribsim import Result, Rules
from cribsim.errors import CribsimError, StrategyError
from cribsim.scoring import score_shows
from cribsim.strategies import find_half, find_player, registry
from cribsim.streams import shuffled_cards
from cribsim.views import discard_view, play_view

WRONG = [
    *(None, -1, 0, 1.5, True, 10**30, float("nan"), "x", "", "\0", b"x", [], {}, (1, 2)),
    *(object(), lambda first, second: 0),
]
FOUR, SIX, PLAYS = "5H 5S 5C JD", "2C 3H 4D 5D 5S JS", [(0, "7C"), (1, "8D")]
VIEW = play_view("5H 5S JD", PLAYS, dealer=1, seat=0)


def replay(hands=("5H", "6H"), plays=(), **given):
    return cribsim.replay_play(hands, plays, **given)


def settle(dealer=0, starter="JC", **given):
    return cribsim.settle_deal(dealer=dealer, starter=starter, **given)


def simulate(players=("greedy", "random"), deals=1, **given):
    return cribsim.simulate(players, deals=deals, workers=given.pop("workers", 1), **given)


def compare(a="greedy", b="random", deals=1, **given):
    return cribsim.compare(a, b, deals=deals, workers=given.pop("workers", 1), **given)


def check(player="greedy", players=2, n_deals=4, **given):
    return cribsim.check_strategy(player, players=players, n_deals=n_deals, **given)


def with_keys(function, *keys, **fixed):
    """A call for each keyword of a function, the rest as usual."""
    return {f"{function.__name__}({key}=)": lambda value, key=key: function(**fixed, **{key: value}) for key in keys}


RUN_KEYS = ("deals", "seed", "rules", "workers", "executor", "first", "progress", "confidence")
CALLS = {
    **with_keys(Rules, "players", "target", "teams", "skunk", "double_skunk_value", "first_deal", "cards", "muggins"),
    **with_keys(replay, "hands", "plays", "dealer", "rules", "scores"),
    **with_keys(settle, "dealer", "starter", "hands", "crib", "rules", "scores", "heels"),
    **with_keys(
        simulate, "players", "deals", "seed", "rules", "workers", "executor", "first", "progress", "confidence"
    ),
    **with_keys(compare, "a", "b", "deals", "seed", "rules", "workers", "executor", "first", "progress", "confidence"),
    **with_keys(check, "player", "players", "seed", "n_deals"),
    **with_keys(shuffled_cards, "seed", number=0),
    **with_keys(shuffled_cards, "number", seed=0),
    **with_keys(shuffled_cards, "step", "n_cards", seed=0, number=0),
    "parse_cards": cribsim.parse_cards,
    "parse_cards of one": lambda value: cribsim.parse_cards([value]),
    "format_cards": cribsim.format_cards,
    "format_cards of one": lambda value: cribsim.format_cards([value]),
    "hand": lambda value: cribsim.score_hand(value, "5D"),
    "starter": lambda value: cribsim.score_hand(FOUR, value),
    "crib": lambda value: cribsim.score_hand(FOUR, "5D", crib=value),
    "fours": lambda value: score_shows(value, [17]),
    "starters": lambda value: score_shows([[18, 19, 16, 41]], value),
    "Rules.named": Rules.named,
    "Rules.parse": Rules.parse,
    "Rules.from_dict": Rules.from_dict,
    "one of the hands": lambda value: replay([value, "6H"]),
    "one of the plays": lambda value: replay(plays=[value]),
    "seat of a play": lambda value: replay(plays=[(value, "6H")]),
    "card of a play": lambda value: replay(plays=[(1, value)]),
    "one of the scores": lambda value: replay(scores=[value, 0]),
    "one of the players": lambda value: simulate([value, "greedy"]),
    "games": lambda value: simulate(deals=None, games=value),
    "Result.load": Result.load,
    "discard_strategy": cribsim.discard_strategy,
    "function": lambda value: cribsim.pegging_strategy("mine")(value),
    "players of a strategy": lambda value: cribsim.pegging_strategy("mine", players=value),
    "one number of players": lambda value: cribsim.discard_strategy("mine", players=[value]),
    "find_player": find_player,
    "half of a pair": lambda value: find_player((value, "greedy")),
    "half": lambda value: find_half(value, "play"),
    "stage": lambda value: find_half("greedy", value),
    "views": lambda value: find_half("greedy", "play").answer(value),
    "rules of views": lambda value: find_half("greedy", "play").answer(VIEW, value),
    "dealt": lambda value: discard_view(value, dealer=0, seat=0),
    "players of a view": lambda value: discard_view(SIX, dealer=0, seat=0, players=value),
    "seat of a view": lambda value: discard_view(SIX, dealer=0, seat=value),
    "scores of a view": lambda value: discard_view(SIX, dealer=0, seat=0, scores=value),
    "held": lambda value: play_view(value, PLAYS, dealer=1, seat=0),
    "plays of a view": lambda value: play_view("5H 5S JD", value, dealer=1, seat=0),
    "starter of a view": lambda value: play_view("5H 5S JD", PLAYS, dealer=1, seat=0, starter=value),
    "discards of a view": lambda value: play_view("5H 5S JD", PLAYS, dealer=1, seat=0, discards=value),
}


@pytest.fixture(autouse=True)
def _own_names(monkeypatch):
    monkeypatch.setattr(registry, "_USER", {})


@pytest.fixture(scope="module")
def found():
    """A result and a comparison to ask."""
    return simulate(), compare()


def refusal(call, value):
    """The text of the error that refuses a value; None where it is taken."""
    try:
        call(value)
    except (CribsimError, StrategyError) as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_taken_or_refused(name):
    texts = [refusal(CALLS[name], value) for value in WRONG]
    assert all(text is None or (text and "\n" not in text) for text in texts)
    assert any(texts) == (name not in ("crib", "settle(heels=)"))  # yes or no is any value's truth


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_what_is_no_role_or_phase_is_refused(found, value):
    import matplotlib.pyplot as plt

    result, comparison = found
    before = plt.get_fignums()
    asked = [
        *(lambda: result.estimate(value, "total"), lambda: result.estimate("dealer", value)),
        *(lambda: result.histogram(value), lambda: result.histogram("total", value)),
        *(lambda: result.crib_averages(value), lambda: result.plot(phase=value), lambda: result.plot_cribs(role=value)),
        *(lambda: comparison.estimate(value, "total"), lambda: comparison.estimate("dealer", value)),
    ]
    for ask in asked:
        with pytest.raises(
            cribsim.ResultError, match=r"^no (role|seat) .*; (roles|seats): pone, dealer.*; phases: heels,"
        ):
            ask()
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check(seed=-1), "seed -1: give a whole number from 0 to 2^64 - 1"),
        (lambda: check(n_deals=0), "n_deals=0: give a whole number from 1 to 1,000,000"),
        (lambda: check(players=[2, 5]), "players=[2, 5]: give numbers from 2 to 4"),
        (lambda: shuffled_cards(1, -1), "number=-1: give a whole number from 0 to 18,446,744,073,709,551,615"),
        (lambda: shuffled_cards(1, 0, n_cards=22), "n_cards=22: give a whole number from 1 to 21"),
        (lambda: replay(rules="shrt"), "no rules named 'shrt'; nearest: short"),
        (lambda: settle(rules=61), "rules 61: give Rules, text such as 'short,skunk=40', or a mapping"),
        (lambda: simulate(progress=3), "progress=3: give a function of (done, total)"),
        (lambda: find_half("greedy", "deal"), "stage 'deal': give 'discard' or 'play'"),
        (lambda: cribsim.format_cards([52]), "card code 52 out of range"),
        (
            lambda: score_shows([[1, 2, 3, 4]], [5, 6]),
            "(n, 4) and (n,); given int64 (1, 4) and int64 (2,)",
        ),
    ],
)
def test_the_error_says_what_is_wanted(call, said):
    with pytest.raises(CribsimError, match=re.escape(said)):
        call()


def test_rules_may_be_text():
    assert replay(rules="short").scores == (0, 0)
    assert settle(rules="short", scores=[59, 0]).winner == 0
    assert settle(rules="target=121", scores=[59, 0]).winner is None
    assert replay(["5H", "6H", "7H"], rules="short").scores == (0, 0, 0)
    assert (
        find_half("greedy", "play").answer(VIEW, "short").tolist() == find_half("greedy", "play").answer(VIEW).tolist()
    )
