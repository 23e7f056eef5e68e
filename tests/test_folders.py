"""Folders that appear whole or not at all: what is in the way is found before, and nothing is lost at the end."""

import os
from pathlib import Path

import pytest

import cribsim
from cribsim.errors import ResultError
from cribsim.folders import new_folder
from cribsim.result import Result


@pytest.fixture
def never_played(monkeypatch):
    """Nothing may be played before the folder is found to be wrong."""
    monkeypatch.setattr("cribsim.simulation.play_chunk", lambda *_: pytest.fail("played"))
    monkeypatch.setattr("cribsim.comparison.group_chunk", lambda *_: pytest.fail("played"))


@pytest.mark.usefixtures("never_played")
@pytest.mark.parametrize("run", ["simulate", "compare"])
@pytest.mark.parametrize(
    ("out", "wrong"),
    [
        ("", "'' names no new folder"), (".", "'.' names no new folder"), ("x/..", "'x/..' names no new folder"),
        ("/", "'/' names no new folder"), ("..", "'..' names no new folder"),
        (os.fsdecode(b"\xff"), "can't be written as text"), ("a\0b", "is no folder"), (3, "3 is no folder"),
        ("x" * 256, "can't be written: File name too long"), ("file", "exists already"),
        ("file/x", "can't be written: "), ("full", "exists already"), ("to-file", "exists already"),
    ],
)  # fmt: skip
def test_a_wrong_folder_is_found_before_anything_is_played(run, out, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("full").mkdir()
    Path("full/notes").touch()
    Path("to-file").symlink_to("file")
    before = sorted(tmp_path.rglob("*"))
    players = (["greedy", "greedy"],) if run == "simulate" else ("greedy", "greedy")
    with pytest.raises(ResultError) as caught:
        getattr(cribsim, run)(*players, deals=5, out=out)
    assert wrong in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "name", ["mine", "x" * 255, "é" * 100, "a b*[x]", "deep/er/mine", "empty", "to-empty", "to-none"]
)
def test_any_other_folder_will_do(name, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "to-empty").symlink_to("empty")
    (tmp_path / "to-none").symlink_to("none")
    with new_folder(tmp_path / name) as draft:
        (draft / "file").touch()
    assert [path.name for path in (tmp_path / name).iterdir()] == ["file"]
    assert not list(tmp_path.rglob(".*"))


def test_what_took_the_place_meanwhile_stays_and_the_draft_too(tmp_path, monkeypatch):
    write = Result.write

    def write_late(result, draft):
        write(result, draft)
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "other").touch()

    monkeypatch.setattr(Result, "write", write_late)
    with pytest.raises(OSError, match=r"exists already.*; the whole result lies in ") as caught:
        cribsim.simulate(["greedy", "greedy"], deals=10, out=tmp_path / "run")
    assert (tmp_path / "run" / "other").exists()
    with new_folder(tmp_path / "run2"):
        pass
    assert Result.load(kept(caught)).deals == 10


def kept(caught):
    """Where a result lies that couldn't be renamed."""
    return Path(str(caught.value).rpartition(" lies in ")[2])


def test_a_rename_that_fails_keeps_what_was_played(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("cribsim.folders.os.replace", fail)
    with pytest.raises(OSError, match=r"run can't be written: Input/output error; the whole result lies in ") as caught:
        cribsim.simulate(["greedy", "greedy"], deals=10, out=tmp_path / "run")
    monkeypatch.undo()
    for _ in range(2):
        assert Result.load(kept(caught)).deals == 10
        if not (tmp_path / "run").exists():
            cribsim.simulate(["greedy", "greedy"], deals=10, out=tmp_path / "run")


def test_what_gives_way_stays_until_the_new_is_whole(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "old").touch()
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "run", lambda folder: True):
        1 / 0  # noqa: B018
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["old"]
    with new_folder(tmp_path / "run", lambda folder: True) as draft:
        (draft / "new").touch()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
