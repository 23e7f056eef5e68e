"""One position of the play: the range of the other's cards, rollouts to the end, the command."""

import copy
import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import oracle
import oracle_house
import pytest

import cribsim
from cribsim.analysis.plays import play_values
from cribsim.errors import CribsimError, IllegalPlay
from cribsim.pegging import EMPTY_HAND
from cribsim.pegging_game.game import with_small_chances
from cribsim.rollouts import card_points, roll_out
from cribsim.rules import Rules
from cribsim.scoring import multisets
from cribsim.strategies import find_half
from cribsim.strategies.ranges import holdings, kept_chances, pack, rule_out, sample_hands
from cribsim.views import play_view

LEAD = {"dealer": 1, "seat": 0, "hand": "4D 5C 9H KS", "plays": []}


def weights_of(view):
    """The range where any four cards are kept alike: ranks weigh as many ways as there are to have them."""
    rows = multisets(4)
    held = (rows[:, :, None] == np.arange(13)).sum(axis=1)
    ways = np.array([math.comb(4, n) for n in range(5)], float)[held].prod(axis=1)
    return holdings(view, ways / ways.sum())


# the range


def lowest_ranks(view):
    lowest = np.zeros(4, np.int64)
    rule_out(view, lowest)
    return lowest[: int(view["players"])]


def test_holdings_are_all_hands_of_the_cards_unseen():
    """Where any four cards are kept alike the range is plain counting: of the cards unseen, by ranks."""
    view = play_view("4D 5C 9H KS", [], dealer=1, seat=0, discards="5D JC", starter="5H")[0]
    hands, shares = weights_of(view)
    unseen = [card >> 2 for card in range(52) if card not in cribsim.parse_cards("4D 5C 9H KS 5D JC 5H")]
    counted = Counter(tuple(sorted(four)) for four in combinations(unseen, 4))
    total = sum(counted.values())
    found = {tuple(hand): share for hand, share in zip(hands.tolist(), shares, strict=True)}
    assert set(found) == set(counted)
    for hand, n in counted.items():
        assert found[hand] == pytest.approx(n / total)


def test_holdings_after_plays_and_goes():
    """The other played 7 and K, then said go at 27: no A, 2, 3 or 4; nor more of what is seen."""
    plays = [(0, "TC"), (1, "7D"), (0, "TD"), (1, "go")]
    view = play_view("AC 2C", plays, dealer=1, seat=0)[0]
    assert lowest_ranks(view).tolist() == [0, 4]
    hands, shares = weights_of(view)
    assert hands.shape[1] == 3
    assert hands.min() == 4
    assert shares.sum() == pytest.approx(1)
    unseen = [card for card in range(52) if card not in cribsim.parse_cards("AC 2C TC TD")]
    rest = Counter()
    for four in combinations(unseen, 4):
        ranks = [card >> 2 for card in four]
        if 6 in ranks:
            ranks.remove(
                6
            )  # he played one of his sevens; which hands would rather have played another card isn't asked
            rest[tuple(ranks)] += min(ranks) >= 4
    found = {tuple(hand): share for hand, share in zip(hands.tolist(), shares, strict=True)}
    assert set(found) == {hand for hand, n in rest.items() if n}
    for hand, share in found.items():
        assert share == pytest.approx(rest[hand] / sum(rest.values()))


def test_a_count_that_was_closed_tells_of_all_who_held_cards():
    """30 and nobody had an ace: both lead on."""
    plays = [(0, "TC"), (1, "TD"), (0, "TH"), (1, "9D")]
    view = play_view("9C 8C", plays, dealer=1, seat=0)[0]
    assert lowest_ranks(view).tolist() == [1, 1]
    view = play_view("8C", [*plays, (0, "9C"), (1, "3S")], dealer=1, seat=0)[0]
    assert lowest_ranks(view).tolist() == [1, 1]


def test_ranges_are_how_often_hands_are_kept():
    """Against the kept hands of deals."""
    chances = kept_chances(find_half("expectimax", "discard"))
    result = cribsim.simulate(["expectimax+random"] * 2, deals=400_000, seed=8)
    for role in (0, 1):
        n = result.tally.counts.kept[role][:, 0]
        se = np.sqrt(np.maximum(chances[role], 1e-9) / 400_000)
        assert (np.abs(n / 400_000 - chances[role]) < 5.5 * se + 1e-5).all()
        assert chances[role].sum() == pytest.approx(1)


