"""Policies, an answer for every hand in one array; and the discard strategies that come with tables and samples."""

import csv
import random
from fractions import Fraction
from itertools import pairwise, permutations
from math import comb
from pathlib import Path

import numpy as np
import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cribsim
from cribsim.analysis.discards import discard_values
from cribsim.errors import PlayerError
from cribsim.hands import N_CLASSES, class_hands, index_classes
from cribsim.rules import Rules, read_rules
from cribsim.strategies import check_strategy, find_half, find_player, list_strategies
from cribsim.strategies import policy as policies
from cribsim.strategies.classes import spread_classes
from cribsim.strategies.policy import policy_of
from cribsim.strategies.tables import DATA
from cribsim.views import DISCARD_VIEW, discard_view, play_view, thrown_positions

N_SIX = N_CLASSES[6]
RENAMINGS = list(permutations(range(4)))


def random_hands(n, n_cards=6, seed=0):
    rng = np.random.default_rng(seed)
    return np.sort(rng.permuted(np.tile(np.arange(52), (n, 1)), axis=1)[:, :n_cards], axis=1)


def number(hands):
    """The number of sorted hands in colexicographic order."""
    at = np.array([[comb(card, k + 1) for card in range(52)] for k in range(hands.shape[1])])
    return sum(at[k][hands[:, k]] for k in range(hands.shape[1]))


def ask(half, hands, role, players=2):
    """The strategy's own answers."""
    views = np.zeros(len(hands), DISCARD_VIEW)
    views["cards"] = 255
    views["cards"][:, : hands.shape[1]] = hands
    views["n_cards"], views["n_thrown"] = hands.shape[1], hands.shape[1] - 4
    views["players"], views["role"], views["seat"], views["dealer"] = players, role, role, players - 1
    views["key"] = np.arange(len(hands)) + 1
    return half.answer(views, Rules(players=players))


def parted(hand, answer):
    """A hand as (kept, thrown)."""
    n = len(hand)
    places = thrown_positions(n, n - 4)[answer].tolist()
    kept = [int(hand[at]) for at in range(n) if at not in places]
    return kept, [int(hand[at]) for at in places]


def plainest(hand, answer):
    """The first of all ways to name the suits of what is kept and what is thrown."""
    parts = parted(hand, answer)
    return min(
        tuple(tuple(sorted(card & ~3 | suits[card & 3] for card in part)) for part in parts) for suits in RENAMINGS
    )


# policies


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("strategy", ["expectimax", "greedy", "equilibrium"])
def test_a_policy_holds_what_the_strategy_answers(strategy, role):
    half, hands = find_half(strategy, "discard"), random_hands(4000)
    policy = policy_of(half, role)
    assert (policy.shape, policy.dtype) == ((comb(52, 6),), np.uint8)
    assert np.array_equal(policy[number(hands)], ask(half, hands, role))


@pytest.mark.parametrize(("players", "role"), [(3, 0), (3, 2), (4, 1), (4, 3)])
@pytest.mark.parametrize("strategy", ["expectimax", "greedy", "heuristic"])
def test_a_policy_of_five_cards_holds_what_the_strategy_answers(strategy, players, role):
    half, hands = find_half(strategy, "discard"), random_hands(4000, 5)
    policy = policy_of(half, role, Rules(players=players))
    assert policy.shape == (comb(52, 5),)
    assert np.array_equal(policy[number(hands)], ask(half, hands, role, players))


def test_roles_throw_differently():
    hands, half = random_hands(1000), find_half("equilibrium", "discard")
    assert (policy_of(half, 0)[number(hands)] != policy_of(half, 1)[number(hands)]).mean() > 0.2


def test_a_policy_of_a_strategy_in_python_is_asked_by_class():
    """One hand of each class is asked; what isn't asked is thrown as in its class."""

    @cribsim.discard_strategy("low_cards", players=3)
    def low_cards(view):
        return 0

    policy = policy_of(low_cards.half, 0, Rules(players=3))
    hands = random_hands(300, 5)
    lowest = {tuple(hand): hand[0] >> 2 for hand in hands.tolist()}
    for hand, answer in zip(hands.tolist(), policy[number(hands)].tolist(), strict=True):
        assert hand[answer] >> 2 == lowest[tuple(hand)]


