"""Discards and play solved together, what best replies to both gain, and what the kept cards peg."""

import json
import shlex
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sweeps import remembering

import cribsim
from cribsim.analysis import replies, whole_deal
from cribsim.analysis.equilibrium import FixedPoint, Reply, answers_by_class
from cribsim.analysis.exploiting import exploitability
from cribsim.analysis.kept_table import PUBLISHED, kept_table, other_table
from cribsim.analysis.pegging_game import play_exploitability
from cribsim.analysis.whole_deal import solve_deal
from cribsim.errors import CribsimError, Interrupted, ResultError
from cribsim.hands import CARD_PLACES
from cribsim.pegging_game.game import Exploited
from cribsim.scoring import RANK_PLACES
from cribsim.strategies import find_half
from cribsim.strategies.policy import policy_of
from cribsim.strategies.ranges import chances_given
from cribsim.strategies.tables import PEGGING_TABLES, pegging_table
from cribsim.views import KEPT_2

# what is kept by who holds none of the cards seen


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_kept_given_the_cards_seen_is_plain_counting(role, seed):
    """Nearly all cards are seen, so that plain Python can count the hands of the rest."""
    half = find_half("expectimax", "discard")
    unseen = np.sort(np.random.default_rng(seed).permutation(52)[:11])
    policy, counts = policy_of(half, role), np.zeros(1820)
    for hand in combinations(unseen.tolist(), 6):
        answer = policy[sum(int(CARD_PLACES[place, card]) for place, card in enumerate(hand))]
        ranks = np.array(hand)[KEPT_2[answer]] >> 2
        counts[RANK_PLACES[np.arange(4), ranks].sum()] += 1
    seen = np.setdiff1d(np.arange(52), unseen).tolist()
    assert chances_given(half, role, seen) == pytest.approx(counts / counts.sum())


# discards and play together


@pytest.fixture
def settled(monkeypatch):
    """The work of each round stands in: what ships is thrown, and the play has the same values every time."""
    half = find_half("equilibrium", "discard")
    answers = [answers_by_class(half, role) for role in (0, 1)]
    blank = Reply(np.stack([answers[0]] * 2, axis=1), np.zeros((len(answers[0]), 2), np.float32), np.ones((169, 4)))
    point = FixedPoint((blank, replace(blank, best=np.stack([answers[1]] * 2, axis=1))), (0.0,))
    target, asked = pegging_table("greedy").difference + 1, []

    def solve_discards(_answers, values, **_options):
        asked.append(values.copy())
        return point

    def solve(solver, *, target, progress, **_options):
        progress(0, 1)
        solver.rounds += 1
        return Exploited(target, target, -1.3)

    def write_solution(folder, solver, _n_kept, told):
        (folder / "solution.json").write_text(json.dumps(told["deal"]))
        return {"rounds": solver.rounds, "exploitability_solution": 0.0}

    monkeypatch.setattr(whole_deal, "solve_discards", solve_discards)
    monkeypatch.setattr(whole_deal, "solve", solve)
    monkeypatch.setattr(whole_deal, "values_by_kept", lambda *_: target)
    monkeypatch.setattr(whole_deal, "write_solution", write_solution)
    return asked


def test_rounds_go_on_until_no_value_moves(settled, tmp_path):
    lines = []
    found = solve_deal(tmp_path / "deal", told=lines.append)
    moved = [line["mean_moved"] for line in found["deal"]]
    assert moved == sorted(moved, reverse=True)
    assert moved[-1] <= 0.002 < moved[-2]
    assert [line["number"] for line in found["deal"]] == list(range(1, len(moved) + 1))
    # each round solves the play the more finely the less the values moved before; the last as finely as is asked
    targets = [line["exploitability"] for line in found["deal"]]
    assert targets == sorted(targets, reverse=True)
    assert (targets[0], targets[-1], found["deal"][-1]["finely"]) == (0.002, 0.0001, True)
    assert sum("values moved" in line for line in lines) == len(moved)
    names = {path.name for path in (tmp_path / "deal").iterdir()}
    assert names == {"solution.json", "discards.parquet", "cribs.csv", "kept_values.csv"}
    player = f'table(file="{tmp_path / "deal"}")+greedy'
    assert cribsim.simulate([player, player], deals=50, seed=1).deals == 50


