"""Ctrl-C, a polite kill and a closed terminal: what was played is kept, what is unfinished goes."""

import os
import signal
import subprocess
import sys
import time

import pytest

import cribsim
from cribsim import stopping
from cribsim.folders import new_folder
from cribsim.result import Result

PLAYING = """
import pathlib, time
calls = 0
def counting(view):
    global calls
    calls += 1
    if calls == 300:
        pathlib.Path(__file__).with_name("playing").touch()
    {more}
    return 0, 1
"""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def begin(folder, *options, more="", **environment):
    """A long run in a process of its own, when it plays."""
    (folder / "mine.py").write_text(PLAYING.format(more=more))
    players = [f"{folder / 'mine.py'}:counting+greedy", "greedy"]
    return start("simulate", "--players", *players, "--deals", "1e12", *options, **environment)


def hear_all():
    """A signal that is ignored, as SIGHUP under `nohup`, is ignored by what one starts, too."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(*words, **environment):
    command, env = [sys.executable, "-m", "cribsim", *words], {**os.environ, **environment}
    pipe = subprocess.PIPE
    STARTED.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=env, preexec_fn=hear_all))
    return STARTED[-1]


STARTED = []


@pytest.fixture(autouse=True)
def _end_what_was_started():
    """A failing test leaves no endless run behind."""
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
            process.wait()


def wait_until(true, process, seconds=120):
    for _ in range(seconds * 50):
        if true() or process.poll() is not None:
            return
        time.sleep(0.02)


def stop(process, *numbers, pause=0.05):
    """Send signals one after the other; return exit code, stdout and stderr."""
    for number in numbers:
        process.send_signal(number)
        time.sleep(pause)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_each_signal_saves_what_was_played(tmp_path, number):
    process = begin(tmp_path, "--out", str(tmp_path / "run"))
    wait_until((tmp_path / "playing").exists, process)
    code, _, err = stop(process, number)
    assert code == CODES[number], err
    assert f"interrupted; done: {Result.load(tmp_path / 'run').deals:,} of 1,000" in err


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("pause", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("options", [[], ["--record"]], ids=["tally", "records"])
def test_more_of_them_lose_nothing(tmp_path, options, n, pause):
    process = begin(tmp_path, "--out", str(tmp_path / "run"), *options)
    wait_until((tmp_path / "playing").exists, process)
    code, out, err = stop(process, *[signal.SIGINT] * n, pause=pause)
    assert code == 130, err
    assert "pone" in out
    assert err.count("\n") == 1
    assert f"interrupted; done: {Result.load(tmp_path / 'run').deals:,} of 1,000" in err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "mine.py",
        "playing",
        "run",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.3, 0.6, 0.9, 1.2, 1.5, 2.0])
def test_a_stop_while_kernels_are_loaded(tmp_path, delay):
    words = ("--players", "greedy", "greedy", "--deals", "1e12", "--out", str(tmp_path / "run"))
    process = start("simulate", *words)
    time.sleep(delay)
    code, _, err = stop(process, signal.SIGINT, signal.SIGINT)
    assert code == 130, err
    assert "Traceback" not in err
    kept = "interrupted; done: nothing yet" not in err
    assert [path.name for path in tmp_path.iterdir()] == (["run"] if kept else [])


def test_what_is_stuck_ends_with_patience(tmp_path):
    """A strategy that never answers can't be waited for."""
    process = begin(tmp_path, "--out", str(tmp_path / "run"), more="time.sleep(1000 * (calls > 300))")
    wait_until((tmp_path / "playing").exists, process)
    process.send_signal(signal.SIGINT)
    time.sleep(stopping._PATIENCE + 1)
    assert process.poll() is None
    code, _, err = stop(process, signal.SIGINT)
    assert (code, err) == (130, "cribsim: interrupted; what was played is lost\n")
    assert not list(tmp_path.glob(".run*"))


def test_ignored_signals_stay_ignored(tmp_path):
    """As under nohup."""
    process = begin(tmp_path)
    ignoring = "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); import cribsim.cli; "
    process.kill()
    (tmp_path / "playing").unlink(missing_ok=True)
    words = ["simulate", "--players", f"{tmp_path / 'mine.py'}:counting+greedy", "greedy", "--deals", "1e12"]
    command = [sys.executable, "-c", ignoring + f"cribsim.cli.main({words!r})"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until((tmp_path / "playing").exists, process)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    assert stop(process, signal.SIGTERM)[0] == 143


# Held in Python


def test_a_stop_is_held_until_the_end_of_the_block():
    steps = []

    def hold():
        with stopping.hold_stops() as watch:
            signal.raise_signal(signal.SIGINT)
            steps.append(watch.number)
            with stopping.hold_stops():
                signal.raise_signal(signal.SIGINT)
            steps.append("inner")

    with pytest.raises(KeyboardInterrupt):
        hold()
    assert steps == [signal.SIGINT, "inner"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_stop_passes_where_it_may():
    with pytest.raises(KeyboardInterrupt), stopping.hold_stops() as watch, watch.let_through():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_has_a_handler_keeps_it():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    try:
        with stopping.hold_stops() as watch:
            signal.raise_signal(signal.SIGINT)
            assert (heard, watch.number) == ([True], 0)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_stop_while_a_result_is_saved(tmp_path, monkeypatch):
    result = cribsim.simulate(["greedy", "greedy"], deals=10)
    plain = Result.write

    def interrupted(self, folder):
        signal.raise_signal(signal.SIGINT)
        plain(self, folder)

    monkeypatch.setattr(Result, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        result.save(tmp_path / "saved")
    with pytest.raises(cribsim.errors.Interrupted) as caught:
        cribsim.simulate(["greedy", "greedy"], deals=10, out=tmp_path / "run")
    assert caught.value.result.provenance["complete"]
    for name in ("saved", "run"):
        assert Result.load(tmp_path / name).tally == result.tally


# Drafts


def test_a_killed_run_leaves_nothing_for_long(tmp_path):
    process = begin(tmp_path, "--out", str(tmp_path / "run"), "--record")
    wait_until((tmp_path / "playing").exists, process)
    (draft,) = tmp_path.glob(".run*")
    with new_folder(tmp_path / "run"):
        assert draft.is_dir(), "a living process writes it"
    process.kill()
    process.wait()
    assert draft.is_dir()
    cribsim.simulate(["greedy", "greedy"], deals=10, out=tmp_path / "run")
    assert not list(tmp_path.glob(".run*"))


def test_drafts_of_other_names_and_other_folders_stay(tmp_path):
    others = [".other.draft-abc", ".run", ".run-notes", "run.draft-x"]
    for name in others:
        (tmp_path / name).mkdir()
    with new_folder(tmp_path / "run") as draft:
        (draft / "a.json").touch()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "run"])