@pytest.mark.parametrize("players", [3, 4])
def test_sampled_hands_suit_what_was_seen(players):
    plays = [(0, "TC"), (1, "TD"), (2, "5H")]
    hand = "9C 8C 2D 3D" if players == 4 else "9C 8C 2D"
    view = play_view(hand, plays, dealer=players - 1, seat=3 % players, players=players)[0]
    hands = sample_hands(view, 500, np.random.default_rng(0))
    assert hands.shape == (500, 4)
    for row in hands[:50]:
        cards = [[int(hand) >> (8 * at) & 255 for at in range(4)] for hand in row[:players]]
        held = [card for hand in cards for card in hand if card != 255]
        assert len(set(held)) == len(held) == sum(int(n) for n in view["n_left"][:players])
        assert not set(held) & set(cribsim.parse_cards("TC TD 5H"))


# values


def test_a_known_hand_is_played_out_as_the_oracle_does():
    """Greedy players from a new count on: the average over the other's hands by the oracle's play."""
    plays = [(0, "KC"), (1, "KD"), (0, "KH")]
    position = {"dealer": 1, "seat": 1, "hand": "5H 6H 7H", "plays": plays, "discards": "KS AC"}
    found = play_values(position, rollout="greedy", samples=3000, seed=1)
    for row in found.rows:
        card = cribsim.parse_cards(row["card"])[0]
        sums, rng = np.zeros(2), np.random.default_rng(3)
        view = play_view("5H 6H 7H", plays, dealer=1, seat=1, discards="KS AC")[0]
        chances = with_small_chances(kept_chances(find_half("equilibrium", "discard")))
        hands, shares = holdings(view, chances[0])
        drawn = rng.choice(len(hands), 3000, p=shares)
        for at, n in Counter(drawn.tolist()).items():
            other = [rank * 4 for rank in hands[at]]
            own_cards = cribsim.parse_cards("KD 5H 6H 7H")
            game = oracle.Play([[*cribsim.parse_cards("KC KH"), *[card + 1 for card in other]], own_cards], 1)
            for played in (*cribsim.parse_cards("KC KD KH"), card):
                game.play(played)
            before = list(game.points)
            while not game.over:
                game.play(oracle.greedy_play(game.seat, game))
            sums += n * (np.array(game.points) - before)
        own, them = sums[1] / 3000, sums[0] / 3000
        assert row["own"] == pytest.approx(own, abs=0.15)
        assert row["other"] == pytest.approx(them, abs=0.15)


def test_leading_a_five_is_worst():
    found = play_values(LEAD, samples=4000)
    assert found.rows[-1]["card"] == "5C"
    assert {row["card"] for row in found.rows[:2]} == {"4D", "9H"}  # all but equal, and both are led
    assert [row["difference"] for row in found.rows] == sorted((row["difference"] for row in found.rows), reverse=True)
    for row in found.rows:
        assert row["difference"] == pytest.approx(row["own"] - row["other"])
        assert row["low"] < row["difference"] < row["high"]
        assert row["win"] is None
    assert sum(row["equilibrium"] for row in found.rows) == pytest.approx(1, abs=1e-3)


def test_equilibrium_values_are_those_of_the_game():
    """Sampled rollouts of `equilibrium` against the exact values of leads in the pegging game."""
    from cribsim.analysis.pegging_game import lead_values

    exact = lead_values()
    exact = exact[exact.kept == "459K"].set_index("lead")
    for row in play_values(LEAD, samples=30_000, seed=4).rows:
        # the game leaves out that the other holds no card of mine by suit: only ranks; discards unknown in both
        assert abs(row["difference"] - exact.value[row["card"][0]]) < 4 * row["se"] + 0.03


@pytest.mark.parametrize("players", [3, 4])
def test_three_and_four_players(players):
    position = {"players": players, "dealer": players - 1, "seat": 0, "hand": "4D 5C 9H KS", "plays": []}
    found = play_values(position, samples=2000)
    assert found.rollout == "expectimax"
    assert found.rows[-1]["card"] == "5C"
    assert all(row["equilibrium"] is None for row in found.rows)


def test_the_same_seed_gives_the_same_values():
    one, two, other = (play_values(LEAD, samples=1000, seed=seed).rows for seed in (1, 1, 2))
    assert one == two
    assert one != other


