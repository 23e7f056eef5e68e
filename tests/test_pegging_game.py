"""The pegging game: its tree, walks and values against plain enumeration on small decks; learning; the whole game."""

import hashlib
import json
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np
import oracle
import pytest

from cribsim import simulate
from cribsim.analysis.lore import lore
from cribsim.analysis.pegging_game import kept_values, lead_values
from cribsim.cards import parse_cards
from cribsim.errors import CribsimError, PlayerError
from cribsim.pegging import EMPTY_HAND, card_at, end_turn, highest_rank, lay_card, start_play
from cribsim.pegging_game.game import (
    BEST,
    DEALER,
    FOLLOW,
    PONE,
    Game,
    Profile,
    pair_weights,
    with_small_chances,
)
from cribsim.pegging_game.leaves import alone_value, pair_value, useful_pile
from cribsim.pegging_game.paths import fill_views, find_paths
from cribsim.pegging_game.sets import ROW_WIDTHS, SETS, count_ranks
from cribsim.pegging_game.solving import Solver
from cribsim.pegging_game.tree import FULL_DECK, GO, build_tree
from cribsim.rules import Rules
from cribsim.scoring import multisets
from cribsim.strategies import check, find_half
from cribsim.strategies.equilibrium_play import full_folder, read_solution
from cribsim.strategies.play_policy import play_policy
from cribsim.strategies.ranges import kept_chances, pack
from cribsim.strategies.tables import pegging_table
from cribsim.views import PLAY_VIEW, play_view

DATA = Path(__file__).parent / "data"


def deck_of(**ranks):
    """A small deck: `A=2, T=2` and so on."""
    names = ("A", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "T", "J", "Q", "K")
    return tuple(ranks.get(name, 0) for name in names)


DECKS = [
    (deck_of(A=2, _5=2, T=2), 2),
    (deck_of(A=2, _5=2, T=2, K=1), 3),
    (deck_of(_7=2, _8=2, _9=2), 3),
    (deck_of(_5=1, T=3, J=2, Q=1), 3),
    (deck_of(_4=2, _6=2, T=2, J=2), 4),
    (deck_of(A=2, _2=2, _3=2, T=2), 4),
]
SMALL = DECKS[:4]


def liking(role, seen, count, hand, rank):
    """A strategy made of nothing but chance: how much a hand likes a rank, 0 for some."""
    text = repr((role, tuple(seen), count, tuple(hand), rank)).encode()
    return hashlib.sha256(text).digest()[0] // 16


def ranges(deck, n):
    rng = np.random.default_rng(n)
    chances = rng.random((2, len(multisets(n))))
    chances[:, ((multisets(n)[:, :, None] == np.arange(13)).sum(1) > np.array(deck)).any(1)] = 0
    return chances / chances.sum(axis=1, keepdims=True)


# the plain road: hands as lists of cards, the oracle's play, no tree


def cards_of(hand, other=()):
    """Cards of these ranks that the other hand doesn't hold."""
    used, cards = Counter(card >> 2 for card in other), []
    for rank in hand:
        cards.append(rank * 4 + used[rank])
        used[rank] += 1
    return cards


