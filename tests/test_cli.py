"""The command line: what it prints, what it refuses, and with which exit code."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import numba
import pytest

from cribsim import _jit, cli
from cribsim.cli.common import interval, read_number, rules_text, share_interval
from cribsim.comparison import Comparison
from cribsim.errors import CribsimError
from cribsim.presets import PRESETS
from cribsim.result import Result
from cribsim.rules import Rules

ESTIMATE = {"mean", "se", "low", "high"}
MIRROR = ("simulate", "--players", "greedy", "greedy")


@pytest.fixture
def refusal(run):
    """Run a command that is misused; return its one line."""

    def call(*words):
        code, out, err = run(*words)
        assert (code, out) == (2, ""), err
        assert err.startswith("cribsim: ")
        assert err.count("\n") == 1
        return err

    return call


def start(*words, **environment):
    """A command in a process of its own."""
    command = [sys.executable, "-m", "cribsim", *words]
    env = {**os.environ, **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


# Numbers and words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1), ("1000", 1000), ("1_000_000", 10**6), ("1,000", 1000), ("10M", 10**7), ("2.5k", 2500),
        ("3b", 3 * 10**9),         ("1e6", 10**6), ("1E3", 1000), ("1e+3", 1000), ("1.5e3", 1500), (".5k", 500),
        ("2.0", 2), ("1e13", 10**13),
        ("10000b", 10**13),
    ],
)  # fmt: skip
def test_numbers(text, number):
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2.5", "whole number"), ("0", "above 0"), ("0.5", "whole"), ("1.0000000000000000000000000000001", "whole"),
        ("-1", "not a number"), ("", "not a number"), (" 5", "not a number"), ("k", "not a number"),
        (".", "not a number"), ("10T", "not a number"), ("1e-3", "not a number"), ("1e3k", "not a number"),
        ("nan", "not a number"),
        ("inf", "not a number"), ("1,0", "not a number"), ("1__0", "not a number"), ("٥", "not a number"),
        ("0x10", "not a number"), ("9" * 50, "not a number"),
        ("10000000000001", "10^13"), ("1e14", "10^13"), ("1e999999999", "10^13"),
    ],
)  # fmt: skip
def test_numbers_that_are_none(text, wrong):
    with pytest.raises(CribsimError) as caught:
        read_number(text)
    assert wrong in str(caught.value)


def test_players_takes_all_words_up_to_the_next_option():
    wanted = ["simulate", "--players", "a", "--players", "b", "--players", "c", "--deals", "5"]
    assert cli.spread_options(["simulate", "--players", "a", "b", "c", "--deals", "5"]) == wanted
    assert cli.spread_options(["simulate", "--players=a", "b", "c", "--deals", "5"]) == wanted
    assert cli.spread_options(["-q", "--players", "a", "b"]) == ["-q", "--players", "a", "--players", "b"]
    assert cli.spread_options(["compare", "a", "b", "--deals", "5"]) == ["compare", "a", "b", "--deals", "5"]
    assert cli.spread_options([]) == []


def test_rules_as_text():
    for text in PRESETS:
        assert rules_text(Rules.parse(text).as_dict()) == text
    odd = ("short,skunk=40,win_value=3", "short,target=71", "five-card,target=121", "casual,target=61", "three,match=3")
    for text in odd:
        rules = Rules.parse(text)
        assert Rules.parse(rules_text(rules.as_dict())) == rules
    assert rules_text(Rules.parse("short,target=71").as_dict()) == "short,target=71"


def test_a_lurch_lies_at_half_of_any_target():
    assert [Rules.parse(f"{name},target=75").skunk for name in ("short", "lurch", "five-card")] == [38, 38, 38]
    assert Rules.parse("lurch,target=75,skunk=9").skunk == 9
    assert (Rules.named("short").skunk, Rules.named("lurch").skunk, Rules.named("five-card").skunk) == (31, 61, 31)


@pytest.mark.parametrize(
    ("text", "about"),
    [("acc", PRESETS["acc"][1]), ("acc,target=61", "target=61, win_value=2, skunk_value=3"), ("players=2", "-")],
)
def test_rules_that_are_shown_say_what_they_are(answer, text, about):
    (shown,) = answer("rules", text)["presets"]
    assert shown["about"] == about


def test_intervals_as_text():
    assert interval({"mean": -0.00001, "low": -0.1, "high": 0.1}) == "0.0000 ± 0.1000"
    assert interval({"mean": 2.0, "low": None, "high": None}) == "2.0000"
    assert interval({"mean": None, "low": None, "high": None}) == ""


def test_shares_as_text():
    assert share_interval({"mean": 0.0, "low": 0.0, "high": 0.39}, 2) == "0.00 [0.00, 0.39]"
    assert share_interval({"mean": 1.0, "low": None, "high": None}) == "1.0000"
    assert share_interval({"mean": None, "low": None, "high": None}) == ""


# Help


@pytest.mark.parametrize("name", [*cli.COMMANDS, "cache info", "cache clear"])
def test_every_command_has_help_with_an_example(run, name):
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    assert f"Example: cribsim {name}" in out


def test_help_lists_every_command_and_loads_nothing_heavy():
    code = (
        "import sys, cribsim.cli\n"
        "try: cribsim.cli.main(['--help'])\n"
        "except SystemExit as done: assert not done.code\n"
        "heavy = 'numpy numba pandas matplotlib scipy pyarrow pydantic rich'.split()\n"
        "sys.exit(' '.join(name for name in heavy if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() == ""
    assert all(name in done.stdout for name in (*cli.COMMANDS, "_CRIBSIM_COMPLETE"))


def test_without_a_command_help_is_shown(run):
    code, out, err = run()
    assert (code, out) == (2, "")
    assert err.count("\n") > 10


def test_version(run):
    assert run("--version") == (0, "cribsim, version 0.1.0\n", "")


def test_completion():
    process = start(_CRIBSIM_COMPLETE="bash_complete", COMP_WORDS="cribsim sim", COMP_CWORD="1")
    assert process.communicate()[0].split() == ["plain,simulate"]


# score, replay, rules, strategies, cache


def test_score(answer, run):
    found = answer("score", "5H 5S 5C JD", "--starter", "5D")
    parts = {key: found[key] for key in ("total", "fifteens", "pairs", "runs", "flush", "nobs")}
    assert parts == {"total": 29, "fifteens": 16, "pairs": 12, "runs": 0, "flush": 0, "nobs": 1}
    assert found["explain"].endswith("twenty-nine")
    code, out, _ = run("score", "5H", "5S", "5C", "JD", "--starter", "5D")
    assert (code, out) == (0, f"29: {found['explain']}\n")


def test_score_of_a_crib(answer):
    words = ("score", "2H 4H 6H 8H", "--starter", "KD")
    assert (answer(*words)["flush"], answer(*words, "--crib")["flush"]) == (4, 0)


@pytest.mark.parametrize(
    ("hand", "starter", "wrong"),
    [
        ("5H 5S 5C", "JD", "4 cards, not 3"), ("5H 5S 5C JD", "JD", "JD given twice"),
        ("5H 5S 5C JX", "5D", "'JX' is not"), ("", "5D", "4 cards"), ("5H 5S 5C JD", "5D 6D", "the starter"),
    ],
)  # fmt: skip
def test_wrong_cards(refusal, hand, starter, wrong):
    assert wrong in refusal("score", hand, "--starter", starter)


def test_replay(answer, run, refusal, tmp_path):
    play = {"hands": ["5H 9C", "TD KS"], "plays": [[1, "TD", 0], [0, "5H", 3], [1, "KS"]], "dealer": 0}
    (tmp_path / "play.json").write_text(json.dumps(play))
    found = answer("replay", "play.json")
    assert [set(event) for event in found["events"]] == [{"seat", "card", "count", "points", "parts"}] * 3
    assert found["pegged"][0] == 2
    assert [(error["line"], error["recorded"], error["right"]) for error in found["errors"]] == [(2, 3, 2)]
    code, out, _ = run("replay", "play.json")
    assert code == 0
    assert "line 2: recorded 3, right 2" in out
    (tmp_path / "play.json").write_text(json.dumps({**play, "plays": [[0, "5H"]]}))
    assert "play.json" in refusal("replay", "play.json")
    assert "nowhere.json" in refusal("replay", "nowhere.json")


def test_rules(answer, run, refusal):
    presets = answer("rules")["presets"]
    assert [set(row) for row in presets] == [{"name", "rules", "about"}] * len(presets)
    assert {row["name"]: row["rules"]["target"] for row in presets}["short"] == 61
    assert answer("rules", "short,skunk=40")["presets"][0]["rules"] == Rules.parse("short,skunk=40").as_dict()
    assert "players=4" in run("rules")[1]
    assert "alternate" in run("rules", "four")[1]
    assert "nearest: short" in refusal("rules", "shrt")
    assert "give false or true" in refusal("rules", "muggins=often")


def test_strategies(answer, run):
    rows = answer("strategies")["strategies"]
    keys = {"name", "half", "source", "players", "parameters", "ns_per_decision"}
    assert all(
        keys <= set(row) and row["ns_per_decision"] > 0
        for row in rows
        if row["source"] == "built in" and row["name"] != "table"
    )
    assert {("greedy", "discard"), ("greedy", "play"), ("expectimax", "discard")} <= {
        (row["name"], row["half"]) for row in rows
    }
    out = run("strategies")[1]
    assert "expectimax" in out
    assert " ns " not in out
    assert " ns " in run("strategies", "--time")[1]


def test_cache(answer, run, monkeypatch, tmp_path):
    assert {"folder", "files", "bytes"} <= set(answer("cache", "info"))
    assert "folder" in run("cache", "info")[1]
    # a process of its own: this one has found its folder already
    (tmp_path / "cribsim" / "old").mkdir(parents=True)
    (tmp_path / "cribsim" / "old" / "kernel.nbi").touch()
    out, err = start("cache", "clear", NUMBA_CACHE_DIR=str(tmp_path)).communicate()
    assert "removed" in out, err
    assert not (tmp_path / "cribsim" / "old").exists()


# simulate and compare


def test_simulate_deals(answer):
    found = answer(*MIRROR, "--deals", "1k", "--seed", "7")
    wanted = {
        "players", "rules", "seed", "deals", "games", "seconds", "cpu_seconds", "startup_seconds", "deals_per_second",
        "phases", "wins", "first_dealer_wins", "skunks", "deals_per_game",
    }  # fmt: skip
    assert wanted <= set(found)
    assert (found["players"], found["seed"], found["deals"]) == (["greedy", "greedy"], 7, 1000)
    phases = ("heels", "pegging", "hand", "crib", "total")
    assert [(row["seat"], row["phase"]) for row in found["phases"]] == [
        (seat, phase) for seat in ("pone", "dealer") for phase in phases
    ]
    assert all(set(row) >= ESTIMATE for row in found["phases"])


def test_simulate_games(answer):
    found = answer(*MIRROR, "--games", "200")
    assert found["games"] == 200
    assert [row["player"] for row in found["wins"]] == ["greedy", "greedy"]
    assert all(set(row) >= ESTIMATE and set(row["game_points"]) == ESTIMATE for row in found["wins"])
    assert sum(row["mean"] for row in found["wins"]) == pytest.approx(1)
    assert set(found["first_dealer_wins"]) == set(found["deals_per_game"]) == ESTIMATE


def test_one_deal_has_no_interval(answer, run):
    assert answer(*MIRROR, "--deals", "1")["phases"][0]["low"] is None
    assert "±" not in run(*MIRROR, "--deals", "1")[1]


def test_simulate_for_people(run):
    code, out, err = run(*MIRROR, "--deals", "2k", "--confidence", "99.9")
    assert (code, err) == (0, "")
    for word in (
        "99.9 % intervals",
        "pone",
        "dealer",
        "heels",
        "±",
        "2,000 deals",
        "seed 0",
        "rules standard",
        "deals/s",
    ):
        assert word in out
    out = run("simulate", "--players", *["greedy"] * 4, "--games", "50", "--rules", "four,target=61")[1]
    for word in ("share of wins", "second", "first dealer", "skunk", "50 games", "deals per game", "target=61"):
        assert word in out


def test_confidence_as_share_or_per_cent(answer):
    share, per_cent = (answer(*MIRROR, "--deals", "200", "--confidence", text)["phases"] for text in ("0.9", "90"))
    assert share == per_cent


def test_workers_change_nothing(answer):
    one, two = (answer(*MIRROR, "--deals", "5k", "--workers", workers)["phases"] for workers in "12")
    assert one == two


def test_out_is_a_result_and_is_never_overwritten(run, refusal, tmp_path):
    words = (*MIRROR, "--deals", "500", "--out", "run", "--record")
    code, out, _ = run(*words)
    assert code == 0
    assert "saved in run" in out
    assert Result.load(tmp_path / "run").deals == 500
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    assert set(before) == {"deals.parquet", "provenance.json", "tally.parquet"}
    assert "exists already" in refusal(*words)
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("", "--deals N, --games N or"), ("--deals 5 --games 5", "one of --deals N, --games N or"),
        ("--matches 5", "match=7"), ("--deals 2.5", "--deals 2.5: give a whole number"),
        ("--deals=-5", "not a number"), ("--games 1e14", "10^13"),
        ("--deals 5 --record", "--record needs --out"), ("--deals 5 --seed -1", "seed"),
        ("--deals 5 --seed x", "seed"),
        ("--deals 5 --workers 0", "--workers"), ("--deals 5 --rules shrt", "nearest: short"),
        ("--deals 5 --rules players=3", "the rules are for 3"), ("--deals 5 --rules tagret=61", "nearest: target"),
        ("--deals 5 --confidence 0", "--confidence 0"), ("--deals 5 --confidence 100", "--confidence 100"),
        ("--deals 5 --confidence nan", "--confidence nan"),
        ("--deals 5 --confidence 0.9999999999999999", "--confidence"), ("--deal 5", "--deals"),
        ("--deals 5 --out taken/run", "can't be written"), ("--deals 5 --out x/..", "names no new folder"),
        ("--deals 5 --deals 6", "--deals is given twice"), ("--deals=5 --deals 5", "--deals is given twice"),
        ("--deals 5 --seed 1 --seed 1", "--seed is given twice"), ("--deals 5 --json --json", "--json is given twice"),
        ("--deals 5 --players greedy greedy", "--players is given twice"),
        ("--deals 5 --rules target=121,skunk=9,target=61", "target is given twice"),
        ("--deals 5 --first -1", "--first '-1' is not a number"), ("--deals 5 --first 1e13", "first=10000000000000"),
        ("--deals 5 --out taken", "exists already"),
    ],
)  # fmt: skip
def test_misuse_of_simulate(refusal, words, wrong, tmp_path):
    (tmp_path / "taken").touch()
    assert wrong in refusal(*MIRROR, *words.split())
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("players", "wrong"),
    [
        ("gredy greedy", "nearest: greedy"), ("greedy", "two, three or four"), ("greedy " * 5, "two, three or four"),
        ("", "--players wants names"), ("table(file=x) greedy", "table(file=x)+greedy"),
        ("greedy( greedy", "isn't closed"), ("no.py:f+greedy greedy", "no.py"),
    ],
)  # fmt: skip
def test_misuse_of_players(refusal, players, wrong):
    assert wrong in refusal("simulate", "--players", *players.split(), "--deals", "5")


def test_compare(answer, run):
    found = answer("compare", "expectimax+greedy", "greedy", "--deals", "2k")
    assert {"a", "b", "pairs", "difference", "phases", "win_rate_a", "game_points"} <= set(found)
    assert (found["a"], found["b"], found["pairs"]) == ("expectimax+greedy", "greedy", 2000)
    assert set(found["difference"]) == ESTIMATE
    code, out, _ = run("compare", "expectimax+greedy", "greedy", "--games", "100")
    assert code == 0
    for word in ("expectimax+greedy less greedy", "points a game", "wins", "game points", "100 pairs", "seed 0"):
        assert word in out


def test_shares_of_few_games_stay_within_bounds(run):
    """No share is shown as a mean and half a width, which a share near 0 or 1 hasn't."""
    code, out, _ = run("simulate", "--players", "expectimax+greedy", "random", "--games", "3")
    assert code == 0
    told = out[out.index("games") :] + run("compare", "expectimax+greedy", "random", "--games", "4")[1]
    shares = re.findall(r"([-\d.]+) \[([-\d.]+), ([-\d.]+)\]", told)
    assert len(shares) == 7  # two players, first dealer, skunk, double skunk, any; A of the pairs
    assert all(0 <= float(low) <= float(mean) <= float(high) <= 1 for mean, low, high in shares)
    assert not re.search(r"(wins|skunk) [-\d.]+ ±", told)


