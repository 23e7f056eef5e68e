"""The batch engine: plays many deals, or games, in lockstep, and asks the strategies through views.

A batch is a table of slots. Each round plays one deal in every slot: deal, discard, cut, play, show; then finished
units (a deal, or a game) give their slot to the next number. The loop over rounds is compiled and calls compiled
strategies through typed function pointers; called as plain Python it is the same loop for strategies of any kind.
The engine knows no strategy and adds nothing up: it hands each round's finished deals to `counting`.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from cribsim._jit import kernel
from cribsim.cards import NO_CARD
from cribsim.counting import add_deals, add_game, add_match, add_unit
from cribsim.deals import REDRAWN, award, n_throws, role_of, role_seat, side_of
from cribsim.given import MOST_REDRAWN, deal_given, holds
from cribsim.house import house_crib, house_hand, house_heels
from cribsim.matches import first_dealer, match_winner, next_dealer
from cribsim.pegging import EMPTY_HAND, NOBODY, card_at, highest_rank, start_play
from cribsim.rule_record import MAX_PLAYERS, RULES
from cribsim.rules import HEELS_POINTS
from cribsim.scoring import JACK, show_sorted
from cribsim.streams import DISCARD_PLACE, choice_key, deal_cards, decision_key, draw_places
from cribsim.table import END, FIRST, GAVE_UP, LIVE, NEXT, ROUNDS, SEAT, SLOT, STAGE, Seats, new_table
from cribsim.tally import CRIB, HAND, HEELS, N_PLACES, empty_counts
from cribsim.turns import play_on, show_play
from cribsim.views import DISCARD_ANSWER, GUESS, PLAY_ANSWER, THROWN_2, THROWN_2_OF_5

_NETWORK_6 = np.array([(0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)])
_NETWORK_5 = np.array([(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)])


@kernel
def _order_rows(low, high, n):
    """Of two rows of cards, put the lower of each column into the first."""
    for i in range(n):
        a, b = low[i], high[i]
        low[i] = min(a, b)
        high[i] = max(a, b)


@kernel
def sort_hands(rules, cards, n):
    """Sort every dealt hand by a network of exchanges, a whole row of cards at a time. cards: uint8[24, n]."""
    network = _NETWORK_6 if rules.n_dealt == 6 else _NETWORK_5
    for role in range(rules.players):
        at = role * rules.n_dealt
        for k in range(len(network)):
            _order_rows(cards[at + network[k, 0]], cards[at + network[k, 1]], n)


@kernel
def begin_deals(seed, rules, table, live):
    """Shuffle and deal every slot's next deal."""
    numbers, steps, cards = table.numbers, table.steps, table.cards
    for i in range(live):
        numbers[i] = table.deals[i].number
        steps[i] = table.deals[i].step
    if table.given[0].n_pack > 0:
        deal_given(seed, rules, table.given, numbers, steps, live, cards)
    else:
        draw_places(seed, numbers, steps, live, rules.n_cards, table.words, table.low, table.places)
        deal_cards(table.places, live, rules.n_cards, table.moved, cards)
    sort_hands(rules, cards, live)
    for i in range(live):
        deal = table.deals[i]
        deal.key = choice_key(seed, deal.number, deal.step)
        deal.starter = cards[rules.n_cards - 1, i]
        deal.crib = np.int64(cards[15, i]) << 24 if rules.players == 3 else 0  # the card from the pack
        for seat in range(MAX_PLAYERS):
            deal.hands[seat] = EMPTY_HAND
            for phase in range(N_PLACES):
                deal.points[seat, phase] = 0


@kernel
def show_discards(rules, seat, deals, cards, out_views):
    """Fill the views of one seat's discards. cards: the rows of `Table.cards`."""
    players, n_dealt, n_thrown, in_game = rules.players, rules.n_dealt, rules.n_thrown, rules.in_game
    for i in range(len(deals)):
        deal, view = deals[i], out_views[i]
        role = role_of(np.int64(deal.dealer), seat, players)
        view.key = decision_key(deal.key, role, DISCARD_PLACE)
        view.seat, view.role = seat, role
        view.dealer, view.players = deal.dealer, players
        view.n_cards, view.n_thrown = n_dealt, n_thrown
        row = role * n_dealt
        for k in range(5):
            view.cards[k] = cards[np.uint64(row + k), np.uint64(i)]
        view.cards[5] = cards[np.uint64(row + 5), np.uint64(i)] if n_dealt == 6 else NO_CARD
        if in_game:
            for other in range(players):
                view.scores[other] = deal.scores[side_of(other, rules.sides)]


