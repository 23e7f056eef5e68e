"""The play, case by case: what each card pegs, who takes the go, when a count ends and who leads the next.

Every row is a play that some other program got wrong; data/cases_pegging.jsonl says what and why. A go or
last-card point stands on the card that earned it, so a card's own points are its event's without them.
"""

import random

import pytest
from case_rows import (
    PACK,
    card_points,
    cards_played,
    closing_points,
    hands_of,
    kinds,
    load,
    replay,
    row_by_id,
    rows,
    rules_of,
    text,
    unseen,
)

import cribsim


def test_every_kind_of_row_is_checked():
    assert kinds("pegging") == {"peg_sequence", "legal_plays", "two_deals", "bound", "procedure"}
    assert {row["id"] for row in load("pegging") if row["input"]["kind"] in ("bound", "procedure")} == {
        "CR-081-s1",
        "CR-081-s2",
        "CR-100-s2",
    }
    assert kinds("referee") == {"referee", "parse_hand"}


# What the cards peg


@rows("pegging", "peg_sequence")
def test_points_of_each_card(row):
    plays, right = row["input"]["plays"], row["expected"]
    for_cards = [points for (_, card), points in zip(plays, right["card_points_per_play"], strict=True) if card != "go"]
    events = cards_played(replay(row["input"]))
    assert [event[0] for event in events] == [seat for seat, card in plays if card != "go"]
    assert [card_points(event) for event in events] == for_cards, row["why"]
    assert [sum(event[4].values()) for event in events] == [event[3] for event in events]


@rows("pegging", "peg_sequence")
def test_go_and_last_card_points(row):
    plays, right = row["input"]["plays"], row["expected"]
    # the row names the play after which the point falls, maybe a go; it is paid on the last card before
    due = {}
    for award in right["go_or_last_points"]:
        n_cards = sum(card != "go" for _, card in plays[: award["after_play"] + 1])
        due[n_cards - 1] = (award["player"], award["points"])
    events = cards_played(replay(row["input"]))
    paid = {i: (event[0], closing_points(event)) for i, event in enumerate(events) if closing_points(event)}
    assert paid == due, row["why"]


@rows("pegging", "peg_sequence")
def test_total_pegged_by_each_seat(row):
    record, pegged = replay(row["input"]), row["expected"]["total_pegged"]
    assert list(record.pegged) == pegged, row["why"]
    assert list(record.scores) == pegged
    assert not record.over


@rows("pegging", "peg_sequence")
def test_count_after_the_plays(row):
    assert replay(row["input"]).count == row["expected"]["count_after"], row["why"]


@rows("pegging", "peg_sequence", where=lambda row: "next_to_play" in row["expected"])
def test_who_plays_next(row):
    assert replay(row["input"]).next_seat == row["expected"]["next_to_play"], row["why"]


@rows("pegging", "peg_sequence", where=lambda row: any(card == "go" for _, card in row["input"]["plays"]))
def test_goes_may_be_left_out(row):
    with_goes = replay(row["input"])
    without = replay(row["input"], [play for play in row["input"]["plays"] if play[1] != "go"])
    assert [event[:4] for event in cards_played(without)] == [event[:4] for event in cards_played(with_goes)]
    assert without.pegged == with_goes.pegged
    assert (without.count, without.next_seat) == (with_goes.count, with_goes.next_seat)


@rows("pegging", "peg_sequence")
def test_the_card_just_played_cannot_be_played_again(row):
    plays = row["input"]["plays"]
    last = next(play for play in reversed(plays) if play[1] != "go")
    with pytest.raises(cribsim.IllegalPlay):
        replay(row["input"], [*plays, last])


@rows("pegging", "two_deals")
def test_a_new_deal_starts_with_an_empty_table(row):
    given, right = row["input"], row["expected"]
    # the row fixes the last card of the first deal and the first of the second; the other cards are ours
    first_hands = ["5C 7D QH AS", "4C 3D 9H KS"]
    first_plays = [(1, "KS"), (0, "5C"), (1, "9H"), (0, "7D"), (1, "4C"), (0, "QH"), (1, "3D"), (0, "AS")]
    first = cribsim.replay_play(first_hands, first_plays, dealer=0)
    assert (first.count, first.next_seat) == (0, None)
    second = cribsim.replay_play(
        ["AD 4C 9H KS", "2C 6D JH QS"],
        [tuple(play) for play in given["deal_2_plays"]],
        dealer=given["dealer_deal_2"],
    )
    assert second.events[0][3] == right["points_for_first_card"], row["why"]
    assert second.count == right["count"]


# What may be played


@rows("pegging", "peg_sequence", where=lambda row: "must_say_go_next" in row["expected"])
def test_a_seat_without_a_card_that_fits_must_say_go(row):
    given, seat = row["input"], row["expected"]["must_say_go_next"]
    held = [card for card in given["hands"][str(seat)] if [seat, card] not in given["plays"]]
    for card in held:
        with pytest.raises(cribsim.IllegalPlay):
            replay(given, [*given["plays"], (seat, card)])
    after_go = replay(given, [*given["plays"], (seat, "go")])
    assert after_go.count == row["expected"]["count_after"]
    assert after_go.next_seat == 1 - seat


