"""What all tests share."""

import contextlib
import json

import pytest

from cribsim import cli


def pytest_addoption(parser):
    """More games for the oracle of house rules: --games 5000."""
    parser.addoption("--games", type=int, default=None, help="games (or matches) by each rule, in place of a few")


@pytest.fixture
def many_games(request):
    """How many games by each rule the oracle plays again, given how many it does without --games."""
    return lambda usual: request.config.getoption("games") or usual


@pytest.fixture(autouse=True)
def _compile_in_silence(monkeypatch):
    """No test of this process expects the line that kernels are compiled: it depends on what ran before."""
    monkeypatch.setattr("cribsim._jit.telling_of_compilation", lambda tell: contextlib.nullcontext())


@pytest.fixture(autouse=True)
def _home_of_its_own(monkeypatch, tmp_path_factory):
    """What the user of this machine has solved for himself doesn't change what tests play."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data-home"))


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run a command in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            cli.main(words)
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return call


@pytest.fixture
def answer(run):
    """Run a command with --json; return the object, the only thing on stdout."""

    def call(*words):
        code, out, err = run(*words, "--json")
        assert (code, out.count("\n")) == (0, 1), err
        found = json.loads(out, parse_constant=pytest.fail)
        assert next(iter(found.items())) == ("schema_version", 1)
        return found

    return call