@pytest.mark.parametrize("n_cards", [5, 6])
def test_a_hand_throws_what_its_class_throws(n_cards):
    """However suits are called, the cards thrown are those of the class's own hand, suits of equal standing apart."""
    answers = np.random.default_rng(3).integers(0, 15 if n_cards == 6 else 5, N_CLASSES[n_cards]).astype(np.uint8)
    policy = spread_classes(answers, n_cards)
    assert policy.shape == (comb(52, n_cards),)
    rows, draw = class_hands(n_cards), random.Random(n_cards)
    own = policy[number(rows.astype(int))]
    crowded = np.flatnonzero((np.diff(rows >> 2, axis=1) == 0).sum(axis=1) >= 3)  # where suits tell cards apart
    for at in [*draw.sample(range(len(rows)), 400), *draw.sample(crowded.tolist(), 200)]:
        hand = rows[at]
        told = plainest(hand, answers[at])
        assert plainest(hand, own[at]) == told
        suits = draw.choice(RENAMINGS)
        named = np.sort([card & ~3 | suits[card & 3] for card in hand.tolist()])
        assert plainest(named, policy[number(named[None])[0]]) == told


@pytest.mark.parametrize("strategy", ["random", "montecarlo(samples=2)"])
def test_what_draws_has_no_policy(strategy):
    with pytest.raises(PlayerError, match="draws its throws at random"):
        policy_of(find_half(strategy, "discard"), 0)


def test_an_illegal_answer_makes_no_policy():
    @cribsim.discard_strategy("wild", players=2, batch=True)
    def wild(views, out):
        out[:] = 15

    with pytest.raises(PlayerError, match="wild"):
        policy_of(wild.half, 0)


