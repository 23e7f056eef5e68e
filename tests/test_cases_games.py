"""The end of a game, case by case: it is over at once, at the heels, in the play or in the show.

Every row is a game that some other program ended too late, too early or for the wrong player;
data/cases_games.jsonl says what and why. Scores stop at the target: the peg stands in the game hole.
"""

import pytest
from case_rows import (
    card_points,
    cards_played,
    closing_points,
    hands_of,
    kinds,
    replay,
    row_by_id,
    rows,
    rules_of,
    text,
)

import cribsim


def settle(given, **cards):
    """Settle the heels, and the show where cards are given, from the row's scores."""
    return cribsim.settle_deal(
        dealer=given["dealer"],
        rules=rules_of(given),
        scores=given["scores_before"],
        **cards,
    )


def counted(settled):
    """The hands counted, as (seat, phase)."""
    return [(seat, phase) for seat, phase, _ in settled.awards if phase != "heels"]


def test_every_kind_of_row_is_checked():
    checked = {"cut", "show", "show_event_order", "peg_sequence", "state", "state_action", "phase_order"}
    assert kinds("games") == checked


# Heels


@rows("games", "cut")
def test_heels_are_pegged_at_once_and_may_end_the_game(row):
    given, right = row["input"], row["expected"]
    settled = settle(given, starter=given["starter"])
    assert list(settled.scores) == right["scores_after_capped"], row["why"]
    assert settled.winner == right["winner"]
    assert settled.over == (right["winner"] is not None)
    assert settled.over == right.get("game_over_before_play", settled.over)
    assert [(seat, phase) for seat, phase, _ in settled.awards] == [(given["dealer"], "heels")]
    if "points_awarded" in right:
        awarded = [0] * given["players"]
        for seat, _, points in settled.awards:
            awarded[seat] += points
        assert awarded == right["points_awarded"]


@rows("games", "cut")
def test_the_pone_never_takes_heels(row):
    given = row["input"]
    settled = settle(given, starter=given["starter"])
    pone = 1 - given["dealer"]
    assert settled.scores[pone] == given["scores_before"][pone]


@rows("games", "cut")
def test_only_a_jack_is_heels(row):
    given = row["input"]
    settled = settle(given, starter="Q" + given["starter"][1])
    assert list(settled.awards) == []
    assert list(settled.scores) == given["scores_before"]
    assert settled.winner is None
    assert not settled.over


@rows("games", "cut", where=lambda row: row["expected"]["winner"] is not None)
def test_nothing_is_counted_once_heels_have_won(row):
    given = row["input"]
    hands = {0: "5C 5H 6D 7S", 1: "5D 5S 6H 7C"}
    settled = settle(given, starter=given["starter"], hands=hands, crib="2C 3D 8H 9S")
    assert counted(settled) == []
    assert list(settled.scores) == row["expected"]["scores_after_capped"]


# The play


@rows("games", "peg_sequence")
def test_the_play_ends_the_game_at_the_target(row):
    given, right = row["input"], row["expected"]
    record = replay(given)
    assert record.over, row["why"]
    assert list(record.scores) == right["scores_after"]
    assert list(record.scores).index(given["target"]) == right["winner"]
    assert list(record.pegged) == right["total_pegged"]
    assert record.count == right["count_after"]


@rows("games", "peg_sequence")
def test_what_the_last_cards_of_a_game_peg(row):
    given, right = row["input"], row["expected"]
    for_cards = [
        points for (_, card), points in zip(given["plays"], right["card_points_per_play"], strict=True) if card != "go"
    ]
    events = cards_played(replay(given))
    assert [card_points(event) for event in events] == for_cards, row["why"]
    closings = [(event[0], closing_points(event)) for event in events if closing_points(event)]
    assert closings == [(award["player"], award["points"]) for award in right["go_or_last_points"]]


def test_the_peg_stops_in_the_game_hole():
    """CR-082 with one hole to go: the pair pegs two, the score stops at the target."""
    record = replay({**row_by_id("games", "CR-082")["input"], "scores_before": [110, 120]})
    assert list(record.pegged) == [2, 2]
    assert list(record.scores) == [112, 121]
    assert record.over


@rows("games", "peg_sequence")
def test_the_game_is_not_over_before_its_last_card(row):
    given = row["input"]
    n_plays = max(i for i, (_, card) in enumerate(given["plays"]) if card != "go")
    assert not replay(given, given["plays"][:n_plays]).over


