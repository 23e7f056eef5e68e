"""Whole deals and games of the engine, played again card by card by the oracle (tests/oracle.py, plain Python).

The oracle is handed the cards dealt and, at each turn, the card that the engine's record says was thrown or played; it
refuses an illegal one, and everything else (whose turn, points of each card, heels, hands, crib, scores, the end of
the game) must come out as recorded. Where the players are simple the oracle chooses the cards too.
"""

import csv
import itertools
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import oracle
import pytest

import cribsim
from cribsim import Rules
from cribsim.records import record_chunk
from cribsim.rule_record import MAX_TARGET
from cribsim.runs import Batch, Job
from cribsim.strategies import find_player, pegging_strategy
from cribsim.table import LIVE
from cribsim.tally import N_PHASES, PHASES, SKUNK_CLASSES, phases_of
from cribsim.views import DISCARD_VIEW

SEED = 20261130
PLAYER_COUNTS = (2, 3, 4)
N_DEALS, N_PARTS = 20_000, 8
HEELS_TO_CRIB = PHASES[:N_PHASES]


def job_of(text, rules, *, in_game=False, seed=SEED):
    return Job(tuple(find_player(text) for _ in range(rules.players)), rules, seed, in_game)


def recorded(job, first, n):
    """The rows of a chunk and its tally."""
    tally, table = record_chunk(job, first, n)
    return table.to_pylist(), tally


# One deal


def split(cards, n):
    """A flat list of cards, seat 0's first, by seat."""
    size = len(cards) // n
    return [cards[i : i + size] for i in range(0, len(cards), size)]


class RecordedDeal:
    """One row, with the players that do again what it says, and check each turn against `choose_*` where given."""

    def __init__(self, row, n_players, choose_discard=None, choose_play=None):
        self.row = row
        self.dealt = split(row["dealt"], n_players)
        self.kept = split(row["kept"], n_players)
        self.thrown = [sorted(set(hand) - set(kept)) for hand, kept in zip(self.dealt, self.kept, strict=True)]
        rest = sorted(set(row["crib"]) - {card for cards in self.thrown for card in cards})
        self.extra_crib = rest[0] if rest else None
        self.choose_discard, self.choose_play = choose_discard, choose_play
        self.goes = []

    def discard(self, seat, hand, dealer=None):
        assert hand == self.dealt[seat]  # sorted in the record too
        if self.choose_discard is not None:
            assert sorted(self.choose_discard(seat, hand, self.row["dealer"])) == self.thrown[seat]
        return self.thrown[seat]

    def play(self, seat, state):
        at = len(state.log)
        assert self.row["play_seat"][at] == seat
        card = self.row["plays"][at]
        if self.choose_play is not None:
            assert self.choose_play(seat, state) == card
        said = sum(len(before) for before in self.goes)
        self.goes.append(state.goes[said:])
        return card

    def played_again(self, **game):
        """The oracle's record of the deal; `game`: scores, target, partners."""
        row = self.row
        return oracle.play_deal(
            self.dealt, self.extra_crib, row["starter"], row["dealer"], self.discard, self.play, **game
        )

    def check(self, record):
        """The row must say what the oracle found."""
        row, dealer = self.row, self.row["dealer"]
        assert sorted(row["crib"]) == sorted(record.crib)
        assert self.kept == record.kept
        assert row["plays"] == [played.card for played in record.play_log]
        assert row["play_seat"] == [played.seat for played in record.play_log]
        assert row["play_points"] == [played.points for played in record.play_log]
        assert row["heels"] == record.points[dealer]["heels"]
        assert row["pegging"] == [points["pegging"] for points in record.points]
        assert row["hand"] == [points["hand"] for points in record.points]
        assert row["crib_points"] == record.points[dealer]["crib"]
        assert row["scores"] == record.scores


def check_deals(rows, rules, **choose):
    """Play every row again; return what the oracle found, by (role, phase, points)."""
    found = Counter()
    for row in rows:
        deal = RecordedDeal(row, rules.players, **choose)
        record = deal.played_again(partners=bool(rules.teams))
        deal.check(record)
        assert row["dealer"] == rules.players - 1
        found += role_points(record)
    return found


