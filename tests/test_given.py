"""Deals of which something is given: the cards lie where they were put, the rest is as in ordinary deals."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import cribsim
from cribsim import Result, runs
from cribsim.errors import CardError, CribsimError, ResultError
from cribsim.given import Given
from cribsim.rules import Rules

N_DEALT = {2: 6, 3: 5, 4: 5}
ROLES = {2: ["pone", "dealer"], 3: ["pone", "second", "dealer"], 4: ["pone", "second", "third", "dealer"]}


class Records:
    """The records of a run, with rows of cards by seat (in deals mode the last seat deals: seats are roles)."""

    def __init__(self, folder, players, **options):
        self.result = cribsim.simulate(players, out=folder, record=True, **options)
        table, n = pq.read_table(folder / "deals.parquet"), len(players)
        assert set(table["dealer"].to_pylist()) == {n - 1}
        self.n = len(table)
        self.dealt = self._rows(table, "dealt").reshape(self.n, n, N_DEALT[n])
        self.kept = self._rows(table, "kept").reshape(self.n, n, 4)
        self.crib = self._rows(table, "crib")
        self.starter = table["starter"].to_numpy()
        self.pegging, self.hand = self._rows(table, "pegging"), self._rows(table, "hand")
        self.crib_points = table["crib_points"].to_numpy()

    def _rows(self, table, name):
        column = table[name].combine_chunks()
        return column.flatten().to_numpy().reshape(self.n, -1).astype(int)


def holds(rows, cards):
    """By row, whether it holds all of these cards."""
    return np.logical_and.reduce([(rows == card).any(axis=1) for card in cribsim.parse_cards(cards)])


def chi_square_is_small(counts):
    """Six standard deviations above what chance makes of it, at most."""
    expected, freedom = counts.sum() / len(counts), len(counts) - 1
    assert ((counts - expected) ** 2 / expected).sum() < freedom + 6 * (2 * freedom) ** 0.5


# where the cards lie


@pytest.mark.parametrize(
    ("players", "given"),
    [
        (2, {"pone": "5H 5S JD"}),
        (2, {"dealer": "2C 3C 4C 5C 6C 7C", "starter": "8C"}),
        (2, {"pone_kept": "5H 5S", "starter": "5C"}),
        (2, {"dealer_thrown": "KC", "pone_thrown": "KD"}),
        (2, {"pone_kept": "2C 9D", "pone_thrown": "5H 5S", "dealer": "AC"}),
        (2, {"dealer_kept": "TC JC QC KC", "dealer": "AD"}),
        (3, {"second": "5H 5S JD", "second_thrown": "2C", "starter": "JH"}),
        (3, {"dealer_kept": "5H 5S 5C", "pone_thrown": "KC"}),
        (4, {"third_kept": "7H 8H", "third": "9H", "dealer_thrown": "AC", "second": "KD"}),
    ],
)
def test_given_cards_are_dealt_kept_and_thrown(tmp_path, players, given):
    found = Records(tmp_path / "run", ["random"] * players, deals=300, seed=2, given=given)
    assert found.n == found.result.deals == 300
    assert found.result.given.keys() == given.keys()
    for role, name in enumerate(ROLES[players]):
        dealt, kept = found.dealt[:, role], found.kept[:, role]
        for part in ("", "_kept", "_thrown"):
            assert holds(dealt, given.get(name + part, "")).all() if given.get(name + part) else True
        if f"{name}_kept" in given:
            assert holds(kept, given[f"{name}_kept"]).all()
        if f"{name}_thrown" in given:
            assert holds(found.crib, given[f"{name}_thrown"]).all()
            assert not (kept[:, :, None] == cribsim.parse_cards(given[f"{name}_thrown"])).any()
    if "starter" in given:
        assert (found.starter == cribsim.parse_cards(given["starter"])[0]).all()
    everything = np.concatenate([found.dealt.reshape(300, -1), found.starter[:, None]], axis=1)
    if players == 3:
        everything = np.concatenate([everything, found.crib[:, 3:]], axis=1)
    assert (np.diff(np.sort(everything, axis=1), axis=1) > 0).all()


def test_the_rest_of_the_cards_is_drawn_evenly(tmp_path):
    given = {"pone": "5H 5S JD", "dealer_kept": "2C", "starter": "KC"}
    found = Records(tmp_path / "run", ["random", "random"], deals=20_000, seed=3, given=given)
    known = cribsim.parse_cards("5H 5S JD 2C KC")
    rest = np.setdiff1d(np.arange(52), known)
    for role, n_known in ((0, 3), (1, 1)):
        counts = np.bincount(found.dealt[:, role].ravel(), minlength=52)
        assert counts[known].tolist() == [found.n * (holds(found.dealt[:, role][:1], [card])[0]) for card in known]
        assert counts[rest].sum() == found.n * (6 - n_known)
        chi_square_is_small(counts[rest])
    # random players: each three of those dealt beside the known one is as likely to be kept with it
    chi_square_is_small(np.bincount(found.kept[:, 1].ravel(), minlength=52)[rest])


def test_the_starter_is_any_of_the_cards_not_given(tmp_path):
    hand = "5H 5S 5C JD 4H 6S"
    found = Records(tmp_path / "run", ["greedy", "random"], deals=20_000, seed=4, given={"pone": hand})
    counts, known = np.bincount(found.starter, minlength=52), cribsim.parse_cards(hand)
    assert counts[known].sum() == 0
    chi_square_is_small(np.delete(counts, known))


# choices


def test_a_choice_that_is_given_selects_the_deals_in_which_it_is_made(tmp_path):
    """The same averages as the ordinary deals in which the pone keeps these cards, and the same share of them."""
    players = ["expectimax+greedy", "greedy"]
    found = Records(tmp_path / "given", players, deals=20_000, seed=5, given={"pone_kept": "5H JD"})
    plain = Records(tmp_path / "plain", players, deals=200_000, seed=6)
    chosen = holds(plain.kept[:, 0], "5H JD")
    assert chosen.sum() > 1000
    measures = {
        "pone pegs": lambda run: run.pegging[:, 0],
        "dealer pegs": lambda run: run.pegging[:, 1],
        "pone's hand": lambda run: run.hand[:, 0],
        "dealer's hand": lambda run: run.hand[:, 1],
        "crib": lambda run: run.crib_points,
        "third five": lambda run: (run.kept[:, 0] >> 2 == 4).sum(axis=1),
    }
    for name, measure in measures.items():
        one, other = measure(found), measure(plain)[chosen]
        se = (one.var() / len(one) + other.var() / len(other)) ** 0.5
        assert abs(one.mean() - other.mean()) < 5 * se, name
    # of the deals in which the pone holds both cards he keeps both in as many
    holding = holds(plain.dealt[:, 0], "5H JD")
    share, redrawn = chosen.sum() / holding.sum(), int(found.result.tally.counts.redrawn[0])
    drawn = 20_000 + redrawn
    assert abs(20_000 / drawn - share) < 5 * (share * (1 - share) * (1 / drawn + 1 / holding.sum())) ** 0.5


def test_a_choice_may_be_given_that_hangs_on_the_other_cards(tmp_path):
    """The dealer throws a five only where it pays: what else he holds isn't even any more."""
    given = {"dealer_thrown": "5H"}
    found = Records(tmp_path / "run", ["expectimax+greedy"] * 2, deals=5000, seed=7, given=given)
    assert holds(found.crib, "5H").all()
    other = (found.crib[:, 2:][found.crib[:, 2:] != 18]) >> 2
    counts, pays = np.bincount(other, minlength=13), np.isin(np.arange(13), [4, 9, 10, 11, 12])
    assert counts[pays].mean() > 1.8 * counts[~pays].mean()
    assert found.result.tally.counts.redrawn[0] > 5000


