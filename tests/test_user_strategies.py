"""Strategies of users: plain, compiled and batch functions, in this process, in files and in modules."""

import math
import os
import pickle
import random
import re
import subprocess
import sys
import textwrap
from types import ModuleType

import numba
import numpy as np
import pytest

import cribsim
from cribsim import _jit
from cribsim._reach import Reach
from cribsim.errors import PlayerError, StrategyError
from cribsim.rules import Rules
from cribsim.strategies import (
    check_strategy,
    discard_strategy,
    find_half,
    find_player,
    list_strategies,
    pegging_strategy,
    registry,
)
from cribsim.strategies.answers import USER_VIEWS, user_views
from cribsim.strategies.base import VIEWS
from cribsim.strategies.check import sample_views
from cribsim.views import THROWN_2, discard_view, play_view

GREEDY_PLAY = find_half("greedy", "play")
LEAD = play_view("2C 5H 7S JD", [], dealer=1, seat=0)
EIGHT = play_view("2C 5H 7S JD", [(0, "8D")], dealer=1, seat=1)
SIX_CARDS = discard_view("2C 3H 4D 5D 5S JS", dealer=1, seat=0)
FIVE_CARDS = discard_view("2C 5H 5D 9S KC", dealer=0, seat=0, players=3)


@pytest.fixture(autouse=True)
def own_names(monkeypatch):
    """Each test has its own users' names."""
    monkeypatch.setattr(registry, "_USER", {})


@pytest.fixture(scope="module")
def views():
    return {players: sample_views(players, n_deals=48) for players in (2, 3, 4)}


def most_points(view):
    best, most = 0, -1
    for position in range(view.n_cards):
        rank = view.cards[position] >> 2
        if view.count + min(rank + 1, 10) <= 31:
            worth = 16 * (view.gains >> (4 * rank) & 15) + rank
            if worth > most:
                best, most = position, worth
    return best


def most_points_of_batch(views, out):
    ranks = views.cards >> 2
    worth = 16 * (views.gains[:, None] >> (4 * (ranks & 15)) & 15) + ranks
    fits = (views.count[:, None] + np.minimum(ranks + 1, 10) <= 31) & (np.arange(4) < views.n_cards[:, None])
    out[:] = np.where(fits, worth, -1).argmax(axis=1)


def most_points_of_each(views, out):
    for k in range(len(views)):
        view = views[k]
        best, most = 0, -1
        for position in range(view.n_cards):
            rank = view.cards[position] >> 2
            if view.count + min(rank + 1, 10) <= 31:
                worth = 16 * (view.gains >> (4 * rank) & 15) + rank
                if worth > most:
                    best, most = position, worth
        out[k] = best


KINDS = [
    (most_points, {}),
    (most_points, {"jit": True}),
    (most_points_of_batch, {"batch": True}),
    (most_points_of_each, {"batch": True, "jit": True}),
]
KIND_NAMES = ["plain", "jit", "batch", "jit batch"]

# the kinds of functions


@pytest.mark.parametrize(("function", "options"), KINDS, ids=KIND_NAMES)
def test_greedy_play_written_by_a_user_answers_like_the_built_in(views, function, options):
    mine = pegging_strategy("mine", **options)(function)
    for players in (2, 3, 4):
        asked = views[players]["play"]
        assert mine.half.answer(asked).tolist() == GREEDY_PLAY.answer(asked).tolist()
    check_strategy(mine, players=2, n_deals=16)


def last_cards(view):
    return view.n_cards - 1, view.n_cards - 2


def last_card(view):
    return view.n_cards - 1


@pytest.mark.parametrize("jit", [False, True])
def test_positions_thrown_may_stand_in_any_order(jit):
    two = discard_strategy("two", jit=jit, players=2)(last_cards)
    assert THROWN_2[two.half.answer(SIX_CARDS)[0]].tolist() == [4, 5]
    one = discard_strategy("one", jit=jit, players=(3, 4))(last_card)
    assert one.half.answer(FIVE_CARDS).tolist() == [4]
    check_strategy(two, n_deals=16)
    check_strategy(one, n_deals=16)


@pytest.mark.parametrize("jit", [False, True])
def test_an_int_for_two_cards_is_the_index_of_the_throw(jit):
    assert discard_strategy("two", jit=jit)(lambda view: 7).half.answer(SIX_CARDS).tolist() == [7]