def test_a_comparison_is_saved(answer, run, refusal):
    words = ("compare", "expectimax+greedy", "greedy", "--deals", "500")
    assert "saved in run" in run(*words, "--out", "run")[1]
    assert "exists already" in refusal(*words, "--out", "run")
    more = answer(*words, "--first", "500", "--out", "more")
    both = Comparison.load("run") + Comparison.load("more")
    assert both.to_json()["ranges"] == [{"seed": 0, "first": 0, "units": 1000}]
    assert Comparison.load("more").difference.mean == more["difference"]["mean"]


@pytest.mark.parametrize("unit", ["--deals", "--games"])
def test_a_mirror_comparison_is_exactly_zero(answer, unit):
    found = answer("compare", "random", "random", unit, "300")
    assert set(found["difference"].values()) == {0.0}
    if unit == "--games":
        assert set(found["win_rate_a"].values()) == {0.5, 0.0}


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("greedy", "Missing argument"), ("greedy greedy", "--deals N, --games N or"),
        ("greedy greedy greedy", "unexpected"), ("greedy greedy --deals 5 --rules thre", "nearest: three"),
        ("greedy gredy --deals 5", "nearest: greedy"),
    ],
)  # fmt: skip
def test_misuse_of_compare(refusal, words, wrong):
    assert wrong in refusal("compare", *words.split())


