"""The strategies that come with cribsim: found by name, legal, repeatable and blind to what is hidden."""

import pickle
import random

import numpy as np
import pytest

import cribsim
from cribsim.errors import PlayerError, StrategyError
from cribsim.rules import Rules
from cribsim.strategies import Half, Player, check_strategy, find_half, find_halves, find_player, list_strategies
from cribsim.strategies import registry as names
from cribsim.strategies.base import NO_PARAMS, Bound, view_text
from cribsim.strategies.check import n_legal, sample_views
from cribsim.strategies.registry import Definition, Parameter
from cribsim.views import DISCARD_VIEW, PLAY_VIEW, discard_view, play_view

BUILT_IN = [row for row in list_strategies() if row["source"] == "built in" and row["name"] != "table"]
"""All but `table`, which needs a file (`test_policies`)."""
HALVES = [(row["name"], row["half"]) for row in BUILT_IN]
SEATED_HALVES = [(row["name"], row["half"], players) for row in BUILT_IN for players in row["players"]]


def refused(spec):
    with pytest.raises(PlayerError) as caught:
        find_player(spec)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# the battery


@pytest.mark.parametrize(("name", "stage", "players"), SEATED_HALVES)
def test_every_built_in_half_passes_the_battery(name, stage, players):
    report = check_strategy(find_half(name, stage), players=players, n_deals=80)
    assert report.players == (players,)
    assert report.n_views >= 80
    assert len(report.checks) == 6


@pytest.mark.parametrize(("name", "stage"), HALVES)
def test_hidden_cards_change_no_answer(name, stage):
    """Views told by what the seat knows alone, hidden cards never dealt, get the answers that the engine's get."""
    half = find_half(name, stage)
    for players in half.players:
        views = sample_views(players, n_deals=16)[stage][:60]
        told = np.concatenate([tell(view, stage) for view in views])
        assert half.answer(told).tolist() == half.answer(views).tolist()


def tell(view, stage):
    """The same view made from what its seat knows."""
    players, cards = int(view["players"]), view["cards"][: view["n_cards"]].tolist()
    rules, scores = Rules(players=players), view["scores"].tolist()
    seats = {"dealer": int(view["dealer"]), "seat": int(view["seat"]), "players": players}
    by_side = scores[: rules.sides]
    if stage == "discard":
        told = discard_view(cards, scores=by_side, **seats)
    else:
        plays = list(zip(view["played_by"].tolist(), view["played"].tolist(), strict=True))[: view["n_played"]]
        thrown = [card for card in view["discards"].tolist() if card != 255]
        told = play_view(cards, plays, starter=int(view["starter"]), discards=thrown, scores=by_side, **seats)
    told["key"] = view["key"]
    return told


def test_views_come_from_every_seat_and_many_scores():
    views = sample_views(2)
    assert set(views["play"]["seat"]) == set(views["discard"]["seat"]) == {0, 1}
    assert len(set(views["discard"]["scores"][:, 0])) > 30
    assert views["play"]["scores"].max() > 100
    assert (n_legal(views["play"]) >= 2).all()


def test_the_report_is_readable():
    text = str(check_strategy("greedy", players=(2, 3), n_deals=16))
    assert text.startswith("greedy: passed with 2, 3 players, ")
    assert "it sees its own view only" in text


def test_one_half_alone_can_be_checked():
    assert check_strategy("expectimax", players=2, n_deals=16).player == "expectimax"
    assert check_strategy("expectimax+random", players=2, n_deals=16).player == "expectimax+random"


def faulty(answer):
    return Half("faulty", "play", lambda rules: Bound(answer, compiled=False))


def fails(answer, check):
    with pytest.raises(StrategyError) as caught:
        check_strategy(faulty(answer), players=2, n_deals=40)
    assert str(caught.value).startswith(f"faulty (play) fails the check {check!r}: ")
    assert "view: holds " in str(caught.value)
    return str(caught.value)


def test_an_illegal_card_fails():
    def answer(views, which, params, table, out):
        out[which] = views["n_cards"][which] - 1

    assert "answered" in fails(answer, "every answer is legal")


