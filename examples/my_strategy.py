"""Two small strategies, to copy and change.

    cribsim compare examples/my_strategy.py:keep_fives+greedy expectimax+greedy --deals 100k
    cribsim compare expectimax+examples/my_strategy.py:low_lead expectimax+greedy --deals 100k

A card is an int: `card >> 2` is the rank (0 = ace, 12 = king), `card & 3` the suit. `docs/strategies.md` lists all that
a view holds.
"""

import cribsim

FIVE = 4


@cribsim.discard_strategy("keep-fives", players=2)
def keep_fives(view):
    """Never throw a five; of the others throw the two highest."""
    others = [position for position in range(6) if view.cards[position] >> 2 != FIVE]
    return others[-2], others[-1]


@cribsim.pegging_strategy("low-lead", jit=True)
def low_lead(view):
    """Lead the highest card under a five, which no card makes fifteen; otherwise take the most points now."""
    best, most = view.n_cards - 1 if view.count == 0 else 0, -1
    for position in range(view.n_cards):
        rank = view.cards[position] >> 2
        if view.count == 0:
            if rank < FIVE:
                best = position
        elif view.count + min(rank + 1, 10) <= 31:
            points = view.gains >> (4 * rank) & 15  # what a card of this rank would score now
            if points >= most:
                best, most = position, points
    return best
