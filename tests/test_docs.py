"""The examples run, the links lead somewhere, and no import points up the house."""

import ast
import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cribsim
from cribsim import cli, experiment, replay_files
from cribsim.replay_files import replay_file
from cribsim.strategies import registry

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "cribsim"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("results/*.md")])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
EXPERIMENTS = sorted(ROOT.glob("experiments/*.toml"))
MODULES = sorted(name for _, name, _ in pkgutil.walk_packages(cribsim.__path__, "cribsim.") if "__main__" not in name)

# Lowest first. A module imports from floors below its own; rooms on one floor don't know each other.
FLOORS = (
    ("errors", "stopping", "_reach", "work"),
    ("cards", "folders", "checkpoints", "json_files", "_jit"),
    ("rule_record", "presets"),
    ("rule_text",),
    ("rules",),
    ("scoring", "streams"),
    ("hands", "starters"),
    ("pegging",),
    ("pegging_game",),
    ("tally",),
    ("views",),
    ("cribs",),
    ("sampling",),
    ("deals", "replay", "given"),
    ("replay_files",),
    ("house", "matches"),
    ("turns",),
    ("rollouts", "counting", "table"),
    ("engine", "strategies"),
    ("stats",),
    ("runs", "winning"),
    ("records", "plots", "saved"),
    ("result",),
    ("simulation",),
    ("comparison",),
    ("analysis",),
    ("bench", "experiment"),
    ("cli",),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
MAY_ALSO = {("strategies/check.py", "engine")}
"""The battery for strategies plays random games to collect views; no strategy does."""


@pytest.fixture(autouse=True)
def _examples_leave_no_names(monkeypatch):
    """Strategies decorated in examples are forgotten again."""
    monkeypatch.setattr(registry, "_USER", dict(registry._USER))


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module)
    assert failed == 0


def python_blocks(page):
    """The Python blocks of a page with the lines they start in."""
    text = page.read_text()
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start(1)), block.group(1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page, tmp_path, monkeypatch):
    """The blocks of a page run in order, in one namespace, in a folder that holds the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": "__main__"}
    for line, code in python_blocks(page):
        if ">>>" in code:
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
            runner.run(test, clear_globs=False)
            names = test.globs
            assert runner.failures == 0
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    missing = [target for target in targets if target and "://" not in target and not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/design.md"])
def test_what_developers_are_told_of_exists(page):
    """Files, and names of the code, in backticks. (NAME stands for any; `out_...` for what begins so.)"""
    files = [path for folder in ("cribsim", "tests") for path in ROOT.glob(f"{folder}/**/*.py")]
    known = {path.stem for path in files} | {path.parent.name for path in files}
    known.update(re.findall(r"\w+", "\n".join(path.read_text() for path in files)))
    for told in re.findall(r"`([^`\n]+)`", (ROOT / page).read_text()):
        if "/" in told and "NAME" not in told:
            assert (ROOT / told).exists() or (PACKAGE / told).exists(), told
        elif re.fullmatch(r"\w+(\.\w+)*", told):
            assert set(told.split(".")) <= known, told


def is_for_types_only(node):
    """Whether this is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported_rooms(path):
    """The rooms of the house that a file imports from, wherever in the file, types apart."""
    waiting = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if is_for_types_only(node):
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            dotted = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: write imports in full"
            # `from cribsim import x` may name a room
            is_top = node.module == "cribsim"
            dotted = [f"cribsim.{name.name}" for name in node.names] if is_top else [node.module or ""]
        else:
            continue
        for name in dotted:
            parts = name.split(".")
            if parts[0] == "cribsim" and len(parts) > 1 and parts[1] in FLOOR_OF:
                yield parts[1]


def room_of(path):
    """The room that a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or not path.name.startswith("__"))


def test_every_module_has_its_floor():
    """A new module is put on a floor here, and into docs/design.md."""
    assert {room_of(path) for path in SOURCES} <= set(FLOOR_OF)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    room, within = room_of(path), path.relative_to(PACKAGE).as_posix()
    for imported in imported_rooms(path):
        is_allowed = imported == room or (within, imported) in MAY_ALSO
        assert is_allowed or FLOOR_OF[imported] < FLOOR_OF[room], f"{within} imports {imported}, which lies no lower"


def test_import_loads_nothing_heavy():
    """What is heavy is imported where it is used."""
    heavy = {"numba", "numpy", "pandas", "matplotlib", "scipy", "pyarrow", "pydantic"}
    code = f"import sys, cribsim; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def command_lines():
    """Every `cribsim ...` line of the shell blocks of the pages, the examples and the experiments."""
    texts = {page: "\n".join(re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.M | re.S)) for page in PAGES}
    texts |= {page: page.read_text() for page in [*EXAMPLES, ROOT / "Makefile"]}
    for page, text in texts.items():
        for line in re.findall(r"^\s*(?:\$\(BIN\)/)?cribsim (\w.*)$", text, re.M):
            yield pytest.param(line, id=f"{page.name}: {line}")


@pytest.mark.parametrize("line", list(command_lines()))
def test_documented_commands_are_understood(line):
    """The options exist and their values can be read; nothing is played."""
    name, *words = cli.spread_options(shlex.split(line.partition("  #")[0]))
    command = cli.cli.get_command(None, name)
    assert command is not None
    command.make_context(name, words)


@pytest.mark.parametrize(
    "player", ["examples/my_strategy.py:keep_fives+greedy", "expectimax+examples/my_strategy.py:low_lead"]
)
def test_example_strategies_play(player, monkeypatch):
    monkeypatch.chdir(ROOT)
    cribsim.check_strategy(player, players=2, n_deals=50)
    assert cribsim.compare(player, "expectimax+greedy", deals=200).pairs == 200


def test_the_example_of_a_recorded_play_shows_what_is_checked():
    found = replay_file(ROOT / "examples" / "play.json")
    assert [error["line"] for error in found["errors"]] == [5, 9, 10]
    assert "examples/play.json" in cli.cli.get_command(None, "replay").help


def test_every_key_of_a_recorded_play_is_documented():
    text = (ROOT / "docs" / "replay.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", text, re.M) == [
        "hands",
        "plays",
        "dealer",
        "players",
        "rules",
        "scores",
        "pegged",
    ]
    assert set(replay_files._KINDS) == set(re.findall(r"^\| `(\w+)` \|", text, re.M))


KEPT = [path for path in EXPERIMENTS if (ROOT / "results" / path.stem).is_dir()]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_kept_result_is_what_the_experiment_gives(path, tmp_path, monkeypatch):
    """Question, method and answer are there, and another run gives the kept table digit by digit."""
    monkeypatch.chdir(ROOT)
    found = experiment.read_experiment(path)
    assert found.question
    assert found.method
    assert found.answer
    experiment.run_experiment(found, out=str(tmp_path / "again"))
    kept = ROOT / "results" / path.stem / "summary.csv"
    assert (tmp_path / "again" / "summary.csv").read_text() == kept.read_text()