@pytest.mark.parametrize("jit", [False, True])
def test_a_single_card_may_be_a_tuple_of_one(jit):
    assert discard_strategy("one", jit=jit)(lambda view: (3,)).half.answer(FIVE_CARDS).tolist() == [3]


def test_every_pair_of_positions_is_its_answer():
    """Compiled and plain functions agree on all throws; positions that are none give an answer that is refused."""
    plain = discard_strategy("plain")(lambda view: (view.scores[0], view.scores[1]))
    compiled = discard_strategy("compiled", jit=True)(lambda view: (view.scores[0], view.scores[1]))
    view = SIX_CARDS.copy()
    for first in range(6):
        for second in range(6):
            view["scores"][0, :2] = first, second
            answer = compiled.half.answer(view)[0]
            if first == second:
                assert answer == -1
            else:
                assert plain.half.answer(view)[0] == answer
                assert THROWN_2[answer].tolist() == sorted((first, second))
    for wrong in ((-1, 2), (0, 6), (5, 99)):
        view["scores"][0, :2] = wrong
        assert compiled.half.answer(view)[0] == -1


def test_numpy_ints_are_ints():
    mine = pegging_strategy("mine")(lambda view: np.int8(1))
    assert mine.half.answer(LEAD).tolist() == [1]


# what a function sees


@pytest.mark.parametrize("stage", ["discard", "play"])
def test_a_user_view_has_every_field_as_a_signed_int(views, stage):
    asked = views[3][stage]
    which = np.arange(len(asked) - 1, -1, -3, dtype=np.int32)
    seen = user_views(asked, which, stage)
    assert set(seen.dtype.names) == set(VIEWS[stage].names) - {"spare"}
    assert {seen.dtype[name].base for name in seen.dtype.names} == {np.dtype("i8")}
    for name in seen.dtype.names:
        assert (seen[name].astype(VIEWS[stage][name].base) == asked[name][which]).all()
    assert isinstance(seen[0], np.record)
    assert seen.dtype == USER_VIEWS[stage]


@pytest.mark.parametrize("jit", [False, True])
def test_differences_and_remainders_do_not_wrap(jit):
    """15 - count lies under zero at a count of 20; the key's remainder is a position."""
    view = play_view("2C 3H 4S", [(0, "TD"), (1, "TC")], dealer=1, seat=0)
    assert pegging_strategy("a", jit=jit)(lambda view: 1 if 15 - view.count < 0 else 0).half.answer(view)[0] == 1
    view["key"] = 2**64 - 1
    assert pegging_strategy("b", jit=jit)(lambda view: view.key % view.n_cards).half.answer(view)[0] in (0, 1, 2)


def spoil(view):
    view.cards[0] = 77
    view.count = 0
    view.n_cards = 9
    return 0


def spoil_batch(views, out):
    views.cards[:] = 77
    views.count = 0
    out[:] = 0


@pytest.mark.parametrize(
    ("function", "options"), [(spoil, {}), (spoil, {"jit": True}), (spoil_batch, {"batch": True})], ids=KIND_NAMES[:3]
)
def test_writing_into_a_view_harms_nobody(function, options):
    mine = pegging_strategy("mine", **options)(function)
    bound = mine.half.ready(Rules())
    asked = EIGHT.copy()
    bound.answer(asked, np.zeros(1, np.int32), bound.params, bound.table, np.zeros(1, np.int64))
    assert asked.tobytes() == EIGHT.tobytes()
    check_strategy(mine, players=2, n_deals=16)


def test_a_batch_function_sees_only_what_it_is_asked(views):
    seen = []

    @pegging_strategy("mine", batch=True)
    def mine(batch, out):
        seen.append((len(batch), out.dtype, set(out.tolist())))
        out[:] = np.arange(len(batch)) % 2

    asked, out = views[2]["play"], np.full(len(views[2]["play"]), 9)
    bound = mine.half.ready(Rules())
    bound.answer(asked, np.array([5, 2, 8], np.int32), bound.params, bound.table, out)
    assert seen[0] == (3, np.dtype(np.int64), {-1})
    assert out[[5, 2, 8]].tolist() == [0, 1, 0]
    assert set(np.delete(out, [5, 2, 8]).tolist()) == {9}


# answers of the wrong kind


