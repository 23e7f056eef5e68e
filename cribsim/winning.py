"""What games and matches brought: wins and game points by player and by side, skunks, what dealing first is worth."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from cribsim.rules import Rules
from cribsim.stats import Estimate, estimate_ratio, estimate_ratio_share, estimate_share, from_sums
from cribsim.tally import SKUNK_CLASSES, Tally

_GAMES_WON, _GAME_POINTS = 0, 1


def wins_by_player(players: Sequence[str], tally: Tally, confidence: float) -> list[dict[str, Any]]:
    """By seat: the share of games won, and game points per game."""
    return [
        {
            **{"player": player, "seat": seat},
            **_share_of_games(tally, seat, confidence).as_dict(),
            "game_points": _points_a_game(tally, seat, confidence).as_dict(),
        }
        for seat, player in enumerate(players)
    ]


def _share_of_games(tally: Tally, seat: int, confidence: float) -> Estimate:
    """Games of a match belong together, as the loser may deal."""
    counts = tally.counts
    if tally.matches:
        return estimate_ratio_share(counts.match_units[seat, _GAMES_WON], counts.match_games[:3], confidence=confidence)
    return estimate_share(int(counts.wins[seat]), tally.games, confidence=confidence)


def _share(hits: int, tally: Tally, confidence: float) -> Estimate:
    """A share of the games. Within matches they aren't independent, and no interval is known of it."""
    found = estimate_share(hits, tally.games, confidence=confidence)
    return dataclasses.replace(found, se=math.nan, low=math.nan, high=math.nan) if tally.matches else found


def _points_a_game(tally: Tally, seat: int, confidence: float) -> Estimate:
    counts = tally.counts
    if tally.matches:
        return estimate_ratio(counts.match_units[seat, _GAME_POINTS], counts.match_games[:3], confidence=confidence)
    return from_sums(tally.games, *(int(value) for value in counts.game_points[seat]), confidence=confidence)


def wins_by_side(players: Sequence[str], rules: Rules, tally: Tally, confidence: float) -> list[dict[str, Any]]:
    """By score: the seats that share it, and what `wins_by_player` says of them."""
    rows = wins_by_player(players, tally, confidence)
    return [
        {
            "side": side,
            "seats": [seat for seat in range(rules.players) if rules.side(seat) == side],
            **{key: value for key, value in rows[side].items() if key not in ("player", "seat")},
        }
        for side in range(rules.sides)
    ]


def wins_by_turn(rules: Rules, tally: Tally, confidence: float) -> list[dict[str, Any]]:
    """By role in the first deal of the game: how often who had it (or his side) won. Empty where files of the first
    versions are in it, which didn't count that."""
    if tally.counts.turn_wins.sum() < tally.games:
        return []
    return [
        {"role": role, **_share(int(won), tally, confidence).as_dict()}
        for role, won in zip(rules.roles, tally.counts.turn_wins, strict=False)
    ]


def first_dealer_wins(tally: Tally, confidence: float) -> Estimate:
    """The share of games that the side of the first dealer won."""
    return _share(int(tally.counts.first_dealer_wins[0]), tally, confidence)


def skunks(rules: Rules, tally: Tally, confidence: float) -> dict[str, Any]:
    """The share of games that end in each kind of skunk (a double skunk is none of the skunks) and in any, and how many
    by winning seat."""
    counts = tally.counts.skunks
    classes = SKUNK_CLASSES if rules.triple_skunk_value is not None else SKUNK_CLASSES[:-1]
    shares = {
        name: _share(int(counts[: rules.sides, at].sum()), tally, confidence).as_dict()
        for at, name in enumerate(classes)
        if at
    }
    by_seat = [
        {"seat": seat, **{name: int(counts[seat, at]) for at, name in enumerate(classes)}}
        for seat in range(rules.players)
    ]
    anyhow = _share(int(counts[: rules.sides, 1:].sum()), tally, confidence).as_dict()
    return {**shares, "any": anyhow, "by_seat": by_seat}


def match_wins(players: Sequence[str], tally: Tally, confidence: float) -> list[dict[str, Any]]:
    """By seat: the share of matches won."""
    won = tally.counts.match_wins
    return [
        {
            "player": player,
            "seat": seat,
            **estimate_share(int(won[seat]), tally.matches, confidence=confidence).as_dict(),
        }
        for seat, player in enumerate(players)
    ]


def games_per_match(tally: Tally, confidence: float) -> Estimate:
    """How many games a match takes."""
    return from_sums(*(int(value) for value in tally.counts.match_games[:3]), confidence=confidence)


def deals_per_game(tally: Tally, confidence: float) -> Estimate:
    """How many deals a game takes; of games within matches a ratio over these."""
    counts = tally.counts
    if tally.matches:
        sums = [int(counts.unit_deals[1]), int(counts.unit_deals[2]), int(counts.match_games[3])]
        return estimate_ratio(sums, counts.match_games[:3], confidence=confidence)
    return from_sums(*(int(value) for value in tally.counts.unit_deals), confidence=confidence)


def told(players: Sequence[str], rules: Rules, tally: Tally, confidence: float) -> dict[str, Any]:
    """The keys about games and matches of a result's JSON; null or empty where none were played."""
    in_games, in_matches = tally.games > 0, tally.matches > 0
    return {
        "wins": wins_by_player(players, tally, confidence) if in_games else [],
        "sides": wins_by_side(players, rules, tally, confidence) if in_games else [],
        "first_dealer_wins": first_dealer_wins(tally, confidence).as_dict() if in_games else None,
        "wins_by_turn": wins_by_turn(rules, tally, confidence) if in_games else [],
        "skunks": skunks(rules, tally, confidence) if in_games else None,
        "deals_per_game": deals_per_game(tally, confidence).as_dict() if in_games else None,
        "matches": tally.matches,
        "match_wins": match_wins(players, tally, confidence) if in_matches else [],
        "games_per_match": games_per_match(tally, confidence).as_dict() if in_matches else None,
    }
