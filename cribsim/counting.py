"""Counting finished deals and games into `tally.Counts`."""

from __future__ import annotations

import numpy as np

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.deals import REDRAWN, first_dealer_of, role_seat, side_of
from cribsim.pegging import NOBODY
from cribsim.scoring import kept_index
from cribsim.tally import CRIB, N_PHASES, PEGGING, TOTAL


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
                for phase in range(N_PHASES):
                    games[i].role_sums[role, phase] += deal.points[seat, phase]
                    games[i].seat_sums[seat, phase] += deal.points[seat, phase]


@kernel
def add_unit(rules, n_deals, game, counts):
    """Count a finished game's points by role, for intervals that know that its deals belong together."""
    counts.unit_deals[0] += 1
    counts.unit_deals[1] += n_deals
    counts.unit_deals[2] += n_deals * n_deals
    for role in range(rules.players):
        total = 0
        for phase in range(TOTAL + 1):
            points = np.int64(game.role_sums[role, phase]) if phase < TOTAL else total
            total += points
            unit = counts.units[role, phase]
            unit[0] += points
            unit[1] += points * points
            unit[2] += points * n_deals


@kernel
def loser_score(rules, scores, winner):
    """The best score of those who lost."""
    best = -1
    for side in range(rules.sides):
        if side != winner:
            best = max(best, scores[side])
    return best


@kernel
def skunk_class(rules, score):
    """0 for a loser's plain defeat, 1 under the skunk line, 2 under the double skunk line."""
    return np.int64(score < rules.skunk) + np.int64(score < rules.skunk and score < rules.double_skunk)


@kernel
def game_value(rules, score):
    """Game points of a win over a loser with this score."""
    values = (rules.win_value, rules.skunk_value, rules.double_skunk_value)
    return values[skunk_class(rules, score)]


@kernel
def add_game(rules, deal, counts):
    """Count a finished game."""
    winner, first_dealer = np.int64(deal.winner), first_dealer_of(rules, deal.number)
    second = loser_score(rules, deal.scores, winner)
    value, margin = game_value(rules, second), rules.target - second
    counts.margins[min(margin, len(counts.margins) - 1)] += 1
    counts.margin_sums[0] += margin
    counts.margin_sums[1] += margin * margin
    counts.lengths[min(deal.step + 1, len(counts.lengths) - 1)] += 1
    counts.first_dealer_wins[0] += side_of(first_dealer, rules.sides) == winner
    for seat in range(rules.players):
        if side_of(seat, rules.sides) == winner:
            counts.wins[seat] += 1
            counts.game_points[seat, 0] += value
            counts.game_points[seat, 1] += value * value
            counts.skunks[seat, skunk_class(rules, second)] += 1
