"""Experiments: a file is read strictly, run, and its folder made anew."""

import json
from pathlib import Path

import pytest

from cribsim import cli
from cribsim.errors import CribsimError
from cribsim.experiment import list_experiments, read_experiment, run_experiment
from cribsim.result import Result
from cribsim.strategies.tables import pegging_table

HEAD = 'title = "A title"\nquestion = """\nWhat\nis it?"""\n'
SIMULATE = f'{HEAD}[simulate]\nplayers = ["greedy", "random"]\ndeals = 2_000\nseed = 3\n'
COMPARE = f'{HEAD}[compare]\na = "greedy"\nb = "random"\ngames = 100\nseed = 3\n'


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def write(tmp_path):
    """Write an experiment; return its path."""

    def call(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return call


def run(*words):
    """A command's exit code."""
    with pytest.raises(SystemExit) as caught:
        cli.main(words)
    return caught.value.code or 0


def files(folder):
    """What a folder holds, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_read(write):
    found = read_experiment(write(f'method = "m"\nanswer = "a"\n{SIMULATE}rules = "short"\nrecord = true\n'))
    assert (found.title, found.method, found.answer) == ("A title", "m", "a")
    assert found.simulate is not None
    assert (found.simulate.deals, found.simulate.seed, found.simulate.rules) == (2000, 3, "short")
    assert found.compare is None
    with pytest.raises(ValueError, match="frozen"):
        found.title = "another"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("titl = 'x'", "no key titl; nearest: title; keys: title, question"), ("question = 'x'", "title is missing"),
        ("title = 3", "title = 3 should be a valid string"), (f"file = 'x'\n{SIMULATE}", "no key file"),
        (HEAD, "give one table, [simulate], [compare] or [pegging]"),
        (f"{SIMULATE}[compare]\na = 'x'\nb = 'y'\ndeals = 5", "one table"),
        (f"{SIMULATE}dels = 5", "no key simulate.dels; nearest: deals; keys: deals, games"),
        (f"{SIMULATE}games = 5", "simulate: give deals, games or matches"),
        (SIMULATE.replace("deals", "#"), "simulate: give deals, games or matches"),
        (SIMULATE.replace("2_000", "0"), "simulate.deals = 0 should be greater than or equal to 1"),
        (SIMULATE.replace("2_000", "'5'"), "simulate.deals = '5' should be a valid integer"),
        (SIMULATE.replace("2_000", "2.5"), "simulate.deals = 2.5"),
        (SIMULATE.replace("2_000", "1" + "0" * 14), "1000000"),
        (SIMULATE.replace("3\n", "-3\n"), "simulate.seed = -3"),
        (SIMULATE.replace(', "random"', ""), "simulate.players"),
        (f"{COMPARE}record = true", "no key compare.record"), (COMPARE.replace("b =", "#"), "compare.b is missing"),
        ("title = 'x' y", "is not TOML"), ("\0", "is not TOML"), ("title = " + "9" * 5000, "is not TOML"),
        ("title = 0x" + "f" * 5000, "title = (int, which can't be written) should be"),
        ("title = " + "[" * 5000 + "]" * 5000, "nested too deeply"), ("title = " + "{a=" * 5000, "nested too deeply"),
        (f"{'x' * 5000} = 1", "no key xxx"), (f"title = {['x' * 50] * 99}", "..."),
    ],
)  # fmt: skip
def test_mistakes_are_named_in_one_line(write, capsys, text, wrong):
    path = write(text)
    with pytest.raises(CribsimError) as caught:
        read_experiment(path)
    assert wrong in str(caught.value)
    assert run("run", str(path)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"cribsim: {path}")


def test_every_mistake_of_a_file_is_named(write):
    with pytest.raises(CribsimError, match=r"question is missing; no key compare\.c.*; no key wrong"):
        read_experiment(write("title = 'x'\nwrong = 1\n[compare]\na = 'x'\nb = 'y'\nc = 'z'\ndeals = 5"))


def test_a_file_that_is_not_there(write):
    with pytest.raises(CribsimError, match="can't be read"):
        read_experiment("nowhere.toml")
    write("").write_bytes(b"title = '\xff'")
    with pytest.raises(CribsimError, match="is not TOML"):
        read_experiment("mine.toml")


def test_a_simulation_writes_its_table_and_its_result(write, tmp_path):
    found, folder = run_experiment(read_experiment(write(SIMULATE)))
    assert folder == "results/mine"
    assert set(files(tmp_path / folder)) == {"summary.csv", "provenance.json", "tally.parquet"}
    assert Result.load(folder).tally == found.tally
    lines = (tmp_path / folder / "summary.csv").read_text().splitlines()
    assert lines[0] == "seat,phase,mean,se,low,high,n,seed"
    assert len(lines) == 11
    assert all(line.endswith(",2000,3") for line in lines[1:])


def test_a_comparison_writes_its_table_and_its_result(write, tmp_path):
    _, folder = run_experiment(read_experiment(write(f'out = "elsewhere/here"\n{COMPARE}')))
    assert folder == "elsewhere/here"
    assert set(files(tmp_path / folder)) == {"summary.csv", "comparison.json"}
    assert json.loads((tmp_path / folder / "comparison.json").read_text())["pairs"] == 100


def test_deals_can_be_recorded(write, tmp_path):
    _, folder = run_experiment(read_experiment(write(f"{SIMULATE}record = true")))
    assert "deals.parquet" in files(tmp_path / folder)


def test_a_run_makes_its_folder_anew(write, tmp_path):
    experiment = read_experiment(write(SIMULATE))
    _, folder = run_experiment(experiment)
    first = files(tmp_path / folder)
    (tmp_path / folder / "summary.csv").write_text("old")
    run_experiment(experiment)
    assert files(tmp_path / folder)["summary.csv"] == first["summary.csv"]
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["mine"]


@pytest.mark.parametrize("names", [["notes.txt"], ["summary.csv", "notes.txt"], ["provenance.json", "tally.parquet"]])
def test_a_folder_with_other_things_stays(write, tmp_path, names):
    """Another run's result is no experiment's, and nobody's notes are swept away."""
    folder = tmp_path / "results" / "mine"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text("mine")
    with pytest.raises(CribsimError, match="exists already"):
        run_experiment(read_experiment(write(SIMULATE)))
    assert files(folder) == dict.fromkeys(names, b"mine")


def test_a_folder_asked_for_must_be_new(write, tmp_path):
    experiment = read_experiment(write(SIMULATE))
    run_experiment(experiment, out="there")
    with pytest.raises(CribsimError, match="exists already"):
        run_experiment(experiment, out="there")
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["there"]


@pytest.mark.parametrize("text", [SIMULATE, COMPARE])
def test_what_stops_a_run_leaves_the_earlier_result(write, tmp_path, text):
    experiment = read_experiment(write(text))
    _, folder = run_experiment(experiment)
    before = files(tmp_path / folder)

    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(experiment, progress=stop)
    assert files(tmp_path / folder) == before
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["mine"]


def test_a_scaled_run_has_its_own_size_and_folder(write, tmp_path):
    experiment = read_experiment(write(SIMULATE))
    found, folder = run_experiment(experiment, scale=0.1)
    assert isinstance(found, Result)
    assert (found.deals, folder) == (200, "results/mine-x0.1")
    tiny, _ = run_experiment(experiment, scale=1e-9)
    assert isinstance(tiny, Result)
    assert tiny.deals == 1
    for scale in (0, -1, float("nan"), float("inf"), 1e300):
        with pytest.raises(CribsimError, match=r"scale .*: give a number above 0, at most"):
            run_experiment(experiment, scale=scale)
    with pytest.raises(CribsimError, match=r"10\^13"):
        run_experiment(experiment, scale=1e12)
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"mine-x0.1", "mine-x1e-09"}


