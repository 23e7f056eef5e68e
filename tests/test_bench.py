"""What `cribsim bench` measures, on a small scale: the numbers are there and make sense, whatever the machine."""

import json

import numpy as np
import pytest

from cribsim import bench, cli
from cribsim.strategies import find_half
from cribsim.strategies.check import n_legal


@pytest.fixture
def small(monkeypatch):
    """A bench of a moment."""
    monkeypatch.setattr(bench, "_TRIALS", 1)
    return bench.run_bench(scale=0.005)


def test_every_kind_of_work_has_its_row(small):
    assert [row["work"] for row in small["rows"]] == [
        "exact deals",
        "random deals",
        "exact games",
        "random games",
        "five-card hands scored",
        "expectimax discards",
        "discards by table (equilibrium)",
        "greedy plays",
        "hands against a uniform other, 15 throws exact",
        "throws evaluated by samples, against equilibrium",
        "exact deals, 2 workers",
    ]
    assert all(set(row) == {"work", "per_second", "unit", "cpu_seconds"} for row in small["rows"])
    assert all(row["per_second"] > 0 and row["cpu_seconds"] > 0 for row in small["rows"])
    units = [row["unit"] for row in small["rows"]]
    assert units == ["per processor second"] * 10 + ["per second of the clock"]
    assert small["workers"] == 2
    assert small["workers_ratio"] > 0
    assert small["startup_seconds"] > 0
    assert small["compile_seconds"] is None


def test_compiling_is_measured_in_a_folder_of_its_own(monkeypatch):
    asked = {}
    monkeypatch.setattr(bench, "_subprocess_seconds", lambda code, **environment: asked.update(environment) or 7.0)
    assert bench.compile_seconds() == 7.0
    assert set(asked) == {"NUMBA_CACHE_DIR"}


@pytest.mark.parametrize("stage", ["discard", "play"])
def test_decisions_are_those_of_real_games(stage):
    views = bench.sample_views(stage, 2000)
    assert len(views) == 2000
    assert set((views["seat"] == views["dealer"]).tolist()) == {True, False}
    if stage == "play":
        assert len(set(views["count"].tolist())) > 20
        assert set(views["n_cards"].tolist()) == {2, 3, 4}  # the last card is never asked about
    answers = find_half("random", stage).answer(views)
    assert np.all((answers >= 0) & (answers < n_legal(views)))


def test_answering_all_views_counts_them():
    views = bench.sample_views("play", 100)
    assert bench.answer_all(find_half("greedy", "play"), views)() == 100


@pytest.mark.parametrize("cold", [True, False])
def test_the_command(monkeypatch, capsys, cold):
    rows = [{"work": "exact deals", "per_second": 1234567.0, "unit": "per fortnight", "cpu_seconds": 0.5}]
    found = {"rows": rows, "workers": 3, "workers_ratio": 2.5, "startup_seconds": 1.5}
    asked = []

    def run_bench(**options):
        asked.append(options)
        return {**found, "compile_seconds": 30.0 if cold else None}

    monkeypatch.setattr(bench, "run_bench", run_bench)
    words = ["bench", "--workers", "3", *(["--cold"] if cold else [])]
    for extra in ([], ["--json"]):
        with pytest.raises(SystemExit) as caught:
            cli.main([*words, *extra])
        assert not caught.value.code
    table, answer = capsys.readouterr().out.rsplit("\n", 2)[:2]
    assert asked == [{"cold": cold, "workers": 3}] * 2
    assert "1,234,567" in table
    assert "per fortnight" in table
    assert "3 workers: 2.50 x one" in table
    assert ("compiling everything 30.0 s" in table) == cold
    assert json.loads(answer)["rows"] == rows
