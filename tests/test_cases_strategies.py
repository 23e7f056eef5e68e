"""Greedy play, case by case: the card with the most points now, never one that is gone or does not fit.

Rows give a hand and the cards of the current count. Here they are put into a deal: as many players as it
takes for each to have laid one card of the pile, with the dealer to play; where cards are gone from the
hand, earlier counts of four players are laid first, each made up to 31.
"""

from case_rows import card_points, cards_played, hands_of, in_order, kinds, replay, rows, unseen

import cribsim
from cribsim.strategies import find_player
from cribsim.views import play_view

# Counts of 31 by four players, seat 0 leading and seat 3 dealing; they hold the closed counts of the rows.
CLOSED_COUNTS = (("KD", "QH", "TS", "AD"), ("JC", "9S", "8S", "4D"), ("TD", "9H", "8C", "4H"))


def test_every_kind_of_row_is_checked():
    assert kinds("strategies") == {"choose_play", "strategy_input"}


def position_of(given):
    """A deal in which the row's hand is to play on the row's pile: hands by seat, plays, dealer and seat."""
    hand, pile = given["hand"], given["cards_in_current_count"]
    n_gone = 4 - len(hand)
    if pile:
        assert n_gone == 0, "the pile is laid by the others, one card each"
        players = len(pile) + 1
        dealer = seat = players - 1
        plays = list(enumerate(pile))
    else:
        players = 4 if n_gone else 2
        dealer, seat = players - 1, 0
        plays = [play for count in CLOSED_COUNTS[:n_gone] for play in enumerate(count)]
    fillers = iter(unseen(hand, [card for _, card in plays], "AC AD AH AS"))
    hands = {}
    for other in range(players):
        laid = [card for who, card in plays if who == other]
        rest = hand if other == seat else [next(fillers) for _ in range(4 - len(laid))]
        hands[str(other)] = [*laid, *rest]
    return {"players": players, "dealer": dealer, "seat": seat, "hands": hands, "plays": plays}


def greedy_choice(hand, position):
    """The card that greedy plays from the cards still held."""
    held = in_order(hand)
    views = play_view(
        " ".join(held),
        position["plays"],
        dealer=position["dealer"],
        seat=position["seat"],
        players=position["players"],
    )
    answers = find_player("greedy").play.answer(views)
    assert len(answers) == 1
    return held[answers[0]]


@rows("strategies", "choose_play")
def test_greedy_takes_the_most_points_now(row):
    choice = greedy_choice(row["input"]["hand"], position_of(row["input"]))
    assert choice in row["expected"]["acceptable_choices"], row["why"]


@rows("strategies", "choose_play")
def test_the_row_is_right_about_the_points_of_each_card(row):
    given, position = row["input"], position_of(row["input"])
    points = {}
    for card in given["hand"]:
        try:
            record = replay(position, [*position["plays"], (position["seat"], card)])
        except cribsim.IllegalPlay:
            continue
        points[card] = card_points(cards_played(record)[-1])
    assert points == row["expected"]["immediate_points"], row["why"]
    assert set(given.get("cards_of_closed_counts", ())) <= {card for _, card in position["plays"]}


@rows("strategies", "strategy_input")
def test_a_card_on_the_table_is_not_offered_again(row):
    given, offered = row["input"], row["expected"]["cards_offered_to_strategy"]
    # the other hand is ours: 2-8-9-K-2 make 31, then the six, where it is gone, and a three
    plays = [(1, "2C"), (0, "8H"), (1, "9C"), (0, "KS"), (1, "2D")]
    if "6C" in given["already_played_by_me"]:
        plays += [(0, "6C"), (1, "3S")]
    assert [card for seat, card in plays if seat == 0] == given["already_played_by_me"]
    position = {
        "players": 2,
        "dealer": 0,
        "seat": 0,
        "hands": {"0": given["kept_hand"], "1": ["2C", "9C", "2D", "3S"]},
        "plays": plays,
    }
    assert replay(position).next_seat == 0
    assert greedy_choice(offered, position) in offered, row["why"]


@rows("strategies", "choose_play")
def test_every_position_here_is_a_possible_deal(row):
    """The test's own hands: four cards each, no card twice."""
    position = position_of(row["input"])
    cards = " ".join(hands_of(position).values()).split()
    assert len(cards) == len(set(cards)) == 4 * position["players"]
