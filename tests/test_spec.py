"""Players as text: what the grammar reads, what it writes, and how it says what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cribsim.errors import PlayerError
from cribsim.strategies.spec import HalfSpec, PlayerSpec, is_word, parse_half, parse_player

WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True).filter(is_word)
TEXTS = st.text(min_size=1, max_size=12)
REFS = st.one_of(WORDS, TEXTS.map(str.strip).filter(bool))
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
PLACES = st.builds(lambda path, name: f"{path}.py:{name}", WORDS, WORDS)


def halves(refs, values):
    parameters = st.dictionaries(WORDS, values, max_size=3).map(lambda found: tuple(found.items()))
    return st.builds(HalfSpec, refs, parameters)


def is_more_than_a_word(half):
    return bool(half.parameters)


SIMPLE = st.one_of(NUMBERS, st.booleans(), TEXTS, st.builds(HalfSpec, PLACES))
NESTED = st.recursive(SIMPLE, lambda inner: halves(REFS, inner).filter(is_more_than_a_word) | SIMPLE, max_leaves=6)
PLAYERS = st.builds(lambda *found: PlayerSpec(found), halves(REFS, NESTED), halves(REFS, NESTED))


@given(PLAYERS)
def test_every_player_reads_back_from_its_text(player):
    assert parse_player(str(player)) == player


@given(halves(REFS, NESTED))
def test_every_half_reads_back_from_its_text(half):
    assert parse_half(str(half)) == half
    assert parse_player(str(half)) == PlayerSpec((half,))


@given(st.text(alphabet='ab1.:+(),="\\ ', max_size=24))
def test_any_text_is_read_or_refused(text):
    try:
        player = parse_player(text)
    except PlayerError:
        return
    assert parse_player(str(player)) == player


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("200", 200), ("-3", -3), ("2.5k", 2500), ("10M", 10_000_000), ("1e6", 1_000_000), ("0.25", 0.25), ("1.0", 1.0),
        ("1e-3", 0.001), ("true", True), ("false", False), ("fixed", "fixed"), ('"a, b"', "a, b"), ('"200"', "200"),
        ('"say \\"go\\""', 'say "go"'), ("mine.py:keep", HalfSpec("mine.py:keep")),
        ("greedy(x=1)", HalfSpec("greedy", (("x", 1),))),
    ],
)  # fmt: skip
def test_values(text, value):
    ((key, found),) = parse_half(f"montecarlo(v={text})").parameters
    assert (key, found, type(found)) == ("v", value, type(value))


def test_two_halves_and_their_parameters():
    player = parse_player(" montecarlo ( samples = 200 , discards=expectimax ) + my files/mine.py:low_lead ")
    assert [half.ref for half in player.halves] == ["montecarlo", "my files/mine.py:low_lead"]
    assert str(player) == "montecarlo(samples=200,discards=expectimax)+my files/mine.py:low_lead"


def test_a_path_with_signs_in_it_is_quoted():
    player = parse_player('"c++/old (1).py:keep"+greedy')
    assert player.halves[0].ref == "c++/old (1).py:keep"
    assert str(player) == '"c++/old (1).py:keep"+greedy'


def test_miss_stands_behind_the_whole_player():
    assert parse_player("montecarlo+montecarlo(samples=9)(miss=0.1)").parameters == (("miss", 0.1),)
    assert parse_player("expectimax+greedy(miss=0.1)") == parse_player("expectimax + greedy()(miss=0.1)")
    assert str(parse_player("a+b(x=1,miss=0.1)")) == "a+b(x=1)(miss=0.1)"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "an empty text"), ("  ", "an empty text"),
        ("a(b=1", "character 2: this parenthesis isn't closed"),
        ("a(b=c(d=1)", "character 2: this parenthesis isn't closed"),
        ("a(", "character 2: this parenthesis isn't closed"),
        ("a(b", "isn't closed"), ("a(b=", "isn't closed"),
        ('a(b="x)', "character 5: this quotation mark isn't closed"),
        ("a)", "character 2: this parenthesis closes nothing"),
        ("a(b=1))", "character 7: this parenthesis closes nothing"),
        ("a+", "character 3: a name is wanted here"), ("+a", "character 1: a name is wanted here, not '+'"),
        ("a+b+c", "two halves at most"), ("(x=1)", "a name is wanted"),
        ("a(b=1,b=2)", "character 7: b is given twice"), ("a(b)", "= is wanted behind b"),
        ("a(=1)", "a key is wanted"), ("a(2b=1)", "'2b' is not a key"),
        ("a(b=5x)", "'5x' is neither a number nor a word"), ("a(b=1e999)", "too large"),
        ('a(b="")', "nothing stands between"), ("a(b=1)x", "character 7: nothing can stand here"),
        ("a(b=1)(c=2)", "only (miss=NUMBER)"),
        ("a(b=" * 40 + "1" + ")" * 40, "too many parentheses"),
    ],
)  # fmt: skip
def test_the_message_says_what_is_wrong_and_where(text, wrong):
    with pytest.raises(PlayerError) as caught:
        parse_player(text)
    assert wrong in str(caught.value)


def test_a_half_has_no_plus():
    with pytest.raises(PlayerError, match="one half"):
        parse_half("a+b")
