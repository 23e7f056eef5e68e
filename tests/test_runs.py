"""Runs: the same numbers whatever the workers, slots and chunks; results that add, save and load; clean stops."""

import contextlib
import dataclasses
import errno
import json
import os
import pickle
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import cribsim
from cribsim import Result, Rules, comparison, runs, simulation
from cribsim.errors import Interrupted, ResultError
from cribsim.records import record_chunk
from cribsim.runs import Batch, Job
from cribsim.stats import estimate_paired_share, quantile
from cribsim.strategies import Bound, Half, Player, discard_strategy, find_player, pegging_strategy, registry
from cribsim.tally import Tally, empty_counts, phases_of

MIXED = ["expectimax+greedy", "random", "greedy", "random+greedy"]


def job_of(players, *, in_game=False, seed=3, rules=None):
    return Job(tuple(map(find_player, players)), rules or Rules(players=len(players)), seed, in_game)


def played(job, first, n, slots):
    batch = Batch(job, first, n, slots=slots)
    while batch.advance():
        pass
    return batch.tally


def same_comparison(one, two):
    return (
        one.pairs == two.pairs
        and one.ranges == two.ranges
        and np.array_equal(one.sums, two.sums)
        and np.array_equal(one.game_sums, two.game_sums)
    )


# The same whatever the machine does


@pytest.mark.parametrize("in_game", [False, True], ids=["deals", "games"])
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_slots_change_nothing(n_players, in_game):
    job, n = job_of(MIXED[:n_players], in_game=in_game), 300 if in_game else 2500
    one = played(job, 5, n, 1)
    assert one.deals >= n
    for slots in (7, 64, 1024):
        assert played(job, 5, n, slots) == one


@pytest.mark.parametrize("in_game", [False, True], ids=["deals", "games"])
def test_rounds_at_a_time_change_nothing(in_game):
    job = job_of(MIXED[:2], in_game=in_game)
    batch = Batch(job, 0, 500, slots=64)
    while batch.advance(1):
        pass
    assert batch.tally == played(job, 0, 500, 64)


@pytest.mark.parametrize("what", ["deals", "games"])
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_workers_change_nothing(n_players, what):
    n = {what: 40_000 if what == "deals" else 4000}
    one, two, three = (cribsim.simulate(MIXED[:n_players], **n, seed=8, workers=w) for w in (1, 2, 3))
    assert one.tally == two.tally == three.tally
    assert one.ranges == two.ranges == three.ranges == ((8, 0, n[what]),)


@pytest.mark.parametrize(("first_chunk", "seconds", "largest"), [(1, 1e-4, 3), (7, 1e-3, 501), (9999, 9, 10**6)])
@pytest.mark.parametrize("what", ["deals", "games"])
def test_chunks_change_nothing(what, first_chunk, seconds, largest, monkeypatch):
    n = {what: 500 if what == "deals" else 100}
    usual = cribsim.simulate(MIXED, **n, seed=8, workers=2)
    pairs = cribsim.compare("greedy", "random", **n, seed=8, workers=2)
    monkeypatch.setattr(runs, "_FIRST_CHUNK", first_chunk)
    monkeypatch.setattr(runs, "_CHUNK_SECONDS", seconds)
    monkeypatch.setattr(runs, "_LARGEST_CHUNK", largest)
    assert cribsim.simulate(MIXED, **n, seed=8, workers=3).tally == usual.tally
    assert same_comparison(cribsim.compare("greedy", "random", **n, seed=8, workers=3), pairs)


def test_executors_change_nothing():
    """Threads of the caller's; they can be used afterwards."""
    usual = cribsim.simulate(MIXED[:2], deals=5000, workers=1)
    with ThreadPoolExecutor(2) as pool:
        assert cribsim.simulate(MIXED[:2], deals=5000, executor=pool).tally == usual.tally
        assert pool.submit(int, 5).result() == 5


@pytest.mark.slow
def test_other_processes_change_nothing():
    deals, games = {"deals": 3000, "seed": 4}, {"games": 200, "seed": 4}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for n in (deals, games):
            usual = cribsim.simulate(MIXED, **n, workers=1)
            assert cribsim.simulate(MIXED, **n, executor=pool).tally == usual.tally
        pairs = cribsim.compare("expectimax+greedy", "greedy", **deals, executor=pool)
    assert same_comparison(pairs, cribsim.compare("expectimax+greedy", "greedy", **deals, workers=1))


def test_a_job_travels():
    job = job_of(MIXED)
    assert job.seated.compiled
    again = pickle.loads(pickle.dumps(job))
    assert played(again, 0, 50, 8) == played(job, 0, 50, 8)


def test_progress_changes_nothing():
    seen = []
    quiet = cribsim.simulate(MIXED[:2], deals=20_000, seed=5, workers=2)
    told = cribsim.simulate(MIXED[:2], deals=20_000, seed=5, workers=2, progress=lambda done, n: seen.append((done, n)))
    assert told.tally == quiet.tally
    assert seen == sorted(seen)
    assert seen[-1] == (20_000, 20_000)


def in_plain_python(player):
    """The player with its halves as Python functions, which takes the engine's loop out of the compiler."""

    def half(compiled):
        def bind(rules):
            bound = compiled.bind(rules)
            return Bound(lambda *given: bound.answer(*given), bound.params, bound.table, compiled=False)

        return Half(compiled.text, compiled.stage, bind, compiled.players)

    player = find_player(player)
    return Player(half(player.discard), half(player.play))