@pytest.mark.parametrize(("text", "words"), [(SIMULATE, ["pone", "2,000 deals"]), (COMPARE, ["less", "100 pairs"])])
def test_the_command_for_people(write, capsys, text, words):
    assert run("run", str(write(text))) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for word in ("A title", "seed 3", "saved in results/mine", *words):
        assert word in out


def test_the_command_for_machines(write, capsys):
    assert run("run", str(write(COMPARE)), "--scale", "0.5", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema_version"], found["pairs"]) == (1, 50)


def test_experiments_are_listed(write, capsys, tmp_path):
    assert run("run", "--list") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "no experiments" in err
    (tmp_path / "experiments").mkdir()
    write(SIMULATE, "experiments/one.toml")
    write(COMPARE, "experiments/two.toml")
    rows = list_experiments()
    assert [row["file"] for row in rows] == ["experiments/one.toml", "experiments/two.toml"]
    assert {row["question"] for row in rows} == {"What is it?"}
    assert run("run", "--list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "experiments": rows}
    assert run("run", "--list") == 0
    assert "A title" in capsys.readouterr().out


def test_a_file_is_wanted(capsys):
    assert run("run") == 2
    assert "--list" in capsys.readouterr().err


def test_pegging_values_are_made_by_an_experiment(tmp_path):
    """A small run of the shipped table's experiment: the same format, every kept hand, near the shipped values."""
    found = read_experiment(Path(__file__).parents[1] / "experiments" / "pegging_values.toml")
    assert found.pegging is not None
    small = found.model_copy(update={"pegging": found.pegging.model_copy(update={"deals": 4_000_000, "seeds": [7]})})
    made, folder = run_experiment(small, out=str(tmp_path / "pegging"))
    rows = (Path(folder) / "pegging.csv").read_text().splitlines()
    shipped = pegging_table("greedy")
    assert rows[4] == "kept,pone_own,pone_other,pone_se,dealer_own,dealer_other,dealer_se"
    assert len(rows) == 5 + 1820
    often = made.table.se < 0.2
    apart = (made.table.difference - shipped.difference)[often] / made.table.se[often]
    assert often.mean() > 0.5
    assert 0.9 < apart.std() < 1.1