@pytest.mark.parametrize(
    "words",
    [
        ("score", "5H 5S 5C JD", "--starter", "5D", "--starter", "6D"), ("replay", "play.json", "--json", "--json"),
        ("rules", "--json", "--json"), ("strategies", "--time", "--time"),
        ("bench", "--workers", "2", "--workers", "3"),
        ("cache", "info", "--json", "--json"), ("run", "x.toml", "--scale", "2", "--scale=3"),
        ("compare", "greedy", "greedy", "--games", "5", "--games", "6"),
    ],
)  # fmt: skip
def test_no_command_takes_an_option_twice(refusal, words):
    assert "is given twice" in refusal(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("score", "9" * 5000, "--starter", "5D"), ("score", "5H " * 2000, "--starter", "5D"), ("rules", "x" * 5000),
        ("score", "5H 5S 5C JD", "--starter", "5D" * 2000), ("rules", "target=" + "9" * 5000), ("x" * 5000,),
        ("rules", ",".join(["x y"] * 2000)), ("replay", "x" * 5000), ("replay", "/".join(["x"] * 5000)), ("replay", ""),
        ("run", "x" * 5000), ("run", "x.toml", "--scale", "9" * 5000), ("run", ""), (*MIRROR, "--deals", "9" * 5000),
        (*MIRROR, "--deals", "5", "--seed", "9" * 5000), (*MIRROR, "--deals", "5", "--" + "x" * 5000),
        (*MIRROR, "--deals", "5", "--out", "x" * 5000), (*MIRROR, "--deals", "5", "--workers", "9" * 5000),
        ("compare", "greedy", "x" * 5000, "--deals", "5"), ("compare", "greedy", "x y (" * 999, "--deals", "5"),
        ("compare", "greedy", "f(" + "x y" * 5000, "--deals", "5"), ("strategies", "--check", "x" * 5000 + ".py:f"),
        ("compare", "greedy", "greedy+greedy(a=" + "9" * 5000 + ")", "--deals", "5"),
    ],
)  # fmt: skip
def test_long_texts_are_not_repeated(refusal, words):
    assert len(refusal(*words)) < 600