# the command


def test_peg_has_the_keys_of_the_contract(answer):
    found = answer("peg", "--hand", "5H 5S JD", "--played", "7C 8D", "--pone", "--sample", "2k")
    assert {"schema_version", "plays"} <= set(found)
    assert len(found["plays"]) == 3
    for row in found["plays"]:
        assert {"card", "now", "own", "other", "difference", "se", "equilibrium", "win"} <= set(row)


def test_peg_reads_positions_from_files(answer, run, tmp_path):
    (tmp_path / "position.json").write_text(json.dumps(LEAD))
    found = answer("peg", "--position", "position.json", "--sample", "500")
    assert {row["card"] for row in found["plays"]} == {"4D", "5C", "9H", "KS"}
    code, out, _ = run("peg", "--position", "position.json", "--sample", "500")
    assert code == 0
    assert "difference" in out


@pytest.mark.parametrize(
    ("played", "seats"),
    [
        ("7C 8D", [0, 1]),
        ("TC TD TH go AC", [0, 1, 0, 1, 0]),
        ("TC TD TH AD", [0, 1, 0, 1]),
        ("TC TD AH AS 9D 2C", [0, 1, 0, 1, 0, 1]),
        ("TC TD TH 9C", [0, 1, 0, 1]),
        ("TC 9D 8H go 2C 2D 5C", [0, 1, 0, 1, 0, 0, 1]),
    ],
)
def test_who_played_what_follows_from_the_cards(played, seats):
    from cribsim.cli.pegging import _plays_of

    assert [seat for seat, _ in _plays_of(played.split(), 4)] == seats


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("peg", "name the cards"),
        ("peg --hand 5H,5S,JD --played 7C,8D", "who deals"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --dealer", "who deals"),
        ("peg --hand 5H,5S --played 7C,8D --pone", "it holds 3"),
        ("peg --hand 5H,5S,JD --played 7C,5H --pone", "5H"),
        ("peg --hand 5H,5S,JD --played 7C,XX --pone", "XX"),
        ("peg --hand 5H,5S,JD,QD --played 7C,8D --dealer", "it holds 3"),
        ("peg --hand TH,JD,QD --played TC,KD,KS --pone", "it holds 2"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --score 90", "as in 110-113"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --score 90*-95", "the star stands with the dealer's score"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --score 90*-95*", "the star stands with the dealer's score"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --score 90-121", "the game to 121 is over"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --score 90-1210000", "from 0 to 1,000,000"),
        ("peg --position list.json --score 90-95", "--score doesn't go with --position"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --rollout nobody", "nobody"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --range random", "draws"),
        ("peg --hand 5H,5S,JD --played 7C,8D --pone --sample 1", "samples"),
        ("peg --position nowhere.json", "nowhere.json"),
        ("peg --position list.json", "object"),
        ("peg --position odd.json", "unknown: cards"),
        ("peg --position short.json", "missing"),
        ("peg --position text.json", "not JSON"),
        ("peg --position twice.json", "given twice"),
        ("peg --position deep.json", "nested too deeply"),
        ("peg --position long.json", "thousands of digits"),
        ("peg --position scores.json", "from 0 to 1,000,000"),
        ("peg --position truth.json", "True is not a card"),
        ("peg --position object.json", "plays={}: give a list"),
        ("peg --position words.json", "players='2': give a whole number from 2 to 4"),
    ],
)
def test_misuse_of_peg_is_one_clear_line(run, tmp_path, words, wanted):
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "odd.json").write_text(json.dumps({**LEAD, "cards": 1}))
    (tmp_path / "short.json").write_text(json.dumps({"hand": "5H"}))
    (tmp_path / "text.json").write_text("hello")
    (tmp_path / "twice.json").write_text('{"seat": 0, "seat": 1}')
    (tmp_path / "deep.json").write_text("[" * 200_000)
    (tmp_path / "long.json").write_text('{"hand": ' + "1" * 6000 + "}")
    wrong = {"scores": {"scores": [0, 3 * 10**9]}, "truth": {"starter": True}}
    wrong |= {"object": {"plays": {}}, "words": {"players": "2"}}
    for name, values in wrong.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({**LEAD, **values}))
    code, out, err = run(*[word.replace(",", " ") for word in words.split()])
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert wanted in err