def wrong_kind(function, view, stage="play", **options):
    decorator = pegging_strategy if stage == "play" else discard_strategy
    with pytest.raises((StrategyError, PlayerError)) as caught:
        decorator("mine", **options)(function).half.answer(view)
    text = str(caught.value)
    assert "mine" in text
    return text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (4.5, "returned 4.5 (float); a position (int) is wanted"),
        (1.0, "returned 1.0 (float)"),
        (np.float64(2.5), "returned 2.5 (float64)"),
        (True, "returned True (bool)"),
        (np.True_, "returned True (bool"),
        (None, "returned None (NoneType)"),
        ("1", "returned '1' (str)"),
        ((0,), "returned (0,) (tuple)"),
        (np.array([1, 2]), "returned array([1, 2]) (ndarray)"),
    ],
)
def test_a_play_is_an_int(value, said):
    assert said in wrong_kind(lambda view: value, LEAD)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (4.5, "returned 4.5 (float); 2 positions (a tuple of ints) or an index (int) are wanted"),
        ((0, 1.0), "returned (0, 1.0) (tuple)"),
        ((0, True), "returned (0, True)"),
        ((0,), "2 different positions from 0 to 5 are wanted"),
        ((0, 1, 2), "2 different positions"),
        ((2, 2), "2 different positions"),
        ((0, 6), "2 different positions from 0 to 5"),
        ((-1, 2), "2 different positions"),
        (None, "returned None"),
    ],
)
def test_a_throw_is_two_positions(value, said):
    assert said in wrong_kind(lambda view: value, SIX_CARDS, "discard")


def test_a_throw_of_one_card_is_one_position():
    assert "a position (int) is wanted" in wrong_kind(lambda view: 0.5, FIVE_CARDS, "discard")
    assert "one position from 0 to 4 is wanted" in wrong_kind(lambda view: (0, 1), FIVE_CARDS, "discard")


def sometimes(view):
    if view.count > 3:
        return 0


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda view: 4.5, "returns float64 when compiled; a position (int) is wanted"),
        (lambda view: view.n_cards / 2, "returns float64"),
        (lambda view: view.count > 3, "returns bool"),
        (lambda view: None, "returns nothing (None)"),
        (sometimes, "returns int64 or nothing (None)"),
        (lambda view: (0, 1), "returns (int64, int64)"),
    ],
)
def test_a_compiled_play_is_an_int_before_anything_is_played(function, said):
    assert said in wrong_kind(function, LEAD, jit=True)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            lambda view: 4.5,
            "returns float64 when compiled; two positions (a tuple of ints) or an index (int) are",
        ),
        (lambda view: (0, 1.5), "returns (int64, float64)"),
        (lambda view: (0, 1, 2), "returns (int64, int64, int64)"),
    ],
)
def test_a_compiled_throw_is_two_positions(function, said):
    assert said in wrong_kind(function, SIX_CARDS, "discard", jit=True)


def test_what_numba_cannot_compile_is_one_line():
    text = wrong_kind(lambda view: no_such_function(view), LEAD, jit=True)  # noqa: F821
    assert "can't be compiled: NameError: name 'no_such_function' is not defined" in text
    assert "\n" not in text


def test_exceptions_come_with_the_view():
    def raising(view):
        if view.n_cards == 4:
            raise ValueError("no idea")
        return 0

    for jit in (False, True):
        assert "raised ValueError: no idea; view: holds 2C 5H 7S JD" in wrong_kind(raising, LEAD, jit=jit)


def fill_half(views, out):
    out[:] = 0.5


def fill_nan(views, out):
    out[:] = np.nan


def fill_truth(views, out):
    out[:] = views.count > 3


def fill_nothing(views, out):
    return np.zeros(len(views), np.int64)


def fill_each(views, out):
    for i in range(len(views)):
        out[i] = 4.5


@pytest.mark.parametrize(
    ("function", "jit", "said"),
    [
        (fill_half, False, "returned 0.5 (float64) in out; answers are ints"),
        (fill_nan, False, "returned nan"),
        (fill_truth, False, "returned False (bool) in out"),
        (fill_each, False, "returned 4.5"),
        (fill_each, True, "returned 4.5 (float64) in out"),
        (fill_nothing, False, "returned a ndarray; a batch function fills out"),
    ],
)
def test_a_batch_function_writes_ints(function, jit, said):
    assert said in wrong_kind(function, LEAD, batch=True, jit=jit)