def test_no_answer_fails():
    def answer(views, which, params, table, out):
        out[which[:-1]] = 0

    assert "gave no answer" in fails(answer, "every answer is legal")


def test_an_own_generator_fails():
    generator = np.random.default_rng(0)

    def answer(views, which, params, table, out):
        out[which] = generator.integers(0, 2, len(which))

    fails(answer, "the same view, the same answer")


@pytest.mark.parametrize("draw", [random.random, np.random.random], ids=["random", "numpy"])
@pytest.mark.parametrize("rarely", [False, True])
def test_drawing_from_what_all_share_fails(draw, rarely):
    def answer(views, which, params, table, out):
        out[which] = draw() < (1e-9 if rarely else 0.5)

    assert "drew from `random`" in fails(answer, "the same view, the same answer")


def test_drawing_from_the_key_passes():
    def answer(views, which, params, table, out):
        out[which] = [random.Random(int(key)).randrange(2) for key in views["key"][which]]

    assert check_strategy(faulty(answer), players=2, n_deals=40).n_views > 40


def test_thousands_of_decisions_are_tried():
    assert check_strategy("expectimax", players=2).n_views >= 2000


def test_counting_the_calls_fails():
    calls = []

    def answer(views, which, params, table, out):
        calls.append(len(which))
        out[which] = len(calls) % 2

    fails(answer, "the same view, the same answer")


def test_answers_by_place_in_the_batch_fail():
    def answer(views, which, params, table, out):
        out[which] = np.arange(len(which)) % 2

    fails(answer, "the order of the batch doesn't matter")


def test_looking_at_other_rows_fails():
    def answer(views, which, params, table, out):
        out[which] = views["cards"][np.minimum(which + 1, len(views) - 1), 0] & 1

    with pytest.raises(StrategyError, match="fails the check"):
        check_strategy(faulty(answer), players=2, n_deals=40)


def test_bytes_that_mean_nothing_are_not_to_be_read():
    def answer(views, which, params, table, out):
        out[which] = views["spare"][which, 0] & 1

    fails(answer, "it sees its own view only")


def test_asking_about_the_batch_as_a_whole_fails():
    def answer(views, which, params, table, out):
        out[which] = len(which) == 1

    assert "at first and 1 then" in fails(answer, "alone as in a batch")


def test_a_changed_view_fails():
    def answer(views, which, params, table, out):
        out[which] = 0
        views["cards"][which, 0] = 0

    assert "changed the view" in fails(answer, "it changes no view")


def test_answers_where_none_is_asked_for_fail():
    def answer(views, which, params, table, out):
        out[:] = 0

    assert "wasn't asked" in fails(answer, "it changes no view")


def test_an_exception_names_the_view():
    def answer(views, which, params, table, out):
        for i in which:
            if views["count"][i] == 10:
                raise KeyError("ten")
            out[i] = 0

    text = fails(answer, "answers every decision")
    assert "raised KeyError" in text
    assert "count 10 (" in text


def test_only_the_numbers_of_players_claimed_are_tried():
    half = Half("pair", "play", find_half("greedy", "play").bind, players=(2,))
    assert check_strategy(half, n_deals=16).players == (2,)
    with pytest.raises(PlayerError, match="plays with 2 players, not 3"):
        check_strategy(half, players=3, n_deals=16)
    with pytest.raises(PlayerError, match="from 2 to 4"):
        check_strategy(half, players=5)


# finding players


def test_a_bare_name_means_both_halves():
    player = find_player("greedy")
    assert (player.discard.stage, player.play.stage, str(player)) == ("discard", "play", "greedy")


def test_two_halves():
    assert str(find_player(" expectimax + greedy ")) == "expectimax+greedy"
    assert find_player(("expectimax", find_half("random", "play"))).text == "expectimax+random"
    assert find_player(find_player("greedy")).text == "greedy"


