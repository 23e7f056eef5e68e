"""Games and matches by every rule, played again point by point by the oracle of house rules (tests/oracle_house.py)."""

import dataclasses
import itertools
import math
import re
from collections import Counter

import numpy as np
import oracle
import oracle_house
import pytest

import cribsim
from cribsim import Rules
from cribsim.cards import parse_cards
from cribsim.deals import DEAL
from cribsim.house import settle
from cribsim.pegging import EMPTY_HAND, NOBODY, end_turn_next, lay_card, pack_hand, start_play
from cribsim.records import record_chunk
from cribsim.runs import Job
from cribsim.scoring import PAIR_CLASS
from cribsim.strategies import find_half, find_player
from cribsim.strategies.base import Player
from cribsim.strategies.ranges import rule_out
from cribsim.strategies.tables import crib_table
from cribsim.streams import choice_key, cut_key, item_draw, nth_key, random_below
from cribsim.tally import HAND, MUGGINS, PHASES, SKUNK_CLASSES
from cribsim.views import PLAY_VIEW, discard_view, play_view

SEED = 20261130


def house_of(rules):
    return oracle_house.House(
        rules.muggins, rules.exact_out, rules.go_order, rules.go_point, rules.crib_flush, rules.cards == 5
    )


def play_row(row, rules, scores, misses, *, in_game=True):
    """One recorded deal by the oracle; every number of the row must come out. Returns the table."""
    n, dealer = rules.players, row["dealer"]
    dealt, kept = split(row["dealt"], n), split(row["kept"], n)
    thrown = [[card for card in hand if card not in mine] for hand, mine in zip(dealt, kept, strict=True)]
    rest = [card for card in row["crib"] if card not in itertools.chain(*thrown)]
    table = oracle_house.Table(n, rules.sides, house_of(rules), misses, list(scores), rules.target if in_game else None)

    def play(number, seat):
        assert row["play_seat"][number] == seat
        return row["plays"][number]

    state = oracle_house.play_deal(dealt, rest[0] if rest else None, row["starter"], dealer, thrown, play, table)
    assert len(state.log) == len(row["plays"])
    assert row["heels"] == table.points[dealer]["heels"]
    assert row["pegging"] == [points["pegging"] for points in table.points]
    assert row["hand"] == [points["hand"] for points in table.points]
    assert row["crib_points"] == table.points[dealer]["crib"]
    assert row.get("muggins", [0] * n) == [points["muggins"] for points in table.points]
    assert row["scores"] == table.scores
    if table.winner is None and (rules.go_point == "last" or n == 2):  # a last card is written in full
        for seat in range(n):
            by_card = [p for p, s in zip(row["play_points"], row["play_seat"], strict=True) if s == seat]
            assert sum(by_card) == row["pegging"][seat]
    return table


def split(cards, n):
    size = len(cards) // n
    return [sorted(cards[i : i + size]) for i in range(0, len(cards), size)]


class Totals:
    """What the tally must say."""

    def __init__(self, rules):
        self.rules = rules
        self.points, self.wins, self.turns, self.skunks = Counter(), Counter(), Counter(), Counter()
        self.value, self.match_wins, self.games, self.matches, self.refused = Counter(), Counter(), 0, 0, 0

    def add_deal(self, table, dealer):
        n = self.rules.players
        self.refused += table.refused
        for seat, points in enumerate(table.points):
            for phase in PHASES:
                what = sum(points.values()) if phase == "total" else points[phase]
                self.points[(seat - dealer - 1) % n, phase] += what

    def add_game(self, winner, kind, value, first_dealer):
        n = self.rules.players
        self.games += 1
        for seat in range(n):
            if seat % self.rules.sides == winner:
                self.wins[seat] += 1
                self.value[seat] += value
                self.turns[(seat - first_dealer - 1) % n] += 1
                self.skunks[seat, SKUNK_CLASSES[kind]] += 1

    def check(self, tally):
        counts, n = tally.counts, self.rules.players
        for role in range(n):
            for at, phase in enumerate(PHASES):
                histogram = counts.histograms[role, at]
                assert histogram @ np.arange(len(histogram)) == self.points[role, phase], (role, phase)
        assert counts.wins[:n].tolist() == [self.wins[seat] for seat in range(n)]
        assert counts.turn_wins[:n].tolist() == [self.turns[role] for role in range(n)]
        assert counts.game_points[:n, 0].tolist() == [self.value[seat] for seat in range(n)]
        for seat in range(n):
            assert counts.skunks[seat].tolist() == [self.skunks[seat, name] for name in SKUNK_CLASSES]
        assert counts.match_wins[:n].tolist() == [self.match_wins[seat] for seat in range(n)]
        assert (tally.games, tally.matches) == (self.games, self.matches)