@pytest.mark.parametrize("what", ["deals", "games"])
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_plain_python_strategies_are_played_alike(n_players, what):
    n = {what: 600 if what == "deals" else 40}
    compiled = cribsim.simulate(MIXED[:n_players], **n, seed=8, workers=2)
    plain = cribsim.simulate([in_plain_python(text) for text in MIXED[:n_players]], **n, seed=8, workers=2)
    assert plain.players == compiled.players
    assert plain.tally == compiled.tally
    mixed = [in_plain_python(MIXED[0]), *MIXED[1:n_players]]
    assert cribsim.simulate(mixed, **n, seed=8, workers=2).tally == compiled.tally


PLAIN_SCRIPT = """
import hashlib, sys
import numpy as np
import cribsim
players = ["greedy", "random", "greedy+random", "random+greedy"]
for n in (2, 3, 4):
    for what in ({"deals": 40}, {"games": 3}):
        tally = cribsim.simulate(players[:n], **what, seed=12, workers=1).tally
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(counts).tobytes() for counts in tally.counts))
        print(n, *what, tally.deals, digest.hexdigest())
"""


def run_script(text, **environment):
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )


@pytest.mark.slow
def test_the_kernels_play_alike_without_the_compiler():
    compiled, plain = run_script(PLAIN_SCRIPT), run_script(PLAIN_SCRIPT, NUMBA_DISABLE_JIT="1")
    assert compiled.returncode == plain.returncode == 0, compiled.stderr + plain.stderr
    assert len(compiled.stdout.splitlines()) == 6
    assert plain.stdout == compiled.stdout


# Ranges of deals add


@pytest.mark.parametrize("what", ["deals", "games"])
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_two_halves_are_the_whole(n_players, what):
    n = 3000 if what == "deals" else 300
    whole = cribsim.simulate(MIXED[:n_players], **{what: n}, seed=8, workers=2)
    cut = n // 3
    head = cribsim.simulate(MIXED[:n_players], **{what: cut}, seed=8, workers=1)
    tail = cribsim.simulate(MIXED[:n_players], **{what: n - cut}, seed=8, workers=2, first=cut)
    for joined in (head + tail, tail + head):
        assert joined.tally == whole.tally
        assert joined.ranges == whole.ranges
        assert joined.phases() == whole.phases()


def test_comparisons_add():
    whole = cribsim.compare("expectimax+greedy", "random", games=300, seed=8)
    head = cribsim.compare("expectimax+greedy", "random", games=100, seed=8)
    tail = cribsim.compare("expectimax+greedy", "random", games=200, seed=8, first=100)
    assert same_comparison(head + tail, whole)
    assert same_comparison(tail + head, whole)
    with pytest.raises(ResultError, match="unit 100 "):
        whole + tail
    with pytest.raises(ResultError, match=" b "):
        head + cribsim.compare("expectimax+greedy", "greedy", games=10, seed=9)


def test_other_seeds_add_and_are_remembered():
    one, two = (cribsim.simulate(MIXED[:2], deals=100, seed=s, workers=1) for s in (1, 2))
    assert (one + two).deals == 200
    assert (one + two).ranges == ((1, 0, 100), (2, 0, 100))