def test_rounds_that_were_done_are_kept(settled, tmp_path):
    def stop(line):
        if line.startswith("round 3"):
            raise Interrupted("enough", None)

    whole = solve_deal(tmp_path / "whole")["deal"]
    with pytest.raises(Interrupted):
        solve_deal(tmp_path / "parts", told=stop)
    with pytest.raises(ResultError, match="other work"):
        solve_deal(tmp_path / "parts", target=0.01)
    n_before = len(settled)
    assert solve_deal(tmp_path / "parts")["deal"] == whole
    assert len(settled) - n_before == len(whole) - 2
    with pytest.raises(ResultError, match="exists already"):
        solve_deal(tmp_path / "parts")


def test_values_that_go_on_moving_end_after_some_rounds_by_shorter_steps(settled, tmp_path, monkeypatch):
    turn = iter(range(100))
    monkeypatch.setattr(whole_deal, "values_by_kept", lambda *_: settled[-1] + 1 - 2 * (next(turn) % 2))
    log = solve_deal(tmp_path / "deal", most_rounds=5)["deal"]
    assert [line["mean_moved"] for line in log] == pytest.approx([1] * 5)
    assert [line["step"] for line in log] == pytest.approx([0.55 / 2**n for n in range(5)])


@pytest.mark.parametrize("options", [{"tolerance": 0}, {"tolerance": True}, {"target": 2}, {"target": "small"}])
def test_numbers_that_cant_be_used_are_named(options, tmp_path):
    with pytest.raises(CribsimError, match=next(iter(options))):
        solve_deal(tmp_path / "deal", **options)
    assert not (tmp_path / "deal").exists()


# best replies to both