class Plain:
    """Values by enumeration. `me` holds one hand; the other holds any, each with its weight."""

    def __init__(self, me, best):
        self.me, self.best = me, best

    def state(self, mine, other, seen):
        hands = [None, None]
        hands[self.me] = cards_of(mine)
        hands[1 - self.me] = cards_of(other, hands[self.me])
        play = oracle.Play(hands, 1)
        for rank in seen:
            play.play(next(card for card in play.legal_cards() if card >> 2 == rank))
        return play

    def value(self, mine, others, seen):
        """Summed over the other's hands by weight; what was played before is `seen`."""
        groups = defaultdict(dict)
        for other, weight in others.items():
            play = self.state(mine, other, seen)
            groups[play.seat, play.count][other] = weight
        return sum(self.at(seat, count, mine, group, seen) for (seat, count), group in groups.items())

    def at(self, seat, count, mine, others, seen):
        if seat is None:
            points = (self.state(mine, other, seen).points for other in others)
            return sum(w * (p[self.me] - p[1 - self.me]) for w, p in zip(others.values(), points, strict=True))
        if seat == self.me:
            play = self.state(mine, next(iter(others)), seen)
            left = sorted(card >> 2 for card in play.hands[self.me])
            ranks = sorted({card >> 2 for card in play.legal_cards()})
            values = [self.value(mine, others, (*seen, rank)) for rank in ranks]
            if self.best:
                return max(values)
            return float(np.average(values, weights=self.weights(seat, seen, count, left, ranks)))
        below = defaultdict(dict)
        for other, weight in others.items():
            play = self.state(mine, other, seen)
            left = sorted(card >> 2 for card in play.hands[seat])
            ranks = sorted({card >> 2 for card in play.legal_cards()})
            for rank, part in zip(ranks, self.weights(seat, seen, count, left, ranks), strict=True):
                if part:
                    below[rank][other] = weight * part
        return sum(self.value(mine, hands, (*seen, rank)) for rank, hands in below.items())

    @staticmethod
    def weights(role, seen, count, left, ranks):
        likings = np.array([liking(role, seen, count, left, rank) for rank in ranks], float)
        return likings / likings.sum() if likings.sum() else np.full(len(ranks), 1 / len(ranks))


def plain_value(deck, n, chances, me, best):
    weights = pair_weights(chances, deck)
    if me == DEALER:
        weights = weights.T
    hands, total = [tuple(row) for row in multisets(n).tolist()], 0.0
    for at in np.flatnonzero(weights.any(axis=1)):
        others = {hands[k]: weights[at, k] for k in np.flatnonzero(weights[at])}
        total += Plain(me, best).value(hands[at], others, ())
    return total / weights.sum()


# the tree's road


def paths(tree):
    """By node the ranks played before it and the count."""
    nodes, found = tree.nodes, {0: ((), 0, False)}
    for node in range(tree.n):
        seen, count, alone = found[node]
        for branch, child in enumerate(nodes.child[node]):
            if child >= 0:
                is_new = branch == GO and (alone or nodes.n_other[node] == 0)
                after = count if branch == GO else count + min(branch + 1, 10)
                after = 0 if is_new or after == 31 or (branch < GO and alone and nodes.n_mover[node] == 1) else after
                same = nodes.mover[child] == nodes.mover[node]
                goes_on = (branch == GO and not is_new) or (branch < GO and same and after > 0)
                found[int(child)] = ((*seen, branch) if branch < GO else seen, after, goes_on)
    return found


def liked(tree):
    """The strategy of `liking` in the tree's slots."""
    weights, nodes = np.zeros(tree.n_slots, np.float32), tree.nodes
    for node, (seen, count, _) in paths(tree).items():
        n = int(nodes.n_mover[node])
        if n < 2:
            continue
        kept = multisets(n - 1).tolist()
        for rank in range(nodes.n_legal[node]):
            for at, rest in enumerate(kept):
                slot = nodes.slot[node] + rank * ROW_WIDTHS[n] + at
                weights[slot] = liking(int(nodes.mover[node]), seen, count, sorted([*rest, rank]), rank)
    return Profile.of(weights)


@pytest.mark.parametrize("me", [PONE, DEALER])
@pytest.mark.parametrize("mode", [BEST, FOLLOW])
@pytest.mark.parametrize(("deck", "n"), SMALL)
def test_values_are_those_of_plain_enumeration(deck, n, me, mode):
    """Best replies and mirrors of a strategy of pure chance, in the whole tree."""
    chances = ranges(deck, n)
    tree = build_tree(deck, n, whole=True)
    game = Game(tree, chances)
    assert game.value(me, mode, liked(tree)) == pytest.approx(plain_value(deck, n, chances, me, mode == BEST), abs=1e-5)


