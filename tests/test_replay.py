"""The referee against the oracle: random plays of two, three and four players, with and without their goes; what it
refuses and why; files with recorded points; and the views built from what one seat knows."""

import json
import random
import re

import pytest
from oracle import Board, Play

import cribsim
from cribsim.cards import format_card, format_cards, parse_card
from cribsim.pegging import PLAY_FIELDS
from cribsim.replay import _Referee, replay_play, settle_deal
from cribsim.replay_files import replay_file
from cribsim.rules import Rules, pip_of
from cribsim.views import discard_view, play_view


def random_play(n_players, rng, scores=None, target=None):
    """A play of random legal cards: (hands, dealer, oracle's Play, plays with goes, board)."""
    deck = rng.sample(range(52), 4 * n_players)
    hands = [deck[4 * seat : 4 * seat + 4] for seat in range(n_players)]
    dealer = rng.randrange(n_players)
    board = Board(n_players, scores, target, partners=n_players == 4)
    state = Play(hands, dealer, lambda seat, points, what: board.peg(seat, what, points))
    plays = []
    while state.seat is not None:
        n_goes, seat = len(state.goes), state.seat
        card = rng.choice(state.legal_cards())
        state.play(card)
        plays.append((seat, format_card(card)))
        plays += [(other, "go") for other, _ in state.goes[n_goes:]]
    return hands, dealer, state, plays, board


def cards_only(plays):
    return [play for play in plays if play[1] != "go"]


def assert_same(record, state, board):
    wanted = [(seat, format_card(card), count, points, parts) for seat, card, count, points, parts in state.log]
    assert record.events == wanted
    assert record.goes == state.goes
    assert list(record.pegged) == state.points
    assert list(record.scores) == board.scores
    assert record.count == (0 if state.nobody_can_play() else state.count)
    assert record.next_seat is None
    assert record.over == (board.winner is not None)


# Against the oracle


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_random_plays_score_as_in_the_oracle(n_players):
    rng = random.Random(n_players)
    for _ in range(200):
        hands, dealer, state, plays, board = random_play(n_players, rng)
        assert_same(replay_play(hands, plays, dealer=dealer), state, board)
        assert_same(replay_play(hands, cards_only(plays), dealer=dealer), state, board)


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_goes_that_close_a_count_follow_from_the_cards(n_players):
    """As the pages say: a card that doesn't fit begins a count, and before it nobody with cards could play."""
    rng = random.Random(n_players)
    for _ in range(100):
        hands, dealer, _, plays, _ = random_play(n_players, rng)
        held, count = [set(hand) for hand in hands], 0
        for event in replay_play(hands, cards_only(plays), dealer=dealer).events:
            card = parse_card(event.card)
            if count + pip_of(card) > 31:
                assert all(count + pip_of(other) > 31 for hand in held for other in hand)
                count = 0
            count += pip_of(card)
            held[event.seat].remove(card)
            assert event.count == count


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_the_game_ends_where_the_oracle_ends_it(n_players):
    rng, n_over = random.Random(10 + n_players), 0
    sides = 2 if n_players == 4 else n_players
    for _ in range(150):
        scores = [rng.randint(52, 60) for _ in range(sides)]
        hands, dealer, state, plays, board = random_play(n_players, rng, scores, 61)
        rules = Rules(players=n_players, target=61)
        record = replay_play(hands, plays, dealer=dealer, rules=rules, scores=scores)
        assert_same(record, state, board)
        n_over += record.over
    assert 20 < n_over < 150


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_who_is_next_after_every_card(n_players):
    rng = random.Random(20 + n_players)
    for _ in range(15):
        hands, dealer, _, plays, _ = random_play(n_players, rng)
        played = cards_only(plays)
        state = Play(hands, dealer)
        for n, (seat, _) in enumerate(played):
            record = replay_play(hands, played[:n], dealer=dealer)
            assert (record.next_seat, record.count) == (state.seat, state.count) == (seat, state.count)
            state.play(cribsim.parse_cards(played[n][1])[0])


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_only_legal_cards_and_goes_are_accepted(n_players):
    """At every turn each seat tries each of its cards, and a go."""
    rng = random.Random(30 + n_players)
    for _ in range(10):
        hands, dealer, _, plays, _ = random_play(n_players, rng)
        played, state = cards_only(plays), Play(hands, dealer)
        for n in range(len(played) + 1):
            for seat, hand in enumerate(hands):
                for card in hand:
                    is_legal = seat == state.seat and card in state.legal_cards()
                    assert accepts(hands, [*played[:n], (seat, card)], dealer) == is_legal
                could_play = bool(n and state.pile and state.cards_that_fit(seat)) or not n
                if could_play:
                    assert not accepts(hands, [*played[:n], (seat, "go")], dealer)
                elif n and not state.pile:  # the count has closed: a late go changes nothing
                    late = replay_play(hands, [*played[:n], (seat, "go")], dealer=dealer)
                    assert late == replay_play(hands, played[:n], dealer=dealer)
            if n < len(played):
                state.play(cribsim.parse_cards(played[n][1])[0])


