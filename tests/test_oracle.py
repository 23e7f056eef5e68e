"""The oracle itself, pinned to published hands and plays and to the rules one by one."""

import json
import random
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path

import oracle
import pytest

RANKS = "A23456789TJQK"
SUITS = "CDHS"
EXAMPLES = json.loads((Path(__file__).parent / "data" / "pegging_examples.json").read_text())["examples"]


def card(text):
    """Read one card, as in 5H."""
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def cards(text):
    """Read cards set apart by spaces."""
    return [card(word) for word in text.split()]


def suited(ranks):
    """Turn ranks into different cards, each rank taking its suits in turn."""
    return [4 * RANKS.index(rank) + list(ranks[:position]).count(rank) for position, rank in enumerate(ranks)]


def show(four, starter, is_crib=False):
    return oracle.show_parts(cards(four), card(starter), is_crib)


def last_parts(ranks):
    """Return the parts of the last card of one count, given its ranks."""
    pile = suited(ranks.split())
    return oracle.card_parts(pile, sum(oracle.pip_of(played) for played in pile))


def play_out(hands, dealer, order, award=None):
    """Play the cards named in `order`, each by whoever's turn it is."""
    state = oracle.Play([cards(hand) for hand in hands], dealer, award)
    for played in cards(order):
        state.play(played)
    return state


def keep_low(seat, hand):
    """Keep the four lowest cards."""
    return hand[4:]


def play_first(seat, state):
    """Play the lowest card that fits."""
    return state.legal_cards()[0]


def shuffled_deals(players, seed):
    """Return deals by role for play_game."""
    n_dealt = oracle.CARDS_DEALT[players]

    def deal(number):
        pack = random.Random(f"{seed}-{number}").sample(range(52), 52)
        hands = [pack[role * n_dealt : (role + 1) * n_dealt] for role in range(players)]
        return hands, pack[-2] if players == 3 else None, pack[-1]

    return deal


# The show


def test_perfect_hand_is_twenty_nine():
    assert show("5H 5S 5C JD", "5D") == {
        "fifteens": 16, "pairs": 12, "runs": 0, "flush": 0, "nobs": 1, "total": 29,
    }  # fmt: skip


def test_same_cards_without_nobs_are_twenty_eight():
    assert show("5H 5S 5C 5D", "JD")["total"] == 28
    assert show("5H 5S 5C KD", "5D")["total"] == 28


@pytest.mark.parametrize(
    ("four", "starter", "runs", "total"),
    [
        ("2C 3D 4H 4S", "KC", 6, 10),  # a double run of three, 2-3-K and 4-4's pair
        ("3C 4D 5H 5S", "6C", 8, 14),  # a double run of four
        ("4C 4D 5H 6S", "6C", 12, 24),  # a double double run
        ("7C 7D 7H 8S", "9C", 9, 21),  # a triple run
        ("AC 2D 3H 4S", "5C", 5, 7),  # one run of five, no shorter ones in it
        ("QC KD AH 2S", "3C", 3, 7),  # an ace is low only
    ],
)
def test_only_the_longest_runs_count_each_as_often_as_it_lies(four, starter, runs, total):
    parts = show(four, starter)
    assert (parts["runs"], parts["total"]) == (runs, total)


def test_fifteens_may_take_all_five_cards():
    assert show("AC 2D 3H 4S", "5C")["fifteens"] == 2
    assert show("AC AD AH 2S", "TC")["fifteens"] == 2


def test_hand_flush_takes_four_cards_or_five():
    assert show("2H 4H 6H 8H", "KS")["flush"] == 4
    assert show("2H 4H 6H 8H", "KH")["flush"] == 5
    assert show("2H 4H 6H 8S", "KH")["flush"] == 0  # four with the starter among them are no flush


def test_crib_flush_takes_all_five_cards():
    assert show("2H 4H 6H 8H", "KS", is_crib=True)["flush"] == 0
    assert show("2H 4H 6H 8H", "KH", is_crib=True)["flush"] == 5