def role_points(record):
    """Counts of one: (role, phase, points) for every role and phase of a deal."""
    n_players = len(record.points)
    found = Counter()
    for role in range(n_players):
        points = record.points[(record.dealer + 1 + role) % n_players]
        found.update((role, phase, points[phase]) for phase in HEELS_TO_CRIB)
        found[role, "total", sum(points.values())] += 1
    return found


def tally_points(tally):
    """The same from a tally's histograms."""
    counts = tally.counts.histograms
    return Counter({(r, PHASES[p], x): int(counts[r, p, x]) for r, p, x in np.argwhere(counts).tolist()})


def only_seated(found, n_players):
    """Roles that nobody has are left out."""
    return Counter({key: n for key, n in found.items() if key[0] < n_players})


@pytest.mark.slow
@pytest.mark.parametrize("part", range(N_PARTS))
@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_random_deals_are_as_the_oracle_plays_them(n_players, part):
    rules = Rules(players=n_players)
    n = N_DEALS // N_PARTS
    rows, tally = recorded(job_of("random", rules), part * n, n)
    assert [row["deal"] for row in rows] == list(range(part * n, (part + 1) * n))
    assert only_seated(tally_points(tally), n_players) == check_deals(rows, rules)


def test_four_players_each_for_himself():
    rules = Rules(players=4, teams=False)
    rows, _ = recorded(job_of("random", rules), 0, 300)
    assert all(len(row["scores"]) == 4 for row in rows)
    check_deals(rows, rules)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize(
    "rules", [Rules(players=n) for n in PLAYER_COUNTS] + [Rules(players=4, teams=False)], ids=["2", "3", "4", "4 alone"]
)
def test_greedy_throws_and_plays_the_oracles_cards(rules, part):
    partners = bool(rules.teams)

    def throw(seat, hand, dealer):
        return oracle.greedy_discard(seat, hand, dealer, partners)

    rows, tally = recorded(job_of("greedy", rules), part * 1000, 1000)
    found = check_deals(rows, rules, choose_discard=throw, choose_play=oracle.greedy_play)
    assert only_seated(tally_points(tally), rules.players) == found


@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_goes_are_said_as_the_oracle_hears_them(n_players):
    """The views tell the goes before each card; the records leave them to be worked out from the hands."""
    rules = Rules(players=n_players)
    job, n = job_of("random", rules), 1000
    batch = Batch(job, 0, n, slots=n)
    assert batch.advance(1)
    assert batch.state[LIVE] == n
    numbers, goes = batch.table.deals["number"].tolist(), batch.table.plays["goes"].tolist()
    rows, _ = recorded(job, 0, n)
    heard = 0
    for number, masks in zip(numbers, goes, strict=True):
        deal = RecordedDeal(rows[number], n_players)
        deal.played_again(partners=bool(rules.teams))
        before = [sum(1 << seat for seat, _ in said) for said in deal.goes]
        assert masks[: len(before)] == before
        assert not any(masks[len(before) :])
        heard += sum(map(bool, before))
    assert heard > n // 10


# Expectimax


@cache
def schell_table():
    """Schell's averages in hundredths, (own, other) by the two ranks; data/README.md gives the source."""
    with open(Path(__file__).parent / "data" / "discard_tables.csv") as lines:
        rows = list(csv.DictReader(lines))
    table = {}
    for row in rows:
        low, high = sorted("A23456789TJQK".index(rank) for rank in row["pair"])
        table[low, high] = hundredths(row["schell_own"]), hundredths(row["schell_opp"])
    assert len(table) == 91
    return table


def hundredths(text):
    whole, _, part = text.partition(".")
    return 100 * int(whole) + int(part.ljust(2, "0"))


def throw_two(seat, hand, dealer):
    return oracle.expectimax_discard(seat, hand, dealer, schell_table())


def throw_one(hand, own):
    """With five cards: points over the 47 unseen starters, and the table's crib of the throw with each unseen card."""
    unseen = [card for card in range(52) if card not in hand]
    sign, column = (1, 0) if own else (-1, 1)

    def worth(kept, thrown):
        rank = oracle.rank_of(thrown[0])
        pairs = [tuple(sorted((rank, oracle.rank_of(card)))) for card in unseen]
        cribs = sum(schell_table()[pair][column] for pair in pairs)
        return 100 * oracle.points_over_starters(kept, hand) + sign * cribs

    return oracle.best_throw(hand, worth)