# policies kept on disk


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder for policies, and `policy_of` that remembers nothing."""
    monkeypatch.setattr(policies, "data_folder", lambda: tmp_path)
    return lambda: np.asarray(policies._made_or_kept(find_half("greedy", "discard"), 0, Rules(players=3))), tmp_path


def test_a_policy_is_kept_and_used_again(kept):
    make, folder = kept
    made = make()
    (file,) = folder.iterdir()
    assert np.array_equal(np.load(file), made)
    np.save(file, np.full_like(made, 3))
    assert (make() == 3).all()


@pytest.mark.parametrize("damage", ["truncated", "empty", "another size", "no array"])
def test_a_damaged_policy_is_made_anew(kept, damage):
    make, folder = kept
    made = make()
    (file,) = folder.iterdir()
    if damage == "another size":
        np.save(file, made[:-1])
    else:
        file.write_bytes({"truncated": file.read_bytes()[:5000], "empty": b"", "no array": b"x" * 3_000_000}[damage])
    assert np.array_equal(make(), made)
    assert np.array_equal(np.load(file), made)
    assert list(folder.iterdir()) == [file]


def test_a_policy_needs_no_folder(monkeypatch, kept):
    make, folder = kept
    monkeypatch.setattr(policies, "data_folder", lambda: folder / "missing")
    made = make()
    monkeypatch.setattr(policies, "data_folder", lambda: None)
    assert np.array_equal(make(), made)


# table(file=...)


def write_table(path, roles, index, throw):
    pq.write_table(pa.table({"role": roles, "index": index, "throw": throw}), path)


@pytest.fixture(scope="module")
def answers():
    return np.random.default_rng(5).integers(0, 15, (2, N_SIX)).astype(np.uint8)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, answers):
    """A table of all hands, its rows in no order, in a folder of its own."""
    path = tmp_path_factory.mktemp("table") / "discards.parquet"
    order = np.random.default_rng(6).permutation(2 * N_SIX)
    roles = pa.DictionaryArray.from_arrays(pa.array((order // N_SIX).astype(np.int8)), ["pone", "dealer"])
    write_table(path, roles, (order % N_SIX).astype(np.int32), answers.ravel()[order])
    return path


@pytest.mark.parametrize("role", [0, 1])
def test_a_table_throws_what_its_file_says(whole, answers, role):
    hands = random_hands(600, seed=7)
    index = np.zeros(len(hands), np.int64)
    index_classes(hands.astype(np.uint8), index)
    rows = class_hands(6)[index]
    found = ask(find_half(f'table(file="{whole.parent}")', "discard"), hands, role)
    for hand, answer, row, told in zip(hands, found, rows, answers[role][index], strict=True):
        assert plainest(hand, answer) == plainest(row, told)


def test_a_table_can_be_played_and_checked(whole):
    player = f'table(file="{whole.parent}")+greedy'
    assert check_strategy(player, n_deals=30).players == (2,)
    assert cribsim.simulate([player, "greedy"], deals=300, seed=1).deals == 300


SMALL = {"role": ["pone", "dealer"], "index": [0, 0], "throw": [1, 2]}


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (SMALL, "1,925,974 of 1,925,976 hands have no throw"),
        ({"role": ["pone"], "index": [0]}, "can't be read"),
        ({**SMALL, "throw": [1, 15]}, "throw from 0 to 14"),
        ({**SMALL, "throw": [1, None]}, "whole numbers are wanted"),
        ({**SMALL, "index": [0, N_SIX]}, "index runs from 0"),
        ({**SMALL, "index": [-1, 0]}, "index runs from 0"),
        ({**SMALL, "throw": ["1", "2"]}, "throw"),
        ({**SMALL, "index": ["0", "0"]}, "index"),
        ({**SMALL, "index": [0.5, 0.5]}, "index"),
        ({name: pa.array([], pa.int32()) for name in SMALL}, "hands have no throw"),
    ],
)
def test_a_table_that_is_none_says_what_is_wrong(tmp_path, columns, wanted):
    path = tmp_path / "odd.parquet"
    pq.write_table(pa.table(columns), path)
    line = refused(f'table(file="{path}")')
    assert wanted in line
    assert str(path) in line


def refused(spec, players=2):
    """The one line with which a discard strategy is refused."""
    with pytest.raises(PlayerError) as caught:
        find_half(spec, "discard").ready(Rules(players=players))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_that_is_no_table_says_so(tmp_path):
    (tmp_path / "text.parquet").write_text("role,index,throw\n")
    assert "can't be read" in refused(f'table(file="{tmp_path}/text.parquet")')
    assert "there is no such file" in refused(f'table(file="{tmp_path}/none.parquet")')
    assert "there is no such file" in refused(f'table(file="{tmp_path}")')
    assert refused("table")


# strategies


def mean_loss(strategy, hands, role, opponent):
    """What the strategy's throws lose on average, by exact values."""
    answers = ask(find_half(strategy, "discard"), hands, role)
    lost = 0.0
    for hand, answer in zip(hands, answers, strict=True):
        thrown = cribsim.format_cards(parted(hand, answer)[1])
        found = discard_values(hand.tolist(), dealer=role == 1, opponent=opponent, pegging=False)
        lost += next(row["loss"] for row in found.rows if row["throw"] == thrown)
    return lost / len(hands)


def test_montecarlo_loses_less_the_more_it_draws():
    """Against any cards, with the exact value of every throw as the judge."""
    hands = [random_hands(50, seed=11), random_hands(50, seed=12)]
    losses = []
    for samples in (20, 200, 2000):
        spec = f"montecarlo(samples={samples},discards=random)"
        losses.append(sum(mean_loss(spec, hands[role], role, "uniform") for role in (0, 1)) / 2)
    assert losses[0] > 2 * losses[1] > 4 * losses[2]
    assert losses[2] < 0.01


def test_montecarlo_knows_whom_it_plays_with():
    """With many samples it finds the throws that are best against its model, not against another."""
    hands = random_hands(8, seed=12)
    for role in (0, 1):
        assert mean_loss("montecarlo(samples=5000,discards=greedy)", hands, role, "greedy") < 0.01


def test_montecarlo_with_pegging_values_differs():
    hands = random_hands(300, seed=13)
    plain, pegging = (
        ask(find_half(f"montecarlo(samples=500{more})", "discard"), hands, 0) for more in ("", ",pegging=true")
    )
    assert 0.02 < (plain != pegging).mean() < 0.5


