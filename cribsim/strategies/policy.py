"""Policies: what a discard strategy throws of every hand, in one array.

A policy is uint8, an answer for each hand in colexicographic order: 20,358,520 hands of six cards, or 2,598,960 of
five. It belongs to one role, to a score of 0 to 0, and to a strategy that draws nothing at random.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim._jit import data_folder, kernel
from cribsim.cards import NO_CARD
from cribsim.errors import PlayerError, StrategyError
from cribsim.hands import N_CLASSES, class_hands, hand_at, n_hands, next_hand
from cribsim.rules import Rules
from cribsim.scoring import MAX_SHOW
from cribsim.strategies.base import DISCARD, Bound, Half, fault_text, view_text
from cribsim.strategies.classes import class_discard, spread_classes
from cribsim.strategies.spec import is_word
from cribsim.views import DISCARD_VIEW, empty_views, thrown_positions
from cribsim.work import share_out

Policy = NDArray[np.uint8]
_BLOCK = 1 << 16
_TRIED = 1 << 13
"""Hands that are asked twice, with other random keys, to see whether a strategy draws; fewer if it isn't compiled."""
_PATIENCE, _MOST_SECONDS = 2.0, 3600.0
"""Seconds for finding out how long a throw takes; what all may take."""


@kernel
def _fill_hands(cards, n_cards, views):
    """Put hand after hand into the views. cards: int64[8], the first hand, sorted, with 52 behind; left at the next."""
    for i in range(len(views)):
        for place in range(n_cards):
            views[i].cards[place] = cards[place]
        next_hand(cards)


def _blank_views(n: int, role: int, rules: Rules) -> NDArray[Any]:
    """Views of discards in this role at the start of a game."""
    views = empty_views(DISCARD_VIEW, n)
    views["cards"] = NO_CARD
    views["n_cards"], views["n_thrown"] = rules.n_dealt, rules.n_thrown
    views["players"], views["role"] = rules.players, role
    views["dealer"], views["seat"] = rules.players - 1, role
    return views


def _ask(bound: Bound, views: NDArray[Any]) -> NDArray[np.int64]:
    answers = np.full(len(views), -1, np.int64)
    try:
        bound.answer(views, np.arange(len(views), dtype=np.int32), bound.params, bound.table, answers)
    except Exception as error:
        raise StrategyError(f"it {fault_text(error)}; the first hand asked about: {view_text(views[0])}") from error
    return answers


def _ask_block(bound: Bound, role: int, rules: Rules, out: Policy, first: int) -> None:
    """Ask for the hands from `first` on, as many as a block holds."""
    block = out[first : first + _BLOCK]
    views = _blank_views(len(block), role, rules)
    _fill_hands(hand_at(first, rules.n_dealt), rules.n_dealt, views)
    block[:] = _check_answers(_ask(bound, views), rules)