def test_a_batch_function_may_write_whole_floats():
    def fill(views, out):
        out[:] = np.floor(views.n_cards / 2)

    assert pegging_strategy("mine", batch=True)(fill).half.answer(LEAD).tolist() == [2]


def test_later_calls_of_a_batch_function_are_checked_too():
    def fill(views, out):
        out[:] = 1 if len(views) == 1 else 1.5

    half = pegging_strategy("mine", batch=True)(fill).half
    bound = half.ready(Rules())
    two, out = np.concatenate([LEAD, LEAD]), np.zeros(2, np.int64)
    bound.answer(two, np.zeros(1, np.int32), bound.params, bound.table, out)
    with pytest.raises(StrategyError, match=r"returned 1\.5"):
        bound.answer(two, np.arange(2, dtype=np.int32), bound.params, bound.table, out)


def test_a_batch_function_may_use_out_as_an_index():
    def fill(views, out):
        out[:] = 1
        out[views.cards[np.arange(len(views)), out] > 51] = 0

    assert pegging_strategy("mine", batch=True)(fill).half.answer(LEAD).tolist() == [1]


# faults


class Mute(Exception):
    def __str__(self):
        raise SystemExit


class Odd(BaseException):
    pass


def asked_by_each(bad):
    """All that asks a strategy."""
    return {
        "run": lambda: cribsim.simulate([("greedy", bad), "greedy"], deals=1, seed=5, first=7, workers=1),
        "comparison": lambda: cribsim.compare(("greedy", bad), "greedy", deals=1, workers=1),
        "check": lambda: check_strategy(bad, players=2, n_deals=16),
        "views": lambda: bad.half.answer(LEAD),
    }


@pytest.mark.parametrize("by", ["run", "comparison", "check", "views"])
@pytest.mark.parametrize("batch", [False, True], ids=["plain", "batch"])
@pytest.mark.parametrize(
    "fault", [SystemExit(0), SystemExit(3), GeneratorExit(), Odd(), Mute(), StopIteration()], ids=repr
)
def test_whatever_a_strategy_raises_is_its_fault(fault, batch, by):
    def bad(*given):
        raise fault

    named = pegging_strategy("bad", batch=batch)(bad if not batch else lambda views, out: bad())
    with pytest.raises(StrategyError) as caught:
        asked_by_each(named)[by]()
    assert f"raised {type(fault).__name__}: " in str(caught.value)
    assert "bad (play" in str(caught.value)


def test_ctrl_c_within_a_strategy_is_no_fault():
    @pegging_strategy("stopped")
    def stopped(view):
        raise KeyboardInterrupt

    for ask in asked_by_each(stopped).values():
        with pytest.raises(KeyboardInterrupt):
            ask()


@pytest.mark.parametrize("number", [10**30, -(10**30), 1 << 63, -7], ids=str)
def test_the_number_answered_is_told(number):
    bad = pegging_strategy("bad")(lambda view: number)
    with pytest.raises(StrategyError, match=f"answered {number} in deal 7"):
        asked_by_each(bad)["run"]()
    bad = discard_strategy("bad", players=2)(lambda view: number)
    with pytest.raises(StrategyError, match=f"answered {number} in deal 0"):
        cribsim.simulate([(bad, "greedy"), "greedy"], deals=1)


class Unspeakable:
    def __repr__(self):
        raise OSError


@pytest.mark.parametrize(
    "answer",
    [
        lambda view: 10 ** (4999 + int(view.players)),
        lambda view: (10 ** (4999 + int(view.players)), 1),
        lambda view: "x" * 500 * view.players,
        lambda view: Unspeakable(),
    ],
)
def test_what_can_not_be_written_is_told_all_the_same(answer):
    bad = discard_strategy("bad", players=2)(answer)
    with pytest.raises(StrategyError, match=r"(answered|returned) .{1,150} in deal 0") as caught:
        cribsim.simulate([(bad, "greedy"), "greedy"], deals=1)
    assert len(str(caught.value)) < 500


def far_out(view):
    return view.cards[100_000_000]


def far_out_of_each(views, out):
    for i in range(len(views)):
        out[i] = views[i].cards[100_000_000]


@pytest.mark.parametrize(("function", "batch"), [(far_out, False), (far_out_of_each, True)], ids=["one", "batch"])
@pytest.mark.parametrize("decorator", [pegging_strategy, discard_strategy])
def test_compiled_functions_are_tried_in_plain_python_first(decorator, function, batch):
    """Compiled, this index would end the process."""
    bad = decorator("bad", jit=True, batch=batch)(function)
    with pytest.raises(StrategyError, match=r"'answers every decision in plain Python': raised IndexError"):
        check_strategy(bad, players=2, n_deals=16)


