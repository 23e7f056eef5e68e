"""The kernels in every mode: compiled, as plain Python, and with bounds checked, they must play the same.

`make test` runs this file three times: as it is, with NUMBA_DISABLE_JIT=1, and with NUMBA_BOUNDSCHECK=1.
"""

import numba
import numpy as np
import pytest

import cribsim
from cribsim.tally import PHASES

PLAYERS = ["greedy", "random", "greedy+random", "random+greedy"]
WITH_EXPECTIMAX = ["expectimax+greedy", "random", "greedy", "expectimax+random"]


def points_by_role(result):
    """All points of a run by role and phase, total left out."""
    counts = result.tally.counts.histograms[: result.rules.players, : len(PHASES) - 1]
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