def accepts(hands, plays, dealer):
    try:
        replay_play(hands, plays, dealer=dealer)
    except cribsim.IllegalPlay:
        return False
    return True


# What is refused, and why

HANDS = ["5C JH QD AS", "TC KD 9H 2S"]
TO_29 = [(1, "TC"), (0, "JH"), (1, "9H")]


@pytest.mark.parametrize(
    ("plays", "why"),
    [
        ([(1, "8D")], "play 1: seat 1 doesn't hold 8D; its hand is TC KD 9H 2S"),
        ([(1, "5C")], "seat 1 doesn't hold 5C"),
        ([(1, "TC"), (0, "JH"), (1, "TC")], "play 3: seat 1 has played TC already"),
        ([(0, "5C")], "seat 0 can't play 5C: seat 1 is to play"),
        ([(1, "TC"), (1, "KD")], "seat 1 can't play KD: seat 0 is to play"),
        ([*TO_29, (0, "5C")], "29 + 5 = 34 is over 31"),
        ([*TO_29, (0, "go")], "play 4: seat 0 can't say go: AS fits at 29"),
        ([(1, "go")], "seat 1 can't say go: 2S fits at an empty table"),
        ([(2, "5C")], "play 1: seat=2: give a seat from 0 to 1"),
        ([(1, "TC", 0)], "is not a play; write"),
        ([(1, "5X")], "play 1: '5X' is not a card"),
    ],
)
def test_the_reason_for_refusing_a_play(plays, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        replay_play(HANDS, plays, dealer=0)


def test_a_seat_without_a_card_that_fits_is_told_to_say_go():
    hands = ["8C JH QD KS", "9C 7D TH 2S"]
    plays = [(1, "9C"), (0, "8C"), (1, "7D"), (0, "JH")]
    with pytest.raises(cribsim.IllegalPlay, match=r"24 \+ 10 = 34 is over 31; it must say go and seat 1 plays on"):
        replay_play(hands, plays, dealer=0)


def test_go_is_said_once_and_in_turn():
    hands = ["8C JH QD KS", "9C 7D TH 2S"]
    plays = [(1, "9C"), (0, "8C"), (1, "7D"), (0, "go")]
    with pytest.raises(cribsim.IllegalPlay, match="seat 0 has said go already"):
        replay_play(hands, [*plays, (0, "go")], dealer=0)
    three = ["TC 2C JC QC", "TD JD QD KD", "9C KH KS KC"]
    with pytest.raises(cribsim.IllegalPlay, match="seat 1 can't say go out of turn: seat 0 is to play"):
        replay_play(three, [(0, "TC"), (1, "TD"), (2, "9C"), (1, "go")], dealer=2)


def test_a_late_go_is_accepted_once():
    """30 by the dealer closes the count at once; the pone leads and may still say the go of that count."""
    hands, plays = ["QC AD 7S 3C", "KC 9H 8S 3D"], [(1, "KC"), (0, "QC"), (1, "9H"), (0, "AD")]
    record = replay_play(hands, plays, dealer=0)
    assert (record.count, record.next_seat, record.pegged) == (0, 1, (1, 0))
    assert replay_play(hands, [*plays, (1, "go")], dealer=0) == record
    with pytest.raises(cribsim.IllegalPlay, match="seat 1 can't say go: 3D fits at an empty table"):
        replay_play(hands, [*plays, (1, "go"), (1, "go")], dealer=0)


def test_nothing_is_played_after_the_game():
    plays = [(1, "TC"), (0, "5C")]
    record = replay_play(HANDS, plays, dealer=0, scores=[120, 7])
    assert record.over
    assert (record.count, record.next_seat) == (15, None)
    assert (record.pegged, record.scores) == ((2, 0), (121, 7))
    for late in ((1, "KD"), (0, "JH"), (1, "go")):
        with pytest.raises(cribsim.IllegalPlay, match="play 3: the game is over: the score is 121-7"):
            replay_play(HANDS, [*plays, late], dealer=0, scores=[120, 7])


def test_a_card_cannot_be_in_two_hands():
    with pytest.raises(cribsim.IllegalPlay, match="5C is in two hands, of seats 0 and 1"):
        replay_play(["5C JH", "KD 5C"], [], dealer=0)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"hands": ["5C 6C"]}, "1 hands; give one for each of 2, 3 or 4 players"),
        ({"hands": HANDS, "rules": Rules(players=3)}, "hands of seats 0, 1 with players=3"),
        ({"hands": {0: HANDS[0], 2: HANDS[1]}}, "hands of seats 0, 2 with players=2"),
        ({"hands": ["5C 6C 7C 8C 9C", "5D"]}, "seat 0 has 5 cards"),
        ({"hands": ["", "5D"]}, "seat 0 has 0 cards"),
        ({"hands": ["5C 5C", "5D"]}, "seat 0: 5C given twice"),
        ({"hands": HANDS, "dealer": 2}, "dealer=2: give a seat from 0 to 1"),
        ({"hands": HANDS, "scores": [0, 0, 0]}, "scores=[0, 0, 0]: give a list of 2 whole numbers"),
        ({"hands": HANDS, "scores": [0, 121]}, "the game is over at 121"),
    ],
)
def test_the_reason_for_refusing_a_position(given, why):
    with pytest.raises(cribsim.CribsimError, match=re.escape(why)):
        replay_play(plays=[], **given)


