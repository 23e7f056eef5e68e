"""`expectimax` play: expected best replies against plain enumeration of all hands that the other may hold."""

import math
from itertools import combinations

import numpy as np
import oracle
import pytest
from case_rows import rows

import cribsim
from cribsim.errors import PlayerError
from cribsim.pegging import pack_hand
from cribsim.pegging_game.sets import SETS, count_ranks
from cribsim.scoring import kept_index
from cribsim.strategies import find_half
from cribsim.strategies.expectimax_play import Goal, Tables, choose_ahead, make_scratch, tables_of, weigh, worth_of
from cribsim.strategies.look_ahead import BEST, GREEDY, look_ahead, make_stack
from cribsim.strategies.ranges import rule_out, see_ranks
from cribsim.views import play_view


def any_cards():
    """Tables for an opponent who keeps any four cards."""
    ways = np.array([math.comb(4, n) for n in range(5)], float)[count_ranks(4)].prod(axis=1)
    known = tables_of(find_half("greedy", "discard"))
    return Tables(np.tile(ways / ways.sum() * 2.0**30, (2, 1)).astype(np.float32), known.bits, known.factors)


POINTS = Goal(1, 1000, 1000, -1.0)
GOALS = [POINTS, Goal(-1, 1000, 1000, -1.0), Goal(1, 1, 1000, -1.0), Goal(1, 1000, 2, -1.0), Goal(1, 3, 1, -0.5)]
GOALS += [Goal(1, 1000, 1000, 1.0), Goal(-1, 1000, 1000, 1.0)]  # the next player is a partner


def worths(view, depth, tables, goal=POINTS):
    """By position what a card is worth."""
    lowest, numbers, weights, masses, ranks, _ = make_scratch()
    rule_out(view, lowest)
    n_hands, known = weigh(view, lowest, tables, SETS, numbers, weights, masses)
    other = 1 - int(view["seat"])
    n_next, left = int(view["n_left"][other]), see_ranks(view)
    given = (
        goal,
        known,
        left,
        int(lowest[other]),
        n_next,
        masses,
        tables.bits[n_next],
        n_hands,
        ranks,
    )
    return [worth_of(view, at, depth, *given) for at in range(int(view["n_cards"]))]


@rows("play", "lead_risk")
def test_the_risks_of_leads_are_those_of_the_cases(row):
    hand = " ".join(row["input"]["hand"])
    view = play_view(hand, [], dealer=1, seat=0)[0]
    found = dict(zip(cribsim.format_cards(view["cards"].tolist()).split(), worths(view, 1, any_cards()), strict=True))
    for card, right in row["expected"]["mean_points_conceded"].items():
        assert -found[card] == pytest.approx(right["float"], abs=1e-6), row["why"]


POSITIONS = [
    ("2C 5D 6H", [(0, "7C"), (1, "8D")], 0, "KD KC"),
    ("AS 5H", [(0, "TC"), (1, "4D"), (0, "TD"), (1, "7S")], 0, "QD QC"),
    ("2D 3S", [(0, "9C"), (1, "9D"), (0, "TH"), (1, "3H")], 0, "QD QC"),
]


def plain_worth(view, held, place, depth, goal):
    """The mean over all hands of the other that suit what was seen and said, by the oracle's scoring."""
    other = 1 - int(view["seat"])
    lowest = np.zeros(4, np.int64)
    rule_out(view, lowest)
    played = [int(card) for card in view["played"][: view["n_played"]]]
    theirs = [card for card, seat in zip(played, view["played_by"], strict=False) if seat == other]
    seen = {*held, *played, *(int(card) for card in view["discards"] if card != 255)}
    unseen = [card for card in range(52) if card not in seen or card in theirs]
    pile = played[int(view["count_start"]) :]
    total = n = 0
    for kept in combinations(unseen, 4):
        ranks = [card >> 2 for card in kept]
        for card in theirs:
            if card >> 2 not in ranks:
                break
            ranks.remove(card >> 2)
        else:
            if min(ranks, default=99) >= lowest[other]:
                n += 1
                total += exchange(pile, held, place, [rank * 4 for rank in ranks], depth, goal)
    return total / n