def answers_of(text, hands, owns, rules):
    """What the discard half answers: the cards thrown, by hand. Asked in views, as the engine asks."""
    n = rules.n_dealt
    views = np.zeros(len(hands), DISCARD_VIEW)
    views["cards"] = 255
    views["cards"][:, :n] = hands
    views["n_cards"], views["n_thrown"], views["players"] = n, rules.n_thrown, rules.players
    views["dealer"] = rules.players - 1
    views["seat"] = views["role"] = [rules.players - 1 if own else 0 for own in owns]
    answers = find_player(text).discard.answer(views, rules)
    throws = list(itertools.combinations(range(n), rules.n_thrown))
    return [[hand[at] for at in throws[answer]] for hand, answer in zip(hands, answers.tolist(), strict=True)]


@cache
def rank_points(ranks):
    """Fifteens, pairs and runs of five ranks, as the oracle counts them: they don't depend on suits."""
    return oracle.points_as_they_lie([4 * rank for rank in ranks])


def quick_show_parts(four, starter, is_crib=False):
    """The oracle's show, with what ranks alone bring counted once for all suits."""
    ranks = rank_points(tuple(sorted(map(oracle.rank_of, [*four, starter]))))
    suits = oracle.flush_points(four, starter, is_crib) + oracle.nobs_points(four, starter)
    return {"total": ranks + suits}


@pytest.fixture
def quick_shows(monkeypatch):
    """Expectimax counts 690 shows a hand."""
    monkeypatch.setattr(oracle, "show_parts", quick_show_parts)


def test_the_quick_show_is_the_oracles():
    random = Random(1)
    for _ in range(3000):
        *four, starter = random.sample(range(random.choice([16, 52])), 5)
        for is_crib in (False, True):
            total = oracle.show_parts(four, starter, is_crib)["total"]
            assert quick_show_parts(four, starter, is_crib)["total"] == total


@pytest.mark.parametrize("part", range(2))
def test_expectimax_throws_the_oracles_cards(part, quick_shows):
    rules = Rules()
    rows, _ = recorded(job_of("expectimax+greedy", rules), part * 150, 150)
    check_deals(rows, rules, choose_discard=throw_two, choose_play=oracle.greedy_play)


def test_expectimax_by_the_oracle_alone():
    rules = Rules()
    rows, _ = recorded(job_of("expectimax+greedy", rules), 300, 10)
    check_deals(rows, rules, choose_discard=throw_two, choose_play=oracle.greedy_play)


def special_hands(kind, n_cards, n):
    """Hands in which suits may decide: of one or two suits, with jacks, or with jacks and a flush."""
    random = Random(f"{kind} {n_cards}")
    hands = []
    while len(hands) < n:
        suits = random.choices(range(4), weights=random.choice([(1, 0, 0, 0), (6, 1, 0, 0), (4, 1, 1, 1)]), k=n_cards)
        ranks = [random.randrange(13) for _ in range(n_cards)]
        if kind != "flush":
            ranks[: random.choice([1, 1, 2, 3])] = [10] * random.choice([1, 1, 2, 3])
            ranks = ranks[:n_cards]
        if kind == "jacks":
            suits = [random.randrange(4) for _ in range(n_cards)]
        cards = sorted({4 * rank + suit for rank, suit in zip(ranks, suits, strict=False)})
        most = max(Counter(card & 3 for card in cards).values())
        if len(cards) == n_cards and (kind == "jacks" or most >= 4):
            hands.append(cards)
    return hands


@pytest.mark.parametrize("kind", ["flush", "jacks", "flush and jacks"])
def test_expectimax_weighs_flushes_and_nobs(kind, quick_shows):
    hands = special_hands(kind, 6, 300)
    owns = [bool(i % 2) for i in range(len(hands))]
    thrown = answers_of("expectimax+greedy", hands, owns, Rules())
    for hand, own, cards in zip(hands, owns, thrown, strict=True):
        assert cards == throw_two(int(own), hand, 1), (hand, own)