def _check_answers(answers: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    n_answers = len(thrown_positions(rules.n_dealt, rules.n_thrown))
    wrong = answers[(answers < 0) | (answers >= n_answers)]
    if len(wrong):
        raise PlayerError(f"it answered {wrong[0]}; wanted: the index of a throw, 0 to {n_answers - 1}")
    return answers


def _draws(bound: Bound, role: int, rules: Rules) -> bool:
    """Whether throws hang on the random key."""
    views = _tried_views(_TRIED if bound.compiled else _TRIED // 16, role, rules)
    again = views.copy()
    again["key"] = np.random.default_rng(1).integers(1 << 64, size=len(views), dtype=np.uint64)
    return not np.array_equal(_ask(bound, views), _ask(bound, again))


def _tried_views(n: int, role: int, rules: Rules) -> NDArray[Any]:
    """Hands of all kinds: a share of them drawn among few ranks, so that what is rare comes up."""
    rng, views = np.random.default_rng(0), _blank_views(n, role, rules)
    n_ranks = rng.choice([2, 3, 5, 13, 13], n)
    for view, ranks in zip(views, n_ranks, strict=True):
        pack = np.repeat(rng.permutation(13)[:ranks] * 4, 4) + np.tile(np.arange(4), ranks)
        view["cards"][: rules.n_dealt] = np.sort(rng.permutation(pack)[: rules.n_dealt])
    return views


def _refuse_slow(bound: Bound, role: int, rules: Rules) -> None:
    """Say at once that a strategy can't be asked about every hand in a time that anybody would wait."""
    views = _tried_views(64, role, rules)
    _ask(bound, views[:1])  # what must be compiled or read first isn't counted
    began, n_asked = time.perf_counter(), 0
    while n_asked < len(views) and time.perf_counter() - began < _PATIENCE:
        _ask(bound, views[n_asked : n_asked + 1])
        n_asked += 1
    each = (time.perf_counter() - began) / n_asked
    n = n_hands(rules.n_dealt) if bound.compiled else N_CLASSES[rules.n_dealt]
    if each * n > _MOST_SECONDS:
        raise PlayerError(
            f"it takes {each:.2g} s a throw; asked about all {n:,} hands it would need {each * n / 3600:,.0f} hours"
        )


def is_uniform(half: Half) -> bool:
    """Whether a strategy throws any cards with the same chance."""
    return half.text == "random" and half.source == "built in"


def policy_of(half: Half, role: int, rules: Rules | None = None) -> Policy:
    """What a discard strategy throws of every hand in a role (0 the pone, players - 1 the dealer).

    Of the rules (None: the standard game) only those count that throws can hang on at the start of a game.

    A compiled strategy is asked about every hand; one in Python about a hand of each class, and the answer is carried
    over to the hands that differ only by names of suits. Policies are held while the strategy stays what it is.

    Raises
    ------
    PlayerError
        The strategy draws at random, so no array can hold what it does; or it is too slow to be asked about every hand.
    StrategyError
        It raised.
    """
    return _held(half, half.state, role, _for_throws(rules or Rules()))


def _for_throws(rules: Rules) -> Rules:
    """The rules that differ only where throws do at no score: others share one policy. Exact count-out is felt there
    only where a hand may pass the target."""
    asked = ["players", "teams", "cards", "lowball", "crib_flush"]
    asked += ["exact_out", "target"] if rules.exact_out and rules.target < MAX_SHOW else []
    return Rules(**{name: getattr(rules, name) for name in asked})


@functools.lru_cache(maxsize=12)
def _held(half: Half, _state: tuple[Any, ...], role: int, rules: Rules) -> Policy:
    return _made_or_kept(half, role, rules)


def _made_or_kept(half: Half, role: int, rules: Rules) -> Policy:
    folder = data_folder()
    if folder is None or half.source != "built in" or not is_word(half.text):
        return _made(half, role, rules)
    usual = Rules(players=rules.players).as_dict()
    unlike = "".join(f"-{name}-{value}" for name, value in rules.as_dict().items() if value != usual[name])
    # a name alone means the same until the package changes, and then the folder is another
    return _kept(folder / f"policy-{half.text}-{role}-of-{rules.players}{unlike}.npy", half, role, rules)


def _made(half: Half, role: int, rules: Rules) -> Policy:
    bound = half.ready(rules)
    if bound.answer is class_discard:
        return spread_classes(bound.table.reshape(2, -1)[role])
    try:
        if not is_uniform(half):
            _refuse_slow(bound, role, rules)
        if _draws(bound, role, rules):
            raise PlayerError("it draws its throws at random, so no table of throws can stand for it")
        return _ask_all(bound, role, rules) if bound.compiled else _ask_classes(bound, role, rules)
    except (PlayerError, StrategyError) as error:
        raise type(error)(f"{half.text} ({DISCARD}): {error}") from None


def _kept(path: Path, half: Half, role: int, rules: Rules) -> Policy:
    """The policy as it was kept on disk, or made and kept. Another process may be doing the same."""
    with contextlib.suppress(OSError, ValueError, EOFError):
        held: Policy = np.load(path, mmap_mode="c")
        if held.shape == (n_hands(rules.n_dealt),):
            return held
    policy = _made(half, role, rules)
    with contextlib.suppress(OSError):
        draft = path.with_name(f"{path.stem}-{os.getpid()}-{threading.get_ident()}.npy")
        np.save(draft, policy)
        draft.replace(path)
    return policy


def _ask_all(bound: Bound, role: int, rules: Rules) -> Policy:
    out = np.empty(n_hands(rules.n_dealt), np.uint8)
    list(share_out(lambda first: _ask_block(bound, role, rules, out, first), range(0, len(out), _BLOCK)))
    return out


def _ask_classes(bound: Bound, role: int, rules: Rules) -> Policy:
    hands = class_hands(rules.n_dealt)
    views = _blank_views(len(hands), role, rules)
    views["cards"][:, : rules.n_dealt] = hands
    return spread_classes(_check_answers(_ask(bound, views), rules).astype(np.uint8), rules.n_dealt)