@pytest.mark.parametrize(
    "given",
    [
        {"pone_kept": "2C 9D JH KS", "pone_thrown": "5H 5S"},
        {"pone": "2C 9D JH KS 5H 5S", "pone_kept": "2C 9D JH KS"},
        {"pone": "2C 9D JH KS 5H 5S", "pone_thrown": "5H 5S"},
        {"pone": "2C 9D", "pone_kept": "JH KS", "pone_thrown": "5H 5S"},
    ],
)
def test_a_strategy_is_not_heard_where_there_is_nothing_to_choose(tmp_path, given):
    found = Records(tmp_path / "run", ["expectimax+greedy"] * 2, deals=200, seed=8, given=given)
    assert holds(found.kept[:, 0], "2C 9D JH KS").all()
    assert found.result.tally.counts.redrawn[0] == 0


def test_a_hand_alone_leaves_the_choice_to_the_strategy(tmp_path):
    found = Records(tmp_path / "run", ["expectimax+greedy"] * 2, deals=200, seed=8, given={"pone": "2C 9D JH KS 5H 5S"})
    assert not holds(found.crib, "5H 5S").any()
    assert found.result.tally.counts.redrawn[0] == 0


def test_what_no_strategy_does_ends_with_an_error():
    given = {"pone": "5H 5S 5C JD 2C 9S", "pone_thrown": "5H"}
    with pytest.raises(CribsimError, match="none of 100,000 deals came out as given") as caught:
        cribsim.simulate(["expectimax+greedy"] * 2, deals=10, given=given)
    assert "\n" not in str(caught.value)
    assert "pone_thrown 5H" in str(caught.value)


