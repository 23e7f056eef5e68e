"""Counting finished deals and games into `tally.Counts`."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.deals import REDRAWN, role_of, role_seat, side_of
from cribsim.matches import game_winner, lead_of, win_class
from cribsim.pegging import NOBODY
from cribsim.scoring import kept_index
from cribsim.tally import CRIB, MUGGINS, N_PHASES, N_PLACES, N_POINTS, PEGGING, TOTAL


@kernel(inline=True)
def _add_points(rules, deal, counts):
    """Count one deal's points by role and phase."""
    totals = 0
    for role in range(rules.players):
        at = np.uint64(role_seat(np.int64(deal.dealer), role, rules.players))
        histograms, total = counts.histograms[role], 0
        for phase in range(N_PHASES):
            points = np.int64(deal.points[at, phase])
            total += points
            histograms[phase, np.uint64(points)] += 1
        if rules.muggins:
            points = np.int64(deal.points[at, MUGGINS])
            total = min(total + points, N_POINTS - 1)
            histograms[MUGGINS, np.uint64(min(points, N_POINTS - 1))] += 1
        histograms[TOTAL, np.uint64(total)] += 1
        totals = totals << 8 | total
    if rules.players == 2:
        counts.joint[np.uint64(totals >> 8), np.uint64(totals & 255)] += 1


@kernel(inline=True)
def _add_choices(rules, deal, counts):
    """Count what was thrown with what the crib brought, and what was kept with what it pegged."""
    dealer, pegged = np.int64(deal.dealer), 0
    crib = np.int64(deal.points[dealer, CRIB])
    for seat in range(rules.players):
        pegged += np.int64(deal.points[seat, PEGGING])
    for role in range(rules.players):
        at = np.uint64(role_seat(dealer, role, rules.players))
        low, high = deal.thrown[at] & 255, deal.thrown[at] >> 8
        high = low if high == NO_CARD else high
        suited = (low & 3) == (high & 3)
        thrown = counts.thrown[
            role, np.uint64((high if suited else low) >> 2), np.uint64((low if suited else high) >> 2)
        ]
        thrown[0] += 1
        thrown[1] += crib
        thrown[2] += crib * crib
        if rules.n_kept < 4:
            continue
        four = deal.kept[at] >> 2
        index = np.uint64(kept_index(four & 15, four >> 8 & 15, four >> 16 & 15, four >> 24 & 15))
        kept, own = counts.kept[role, index], np.int64(deal.points[at, PEGGING])
        other = pegged - own
        kept[0] += 1
        kept[1] += own
        kept[2] += other
        kept[3] += own * own
        kept[4] += other * other
        kept[5] += own * other


@kernel
def add_deals(rules, deals, games, counts):
    """Count a round's deals."""
    for i in range(len(deals)):
        deal = deals[i]
        if deal.winner == REDRAWN:
            counts.redrawn[0] += 1
            continue
        counts.deals[0] += 1
        _add_points(rules, deal, counts)
        if deal.winner == NOBODY:
            _add_choices(rules, deal, counts)
        if rules.in_game:
            for role in range(rules.players):
                seat = role_seat(np.int64(deal.dealer), role, rules.players)
                for phase in range(N_PLACES):
                    games[i].role_sums[role, phase] += deal.points[seat, phase]
                    games[i].seat_sums[seat, phase] += deal.points[seat, phase]


@kernel
def _add_sums(sums, at, n_deals, out_units):
    """Add a unit's points by phase, and their total. sums: int32[4, 6], by role or seat; out_units: int64[4, 6, 3]."""
    total = 0
    for phase in range(N_PLACES):
        total += np.int64(sums[at, phase])
    for phase in range(N_PLACES):
        points = np.int64(sums[at, phase]) if phase != TOTAL else total
        unit = out_units[at, phase]
        unit[0] += points
        unit[1] += points * points
        unit[2] += points * n_deals


@kernel
def add_unit(rules, n_deals, game, counts):
    """Count a finished unit's points, for intervals that know that its deals belong together."""
    counts.unit_deals[0] += 1
    counts.unit_deals[1] += n_deals
    counts.unit_deals[2] += n_deals * n_deals
    for at in range(rules.players):
        _add_sums(game.role_sums, at, n_deals, counts.units)
        _add_sums(game.seat_sums, at, n_deals, counts.seat_units)


@kernel
def add_game(rules, deal, game, counts):
    """Count a finished game, and add it to its match; returns the winning side and the class of the win."""
    winner = game_winner(rules, deal)
    kind = win_class(rules, deal.scores, winner)
    value, margin = rules.values[kind], lead_of(rules, deal.scores, winner)
    counts.margins[min(margin, len(counts.margins) - 1)] += 1
    counts.margin_sums[0] += margin
    counts.margin_sums[1] += margin * margin
    counts.lengths[min(deal.step + 1 - game.first_step, len(counts.lengths) - 1)] += 1
    counts.first_dealer_wins[0] += side_of(game.first_dealer, rules.sides) == winner
    for seat in range(rules.players):
        if side_of(seat, rules.sides) == winner:
            counts.turn_wins[role_of(game.first_dealer, seat, rules.players)] += 1
            counts.wins[seat] += 1
            counts.game_points[seat, 0] += value
            counts.game_points[seat, 1] += value * value
            counts.skunks[seat, kind] += 1
    game.n_games += 1
    game.wins[winner] += 1
    game.value[winner] += value
    return winner, kind


@kernel
def add_match(rules, n_deals, game, winner, counts):
    """Count a finished match of so many deals. winner: the side."""
    n = game.n_games
    counts.match_games[3] += n * n_deals
    counts.match_games[0] += 1
    counts.match_games[1] += n
    counts.match_games[2] += n * n
    for seat in range(rules.players):
        side = side_of(seat, rules.sides)
        counts.match_wins[seat] += side == winner
        for what in range(2):
            sums, value = counts.match_units[seat, what], game.wins[side] if what == 0 else game.value[side]
            sums[0] += value
            sums[1] += value * value
            sums[2] += value * n