@rows("games", "peg_sequence")
def test_no_card_may_follow_the_winning_one(row):
    given = row["input"]
    for seat, cards in hands_of(given).items():
        for card in cards.split():
            with pytest.raises(cribsim.IllegalPlay):
                replay(given, [*given["plays"], (seat, card)])


# The pone pegs 31 for the last two points with cards left in both hands. Rows CR-095 give the cards left;
# the cards already played are ours.
FINISHED = {
    "players": 2,
    "dealer": 1,
    "target": 121,
    "scores_before": [119, 77],
    "hands": {"0": ["2C", "9S", "2D", "5C"], "1": ["KH", "8D", "6D", "7H"]},
    "plays": [(0, "2C"), (1, "KH"), (0, "9S"), (1, "8D"), (0, "2D")],
}


@rows("games", "state")
def test_a_finished_game_has_no_legal_play(row):
    given, right = row["input"], row["expected"]
    record = replay(FINISHED)
    assert list(record.scores) == given["final_scores"]
    assert record.over == right["terminal"]
    assert right["legal_actions"] == []
    for seat, cards in given["hands"].items():
        for card in cards:
            assert card in FINISHED["hands"][seat]
            with pytest.raises(cribsim.IllegalPlay):
                replay(FINISHED, [*FINISHED["plays"], (int(seat), card)])


@rows("games", "state_action")
def test_acting_on_a_finished_game_is_refused(row):
    assert list(replay(FINISHED).scores) == row["input"]["final_scores"]
    with pytest.raises(cribsim.IllegalPlay):
        replay(FINISHED, [*FINISHED["plays"], tuple(row["input"]["attempt"])])


def test_the_same_card_is_legal_while_the_game_goes_on():
    """The plays of CR-095 are refused for the score alone."""
    earlier = {**FINISHED, "scores_before": [100, 77]}
    record = replay(earlier, [*FINISHED["plays"], (1, "6D")])
    assert not record.over
    assert list(record.scores) == [102, 77]


# The show


@rows("games", "show")
def test_the_show_stops_when_a_hand_counts_out(row):
    given, right = row["input"], row["expected"]
    settled = settle(given, starter=given["starter"], hands=hands_of(given), crib=text(given["crib"]), heels=False)
    names = [f"player{seat}_{phase}" for seat, phase in counted(settled)]
    assert names == right["counted"], row["why"]
    assert not set(names) & set(right["not_counted"])
    assert settled.winner == right["winner"]
    assert settled.over
    assert list(settled.scores) == right["scores_after_capped"]


@rows("games", "show_event_order")
def test_the_pone_counts_first_and_may_be_out(row):
    given, right = row["input"], row["expected"]
    # the row gives only what the hands are worth; these are worth that with a king of diamonds turned up
    hands, crib, starter = {0: "3H 3C 4D 5D", 1: "7C 8C TS TH"}, "QC QD 5H AS", "KD"
    assert cribsim.score_hand(hands[1], starter).total == given["actual"]["pone_hand"]
    assert cribsim.score_hand(hands[0], starter).total == given["actual"]["dealer_hand"]
    assert cribsim.score_hand(crib, starter, crib=True).total == given["actual"]["crib"]
    settled = settle(given, starter=starter, hands=hands, crib=crib)
    assert counted(settled) == [(1, "hand")], row["why"]
    assert settled.winner == right["winner"]
    assert list(settled.scores) == [120, 121]


@rows("games", "phase_order")
def test_heels_then_pone_then_dealer_then_crib(row):
    hands, crib = {0: "5C 5H 6D 7S", 1: "5D 5S 6H 7C"}, "2C 3D 8H 9S"
    settled = cribsim.settle_deal(dealer=0, starter="JC", hands=hands, crib=crib, scores=[0, 0])
    names = {
        (0, "heels"): "cut and heels",
        (1, "hand"): "pone hand",
        (0, "hand"): "dealer hand",
        (0, "crib"): "crib",
    }
    order = [names[seat, phase] for seat, phase, _ in settled.awards]
    assert order == [phase for phase in row["expected"]["order"] if phase not in ("deal", "discard", "play")]


def test_a_show_that_wins_nothing_counts_every_hand():
    """The rows above stop early; from the start of a game all three are counted, zeros too, and added."""
    given = row_by_id("games", "CR-042-s1")["input"]
    hands, crib = hands_of(given), text(given["crib"])
    settled = cribsim.settle_deal(dealer=0, starter=given["starter"], hands=hands, crib=crib, scores=[0, 0])
    assert list(settled.awards) == [(1, "hand", 0), (0, "hand", 16), (0, "crib", 0)]
    assert list(settled.scores) == [16, 0]
    assert settled.winner is None
    assert not settled.over