@pytest.mark.parametrize("wrong", ["simulte", "Score", "compare-all"])
def test_unknown_command_names_the_nearest(refusal, wrong):
    assert f"no command '{wrong}'; nearest: " in refusal(wrong)


def test_a_strategy_that_fails_ends_the_run_with_1(run, tmp_path):
    text = "import cribsim\n@cribsim.discard_strategy('bad')\ndef bad(view):\n    return 1 / 0\n"
    (tmp_path / "bad.py").write_text(text)
    code, out, err = run("simulate", "--players", "bad.py:bad+greedy", "greedy", "--deals", "5", "--seed", "3")
    assert (code, out, err.count("\n")) == (1, "", 1)
    for word in ("bad.py:bad", "ZeroDivisionError", "deal 0", "seed 3", "view"):
        assert word in err


def test_a_strategy_can_not_end_the_command(run, tmp_path):
    (tmp_path / "bad.py").write_text("import sys\ndef bad(view):\n    sys.exit(0)\n")
    for words in (("simulate", "--players", "bad.py:bad+greedy", "greedy"), ("compare", "bad.py:bad+greedy", "greedy")):
        code, out, err = run(*words, "--deals", "5", "--seed", "3")
        assert (code, out, err.count("\n")) == (1, "", 1)
        for word in ("bad.py:bad", "SystemExit: 0", "deal 0", "seed 3", "view"):
            assert word in err


