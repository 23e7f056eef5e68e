"""Skunks, matches, cuts, the order of dealing and counting, partners and muggins, case by case, in the engine."""

import numpy as np
import oracle_house
import pytest
from case_rows import kinds, rows

import cribsim
from cribsim import Rules
from cribsim.deals import DEAL, GAME
from cribsim.house import settle
from cribsim.matches import best_loser, match_winner, win_class
from cribsim.pegging import NOBODY
from cribsim.records import record_chunk
from cribsim.runs import Job
from cribsim.strategies import find_player
from cribsim.streams import item_draw
from cribsim.tally import HAND, SKUNK_CLASSES


def record_of(rules, **how):
    return rules.record(in_game=True, **how)[0]


def test_every_kind_of_row_is_checked():
    games = {"game_result", "classify_margins", "match", "cut_for_deal"}
    assert kinds("variants") == games | {"dealer_rotation", "show_order", "team_scores", "show_claim"}


@rows("variants", "game_result")
def test_skunks_by_the_final_score(row):
    scores = row["input"]["final_scores"]
    rules = Rules(target=row["input"]["target"], double_skunk_value=4)
    found = win_class(record_of(rules), np.array([*scores, 0, 0]), scores.index(rules.target))
    assert SKUNK_CLASSES[found] == row["expected"]["class"], row["why"]


@rows("variants", "classify_margins")
def test_skunks_by_the_margin(row):
    margins, record = row["input"]["margins"], record_of(Rules())
    classes = [SKUNK_CLASSES[win_class(record, np.array([121, 121 - margin, 0, 0]), 0)] for margin in margins]
    assert classes == row["expected"]["classes"], row["why"]


@rows("variants", "match")
def test_matches_end_when_their_points_are_reached(row):
    given, right = row["input"], row["expected"]
    values = {"win_value": "single", "skunk_value": "skunk", "double_skunk_value": "double_skunk"}
    rules = Rules(match=given["match_target"], **{name: given["value"][key] for name, key in values.items()})
    record, game = record_of(rules, in_match=True), np.zeros(1, GAME).view(np.recarray)[0]
    winner, ended = NOBODY, None
    for number, played in enumerate(given["games"], 1):
        scores = np.zeros(4, np.int64)
        scores[played["winner"]], scores[1 - played["winner"]] = rules.target, played["loser_score"]
        assert best_loser(record, scores, played["winner"]) == played["loser_score"]
        kind = win_class(record, scores, played["winner"])
        game.n_games += 1
        game.wins[played["winner"]] += 1
        game.value[played["winner"]] += record.values[kind]
        winner = match_winner(record, game, played["winner"], kind)
        if winner != NOBODY:
            ended = number
            break
    assert (winner, ended) == (right["match_winner"], right["decided_after_game"]), row["why"]
    assert game.value[:2].tolist() == right["match_points"]


@rows("variants", "cut_for_deal")
def test_the_lowest_card_deals_and_ties_cut_again(row):
    """The rule by which the oracle cuts, that the engine is held against (tests/test_house.py)."""
    right, rounds = row["expected"], row["input"]["cuts"]
    cards = [cribsim.parse_cards(cards) for cards in rounds]
    draws = iter([card for one in cards for card in one])
    found = oracle_house.lowest_cut(lambda: next(draws), range(len(cards[0])))
    used = sum(map(len, cards)) - len(list(draws))
    assert (found, used) == (right["first_dealer"], sum(map(len, cards[: right["rounds_used"]]))), row["why"]


@rows("variants", "dealer_rotation")
def test_the_deal_passes_to_the_left(row):
    given = row["input"]
    rules = Rules(players=given["players"], first_deal=given["first_dealer"])
    job = Job((find_player("random"),) * rules.players, rules, 1, True)
    dealers = [deal["dealer"] for deal in record_chunk(job, 0, 1)[1].to_pylist()]
    assert dealers[: given["deals"]] == row["expected"]["dealers"], row["why"]


@rows("variants", "show_order")
def test_hands_are_counted_from_the_dealers_left(row):
    """What is counted when the game ends after so many hands: those before in the order, and no others."""
    given, order = row["input"], row["expected"]["order"]
    n = given["players"]
    rules = Rules(players=n, teams=False if n == 4 else None, target=31, first_deal=given["dealer"])
    job = Job((find_player("greedy"),) * n, rules, 2, True)
    ended = set()
    for deal in record_chunk(job, 0, 400)[1].to_pylist():
        winner = next((seat for seat, score in enumerate(deal["scores"]) if score == rules.target), None)
        turn = [(deal["dealer"] + step) % n for step in range(1, n + 1)]
        assert deal["dealer"] != given["dealer"] or turn == order[:-1]
        if winner is not None and deal["hand"][winner] and not deal["crib_points"]:
            later = turn[turn.index(winner) + 1 :]
            assert all(deal["hand"][seat] == 0 for seat in later), row["why"]
            ended.add(turn.index(winner))
    assert ended == set(range(n))


@rows("variants", "team_scores")
def test_partners_share_one_score(row):
    given, rules = row["input"], Rules(players=4)
    deal = np.zeros(1, DEAL).view(np.recarray)[0]
    deal.dealer, deal.winner = given.get("dealer", 3), NOBODY
    for seat, points in enumerate(given["points_by_seat"]):
        settle(record_of(rules), deal, seat, HAND, 20, 0, points)
    if "crib_points" in given:
        settle(record_of(rules), deal, given["dealer"], HAND, 24, 0, given["crib_points"])
    assert deal.scores[:2].tolist() == row["expected"]["team_points"], row["why"]


@rows("variants", "show_claim")
def test_what_is_overlooked_goes_to_the_other(row):
    """Claims are what is seen: items of a hand are overlooked so that just the points claimed are left."""
    given, claimant = row["input"], row["input"]["claimant"]
    items = [2] * (given["actual"] // 2) + [1] * (given["actual"] % 2)
    claimed = given.get("claimed", given["actual"])
    rules = Rules(muggins=given.get("muggins", False))
    careless = 0.5 if claimed < given["actual"] else 0.0
    misses = [careless if seat == claimant else 0.0 for seat in range(2)]
    packed = sum(points << (4 * at) for at, points in enumerate(items))
    record = record_of(rules, miss=misses)
    for key in range(200):
        deal = np.zeros(1, DEAL).view(np.recarray)[0]
        deal.dealer, deal.winner, deal.key = 1, NOBODY, key
        drawn = [item_draw(np.uint64(key), claimant, 20, at) < careless * 2**32 for at in range(len(items))]
        if sum(points for points, missed in zip(items, drawn, strict=True) if not missed) == claimed:
            settle(record, deal, claimant, HAND, 20, 0, packed)
            assert deal.scores[:2].tolist() == row["expected"]["points"], row["why"]
            return
    pytest.fail("no deal in which just these points are claimed")


def test_all_variants_play():
    for text in ("acc", "casual", "short", "lurch", "stakes", "three", "four", "five-card", "lowball"):
        rules = Rules.parse(text)
        assert cribsim.simulate(["greedy"] * rules.players, games=20, rules=rules).games == 20