@kernel
def take_discards(rules, seat, views, answers, deals):
    """Carry out one seat's discards; return the first slot with an illegal answer, or NOBODY."""
    n_thrown, six = rules.n_thrown, rules.n_dealt == 6
    n_answers = n_throws(rules.n_dealt, n_thrown)
    for i in range(len(deals)):
        answer = answers[i]
        if answer < 0 or answer >= n_answers:
            return i
        deal, view = deals[i], views[i]
        hand = 0
        for k in range(6):
            hand |= np.int64(view.cards[k]) << (8 * k)
        if six:
            first, second = THROWN_2[answer, 0], THROWN_2[answer, 1]
        elif n_thrown == 2:
            first, second = THROWN_2_OF_5[answer, 0], THROWN_2_OF_5[answer, 1]
        else:
            first, second = answer, 5
        thrown = card_at(hand, first)
        deal.thrown[seat] = thrown | card_at(hand, second) << 8
        deal.kept[seat] = _without(_without(hand, second), first)
        deal.hands[seat] = deal.kept[seat]
        if n_thrown == 2:
            deal.crib |= (thrown | card_at(hand, second) << 8) << (16 * np.int64(view.role))
        else:
            deal.crib |= thrown << (8 * np.int64(view.role))
    return NOBODY


@kernel
def force_answers(given, seat, views, answers):
    """Put the answer that is given in place of the strategy's, where it has nothing to choose."""
    for i in range(len(views)):
        forced = given[0].forced[np.uint64(views[i].role)]
        answers[i] = forced if forced >= 0 else answers[i]


@kernel
def redraw(rules, given, deals):
    """Mark the deals in which a player kept or threw otherwise than given, to be drawn anew."""
    for i in range(len(deals)):
        deal = deals[i]
        for role in range(rules.players):
            seat = np.uint64(role_seat(np.int64(deal.dealer), role, rules.players))
            kept = holds(deal.kept[seat], rules.n_kept, given[0].kept[role])
            if not kept or not holds(np.int64(deal.thrown[seat]), rules.n_thrown, given[0].thrown[role]):
                deal.winner = REDRAWN


@kernel(inline=True)
def _without(hand, position):
    below = (1 << (8 * position)) - 1
    return hand & below | hand >> 8 & ~below


@kernel(inline=True)
def _peg_heels(rules, deal, dealer):
    return award(deal, rules, dealer, HEELS, HEELS_POINTS) if rules.is_plain else house_heels(rules, deal)


@kernel
def cut_starters(rules, deals, views, waiting, n_waiting):
    """Turn the starters, peg heels, and turn the table to the pone's lead."""
    for seat in range(MAX_PLAYERS):
        n_waiting[seat] = 0
    for i in range(len(deals)):
        deal = deals[i]
        dealer, starter = np.int64(deal.dealer), np.int64(deal.starter)
        start_play(views[i], dealer, rules.players, rules.n_kept, starter)
        if deal.winner == REDRAWN:
            continue
        if starter >> 2 == JACK and _peg_heels(rules, deal, dealer):
            continue
        seat = role_seat(dealer, 0, rules.players)
        show_play(rules, deal, seat, views[i])
        waiting[seat, n_waiting[seat]] = i
        n_waiting[seat] += 1


@kernel
def take_plays(rules, seat, answers, asked, deals, views, waiting, n_waiting, guesses):
    """Carry out one seat's plays and queue the slots whose next choice is whose; return an illegal slot or NOBODY."""
    for k in range(len(asked)):
        i = np.uint64(asked[k])
        deal, view, position = deals[i], views[i], answers[i]
        if position >= GUESS:
            position -= GUESS
            guesses[np.uint64(seat)] += 1
        if position & ~3 or card_at(deal.hands[np.uint64(seat)], position) >> 2 > highest_rank(np.int64(view.count)):
            return np.int64(i)
        following = play_on(rules, deal, view, seat, position)
        if following != NOBODY:
            queue = np.uint64(following)
            waiting[queue, np.uint64(n_waiting[queue])] = i
            n_waiting[queue] += 1
    return NOBODY