# Ctrl-C, pipes, terminals


def interrupted(words, wait_for, **environment):
    """Press Ctrl-C as soon as something is true; return exit code, stdout, stderr."""
    process = start(*words, **environment)
    for _ in range(3000):  # all kernels may have to be compiled first
        if wait_for(process) or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


COUNTING = """
import pathlib, cribsim
calls = 0
@cribsim.discard_strategy("counting")
def counting(view):
    global calls
    calls += 1
    if calls == 500:
        pathlib.Path(__file__).with_name("playing").touch()
    return 0, 1
"""


@pytest.mark.parametrize("as_json", [True, False])
def test_ctrl_c_keeps_what_was_played(tmp_path, as_json):
    folder, strategy = tmp_path / "run", tmp_path / "mine.py"
    strategy.write_text(COUNTING)

    def is_playing(_):
        return (tmp_path / "playing").exists() and not time.sleep(0.5)

    words = ["simulate", "--players", f"{strategy}:counting+greedy", "greedy", "--deals", "1e12", "--out", str(folder)]
    code, out, err = interrupted([*words, "--json"] if as_json else words, is_playing)
    assert code == 130, err
    assert "Traceback" not in err
    assert ("pone" in out) == (not as_json)
    kept = Result.load(folder)
    told = f"cribsim: interrupted; done: {kept.deals:,} of 1,000,000,000,000 deals, saved in {folder}\n"
    assert err.endswith(told)
    assert kept.provenance["complete"] is False