@pytest.mark.parametrize("rules", [Rules(players=3), Rules(players=4)], ids=["3", "4"])
def test_expectimax_throws_one_of_five(rules, quick_shows):
    random = Random(5)
    hands = [sorted(random.sample(range(52), 5)) for _ in range(200)]
    hands += special_hands("flush", 5, 100) + special_hands("flush and jacks", 5, 100)
    owns = [bool(i % 2) for i in range(len(hands))]
    thrown = answers_of("expectimax+greedy", hands, owns, rules)
    for hand, own, cards in zip(hands, owns, thrown, strict=True):
        assert cards == throw_one(hand, own), (hand, own)


@pytest.mark.parametrize("text", ["greedy", "expectimax+greedy"])
def test_the_dealers_partner_throws_to_his_own_crib(text):
    """Seat 1 of four is the partner of dealer 3: with partners he throws as the dealer would."""
    random = Random(6)
    hands = [sorted(random.sample(range(52), 5)) for _ in range(300)]
    views = np.zeros(len(hands), DISCARD_VIEW)
    views["cards"] = 255
    views["cards"][:, :5] = hands
    views["n_cards"], views["n_thrown"], views["players"], views["dealer"] = 5, 1, 4, 3
    by_seat = {}
    for teams in (True, False):
        for seat in range(4):
            views["seat"] = views["role"] = seat
            rules = Rules(players=4, teams=teams)
            by_seat[teams, seat] = find_player(text).discard.answer(views, rules).tolist()
    assert by_seat[True, 1] == by_seat[True, 3] == by_seat[False, 3]
    assert by_seat[True, 0] == by_seat[True, 2] == by_seat[False, 0] == by_seat[False, 1] == by_seat[False, 2]
    if text != "greedy":  # one card holds no points, so greedy throws it alike to any crib
        assert by_seat[True, 1] != by_seat[True, 0]


# Games


def loser_class(rules, scores, winner):
    """How badly the worst loser lost."""
    lowest = min(score for side, score in enumerate(scores) if side != winner)
    if rules.skunk and lowest < rules.skunk:
        return "double_skunk" if rules.double_skunk and lowest < rules.double_skunk else "skunk"
    return "single"


def game_points(rules, how):
    return {"single": rules.win_value, "skunk": rules.skunk_value, "double_skunk": rules.double_skunk_value}[how]


class GameTotals:
    """What a tally should hold, added up from the oracle's games."""

    def __init__(self, rules):
        self.rules = rules
        self.points, self.lengths, self.margins = Counter(), Counter(), Counter()
        self.skunks, self.game_points = Counter(), Counter()
        self.deals = self.games = self.first_dealer_wins = 0
        self.units = Counter()

    def add(self, game, first_dealer):
        rules, n_sides = self.rules, self.rules.sides
        self.games += 1
        self.deals += game.n_deals
        self.lengths[game.n_deals] += 1
        self.first_dealer_wins += first_dealer % n_sides == game.winner
        how = loser_class(rules, game.scores, game.winner)
        best = max(score for side, score in enumerate(game.scores) if side != game.winner)
        self.margins[rules.target - best] += 1
        for seat in range(rules.players):
            if seat % n_sides == game.winner:
                self.skunks[seat, how] += 1
                self.game_points[seat] += game_points(rules, how)
        sums = Counter()
        for record in game.deals:
            self.points += role_points(record)
            for role in range(rules.players):
                points = record.points[(record.dealer + 1 + role) % rules.players]
                sums.update({(role, phase): points[phase] for phase in HEELS_TO_CRIB})
                sums[role, "total"] += sum(points.values())
        for key, x in sums.items():
            self.units.update({(*key, 0): x, (*key, 1): x * x, (*key, 2): x * game.n_deals})

    def check(self, tally):
        counts, rules = tally.counts, self.rules
        assert tally.games == self.games
        assert tally.deals == self.deals
        assert only_seated(tally_points(tally), rules.players) == self.points
        lengths, margins = dict(enumerate(counts.lengths.tolist())), dict(enumerate(counts.margins.tolist()))
        assert Counter(lengths) == self.lengths
        assert Counter(margins) == self.margins
        squares = sum(n * margin * margin for margin, n in self.margins.items())
        assert counts.margin_sums.tolist() == [sum(n * margin for margin, n in self.margins.items()), squares]
        assert int(counts.first_dealer_wins[0]) == self.first_dealer_wins
        for seat in range(rules.players):
            by_class = [self.skunks[seat, how] for how in SKUNK_CLASSES]
            assert counts.skunks[seat].tolist() == by_class
            assert int(counts.wins[seat]) == sum(by_class)
            assert int(counts.game_points[seat, 0]) == self.game_points[seat]
        for role in range(rules.players):
            for at, phase in enumerate(phases_of(muggins=False)):
                assert counts.units[role, at].tolist() == [self.units[role, phase, i] for i in range(3)]
        spread = sum(n * length * length for length, n in self.lengths.items())
        assert counts.unit_deals.tolist() == [self.games, self.deals, spread]