# montecarlo play


@pytest.mark.parametrize(
    ("hand", "plays", "seat"),
    [
        ("4D 5C 9H KS", [], 0),
        ("5H 6H 7H QD", [(0, "TC")], 1),
        ("2C 5D 6H", [(0, "7C"), (1, "8D")], 0),
        ("3C 3D TH", [(0, "TC"), (1, "4D"), (0, "TD"), (1, "2S"), (0, "3H")], 1),
    ],
)
def test_montecarlo_plays_the_card_that_is_worth_most(hand, plays, seat):
    """With many draws it is the best by greedy rollouts on the same range, or as good within their errors."""
    n = sum(1 for player, _ in plays if player == seat)
    cards = " ".join(hand.split()[: 4 - n])
    values = play_values({"dealer": 1, "seat": seat, "hand": cards, "plays": plays}, rollout="greedy", samples=40_000)
    by_card = {row["card"]: row for row in values.rows}
    view = play_view(cards, plays, dealer=1, seat=seat)
    answer = int(find_half("montecarlo(samples=20000)", "play").answer(view)[0])
    chosen = by_card[cribsim.format_cards([int(view["cards"][0][answer])])]
    assert values.rows[0]["difference"] - chosen["difference"] < 5 * chosen["se"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_montecarlo_play_passes_the_battery(players):
    cribsim.check_strategy(find_half("montecarlo(samples=3)", "play"))
    halves = ["expectimax+montecarlo(samples=3)"] * players
    rules = {2: "standard", 3: "three", 4: "four"}[players]
    one, many = (cribsim.simulate(halves, deals=300, seed=3, rules=rules, workers=n) for n in (1, 3))
    assert one.tally == many.tally


def test_montecarlo_play_beats_greedy_play():
    found = cribsim.compare("expectimax+montecarlo(samples=40)", "expectimax+greedy", deals=4000, seed=1).difference
    assert found.low > 0.2


def test_greedy_rollouts_are_the_greedy_strategys():
    """A known other hand: the value of each lead is what the engine's greedy players make of it."""
    from cribsim.pegging import EMPTY_HAND
    from cribsim.strategies.montecarlo_play import roll_greedily
    from cribsim.strategies.ranges import pack

    rng = np.random.default_rng(6)
    for _ in range(200):
        cards = rng.permutation(52)[:8]
        hands = [sorted(cards[:4].tolist()), sorted(cards[4:].tolist())]
        for place, card in enumerate(hands[0]):
            game = oracle.Play(hands, 1)
            game.play(card)
            while not game.over:
                game.play(oracle.greedy_play(game.seat, game))
            packed = np.full(4, EMPTY_HAND, np.int64)
            packed[:2] = pack(np.array(hands))
            assert roll_greedily(0, 0, 1, 2, 1, 1.0, packed, 0, place) == game.points[0] - game.points[1]


# by other rules


def always_lowest(views, which, out):
    """The lowest card, which fits if any does."""
    out[which] = 0


HOUSE_RULES = [
    "standard",
    "standard,go_point=call",
    "three",
    "three,go_order=next",
    "three,go_point=call",
    "four,go_order=next,go_point=call",
    "four,teams=false",
    "five-card",
    "five-card,go_point=call",
    "lowball",
    "standard,exact_out=true",
    "four,exact_out=true",
]


@pytest.mark.parametrize("text", HOUSE_RULES)
def test_plays_go_on_as_the_oracle_of_house_rules_plays_them(text):
    """From any place of many plays: the view is built from what was played, and the points of the card and to the end
    are the same, with scores near the target and without."""
    rules, rng, n_asked, n_now = Rules.parse(text), np.random.default_rng(5), 0, Counter()
    n, house = rules.players, oracle_house.House(rules.muggins, rules.exact_out, rules.go_order, rules.go_point)
    house.old = rules.cards == 5
    for number in range(80):
        pack, dealer = rng.permutation(52).tolist(), int(rng.integers(n))
        hands = [sorted(pack[seat * 4 : seat * 4 + rules.n_kept]) for seat in range(n)]
        in_game = bool(rules.exact_out) or number % 2 == 0
        scores = [rules.target - int(rng.integers(1, 9)) if in_game else 0 for _ in range(rules.sides)]
        target = rules.target if in_game else None
        table = oracle_house.Table(n, rules.sides, house, lambda *_: False, list(scores), target)
        state = oracle_house.Play(hands, dealer, table)
        while not state.over:
            seat, held = state.seat, list(state.hands[state.seat])
            card = int(rng.choice(state.fits(seat)))
            view = play_view(held, state.log, dealer=dealer, seat=seat, rules=rules, scores=table.scores)
            packed, at, other = pack_hands([state.hands]), held.index(card), copy.deepcopy(state)
            now = card_points(rules, view[0], at, in_game=in_game)
            rng_of_keys, answers = np.random.default_rng(number), [always_lowest] * n
            found = roll_out(rules, view, packed, np.array([at]), answers, rng_of_keys, in_game=in_game)[0]
            before = [points["pegging"] for points in other.table.points]
            other.play(card)
            is_bare = other.gone == state.gone and not other.over and other.pile  # no go, no last card
            if state.total + oracle.pip_of(card) == 31 or is_bare:
                assert now == other.table.points[seat]["pegging"] - before[seat], (hands, state.log, card, scores)
                n_now[now > 0] += 1
            while not other.over:
                other.play(other.fits(other.seat)[0])
            after = [points["pegging"] for points in other.table.points]
            assert found[:n].tolist() == [b - a for a, b in zip(before, after, strict=True)], (hands, state.log, card)
            n_asked += 1
            state.play(card)
    assert n_asked > 200
    assert min(n_now[True], n_now[False]) > 10


def pack_hands(hands):
    """Hands of the seats as packed cards, (1, 4)."""
    packed = np.full((len(hands), 4), EMPTY_HAND, np.int64)
    for row, seats in enumerate(hands):
        for seat, cards in enumerate(seats):
            packed[row, seat] = pack(np.array([sorted(cards)], np.int64).reshape(1, -1))[0]
    return packed


@pytest.mark.parametrize("text", ["lowball", "five-card", "standard,go_point=call", "standard,exact_out=true"])
def test_peg_tells_the_rules_and_puts_the_best_first(run, text):
    hand = "5H JD" if text == "five-card" else "5H 5S JD"
    words = ["--hand", hand, "--played", "7C 8D", "--pone", "--rules", text, "--sample", "300"]
    words += ["--score", "90-95"] if "exact_out" in text else []
    code, plain, err = run("peg", *words)
    assert code == 0, err
    assert f"{text.replace('standard,', '')}: the count is 15" in plain or text in ("five-card", "lowball")
    assert ("cards=5" in plain, "lowball=true" in plain) == (text == "five-card", text == "lowball")
    code, out, err = run("peg", *words, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["rules"] == Rules.parse(text).as_dict()
    differences = [row["difference"] for row in told["plays"]]
    assert differences == sorted(differences, reverse=text != "lowball")
    solved = text == "standard,go_point=call"
    assert all((row["equilibrium"] is not None) == solved for row in told["plays"])


def test_a_card_that_exact_count_out_refuses_is_worth_nothing():
    """One point from the target a pair is refused; the last card's point is not."""
    position = {"dealer": 1, "seat": 1, "hand": "8D", "plays": [(0, "AC"), (1, "2D"), (0, "4C"), (1, "6D"), (0, "TC")]}
    position["plays"] += [(1, "8S"), (0, "8C")]
    exact = play_values(position | {"scores": [0, 120]}, rules="standard,exact_out=true", samples=2)
    plain = play_values(position, rollout="greedy", samples=2)
    assert (plain.rows[0]["own"], exact.rows[0]["own"]) == (3, 1)
    assert (plain.rows[0]["now"], exact.rows[0]["now"]) == (2, 0)


def test_scores_end_the_game_within_the_play():
    """A pair at 120: one point is left, and the last card's isn't pegged any more. Scores far off change nothing."""
    position = {"dealer": 1, "seat": 1, "hand": "8D", "plays": [(0, "AC"), (1, "2D"), (0, "4C"), (1, "6D"), (0, "TC")]}
    position["plays"] += [(1, "8S"), (0, "8C")]
    rows = [
        play_values(position | {"scores": scores}, rollout="greedy", samples=2, rules=rules).rows[0]
        for scores, rules in (([0, 120], None), ([119, 0], None), ([0, 120], "standard,target=122"), (None, None))
    ]
    assert [(row["now"], row["own"], row["other"]) for row in rows] == [(1, 1, 0), (2, 3, 0), (2, 2, 0), (2, 3, 0)]


def test_one_who_was_called_pegs_one_for_thirty_one():
    """With the go pegged at the call, 31 is one point more; in the standard game it is two."""
    position = {"dealer": 1, "seat": 0, "hand": "AC 2D", "plays": [(0, "TC"), (1, "TD"), (0, "TH"), (1, "go")]}
    standard, call = (play_values(position, rules=text, samples=50) for text in ("standard", "standard,go_point=call"))
    assert [{row["card"]: row["now"] for row in found.rows}["AC"] for found in (standard, call)] == [2, 1]


@pytest.mark.parametrize(
    ("dealer", "score", "scores"), [(False, "110-113", [110, 113]), (True, "83*-64", [64, 83]), (False, "7-0*", [7, 0])]
)
def test_scores_are_told_and_given_in_words(run, dealer, score, scores):
    played, hand = ("7C 8D 4C", "5H 5S JD") if dealer else ("7C 8D", "5H 5S JD")
    words = ["--hand", hand, "--played", played, "--dealer" if dealer else "--pone", "--score", score]
    code, out, err = run("peg", *words, "--sample", "50", "--json")
    assert code == 0, err
    assert json.loads(out)["scores"] == scores
    code, out, _ = run("peg", *words, "--sample", "50")
    own, other = scores[dealer], scores[1 - dealer]
    assert f"your side has {own}, the others {other}; the game ends at 121" in out
    assert "points to the end of the play or the game" in out


def test_no_score_is_given_by_leaving_it_out(run):
    code, out, err = run("peg", "--hand", "5H 5S JD", "--played", "7C 8D", "--pone", "--score", "")
    assert (code, out) == (2, "")
    assert "write your score and the other's" in err


def test_what_is_overlooked_is_drawn_anew_in_each_sample():
    """Half of all items are seen, so half of the points are pegged; by muggins the other gets a quarter more."""
    position = {"dealer": 1, "seat": 0, "hand": "4H 5S JD 6C", "plays": []}
    asked = {"rollout": "greedy", "samples": 20_000}
    plain, half, taken = (
        play_values(position, **asked, rules=rules)
        for rules in ("standard", "standard,miss=0.5", "standard,miss=0.5,muggins=true")
    )
    rows = [{row["card"]: row for row in found.rows} for found in (plain, half, taken)]
    for card, row in rows[0].items():
        own, other = row["own"], row["other"]
        for name, value in (("own", own / 2), ("other", other / 2)):
            assert rows[1][card][name] == pytest.approx(value, abs=0.06)
        assert rows[2][card]["own"] == pytest.approx(own / 2 + other / 4, abs=0.06)
        assert rows[2][card]["other"] == pytest.approx(other / 2 + own / 4, abs=0.06)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--rules", "three"], "come in a file"),
        (["--rules", "standard,target=0"], "target=0"),
        (["--rules", "lowball", "--rollout", "equilibrium"], "can't play by lowball"),
        (["--rules", "five-card", "--range", "greedy"], "(--range): what others keep is known with two"),
        (["--rules", "standard,exact_out=true"], "give scores (--score 110-113)"),
        (["--rules", "standard,exact_out=item"], "give scores (--score 110-113)"),
        (["--rules", "short", "--score", "60-61"], "the game to 61 is over"),
    ],
)
def test_rules_that_a_position_cant_have_are_refused(run, words, wanted):
    hand = "5H JD" if "five-card" in words else "5H 5S JD"
    code, out, err = run("peg", "--hand", hand, "--played", "7C 8D", "--pone", *words)
    assert (code, out) == (2, "")
    assert wanted in err


def test_no_card_is_asked_for_when_the_old_play_is_over():
    with pytest.raises(IllegalPlay, match="ends with its first count"):
        play_values(
            {"dealer": 1, "seat": 0, "hand": "5H", "plays": [(0, "7C"), (1, "TD"), (0, "4C"), (1, "TH")]},
            rules="five-card",
        )


def test_the_players_of_position_and_rules_agree():
    with pytest.raises(CribsimError, match="players=3, but the rules are for 2"):
        play_values({"players": 3, "dealer": 1, "seat": 0, "hand": "5H", "plays": []}, rules=Rules())