def test_players_travel_by_their_text():
    player = pickle.loads(pickle.dumps(find_player("expectimax+greedy")))
    assert isinstance(player, Player)
    assert player == find_player("expectimax+greedy")


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("gredy", ("no strategy 'gredy'", "nearest: greedy", "known: ", "expectimax", "greedy", "random")),
        ("Greedy", ("nearest: greedy",)),
        ("expectimax+gredy", ("no pegging strategy 'gredy'", "nearest: greedy", "known: ", "greedy", "random")),
        ("expectimx+greedy", ("no discard strategy 'expectimx'", "nearest: expectimax")),
        ("table(file=x)", ("table(file=x) is a discard strategy", "add a pegging strategy", "table(file=x)+greedy")),
        ("greedy+table(file=x)", ("table is a discard strategy", "behind the +", "greedy", "random")),
        ("random(depth=2)", ("random takes no parameters", "depth=")),
        ("expectimax+greedy(miss=1.5)", ("miss=1.5", "a chance from 0 to 1")),
        ("greedy(miss=often)", ("miss=often", "a chance from 0 to 1")),
        ("greedy(miss=0.1)+greedy", ("miss=0.1", "behind a whole player")),
        ("greedy(", ("character 7", "isn't closed")),
        ("mine.py", ("mine.py:name",)),
        ("nowhere.py:keep+greedy", ("nowhere.py", "no such file")),
        ("no_such_module:keep+greedy", ("no module no_such_module",)),
        ("json:dumpz+greedy", ("json has no strategy 'dumpz'", "nearest: ", "dumps")),
        ("json:dumps", ("plain function", "json:dumps+greedy")),
        (":keep+greedy", ("file.py:name",)),
        (("greedy",), ("pair",)),
        (7, ("7 is no strategy",)),
        (len, ("len isn't decorated",)),
        (("greedy", len), ("len isn't decorated",)),
    ],
)
def test_what_leads_to_no_player_says_what_to_write(spec, wanted):
    message = refused(spec)
    for part in wanted:
        assert part in message


def test_a_half_of_the_wrong_stage_is_refused():
    with pytest.raises(PlayerError, match="before the \\+ stands a discard strategy"):
        find_player((find_half("greedy", "play"), "greedy"))


def test_the_list_has_a_row_for_each_half():
    rows = {(row["name"], row["half"]): row for row in list_strategies()}
    assert {("random", "discard"), ("greedy", "play"), ("expectimax", "discard")} <= set(rows)
    assert ("table", "play") not in rows
    for row in rows.values():
        assert set(row) == {"name", "half", "source", "players", "parameters", "about"}
    assert rows["greedy", "play"]["players"] == [2, 3, 4]
    assert rows["greedy", "play"]["about"]


# parameters


@pytest.fixture
def sampler(monkeypatch):
    """A built-in strategy with parameters of every kind, in both halves."""
    made = []
    parameters = {
        "samples": Parameter(100, int, "how many", low=1, high=10**6),
        "share": Parameter(0.5, float, "how much", low=0),
        "table": Parameter("schell", ("schell", "fixed"), "which table"),
        "pegging": Parameter(False, bool, "with pegging"),
        "discards": Parameter("greedy", "discard", "what the others throw"),
    }

    def make(rules, **values):
        made.append(values)
        return Bound(lambda views, which, params, table, out: out.__setitem__(which, 0), compiled=False)

    monkeypatch.setattr(names, "_BUILT_IN", dict(names._BUILT_IN))
    names.register(Definition("sampler", "discard", make, parameters))
    names.register(Definition("sampler", "play", make, {"samples": parameters["samples"]}))
    return made


def test_parameters_reach_the_strategy(sampler):
    half = find_half("sampler(table=fixed, samples=2k, pegging=true, discards=expectimax)", "discard")
    assert half.text == "sampler(samples=2000,table=fixed,pegging=true,discards=expectimax)"
    half.ready(Rules())
    values = sampler[0]
    assert isinstance(values["discards"], Half)
    assert values["discards"].text == "expectimax"
    assert {**values, "discards": 0} == {
        "samples": 2000, "share": 0.5, "table": "fixed", "pegging": True, "discards": 0,
    }  # fmt: skip