def test_hands_may_be_short():
    record = replay_play({0: [18], 1: ["JD", "2C"]}, [(1, "JD"), (0, 18), (1, "2C")], dealer=0)
    assert [event.parts for event in record.events] == [{}, {"fifteen": 2}, {"last": 1}]
    assert record.next_seat is None


def test_partners_share_a_score():
    hands = ["5C", "TD", "5D", "5H"]
    record = replay_play(hands, [(0, "5C"), (1, "TD"), (2, "5D"), (3, "5H")], dealer=3, scores=[10, 20])
    assert record.pegged == (0, 2, 0, 3)
    assert record.scores == (10, 25)


# Files

FILE = {
    "players": 2,
    "dealer": 0,
    "hands": {"0": ["5C", "JH", "QD", "AS"], "1": "TC KD 9H 2S"},
    "plays": [
        [1, "TC", 0],
        [0, "5C", 2],
        {"seat": 1, "card": "KD", "points": 1},
        [0, "AS"],
        [1, "2S", 0],
        [0, "go", 1],
    ],
}


def replay_json(tmp_path, given):
    path = tmp_path / "deal.json"
    path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return replay_file(path)


def test_a_file_is_replayed_and_its_points_checked(tmp_path):
    read = replay_json(tmp_path, {**FILE, "scores": [3, 4], "pegged": [2, 1]})
    assert read["events"][1] == {"seat": 0, "card": "5C", "count": 15, "points": 2, "parts": {"fifteen": 2}}
    assert (read["pegged"], read["scores"]) == ([2, 1], [5, 5])
    assert read["errors"] == [
        {"line": 3, "recorded": 1, "right": 0, "why": "nothing"},
        {"line": 5, "recorded": 0, "right": 1, "why": "a go for 1"},
        {"line": 6, "recorded": 1, "right": 0, "why": "saying go brings nothing; the go is paid on the last card"},
    ]
    assert json.loads(json.dumps(read)) == read


def test_a_wrong_total_is_an_error(tmp_path):
    errors = replay_json(tmp_path, {"hands": ["5C", "JD"], "plays": [[1, "JD"], [0, "5C"]], "pegged": [2, 0]})["errors"]
    assert errors == [{"line": None, "recorded": 2, "right": 3, "why": "seat 0 pegged 3 in all"}]