# the same whatever the machine does

TWO = {"players": ["expectimax+greedy", "random+greedy"], "given": {"pone_kept": "5H", "dealer": "KC KD"}}
THREE = {"players": ["greedy", "random", "greedy"], "given": {"second_thrown": "5H", "starter": "JC"}}


@pytest.mark.parametrize("asked", [TWO, THREE], ids=["two", "three"])
def test_workers_and_chunks_change_nothing(monkeypatch, asked):
    one = cribsim.simulate(deals=3000, seed=9, workers=1, **asked)
    assert one.tally.counts.redrawn[0] > 0
    assert cribsim.simulate(deals=3000, seed=9, workers=3, **asked).tally == one.tally
    monkeypatch.setattr(runs, "_FIRST_CHUNK", 37)
    assert cribsim.simulate(deals=3000, seed=9, workers=2, **asked).tally == one.tally
    parts = [cribsim.simulate(deals=n, first=at, seed=9, **asked) for at, n in ((0, 700), (700, 2300))]
    assert (parts[0] + parts[1]).tally == one.tally


def test_records_are_the_same_for_any_workers(tmp_path):
    tables = []
    for workers in (1, 2):
        Records(tmp_path / str(workers), deals=2000, seed=9, workers=workers, **TWO)
        tables.append(pq.read_table(tmp_path / str(workers) / "deals.parquet"))
    assert tables[0] == tables[1]
    assert tables[0]["deal"].to_pylist() == list(range(2000))


def test_another_seed_gives_other_deals():
    one, other = (cribsim.simulate(deals=500, seed=seed, **TWO).tally for seed in (1, 2))
    assert one != other


# results


def test_results_of_other_cards_do_not_add():
    first = cribsim.simulate(["greedy"] * 2, deals=50, given={"starter": "5C"})
    for given in (None, {"starter": "5D"}, {"starter": "5C", "pone": "AC"}):
        other = cribsim.simulate(["greedy"] * 2, deals=50, first=50, given=given)
        with pytest.raises(ResultError, match="given"):
            first + other
    same = cribsim.simulate(["greedy"] * 2, deals=50, first=50, given={"starter": "5c"})
    assert (first + same).deals == 100


def test_a_saved_result_knows_what_was_given(tmp_path):
    result = cribsim.simulate(["greedy"] * 2, deals=200, given={"pone_kept": "5H", "starter": "JC"})
    result.save(tmp_path / "run")
    loaded = Result.load(tmp_path / "run")
    assert loaded.given == result.given == {"pone_kept": "5H", "starter": "JC"}
    assert loaded.tally == result.tally
    more = cribsim.simulate(["greedy"] * 2, deals=100, first=200, given=loaded.given)
    assert (loaded + more).given == result.given