def in_a_file(folder, text, name="mine.py"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(textwrap.dedent(text))
    return f"{folder / name}:mine"


PLAIN_MINE = """
    import numpy as np
    from pathlib import Path
    TABLE = np.loadtxt(Path(__file__).with_name("table.txt"))
    seen = {}

    def mine(view):
        seen[view.key] = True
        return int(TABLE[0])
"""


def run_of_mine(what, folder, seed, *, number=0, text=PLAIN_MINE):
    """A short run of a strategy in a file that reads a table."""
    folder.mkdir(exist_ok=True)
    (folder / "table.txt").write_text(f"{number} 1\n")
    player = f"greedy+{in_a_file(folder, text)}"
    if what == "simulate":
        return cribsim.simulate([player, "greedy"], deals=5, seed=seed, workers=1)
    return cribsim.compare(player, "greedy", deals=5, seed=seed, workers=1)


@pytest.mark.parametrize("what", ["simulate", "compare"])
def test_different_code_of_one_name_does_not_add(what, tmp_path):
    """The strategy is the same after playing and when its file is read again, not when source or data change."""
    one, two = (run_of_mine(what, tmp_path, seed) for seed in (1, 2))
    assert list((one + two).provenance["code"]) == [f"{tmp_path / 'mine.py'}:mine (play)"]
    edited = run_of_mine(what, tmp_path, 3, text=PLAIN_MINE.replace("int(TABLE[0])", "int(TABLE[0]) * 2"))
    other_data = run_of_mine(what, tmp_path, 4, number=1, text=PLAIN_MINE + "\n")
    for other in (edited, other_data):
        with pytest.raises(ResultError, match=r"different code .*mine.py:mine \(play\) changed"):
            one + other


def test_code_is_told_of_what_is_not_built_in(tmp_path):
    @pegging_strategy("low-card")
    def low_card(view):
        return 0

    job = job_of([("greedy", low_card), "greedy"])
    assert list(job.code) == ["low-card (play)"]
    texts = [in_a_file(tmp_path / name, "def mine(view):\n    return 0\n") for name in ("here", "there")]
    here, there = (find_player(f"greedy+{text}").play.code for text in texts)
    assert here == there != job.code["low-card (play)"]
    assert cribsim.simulate(["greedy", "random"], deals=1).provenance["code"] == {}


def test_a_sum_remembers_where_its_parts_come_from(tmp_path):
    one, two, three = (
        cribsim.simulate(MIXED[:2], deals=5, seed=seed, workers=1, command=f"command {seed}") for seed in (3, 1, 2)
    )
    stopped = dataclasses.replace(two, provenance={**two.provenance, "complete": False})
    both = one + stopped
    assert both.provenance["parts"] == [one.provenance, stopped.provenance]
    assert (both.provenance["complete"], (one + two).provenance["complete"]) == (False, True)
    assert both.seed == 1  # the ranges are in order of the seeds
    (both + three).save(tmp_path / "sum")
    again = Result.load(tmp_path / "sum")
    assert [part["command"] for part in again.provenance["parts"]] == ["command 3", "command 1", "command 2"]
    assert again.provenance["complete"] is False
    assert again.to_json()["ranges"] == [{"seed": seed, "first": 0, "units": 5} for seed in (1, 2, 3)]
    known = {"command", "complete", "code", "cribsim", "python", "numpy", "numba", "machine", "finished"}
    assert all(set(part) == known for part in again.provenance["parts"])


def test_a_sum_of_comparisons_remembers_its_parts(tmp_path):
    one, two = (
        cribsim.compare("greedy", "random", deals=5, seed=seed, workers=1, command=str(seed)) for seed in (2, 1)
    )
    (one + two).write(tmp_path)
    told = json.loads((tmp_path / "comparison.json").read_text())
    assert ([part["command"] for part in told["parts"]], told["complete"], told["seed"]) == (["2", "1"], True, 1)
    assert told["ranges"] == [{"seed": seed, "first": 0, "units": 5} for seed in (1, 2)]


@pytest.mark.parametrize(("first", "n"), [(0, 100), (99, 100), (50, 10), (0, 1000), (1, 1)])
def test_the_same_deals_never_count_twice(first, n):
    one = cribsim.simulate(MIXED[:2], deals=100, seed=1, workers=1)
    two = cribsim.simulate(MIXED[:2], deals=n, seed=1, workers=1, first=first)
    for first_added, second in ((one, two), (two, one)):
        with pytest.raises(ResultError, match="twice"):
            first_added + second


def test_only_like_results_add():
    usual = cribsim.simulate(["greedy", "random"], deals=10, seed=1, workers=1)
    others = [
        cribsim.simulate(["random", "greedy"], deals=10, seed=2, workers=1),
        cribsim.simulate(["greedy", "random"], games=10, seed=2, workers=1),
        cribsim.simulate(["greedy", "random"], deals=10, seed=2, rules="short", workers=1),
        cribsim.simulate(["greedy"] * 3, deals=10, seed=2, workers=1),
    ]
    for other in others:
        with pytest.raises(ResultError, match="don't add"):
            usual + other
    with pytest.raises(ResultError, match=r"different rules don't add: target=121, .*; target=61, skunk=31, .*=0, "):
        usual + others[2]
    with pytest.raises(TypeError):
        usual + 1


@pytest.mark.parametrize("first", [-1, -10, 1.5, "3", True, None, 10**13, 2**63], ids=repr)
@pytest.mark.parametrize("run", [cribsim.simulate, cribsim.compare], ids=["simulate", "compare"])
def test_a_first_deal_that_is_none_is_refused(run, first):
    players = (["random", "random"],) if run is cribsim.simulate else ("random", "random")
    with pytest.raises(cribsim.CribsimError, match="first"):
        run(*players, deals=3, first=first, workers=1)


def test_the_last_deals_there_are():
    last = cribsim.simulate(["random", "random"], deals=3, first=10**13 - 3, workers=1)
    assert last.ranges == ((0, 10**13 - 3, 3),)


# Records


def record_run(folder, **options):
    cribsim.simulate(["greedy", "random"], seed=6, out=folder, record=True, **options)
    return (folder / "deals.parquet").read_bytes()


@pytest.mark.slow
def test_record_files_are_the_same_bytes_from_any_run(tmp_path, monkeypatch):
    files = [record_run(tmp_path / str(workers), deals=70_000, workers=workers) for workers in (1, 2, 3)]
    monkeypatch.setattr(runs, "_FIRST_CHUNK", 777)
    monkeypatch.setattr(runs, "_LARGEST_CHUNK", 5000)
    files.append(record_run(tmp_path / "small chunks", deals=70_000, workers=2))
    assert files[0] == files[1] == files[2] == files[3]
    assert pq.ParquetFile(tmp_path / "1" / "deals.parquet").num_row_groups == 2


def test_game_records_are_the_same_bytes_from_any_run(tmp_path, monkeypatch):
    one = record_run(tmp_path / "one", games=400, workers=1)
    monkeypatch.setattr(runs, "_FIRST_CHUNK", 3)
    monkeypatch.setattr(runs, "_LARGEST_CHUNK", 50)
    assert record_run(tmp_path / "three", games=400, workers=3) == one
    rows = pq.read_table(tmp_path / "one" / "deals.parquet").select(["game", "deal"]).to_pylist()
    order = [(row["game"], row["deal"]) for row in rows]
    assert order == sorted(order)
    assert {game for game, _ in order} == set(range(400))


def test_recording_changes_nothing(tmp_path):
    plain = cribsim.simulate(["greedy", "random"], games=200, seed=6, workers=2)
    written = cribsim.simulate(["greedy", "random"], games=200, seed=6, workers=2, out=tmp_path / "run", record=True)
    assert written.tally == plain.tally
    assert pq.read_table(tmp_path / "run" / "deals.parquet").num_rows == plain.deals


def test_records_need_a_folder():
    with pytest.raises(cribsim.CribsimError, match="out="):
        cribsim.simulate(["greedy", "random"], deals=1, record=True)


# Files


@pytest.fixture(scope="module")
def some_result():
    """A result of games from two ranges, one of them of the last seed there is."""
    one = cribsim.simulate(["greedy", "random", "greedy"], games=30, seed=2**64 - 1, workers=1, confidence=0.9)
    two = cribsim.simulate(["greedy", "random", "greedy"], games=20, seed=5, first=10**12, workers=1, confidence=0.9)
    return one + two


@pytest.mark.parametrize("what", ["deals", "games"])
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_what_is_saved_is_loaded(n_players, what, tmp_path):
    result = cribsim.simulate(
        MIXED[:n_players], **{what: 100}, seed=1, workers=1, out=tmp_path / "run", command="a command"
    )
    again = Result.load(tmp_path / "run")
    assert again.tally == result.tally
    assert again.to_json() == result.to_json()
    assert again.provenance == result.provenance
    assert again.provenance["command"] == "a command"
    assert again.provenance["complete"] is True


def test_a_loaded_result_adds_and_saves(some_result, tmp_path):
    some_result.save(tmp_path / "one")
    again = Result.load(tmp_path / "one")
    assert again.ranges == some_result.ranges == ((5, 10**12, 20), (2**64 - 1, 0, 30))
    assert again.confidence == 0.9
    with pytest.raises(ResultError, match="twice"):
        again + some_result
    more = cribsim.simulate(["greedy", "random", "greedy"], games=10, seed=5, workers=1)
    (again + more).save(tmp_path / "two")
    assert Result.load(tmp_path / "two").tally == (some_result + more).tally


def test_an_existing_folder_is_left_alone(some_result, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    monkeypatch.setattr(simulation, "play_chunk", None)  # refused before a deal is played
    with pytest.raises(ResultError, match="exists"):
        cribsim.simulate(["greedy", "random"], deals=10, out=folder)
    with pytest.raises(ResultError, match="exists"):
        some_result.save(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_empty_folder_will_do(some_result, tmp_path):
    (tmp_path / "run").mkdir()
    some_result.save(tmp_path / "run")
    assert Result.load(tmp_path / "run").tally == some_result.tally
    assert len(list(tmp_path.iterdir())) == 1


def test_folders_on_the_way_are_made(some_result, tmp_path):
    some_result.save(tmp_path / "a" / "b" / "run")
    assert Result.load(str(tmp_path / "a" / "b" / "run")).tally == some_result.tally


def unwritable(tmp_path, kind):
    file = tmp_path / "file"
    file.write_text("mine")
    if kind == "a file":
        return file
    if kind == "under a file":
        return file / "run"
    if kind == "a name too long":
        return tmp_path / ("x" * 300)
    if kind == "a read-only folder":
        (tmp_path / "locked").mkdir(mode=0o555)
        return tmp_path / "locked" / "run"
    if kind == "a full disk":
        return tmp_path / "run"
    return "/proc/cribsim-run"


@pytest.fixture
def as_a_user(tmp_path):
    """What makes the process, for a block, one that may not write everywhere, as root may."""

    @contextlib.contextmanager
    def be_nobody():
        was = os.geteuid()
        if was == 0:
            for folder in (tmp_path, *tmp_path.parents):
                if folder != Path(tempfile.gettempdir()) and folder.is_relative_to(tempfile.gettempdir()):
                    folder.chmod(folder.stat().st_mode | 0o055)
            os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(was)

    return be_nobody


UNWRITABLE = ["a file", "under a file", "a name too long", "a read-only folder", "a full disk"]
if os.path.isdir("/proc/self"):
    UNWRITABLE.append("no disk")


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_a_folder_that_cannot_be_written_is_one_clear_error(kind, tmp_path, monkeypatch, as_a_user):
    folder = unwritable(tmp_path, kind)
    if kind == "a full disk":
        monkeypatch.setattr(tempfile, "mkdtemp", no_space)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(simulation, "play_chunk", None)
    with as_a_user(), pytest.raises(ResultError) as caught:
        cribsim.simulate(["greedy", "random"], deals=10, out=folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_a_run_that_fails_leaves_nothing(tmp_path):
    @pegging_strategy("fails-after-a-while")
    def fails(view):
        if view.count == 20:
            raise RuntimeError("that's enough")
        return 0

    player = find_player((find_player("random").discard, fails))
    for record in (False, True):
        with pytest.raises(cribsim.StrategyError, match="that's enough"):
            cribsim.simulate([player, player], deals=500, out=tmp_path / "run", record=record)
        assert list(tmp_path.iterdir()) == []


def test_pictures_are_drawn_on_the_axes_given(some_result):
    import matplotlib.pyplot as plt

    two = cribsim.simulate(["greedy", "random"], deals=400, seed=1)
    figure, axes = plt.subplots(1, 3)
    try:
        assert some_result.plot(axes[0], phase="hand") is axes[0]
        assert axes[0].get_xlabel() == "points in a deal (hand)"
        assert two.plot_cribs(axes[1], role="pone") is axes[1]
        assert axes[1].get_title() == "crib by the pone's throw (suited below the diagonal)"
        frame = two.crib_averages("pone")
        drawn = axes[1].images[0].get_array()
        assert drawn.count() == len(frame)
        assert np.array_equal(drawn[frame["row"], frame["column"]], frame["crib"])
        assert some_result.plot_cribs(axes[2]) is axes[2]  # three players throw one card: the diagonal alone
    finally:
        plt.close(figure)


# Damage


def saved(result, tmp_path):
    result.save(tmp_path / "run")
    return tmp_path / "run"


def load_error(folder):
    """The one line that says why a result can't be loaded."""
    with pytest.raises(ResultError) as caught:
        Result.load(folder)
    text = str(caught.value)
    assert "\n" not in text
    assert str(folder) in text
    return text


@pytest.mark.parametrize("name", ["provenance.json", "tally.parquet"])
def test_a_missing_file_is_named(name, some_result, tmp_path):
    folder = saved(some_result, tmp_path)
    (folder / name).unlink()
    assert name in load_error(folder)


@pytest.mark.parametrize("kind", ["nothing", "an empty folder", "a file"])
def test_what_is_no_result_is_not_loaded(kind, tmp_path):
    folder = tmp_path / "run"
    if kind == "an empty folder":
        folder.mkdir()
    elif kind == "a file":
        folder.write_text("x")
    load_error(folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "5", '{"schema_version": 1}', '{"schema_version": 99}', "{", "\xff"]
)
def test_other_json_is_not_a_result(text, some_result, tmp_path):
    folder = saved(some_result, tmp_path)
    (folder / "provenance.json").write_bytes(text.encode("latin-1"))
    load_error(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("players", None),
        ("players", []),
        ("players", ["greedy"]),
        ("players", [1, 2, 3]),
        ("rules", None),
        ("rules", []),
        ("rules", {"players": 9}),
        ("rules", {"players": 3, "no such rule": 1}),
        ("mode", None),
        ("mode", "matches"),
        ("ranges", None),
        ("ranges", []),
        ("ranges", [{"seed": 1}]),
        ("ranges", [{"seed": "1", "first": 0, "units": 50}]),
        ("ranges", [{"seed": 1, "first": 0, "units": 7}]),
        ("seconds", None),
        ("seconds", "long"),
        ("confidence", 5),
    ],
)
def test_provenance_that_makes_no_sense_is_refused(key, value, some_result, tmp_path):
    folder = saved(some_result, tmp_path)
    told = json.loads((folder / "provenance.json").read_text())
    (folder / "provenance.json").write_text(json.dumps({**told, key: value}))
    load_error(folder)


def damaged_bytes(whole):
    """Many ways of damaging a file: cut short, zeroed in places, single bits turned."""
    rng = np.random.default_rng(1)
    for at in np.linspace(0, len(whole) - 1, 40).astype(int).tolist():
        yield whole[:at]
        yield whole[:at] + bytes(min(50, len(whole) - at)) + whole[at + 50 :]
    for at in rng.integers(0, len(whole), 80).tolist():
        yield whole[:at] + bytes([whole[at] ^ 1 << int(rng.integers(8))]) + whole[at + 1 :]


def test_a_damaged_tally_is_never_taken_for_another(some_result, tmp_path):
    """Every damage is a clear error, or changes no number."""
    folder = saved(some_result, tmp_path)
    whole = (folder / "tally.parquet").read_bytes()
    texts, changed = [], []
    for i, damaged in enumerate(damaged_bytes(whole)):
        (folder / "tally.parquet").write_bytes(damaged)
        try:
            if Result.load(folder).tally != some_result.tally:
                changed.append(i)
        except ResultError as error:
            texts.append(str(error))
    assert not changed
    assert not [text for text in texts if "\n" in text]
    assert len(texts) > 50


def test_the_tally_of_another_run_is_not_loaded(some_result, tmp_path):
    folder = saved(some_result, tmp_path)
    cribsim.simulate(["greedy", "random", "greedy"], games=50, seed=1, workers=1, out=tmp_path / "other")
    (folder / "tally.parquet").write_bytes((tmp_path / "other" / "tally.parquet").read_bytes())
    load_error(folder)


# Stops


STOP_SCRIPT = textwrap.dedent("""
    import sys, time
    import cribsim
    from cribsim.errors import Interrupted

    @cribsim.pegging_strategy("slow")
    def slow(view):
        time.sleep(0.001)
        return 0

    told = []
    def progress(done, n):
        if not told:
            print("playing", flush=True)
        told.append(done)

    try:
        {call}
    except Interrupted as stop:
        result = stop.result
        units = sum(units for _, _, units in result.ranges)
        print(stop.done, "|", units, result.provenance["complete"])
        sys.exit(130)
    print("finished")
""")


def interrupt(call):
    """Run a script, send it Ctrl-C when it is playing; return its exit code, its last line and the seconds it took."""
    script = STOP_SCRIPT.format(call=call)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "playing\n", process.stderr.read()
        time.sleep(0.3)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, out.strip() + err, time.perf_counter() - start


PATIENCE = 20
"""Seconds. A stop takes less than one; a busy machine may take longer to import what writes the files."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        'cribsim.simulate(["expectimax+greedy"] * 2, deals=10**10, progress=progress)',
        'cribsim.simulate(["expectimax+greedy"] * 4, games=10**9, progress=progress)',
        'cribsim.simulate(["random+slow"] * 2, deals=10**6, progress=progress)',
        'cribsim.compare("expectimax+greedy", "random", deals=10**10, progress=progress)',
    ],
    ids=["deals", "games", "plain Python", "compare"],
)
def test_ctrl_c_stops_and_says_how_far_it_came(call):
    code, text, seconds = interrupt(call)
    assert code == 130, text
    done, units = text.split(" | ")
    n_done = int(done.split(" of ")[0].replace(",", ""))
    assert n_done > 0
    assert units == f"{n_done} False"
    assert seconds < PATIENCE


@pytest.mark.slow
def test_ctrl_c_saves_what_was_played(tmp_path):
    folder = tmp_path / "run"
    out = f"out={str(folder)!r}, record=True, progress=progress"
    code, text, seconds = interrupt(f'cribsim.simulate(["greedy", "random"], games=10**9, seed=6, {out})')
    assert code == 130, text
    assert seconds < PATIENCE
    partial = Result.load(folder)
    assert partial.provenance["complete"] is False
    assert list(tmp_path.iterdir()) == [folder]
    rows = pq.read_table(folder / "deals.parquet").select(["game", "deal"]).to_pylist()
    assert len(rows) == partial.deals > 0
    assert partial.ranges == ((6, 0, len({row["game"] for row in rows})),)
    assert cribsim.simulate(["greedy", "random"], games=partial.games, seed=6).tally == partial.tally


STOPPED_RUNS = {
    "simulate": lambda **options: cribsim.simulate(["random", "random"], **options),
    "compare": lambda **options: cribsim.compare("random", "greedy", **options),
}


def counted(what, result):
    """Units and numbers of a result or a comparison."""
    if what == "simulate":
        return result.deals, [counts.tolist() for counts in result.tally.counts]
    return result.pairs, [result.sums.tolist(), result.game_sums.tolist()]


@pytest.mark.parametrize(
    ("what", "at"),
    [
        ("simulate", "join_ranges"),
        ("simulate", "adding"),
        ("simulate", "progress"),
        ("compare", "join_ranges"),
        ("compare", "progress"),
    ],
)
def test_a_stop_at_any_moment_leaves_numbers_that_agree(what, at, monkeypatch):
    """Ctrl-C may come between two statements: what is said to be played must be what was counted."""
    n_calls = 0

    def stop_at_third(*given):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3:
            raise KeyboardInterrupt
        return plain(*given)

    options = {"deals": 5000, "seed": 1, "workers": 1}
    module = simulation if what == "simulate" else comparison
    if at == "progress":
        plain, options["progress"] = (lambda *given: None), stop_at_third
    elif at == "adding":
        plain = Tally.__add__
        monkeypatch.setattr(Tally, "__add__", stop_at_third)
    else:
        plain = module.join_ranges
        monkeypatch.setattr(module, "join_ranges", stop_at_third)
    monkeypatch.setattr(runs, "_FIRST_CHUNK", 100)
    monkeypatch.setattr(runs, "_LARGEST_CHUNK", 100)
    with pytest.raises(Interrupted) as caught:
        STOPPED_RUNS[what](**options)
    monkeypatch.undo()
    result = caught.value.result
    units = sum(n for _, _, n in result.ranges)
    assert counted(what, result)[0] == units
    assert caught.value.done.startswith(f"{units} of 5,000 ")
    parts = [STOPPED_RUNS[what](deals=n, seed=seed, first=first, workers=1) for seed, first, n in result.ranges]
    again = parts[0]
    for part in parts[1:]:
        again = again + part
    assert counted(what, again) == counted(what, result)


def test_a_stop_before_anything_is_played_leaves_no_folder(tmp_path, monkeypatch):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "play_chunk", stop)
    with pytest.raises(KeyboardInterrupt):
        cribsim.simulate(["random", "random"], deals=10, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


# Results in one line


def test_results_print_in_one_line():
    result = cribsim.simulate(["greedy", "random"], deals=1000, seed=3)
    assert re.fullmatch(
        r"<Result greedy · random, 1,000 deals, seed 3: pone \d+\.\d{4}, dealer \d+\.\d{4}>", repr(result)
    )
    games = repr(cribsim.simulate(["greedy", "random"], games=1, seed=3))
    assert re.search(r"random, 1 game, \d+ deals, seed 3: pone .*, greedy wins [01]\.0000, random wins", games)
    found = cribsim.compare("greedy", "random", deals=1000, seed=3)
    assert (
        repr(found)
        == f"<Comparison greedy less random, 1,000 pairs of deals, seed 3: {found.difference} points a deal>"
    )
    assert "1 pair of games" in repr(cribsim.compare("greedy", "random", games=1))


def test_deals_have_no_winner():
    result = cribsim.simulate(["greedy", "random"], deals=10)
    for ask in (result.wins, result.skunks):
        with pytest.raises(ResultError, match="no games were played"):
            ask()


# Comparisons


@pytest.mark.parametrize("mode", ["deals", "games"])
def test_a_comparison_is_saved_and_read(mode, tmp_path):
    found = cribsim.compare("greedy", "random", **{mode: 30}, seed=2, confidence=0.9, command="x", rules="short")
    assert found.save(tmp_path / "one") == tmp_path / "one"
    again = cribsim.Comparison.load(tmp_path / "one")
    assert again.to_json() == found.to_json()
    assert again.provenance == found.provenance
    assert (again.sums == found.sums).all()
    more = cribsim.compare("greedy", "random", **{mode: 30}, seed=2, confidence=0.9, rules="short", first=30)
    more.save(tmp_path / "two")
    both = again + cribsim.Comparison.load(tmp_path / "two")
    whole = cribsim.compare("greedy", "random", **{mode: 60}, seed=2, confidence=0.9, rules="short")
    assert {**both.to_json(), "seconds": 0} == {**whole.to_json(), "seconds": 0}
    with pytest.raises(ResultError, match="exists already"):
        found.save(tmp_path / "one")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schema_version", 2), ("a", 3), ("mode", "tricks"), ("pairs", 31), ("pairs", None), ("rules", {}),
        ("rules", {"players": 2, "target": 0}), ("ranges", []), ("ranges", 3), ("sums", []), ("sums", None),
        ("sums", [[[0, 0]] * 5] * 3), ("sums", [[[0.5, 0]] * 5] * 3), ("sums", [[[10**30, 0]] * 5] * 3),
        ("game_sums", [[1, 2]]), ("confidence", 2), ("seconds", "x"), ("difference", {"mean": 1.0}), ("difference", 1),
    ],
)  # fmt: skip
def test_a_damaged_comparison_is_not_loaded(key, value, tmp_path):
    cribsim.compare("greedy", "random", deals=30).save(tmp_path / "one")
    file = tmp_path / "one" / "comparison.json"
    told = json.loads(file.read_text())
    for changed in ({**told, key: value}, {name: item for name, item in told.items() if name != key}):
        file.write_text(json.dumps(changed))
        with pytest.raises(ResultError, match="one"):
            cribsim.Comparison.load(tmp_path / "one")
    file.unlink()
    with pytest.raises(ResultError, match="holds no comparison"):
        cribsim.Comparison.load(tmp_path / "one")


@pytest.mark.parametrize("what", ["deals", "games"])
@pytest.mark.parametrize("player", ["random", "greedy", "expectimax+greedy", "random+greedy", "greedy+random"])
def test_a_mirror_is_exactly_zero(player, what):
    found = cribsim.compare(player, player, **{what: 2000 if what == "deals" else 300}, seed=9, workers=2)
    zero = {"mean": 0.0, "se": 0.0, "low": 0.0, "high": 0.0}
    assert found.difference.as_dict() == zero
    assert all({key: row[key] for key in zero} == zero for row in found.phases)
    assert not found.sums.any()
    if what == "games":
        assert found.win_rate_a.as_dict() == {"mean": 0.5, "se": 0.0, "low": 0.5, "high": 0.5}
        assert found.game_points.as_dict() == zero


def rows_of(players, n, *, in_game, rules=None):
    return record_chunk(job_of(players, in_game=in_game, seed=10, rules=rules), 0, n)[1].to_pylist()


def points_by_phase(row, seat):
    """A seat's points of a deal: heels, pegging, hand, crib and total."""
    deals = seat == row["dealer"]
    points = [row["heels"] * deals, row["pegging"][seat], row["hand"][seat], row["crib_points"] * deals]
    return [*points, sum(points)]


def check_estimate(estimate, values):
    """An estimate against the formulas of the statistics module."""
    mean, se = statistics.fmean(values), statistics.stdev(values) / len(values) ** 0.5
    assert estimate.n == len(values)
    assert estimate.mean == pytest.approx(mean, abs=1e-12)
    assert estimate.se == pytest.approx(se, abs=1e-12)
    assert estimate.low == pytest.approx(mean - quantile(0.95) * se)
    assert estimate.high == pytest.approx(mean + quantile(0.95) * se)


@pytest.mark.parametrize(("a", "b"), [("greedy", "random"), ("expectimax+greedy", "greedy"), ("random", "greedy")])
def test_a_comparison_of_deals_by_hand(a, b):
    n = 700
    found = cribsim.compare(a, b, deals=n, seed=10)
    one, two = rows_of([a, b], n, in_game=False), rows_of([b, a], n, in_game=False)
    assert [row["dealt"] for row in one] == [row["dealt"] for row in two]  # the same cards
    for at, phase in enumerate(phases_of(muggins=False)):
        as_pone, as_dealer, both = [], [], []
        for first, second in zip(one, two, strict=True):
            a_one, b_one = points_by_phase(first, 0)[at], points_by_phase(first, 1)[at]
            b_two, a_two = points_by_phase(second, 0)[at], points_by_phase(second, 1)[at]
            as_pone.append(a_one - b_two)
            as_dealer.append(a_two - b_one)
            both.append(((a_one - b_one) + (a_two - b_two)) / 2)
        check_estimate(found.estimate("pone", phase), as_pone)
        check_estimate(found.estimate("dealer", phase), as_dealer)
        check_estimate(found.estimate("both", phase), both)
    assert found.difference == found.estimate("both", "total")
    assert found.pairs == n  # CR-152: a deal played twice is one observation


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(target=61, skunk=50, double_skunk=40, double_skunk_value=4)], ids=repr
)
def test_a_comparison_of_games_by_hand(rules):
    n = 120
    found = cribsim.compare("greedy", "random", games=n, seed=10, rules=rules)
    finals = []
    for players in (["greedy", "random"], ["random", "greedy"]):
        rows = rows_of(players, n, in_game=True, rules=rules)
        finals.append({row["game"]: row["scores"] for row in rows})  # the last deal's stays
    wins, margins, game_points = [], [], []
    for game in range(n):
        sides = [finals[0][game], finals[1][game][::-1]]  # greedy's score first
        wins.append(statistics.fmean(a > b for a, b in sides))
        margins.append(statistics.fmean(a - b for a, b in sides))
        game_points.append(statistics.fmean(value_to_first(a, b, rules) for a, b in sides))
    share, se = statistics.fmean(wins), statistics.stdev(wins) / n**0.5
    assert (found.win_rate_a.mean, found.win_rate_a.se) == (share, pytest.approx(se))
    assert found.win_rate_a == estimate_paired_share(n, round(sum(wins) * 2), round(sum(x * x for x in wins) * 4))
    check_estimate(found.difference, margins)
    check_estimate(found.game_points, game_points)