@pytest.mark.parametrize(
    "strategy", ["montecarlo(samples=20)", "heuristic", "equilibrium", "equilibrium(pegging=false)"]
)
def test_strategies_pass_the_battery_for_the_players_they_claim(strategy):
    claimed = find_half(strategy, "discard").players
    assert check_strategy(f"{strategy}+greedy", n_deals=30).players == claimed
    assert claimed == ((2,) if strategy.startswith("equilibrium") else (2, 3, 4))


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize(
    "strategy",
    [
        "equilibrium",
        "table(file=x)",
        "expectimax(pegging=true)",
        "expectimax(crib=exact)",
        "montecarlo(pegging=true)",
    ],
)
def test_what_is_known_for_two_players_says_so(strategy, players):
    assert "2 players" in refused(strategy, players) or "two players" in refused(strategy, players)


def test_the_crib_table_matters():
    hands = random_hands(2000)
    tables = [
        ask(find_half(f"expectimax(table={name})", "discard"), hands, 1) for name in ("schell", "hessel", "fixed")
    ]
    assert np.array_equal(tables[0], ask(find_half("expectimax", "discard"), hands, 1))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert 0 < (tables[one] != tables[other]).mean() < 0.1


def test_a_crib_table_from_a_file(tmp_path):
    """A table that pays ten points for a pair of aces in one's own crib is followed."""
    lines = (DATA / "schell.csv").read_text().splitlines()
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(line if not line.startswith("AA,") else "AA,30,0" for line in lines))
    hand = np.sort([cribsim.parse_cards("AC AD 5H 5S 5C JD")])
    assert parted(hand[0], ask(find_half(f'expectimax(table="{file}")', "discard"), hand, 1)[0])[1] == [0, 1]
    assert parted(hand[0], ask(find_half("expectimax", "discard"), hand, 1)[0])[1] != [0, 13]


def schell():
    """The crib averages that ship, exactly as written: (own, other) by two ranks."""
    lines = [line for line in (DATA / "schell.csv").read_text().splitlines() if not line.startswith("#")]
    found = {}
    for row in csv.DictReader(lines):
        low, high = sorted("A23456789TJQK".index(rank) for rank in row["pair"])
        found[low, high] = Fraction(row["own"]), Fraction(row["opponent"])
    return found


def pegged(play):
    """Own less the other's pegging in `play` by role and four sorted ranks, exactly as written."""
    file = Path(DATA / f"pegging_{play}.csv")
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    found = {}
    for row in csv.DictReader(lines):
        ranks = tuple(sorted("A23456789TJQK".index(rank) for rank in row["kept"]))
        for role, seat in enumerate(("pone", "dealer")):
            found[role, ranks] = Fraction(row[f"{seat}_own"]) - Fraction(row[f"{seat}_other"])
    assert len(found) == 2 * 1820
    return found


@pytest.mark.parametrize(
    ("pegging", "play"), [("true", "equilibrium"), ("expectimax", "expectimax"), ("greedy", "greedy")]
)
def test_expectimax_with_pegging_throws_what_is_worth_most(pegging, play):
    """Exact worths in fractions, by the oracle's count of the starters."""
    cribs, plays = schell(), pegged(play)
    hands = random_hands(25, seed=14)
    hands[0] = np.sort(cribsim.parse_cards("2H 4H 6H 8H JH JS"))
    half, plain = (find_half(spec, "discard") for spec in (f"expectimax(pegging={pegging})", "expectimax"))
    answers = [ask(half, hands, role) for role in (0, 1)]
    for at, hand in enumerate(hands.tolist()):
        worths = {0: [], 1: []}
        for answer in range(15):
            kept, thrown = parted(hand, answer)
            mean = Fraction(oracle.points_over_starters(kept, hand), 46)
            own, other = cribs[thrown[0] >> 2, thrown[1] >> 2]
            ranks = tuple(card >> 2 for card in kept)
            worths[0].append(mean - other + plays[0, ranks])
            worths[1].append(mean + own + plays[1, ranks])
        for role in (0, 1):
            assert worths[role][answers[role][at]] == max(worths[role]), cribsim.format_cards(hand)
    many = random_hands(1000)
    assert 0.02 < (ask(half, many, 0) != ask(plain, many, 0)).mean() < 0.5


