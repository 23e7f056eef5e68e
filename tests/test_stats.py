"""From integers to estimates: against the statistics module, scipy and exact fractions; are intervals right?"""

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from case_rows import kinds, rows
from scipy import stats as scipy_stats

import cribsim
from cribsim import Rules
from cribsim.records import record_chunk
from cribsim.runs import Job
from cribsim.stats import (
    check_confidence,
    clean_json,
    estimate_mean,
    estimate_paired_share,
    estimate_ratio,
    estimate_share,
    from_sums,
    quantile,
)
from cribsim.strategies import find_player
from cribsim.tally import phases_of

CONFIDENCES = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999999]


def sums_of(values):
    return len(values), sum(values), sum(value * value for value in values)


def check_mean(estimate, values, confidence=0.95):
    """The mean and its normal interval, by the formulas of the statistics module."""
    mean, se = statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))
    assert estimate.n == len(values)
    assert estimate.mean == pytest.approx(mean, rel=1e-12, abs=1e-12)
    assert estimate.se == pytest.approx(se, rel=1e-9, abs=1e-12)
    if se:
        low, high = scipy_stats.norm.interval(confidence, mean, se)
        assert (estimate.low, estimate.high) == pytest.approx((low, high))
    else:
        assert estimate.low == estimate.high == estimate.mean


# Means


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_the_quantile_is_the_normal_one(confidence):
    assert quantile(confidence) == pytest.approx(scipy_stats.norm.ppf((1 + confidence) / 2), rel=1e-12)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("values", [[0, 1], [5, 5, 5], [3, -7, 0, 12, 12], list(range(30)), [0] * 99 + [29]], ids=len)
def test_means_from_sums(values, confidence):
    check_mean(from_sums(*sums_of(values), confidence=confidence), values, confidence)


@pytest.mark.parametrize("scale", [0.5, -1.0, 100])
def test_scaled_means(scale):
    values = [4, -1, 7, 7, 0]
    check_mean(from_sums(*sums_of(values), scale=scale), [scale * value for value in values])


@pytest.mark.parametrize("counts", [[3, 0, 2, 1], [0, 0, 5], [1, 1], [10**3, 7, 0, 0, 1]], ids=repr)
def test_means_of_histograms(counts):
    values = [value for value, n in enumerate(counts) for _ in range(n)]
    check_mean(estimate_mean(counts), values)
    check_mean(estimate_mean(np.array(counts, np.int64)), values)


@pytest.mark.parametrize("times", [1, 10**6, 10**12])
def test_long_runs_lose_no_digits(times):
    """CR-137: sums of squares pass 2^32 and later 2^63; n^2 x variance is exact in whole numbers."""
    counts = [2 * times, 0, 5 * times, times, 0, 0, times]
    n, total, squares = 9 * times, 19 * times, (5 * 4 + 9 + 36) * times
    variance = (Fraction(squares) - Fraction(total) ** 2 / n) / (n - 1)
    estimate = estimate_mean(counts)
    assert estimate.n == n
    assert estimate.mean == pytest.approx(19 / 9, rel=1e-15)
    assert estimate.se == pytest.approx(math.sqrt(variance / n), rel=1e-12)


def test_a_tiny_spread_about_a_large_mean_is_seen():
    """One value in 10^12 differs by one: the spread is not lost beside the mean."""
    n = 10**12
    estimate = from_sums(n, 29 * n + 1, 841 * n + 59)
    assert estimate.se == pytest.approx(1e-12, rel=1e-6)


def test_one_observation_has_no_error_bar():
    estimate = from_sums(1, 7, 49)
    assert estimate.mean == 7
    assert math.isnan(estimate.se)
    assert estimate.as_dict() == {"mean": 7.0, "se": None, "low": None, "high": None}


@pytest.mark.parametrize(
    "none", [from_sums(0, 0, 0), estimate_mean([]), estimate_share(0, 0), estimate_ratio([0] * 3, [0] * 3)]
)
def test_no_observations_say_nothing(none):
    assert none.n == 0
    assert none.as_dict() == dict.fromkeys(("mean", "se", "low", "high"))


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5, 95, math.nan, math.inf, "a", None, [0.95]], ids=repr)
def test_what_is_no_confidence_is_refused(confidence):
    with pytest.raises(cribsim.CribsimError, match="confidence"):
        check_confidence(confidence)
    with pytest.raises(cribsim.CribsimError, match="confidence"):
        cribsim.simulate(["random", "random"], deals=1, confidence=confidence)
    with pytest.raises(cribsim.CribsimError, match="confidence"):
        cribsim.compare("random", "random", deals=1, confidence=confidence)