class Unit:
    """One unit, a game or a match, by the oracle."""

    def __init__(self, rules, number, totals, misses):
        self.rules, self.number, self.totals, self.misses = rules, number, totals, misses
        self.games, self.n_deals = [], 0

    def cut(self, seats):
        key = cut_key(np.uint64(SEED), np.uint64(self.number), len(self.games))
        draws = (random_below(np.uint64(nth_key(np.uint64(key), n)), 52) for n in itertools.count())
        return oracle_house.lowest_cut(lambda: int(next(draws)), seats)

    def first_dealer(self):
        rules, first = self.rules, self.rules.first_deal
        if isinstance(first, int):
            return first
        if first == "alternate":
            return (rules.players - 1 + self.number + len(self.games)) % rules.players
        if first == "cut" or not self.games:
            return self.cut(range(rules.players))
        return oracle_house.next_dealer(*self.last, rules.players, self.cut, lowball=rules.lowball)

    def play(self, rows):
        """One game of it; returns the side that has won the unit, or None."""
        rules = self.rules
        dealer = first_dealer = self.first_dealer()
        scores = [0] * rules.sides
        if rules.cards == 5:
            scores[(dealer + 1) % rules.sides] = 3
        for row in rows:
            assert row["dealer"] == dealer
            key = choice_key(np.uint64(SEED), np.uint64(self.number), self.n_deals)
            table = play_row(row, rules, scores, self.misses(key, dealer))
            self.totals.add_deal(table, dealer)
            scores, last_dealer = table.scores, dealer
            dealer = (dealer + 1) % rules.players
            self.n_deals += 1
            assert (table.winner is None) == (row is not rows[-1])
        return self.end_game(table, first_dealer, last_dealer)

    def end_game(self, table, first_dealer, last_dealer):
        rules, out = self.rules, table.winner
        winner = oracle_house.winner_of(table.scores, out, lowball=rules.lowball)
        has_triple = rules.triple_skunk_value is not None
        lines = [rules.skunk, rules.double_skunk, rules.triple_skunk if has_triple else 0]
        how = {"each": rules.skunk_scope == "each", "lowball": rules.lowball}
        kind = oracle_house.skunk_class(table.scores, winner, lines, **how)
        value = [rules.win_value, rules.skunk_value, rules.double_skunk_value, rules.triple_skunk_value][kind]
        takes = value == "match"
        value = (rules.match or rules.match_games // 2 + 1) if takes else value
        self.totals.add_game(winner, kind, value, first_dealer)
        self.games.append((winner, value, takes))
        self.last = table.scores, out, last_dealer
        return oracle_house.match_winner(self.games, rules.sides, points=rules.match, best_of=rules.match_games)


def misses_of(rules, chances):
    """By deal key and dealer the function that the oracle asks."""

    def of(key, dealer):
        def misses(seat, event, item):
            role = (seat - dealer - 1) % rules.players
            return bool(item_draw(np.uint64(key), role, event, item) < round(chances[seat] * 2**32))

        return misses

    return of


def check_units(rules, n, texts=("random",), in_match=False):
    """Play units and check every deal, every game, every match and the tally; returns totals and rows."""
    players = tuple(find_player(texts[seat % len(texts)]) for seat in range(rules.players))
    tally, arrow = record_chunk(Job(players, rules, SEED, True, in_match=in_match), 5, n)
    rows, totals = arrow.to_pylist(), Totals(rules)
    chances = [rules.miss if player.miss is None else player.miss for player in players]
    by_unit = itertools.groupby(rows, key=lambda row: row["match" if in_match else "game"])
    numbers = []
    for number, unit_rows in by_unit:
        numbers.append(number)
        unit = Unit(rules, number, totals, misses_of(rules, chances))
        games = [list(part) for _, part in itertools.groupby(unit_rows, key=lambda row: row["game"])]
        for game in games:
            assert [row["deal"] for row in game] == list(range(len(game)))
            winner = unit.play(game)
            assert not in_match or (winner is None) == (game is not games[-1])
        if in_match:
            totals.matches += 1
            totals.match_wins.update(seat for seat in range(rules.players) if seat % rules.sides == winner)
    assert numbers == list(range(5, 5 + n))
    totals.check(tally)
    return totals, rows


GAMES = [
    "muggins=true,miss=0.1",
    "miss=0.2",
    "muggins=true,miss=0.9",
    "players=3,muggins=true,miss=0.3",
    "players=4,muggins=true,miss=0.3",
    "players=4,teams=false,muggins=true,miss=0.3",
    "exact_out=true",
    "exact_out=item",
    "players=3,exact_out=true",
    "players=4,exact_out=item",
    "exact_out=true,muggins=true,miss=0.2",
    "exact_out=item,muggins=true,miss=0.2",
    "go_point=call",
    "go_point=call,target=31",
    "players=3,go_point=call",
    "players=4,go_point=call",
    "players=3,go_order=next",
    "players=4,go_order=next",
    "players=4,go_order=next,go_point=call,muggins=true,miss=0.1,exact_out=true",
    "go_order=next",
    "crib_flush=4",
    "crib_flush=4,miss=0.1",
    "five-card",
    "five-card,muggins=true,miss=0.1,exact_out=true,go_point=call",
    "lowball",
    "lowball,players=3",
    "lowball,players=4",
    "first_deal=cut",
    "players=3,first_deal=cut",
    "players=4,first_deal=2",
    "short",
    "lurch",
    "stakes",
    "players=3,skunk_scope=second,skunk=115,double_skunk=100,double_skunk_value=5",
    "players=3,skunk_scope=each,skunk=115,double_skunk=100,double_skunk_value=5,triple_skunk=80,triple_skunk_value=9",
]


@pytest.mark.parametrize("text", GAMES)
def test_games_are_as_the_oracle_plays_them(text, many_games):
    rules = Rules.parse(text)
    check_units(rules, many_games(120 if rules.target > 100 else 240))


@pytest.mark.parametrize(
    "text",
    [
        "match=7",
        "match_games=5",
        "match_games=4,target=31",
        "casual",
        "casual,players=3,target=61",
        "casual,players=4,target=61",
        "match_games=3,players=3,target=31",
        "match=5,players=3,target=61,lowball=true",
        "match=3,players=4,target=61,lowball=true",
        "match=3,first_deal=alternate,target=61",
        "match=3,first_deal=cut,target=61",
        "match=3,first_deal=1,target=61",
        "acc,match=9",
        "match=4,cards=5,target=61",
    ],
)
def test_matches_are_as_the_oracle_plays_them(text, many_games):
    totals, _ = check_units(Rules.parse(text), many_games(40), in_match=True)
    assert totals.games > totals.matches


def test_each_player_has_his_own_care():
    rules = Rules(muggins=True, miss=0.5)
    totals, _ = check_units(rules, 60, ["greedy(miss=0)", "greedy+greedy(miss=0.2)"])
    careful, careless = (totals.wins[seat] for seat in (0, 1))
    assert careful > 2 * careless


def test_the_oracle_meets_each_rule():
    """Items are taken, counts refused, goes called: what is compared does happen."""
    totals, _ = check_units(Rules.parse("muggins=true,miss=0.2,exact_out=true"), 100)
    assert totals.points[0, "muggins"] > 100
    assert totals.refused > 100
    for more, text in (
        ("go_point=call", "players=3"),
        ("go_order=next", "players=3"),
        ("exact_out=true", "players=2"),
        ("crib_flush=4", "players=2"),
        ("miss=0.01", "players=2"),
    ):
        plain, other = (check_units(Rules.parse(rules), 200)[0] for rules in (text, f"{text},{more}"))
        assert other.points != plain.points, more


def test_deals_count_all_that_is_pegged():
    """Out of games nothing is refused; muggins are a phase of their own, before the total."""
    rules = Rules(muggins=True, miss=0.1, exact_out=True)
    players = (find_player("greedy"),) * 2
    tally, arrow = record_chunk(Job(players, rules, SEED, False), 0, 500)
    taken = 0
    for row in arrow.to_pylist():
        key = choice_key(np.uint64(SEED), np.uint64(row["deal"]), 0)
        table = play_row(row, rules, [0, 0], misses_of(rules, [0.1, 0.1])(key, 1), in_game=False)
        taken += table.points[0]["muggins"]
    histogram = tally.counts.histograms[0, MUGGINS]
    assert histogram @ np.arange(len(histogram)) == taken > 0


def test_items_are_overlooked_each_by_itself():
    """The draws of deals, roles, counts and items: any two have nothing to do with each other."""
    keys = [choice_key(np.uint64(SEED), np.uint64(number), 0) for number in range(4000)]
    places = [(role, event, item) for role in (0, 3) for event in (0, 1, 16, 20, 24) for item in (0, 1, 3, 19)]
    drawn = np.array([[item_draw(np.uint64(key), *place) for key in keys] for place in places]) / 2**32
    assert np.abs(drawn.mean(axis=1) - 0.5).max() < 5 / math.sqrt(12 * 4000)
    related = np.corrcoef(drawn) - np.eye(len(places))
    assert np.abs(related).max() < 6 / math.sqrt(4000)
    assert np.abs(np.corrcoef(drawn[:, 1:].ravel(), drawn[:, :-1].ravel())[0, 1]) < 5 / math.sqrt(4000 * len(places))


def test_each_game_of_a_match_is_cut_for_anew():
    rules = Rules(target=1, match_games=199, first_deal="cut")  # somebody pegs in every deal: one deal a game
    _, rows = record_chunk(Job((find_player("random"),) * 2, rules, SEED, True, in_match=True), 0, 3)
    dealers = np.array([row["dealer"] for row in rows.to_pylist()])
    assert len(dealers) >= 300
    assert 0.4 < dealers.mean() < 0.6
    assert abs(np.corrcoef(dealers[1:], dealers[:-1])[0, 1]) < 5 / math.sqrt(len(dealers))


@pytest.mark.parametrize(
    "text",
    [
        "standard",
        "muggins=true,miss=0.2",
        "exact_out=item,muggins=true,miss=0.2",
        "three,muggins=true,miss=0.2,go_order=next",
        "four,muggins=true,miss=0.2,go_point=call",
    ],
)
def test_turning_the_seats_turns_the_results(text):
    """Whose seat it is decides nothing: with another first dealer on the same cards each role fares as before."""
    n = Rules.parse(text).players
    found = [
        cribsim.simulate(["greedy"] * n, games=200, rules=f"{text},first_deal={seat}", seed=6).tally.counts
        for seat in range(n)
    ]
    for seat in range(n):
        assert (found[seat].histograms == found[0].histograms).all()
        assert (found[seat].turn_wins == found[0].turn_wins).all()
        assert (np.roll(found[seat].seat_units[:n], -seat, axis=0) == found[0].seat_units[:n]).all()


def test_where_items_count_singly_so_do_those_that_are_taken():
    """119-119: the pone overlooks his fifteen, the other takes it and is out before the pone counts his pair."""
    rules = Rules(exact_out="item", muggins=True, first_deal=1)
    record = rules.record(in_game=True, miss=[0.5, 0.0])[0]
    for number in range(200):
        deal = np.zeros(1, DEAL).view(np.recarray)[0]
        deal.key, deal.dealer, deal.winner = number, 1, NOBODY
        deal.scores[:2] = 119
        missed = [bool(item_draw(np.uint64(number), 0, 20, item) < 2**31) for item in (0, 1)]
        settle(record, deal, 0, HAND, 20, 0, 2 | 2 << 4)  # two items of two points
        assert deal.winner == (1 if missed[0] else 0)


def test_every_seat_cuts_the_lowest_card_as_often():
    rows = record_chunk(
        Job((find_player("random"),) * 3, Rules(players=3, target=2, first_deal="cut"), 4, True), 0, 6000
    )
    first = Counter(row["dealer"] for row in rows[1].to_pylist() if row["deal"] == 0)
    assert all(abs(first[seat] - 2000) < 5 * 37 for seat in range(3))


@pytest.mark.parametrize(
    ("rules", "unit"),
    [
        ("casual,muggins=true,miss=0.1", "matches"),
        ("match_games=3,players=3,target=31", "matches"),
        ("first_deal=cut,exact_out=true", "games"),
        ("players=4,muggins=true,miss=0.2,go_order=next", "games"),
        ("players=3,miss=0.1,go_point=call", "deals"),
        ("players=4,teams=false,muggins=true,miss=0.1", "deals"),
        ("five-card,lowball=true", "games"),
    ],
)
def test_a_mirror_is_exactly_zero(rules, unit):
    """The arithmetic of `compare`; that seats are alike is `test_turning_the_seats_turns_the_results`."""
    found = cribsim.compare("random", "random", rules=rules, seed=8, **{unit: 30})
    assert all(row["mean"] == row["se"] == 0 for row in found.phases)
    assert found.difference.mean == 0
    assert unit == "deals" or found.win_rate_a.mean == pytest.approx(1 / found.plays)


def test_a_go_to_who_has_said_go_before_closes_the_count():
    """A ten, B king, C five, A ace; B go, C ace; A is stuck, and B, who is next, too: C isn't asked again."""
    rules = Rules(players=3, go_order="next")
    hands = [parse_cards(cards) for cards in ("TC AH KD QD", "KC QS JH TH", "5D AC 2H 3H")]
    table = oracle_house.Table(3, 3, house_of(rules), lambda *_: False, [0, 0, 0], None)
    state = oracle_house.Play(hands, 2, table)
    play, packed = np.zeros(1, PLAY_VIEW).view(np.recarray)[0], np.full(4, EMPTY_HAND, np.int64)
    packed[:3] = [pack_hand(np.array(sorted(hand), np.uint8)) for hand in hands]
    start_play(play, 2, 3, 4, 255)
    following = 0
    for card in parse_cards("TC KC 5D AH AC"):
        assert state.seat == following
        held = [int(packed[following]) >> (8 * at) & 255 for at in range(4)]
        state.play(card)
        lay_card(play, packed, following, held.index(card))
        following, point = end_turn_next(play, packed)
    assert (following, point, int(play.count)) == (state.seat, 1, 0) == (0, 1, 0)


# strategies that know the rules


def keeps_points(kept, room, exact):
    """What the kept cards are worth to `greedy` as they lie, if they may be pegged."""
    points = oracle.points_as_they_lie(kept) + len(kept) * oracle.is_flush(kept)
    return points if not exact or points <= room else 0


@pytest.mark.parametrize(
    "text", ["lowball", "exact_out=true", "five-card", "five-card,exact_out=true", "lowball,players=3"]
)
def test_greedy_discards_by_the_rules(text):
    """Against plain enumeration, at scores at which some hands would pass the target."""
    rules, random = Rules.parse(text), np.random.default_rng(5)
    half = find_player("greedy").discard
    for _ in range(150):
        hand = sorted(random.permutation(52)[: rules.n_dealt].tolist())
        dealer, seat = int(random.integers(rules.players)), 0
        scores = [rules.target - int(random.integers(1, 12)) for _ in range(rules.sides)]
        view = discard_view(hand, dealer=dealer, seat=seat, scores=scores, rules=rules)
        answer = int(half.answer(view, rules)[0])
        worths = []
        for places in itertools.combinations(range(rules.n_dealt), rules.n_thrown):
            thrown = [hand[at] for at in places]
            kept = [card for card in hand if card not in thrown]
            worth = keeps_points(kept, rules.target - scores[0], bool(rules.exact_out))
            worth += (1 if seat == dealer else -1) * oracle.points_as_they_lie(thrown)
            worths.append(-worth if rules.lowball else worth)
        assert answer == worths.index(max(worths))


@pytest.mark.parametrize("text", ["lowball", "exact_out=true", "exact_out=item", "five-card"])
def test_expectimax_discards_by_the_rules(text):
    """Against the oracle's count of the starters and the table's crib."""
    rules, random = Rules.parse(text), np.random.default_rng(6)
    half, cribs = find_player("expectimax+greedy").discard, crib_table("schell")
    for _ in range(12):
        hand = sorted(random.permutation(52)[: rules.n_dealt].tolist())
        dealer = int(random.integers(2))
        room = int(random.integers(1, 12))
        view = discard_view(hand, dealer=dealer, seat=0, scores=[rules.target - room, 0], rules=rules)
        answer = int(half.answer(view, rules)[0])
        worths = []
        for places in itertools.combinations(range(rules.n_dealt), 2):
            thrown = [hand[at] for at in places]
            kept = [card for card in hand if card not in thrown]
            points = [
                pegged(oracle_house.show_items(kept, starter, flush_alone=True), room, rules.exact_out)
                for starter in range(52)
                if starter not in hand
            ]
            pair = PAIR_CLASS[(thrown[0] >> 2) * 13 + (thrown[1] >> 2)]
            worth = np.mean(points) + (cribs[1, pair] if dealer == 0 else -cribs[0, pair])
            worths.append(-worth if rules.lowball else worth)
        assert worths[answer] == pytest.approx(max(worths), abs=1e-9)


def pegged(items, room, exact):
    """Points of the items that fit into a room."""
    if exact != "item":
        return sum(items) if not exact or sum(items) <= room else 0
    total = 0
    for points in items:
        total += points if total + points <= room else 0
    return total


@pytest.mark.parametrize("text", ["lowball", "exact_out=true"])
def test_greedy_plays_by_the_rules(text):
    rules, random = Rules.parse(text), np.random.default_rng(7)
    half = find_player("greedy").play
    n_thirty_one = 0
    for _ in range(600):
        state = oracle.Play([sorted(cards) for cards in random.permutation(52)[:8].reshape(2, 4).tolist()], 1)
        for _ in range(int(random.integers(0, 6))):
            state.play(int(random.choice(state.legal_cards())))
        seat, room = state.seat, int(random.integers(1, 5))
        scores = [rules.target - room] * 2
        played = [(play.seat, play.card) for play in state.log]
        view = play_view(state.hands[seat], played, dealer=1, seat=seat, scores=scores)
        answer = state.hands[seat][int(half.answer(view, rules)[0])]
        worths = {}
        for card in state.legal_cards():
            parts = oracle.card_parts([*state.pile, card], sum(map(oracle.pip_of, [*state.pile, card])))
            last, pegged = parts.pop("thirty_one", 0), 0
            n_thirty_one += last > 0 and len(parts) > 0
            for points in (sum(parts.values()), last):  # 31 is a count of its own
                pegged += points if not rules.exact_out or pegged + points <= room else 0
            worths[card] = -pegged if rules.lowball else pegged, oracle.rank_of(card)
        assert worths[answer] == max(worths.values())
    assert n_thirty_one > 0


@pytest.mark.parametrize(
    ("rules", "a", "b", "games", "least"),
    [
        ("lowball", "greedy", "greedy(objective=points)+greedy(objective=points)", 500, 0.9),
        ("lowball", "expectimax", "greedy", 500, 0.6),
        ("lowball", "heuristic", "heuristic(objective=points)+heuristic(objective=points)", 500, 0.7),
        ("exact_out=true", "greedy", "greedy(objective=points)+greedy(objective=points)", 20_000, 0.5),
        ("exact_out=true", "expectimax", "expectimax(objective=points)+expectimax(objective=points)", 1000, 0.5),
        ("three", "expectimax", "greedy", 400, 0.34),
        ("four", "expectimax", "greedy", 400, 0.55),
        ("players=4,teams=false", "expectimax", "greedy", 300, 0.26),
        ("five-card", "expectimax+greedy", "greedy", 1000, 0.5),
    ],
)
def test_who_knows_the_rules_wins(rules, a, b, games, least):
    found = cribsim.compare(a, b, games=games, rules=rules, seed=2)
    assert found.win_rate_a.low > least
    mirror = cribsim.compare(a, a, games=20, rules=rules, seed=2)
    assert (mirror.difference.mean, mirror.game_points.mean, mirror.win_rate_a.mean) == (0, 0, 1 / mirror.plays)


@pytest.mark.parametrize(
    ("a", "b", "deals"),
    [
        ("greedy", "greedy(objective=points)+greedy(objective=points)", 200),
        ("montecarlo(samples=20)+greedy", "montecarlo(samples=20,objective=points)+greedy", 200),
        ("greedy+montecarlo(samples=5)", "greedy+montecarlo(samples=5,objective=points)", 60),
        ("expectimax+expectimax", "expectimax(objective=points)+expectimax(objective=points)", 200),
    ],
)
def test_who_knows_lowball_pegs_fewer_points(a, b, deals):
    """The difference says by how much the first is the better; points stay points."""
    found = cribsim.compare(a, b, deals=deals, rules="lowball", seed=2)
    assert found.difference.low > 0
    assert found.difference.mean == -found.estimate("both", "total").mean


@pytest.mark.parametrize(
    ("hand", "player", "best"),
    [
        ("3D 4C 5C 9S QD KS", "montecarlo(samples=20000,discards=random)", "9S KS"),
        ("2C 4S 7D 9H TC QC", "expectimax(crib=exact)", "TC QC"),
    ],
)
def test_discards_know_a_crib_flush_of_four(hand, player, best):
    view, rules = discard_view(hand, dealer=0, seat=0), Rules(crib_flush=4)
    answer = int(find_half(player, "discard").answer(view, rules)[0])
    thrown = [parse_cards(hand)[at] for at in list(itertools.combinations(range(6), 2))[answer]]
    values = cribsim.evaluate_discards(hand, dealer=True, opponent=None, pegging=False, rules=rules)
    assert cribsim.format_cards(thrown) == best
    if "exact" in player:
        assert values.throw[0] == best


def test_who_is_after_points_is_so_in_his_samples_too():
    """`objective=points` changes nothing by the rules: neither the throws of others nor who plays on."""
    hands = [np.random.default_rng(n).permutation(52)[:6].tolist() for n in range(20)]
    throws = find_half("montecarlo(samples=300,objective=points)", "discard")
    plays = find_half("montecarlo(samples=30,rollout=random,objective=points)", "play")
    for hand in hands:
        view = discard_view(hand, dealer=1, seat=0)
        assert throws.answer(view, Rules(lowball=True)) == throws.answer(view, Rules())
        view = play_view(hand[:4], [], dealer=1, seat=0, scores=[120, 118])
        assert plays.answer(view, Rules(lowball=True)) == plays.answer(view, Rules())


@pytest.mark.parametrize(
    ("player", "rules", "wanted"),
    [
        ("equilibrium", "lowball", "these can: expectimax, greedy, heuristic, montecarlo, random"),
        ("montecarlo", "exact_out=true", "these can: expectimax, greedy, random"),
        ("expectimax", "five-card", "can't play by cards=5; these can: greedy, heuristic, random"),
        ("greedy+equilibrium", "five-card", "equilibrium (play) can't play by cards=5"),
        ("expectimax(pegging=true)+greedy", "lowball", "plain points only"),
        ("greedy+expectimax(depth=3)", "lowball", "plain points only"),
        ("equilibrium", "three", "plays with 2 players, not 3"),
    ],
)
def test_strategies_say_what_they_cant_play(player, rules, wanted):
    known = Rules.parse(rules)
    with pytest.raises(cribsim.CribsimError, match=re.escape(wanted)):
        cribsim.simulate([player] * known.players, games=5, rules=known)


def test_a_strategy_of_ones_own_plays_the_old_game():
    @cribsim.discard_strategy("old-first-two", players=2)
    def throw(view):
        assert view.n_cards == 5
        return 0, 1

    found = cribsim.simulate([(throw, "greedy"), "greedy"], games=50, rules="five-card")
    assert found.games == 50


@pytest.mark.parametrize("players", [3, 4])
def test_who_wasnt_asked_may_hold_anything(players):
    """With go_order=next a closed count says nothing of seats that had no turn: no true hand is ruled out."""
    seen = []

    @cribsim.pegging_strategy(f"next-{players}")
    def watch(view):
        lowest = np.zeros(4, np.int64)
        rule_out(view, lowest)
        seen.append((np.array(view["played"]).tolist(), int(view["n_played"]), lowest.tolist(), int(view["starter"])))
        return 0

    rules = Rules(players=players, go_order="next")
    player = find_player((find_player("random").discard, watch))
    _, arrow = record_chunk(Job((player,) * players, rules, SEED, False), 0, 300)
    by_cards = {(tuple(row["plays"]), row["starter"]): row for row in arrow.to_pylist()}
    checked = 0
    for (plays, starter), row in by_cards.items():
        kept = split(row["kept"], players)
        for played, n, lowest, cut in seen:
            if cut == starter and tuple(played[:n]) == plays[:n]:
                held = [[card for card in hand if card not in played[:n]] for hand in kept]
                assert all(card >> 2 >= low for hand, low in zip(held, lowest, strict=False) for card in hand)
                checked += any(lowest)
    assert checked > 100


# results


def test_results_of_matches_tell_of_matches_games_and_seats():
    found = cribsim.simulate(["greedy", "random"], matches=60, rules="casual", seed=3)
    told = found.to_json()
    assert (told["mode"], told["matches"]) == ("matches", 60)
    assert sum(row["mean"] for row in told["match_wins"]) == pytest.approx(1)
    assert told["match_wins"][0]["mean"] > 0.9
    assert told["games_per_match"]["mean"] == pytest.approx(told["games"] / 60)
    assert told["deals_per_game"]["mean"] == pytest.approx(told["deals"] / told["games"])
    assert set(told["skunks"]) == {"skunk", "double_skunk", "triple_skunk", "any", "by_seat"}
    rows, kinds = told["skunks"]["by_seat"], ("skunk", "double_skunk", "triple_skunk")
    n = sum(row[kind] for row in rows for kind in kinds)
    assert told["skunks"]["any"]["mean"] == pytest.approx(n / told["games"])
    for name in ("first_dealer_wins", "deals_per_game", "games_per_match"):
        assert getattr(found, name)().mean == told[name]["mean"]
    assert found.wins_by_turn()[0]["mean"] == told["wins_by_turn"][0]["mean"]
    more = cribsim.simulate(["greedy", "random"], matches=40, rules="casual", seed=3, first=60)
    whole = cribsim.simulate(["greedy", "random"], matches=100, rules="casual", seed=3)
    assert (found + more).tally == whole.tally


def test_results_by_seat_and_side_and_turn():
    found = cribsim.simulate(["greedy"] * 4, games=200, rules="four", seed=3)
    told = found.to_json()
    assert [row["seats"] for row in told["sides"]] == [[0, 2], [1, 3]]
    assert sum(row["mean"] for row in told["sides"]) == pytest.approx(1)
    assert [row["role"] for row in told["wins_by_turn"]] == ["pone", "second", "third", "dealer"]
    by_role = sum(found.estimate(role, "total").mean for role in found.rules.roles)
    assert sum(row["mean"] for row in told["seats"]) == pytest.approx(by_role)
    assert told["wins_by_turn"][3]["mean"] == told["first_dealer_wins"]["mean"]


def test_saved_runs_by_house_rules_are_read_again(tmp_path):
    rules = "casual,muggins=true,miss=0.1"
    found = cribsim.simulate(["greedy(miss=0)", "greedy"], matches=20, rules=rules, out=tmp_path / "run")
    again = cribsim.Result.load(tmp_path / "run")
    assert again.tally == found.tally
    assert again.to_json() == found.to_json()
    assert "muggins" in again.summary().phase.tolist()
    compared = cribsim.compare("greedy", "random", matches=20, rules=rules, out=tmp_path / "pairs")
    assert cribsim.Comparison.load(tmp_path / "pairs").to_json() == compared.to_json()


def test_views_take_rules():
    rules = Rules(players=4, teams=False)
    assert discard_view("2C 3H 4D 5D 5S", dealer=0, seat=1, rules=rules, scores=[1, 2, 3, 4])[0].scores.tolist() == [
        *(1, 2, 3, 4)
    ]
    assert play_view("5H 5S JD", [], dealer=1, seat=0, rules="five-card")[0].n_cards == 3


@pytest.mark.parametrize("miss", [2, -1, "a", True, float("nan")])
def test_a_chance_to_overlook_is_a_chance(miss):
    half = find_player("greedy")
    with pytest.raises(cribsim.CribsimError, match="give a chance from 0 to 1"):
        Player(half.discard, half.play, miss=miss)


def test_who_overlooks_is_told_by_his_name():
    half = find_player("greedy")
    named = Player(half.discard, half.play, text="x", miss=0.5)
    assert str(named) == "x(miss=0.5)"
    assert str(dataclasses.replace(find_player("greedy"), miss=0.5)) == "greedy(miss=0.5)"
    with pytest.raises(cribsim.CribsimError, match="give a chance from 0 to 1"):
        cribsim.check_strategy("greedy+greedy(miss=2)")


def test_games_that_would_never_end_are_refused():
    with pytest.raises(cribsim.CribsimError, match="no game ends"):
        cribsim.simulate(["greedy", "greedy(miss=1)"], games=5, rules="muggins=true,miss=0.99999999999")
    assert cribsim.simulate(["greedy", "greedy(miss=1)"], games=5).games == 5
    with pytest.raises(cribsim.CribsimError, match="match=7"):
        cribsim.simulate(["greedy", "greedy"], matches=5)