def test_expectimax_with_the_exact_crib_loses_nothing():
    hands = random_hands(3, seed=15)
    for role in (0, 1):
        assert mean_loss("expectimax(crib=exact)", hands, role, "equilibrium") < 1e-8


def test_rules_of_thumb_follow_their_weights():
    """The weight of a five kept decides; thrown to the other's crib it never is, when that costs much."""
    hands = random_hands(500, seed=16)
    hands = hands[(hands >> 2 == 4).any(axis=1)]
    keep, throw = (
        find_half(f"heuristic({text})", "discard") for text in ("keep_five=50", "throw_five=100,keep_five=0")
    )
    for hand, kept, thrown in zip(hands, ask(keep, hands, 1), ask(throw, hands, 1), strict=True):
        fives = (hand >> 2 == 4).sum()
        assert sum(card >> 2 == 4 for card in parted(hand, kept)[0]) == min(fives, 4)
        assert sum(card >> 2 == 4 for card in parted(hand, thrown)[1]) == min(fives, 2)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("montecarlo(samples=0)", "samples=0: a whole number from 1"),
        ("montecarlo(samples=1.5)", "a whole number"),
        ("montecarlo(discards=gredy)", "nearest: greedy"),
        ("montecarlo(discards=montecarlo)", "draws"),
        ("montecarlo(sample=5)", "nearest: samples"),
        ("heuristic(keep_fives=2)", "nearest: keep_five"),
        ("heuristic(keep_five=101)", "from -100 to 100"),
        ("equilibrium(pegging=1)", "true or false"),
        ("expectimax(table=schel)", "schell, hessel, fixed"),
        ("expectimax(table=nowhere.csv)", "nowhere.csv"),
        ("expectimax(crib=exakt)", "nearest: exact"),
        ("table(file=3)", "a text is wanted"),
    ],
)
def test_wrong_parameters_say_what_is_wanted(spec, wanted):
    with pytest.raises(PlayerError) as caught:
        find_half(spec, "discard").ready(Rules())
    assert "\n" not in str(caught.value)
    assert wanted in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (lambda rows: rows[:-1], "of the 91 pairs of ranks are missing"),
        (lambda rows: [*rows, rows[-1]], "stands twice"),
        (lambda rows: [*rows[:-1], "KK,x,1"], "numbers wanted"),
        (lambda rows: [*rows[:-1], "KK,nan,1"], "no finite numbers"),
        (lambda rows: [*rows[:-1], "K1,1,1"], "2 ranks"),
        (lambda rows: ["a,b", "1,2"], "the columns pair, own, opponent are wanted; pair is missing"),
        (lambda rows: [], "missing"),
    ],
)
def test_a_broken_crib_table_says_what_is_wrong(tmp_path, lines, wanted):
    rows = [line for line in (DATA / "schell.csv").read_text().splitlines() if not line.startswith("#")]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(lines(rows)))
    assert wanted in refused(f'expectimax(table="{file}")')


def test_players_of_new_halves_travel_by_their_text():
    for text in (
        "montecarlo(samples=50,discards=greedy)+greedy",
        "equilibrium(pegging=false)+greedy",
        "heuristic+greedy",
    ):
        assert str(find_player(text)) == text