def test_nobs_is_not_heels():
    assert show("JH 2C 4D 8S", "QH")["nobs"] == 1
    assert show("JC 2C 4D 8S", "QH")["nobs"] == 0
    assert show("KH 2C 4D 8S", "JH")["nobs"] == 0


def test_no_starter_makes_nineteen():
    totals = {show("7C 7D 7H 8S", "9C")["total"], show("5H 5S 5C JD", "5D")["total"]}
    rng = random.Random(19)
    for _ in range(3000):
        *four, starter = rng.sample(range(52), 5)
        totals.add(oracle.show_parts(four, starter)["total"])
    assert totals.isdisjoint({19, 25, 26, 27})


# One card in the play


@pytest.mark.parametrize("example", [x for x in EXAMPLES if x["kind"] == "single_card"], ids=lambda x: x["id"])
def test_published_single_cards(example):
    assert last_parts(" ".join([*example["series"], example["card"]])) == example["parts"]


@pytest.mark.parametrize("example", [x for x in EXAMPLES if x["kind"] == "one_count_sequence"], ids=lambda x: x["id"])
def test_published_counts(example):
    ranks = [played["card"] for played in example["plays"]]
    for n_played, played in enumerate(example["plays"], start=1):
        assert last_parts(" ".join(ranks[:n_played])) == played["parts"]


def test_three_fives_score_fifteen_and_three_alike():
    assert last_parts("5 5 5") == {"fifteen": 2, "pair": 6}


def test_run_counts_in_any_order():
    assert last_parts("3 5 6 7 4") == {"run": 5}
    assert last_parts("3 5 6 4 7") == {"run": 5}


def test_interruption_breaks_runs_and_pairs():
    assert last_parts("4 5 K 6") == {}
    assert last_parts("4 5 5 6") == {}
    assert last_parts("8 2 8") == {}


def test_thirty_one_and_run_both_count():
    assert last_parts("7 9 8 7") == {"thirty_one": 2, "run": 3}


# The play


@pytest.mark.parametrize("example", [x for x in EXAMPLES if x["kind"] == "full_play"], ids=lambda x: x["id"])
def test_published_plays(example):
    names = ("pone", "dealer")
    suits_left = {rank: [4 * position + suit for suit in range(4)] for position, rank in enumerate(RANKS)}
    hands = [[suits_left[rank].pop() for rank in example["hands"][name]] for name in names]
    state = oracle.Play(hands, dealer=1)
    for expected in example["plays"]:
        assert names[state.seat] == expected["player"]
        played = state.play(next(c for c in state.legal_cards() if RANKS[c >> 2] == expected["card"]))
        last_point = played.parts.pop("go", 0) + played.parts.pop("last", 0)
        parts = {**played.parts, **({"go_or_last": last_point} if last_point else {})}
        assert (played.count, played.points, parts) == (
            expected["count"],
            expected["points"],
            expected["parts"],
        )
        assert (state.count == 0) == expected.get("count_ends", False)
    assert state.over
    assert state.points == [example["totals"][name] for name in names]


def test_thirty_one_is_never_three():
    state = play_out(["KC QC", "JC AC"], 1, "KC JC QC AC")
    assert state.log[-1].parts == {"thirty_one": 2}  # the last card of all, and still two
    assert state.over


def test_fifteen_with_the_last_card_is_three():
    state = play_out(["7C", "8C"], 1, "7C 8C")
    assert state.log[-1] == (1, card("8C"), 15, 3, {"fifteen": 2, "last": 1})


def test_go_and_last_are_told_apart():
    state = play_out(["KC 9C", "QC 8C"], 1, "KC QC 9C 8C")
    assert [list(played.parts) for played in state.log] == [[], [], ["go"], ["last"]]
    assert state.goes == []  # at 29 nobody could play: no go is called for


def test_must_play_when_able():
    state = play_out(["KC 5C", "QC AC KD"], 1, "KC QC 5C")
    assert (state.seat, state.count, state.legal_cards()) == (1, 25, [card("AC")])
    with pytest.raises(ValueError, match="cannot play"):
        state.play(card("KD"))


