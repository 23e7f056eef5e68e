"""A strategy whose code or file changes within a process is another strategy, for every question about discards."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cribsim
from cribsim.errors import PlayerError, StrategyError
from cribsim.strategies import find_half, registry
from cribsim.strategies.policy import policy_of
from cribsim.strategies.tables import DATA

HAND = "2C 3H 4D 5D 5S JS"


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.setattr(registry, "_USER", dict(registry._USER))


def cribs(opponent, hand=HAND, rules=None):
    return cribsim.evaluate_discards(hand, dealer=True, pegging=False, opponent=opponent, rules=rules).crib.tolist()


def test_a_strategy_that_is_defined_anew_is_asked_anew():
    def define(answer):
        @cribsim.discard_strategy("mine", jit=True, players=2)
        def mine(view):
            return answer[0], answer[1]

        return mine

    assert cribs(define((0, 1))) != cribs(define((4, 5)))


def test_a_strategy_whose_file_is_edited_is_asked_anew(tmp_path):
    file, found = tmp_path / "mine.py", []
    for answer in ("0", "4"):
        file.write_text(f"def throw(view):\n    return {answer}\n")
        found.append(cribs(f"{file}:throw", "5H 5S 6C JD KD", "three"))
    assert found[0] != found[1]


def test_a_crib_table_that_is_edited_is_read_anew(tmp_path, monkeypatch):
    """Under the same path, and under the same name in another folder."""
    table, found = (DATA / "schell.csv").read_text(), []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        for points in ("9", "1"):
            (tmp_path / folder / "mine.csv").write_text(
                table.replace("KK,", f"KK,{points}").replace("5J,", f"5J,{points}")
            )
            frame = cribsim.evaluate_discards(
                HAND, dealer=True, opponent="expectimax(table=mine.csv)", static="mine.csv"
            )
            found.append((frame.static.tolist(), frame.crib.tolist()))
    assert found[0] != found[1]
    assert found[0] == found[2]
    assert found[1] == found[3]
    half = find_half("expectimax(table=mine.csv)", "discard")
    assert half.code
    assert not find_half("expectimax(table=hessel)", "discard").code


def test_a_table_of_throws_that_is_replaced_is_read_anew(tmp_path):
    n, found = 962988, []
    for throw in (0, 14):
        table = {
            "role": ["pone"] * n + ["dealer"] * n,
            "index": np.tile(np.arange(n), 2),
            "throw": np.full(2 * n, throw),
        }
        pq.write_table(pa.table(table), tmp_path / "mine.parquet")
        found.append(cribs(f'table(file="{tmp_path}/mine.parquet")'))
    assert found[0] != found[1]


@pytest.mark.parametrize("roles", [[["pone"]] * 4, [b"\xff"] * 4, [{"a": 1}] * 4])
def test_a_table_with_odd_roles_is_refused(tmp_path, roles):
    pq.write_table(pa.table({"role": pa.array(roles), "index": [0] * 4, "throw": [0] * 4}), tmp_path / "odd.parquet")
    with pytest.raises(PlayerError, match=r"odd\.parquet"):
        cribs(f'table(file="{tmp_path}/odd.parquet")')


@pytest.mark.parametrize(
    "body",
    ["view.key % 2", "view.key % 8", "view.key >> 63", "(view.key % 3) * (view.cards[0] // 4 == view.cards[3] // 4)"],
)
def test_a_strategy_that_draws_has_no_policy(tmp_path, body):
    """Whichever bits of its key it looks at, and also where it does so for rare hands alone."""
    (tmp_path / "mine.py").write_text(
        "import cribsim\n\n@cribsim.discard_strategy('coin', jit=True, players=2)\n"
        f"def coin(view):\n    return 0, 1 + int({body})\n".replace("1 + int(view.key % 8)", "1 + int(view.key % 4)")
    )
    with pytest.raises(PlayerError, match="draws"):
        policy_of(find_half(f"{tmp_path}/mine.py:coin", "discard"), 0)


@pytest.mark.parametrize("opponent", ["expectimax(crib=exact)", "montecarlo(samples=10000000)"])
def test_a_strategy_that_would_take_days_is_refused(opponent):
    with pytest.raises(PlayerError, match=r"hours|draws"):
        cribs(opponent)


def test_a_strategy_that_raises_is_named(tmp_path):
    (tmp_path / "mine.py").write_text("def throw(view):\n    raise ValueError('no idea')\n")
    with pytest.raises(StrategyError, match=r"mine\.py:throw.*ValueError: no idea.*view: holds|view:"):
        cribs(f"{tmp_path}/mine.py:throw")