# Shares


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize(
    ("hits", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (1, 40), (20, 40), (39, 40), (5565, 10_000), (7, 10**9)]
)
def test_shares_have_wilsons_interval(hits, n, confidence):
    estimate = estimate_share(hits, n, confidence=confidence)
    wilson = scipy_stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert estimate.mean == hits / n
    assert estimate.n == n
    assert estimate.se == pytest.approx(math.sqrt(hits / n * (1 - hits / n) / n))
    assert (estimate.low, estimate.high) == pytest.approx((wilson.low, wilson.high), abs=1e-9)
    assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1


def paired_share(pairs, **options):
    """The estimate from lists of the hits of each pair."""
    return estimate_paired_share(len(pairs), sum(pairs), sum(hits * hits for hits in pairs), **options)


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_paired_shares_stay_within_their_bounds(confidence):
    """Every number of pairs up to six with 0, 1 and 2 hits."""
    for both, split, none in itertools.product(range(7), repeat=3):
        pairs = [2] * both + [1] * split + [0] * none
        if len(pairs) < 2:
            continue
        found = paired_share(pairs, confidence=confidence)
        assert found.mean == sum(pairs) / (2 * len(pairs))
        assert found.se == pytest.approx(statistics.stdev(pairs) / 2 / math.sqrt(len(pairs)))
        assert 0 <= found.low <= found.mean <= found.high <= 1
        assert found.low < found.high


def test_pairs_all_won_say_no_more_than_as_many_observations():
    for n in (2, 6, 100):
        won, lost = paired_share([2] * n), paired_share([0] * n)
        assert (won.low, won.high) == pytest.approx((estimate_share(n, n).low, 1))
        assert (lost.low, lost.high) == pytest.approx((0, 1 - won.low))


def test_pairs_all_split_by_luck_leave_a_doubt():
    """Only a player against himself is known to win a half; others may have split a few pairs by chance."""
    found = paired_share([1] * 50)
    assert (found.low, found.high) == pytest.approx((1 - found.high, 1 - found.low))
    assert found.high - found.low > 0.2
    split = cribsim.compare("expectimax+greedy", "greedy", games=6, seed=4).win_rate_a
    assert split.mean != 0.5 or split.low < 0.4
    mirror = cribsim.compare("greedy", "greedy", games=6, seed=4).win_rate_a
    assert mirror.as_dict() == {"mean": 0.5, "se": 0.0, "low": 0.5, "high": 0.5}


def test_pairs_that_are_alone_or_none_have_no_interval():
    for pairs in ([], [1], [2]):
        assert paired_share(pairs).as_dict()["low"] is None


@pytest.mark.parametrize("shares", [(0.25, 0.5, 0.25), (0.02, 0.2, 0.78), (0.4, 0.2, 0.4), (0.1, 0.8, 0.1)], ids=repr)
@pytest.mark.parametrize("n", [30, 300])
def test_paired_intervals_cover_the_share(shares, n):
    """Independent, one-sided, positively and negatively related pairs: about 95 of 100 intervals hold the truth."""
    counts = np.random.default_rng(5).multinomial(n, shares, 2000)
    truth = shares[2] + shares[1] / 2
    found = [estimate_paired_share(n, int(one + 2 * two), int(one + 4 * two)) for _, one, two in counts]
    covered = np.mean([each.low <= truth <= each.high for each in found])
    assert 0.92 < covered < 0.98


# Ratios


def ratio_of(x, d, **options):
    """The estimate from lists of the units' points and deals."""
    unit_sums = [sum(x), sum(a * a for a in x), sum(a * b for a, b in zip(x, d, strict=True))]
    return estimate_ratio(unit_sums, [len(d), sum(d), sum(b * b for b in d)], **options)


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_ratios_by_their_formula(confidence):
    rng = np.random.default_rng(3)
    d = rng.integers(6, 13, 200).tolist()
    x = [int(rng.poisson(5 * n)) for n in d]
    estimate = ratio_of(x, d, confidence=confidence)
    ratio = sum(x) / sum(d)
    residuals = [a - ratio * b for a, b in zip(x, d, strict=True)]
    se = statistics.stdev(residuals) * math.sqrt(len(d)) / sum(d)
    assert estimate.n == 200
    assert estimate.mean == pytest.approx(ratio, rel=1e-12)
    assert estimate.se == pytest.approx(se, rel=1e-9)
    assert (estimate.low, estimate.high) == pytest.approx(scipy_stats.norm.interval(confidence, ratio, se))