# decorating


def test_a_decorated_function_stays_callable():
    @pegging_strategy("lowest")
    def lowest(view):
        """Always the lowest card."""
        return 0

    assert lowest(LEAD[0]) == 0
    assert repr(lowest) == "<pegging strategy 'lowest'>"
    assert lowest.__doc__ == "Always the lowest card."
    (row,) = (row for row in list_strategies() if row["name"] == "lowest")
    assert (row["half"], row["about"], row["source"]) == ("play", "Always the lowest card.", __file__)


def test_a_name_once_registered_is_found():
    pegging_strategy("low-lead")(lambda view: 0)
    player = find_player("greedy+low-lead")
    assert str(player) == "greedy+low-lead"
    assert player.play.answer(LEAD).tolist() == [0]
    with pytest.raises(PlayerError, match="keep it in a file"):
        pickle.dumps(player)
    with pytest.raises(PlayerError, match="no pegging strategy 'low-leed'; nearest: low-lead"):
        find_player("greedy+low-leed")


def test_the_same_name_from_the_same_place_replaces():
    for answer in (0, 1):
        pegging_strategy("mine")(lambda view, answer=answer: answer)
        assert find_half("mine", "play").answer(LEAD).tolist() == [answer]


def test_the_same_name_from_another_place_is_refused():
    pegging_strategy("mine")(lambda view: 0)
    other = {"pegging_strategy": pegging_strategy, "__name__": "elsewhere"}
    code = compile("@pegging_strategy('mine')\ndef f(view): return 1", "elsewhere.py", "exec")
    with pytest.raises(PlayerError, match=r"mine is already the name of a pegging strategy of .*test_user_strategies"):
        exec(code, other)


def test_names_of_built_in_strategies_are_taken():
    for decorator in (discard_strategy, pegging_strategy):
        with pytest.raises(PlayerError, match="expectimax is the name of a built-in strategy"):
            decorator("expectimax")(lambda view: 0)


def test_objects_are_players():
    low = pegging_strategy("low")(lambda view: 0)
    first = discard_strategy("first")(lambda view: (0, 1))
    assert str(find_player((first, low))) == "first+low"
    assert str(find_player(("greedy", low))) == "greedy+low"
    with pytest.raises(PlayerError, match=re.escape("first is a discard strategy; add a pegging strategy")):
        find_player(first)
    with pytest.raises(PlayerError, match="before the \\+ stands a discard strategy"):
        find_player((low, first))


def test_an_object_with_a_counterpart_of_its_name_means_both():
    low = pegging_strategy("both")(lambda view: 0)
    discard_strategy("both")(lambda view: (0, 1))
    for spec in (low, "both"):
        player = find_player(spec)
        assert (player.discard.stage, player.play.stage, str(player)) == ("discard", "play", "both")


@pytest.mark.parametrize(
    ("decorate", "said"),
    [
        (lambda: pegging_strategy(most_points), "needs a name"),
        (lambda: pegging_strategy("two words"), "'two words' can't name a strategy"),
        (lambda: pegging_strategy("true"), "can't name"),
        (lambda: pegging_strategy("5high"), "can't name"),
        (lambda: pegging_strategy("a", players=5), "players=5: give numbers from 2 to 4"),
        (lambda: pegging_strategy("a", players=()), "players="),
        (lambda: pegging_strategy("a")(most_points_of_batch), "for a function of (views, out) add batch=True"),
        (lambda: pegging_strategy("a", batch=True)(most_points), "is called with (views, out)"),
        (lambda: pegging_strategy("a")(3), "a function is wanted, not 3"),
    ],
)
def test_misuse_of_a_decorator_says_what_to_write(decorate, said):
    with pytest.raises(PlayerError) as caught:
        decorate()
    assert said in str(caught.value)


def test_parameters_are_for_built_in_strategies():
    pegging_strategy("mine")(lambda view: 0)
    with pytest.raises(PlayerError, match="mine takes no parameters, but x= is given"):
        find_player("greedy+mine(x=1)")


def test_the_number_of_players_is_the_functions():
    mine = pegging_strategy("mine", players=2)(lambda view: 0)
    with pytest.raises(PlayerError, match="plays with 2 players, not 3"):
        mine.half.ready(Rules(players=3))