@pytest.mark.parametrize("me", [PONE, DEALER])
@pytest.mark.parametrize(("deck", "n"), DECKS)
def test_what_is_certain_at_the_end_is_what_best_replies_make_of_it(deck, n, me):
    """The tree with its ends worked out against the whole one: a best reply to one that plays its ends best."""
    chances, small, whole = ranges(deck, n), build_tree(deck, n), build_tree(deck, n, whole=True)
    weights = liked(whole)
    best_at_the_end(whole, weights.follow)
    pruned = liked(small)
    found = [Game(tree, chances).value(me, BEST, profile) for tree, profile in ((small, pruned), (whole, weights))]
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def best_at_the_end(tree, weights):
    """Let hands that go on alone play the order that brings most."""
    nodes = tree.nodes

    def value(node, hand):
        """The most from here, and the rank that brings it; one card left is an end."""
        fits = sorted({rank for rank in hand if rank < nodes.n_legal[node]})
        if not fits:
            return nodes.gain[node, GO] + value(nodes.child[node, GO], hand)[0], None
        return max((after(node, hand, rank), rank) for rank in fits)

    def after(node, hand, rank):
        rest = list(hand)
        rest.remove(rank)
        child = nodes.child[node, rank]
        below = tree.leaves.ones[-2 - child][rest[0]] if child < 0 else value(child, rest)[0]
        return int(nodes.gain[node, rank]) + int(below)

    for node in np.flatnonzero((nodes.n_other == 0) & (nodes.n_mover >= 2)):
        n = int(nodes.n_mover[node])
        held = np.array([int(nodes.left[node]) >> (3 * rank) & 7 for rank in range(13)])
        for hand, counts in zip(multisets(n).tolist(), count_ranks(n), strict=True):
            if (counts > held).any():
                continue
            _, best = value(node, hand)
            for rank in {rank for rank in hand if rank < nodes.n_legal[node]}:
                rest = list(hand)
                rest.remove(rank)
                at = int(np.flatnonzero((multisets(n - 1) == rest).all(axis=1))[0])
                weights[nodes.slot[node] + rank * ROW_WIDTHS[n] + at] = rank == best


# learning


@pytest.mark.parametrize(("deck", "n"), DECKS)
def test_learning_comes_near_the_equilibrium_on_small_decks(deck, n):
    """Under a thousandth of a point."""
    solver = Solver(Game(build_tree(deck, n), ranges(deck, n)))
    while solver.rounds < 300:
        solver.step()
    found = solver.measure()
    assert -1e-5 < found.exploitability < 1e-3
    assert found.pone > -1e-5
    assert found.dealer > -1e-5


def test_the_result_doesnt_hang_on_the_cores(monkeypatch):
    deck, n = DECKS[5]
    sums = []
    for cores in (1, 3):
        monkeypatch.setattr("cribsim.pegging_game.game.n_cores", lambda cores=cores: cores)
        monkeypatch.setattr("cribsim.work.n_cores", lambda cores=cores: cores)
        solver = Solver(Game(build_tree(deck, n), ranges(deck, n)))
        for _ in range(5):
            solver.step()
        sums.append(solver.sums)
    assert np.array_equal(*sums)


def test_work_kept_goes_on_as_if_it_had_never_stopped(tmp_path):
    deck, n = DECKS[3]

    def fresh():
        return Solver(Game(build_tree(deck, n), ranges(deck, n)), {"range": "mine"})

    through, first, again = fresh(), fresh(), fresh()
    for _ in range(6):
        through.step()
    for _ in range(3):
        first.step()
    first.measure()
    first.save(tmp_path)
    (tmp_path / "regrets-4.tmp").write_bytes(b"half")
    assert again.resume(tmp_path)
    assert again.log == first.log
    for _ in range(3):
        again.step()
    assert np.array_equal(again.sums, through.sums)
    other = Solver(Game(build_tree(deck, n), ranges(deck, n)), {"range": "other"})
    with pytest.raises(CribsimError, match="other work"):
        other.resume(tmp_path)
    (tmp_path / "sums-3.npy").write_bytes(b"")
    with pytest.raises(CribsimError, match="begin anew"):
        fresh().resume(tmp_path)


# the whole game


@pytest.mark.parametrize("whole", [False, True])
def test_the_numbers_of_nodes_are_those_of_another_count(whole):
    """Counted apart from this code, by a walk over states; kept in tests/data."""
    tree = build_tree(FULL_DECK, 4, whole=whole)
    counted = Counter(zip(tree.nodes.n_mover.tolist(), tree.nodes.n_other.tolist(), strict=True))
    right = json.loads((DATA / "pegging_tree.json").read_text())["nodes"]
    expected = {key: n for key, n in right.items() if whole or not key.endswith("0")}
    assert {f"{mine}{other}": n for (mine, other), n in counted.items()} == expected
    assert build_tree(FULL_DECK, 4, whole=whole) is tree