@pytest.fixture(scope="module")
def of_both():
    """A player whose discards heed no pegging, few hands worked out exactly; sweeps of the crib are remembered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replies, "average_cribs", remembering())
        yield exploitability(discard="expectimax", play="greedy", hands=4, seen=12, seed=1)


def test_a_reply_that_changes_both_gains_at_least_what_one_change_gains(of_both):
    for role in ("pone", "dealer"):
        whole, discard, play = (getattr(getattr(of_both, part), role) for part in ("whole", "discard", "play"))
        assert whole.mean + 4 * whole.se > max(discard.mean, play.mean) > 0
    assert of_both.exploitability == pytest.approx((of_both.whole.pone.mean + of_both.whole.dealer.mean) / 2)


def test_the_plays_part_is_that_of_the_pegging_game(of_both):
    alone = play_exploitability("greedy", discards="expectimax")
    assert (of_both.play.pone.mean, of_both.play.dealer.mean) == pytest.approx((alone.pone, alone.dealer))


def test_who_sees_more_gains_about_what_the_blind_reply_gains(of_both):
    """On few deals a role: the reply to `greedy` gains far more by who it is than by what it sees."""
    for role in ("pone", "dealer"):
        seen, blind = getattr(of_both.seen, role), getattr(of_both.play, role)
        assert abs(seen.mean - blind.mean) < 4 * seen.se + 0.3


def test_exploitability_of_the_deal_as_json(of_both):
    told = json.loads(json.dumps(of_both.to_json()))
    assert {"strategy", "pone", "dealer", "exploitability", "mirror_value", "range", "low", "high"} <= set(told)
    assert set(told["parts"]) == {"discard", "play", "play_seeing_all"}
    assert told["low"] <= told["exploitability"] <= told["high"]
    assert -7 < told["mirror_value"] < -5


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("exploit", "or both"),
        ("exploit --discard greedy --seen 5", "--seen goes with"),
        ("exploit --play greedy --seen 5", "--seen goes with --discard"),
        ("exploit --discard greedy --play greedy --no-pegging", "--no-pegging goes with --discard alone"),
        ("exploit --discard greedy --play greedy --range greedy", "--range goes with --play alone"),
        ("exploit --discard greedy --play greedy --seen 1", "seen=1"),
        ("exploit --discard random --play greedy", "draws"),
        ("kept 456", "no four ranks"),
        ("kept 4567 --table nobody", "nobody"),
        ("kept 4567 --table ''", "no table ''"),
        ("solve pegging --out ''", "name a folder"),
        ("peg --position ''", "--position ''"),
        ("discard 2C3C4C5C6C --pone --rules three --pegging-table greedy", "two players only"),
        ("kept --against greedy", "--against goes with --plot"),
        ("kept --plot kept.png --against nobody", "nobody"),
        ("peg --position here --dealer", "--dealer doesn't go with --position"),
        ("kept --plot here", "--plot"),
        ("discard AC2C3C4C5C6C --pone --pegging-table nobody", "nobody"),
        ("discard AC2C3C4C5C6C --pone --pegging-table greedy --no-pegging", "one of"),
    ],
)
def test_misuse_is_one_clear_line(run, words, wanted):
    code, out, err = run(*shlex.split(words))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert wanted in err


# what the kept cards peg


@pytest.mark.parametrize("name", PEGGING_TABLES)
def test_kept_values_of_good_play_are_near_published_ones(name):
    """Published averages are of other players: near on average, and alike in which hands peg well; less so those of
    `greedy` play, which leads fives."""
    table = kept_table(name)
    assert table.table.se.min() > 0
    for found in table.against("fitzgerald").values():
        assert abs(found["mean"]) < 0.7
        assert found["correlation"] > {"equilibrium": 0.8, "expectimax": 0.7, "greedy": 0.1}[name]
        assert found["hands"] == 1820
    assert table.against("cribbagepro")["pone"]["hands"] == 32
    assert -1.6 < table.mean(0) < -0.9
    assert 0.9 < table.mean(1) < 1.6


def test_a_table_isnt_apart_from_itself():
    found = kept_table("greedy").against("greedy")["pone"]
    assert (found["mean_absolute"], found["largest"], found["correlation"]) == (0, 0, pytest.approx(1))


def test_published_values_are_as_published():
    """First and last rows, as they stand in the sources."""
    table = other_table(PUBLISHED[0])
    assert table[:, 0] == pytest.approx([0.7968 - 2.0398, 2.2374 - 1.4942])
    known = other_table("cribbagepro")
    assert np.isfinite(known).sum() == 2 * 32
    assert known[:, 0] == pytest.approx([0.72 - 1.99, 2.23 - 1.42])


def test_kept_shows_and_draws(run, answer, tmp_path):
    told = answer("kept", "6554", "--plot", "kept.png")
    (row,) = told["kept"]
    assert row["kept"] == "4556"
    table = pegging_table()
    at = RANK_PLACES[np.arange(4), [3, 4, 4, 5]].sum()
    assert row["pone_difference"] == pytest.approx(table.difference[0, at])
    assert (tmp_path / "kept.png").stat().st_size > 10_000
    code, out, _ = run("kept")
    assert code == 0
    assert "fitzgerald" in out
    code, out, _ = run("kept", "4", "5", "5", "6", "--table", "greedy")
    assert "greedy against greedy" in out


@pytest.mark.parametrize("pegging", [*PEGGING_TABLES, "true"])
def test_discards_can_use_any_table(pegging):
    half = find_half(f"expectimax(pegging={pegging})", "discard")
    throws = answers_by_class(half, 0)
    assert (throws != answers_by_class(find_half("expectimax", "discard"), 0)).mean() > 0.01
    same = answers_by_class(find_half(f"expectimax(pegging={PEGGING_TABLES[0]})", "discard"), 0)
    assert (throws == same).all() == (pegging in (PEGGING_TABLES[0], "true"))