def gain(pile, sign=1, room=1000):
    """What the newest card is worth: its parts but 31 are one count, 31 another, and none may pass the room."""
    parts = oracle.card_parts(pile, sum(oracle.pip_of(card) for card in pile))
    last, pegged = parts.pop("thirty_one", 0), 0
    for points in (sum(parts.values()), last):
        pegged += points if pegged + points <= room else 0
    return sign * pegged


def fits(pile, cards):
    return [card for card in cards if sum(map(oracle.pip_of, pile)) + oracle.pip_of(card) <= 31]


def exchange(pile, held, place, theirs, depth, goal):
    """My card, his best reply, at depth 2 my best card then; the go where he has none."""
    after = [*pile, held[place]]
    rest = [card for at, card in enumerate(held) if at != place]
    my, their = (goal.sign, goal.room), (goal.sign, goal.their_room)
    worth, count = gain(after, *my), sum(map(oracle.pip_of, after))
    if count == 31:
        return worth
    mine = fits(after, rest)
    replies = fits(after, theirs)
    if not replies:
        if not mine:
            return worth + goal.sign
        return worth + (max(gain([*after, card], *my) for card in mine) if depth >= 2 else 0)
    values = []
    for card in replies:
        value, then = gain([*after, card], *their), [*after, card]
        follow = fits(then, rest) if sum(map(oracle.pip_of, then)) < 31 else []
        if depth >= 2 and follow:
            value += (1 if goal.share > 0 else -1) * max(gain([*then, own], *my) for own in follow)
        values.append(value)
    return worth + goal.share * max(values)


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("hand", "plays", "seat", "thrown"), POSITIONS)
def test_worths_are_those_of_plain_enumeration(hand, plays, seat, thrown, depth, goal):
    view = play_view(hand, plays, dealer=1, seat=seat, discards=thrown)[0]
    held = cribsim.parse_cards(hand)
    found = worths(view, depth, any_cards(), goal)
    for place in range(len(held)):
        if held[place] in fits([int(card) for card in view["played"][view["count_start"] : view["n_played"]]], held):
            assert found[place] == pytest.approx(plain_worth(view, held, place, depth, goal), abs=1e-5)


# looking ahead with open hands


def plain_ahead(pile, hands, last, plays, greedy):
    """My points (seat 0's) less the other's after a card of `last`, by plain recursion; `plays` plays are looked at."""
    count = sum(map(oracle.pip_of, pile))
    able = [bool(fits(pile, hand)) for hand in hands]
    point = 0
    if not any(able):
        point = (1 if last == 0 else -1) if count < 31 else 0
        pile, able = [], [bool(hand) for hand in hands]
    if not any(able) or plays == 0:
        return point
    mover = 1 - last if able[1 - last] else last
    tried = fits(pile, hands[mover])
    if mover == 1 and greedy:
        tried = [max(tried, key=lambda card: (gain([*pile, card]), card >> 2))]
    values = []
    for card in tried:
        rest = list(hands[mover])
        rest.remove(card)
        after = [rest, hands[1]] if mover == 0 else [hands[0], rest]
        points = gain([*pile, card]) * (1 if mover == 0 else -1)
        values.append(points + plain_ahead([*pile, card], after, mover, plays - 1, greedy))
    return point + (max if mover == 0 else min)(values)


def packed(cards):
    return int(pack_hand(np.array([*sorted(cards), *[255] * (4 - len(cards))], np.uint8)))


@pytest.mark.parametrize("seed", range(12))
def test_looking_ahead_is_plain_recursion(seed):
    """From any place in a play at random: any hands, any number of plays, either reply."""
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52).tolist()
    n_mine, n_theirs = int(rng.integers(1, 5)), int(rng.integers(0, 5))
    mine, theirs = sorted(deck[:n_mine]), sorted(deck[4 : 4 + n_theirs])
    pile, count = [], 0
    for card in deck[8 : 8 + rng.integers(0, 4)]:
        if count + oracle.pip_of(card) < 31:
            pile, count = [*pile, card], count + oracle.pip_of(card)
    packed_pile = 0
    for card in pile:
        packed_pile = packed_pile << 4 | (card >> 2) + 1
    for place, card in enumerate(mine):
        if count + oracle.pip_of(card) > 31:
            continue
        rest = [other for other in mine if other != card]
        for plays in range(8):
            for reply in (BEST, GREEDY):
                given = (packed_pile, count, packed(mine), packed(theirs), place, plays, reply, make_stack())
                right = plain_ahead([*pile, card], [rest, theirs], 0, plays, reply == GREEDY)
                assert look_ahead(*given) == gain([*pile, card]) + right, (mine, theirs, pile, card, plays, reply)