def test_go_is_said_when_the_turn_passes():
    state = play_out(["KC KD 7C", "QC AC 2C"], 1, "KC QC 7C")
    assert (state.seat, state.count, state.goes) == (1, 27, [])
    state.play(card("AC"))
    assert (state.seat, state.count, state.goes) == (1, 28, [(0, 28)])
    state.play(card("2C"))
    assert state.log[-1].parts == {"go": 1}
    assert (state.seat, state.count, state.goes) == (0, 0, [(0, 28)])


def test_seat_without_cards_says_no_go():
    state = play_out(["KC", "QC 5C"], 1, "KC QC 5C")
    assert state.goes == []
    assert state.log[-1].parts == {"last": 1}


def test_pairs_and_runs_do_not_straddle_a_reset():
    state = play_out(["KC 9C", "QC 9D"], 1, "KC QC 9C 9D")
    assert [played.points for played in state.log] == [0, 0, 1, 1]


def test_three_players_go_on_until_nobody_can():
    state = play_out(["KC 5C", "QC KD", "8C AC AD"], 2, "KC QC 8C AC AD 5C KD")
    assert [played.seat for played in state.log] == [0, 1, 2, 2, 2, 0, 1]
    assert state.goes == [(0, 28), (1, 28)]  # each once a count
    assert state.log[4].parts == {"pair": 2, "go": 1}
    assert state.log[-1].parts == {"fifteen": 2, "last": 1}


def test_third_player_plays_though_the_one_after_the_go_cannot():
    state = play_out(["KC 2C", "TC 8D", "8C QC"], 2, "KC TC 8C 2C")
    assert state.goes == []
    assert state.log[-1] == (0, card("2C"), 30, 1, {"go": 1})
    state = play_out(["9C KC", "TC KD", "9D 3C", "2C AC"], 3, "9C TC 9D 2C")
    assert (state.seat, state.count, state.goes) == (3, 30, [(0, 30), (1, 30), (2, 30)])
    state.play(card("AC"))
    assert state.log[-1].points == 2
    assert state.seat == 0


def test_next_seat_with_cards_leads_the_next_count():
    state = play_out(["KC", "QC KD", "TC KH"], 2, "KC QC TC")
    assert state.log[-1].parts == {"go": 1}
    assert state.seat == 1  # seat 0 has no cards left


def test_play_stops_at_the_award_that_ends_the_game():
    calls = []

    def award(seat, points, what):
        calls.append((seat, points, what))
        return True

    state = play_out(["7C KC", "8C KD"], 1, "7C 8C", award)
    assert calls == [(1, 2, "pegging")]
    assert state.over
    assert state.legal_cards() == []
    assert state.hands == [[card("KC")], [card("KD")]]


# The deal

PONE_HAND = cards("2C 2D 3C 3D KC KD")  # keep_low keeps 2-2-3-3
DEALER_HAND = cards("4C 4D 6C 6D QC QD")


def deal_two(starter, scores=None, target=None):
    return oracle.play_deal([PONE_HAND, DEALER_HAND], None, card(starter), 1, keep_low, play_first, scores, target)


def test_deal_books_every_phase():
    record = deal_two("5S")
    assert record.kept == [cards("2C 2D 3C 3D"), cards("4C 4D 6C 6D")]
    assert record.crib == cards("KC KD QC QD")
    assert record.points[0]["hand"] == oracle.show_parts(record.kept[0], record.starter)["total"] == 6
    assert record.points[1]["hand"] == 24
    assert record.points[1]["crib"] == 12
    assert record.winner is None
    assert record.scores == [sum(points.values()) for points in record.points]


def test_crib_of_a_deal_is_counted_as_a_crib():
    hands = [cards("2C 2D 3C 3D TH KH"), cards("4C 4D 6C 6D 8H QH")]
    record = oracle.play_deal(hands, None, card("AS"), 1, keep_low, play_first)
    assert record.crib == cards("TH KH 8H QH")
    assert record.points[1]["crib"] == 0  # a flush of four is nothing there