@kernel(inline=True)
def _show_hand(four, starter):
    return show_sorted(card_at(four, 0), card_at(four, 1), card_at(four, 2), card_at(four, 3), starter, 0)


@kernel(inline=True)
def _show_crib(four, starter, flush_needs_five):
    a, b, c, d = card_at(four, 0), card_at(four, 1), card_at(four, 2), card_at(four, 3)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    return show_sorted(a, min(b, c), max(b, c), d, starter, flush_needs_five)


@kernel
def show_hands(rules, deals):
    """Count the hands from the pone's round to the dealer's, then the crib, until somebody is out."""
    for i in range(len(deals)):
        deal = deals[i]
        dealer, starter = np.int64(deal.dealer), np.int64(deal.starter)
        for role in range(rules.players):
            if deal.winner == NOBODY:
                seat = role_seat(dealer, role, rules.players)
                if rules.is_plain:
                    award(deal, rules, seat, HAND, _show_hand(deal.kept[seat], starter))
                else:
                    house_hand(rules, deal, role, seat)
        if deal.winner == NOBODY and rules.is_plain:
            award(deal, rules, dealer, CRIB, _show_crib(deal.crib, starter, rules.crib_flush == 5))
        elif deal.winner == NOBODY:
            house_crib(rules, deal)


@kernel
def _start_game(rules, dealer, deal, game):
    """Set the scores for a game that begins with the slot's next deal."""
    deal.dealer = dealer
    deal.winner = NOBODY
    deal.called = 0
    game.first_dealer = dealer
    game.first_step = deal.step
    for side in range(MAX_PLAYERS):
        deal.scores[side] = 0
    if rules.in_game and rules.head_start:
        deal.scores[side_of(role_seat(dealer, 0, rules.players), rules.sides)] = rules.head_start


@kernel
def _clear_game(game):
    """Begin to add up a unit."""
    game.n_games = 0
    for seat in range(MAX_PLAYERS):
        game.wins[seat] = 0
        game.value[seat] = 0
        for phase in range(N_PLACES):
            game.seat_sums[seat, phase] = 0
            game.role_sums[seat, phase] = 0


@kernel
def _start_unit(seed, rules, number, deal, game):
    deal.number = number
    deal.step = 0
    _start_game(rules, first_dealer(seed, rules, deal.number, 0), deal, game)
    if rules.in_game:
        _clear_game(game)


@kernel
def _end_game(seed, rules, deal, game, counts):
    """Count a finished game; the side that has won its unit, or NOBODY: then the next game of the match begins."""
    winner, kind = add_game(rules, deal, game, counts)
    if rules.match == 0 and rules.match_games == 0:
        return winner
    winner = match_winner(rules, game, winner, kind)
    if winner != NOBODY:
        add_match(rules, deal.step + 1, game, winner, counts)
        return winner
    dealer = next_dealer(seed, rules, deal, game.n_games)
    deal.step += 1
    _start_game(rules, dealer, deal, game)
    return NOBODY


@kernel
def _tell_outcome(rules, deal, game, winner, out_outcome):
    """Write down a finished unit."""
    out_outcome.n_deals = deal.step + 1
    out_outcome.winner = winner
    out_outcome.first_dealer = game.first_dealer
    for seat in range(rules.players):
        out_outcome.scores[seat] = deal.scores[seat]
        out_outcome.value[seat] = game.value[seat]
        for phase in range(N_PLACES):
            points = game.seat_sums[seat, phase] if rules.in_game else np.int64(deal.points[seat, phase])
            out_outcome.points[seat, phase] = points