def test_ratios_of_equal_units_are_means():
    x = [3, 8, 1, 0, 12]
    check_mean(ratio_of(x, [1] * 5), x)
    check_mean(ratio_of(x, [4] * 5), [a / 4 for a in x])


def test_a_constant_ratio_is_certain():
    estimate = ratio_of([15, 30, 45], [5, 10, 15])
    assert estimate.mean == 3
    assert estimate.se == pytest.approx(0, abs=1e-7)


def test_ratio_errors_are_those_of_repeated_samples():
    """2,000 samples of 80 games, shorter where points come faster: the standard error is the spread of the ratios."""
    rng = np.random.default_rng(4)
    estimates = []
    for _ in range(2000):
        speed = rng.gamma(40, 0.25, 80)  # points a deal in this game
        d = np.ceil(121 / speed).astype(int)
        x = rng.poisson(speed * d)
        estimates.append(ratio_of(x.tolist(), d.tolist()))
    spread = statistics.stdev(estimate.mean for estimate in estimates)
    told = statistics.fmean(estimate.se for estimate in estimates)
    assert told == pytest.approx(spread, rel=0.06)


# Pairs


def test_every_kind_of_row_is_checked():
    assert kinds("statistics") == {"paired_interval", "procedure"}


@rows("statistics", "paired_interval")
def test_pairs_are_one_observation_each(row):
    given, right = row["input"], row["expected"]
    differences = [a - b for a, b in zip(given["a"], given["b"], strict=True)]
    estimate = from_sums(*sums_of(differences))
    variance = right["paired_variance_of_mean"]
    assert estimate.n == right["n_pairs"], row["why"]
    assert estimate.mean == right["mean_difference"]["float"]
    assert estimate.se == pytest.approx(right["paired_standard_error"], abs=1e-9)
    assert estimate.se**2 == pytest.approx(variance["num"] / variance["den"], abs=1e-12)


@rows("statistics", "procedure")
def test_mirrored_deals_count_once(row):
    n = row["input"]["given"]["deals"]
    found = cribsim.compare("greedy", "random", deals=n)
    assert found.pairs == found.difference.n == row["expected"]["n"], row["why"]
    assert set(found.summary()["n"]) == {n}


# What a run reports


def job_of(players, *, in_game=False):
    return Job(tuple(map(find_player, players)), Rules(players=len(players)), 21, in_game)


def phase_points(row, seat):
    deals = seat == row["dealer"]
    points = [row["heels"] * deals, row["pegging"][seat], row["hand"][seat], row["crib_points"] * deals]
    return [*points, sum(points)]


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_a_run_of_deals_reports_the_means_of_its_deals(n_players):
    players = ["greedy", "random", "greedy", "random"][:n_players]
    result = cribsim.simulate(players, deals=400, seed=21, workers=1, confidence=0.9)
    table = record_chunk(job_of(players), 0, 400)[1].to_pylist()
    for seat, role in enumerate(result.rules.roles):
        for at, phase in enumerate(phases_of(muggins=False)):
            check_mean(result.estimate(role, phase), [phase_points(row, seat)[at] for row in table], 0.9)
    frame = result.summary()
    assert frame.columns.tolist() == ["seat", "phase", "mean", "se", "low", "high", "n"]
    assert frame["n"].eq(400).all()
    assert [(row["seat"], row["phase"]) for row in result.phases()] == list(
        zip(frame["seat"], frame["phase"], strict=True)
    )


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_a_run_of_games_reports_ratios_over_its_games(n_players):
    """The deals of a game belong together, so a game is one observation."""
    players, n_games = ["greedy", "random", "greedy", "random"][:n_players], 80
    result = cribsim.simulate(players, games=n_games, seed=21, workers=1)
    table = record_chunk(job_of(players, in_game=True), 0, n_games)[1].to_pylist()
    lengths = [sum(row["game"] == game for row in table) for game in range(n_games)]
    for role_at, role in enumerate(result.rules.roles):
        for at, phase in enumerate(phases_of(muggins=False)):
            x = [0] * n_games
            for row in table:
                x[row["game"]] += phase_points(row, (row["dealer"] + 1 + role_at) % n_players)[at]
            right, found = ratio_of(x, lengths), result.estimate(role, phase)
            assert found == right
            assert found.mean == pytest.approx(sum(x) / len(table))
    told = result.to_json()
    check_mean(from_sums(*sums_of(lengths)), lengths)
    assert told["deals_per_game"]["mean"] == pytest.approx(statistics.fmean(lengths))
    assert told["deals_per_game"]["se"] == pytest.approx(statistics.stdev(lengths) / math.sqrt(n_games))