@pytest.mark.parametrize("run", [cribsim.simulate, cribsim.compare], ids=["simulate", "compare"])
def test_seconds_are_of_playing_only(run, monkeypatch):
    """What loads kernels and tables, as the first chunk does, isn't in them."""
    chunk = "play_chunk" if run is cribsim.simulate else "group_chunk"
    module = simulation if run is cribsim.simulate else comparison
    plain, calls = getattr(module, chunk), []

    def slow_at_first(*given):
        calls.append(given)
        if len(calls) == 1:
            time.sleep(1.5)
        return plain(*given)

    monkeypatch.setattr(module, chunk, slow_at_first)
    players = (["greedy", "random"],) if run is cribsim.simulate else ("greedy", "random")
    assert run(*players, deals=20, first=7, workers=1).seconds < 1.5
    assert calls[0][1:] == (7, 1)


def wrong_at_once(view):
    return 99


def raises_at_once(view):
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (wrong_at_once, "answered 99"),
        (raises_at_once, "raised ValueError: no idea"),
        (lambda view: 1.5, "returned 1.5"),
    ],
)
@pytest.mark.parametrize("decorator", [pegging_strategy, discard_strategy], ids=["play", "discard"])
def test_a_comparison_names_the_seating_that_failed(function, said, decorator, monkeypatch):
    """The seat, and who sits where: enough to play that deal again with `simulate`."""
    monkeypatch.setattr(registry, "_USER", {})
    bad = decorator("bad")(function)
    pair = ("greedy", bad) if decorator is pegging_strategy else (bad, "greedy")
    for a, b in ((pair, "random"), ("random", pair)):
        with pytest.raises(cribsim.StrategyError) as caught:
            cribsim.compare(a, b, deals=20, seed=4, workers=1)
        text = str(caught.value)
        players = [a, b]  # A sits first in the first of the two
        seating = " · ".join(find_player(player).text for player in players)
        assert f"bad ({bad.stage}, seat {players.index(pair)}) {said}" in text
        assert f"in deal 0, seed 4, players by seat {seating}; view: " in text
        assert re.search(r"; wanted: the (index of a throw|position of a card that fits), 0 to \d+$", text)
        with pytest.raises(cribsim.StrategyError, match=re.escape(text)):
            cribsim.simulate(players, deals=1, seed=4, workers=1)