# strategies in it


@pytest.fixture(scope="module")
def whole():
    return build_tree(FULL_DECK, 4, whole=True)


def test_views_of_places_are_those_of_real_deals(whole):
    """Views of random games find their node, and the node's view of the same ranks is theirs, but for what the game
    leaves out: suits, starter, discards, scores, keys."""
    views = check.sample_views(2, n_deals=300)["play"]
    views = views[views["players"] == 2]
    paths, nodes = find_paths(whole), whole.nodes
    steps, used = np.zeros(32, np.int64), np.zeros(13, np.int64)
    n_checked = Counter()
    for view in views[:: max(len(views) // 1500, 1)]:
        n, node = int(view["n_cards"]), node_of(nodes, view)
        if n < 2:
            continue
        ranks = [int(card) >> 2 for card in view["cards"][:n]]
        hand = int(np.flatnonzero((multisets(n) == ranks).all(axis=1))[0])
        made = np.zeros(1, PLAY_VIEW)
        fill_views(np.array([node], np.int32), np.array([hand], np.int32), n, 4, nodes, SETS, paths, steps, used, made)
        mine, pone = made[0], 1 - int(view["dealer"])
        for name in ("pile", "gains", "count", "n_played", "count_start", "n_cards"):
            assert mine[name] == view[name], name
        assert [card >> 2 for card in mine["cards"][:n]] == ranks
        played = int(view["n_played"])
        assert [card >> 2 for card in mine["played"][:played]] == [card >> 2 for card in view["played"][:played]]
        swap = pone  # the tree's pone sits at seat 0
        assert [seat ^ swap for seat in mine["played_by"][:played]] == view["played_by"][:played].tolist()
        bits = [0, 1, 2, 3] if not swap else [0, 2, 1, 3]
        assert [bits[go] for go in mine["goes"][: played + 1]] == view["goes"][: played + 1].tolist()
        assert bits[mine["gone"]] == view["gone"]
        assert mine["n_left"][:2].tolist() == (view["n_left"][:2] if not swap else view["n_left"][1::-1]).tolist()
        assert (mine["seat"] ^ swap, mine["dealer"] ^ swap) == (view["seat"], view["dealer"])
        if played:
            assert mine["last_seat"] ^ swap == view["last_seat"]
        n_checked[n] += 1
    assert min(n_checked[n] for n in (2, 3, 4)) > 100


def node_of(nodes, view):
    """The node of a real view, step by step: whoever could not have played has said go."""
    node, pone = 0, 1 - int(view["dealer"])
    for card, seat in zip(view["played"][: view["n_played"]], view["played_by"], strict=False):
        side, rank = int(seat) ^ pone, int(card) >> 2
        while nodes.mover[node] != side or rank >= nodes.n_legal[node]:
            node = int(nodes.child[node, GO])
        node = int(nodes.child[node, rank])
    side, lowest = int(view["seat"]) ^ pone, int(view["cards"][0]) >> 2
    while nodes.mover[node] != side or lowest >= nodes.n_legal[node]:
        node = int(nodes.child[node, GO])
    return node


def test_random_and_greedy_play_are_worth_what_deals_say(whole):
    """The mirror's value in the game against deals of the same discards: starter and discards change it little."""
    kept = kept_chances(find_half("expectimax", "discard"))
    game = Game(whole, with_small_chances(kept))
    for name in ("random", "greedy"):
        profile = play_policy(find_half(name, "play"), whole)
        result = simulate([f"expectimax+{name}"] * 2, deals=300_000, seed=5).summary().set_index(["seat", "phase"])
        value = result.loc[("pone", "pegging"), "mean"] - result.loc[("dealer", "pegging"), "mean"]
        assert game.value(PONE, FOLLOW, profile) == pytest.approx(value, abs=0.06)


def test_greedy_play_is_exploited_as_others_found(run):
    """Prototypes written apart from this package: 0.875 points a deal; -1.51 in the mirror."""
    code, out, err = run("exploit", "--play", "greedy", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert {"schema_version", "strategy", "pone", "dealer", "exploitability", "mirror_value", "range"} <= set(found)
    assert found["exploitability"] == pytest.approx(0.875, abs=0.02)
    assert found["exploitability"] == pytest.approx((found["pone"] + found["dealer"]) / 2)
    assert found["mirror_value"] == pytest.approx(-1.51, abs=0.02)
    assert found["range"] == "expectimax"


def test_the_shipped_play_is_near_the_equilibrium(run):
    code, out, err = run("exploit", "--play", "equilibrium", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["range"] == "equilibrium"
    told = read_solution("shipped").about["exploitability_small"]
    assert found["exploitability"] == pytest.approx(told, rel=0.01)
    assert 0 < told < 0.001


def test_plays_are_drawn_by_the_solutions_chances():
    """Many keys at some leads: how often each rank is led is what the levels say."""
    solution, tree = read_solution("shipped"), build_tree()
    half = find_half("equilibrium", "play")
    for hand in ("5H 6D 9C KS", "3H 3D 8C KS", "AH 4D TC JS"):
        views = np.repeat(play_view(hand, [], dealer=1, seat=0), 20_000)
        views["key"] = np.random.default_rng(1).integers(1 << 64, size=len(views), dtype=np.uint64)
        answers = half.answer(views)
        ranks = [int(card) >> 2 for card in views["cards"][0]]
        levels = {}
        for place, rank in enumerate(ranks):
            rest = ranks[:place] + ranks[place + 1 :]
            at = int(np.flatnonzero((multisets(3) == rest).all(axis=1))[0])
            levels[rank] = int(solution.levels[tree.nodes.slot[0] + rank * ROW_WIDTHS[4] + at])
        total = sum(levels.values())
        assert total > 0
        for rank, level in levels.items():
            share = np.isin(answers, [place for place, other in enumerate(ranks) if other == rank]).mean()
            assert share == pytest.approx(level / total, abs=0.02)


def test_guesses_are_counted_the_same_on_any_workers():
    found = [simulate(["equilibrium", "equilibrium+greedy"], deals=5000, seed=2, workers=n) for n in (1, 3)]
    told = [result.to_json()["guesses"] for result in found]
    assert told[0] == told[1]
    assert told[0][0] > 0
    assert told[0][1] == 0


def test_what_equilibrium_plays_alone_is_best():
    """Pairs and triples in one hand when the other has no card left: no order of them brings more."""
    half = find_half("equilibrium", "play")
    n_seen = 0
    for view in check.sample_views(2, n_deals=400)["play"]:
        if view["players"] != 2 or view["n_left"][1 - view["seat"]] > 0 or view["n_cards"] < 2:
            continue
        cards = view["cards"][: view["n_cards"]].tolist()
        fits = [card for card in cards if view["count"] + min((card >> 2) + 1, 10) <= 31]
        values = {card: alone(view, cards, card) for card in fits}
        chosen = cards[int(half.answer(view)[0])]
        assert values[chosen] == max(values.values())
        n_seen += 1
    assert n_seen > 20


def alone(view, cards, first):
    """The most of these cards when this one is played first, by the oracle."""
    seat, best = int(view["seat"]), -99
    start = int(view["count_start"])
    for order in permutations([card for card in cards if card != first]):
        play = oracle.Play([[], []], int(view["dealer"]))
        play.hands[seat] = sorted(cards)
        play.pile, play.count = [int(card) for card in view["played"][start : view["n_played"]]], int(view["count"])
        play.seat, play.said_go = seat, set()
        try:
            for card in (first, *order):
                play.play(card)
        except ValueError:
            continue
        best = max(best, play.points[seat] - play.points[1 - seat])
    return best


@pytest.mark.parametrize("seed", range(4))
def test_what_ends_hang_on_is_all_that_they_hang_on(seed):
    """Values with the part of the pile that may still matter are those with the whole pile."""
    rng = np.random.default_rng(seed)
    cases = (
        [(pile, 21, 10, 12, 12) for pile in (0x1CD, 0x1DC)] if seed == 0 else []
    )  # A-K-Q lie, and a jack makes a run
    for _ in range(3000):
        pile, count, used = 0, 0, rng.permutation(52)
        for card in used[: rng.integers(1, 9)] >> 2:
            if count + min(card + 1, 10) < 31:
                pile, count = pile << 4 | int(card) + 1, count + min(int(card) + 1, 10)
        cases.append((pile, count, *(int(card) >> 2 for card in used[9:12])))
    for pile, count, one, two, three in cases:
        part = useful_pile(pile, count)
        assert pair_value(part, count, one, two) == pair_value(pile, count, one, two), (hex(pile), count, one, two)
        for mine in (True, False):
            given = (count, mine, one, two, three)
            assert alone_value(part, *given, 3) == alone_value(pile, *given, 3), (hex(pile), given)


# solving from the command line


def test_solving_is_kept_and_goes_on(run, tmp_path, monkeypatch):
    """A few rounds, broken off by the clock; then on from there. The small form plays in deals."""
    code, out, err = run("solve", "pegging", "--minutes", "0.02", "--out", "solution", "--json")
    assert code == 0, err
    first = json.loads(out)
    assert (tmp_path / "solution" / "solution.json").exists()
    code, out, err = run(
        "solve", "pegging", "--minutes", str(first["seconds"] / 60 + 0.02), "--out", "solution", "--json"
    )
    assert code == 0, err
    again = json.loads(out)
    wrote = (tmp_path / "solution" / "levels.npy").stat().st_mtime_ns
    code, out, err = run(
        "solve", "pegging", "--minutes", str((again["seconds"] - 1) / 60), "--out", "solution", "--json"
    )
    assert json.loads(out)["rounds"] == again["rounds"]  # nothing is left to do
    assert (tmp_path / "solution" / "levels.npy").stat().st_mtime_ns == wrote
    assert again["rounds"] > first["rounds"] >= 1
    assert again["exploitability_solution"] < first["exploitability_solution"]
    home, told = full_folder(), tmp_path / "solution" / "solution.json"
    home.parent.mkdir(parents=True, exist_ok=True)
    home.symlink_to(tmp_path / "solution")
    try:
        assert find_half("equilibrium", "play").files == ()  # a solution that loses more isn't played unless named
        told.write_text(json.dumps(json.loads(told.read_text()) | {"exploitability_full": 0.0}))
        found = simulate(["equilibrium", "equilibrium+greedy"], deals=2000, seed=1)
        assert find_half("equilibrium", "play").files == (home / "levels.npy",)
        shipped = simulate(["equilibrium+equilibrium(solution=shipped)", "equilibrium+greedy"], deals=2000, seed=1)
    finally:
        home.unlink()
    result = simulate(["equilibrium+equilibrium(solution=solution)", "equilibrium+greedy"], deals=2000, seed=1)
    assert found.tally == result.tally != shipped.tally
    assert found.provenance["code"] != shipped.provenance["code"]
    assert result.to_json()["guesses"] == [0, 0]
    assert result.provenance["code"]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("solve", "GAME"),
        ("solve chess --out x", "can't be solved"),
        ("solve pegging --range expectimax", "name a folder"),
        ("solve deal", "name a folder"),
        ("solve deal --out x --minutes 3", "--minutes goes with cribsim solve pegging"),
        ("solve deal --out x --target 2", "target"),
        ("solve deal --out file", "file"),
        ("solve pegging --out x --minutes -1", "minutes"),
        ("solve pegging --out x --minutes 0", "minutes"),
        ("solve pegging --out x --minutes nan", "minutes"),
        ("solve pegging --out x --range random", "draws"),
        ("solve pegging --out x --range nobody", "nobody"),
        ("solve pegging --out file", "file"),
    ],
)
def test_misuse_of_solve_is_one_clear_line(run, tmp_path, words, wanted):
    (tmp_path / "file").write_text("mine")
    code, out, err = run(*words.split())
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert wanted in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("solution", ["nowhere", "file.npz"])
def test_a_solution_that_isnt_there_is_told(solution):
    with pytest.raises(PlayerError, match="no solution"):
        find_half(f"equilibrium(solution={solution})", "play").ready(Rules())


# what hands and leads are worth


def test_kept_hands_are_worth_what_deals_said(whole):
    """`greedy` against `greedy`: the exact values beside those of 600 million deals that ship. The deals know starters
    and discards, and the keeper threw at random; so they differ a little, not on average."""
    frame, table = kept_values("greedy"), pegging_table("greedy")
    for role, name in enumerate(("pone", "dealer")):
        apart = frame[name].to_numpy() - table.difference[role]
        weights = frame[f"{name}_chance"].to_numpy()
        assert np.isfinite(apart).all()
        assert abs(weights @ apart) < 0.15
        assert np.corrcoef(frame[name], table.difference[role])[0, 1] > 0.98
    assert len(frame) == 1820
    assert frame.kept[0] == "AAAA"


def test_values_of_leads_add_up_to_those_of_hands():
    leads, hands = lead_values(), kept_values().set_index("kept")
    assert leads.share.groupby(leads.kept).sum().to_numpy() == pytest.approx(1)
    played = (leads.share * leads.value).groupby(leads.kept).sum()
    assert played.to_numpy() == pytest.approx(hands.pone[played.index].to_numpy(), abs=1e-4)
    assert (leads.loss >= 0).all()
    # what is led often loses next to nothing
    assert (leads.chance * leads.share * leads.loss).sum() / leads.chance.groupby(leads.kept).first().sum() < 0.001


def test_the_lore_falls_out():
    """What players teach is what the solution does; leads by another road, from the values of leads."""
    found = lore().set_index("rule")
    assert len(found) == 5
    assert (found.cost > 0.1).all()
    assert found.kept_to["don't lead a five"] > 0.98 < found.kept_to["leave no count of 5"]
    assert (found.kept_to > 0.6).all()
    leads = lead_values()
    fives = leads[(leads.lead == "5") & leads.kept.map(lambda kept: set(kept) != {"5"})]
    assert np.average(fives.loss, weights=fives.chance) == pytest.approx(found.without["don't lead a five"], abs=0.01)
    low = leads[leads.kept.map(lambda kept: 0 < len(set(kept) & set("A234")) < len(set(kept)))]
    led_low = low[low.lead.isin(list("A234"))]
    share = (led_low.share * led_low.chance).sum() / (low.share * low.chance).sum()
    best = led_low.groupby("kept").agg({"loss": "min", "chance": "first"})
    assert share == pytest.approx(found.kept_to["lead four or less"], abs=0.05)
    assert np.average(best.loss, weights=best.chance) == pytest.approx(found["with"]["lead four or less"], abs=0.01)


# every way to play two hands out


PAIRS = json.loads((DATA / "play_counts.json").read_text())["pairs"]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row["pone"])
def test_the_ways_to_play_two_hands_out_are_as_many_as_counted(row):
    """By the engine's kernels, card by card, against what was counted by the oracle."""
    hands = pack(np.array([sorted(parse_cards(row[name])) for name in ("pone", "dealer")]))
    play = np.zeros(1, PLAY_VIEW)
    start_play(play[0], 1, 2, 4, 255)
    packed = np.full(4, EMPTY_HAND, np.int64)
    packed[:2] = hands
    nodes, points = np.zeros(9, np.int64), np.zeros(2, np.int64)
    count_ways(play, packed, 0, (0, 0), nodes, points)
    assert nodes.tolist() == row["nodes"]
    assert points.tolist() == [row["pone_points"], row["dealer_points"]]


def count_ways(play, hands, seat, scored, nodes, points):
    nodes[play[0]["n_played"]] += 1
    if seat < 0:
        points += scored
        return
    for place in range(int(play[0]["n_left"][seat])):
        if card_at(hands[seat], place) >> 2 <= highest_rank(int(play[0]["count"])):
            after, held = play.copy(), hands.copy()
            gained = lay_card(after[0], held, seat, place)
            following, point = end_turn(after[0], held)
            total = list(scored)
            total[seat] += int(gained + point)
            count_ways(after, held, int(following), tuple(total), nodes, points)