@rows("pegging", "legal_plays")
def test_no_card_may_take_the_count_past_thirty_one(row):
    given, right = row["input"], row["expected"]
    pile = given["cards_in_current_count"]
    # two players lay the pile in turn, so the hand is at the dealer's seat when the pile is odd; seat 0
    # holds the hand and high cards that fit no better, seat 1 a five, so that the count goes on
    assert len(pile) % 2 == 1, "the pone lays the last card of the pile"
    fives = [card for card in unseen(pile, given["hand"]) if card[0] == "5"]
    kings = [card for card in unseen(pile, given["hand"]) if card[0] in "QK"]
    mine = [*pile[1::2], *given["hand"], *kings][:4]
    theirs = [*pile[0::2], *fives][:4]
    position = {
        "dealer": 0,
        "hands": {"0": mine, "1": theirs},
        "plays": [(1 - i % 2, card) for i, card in enumerate(pile)],
    }
    assert replay(position).count == given["count"]
    legal = []
    for card in given["hand"]:
        try:
            replay(position, [*position["plays"], (0, card)])
        except cribsim.IllegalPlay:
            continue
        legal.append(card)
    assert legal == right["legal"], row["why"]
    assert right["must_say_go"]
    assert not right["skipped_because_empty"]
    assert replay(position, [*position["plays"], (0, "go")]).next_seat == 1


@rows("referee", "referee")
def test_the_referee_takes_only_what_the_rules_allow(row):
    given, right = row["input"], row["expected"]
    so_far, accepted = [], []
    for attempt in given["attempts"]:
        try:
            replay(given, [*so_far, attempt])
        except cribsim.IllegalPlay:
            accepted.append(False)
        else:
            accepted.append(True)
            so_far.append(attempt)
    assert accepted == right["accepted"], right["reasons"]


@rows("referee", "parse_hand")
def test_a_card_given_twice_is_refused(row):
    twice = row["expected"]["error"].split()[0]
    with pytest.raises(ValueError, match=twice):
        cribsim.parse_cards(row["input"]["text"])


# The whole play


def test_the_longest_run_in_one_count_is_seven():
    """CR-100-s2: ace to seven add up to 28, and no eight fits."""
    longest = row_by_id("pegging", "CR-100-s2")["expected"]["value"]
    hands = ["2C 4C 6C 8C", "AD 3D 5D 7D"]
    plays = [(1, "AD"), (0, "2C"), (1, "3D"), (0, "4C"), (1, "5D"), (0, "6C"), (1, "7D"), (0, "8C")]
    runs = [event[4].get("run", 0) for event in cribsim.replay_play(hands, plays, dealer=0).events]
    assert runs == [0, 0, 3, 4, 5, 6, longest, 0]


def _random_play(n_players, dealer, rng):
    """Random hands and a legal play of all their cards: (hands, plays without goes, number of counts)."""
    pips = {card: min(PACK.index(card) // 4 + 1, 10) for card in PACK}
    dealt = rng.sample(PACK, 4 * n_players)
    hands = {seat: dealt[4 * seat : 4 * seat + 4] for seat in range(n_players)}
    held = {seat: list(hand) for seat, hand in hands.items()}
    plays, count, n_counts, seat = [], 0, 1, (dealer + 1) % n_players
    while any(held.values()):
        if all(count + pips[card] > 31 for hand in held.values() for card in hand):
            count, n_counts = 0, n_counts + 1
        fits = [card for card in held[seat] if count + pips[card] <= 31]
        if fits:
            card = rng.choice(fits)
            held[seat].remove(card)
            plays.append((seat, card))
            count += pips[card]
        seat = (seat + 1) % n_players
    return {seat: text(hand) for seat, hand in hands.items()}, plays, n_counts


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_every_count_is_closed_by_one_event(n_players):
    """CR-081-s1, CR-081-s2: each count ends in a 31, a go or the last card, and in only one of them."""
    rng = random.Random(81)
    rules = cribsim.Rules(players=n_players)
    for deal in range(500):
        hands, plays, n_counts = _random_play(n_players, deal % n_players, rng)
        record = cribsim.replay_play(hands, plays, dealer=deal % n_players, rules=rules)
        closings = [closing_points(event) + event[4].get("thirty_one", 0) for event in cards_played(record)]
        assert sum(points > 0 for points in closings) == n_counts, (hands, plays)
        assert max(closings) <= 2
        assert closings[-1] > 0, "the final card earns one for last or makes thirty-one"
        assert (record.count, record.next_seat) == (0, None)


@rows("pegging", "peg_sequence")
def test_hands_may_be_a_list_by_seat(row):
    given = row["input"]
    hands = hands_of(given)
    by_list = cribsim.replay_play(
        [hands[seat] for seat in sorted(hands)],
        [tuple(play) for play in given["plays"]],
        dealer=given["dealer"],
        rules=rules_of(given),
    )
    assert by_list.pegged == replay(given).pegged