def test_a_run_of_games_reports_wins_and_game_points():
    result = cribsim.simulate(["greedy", "random"], games=300, seed=21, workers=1)
    table = record_chunk(job_of(["greedy", "random"], in_game=True), 0, 300)[1].to_pylist()
    finals = {row["game"]: row["scores"] for row in table}
    values = [[], []]
    for scores in finals.values():
        lost = min(scores)
        value = 2 if lost < 91 else 1
        for seat in range(2):
            values[seat].append(value if scores[seat] == 121 else 0)
    for seat, row in enumerate(result.wins()):
        n_won = sum(value > 0 for value in values[seat])
        wilson = scipy_stats.binomtest(n_won, 300).proportion_ci(0.95, method="wilson")
        assert row["mean"] == n_won / 300
        assert (row["low"], row["high"]) == pytest.approx((wilson.low, wilson.high))
        assert row["game_points"]["mean"] == pytest.approx(statistics.fmean(values[seat]))
        assert row["game_points"]["se"] == pytest.approx(statistics.stdev(values[seat]) / math.sqrt(300))
    first = sum(scores[(1 + game) % 2] == 121 for game, scores in finals.items())
    told = result.to_json()
    assert told["first_dealer_wins"]["mean"] == first / 300
    assert told["skunks"]["skunk"]["mean"] == sum(61 <= min(scores) < 91 for scores in finals.values()) / 300
    assert told["skunks"]["double_skunk"]["mean"] == sum(min(scores) < 61 for scores in finals.values()) / 300


def test_json_has_null_where_there_is_no_number():
    assert clean_json({"a": [math.nan, np.float64(2), np.int64(3)], "b": (math.inf, "x", None)}) == {
        "a": [None, 2.0, 3],
        "b": [None, "x", None],
    }


# Are the intervals right as often as they say?


def coverage(estimates, truth):
    hits = sum(estimate.low <= truth <= estimate.high for estimate in estimates)
    return scipy_stats.binomtest(hits, len(estimates), 0.95).pvalue, hits / len(estimates)


def test_intervals_of_means_hold_the_truth():
    """2,000 samples of 300 from a skewed distribution like that of hands."""
    rng = np.random.default_rng(5)
    share = np.exp(-np.arange(30) / 5)
    share /= share.sum()
    truth = float(share @ np.arange(30))
    estimates = [estimate_mean(rng.multinomial(300, share)) for _ in range(2000)]
    chance, found = coverage(estimates, truth)
    assert chance > 1e-3, found


@pytest.mark.parametrize(("truth", "n"), [(0.5, 40), (0.1, 50), (0.5565, 1000), (0.01, 300)])
def test_intervals_of_shares_hold_the_truth(truth, n):
    """Exactly: the chances of all numbers of hits whose interval holds the truth."""
    hits = np.arange(n + 1)
    holds = [estimate_share(k, n).low <= truth <= estimate_share(k, n).high for k in hits.tolist()]
    assert scipy_stats.binom.pmf(hits, n, truth)[holds].sum() == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize("what", ["deals", "games"])
def test_intervals_of_runs_hold_the_truth(what):
    """200 short runs against one long one of other deals."""
    n, long = (300, 300_000) if what == "deals" else (50, 40_000)
    whole = cribsim.simulate(["greedy", "random"], **{what: long}, seed=1)
    parts = [cribsim.simulate(["greedy", "random"], **{what: n}, seed=2, first=i * n, workers=1) for i in range(200)]
    for role, phase in (("pone", "hand"), ("dealer", "crib"), ("dealer", "pegging"), ("pone", "total")):
        truth = whole.estimate(role, phase).mean
        chance, found = coverage([part.estimate(role, phase) for part in parts], truth)
        assert chance > 1e-4, (role, phase, found)


def test_intervals_of_comparisons_hold_the_truth():
    whole = cribsim.compare("greedy", "random", deals=200_000, seed=1)
    parts = [cribsim.compare("greedy", "random", deals=200, seed=2, first=i * 200, workers=1) for i in range(200)]
    chance, found = coverage([part.difference for part in parts], whole.difference.mean)
    assert chance > 1e-4, found
    assert whole.difference.low > 0