def test_the_second_seating_is_named_too(monkeypatch):
    """A fault that shows only where the seats are swapped."""
    monkeypatch.setattr(registry, "_USER", {})
    bad = pegging_strategy("bad-as-dealer")(lambda view: 9 if view.seat == view.dealer else 0)
    with pytest.raises(cribsim.StrategyError, match=r"seat 1.*players by seat random · greedy\+bad-as-dealer; "):
        cribsim.compare(("greedy", bad), "random", deals=20, workers=1)


def value_to_first(a, b, rules):
    lost = min(a, b)
    value = rules.win_value
    if lost < rules.skunk:
        value = rules.double_skunk_value if lost < rules.double_skunk else rules.skunk_value
    return value if a > b else -value


def test_a_comparison_turned_round_changes_sign():
    one = cribsim.compare("greedy", "random", games=200, seed=2)
    two = cribsim.compare("random", "greedy", games=200, seed=2)
    assert one.difference.mean == -two.difference.mean
    assert one.win_rate_a.mean == 1 - two.win_rate_a.mean
    assert one.difference.se == two.difference.se


def test_a_comparison_is_not_changed_by_workers():
    one, two, three = (cribsim.compare("greedy", "random", deals=20_000, seed=2, workers=w) for w in (1, 2, 3))
    assert same_comparison(one, two)
    assert same_comparison(one, three)


# Lean


def table_bytes(job, n):
    return sum(array.nbytes for array in Batch(job, 0, n).table)


def test_memory_does_not_grow_with_the_number_of_deals():
    job = job_of(MIXED[:2])
    assert table_bytes(job, 10**13) == table_bytes(job, 10**4)
    sizes = [sum(counts.nbytes for counts in played(job, 0, n, 64).counts) for n in (10, 5000)]
    assert sizes[0] == sizes[1] == sum(counts.nbytes for counts in empty_counts())
    assert sizes[0] < 5_000_000