# files and modules

MINE = """
    import cribsim
    from helper import POSITION

    @cribsim.pegging_strategy("low-lead")
    def low_lead(view):
        return POSITION

    @cribsim.discard_strategy("keep-fives", jit=True)
    def keep_fives(view):
        return 0, POSITION

    @cribsim.discard_strategy("both")
    def both_discards(view):
        return 0, 1

    @cribsim.pegging_strategy("both")
    def both_plays(view):
        return 0

    def plain(view):
        return 1

    NUMBER = 3
"""


def write(folder, name="mine.py", text=MINE, helper=1):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(textwrap.dedent(text))
    (folder / "helper.py").write_text(f"POSITION = {helper}\n")
    return folder / name


@pytest.fixture
def clean_modules(monkeypatch):
    """Paths and modules as they were."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def mine(tmp_path, clean_modules):
    return write(tmp_path / "my files")


def test_a_file_by_path_and_name(mine):
    for name in ("low-lead", "low_lead"):
        half = find_half(f"{mine}:{name}", "play")
        assert half.answer(LEAD).tolist() == [1]
        assert half.text == f"{mine}:{name}"
    player = find_player(f"{mine}:keep_fives+{mine}:low-lead")
    assert player.discard.answer(SIX_CARDS).tolist() == [0]
    assert pickle.loads(pickle.dumps(player)) == player
    assert player.discard.source == str(mine)


def test_a_relative_path(mine, monkeypatch):
    monkeypatch.chdir(mine.parent)
    assert str(find_player("greedy+mine.py:low-lead")) == "greedy+mine.py:low-lead"


def test_names_of_files_stay_in_their_files(mine):
    find_player(f"greedy+{mine}:low-lead")
    with pytest.raises(PlayerError, match="no pegging strategy 'low-lead'"):
        find_player("greedy+low-lead")


def test_a_name_for_both_halves_in_a_file(mine):
    player = find_player(f"{mine}:both")
    assert (player.discard.stage, player.play.stage) == ("discard", "play")
    assert find_player(str(player)) == player


def test_an_undecorated_function_is_of_the_stage_it_stands_for(mine):
    assert find_player(f"greedy+{mine}:plain").play.answer(LEAD).tolist() == [1]
    assert find_player(f"{mine}:plain+greedy").discard.answer(SIX_CARDS).tolist() == [1]
    with pytest.raises(PlayerError, match="plain function"):
        find_player(f"{mine}:plain")


def test_two_files_of_one_name_keep_apart(mine, tmp_path):
    other = write(tmp_path / "other", helper=3)
    halves = [find_half(f"{path}:low-lead", "play") for path in (mine, other, mine)]
    assert [half.answer(LEAD)[0] for half in halves] == [1, 3, 1]


def test_an_edited_file_is_read_again(mine):
    for position in (2, 3):
        mine.write_text(f"def play(view):\n    return {position}\n")
        assert find_half(f"{mine}:play", "play").answer(LEAD).tolist() == [position]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(view:\n    return 0\n", "bad.py line 1: '(' was never closed"),
        ("x = 1\ny = 1 // 0\n", "bad.py line 2: ZeroDivisionError: integer division or modulo by zero"),
        ("import no_such_thing\n", "bad.py line 1: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import sys\nsys.exit(3)\n", "bad.py line 2: SystemExit: 3"),
        ("class Odd(BaseException): pass\nraise Odd\n", "bad.py line 2: Odd: "),
        (
            "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
            "bad.py line 1: Odd: (its text raises Zero",
        ),
        (
            "from cribsim import pegging_strategy\n\n@pegging_strategy('greedy')\ndef f(view):\n    return 0\n",
            "bad.py line 3: greedy is the name of a built-in strategy",
        ),
    ],
)
def test_a_fault_in_a_file_names_its_line(tmp_path, clean_modules, text, said):
    path = write(tmp_path, "bad.py", text)
    with pytest.raises(PlayerError) as caught:
        find_player(f"greedy+{path}:f")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("{mine}:low-leed", "has no strategy 'low-leed'; nearest: low-lead"),
        ("{mine}:NUMBER", "NUMBER is no function but a int"),
        ("{mine}:keep-fives", "keep-fives is a discard strategy; behind the + stands a pegging strategy"),
        ("{mine}x:low-lead", "names end with .py"),
        ("{folder}/mime.py:low-lead", "no such file; nearest: mine.py"),
        ("{folder}/none/mine.py:low-lead", "nor a folder"),
        ("{folder}/folder.py:low-lead", "folder.py is a folder; name a Python file in it"),
        ("{folder}/foldr.py:low-lead", "there is no such file"),
        ("{folder}/x\udcff.py:low-lead", "the name of the file is no text"),
        ("{mine}/mine.py:low-lead", "there is no such file"),
        ("~nobody-at-all/mine.py:low-lead", "there is no such file"),
        ("low_lead", "no pegging strategy 'low_lead'"),
        ("low_lead", "one in a file is written with it, as in mine.py:low_lead"),
        ("{mine}:low-lead(x=1)", "takes no parameters"),
    ],
)
def test_what_a_file_has_not_is_said(mine, spec, said):
    (mine.parent / "folder.py").mkdir()
    with pytest.raises(PlayerError) as caught:
        find_player("greedy+" + spec.format(mine=mine, folder=mine.parent))
    assert said in str(caught.value)
    assert "nearest: folder.py" not in str(caught.value)


def test_a_module_by_name(tmp_path, clean_modules, monkeypatch):
    write(tmp_path / "cribpack", "__init__.py", "")
    write(tmp_path / "cribpack", "plays.py", MINE.replace("from helper", "from cribpack.helper"))
    monkeypatch.chdir(tmp_path)
    half = find_half("cribpack.plays:low-lead", "play")
    assert half.answer(LEAD).tolist() == [1]
    assert (half.text, half.by_name) == ("cribpack.plays:low-lead", True)
    with pytest.raises(PlayerError, match=r"no module cribpack\.playz"):
        find_half("cribpack.playz:low-lead", "play")
    (tmp_path / "cribpack" / "bad.py").write_text("\n1 // 0\n")
    with pytest.raises(PlayerError, match=r"bad.py line 2: ZeroDivisionError"):
        find_half("cribpack.bad:low-lead", "play")


def test_installed_packages_offer_strategies(tmp_path, clean_modules):
    write(tmp_path, "crib_extras.py", MINE.replace("low-lead", "extra-low"))
    meta = tmp_path / "crib_extras-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: crib-extras\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text("[cribsim.strategies]\nextras = crib_extras\nbroken = no_such_module\n")
    sys.path.insert(0, str(tmp_path))
    registry._load_installed.cache_clear()
    try:
        assert "crib_extras" not in sys.modules
        assert find_player("greedy")
        assert "crib_extras" not in sys.modules
        with pytest.warns(UserWarning, match="can't be loaded: ModuleNotFoundError"):
            half = find_half("extra-low", "play")
        assert (half.source, half.by_name) == ("package crib-extras", True)
        assert half.answer(LEAD).tolist() == [1]
        assert [row["half"] for row in list_strategies() if row["name"] == "both"] == ["discard", "play"]
    finally:
        registry._INSTALLED.clear()
        registry._load_installed.cache_clear()


SCRIPT = """
import sys
from cribsim.strategies import find_half
from cribsim.views import discard_view
for name in sys.argv[2:]:
    half = find_half(f"{sys.argv[1]}:{name}", "discard")
    print(half.answer(discard_view("2C 3H 4D 5D 5S JS", dealer=1, seat=0))[0])