def test_the_command_line_gives_cards(capsys, tmp_path, monkeypatch):
    from cribsim import cli

    monkeypatch.chdir(tmp_path)
    words = ["simulate", "--players", "greedy", "greedy", "--deals", "100", "--json"]
    words += ["--given", "pone_kept=5H 5S", "--given", "starter=JC"]
    with pytest.raises(SystemExit) as caught:
        cli.main(words)
    assert not caught.value.code
    told = json.loads(capsys.readouterr().out)
    assert told["given"] == {"pone_kept": "5H 5S", "starter": "JC"}
    assert told["redrawn"] >= 0
    heels = [row["mean"] for row in told["phases"] if row["phase"] == "heels"]
    assert sorted(heels) == [0, 2]


# misuse


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"pone": "5H", "dealer": "5H"}, ["pone", "dealer", "5H"]),
        ({"pone": "5H", "starter": "5H"}, ["pone", "starter", "5H"]),
        ({"pone_kept": "5H", "dealer_thrown": "5H"}, ["pone", "dealer", "5H"]),
        ({"pone_kept": "5H 6H", "pone_thrown": "6H"}, ["pone_kept", "pone_thrown", "6H"]),
        ({"pone": "5H 5H"}, ["pone", "5H given twice"]),
        ({"pone": "5X"}, ["pone", "5X"]),
        ({"pone": ""}, ["pone", "no cards"]),
        ({"starter": "5H 6H"}, ["starter", "at most 1"]),
        ({"pone_thrown": "5H 6H 7H"}, ["pone_thrown", "at most 2"]),
        ({"pone_kept": "AC 2C 3C 4C 5C"}, ["pone_kept", "at most 4"]),
        ({"pone": "AC 2C 3C 4C 5C 6C 7C"}, ["pone", "at most 6"]),
        ({"pone": "AC 2C 3C 4C", "pone_kept": "5C 6C 7C"}, ["pone", "at most 6"]),
        ({"second": "5H"}, ["second", "not known"]),
        ({"poen": "5H"}, ["poen", "nearest: pone"]),
        ({"pone_keep": "5H"}, ["pone_keep", "nearest: pone_kept"]),
        (["pone=5H", "pone=6H"], ["pone is given twice"]),
        (["pone"], ["name=cards"]),
        ("pone=5H", ["name=cards"]),
        (7, ["given"]),
        ({"pone": 7}, ["pone"]),
        ({7: "5H"}, ["7"]),
    ],
)  # fmt: skip
def test_cards_that_contradict_are_named(given, wanted):
    with pytest.raises(CribsimError) as caught:
        cribsim.simulate(["greedy"] * 2, deals=10, given=given)
    for part in wanted:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_three_players_throw_one_card_each():
    with pytest.raises(CardError, match="pone_thrown"):
        Given.read({"pone_thrown": "AC 2C"}, Rules(players=3))


def test_a_whole_hand_and_other_cards_kept_are_too_many():
    with pytest.raises(CardError, match="pone: 7 cards"):
        Given.read({"pone": "AC 2C 3C 4C 5C 6C", "pone_kept": "7C"}, Rules())


def test_games_are_not_given():
    with pytest.raises(CribsimError, match="use deals="):
        cribsim.simulate(["greedy"] * 2, games=10, given={"starter": "5C"})


def test_nothing_given_is_an_ordinary_run():
    plain = cribsim.simulate(["greedy"] * 2, deals=300, seed=4)
    for given in (None, {}, []):
        assert cribsim.simulate(["greedy"] * 2, deals=300, seed=4, given=given).tally == plain.tally
    assert plain.given == {}


def test_what_is_given_reads_the_same_in_any_form():
    wanted = {"pone_kept": "5S 5H", "starter": "TC"}
    forms = [
        {"pone_kept": "5H 5S", "starter": "10c"},
        {"pone_kept": [18, 19], "starter": ["TC"]},
        ["pone_kept=5S,5H", " starter = TC"],
    ]
    for form in forms:
        assert {name: set(cards.split()) for name, cards in Given.read(form, Rules()).as_dict().items()} == {
            name: set(cards.split()) for name, cards in wanted.items()
        }
