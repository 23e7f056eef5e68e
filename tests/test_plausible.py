"""Known averages of cribbage: exact discards and greedy play against themselves, in bounds of several standard errors.

The yardstick is a program in plain C (shared/yardstick of November 2026) that plays the same game; the averages of
players and books (tests/data/phase_averages.csv) lie close by.
"""

import pytest

import cribsim

YARDSTICK = {
    ("pone", "hand"): 8.15,
    ("dealer", "hand"): 7.99,
    ("dealer", "crib"): 4.79,
    ("pone", "pegging"): 2.32,
    ("dealer", "pegging"): 3.85,
}
CAREFUL = "expectimax+greedy"


@pytest.fixture(scope="module")
def mirror():
    return cribsim.simulate([CAREFUL, CAREFUL], deals=300_000, seed=2026)


@pytest.mark.parametrize(("role", "phase"), YARDSTICK, ids=" ".join)
def test_phases_are_the_yardsticks(role, phase, mirror):
    estimate = mirror.estimate(role, phase)
    assert estimate.mean == pytest.approx(YARDSTICK[role, phase], abs=0.03)
    assert 0.001 < estimate.se < 0.01


def test_heels_come_once_in_thirteen_deals(mirror):
    estimate = mirror.estimate("dealer", "heels")
    assert abs(estimate.mean - 2 / 13) < 5 * estimate.se
    assert mirror.histogram("heels", "dealer").tolist()[1] == 0
    assert mirror.estimate("pone", "heels").mean == 0


def test_only_the_dealer_has_a_crib(mirror):
    assert mirror.estimate("pone", "crib").mean == 0


def test_totals_are_the_sums_of_their_phases(mirror):
    for role in ("pone", "dealer"):
        parts = sum(mirror.estimate(role, phase).mean for phase in ("heels", "pegging", "hand", "crib"))
        assert mirror.estimate(role, "total").mean == pytest.approx(parts)


@pytest.mark.parametrize("phase", ["hand", "crib"])
@pytest.mark.parametrize("role", ["pone", "dealer"])
def test_no_show_scores_19_25_26_or_27(role, phase, mirror):
    counts = mirror.histogram(phase, role)
    assert len(counts) <= 30
    assert not [points for points in (19, 25, 26, 27) if points < len(counts) and counts[points]]


def test_the_dealer_always_pegs(mirror):
    """With two players the last card or the go falls to the dealer at least once; the pone may peg nothing."""
    dealer, pone = mirror.histogram("pegging", "dealer"), mirror.histogram("pegging", "pone")
    assert dealer[0] == 0
    assert pone[0] > 0


def test_the_dealer_always_pegs_against_random_players_too():
    result = cribsim.simulate(["random", "random"], deals=200_000, seed=111)
    assert result.histogram("pegging", "dealer")[0] == 0
    four = cribsim.simulate(["random"] * 4, deals=20_000, seed=111)
    assert four.histogram("pegging", "dealer")[0] > 0


def test_the_first_dealer_wins_a_little_more_often():
    found = cribsim.simulate([CAREFUL, CAREFUL], games=60_000, seed=2026).to_json()
    assert found["first_dealer_wins"]["mean"] == pytest.approx(0.5565, abs=0.006)
    wins = [row["mean"] for row in found["wins"]]
    assert sum(wins) == pytest.approx(1)
    assert wins[0] == pytest.approx(0.5, abs=0.01)  # the first deal alternates
    assert 8 < found["deals_per_game"]["mean"] < 10


def test_the_first_dealer_of_random_players():
    found = cribsim.simulate(["random", "random"], games=60_000, seed=2026).to_json()
    assert found["first_dealer_wins"]["mean"] == pytest.approx(0.553, abs=0.008)


def test_each_half_of_a_player_is_worth_points():
    """CR-086 and common sense: greedy beats random in play and in discards, exact discards beat greedy ones."""
    for better, worse in (("greedy", "random"), ("random+greedy", "random"), (CAREFUL, "greedy")):
        found = cribsim.compare(better, worse, deals=20_000, seed=3).difference
        assert found.mean > 4 * found.se