def test_game_stops_on_heels():
    record = deal_two("JS", [120, 120], 121)
    assert record.awards == [(1, "heels", 1)]  # two for heels, one hole left
    assert record.play_log == []
    assert (record.winner, record.scores) == (1, [120, 121])


def test_heels_come_first_and_are_not_pegging():
    record = deal_two("JS")
    assert record.awards[0] == (1, "heels", 2)
    assert record.points[1]["heels"] == 2


def test_game_stops_in_the_play():
    record = deal_two("5S", [0, 120], 121)
    assert record.winner == 1
    assert record.scores[1] == 121
    assert record.awards[-1][:2] == (1, "pegging")
    assert record.points[0]["hand"] == 0


def test_pone_goes_out_before_the_dealer_counts():
    pegged = [points["pegging"] for points in deal_two("5S").points]
    start = [121 - 6 - pegged[0], 120 - pegged[1]]
    record = deal_two("5S", start, 121)
    assert (record.winner, record.scores) == (0, [121, 120])
    assert record.awards[-1] == (0, "hand", 6)
    assert record.points[1]["hand"] == record.points[1]["crib"] == 0


def test_pone_short_by_one_loses_to_the_dealers_hand():
    pegged = [points["pegging"] for points in deal_two("5S").points]
    record = deal_two("5S", [120 - 6 - pegged[0], 120 - pegged[1]], 121)
    assert (record.winner, record.scores) == (1, [120, 121])
    assert record.awards[-1] == (1, "hand", 1)


def test_three_players_get_a_crib_card_from_the_pack():
    hands = [cards("2C 3C 4C 5C KC"), cards("2D 3D 4D 5D KD"), cards("2H 3H 4H 5H KH")]
    record = oracle.play_deal(hands, card("KS"), card("5S"), 0, keep_low, play_first)
    assert record.crib == cards("KC KD KH KS")
    assert [seat for seat, phase, _ in record.awards if phase in ("hand", "crib")] == [1, 2, 0, 0]
    assert record.points[0]["crib"] == 20
    with pytest.raises(ValueError, match="three players"):
        oracle.play_deal(hands, None, card("5S"), 0, keep_low, play_first)


def test_partners_pool_their_points():
    hands = [cards(" ".join(f"{rank}{suit}" for rank in "2346K")) for suit in SUITS]
    record = oracle.play_deal(hands, None, card("5S"), 3, keep_low, play_first, partners=True)
    by_seat = [sum(points.values()) for points in record.points]
    assert record.scores == [by_seat[0] + by_seat[2], by_seat[1] + by_seat[3]]
    assert record.points[3]["crib"] == 20
    alone = oracle.play_deal(hands, None, card("5S"), 3, keep_low, play_first)
    assert alone.scores == by_seat


def test_partner_pegs_the_side_out():
    hands = [cards(" ".join(f"{rank}{suit}" for rank in "2346K")) for suit in SUITS]
    record = oracle.play_deal(hands, None, card("5S"), 3, keep_low, play_first, [119, 0], 121, partners=True)
    assert record.play_log[-1][:4] == (2, card("2H"), 6, 6)  # the third two is worth six
    assert record.awards == [(1, "pegging", 2), (2, "pegging", 2)]
    assert (record.winner, record.scores) == (0, [121, 2])


def test_illegal_throws_are_refused():
    with pytest.raises(ValueError, match="cannot throw"):
        oracle.play_deal([PONE_HAND, DEALER_HAND], None, card("5S"), 1, lambda seat, hand: hand[5:], play_first)


# The simple players


def test_greedy_discard_counts_the_crib_for_or_against():
    hand = cards("2C 6H 7S 8D KC KD")
    assert oracle.greedy_discard(1, hand, 1) == cards("KC KD")  # 7 + 2 for the pair
    assert oracle.greedy_discard(0, hand, 1) == cards("2C KC")  # 5 + 0, before 7 - 2 as the first of equals


def test_greedy_discard_counts_a_flush_of_four_but_no_nobs():
    assert oracle.greedy_discard(0, cards("2H 4H 6C 8H TH QD"), 1) == cards("6C QD")
    assert oracle.greedy_discard(0, cards("2C 4D 6H 8S TC JD"), 1) == cards("2C 4D")