def test_the_points_are_named_in_words(tmp_path):
    plays = [[1, "5D", 0], [0, "5C", 0], [1, "5H", 0]]
    errors = replay_json(tmp_path, {"hands": ["5C", "5D 5H"], "plays": plays})["errors"]
    assert [error["why"] for error in errors] == [
        "a pair for 2",
        "fifteen for 2, a pair royal for 6 and the last card for 1",
    ]


def test_rules_in_a_file(tmp_path):
    given = {"hands": [["JD"], ["5C"], ["9H"]], "dealer": 2, "plays": [[0, "JD"], [1, "5C"]], "scores": [0, 59, 0]}
    read = replay_json(tmp_path, {**given, "rules": {"target": 61}})
    assert read["scores"] == [0, 61, 0]
    assert replay_json(tmp_path, {**given, "rules": "short,players=3"}) == read
    with pytest.raises(cribsim.CribsimError, match="'rules' are for 2 players, the rest for 3; add players=3"):
        replay_json(tmp_path, {**given, "rules": "short"})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("{", "not JSON (line 1"),
        ("[]", "a JSON object with hands and plays is wanted, not list"),
        ({"plays": []}, "the key 'hands' is missing"),
        ({"hands": ["5C", "6C"]}, "the key 'plays' is missing"),
        ({**FILE, "plays": 3}, "'plays' holds 3"),
        ({**FILE, "plays": [[1]]}, "'plays', play 1: [1]; write [seat, card]"),
        ({**FILE, "plays": [[1, "TC", "2"]]}, "'plays', play 1: points '2'; give a whole number"),
        ({**FILE, "plays": [[1, "TC"], [0, "9H"]]}, "play 2: seat 0 doesn't hold 9H"),
        ({**FILE, "plays": [["1", "TC"]]}, "play 1: seat='1': give a seat from 0 to 1"),
        ({**FILE, "hands": {"north": "5C", "south": "6C"}}, "'hands': 'north' is not a seat"),
        ({**FILE, "hands": [3, "6C"]}, "seat 0: 3 is not a list of cards"),
        ({**FILE, "players": 3}, "hands of seats 0, 1 with players=3"),
        ({**FILE, "players": "two"}, "'players' holds 'two'; a whole number is wanted"),
        ({**FILE, "dealer": 5}, "dealer=5: give a seat from 0 to 1"),
        ({**FILE, "rules": 5}, "'rules' holds 5; text or an object is wanted"),
        ({**FILE, "rules": "shirt"}, "no rules named 'shirt'"),
        ({**FILE, "scores": [0.5, 1]}, "scores=[0.5, 1]: give a list of 2 whole numbers"),
        ({**FILE, "pegged": [1]}, "'pegged' has 1 numbers for 2 seats"),
    ],
)
def test_a_file_that_cannot_be_replayed(tmp_path, given, why):
    with pytest.raises(cribsim.CribsimError, match=re.escape(why)) as caught:
        replay_json(tmp_path, given)
    assert str(caught.value).startswith(str(tmp_path / "deal.json"))
    assert "\n" not in str(caught.value)


DIGITS = "9" * 5000
TEXT = json.dumps(FILE)