@pytest.mark.parametrize("seed", range(6))
def test_at_full_depth_against_a_known_hand_the_best_card_is_that_of_brute_force(seed):
    """A range of one hand: the card chosen is worth what plain recursion to the end finds best."""
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52).tolist()
    mine, theirs = sorted(deck[:4]), sorted(deck[4:8])
    chances = np.zeros((2, 1820), np.float32)
    chances[:, int(kept_index(*(card >> 2 for card in theirs)))] = 2.0**30
    known = tables_of(find_half("greedy", "discard"))
    view = play_view(cribsim.format_cards(mine), [], dealer=1, seat=0)[0]
    at = choose_ahead(view, 7, BEST, Tables(chances, known.bits, known.factors), SETS, make_scratch())
    worths = []
    for card in mine:
        rest = [other for other in mine if other != card]
        worths.append(plain_ahead([card], [rest, theirs], 0, 7, False))
    assert worths[at] == max(worths)


@pytest.mark.parametrize(
    ("text", "n"),
    [("depth=3", 40), ("depth=7,ends=0", 3), ("reply=greedy", 400), ("ends=8", 3), ("depth=1,ends=0", 400)],
)
def test_every_way_to_look_ahead_plays(text, n):
    """Whole deals, whatever the workers; to the end takes a second a deal."""
    players = [f"expectimax+expectimax({text})", "expectimax+greedy"]
    one, many = (cribsim.simulate(players, deals=n, seed=3, workers=workers) for workers in (1, 3))
    assert one.tally == many.tally
    cribsim.check_strategy(find_half(f"expectimax({text})", "play"), players=2, n_deals=n)


@pytest.mark.parametrize("text", ["depth=3", "reply=greedy"])
def test_open_hands_are_for_two(text):
    with pytest.raises(PlayerError, match="two players and plain points only"):
        cribsim.simulate([f"expectimax+expectimax({text})"] * 3, deals=5, rules="three")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("depth", [1, 2])
def test_expectimax_play_passes_the_battery(players, depth):
    cribsim.check_strategy(find_half(f"expectimax(depth={depth})", "play"), players=players)
    rules = {2: "standard", 3: "three", 4: "four"}[players]
    halves = [f"expectimax+expectimax(depth={depth})"] * players
    one, many = (cribsim.simulate(halves, deals=300, seed=3, rules=rules, workers=n) for n in (1, 3))
    assert one.tally == many.tally


PARTNER_NEXT = [
    ("AH 5D", "1-6C 2-9D 3-5H 0-AS 1-2H 2-go 3-3C 0-go", "AH"),
    ("AH 3S", "1-6C 2-9D 3-5H 0-AS 1-2H 2-go 3-3C 0-go", "AH"),
    ("2S 5D", "1-4C 2-9D 3-5H 0-AS 1-4H 2-go 3-3C 0-go", "2S"),
]


@pytest.mark.parametrize(("hand", "plays", "best"), PARTNER_NEXT)
def test_a_partner_who_is_next_is_no_opponent(hand, plays, best):
    """Both opponents have gone, so that he may pair or run on: what he gets isn't lost. With each for himself it is."""
    said = [(int(seat), card) for seat, card in (play.split("-") for play in plays.split())]
    view = play_view(hand, said, dealer=0, seat=1, discards="KD", rules="four")
    half, held = find_half("expectimax", "play"), hand.split()
    assert held[half.answer(view, "four")[0]] == best
    assert held[half.answer(view, "four,teams=false")[0]] != best


@pytest.mark.parametrize(("depth", "least"), [(1, 0.35), (2, 0.45)])
def test_expectimax_play_beats_greedy_play(depth, least):
    found = cribsim.compare(
        f"expectimax+expectimax(depth={depth})", "expectimax+greedy", deals=30_000, seed=1
    ).difference
    assert found.mean > least - 3 * found.se