def test_ctrl_c_while_kernels_compile(tmp_path):
    """The compiler swallows the exception or turns it into another; the command stops all the same."""

    def is_compiling(_):
        return len(list(tmp_path.rglob("*.nbi"))) >= 3

    words = (*MIRROR, "--deals", "1e12")
    code, out, err = interrupted(words, is_compiling, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0")
    assert (code, out) == (130, "")
    first, second = err.splitlines()
    assert first.startswith("compiling what this command needs; it is kept")
    assert second == "cribsim: interrupted; done: nothing yet"


COMPILING = "compiling what this command needs; it is kept"


def test_compiling_is_told_when_it_happens(tmp_path):
    """Not in a second run, which finds the kernels on disk, unless it needs others; never with --quiet."""

    def told(*words, folder="one"):
        out, err = start(*words, NUMBA_CACHE_DIR=str(tmp_path / folder), NUMBA_DISABLE_JIT="0").communicate()
        assert out
        assert "\n" not in err.rstrip("\n")
        return err.startswith(COMPILING)

    (tmp_path / "play.json").write_text(json.dumps({"hands": ["5H 9C", "TD KS"], "plays": [[1, "TD"]]}))
    score, replay = ("score", "5H 5S 5C JD", "--starter", "5D"), ("replay", str(tmp_path / "play.json"))
    assert [told(*score), told(*score), told(*replay), told(*replay)] == [True, False, True, False]
    assert not told("rules")


@pytest.mark.slow
def test_compiling_is_not_told_by_quiet_commands(tmp_path):
    words = ("compare", "random", "random", "--deals", "2", "--quiet")
    assert start(*words, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0").communicate()[1] == ""


def test_compiled_strategies_of_users_are_not_told_of(tmp_path, monkeypatch):
    """They are compiled by nobody's kernels but the user's own."""
    monkeypatch.undo()
    lines = []
    with _jit.telling_of_compilation(lambda: lines.append("compiling")):
        numba.njit(lambda n: n + 1)(3)
        assert lines == []
        for _ in range(2):
            _jit._compile(kernel_like, None, tmp_path)(3)
    assert lines == ["compiling"]


def kernel_like(n):
    return n + 2


kernel_like.__module__ = "cribsim.tests"


def test_a_closed_pipe_is_quiet():
    process = start("rules", "--json")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&-"])
@pytest.mark.parametrize("words", ["rules", "rules x", "simulate --players greedy greedy --deals 9"])
def test_closed_streams(words, closed):
    done = subprocess.run(f"{sys.executable} -m cribsim {words} {closed}", shell=True, capture_output=True, text=True)
    assert done.returncode == (2 if words == "rules x" else 0)
    assert "Traceback" not in done.stderr + done.stdout
    assert (done.stdout != "") == (">&-" not in closed.replace("2>&-", "") and words != "rules x")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
@pytest.mark.parametrize("words", ["rules", "rules --json", "--help", "simulate --players greedy greedy --deals 9"])
def test_a_full_disk_is_a_failure(words):
    done = subprocess.run(f"{sys.executable} -m cribsim {words} >/dev/full", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "cribsim: [Errno 28] No space left on device\n")


def test_errors_that_can_not_be_written_keep_their_code():
    assert os.system(f"{sys.executable} -m cribsim rules x 2>&-") >> 8 == 2
    assert os.system(f"{sys.executable} -m cribsim rules x 2>/dev/null") >> 8 == 2


@pytest.mark.parametrize(
    ("environment", "sign"),
    [({"PYTHONIOENCODING": "ascii"}, "+/-"), ({"LC_ALL": "C"}, "±"), ({"PYTHONIOENCODING": "latin-1"}, "±")],
)
def test_any_encoding_will_do(environment, sign):
    command = [sys.executable, "-m", "cribsim", *MIRROR, "--deals", "20"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, **environment})
    out = done.stdout.decode("latin-1" if "latin-1" in environment.values() else "utf-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert sign in out
    assert out.isascii() == (sign == "+/-")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_json_is_whole_in_any_encoding(tmp_path, encoding):
    path = tmp_path / "é±.py"
    path.write_text("def f(view):\n    return 0\n")
    command = [sys.executable, "-m", "cribsim", "compare", f"greedy+{path}:f", "greedy", "--deals", "9", "--json"]
    out = ["--out", str(tmp_path / "run")]
    done = subprocess.run([*command, *out], capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert json.loads(done.stdout)["a"] == f"greedy+{path}:f", done.stderr
    assert Comparison.load(tmp_path / "run").a == f"greedy+{path}:f"


def test_what_strategies_print_is_not_in_the_json(answer, run, tmp_path):
    text = "print('loaded')\ndef f(view):\n    print('asked')\n    return 0\n"
    (tmp_path / "loud.py").write_text(text)
    for words in (("simulate", "--players", "greedy+loud.py:f", "greedy"), ("compare", "greedy+loud.py:f", "greedy")):
        assert answer(*words, "--deals", "3", "--first", "7")["ranges"] == [{"seed": 0, "first": 7, "units": 3}]
    (tmp_path / "loud.py").write_text(f"{text}\n")
    code, out, err = run("compare", "greedy+loud.py:f", "greedy", "--deals", "3", "--json")
    assert (code, out.count("\n")) == (0, 1)
    assert err.startswith("loaded\nasked\n")
    assert "asked" in run("compare", "greedy+loud.py:f", "greedy", "--deals", "3")[1]


TABLES = [
    ("simulate", "--players", *["greedy"] * 4, "--deals", "3"), ("compare", "greedy", "random", "--games", "3"),
    ("simulate", "--players", *["greedy"] * 4, "--games", "20"), ("compare", "greedy", "random", "--deals", "500"),
    ("simulate", "--players", *["expectimax+greedy"] * 3, "--games", "2"), ("rules", "four"), ("strategies", "--time"),
]  # fmt: skip


@pytest.mark.parametrize("words", TABLES, ids=" ".join)
def test_tables_fit_eighty_columns(words):
    """In a terminal: numbers aren't broken, lines of words may be."""
    import pty

    main, side = pty.openpty()
    env = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    process = subprocess.Popen([sys.executable, "-m", "cribsim", *words], stdout=side, stderr=subprocess.PIPE, env=env)
    os.close(side)
    read = b""
    with contextlib.suppress(OSError):  # the end
        while more := os.read(main, 10_000):
            read += more
    assert process.wait() == 0
    lines = [line.rstrip() for line in read.decode().splitlines()]
    table = lines[: next((at for at, line in enumerate(lines) if ":" in line or line.startswith("difference")), None)]
    assert max(len(line) for line in table[1:]) <= 80
    for phase in ("heels", "pegging", "hand", "crib", "total") if words[0] in ("simulate", "compare") else ():
        (row,) = (line for line in lines if line.startswith(phase))
        assert (
            row.count("±")
            == {"simulate": words.count("greedy") or 3, "compare": 3 if "--deals" in words else 1}[words[0]]
        )


def test_one_is_no_plural(run):
    assert "1 deal, seed 0" in run(*MIRROR, "--deals", "1")[1]
    assert "1 game, " in run(*MIRROR, "--games", "1")[1]
    assert "1 pair, seed" in run("compare", "greedy", "greedy", "--deals", "1")[1]


def test_a_deal_that_an_error_names_is_played_again(run, tmp_path):
    text = "def bad(view):\n    return 99 if {when} else 0\n"
    words = ("simulate", "--players", "greedy+bad.py:bad", "greedy", "--seed", "3")
    for unit, when in (("deal", "view.cards[0] == 3"), ("game", "view.scores[0] > 100 and view.cards[0] == 3")):
        (tmp_path / "bad.py").write_text(text.format(when=when))
        code, _, err = run(*words, f"--{unit}s", "5k", "--workers", "1")
        number = re.search(rf"in {unit} (\d+)", err)[1]
        assert code == 1
        assert int(number) > 0
        assert run(*words, f"--{unit}s", "1", "--first", number) == (1, "", err)


def test_check_on_the_command_line(answer, run, tmp_path):
    found = answer("strategies", "--check", "greedy")["check"]
    assert found["player"] == "greedy"
    assert found["n_views"] > 10_000
    (tmp_path / "mine.py").write_text("def f(view):\n    return 9\n")
    code, out, err = run("strategies", "--check", "greedy+mine.py:f")
    assert (code, out) == (1, "")
    assert "answered 9" in err


def test_nothing_is_coloured_away_from_a_terminal(run):
    _, out, err = run(*MIRROR, "--deals", "100")
    assert "\x1b" not in out + err