def test_greedy_discard_takes_the_first_of_equals():
    assert oracle.greedy_discard(0, cards("2C 4D 6H 8S TC QD"), 1) == cards("2C 4D")
    assert oracle.greedy_discard(0, cards("2C 4D 6H 8S TC"), 3) == cards("2C")
    assert oracle.greedy_discard(0, cards("AC 2D 4H 8S KC"), 3) == cards("2D")  # so would 8S and KC


def test_expectimax_average_includes_nobs():
    # cribbageforum.com/AnalyzeDiscardsPart2.htm: A-2-J-Q of A-2-7-9-J-Q averages 2.85 = 131/46
    hand = cards("AC 2D 7H 9S JC QD")
    assert Fraction(oracle.points_over_starters(cards("AC 2D JC QD"), hand), 46) == Fraction(131, 46)


def test_expectimax_weighs_own_against_other():
    hand = cards("AC 2D 7H 9S JC QD")
    pairs = list(combinations_with_replacement(range(13), 2))
    flat = dict.fromkeys(pairs, (0, 0))
    averages = [oracle.points_over_starters(kept, hand) for kept, _ in oracle.ways_to_throw(hand)]
    best = oracle.ways_to_throw(hand)[averages.index(max(averages))][1]
    assert oracle.expectimax_discard(0, hand, 1, flat) == best
    jack_queen = {**flat, (10, 11): (1000, -1000)}
    assert oracle.expectimax_discard(1, hand, 1, jack_queen) == cards("JC QD")
    assert oracle.expectimax_discard(0, hand, 1, jack_queen) == cards("JC QD")
    rich = dict.fromkeys(pairs, (0, 0)) | {(10, 11): (1000, 1000)}
    assert oracle.expectimax_discard(1, hand, 1, rich) == cards("JC QD")
    assert oracle.expectimax_discard(0, hand, 1, rich) != cards("JC QD")
    with pytest.raises(TypeError, match="hundredths"):
        oracle.expectimax_discard(0, hand, 1, dict.fromkeys(pairs, (4.5, 4.5)))


def test_greedy_play_takes_points_then_the_highest_then_the_first():
    state = play_out(["5C 9C KD KC", "TC 5D 5H 7S"], 1, "9C")
    assert oracle.greedy_play(1, state) == card("TC")
    state = play_out(["5C 9C KD KC", "TC 5D 5H 7S"], 1, "5C")
    assert oracle.greedy_play(1, state) == card("TC")  # fifteen and pair are two each
    assert oracle.greedy_play(0, oracle.Play([cards("KD KC 2C"), cards("9C")], 1)) == card("KC")


# The game


@pytest.mark.parametrize(("players", "partners"), [(2, False), (3, False), (4, False), (4, True)])
def test_game_ends_exactly_at_the_target(players, partners):
    discard = partial(oracle.greedy_discard, partners=partners)
    for seed in range(10):
        game = oracle.play_game(shuffled_deals(players, seed), 1, discard, oracle.greedy_play, players, 121, partners)
        assert game.scores[game.winner] == max(game.scores) == 121
        assert sorted(game.scores)[-2] < 121
        assert [deal.dealer for deal in game.deals] == [(1 + n) % players for n in range(game.n_deals)]
        pegged = [0] * len(game.scores)
        for deal in game.deals:
            for seat, _, points in deal.awards:
                pegged[seat % len(pegged)] += points
        assert pegged == game.scores


def test_deals_are_handed_out_by_role():
    deals = shuffled_deals(3, 5)
    game = oracle.play_game(deals, 2, lambda seat, hand, dealer: hand[4:], play_first, 3, 61)
    for number, deal in enumerate(game.deals):
        dealt, extra_crib, starter = deals(number)
        for role, hand in enumerate(dealt):
            seat = (deal.dealer + 1 + role) % 3
            assert sorted(deal.kept[seat] + deal.thrown[seat]) == sorted(hand)
        assert (deal.crib[-1], deal.starter) == (extra_crib, starter)