@pytest.mark.parametrize(
    ("given_or_text", "why"),
    [
        (TEXT.replace('"dealer": 0', f'"dealer": {DIGITS}'), "a whole number of thousands of digits"),
        (TEXT.replace('"0":', f'"{DIGITS}":'), "is not a seat"), (TEXT.replace('"0":', '"00":'), "'00' is not a seat"),
        (TEXT.replace('"0":', '"\\ud800":'), "'\\ud800' is not a seat"),
        (TEXT.replace('"5C"', '"\\ud800"'), "is not a card"),
        (f'{{"hands": {"[" * 100_000}', "nested too deeply"), (TEXT.replace('"AS"', "[" * 400 + "]" * 400), "card"),
        (TEXT.replace('"AS"', "null"), "card"), (TEXT.replace('"TC KD 9H 2S"', "null"), "seat 1"),
        (TEXT.replace("[1,", "[null,"), "seat"), (TEXT.replace('"dealer": 0', '"dealer": NaN'), "NaN is no number"),
        (TEXT.replace('"dealer": 0', '"dealer": 1, "dealer": 0'), "the key 'dealer' is given twice"),
        (TEXT.replace('"seat": 1', '"seat": 0, "seat": 1'), "the key 'seat' is given twice"),
        (TEXT.replace('"0":', '"1":'), "the key '1' is given twice"),
        (TEXT.replace('"points"', '"point"'), "'plays', play 3: no key 'point'; nearest: points; keys: seat, card"),
        ('{"hands": null, "plays": []}', "'hands' holds None; a list by seat is wanted"),
        ('{"hands": [], "plays": null}', "'plays' holds None"), (f"[{DIGITS}]", "digits"),
        *(
            ({**FILE, **wrong}, why)
            for wrong, why in [
                ({"delaer": 0}, "no key 'delaer'; nearest: dealer, players; keys: "), ({"x" * 999: 1}, "..."),
                ({"players": "2"}, "'players' holds '2'; a whole number is wanted"),
                ({"dealer": [0]}, "'dealer' holds"),
                ({"hands": "5C 6C"}, "'hands' holds"), ({"hands": [None, None]}, "seat 0"),
                ({"hands": [3, 4]}, "seat 0"),
                ({"scores": {}}, "'scores' holds"), ({"scores": [None, 1]}, "scores="),
                ({"rules": 3}, "'rules' holds 3"),
                ({"rules": {"target": [61]}}, "target="),
                ({"pegged": [2, "1"]}, "'pegged' holds '1'; give whole numbers"),
                ({"pegged": [True, 1]}, "'pegged' holds True"), ({"pegged": [2, 1.0]}, "'pegged' holds 1.0"),
            ]
        ),
        *(
            (TEXT[:-1] + f', "{key}": [0, {number}]}}', why)
            for key in ("scores", "pegged")
            for number, why in [("NaN", "NaN"), ("-Infinity", "Infinity"), ("1e999", "inf"), (f"{DIGITS}", "digits")]
        ),
    ],
)  # fmt: skip
def test_an_odd_file_is_refused_in_one_short_line(tmp_path, given_or_text, why):
    with pytest.raises(cribsim.CribsimError, match=re.escape(why)) as caught:
        replay_json(tmp_path, given_or_text)
    text = str(caught.value)
    assert text.startswith(str(tmp_path / "deal.json"))
    assert "\n" not in text
    assert len(text) < len(str(tmp_path)) + 400


def test_an_empty_name_is_no_file():
    with pytest.raises(cribsim.CribsimError, match="an empty name; give a JSON file"):
        replay_file("")


def test_keys_may_hold_null(tmp_path):
    nothing = dict.fromkeys(["players", "dealer", "scores", "rules", "pegged"])
    assert replay_json(tmp_path, {**FILE, **nothing}) == replay_json(tmp_path, FILE)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(cribsim.CribsimError, match=r"none\.json: No such file or directory"):
        replay_file(tmp_path / "none.json")


# The show


def test_three_players_count_from_the_pone_round():
    hands = {0: "5C 5H JC 9D", 1: "2C 4D 6H TS", 2: "AC AD AH 7S"}
    settled = settle_deal(dealer=1, starter="KH", hands=hands, crib="2D 4H 8S TC", scores=[0, 0, 0])
    assert [(seat, phase) for seat, phase, _ in settled.awards] == [(2, "hand"), (0, "hand"), (1, "hand"), (1, "crib")]
    assert sum(points for _, _, points in settled.awards) == sum(settled.scores)


def test_the_show_refuses_a_card_twice():
    with pytest.raises(cribsim.CardError, match="5C given twice"):
        settle_deal(dealer=0, starter="5C", hands=["5C 6C 7C 8C", "5D 6D 7D 8D"])
    with pytest.raises(cribsim.CardError, match="a hand takes 4 cards, not 3"):
        settle_deal(dealer=0, starter="5C", hands=["6C 7C 8C", "5D 6D 7D 8D"])


# Views from what one seat knows

GO_AT_29 = [(0, "KC"), (1, "KD"), (0, "9C"), (1, "go")]


