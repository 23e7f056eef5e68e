"""The pegging game: its tree, walks and values against plain enumeration on small decks; learning; the whole game."""

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import oracle
import pytest

from cribsim.errors import CribsimError
from cribsim.pegging_game.game import BEST, DEALER, FOLLOW, PONE, Game, Profile, pair_weights
from cribsim.pegging_game.sets import count_ranks
from cribsim.pegging_game.solving import Solver
from cribsim.pegging_game.tree import FULL_DECK, GO, ROW_WIDTHS, build_tree
from cribsim.scoring import multisets


DATA = Path(__file__).parent / "data"


def deck_of(**ranks):
    """A small deck: `A=2, T=2` and so on."""
    return tuple(ranks.get(name, 0) for name in ("A", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "T", "J", "Q", "K"))


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
                goes_on = branch == GO and not is_new or (branch < GO and same and after > 0)
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
    """Under a thousandth of a point; measured once more in the whole tree by plain enumeration for the smallest."""
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
