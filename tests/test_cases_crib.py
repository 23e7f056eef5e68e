"""What lies in the crib: the cards thrown, and with three players one more from the pack.

Read from the records of random deals, for each number of players that
data/cases_scoring.jsonl names.
"""

from functools import cache

import pandas as pd
import pytest
from case_rows import row_by_id, rows

import cribsim

CARDS_DEALT = {2: 6, 3: 5, 4: 5}
CARDS_KEPT = 4


@cache
def _records(n_players, folder):
    cribsim.simulate(["random"] * n_players, deals=200, seed=97, out=folder, record=True)
    return pd.read_parquet(folder / "deals.parquet")


@pytest.fixture(scope="module")
def deal_records(tmp_path_factory):
    """Recorded deals for a number of players, each played once."""
    folders = {n: tmp_path_factory.mktemp(f"deals_{n}") for n in CARDS_DEALT}
    return lambda n_players: _records(n_players, folders[n_players])


def _by_seat(cards, n_each, n_players):
    return [set(cards[seat * n_each : (seat + 1) * n_each]) for seat in range(n_players)]


@rows("scoring", "crib_composition")
def test_the_crib_takes_the_same_from_each_player(row, deal_records):
    n_players, from_each = row["input"]["players"], row["expected"]["from_each"]
    n_from_pack = 1 if "direct" in row["input"] else 0
    for deal in deal_records(n_players).itertuples():
        dealt = _by_seat(list(deal.dealt), CARDS_DEALT[n_players], n_players)
        kept = _by_seat(list(deal.kept), CARDS_KEPT, n_players)
        crib = set(deal.crib)
        thrown = [had - has for had, has in zip(dealt, kept, strict=True)]
        assert [len(cards & crib) for cards in thrown] == from_each, row["why"]
        assert len(crib - set.union(*thrown)) == n_from_pack
        assert len(deal.crib) == len(crib) == len(row["expected"]["crib"]) == 4


@pytest.mark.parametrize("n_players", row_by_id("scoring", "CR-097-s3")["input"]["given"]["players"])
def test_hands_crib_and_starter_are_all_different_cards(n_players, deal_records):
    """CR-097-s3: nothing is lost and nothing appears twice."""
    for deal in deal_records(n_players).itertuples():
        on_the_table = [*deal.kept, *deal.crib, deal.starter]
        assert len(set(on_the_table)) == len(on_the_table) == CARDS_KEPT * (n_players + 1) + 1
        assert set(deal.dealt) <= set(on_the_table)
        assert sorted(deal.plays) == sorted(deal.kept)