@kernel
def next_units(seed, rules, table, state, counts):
    """Settle the last round's finished units, give their slots to the next numbers; return the slots in use."""
    deals, games, slot, live = table.deals, table.games, 0, state[LIVE]
    while slot < live:
        deal, winner = deals[slot], NOBODY
        if deal.winner == REDRAWN and deal.step < MOST_REDRAWN:
            deal.step += 1
            deal.winner = NOBODY
            slot += 1
            continue
        if deal.winner == REDRAWN:
            state[STAGE] = GAVE_UP
            return 0
        if rules.in_game:
            if deal.winner == NOBODY:
                deal.step += 1
                deal.dealer = deal.dealer + 1 if deal.dealer + 1 < rules.players else 0
            else:
                winner = _end_game(seed, rules, deal, games[slot], counts)
            if winner == NOBODY:
                slot += 1
                continue
        # here, not in a kernel of its own: all of the counts handed over once a deal cost a tenth of the whole run
        if rules.in_game:
            add_unit(rules, deal.step + 1, games[slot], counts)
        if len(table.outcomes):
            _tell_outcome(rules, deal, games[slot], winner, table.outcomes[np.int64(deal.number) - state[FIRST]])
        if state[NEXT] < state[END]:
            _start_unit(seed, rules, state[NEXT], deal, games[slot])
            state[NEXT] += 1
            slot += 1
        else:
            live -= 1
            deals[slot] = deals[live]
            games[slot] = games[live]
    while live < len(deals) and state[NEXT] < state[END]:
        _start_unit(seed, rules, state[NEXT], deals[live], games[live])
        state[NEXT] += 1
        live += 1
    state[LIVE] = live
    return live


_COUNTS = numba.typeof(empty_counts(narrow=True))
_TABLE = numba.typeof(new_table(1, 1))
_SEATS = numba.typeof(Seats(*((np.zeros(1, kind),) * 4 for kind in (np.float64, np.uint8, np.float64, np.uint8))))
_DISCARD, _PLAY = types.FunctionType(DISCARD_ANSWER), types.FunctionType(PLAY_ANSWER)
_RULES = numba.from_dtype(RULES)
_ROUNDS = types.void(types.uint64, _RULES, _TABLE, _COUNTS, _SEATS, *[_DISCARD] * 4, *[_PLAY] * 4, types.int64[::1])


@kernel(signature=_ROUNDS)
def play_rounds(seed, rules, table, counts, seats, d0, d1, d2, d3, p0, p1, p2, p3, state):
    """Play rounds until none is left to play, every number is played, or an answer is illegal (see `state`)."""
    discards, plays = (d0, d1, d2, d3), (p0, p1, p2, p3)
    is_given = table.given[0].n_pack > 0
    while state[ROUNDS] > 0 and next_units(seed, rules, table, state, counts) > 0:
        live = state[LIVE]
        deals, discard_views = table.deals[:live], table.discards[:live]
        begin_deals(seed, rules, table, live)
        state[STAGE] = 1
        for seat in range(rules.players):
            state[SEAT] = seat
            show_discards(rules, seat, deals, table.cards, discard_views)
            discards[seat](
                table.discards,
                table.everyone[:live],
                seats.discard_params[seat],
                seats.discard_tables[seat],
                table.answers,
            )
            if is_given:
                force_answers(table.given, seat, discard_views, table.answers)
            state[SLOT] = take_discards(rules, seat, discard_views, table.answers, deals)
            if state[SLOT] != NOBODY:
                return
        if is_given:
            redraw(rules, table.given, deals)
        now = 0
        cut_starters(rules, deals, table.plays, table.waiting[now], table.n_waiting[now])
        state[STAGE] = 2
        while table.n_waiting[now].any():
            table.n_waiting[1 - now, :] = 0
            for seat in range(rules.players):
                asked = table.waiting[now, seat, : table.n_waiting[now, seat]]
                if len(asked):
                    state[SEAT] = seat
                    plays[seat](table.plays, asked, seats.play_params[seat], seats.play_tables[seat], table.answers)
                    state[SLOT] = take_plays(
                        rules,
                        seat,
                        table.answers,
                        asked,
                        table.deals,
                        table.plays,
                        table.waiting[1 - now],
                        table.n_waiting[1 - now],
                        counts.guesses,
                    )
                    if state[SLOT] != NOBODY:
                        return
            now = 1 - now
        show_hands(rules, deals)
        add_deals(rules, deals, table.games, counts)
        state[ROUNDS] -= 1