def check_games(text, rules, first, n, seed=SEED, **choose):
    """Play recorded games again; the tally must be their sum. Returns the oracle's games."""
    rows, tally = recorded(job_of(text, rules, in_game=True, seed=seed), first, n)
    totals, games = GameTotals(rules), []
    by_game = {number: list(group) for number, group in itertools.groupby(rows, key=lambda row: row["game"])}
    assert list(by_game) == list(range(first, first + n))
    for number, game_rows in by_game.items():
        assert [row["deal"] for row in game_rows] == list(range(len(game_rows)))
        first_dealer = (rules.players - 1 + number) % rules.players
        game = play_again(game_rows, first_dealer, rules, **choose)
        totals.add(game, first_dealer)
        games.append(game)
    totals.check(tally)
    return games


def play_again(rows, first_dealer, rules, **choose):
    """One game by the oracle, deal after deal as recorded; it must need exactly the recorded deals."""
    deals = [RecordedDeal(row, rules.players, **choose) for row in rows]
    now = None

    def deal_out(n):
        nonlocal now
        now = deals[n]
        seats = oracle.seats_after(now.row["dealer"], rules.players)
        return [now.dealt[seat] for seat in seats], now.extra_crib, now.row["starter"]

    game = oracle.play_game(
        deal_out,
        first_dealer,
        lambda seat, hand, dealer: now.discard(seat, hand),
        lambda seat, state: now.play(seat, state),
        rules.players,
        rules.target,
        bool(rules.teams),
    )
    assert game.n_deals == len(rows)
    for deal, record in zip(deals, game.deals, strict=True):
        assert deal.row["dealer"] == record.dealer
        deal.check(record)
    assert max(game.scores) == rules.target
    return game


def ends_of(games):
    """How often a game was ended by which phase."""
    return Counter(game.deals[-1].awards[-1][1] for game in games)


@pytest.mark.slow
@pytest.mark.parametrize("target", [121, 61])
@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_games_stop_at_the_very_point(n_players, target):
    rules = Rules(players=n_players, target=target)
    games = check_games("random", rules, 3, 240)
    assert set(ends_of(games)) >= {"pegging", "hand", "crib"}
    assert len({game.winner for game in games}) == rules.sides


@pytest.mark.slow
@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_greedy_games_are_the_oracles(n_players):
    rules = Rules(players=n_players)

    def throw(seat, hand, dealer):
        return oracle.greedy_discard(seat, hand, dealer, bool(rules.teams))

    check_games("greedy", rules, 0, 60, choose_discard=throw, choose_play=oracle.greedy_play)


@pytest.mark.parametrize("target", [1, 2, 5, 31])
@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_games_to_odd_targets(n_players, target):
    games = check_games("random", Rules(players=n_players, target=target), 0, 150)
    if target <= 2:
        assert ends_of(games)["heels"] > 0  # about eleven of the first deals turn up a jack


def test_the_longest_game_there_is():
    """Its sums are exact; to a higher target those of squares wouldn't be."""
    counts = cribsim.simulate(["random", "random"], games=1, rules=Rules(target=MAX_TARGET)).tally.counts
    lead, squares = (int(value) for value in counts.margin_sums)
    assert 0 < lead < MAX_TARGET
    assert squares == lead**2
    for target in (MAX_TARGET + 1, 10**9, 2**63):
        with pytest.raises(cribsim.RulesError, match=r"target=\d+: give a whole number from 1 to 1,000,000"):
            Rules(target=target)