@pytest.mark.parametrize("n_players", [2, 3, 4])
@pytest.mark.parametrize("with_goes", [True, False])
def test_a_view_needs_no_hidden_card(n_players, with_goes):
    """At every turn the view of the seat to play is what the referee sees who knows all hands."""
    rng = random.Random(40 + n_players)
    for _ in range(25):
        hands, dealer, _, plays, _ = random_play(n_players, rng)
        referee = _Referee(hands, dealer, Rules(players=n_players), None)
        for n, (seat, card) in enumerate(plays):
            if card == "go":
                continue
            known = plays[:n] if with_goes else cards_only(plays[:n])
            view = play_view(referee.held[seat], known, dealer=dealer, seat=seat, players=n_players)[0]
            for name, *_ in PLAY_FIELDS:
                assert view[name].tolist() == (referee.play[name].tolist() if name != "starter" else 255), name
            assert view.cards.tolist()[: view.n_cards] == referee.held[seat]
            referee.lay(seat, cribsim.parse_cards(card)[0])


def test_a_view_tells_starter_discards_and_scores():
    plays = [(0, "7C"), (1, "8D"), (0, "8H")]
    view = play_view("KS 5H JD", plays, dealer=1, seat=1, starter="9S", discards="KD 2C", scores=[90, 95])
    assert format_cards(view[0].discards) == "2C KD"
    assert format_card(int(view[0].starter)) == "9S"
    assert view[0].scores.tolist() == [90, 95, 0, 0]
    assert view[0].cards.tolist() == [*cribsim.parse_cards("5H JD KS"), 255]
    assert view[0].key == 0


@pytest.mark.parametrize(
    ("hand", "plays", "seat", "why"),
    [
        ("5H 5S JD", [(0, "7C"), (1, "8D")], 1, "seat 0 (pone) is to play, not seat 1 (dealer)"),
        ("5H 5S JD 9C", [(0, "7C"), (1, "8D")], 0, "seat 0 (pone) has played 1 of 4 cards, so it holds 3; given 4"),
        ("5H 5S JD", [(0, "7C"), (1, "7C")], 0, "7C given twice"),
        (
            "5H 5S JD",
            [(0, "7C"), (0, "8D")],
            1,
            "play 2: seat 1 (dealer) is to play, not seat 0 (pone): any card fits at 7",
        ),
        ("5H 5S JD", [(1, "7C")], 1, "play 1: seat 0 (pone) is to play, not seat 1 (dealer)"),
        ("5H 5S JD", [(0, "go")], 0, "play 1: seat 0 (pone) can't say go here"),
        (
            "JS",
            [*GO_AT_29, (0, "AC"), (1, "2H")],
            0,
            "play 6: seat 1 (dealer) could have played 2H at 29, where it was passed",
        ),
        ("2H JS QS", [*GO_AT_29, (0, "AC")], 1, "seat 1 (dealer) could have played 2H at 29"),
        (
            "2H JS",
            [(0, "KC"), (1, "KD"), (1, "go"), (0, "9C")],
            0,
            "play 4: seat 1 (dealer) said go at 20 before its turn came",
        ),
        ("2H JS", [*GO_AT_29, (1, "go")], 0, "play 5: seat 1 (dealer) can't say go here"),
        (
            "",
            [*GO_AT_29, (0, "AC"), (1, "JS"), (0, "QS")],
            0,
            "seat 0 (pone) has played 4 of 4 cards, so it isn't asked",
        ),
    ],
)
def test_a_view_of_no_possible_play_is_refused(hand, plays, seat, why):
    with pytest.raises(cribsim.CribsimError, match=re.escape(why)):
        play_view(hand, plays, dealer=1, seat=seat)


def test_the_view_of_a_discard():
    view = discard_view("2C 3H 4D 5D JS", dealer=0, seat=0, players=3, scores=[7, 8, 9])[0]
    assert (int(view.role), int(view.n_cards), int(view.n_thrown)) == (2, 5, 1)
    assert view.cards.tolist() == [*cribsim.parse_cards("2C 3H 4D 5D JS"), 255]
    assert view.scores.tolist() == [7, 8, 9, 0]
    with pytest.raises(cribsim.CardError, match="takes 6 cards, not 5"):
        discard_view("2C 3H 4D 5D JS", dealer=0, seat=0)