def test_defaults_of_halves_become_halves(sampler):
    find_half("sampler", "discard").ready(Rules())
    assert sampler[0]["discards"].text == "greedy"


def test_a_bare_name_gives_each_half_the_parameters_it_takes(sampler):
    player = find_player("sampler(samples=5,share=1)")
    assert (player.discard.text, player.play.text) == ("sampler(samples=5,share=1)", "sampler(samples=5)")
    assert find_player(str(player)) == player
    assert str(find_player("sampler(samples=5)")) == "sampler(samples=5)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "sampler(sampels=5)",
            "no parameter sampels; nearest: samples, share; it takes samples, share, table",
        ),
        ("sampler(samples=0)", "sampler: samples=0: a whole number from 1 to 1,000,000 is wanted"),
        ("sampler(samples=1.5)", "a whole number"),
        ("sampler(samples=true)", "samples=true: a whole number"),
        ("sampler(share=-1)", "a number from 0 is wanted"),
        ("sampler(table=schel)", "table=schel; nearest: schell; it is one of schell, fixed"),
        ("sampler(pegging=1)", "pegging=1: true or false is wanted"),
        ("sampler(discards=gredy)", "no discard strategy 'gredy'; nearest: greedy"),
        ("sampler(discards=3)", "discards=3: a discard strategy is wanted"),
        ("sampler(samples=5)(miss=2)", "a chance from 0 to 1"),
    ],
)
def test_wrong_parameters_say_what_is_wanted(sampler, text, wanted):
    assert wanted in refused(text)


# asking


def test_answers_to_views_told_by_hand():
    view = play_view("5H 7S JD 2C", [(0, "8D")], dealer=1, seat=1)
    assert find_player("greedy").play.answer(view).tolist() == [2]
    assert find_player("greedy").play.answer(view[0]).tolist() == [2]
    assert find_half("greedy", "play").answer(np.zeros(0, PLAY_VIEW)).tolist() == []
    hand = discard_view("2C 3H 4D 5D 5S JS", dealer=0, seat=1)
    assert 0 <= find_half("expectimax", "discard").answer(hand)[0] < 15


def test_views_of_the_other_half_are_refused():
    with pytest.raises(PlayerError, match="views of a play are wanted"):
        find_half("greedy", "play").answer(np.zeros(1, DISCARD_VIEW))


def test_a_view_in_card_text():
    told = play_view("5H 7S JD 2C", [(0, "8D")], dealer=1, seat=1, starter="KH", discards="AS 4S")[0]
    assert view_text(told) == (
        "view: holds 2C 5H 7S JD, threw AS 4S, count 8 (8D), before that nothing, starter KH, "
        "seat 1 of 2, dealer 1, scores 0-0"
    )
    assert view_text(discard_view("2C 3H 4D 5D 5S JS", dealer=1, seat=0)[0]) == (
        "view: 2C 3H 4D 5D 5S JS, seat 0 of 2, dealer 1, scores 0-0"
    )


def test_partners_share_the_crib():
    """With four players the partner's crib is one's own: greedy and expectimax throw alike into either."""
    for name in ("greedy", "expectimax"):
        half = find_half(name, "discard")
        views = [discard_view("2C 5H 5D 9S KC", dealer=dealer, seat=0, players=4) for dealer in range(4)]
        own, left, partner, right = (half.answer(view)[0] for view in views)
        assert (own, left) == (partner, right)
        alone = Rules(players=4, teams=False)
        assert half.answer(views[2], alone)[0] == half.answer(views[1], alone)[0]


def test_a_stage_that_is_not_played_is_an_error_at_once():
    half = Half("two", "play", lambda rules: Bound(None, NO_PARAMS), players=(2,))
    with pytest.raises(PlayerError, match="plays with 2 players, not 4"):
        half.ready(Rules(players=4))


def test_public_names():
    assert cribsim.find_player is find_player
    assert cribsim.check_strategy is check_strategy
    assert [half.stage for half in find_halves("greedy")] == ["discard", "play"]