@pytest.mark.parametrize(
    ("weight", "counted"),
    [
        ("keep_five", lambda kept, _: sum(card >> 2 == 4 for card in kept)),
        ("keep_low", lambda kept, _: sum(card >> 2 < 4 for card in kept)),
        ("keep_jack", lambda kept, _: sum(card >> 2 == 10 for card in kept)),
        ("keep_run", lambda kept, _: sum((b >> 2) - (a >> 2) in (1, 2) for a, b in pairwise(kept))),
        ("throw_five", lambda _, thrown: sum(card >> 2 == 4 for card in thrown)),
        ("throw_jack", lambda _, thrown: sum(card >> 2 == 10 for card in thrown)),
        ("throw_near", lambda _, thrown: sum((b >> 2) - (a >> 2) in (1, 2) for a, b in pairwise(thrown))),
        ("throw_suited", lambda _, thrown: len({card & 3 for card in thrown}) == 1),
    ],
)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_weight_of_the_rules_of_thumb_pulls_its_way(weight, counted, players):
    """A dealer with a large weight throws or keeps more of what it counts, hand by hand; a pone throws less."""
    if players > 2 and weight in ("throw_near", "throw_suited"):
        return  # one card alone is thrown
    rules = Rules(players=players, teams=False)
    n, n_thrown = rules.n_dealt, rules.n_thrown
    rng = np.random.default_rng(5)
    hands = np.sort(rng.permuted(np.tile(np.arange(52), (300, 1)), axis=1)[:, :n], axis=1)
    throws = thrown_positions(n, n_thrown)
    for dealer in (True, False):
        sums = []
        for value in (0, 50):
            half = find_half(f"heuristic({weight}={value})", "discard")
            views = np.concatenate(
                [
                    discard_view(hand.tolist(), dealer=players - 1, seat=players - 1 if dealer else 0, players=players)
                    for hand in hands
                ]
            )
            answers = half.answer(views, rules)
            found = []
            for hand, answer in zip(hands, answers, strict=True):
                thrown = [int(hand[at]) for at in throws[answer]]
                found.append(int(counted([int(card) for card in hand if card not in thrown], thrown)))
            sums.append(np.array(found))
        sign = 1 if dealer or weight.startswith("keep") else -1
        assert (sign * (sums[1] - sums[0]) >= 0).all()
        assert (sums[1] != sums[0]).any()


@pytest.mark.parametrize(
    ("weight", "value", "hand", "plays", "chosen"),
    [
        ("points", 50, "2D 5H 9C KS", [(0, "TC")], "5H"),
        ("lead_low", -50, "3H 9C QD KS", [], "9C"),
        ("lead_pair", 50, "2D 7C 7H QD", [], "7C"),
        ("lead_five", 50, "5C 5D 5H KD", [], "KD"),
        ("leave_five", 50, "AH 9C QD KS", [(0, "4C")], "9C"),
        ("leave_ten", 50, "AC 6H KD", [(0, "TC"), (1, "JC")], "6H"),
        ("leave_near", 50, "6C 9D QD KD", [(0, "7C")], "QD"),
        ("high_first", 50, "2C 6D QD KD", [], "QD"),
        ("to_thirty", 50, "2C 4D 8D", [(0, "TC"), (1, "TD")], "8D"),
    ],
)
def test_each_rule_of_the_play_pulls_its_way(weight, value, hand, plays, chosen):
    """One weight alone decides; without any the first card is played."""
    view, found = play_view(hand, plays, dealer=1, seat=len(plays) % 2), []
    for own in (value, 0):
        weights = dict.fromkeys(find_parameters("heuristic", "play"), 0) | {weight: own}
        del weights["objective"]
        spec = ",".join(f"{name}={number}" for name, number in weights.items())
        answer = int(find_half(f"heuristic({spec})", "play").answer(view)[0])
        found.append(cribsim.format_cards([int(view["cards"][0][answer])]))
    assert found == [chosen, hand.split()[0]]


def find_parameters(name, half):
    (row,) = (row for row in list_strategies() if (row["name"], row["half"]) == (name, half))
    return list(row["parameters"])


@pytest.mark.parametrize(("half", "rules"), [("greedy", Rules(target=9, exact_out=True)), ("greedy", "lowball")])
def test_policies_are_held_by_the_rules_that_throws_hang_on(half, rules):
    """Each hand is thrown as the strategy itself throws it by these rules, unlike in the standard game."""
    throws, rules = find_half(half, "discard"), read_rules(rules)
    found, usual = policy_of(throws, 1, rules), policy_of(throws, 1)
    assert (found != usual).any()
    hands = random_hands(200)
    for hand, answer in zip(hands.tolist(), found[number(hands)], strict=True):
        assert answer == throws.answer(discard_view(hand, dealer=1, seat=1, rules=rules), rules)[0]


@pytest.mark.parametrize("rules", [Rules(crib_flush=4), Rules(target=20, exact_out=True), Rules(lowball=True)])
def test_policies_of_rules_that_throws_may_hang_on_are_kept_apart(rules):
    assert policies._for_throws(rules) != policies._for_throws(Rules())
    assert policies._for_throws(Rules(exact_out=True, muggins=True, match=3)) == Rules()