"""


def run_script(mine, cache, *names, **environment):
    """The answers of a file's discard strategies to one hand, in a process of its own."""
    command = [sys.executable, "-c", SCRIPT, str(mine), *names]
    setting = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment}
    done = subprocess.run(command, env=setting, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_an_edited_helper_gives_new_answers_in_the_next_process(mine):
    """The compiled function holds the helper's number; its cache must not."""
    cache = mine.parent / "cache"
    assert run_script(mine, cache, "keep-fives") == [0]
    write(mine.parent, helper=4)
    assert run_script(mine, cache, "keep-fives") == [3]
    assert any(path.suffix == ".nbi" and "keep_fives" in path.name for path in cache.rglob("*"))


def test_without_compiling_all_works_in_plain_python(mine):
    assert run_script(mine, mine.parent / "cache", "keep-fives", NUMBA_DISABLE_JIT="1") == [0]


DATA = """
import enum
from pathlib import Path
import numba
import numpy as np
import cribsim
import helper
from helper import position_of_helper

TABLE = np.loadtxt(Path(__file__).with_name("table.txt"), dtype=np.int64, ndmin=1)
NUMBER = int(TABLE[0])
helper.POSITION = NUMBER
Way = enum.IntEnum("Way", [("GOES", NUMBER)])

def made(number):
    return numba.njit(lambda: number)

closure = made(NUMBER)

@numba.njit
def default(number=NUMBER):
    return number

@numba.njit
def nested():
    return position_of_helper()
"""
REACHED = {
    "array": "TABLE[0]",
    "number": "NUMBER",
    "attribute": "helper.POSITION",
    "closure": "closure()",
    "default": "default()",
    "nested": "nested()",
    "through": "helper.position_of_helper()",
    "enum": "Way.GOES.value",
}
for name, value in REACHED.items():
    DATA += f"""
@cribsim.discard_strategy("of-{name}", jit=True)
def of_{name}(view):
    return 0, {value}
"""
HELPER = """
from pathlib import Path
import numba
POSITION = 0
NUMBERS = (0, int(Path(__file__).with_name("table.txt").read_text()))

@numba.njit
def position_of_helper():
    return NUMBERS[1]
"""


def test_edited_data_gives_new_answers_in_the_next_process(tmp_path):
    """numba freezes what a function reaches; what can't be told by its bytes isn't kept on disk."""
    (tmp_path / "mine.py").write_text(DATA)
    (tmp_path / "helper.py").write_text(HELPER)
    for position in (1, 4):
        (tmp_path / "table.txt").write_text(f"{position}\n")
        answers = run_script(tmp_path / "mine.py", tmp_path / "cache", *(f"of-{name}" for name in REACHED))
        assert dict(zip(REACHED, answers, strict=True)) == dict.fromkeys(REACHED, position - 1)
    kept = "".join(path.name for path in tmp_path.rglob("*.nbi"))
    assert [name for name in REACHED if f"of_{name}" not in kept] == ["enum"]


@_jit.kernel
def kernel_of_a_test(number):
    return number


def reached(number=0, table=(1, 2), word="a", wrap=lambda function: function):
    """A function that reaches these values."""
    array = np.array(table)
    inner = wrap(lambda: word)
    return Reach(lambda: (number, array, inner(), np.floor, kernel_of_a_test, math.pi, len(table)))


def test_what_a_function_reaches_has_a_digest():
    usual = reached()
    assert usual.is_whole
    assert usual.compiled == reached().compiled
    others = [{"number": 1}, {"number": True}, {"number": 0.0}, {"table": (1, 3)}, {"table": (1.0, 2.0)}, {"word": "b"}]
    assert len({usual.compiled, *(reached(**other).compiled for other in others)}) == 7
    assert reached(wrap=numba.njit).compiled == usual.compiled
    assert reached(number=np.int64(0)).is_whole
    assert reached(number=numba.int64).is_whole


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, np.array([None]), [].append, random.Random(1), ModuleType("mine"), pickle],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_safe_digest_is_told(value):
    is_python = value is pickle
    assert reached(number=value).is_whole == is_python
    assert reached(number=[(value,)]).is_whole == is_python


def test_functions_that_call_each_other_are_reached_once():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    assert Reach(even).is_whole


# the folders of compiled code


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A root of folders of its own; the package's is the oldest."""
    monkeypatch.setattr(_jit, "_writable_root", lambda: tmp_path)
    _jit._folder.cache_clear()
    for age, name in enumerate([*(f"other{i}" for i in range(9)), _jit.package_digest()]):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    yield tmp_path
    _jit._folder.cache_clear()


def test_many_edits_of_a_strategy_leave_the_packages_folder(root):
    for edit in range(12):
        _jit._folder(f"{edit}-user")
        os.utime(root / f"{edit}-user", (1.5e9 + edit, 1.5e9 + edit))
    assert {path.name for path in root.glob("*-user")} == {f"{edit}-user" for edit in range(4, 12)}
    assert (root / _jit.package_digest()).is_dir()
    assert {path.name for path in root.glob("other*")} == {f"other{i}" for i in range(8)}


def test_a_folder_that_is_used_stays(root):
    """Used is more than written: `other7` would be the next to go."""
    _jit._folder("other7")
    _jit._folder.cache_clear()
    for i in range(7):
        _jit._folder(f"new{i}")
    assert (root / "other7").is_dir()
    assert not (root / "other6").is_dir()