def test_games_of_four_each_for_himself():
    games = check_games("random", Rules(players=4, teams=False, target=61), 0, 60)
    assert all(len(game.scores) == 4 for game in games)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(skunk=110, double_skunk=100, win_value=2, skunk_value=3, double_skunk_value=7),
        Rules(skunk=0, double_skunk=0),
        Rules(skunk=115, double_skunk=0, skunk_value=5),
        Rules(skunk=121, double_skunk=121, double_skunk_value=4),
        Rules(players=3, skunk=115, double_skunk=105, double_skunk_value=9),
        Rules(players=4, skunk=115, double_skunk=105, double_skunk_value=9),
    ],
    ids=repr,
)
def test_skunk_lines_and_their_game_points(rules):
    games = check_games("random", rules, 0, 80)
    found = {loser_class(rules, game.scores, game.winner) for game in games}
    wanted = {"single", "skunk", "double_skunk"}
    if not rules.double_skunk:
        wanted -= {"double_skunk"}
    if not rules.skunk:
        wanted = {"single"}
    if rules.double_skunk == rules.target:
        wanted = {"double_skunk"}
    assert found == wanted


@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_the_first_deal_passes_from_game_to_game(n_players):
    rules = Rules(players=n_players, target=5)
    rows, _ = recorded(job_of("random", rules, in_game=True), 10**12, 12)
    for row in rows:
        assert row["dealer"] == (n_players - 1 + row["game"] + row["deal"]) % n_players


# What a player is shown


@pytest.mark.parametrize("n_players", PLAYER_COUNTS)
def test_views_show_the_table_as_the_oracle_has_it(n_players):
    """A player in plain Python writes down every view of some games; the oracle must be in the same position."""
    seen = []

    @pegging_strategy(f"observer-{n_players}")
    def observer(view):
        seen.append({name: np.array(view[name]).tolist() for name in view.dtype.names})
        return 0

    rules = Rules(players=n_players, target=61)
    player = find_player((find_player("random").discard, observer))
    job = Job((player,) * n_players, rules, SEED, True)
    rows, _ = recorded(job, 0, 6)
    asked = {}
    for view in seen:
        asked.setdefault((view["starter"], tuple(view["played"][: view["n_played"]]), view["seat"]), []).append(view)
    checked = 0
    for _, group in itertools.groupby(rows, key=lambda row: row["game"]):
        scores = [0] * rules.sides
        for row in group:
            checked += check_views(row, rules, scores, asked)
            scores = row["scores"]
    assert checked == len(seen)


def check_views(row, rules, scores, asked):
    """Compare the views of one deal with the oracle's positions; return how many there were."""
    deal, checked = RecordedDeal(row, rules.players), 0
    plain_play = deal.play

    def play(seat, state):
        nonlocal checked
        card = plain_play(seat, state)
        if len(state.legal_cards()) > 1:
            played = [play.card for play in state.log]
            matching = asked[row["starter"], tuple(played), seat]
            (view,) = [view for view in matching if view["cards"][: view["n_cards"]] == state.hands[seat]]
            checked += 1
            now = list(scores)
            for other, points in enumerate(state.points):
                now[other % rules.sides] += points
            if row["starter"] >> 2 == oracle.JACK:
                now[row["dealer"] % rules.sides] += 2
            n = len(state.log)
            assert view["discards"][: rules.n_thrown] == deal.thrown[seat]
            assert view["count"] == state.count
            assert view["played"][view["count_start"] : n] == state.pile
            assert view["played_by"][:n] == [play.seat for play in state.log]
            assert view["n_left"][: rules.players] == [len(hand) for hand in state.hands]
            assert view["scores"][: rules.players] == [now[other % rules.sides] for other in range(rules.players)]
            assert (view["dealer"], view["players"]) == (row["dealer"], rules.players)
            assert view["gone"] == sum(1 << other for other in state.said_go)
            assert set(view["played"][n:]) <= {255}
            for rank in range(13):
                if state.count + oracle.pip_of(4 * rank) <= oracle.MAX_COUNT:
                    parts = oracle.card_parts([*state.pile, 4 * rank], state.count + oracle.pip_of(4 * rank))
                    assert view["gains"] >> (4 * rank) & 15 == sum(parts.values())
        return card

    deal.play = play
    deal.played_again(scores=scores, target=rules.target, partners=bool(rules.teams))
    return checked
