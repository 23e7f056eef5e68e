"""The kernels in every mode: compiled, as plain Python, and with bounds checked, they must play the same.

`make test` runs this file three times: as it is, with NUMBA_DISABLE_JIT=1, and with NUMBA_BOUNDSCHECK=1.
"""

import numba
import numpy as np
import pytest

import cribsim
from cribsim.pegging_game.sets import SETS, count_ranks
from cribsim.strategies.expectimax_play import Tables, choose_ahead, choose_best, make_scratch, shared_tables
from cribsim.strategies.look_ahead import BEST
from cribsim.strategies.montecarlo_play import choose_card
from cribsim.strategies.montecarlo_play import make_scratch as montecarlo_scratch
from cribsim.tally import N_PHASES
from cribsim.views import play_view

PLAYERS = ["greedy", "random", "greedy+random", "random+greedy"]
WITH_EXPECTIMAX = ["expectimax+greedy", "random", "greedy", "expectimax+random"]


def points_by_role(result):
    """All points of a run by role and phase, total left out."""
    counts = result.tally.counts.histograms[: result.rules.players, :N_PHASES]
    return (counts * np.arange(counts.shape[2])).sum(axis=2).tolist()


@pytest.mark.parametrize(
    ("n_players", "points"),
    [
        (2, [[0, 83, 280, 0], [12, 99, 200, 179]]),
        (3, [[0, 77, 226, 0], [0, 99, 209, 0], [4, 109, 302, 210]]),
        (4, [[0, 80, 251, 0], [0, 71, 188, 0], [0, 105, 250, 0], [8, 141, 224, 201]]),
    ],
)
def test_deals_are_the_same_in_every_mode(n_players, points):
    result = cribsim.simulate(PLAYERS[:n_players], deals=40, seed=7, workers=1)
    assert points_by_role(result) == points


@pytest.mark.parametrize(
    ("n_players", "n_deals", "wins"), [(2, 47, [5, 0, 0, 0]), (3, 51, [4, 1, 0, 0]), (4, 31, [4, 1, 4, 1])]
)
def test_games_are_the_same_in_every_mode(n_players, n_deals, wins):
    result = cribsim.simulate(PLAYERS[:n_players], games=5, seed=7, workers=1)
    assert result.deals == n_deals
    assert result.tally.counts.wins.tolist() == wins


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="its table of throws takes a minute in plain Python")
@pytest.mark.parametrize(
    ("n_players", "points"),
    [
        (2, [[0, 148, 452, 0], [16, 149, 308, 254]]),
        (3, [[0, 159, 381, 0], [0, 108, 298, 0], [4, 214, 440, 285]]),
        (4, [[0, 131, 430, 0], [0, 137, 289, 0], [0, 212, 383, 0], [14, 178, 437, 249]]),
    ],
)
def test_expectimax_is_the_same_with_bounds_checked(n_players, points):
    result = cribsim.simulate(WITH_EXPECTIMAX[:n_players], deals=60, seed=7, workers=1)
    assert points_by_role(result) == points


# plays for two that weigh every hand of the other


VIEWS = [
    ("4D 5C 9H KS", [], 0, "TD 2C"),
    ("3C 6H 7H QD", [(0, "8C")], 1, "AD AC"),
    ("2C 5D 6H", [(0, "7C"), (1, "8D")], 0, "KD KC"),
    ("AS 5H", [(0, "TC"), (1, "4D"), (0, "TD"), (1, "7S")], 0, "QD QC"),
    ("9H QD", [(0, "KH"), (1, "KS"), (0, "5H"), (0, "4H"), (1, "QC"), (0, "3C")], 1, "4S KC"),
]


@pytest.mark.parametrize(
    ("at", "best", "ahead", "drawn"), [(0, 0, 3, 0), (1, 2, 2, 2), (2, 2, 2, 2), (3, 0, 0, 0), (4, 1, 1, 0)]
)
def test_plays_that_weigh_hands_are_the_same_in_every_mode(at, best, ahead, drawn):
    hand, plays, seat, thrown = VIEWS[at]
    view = play_view(hand, plays, dealer=1, seat=seat, discards=thrown)[0]
    ways = np.array([1, 4, 6, 4, 1])[count_ranks(4)].prod(axis=1)
    chances = np.tile(ways / ways.sum(), (2, 1))
    tables = Tables((chances * 2.0**30).astype(np.float32), *shared_tables())
    found = [choose_best(view, 2, np.array([1.0, 0.0, 1.0, 0.0]), tables, SETS, make_scratch()), None]
    if view["n_left"][1 - seat] < 4 or not numba.config.DISABLE_JIT:  # all hands of four take long in plain Python
        found[1] = choose_ahead(view, 2, BEST, tables, SETS, make_scratch())
        assert found[1] == ahead
    assert found[0] == best
    assert choose_card(view, 60, False, 1.0, chances, SETS, montecarlo_scratch()) == drawn
