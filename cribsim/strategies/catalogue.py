"""The strategies that ship: names, parameters, and how each is made ready for rules."""

from __future__ import annotations

import functools

import numpy as np

from cribsim.errors import PlayerError
from cribsim.rules import Rules
from cribsim.strategies.base import DISCARD, PLAY, Bound, Half
from cribsim.strategies.equilibrium_play import BEST, equilibrium_of, solution_file
from cribsim.strategies.expectimax import expectimax_discard, expectimax_memory
from cribsim.strategies.expectimax_play import REPLIES, expectimax_play
from cribsim.strategies.greedy import greedy_aimed_play, greedy_discard, greedy_play
from cribsim.strategies.heuristic import heuristic_discard, heuristic_play
from cribsim.strategies.house_throws import expectimax_house_discard, greedy_house_discard, house_params
from cribsim.strategies.montecarlo import montecarlo_discard
from cribsim.strategies.montecarlo_play import montecarlo_play
from cribsim.strategies.objective import OBJECTIVES, PLAIN, POINTS, Aim, aim_of, without_aim
from cribsim.strategies.random import random_discard, random_play
from cribsim.strategies.registry import ALL_RULES, Definition, Parameter, register
from cribsim.strategies.table import equilibrium, policy_file, table_of
from cribsim.strategies.tables import PEGGING_TABLES, crib_file, crib_table, pegging_points
from cribsim.strategies.throws import exact_discard, throw_model

_TWO = (2,)
_PEGGING = (False, True, *PEGGING_TABLES)
_SOLUTION = "best: what `cribsim solve pegging` wrote, else what ships; shipped; or a folder of it"
_PEGGING_ABOUT = "whether what the kept cards peg counts, or by whose play; true: equilibrium (two players)"


def _aim(rules: Rules, objective: str) -> Aim:
    return PLAIN if objective == POINTS else aim_of(rules)


def _greedy(rules: Rules, objective: str) -> Bound:
    aim, partners = _aim(rules, objective), bool(rules.teams)
    if aim.is_plain and rules.n_kept == 4:
        return Bound(greedy_discard, np.array([float(partners)]))
    return Bound(greedy_house_discard, house_params(aim, partners=partners))


def _greedy_play(rules: Rules, objective: str) -> Bound:
    aim = _aim(rules, objective)
    return Bound(greedy_play) if aim.is_plain else Bound(greedy_aimed_play, np.array([aim.sign, aim.target], float))


@functools.lru_cache(maxsize=32)
def _expectimax_by_table(cribs: bytes, pegging: bool | str, partners: bool) -> Bound:
    pegged = pegging_points(pegging) if pegging else None
    return Bound(expectimax_discard, *expectimax_memory(np.frombuffer(cribs).reshape(2, -1), pegged, partners))


def _expectimax(rules: Rules, table: str, crib: str, pegging: bool | str, objective: str) -> Bound:
    aim, partners = _aim(rules, objective), bool(rules.teams)
    standard = aim.is_plain and rules.n_kept == 4
    if (rules.players != 2 or not standard) and (pegging or crib == "exact"):
        raise PlayerError(
            "expectimax: pegging=true and crib=exact are known for two players with six cards and plain points only "
            "(no lowball, exact_out)"
        )
    if not standard:
        params = [house_params(aim, partners=partners), np.round(100 * crib_table(table).ravel(), 6)]
        return Bound(expectimax_house_discard, np.concatenate(params))
    if crib == "exact":
        return exact_discard(throw_model("equilibrium", rules), pegging_points(pegging))
    return _expectimax_by_table(crib_table(table).tobytes(), pegging, partners)


def _montecarlo(rules: Rules, samples: int, discards: Half, pegging: bool | str, objective: str) -> Bound:
    if pegging and rules.players != 2:
        raise PlayerError("montecarlo: pegging=true is known for two players only")
    pegged = pegging_points(pegging) if pegging else np.zeros((2, 0))
    model = throw_model(discards, without_aim(rules) if objective == POINTS else rules)
    return montecarlo_discard(rules, model, samples, pegged, _aim(rules, objective).sign)


def _heuristic(rules: Rules, objective: str, **weights: float) -> Bound:
    sign, partners = _aim(rules, objective).sign, bool(rules.teams)
    return Bound(heuristic_discard, np.array([float(sign), float(partners), *weights.values()]))


def _heuristic_play(rules: Rules, objective: str, **weights: float) -> Bound:
    return Bound(heuristic_play, np.array([float(_aim(rules, objective).sign), *weights.values()]))


def _expectimax_play(
    rules: Rules, depth: int, reply: str, ends: int, discards: Half, others: float, objective: str
) -> Bound:
    return expectimax_play(rules, discards, depth, reply, ends, others, _aim(rules, objective))


def _montecarlo_play(rules: Rules, samples: int, rollout: Half, discards: Half, others: float, objective: str) -> Bound:
    known = without_aim(rules) if objective == POINTS else rules
    return montecarlo_play(known, discards, samples, rollout, others, aim_of(known).sign)


def _weight(default: float, about: str) -> Parameter:
    return Parameter(default, float, about, -100, 100)


_OBJECTIVE = Parameter("rules", OBJECTIVES, "as the rules say (lowball, exact_out), or points whatever they say")
_OTHERS = Parameter(1.0, float, "what a point of the others counts against one of one's own side", 0, 1)

_HEURISTIC = {
    "objective": _OBJECTIVE,
    "keep_run": _weight(0.5, "for neighbours kept, one or two ranks apart"),
    "keep_five": _weight(1.0, "for each five kept"),
    "keep_low": _weight(0.2, "for each card under five kept"),
    "keep_jack": _weight(0.2, "for each jack kept"),
    "throw_points": _weight(1.0, "for each point that the two thrown bring as they lie"),
    "throw_five": _weight(1.5, "for each five thrown"),
    "throw_near": _weight(0.6, "for two thrown one or two ranks apart"),
    "throw_suited": _weight(0.1, "for two of a suit thrown"),
    "throw_jack": _weight(0.2, "for each jack thrown"),
}

_HEURISTIC_PLAY = {
    "objective": _OBJECTIVE,
    "points": _weight(1.0, "for each point that the card scores"),
    "lead_low": _weight(0.6, "for leading a card under five"),
    "lead_pair": _weight(0.5, "for leading from a pair"),
    "lead_five": _weight(2.0, "against leading a five"),
    "leave_five": _weight(0.8, "against leaving a count of 5"),
    "leave_ten": _weight(0.8, "against leaving a count of 21"),
    "leave_near": _weight(0.4, "against a card one or two ranks from the last that scores nothing"),
    "high_first": _weight(0.05, "for each pip, so that small cards stay for the end"),
    "to_thirty": _weight(0.3, "for a count of 28 or more"),
}

_ALL = (
    Definition(
        "random",
        DISCARD,
        lambda rules: Bound(random_discard),
        about="any throw, with the same chance",
        knows=ALL_RULES,
    ),
    Definition(
        "random",
        PLAY,
        lambda rules: Bound(random_play),
        about="any card that fits, with the same chance",
        knows=ALL_RULES,
    ),
    Definition(
        "greedy",
        DISCARD,
        _greedy,
        {"objective": _OBJECTIVE},
        about="most points in the four kept as they lie, plus or minus those in the thrown",
        knows=ALL_RULES,
    ),
    Definition(
        "greedy",
        PLAY,
        _greedy_play,
        {"objective": _OBJECTIVE},
        about="most points now; of equals the highest rank",
        knows=ALL_RULES,
    ),
    Definition(
        "expectimax",
        DISCARD,
        _expectimax,
        {
            "table": Parameter("schell", str, "average cribs: schell, hessel, fixed, or a .csv file", file=crib_file),
            "crib": Parameter("table", ("table", "exact"), "table, or exact against equilibrium (0.1 s a throw)"),
            "pegging": Parameter(False, _PEGGING, _PEGGING_ABOUT),
            "objective": _OBJECTIVE,
        },
        about="exact average over the starters, plus or minus the average crib",
        knows=ALL_RULES,
    ),
    Definition(
        "expectimax",
        PLAY,
        _expectimax_play,
        {
            "depth": Parameter(2, int, "1: best reply; 2: and one's best play after it; from 3 open hands", 1, 7),
            "reply": Parameter("best", REPLIES, "how the other replies: best for himself, or greedily"),
            "ends": Parameter(3, int, "with so many cards left in both hands it looks to the end (two players)", 0, 8),
            "discards": Parameter("equilibrium", DISCARD, "by which the other keeps his cards (two players)"),
            "others": _OTHERS,
            "objective": _OBJECTIVE,
        },
        about="a card's points less the expected best reply, exactly",
        knows=frozenset({"lowball", "exact_out"}),
    ),
    Definition(
        "montecarlo",
        DISCARD,
        _montecarlo,
        {
            "samples": Parameter(200, int, "draws of the others' cards and the starter", 1, 10**9),
            "discards": Parameter("expectimax", DISCARD, "how the others throw"),
            "pegging": Parameter(False, _PEGGING, _PEGGING_ABOUT),
            "objective": _OBJECTIVE,
        },
        about="the others' cards and the starter drawn many times; what falls behind is dropped",
        knows=frozenset({"lowball"}),
    ),
    Definition(
        "montecarlo",
        PLAY,
        _montecarlo_play,
        {
            "samples": Parameter(200, int, "draws of the others' hands", 1, 10**7),
            "rollout": Parameter("greedy", PLAY, "who plays on from there; others than greedy are slow"),
            "discards": Parameter("equilibrium", DISCARD, "by which the other keeps his cards (two players)"),
            "others": _OTHERS,
            "objective": _OBJECTIVE,
        },
        about="the others' hands drawn many times, each card tried on all of them",
        knows=frozenset({"lowball"}),
    ),
    Definition(
        "equilibrium",
        DISCARD,
        lambda rules, pegging: equilibrium(pegging),
        {"pegging": Parameter(True, bool, "whether what the kept cards peg counted when it was solved")},
        _TWO,
        about="best against itself, hand, crib and pegging; a table of all hands",
    ),
    Definition(
        "equilibrium",
        PLAY,
        lambda rules, solution: equilibrium_of(solution),
        {"solution": Parameter(BEST, str, _SOLUTION, file=solution_file)},
        _TWO,
        about="near-Nash play by ranks, solved; draws by its chances",
    ),
    Definition(
        "table",
        DISCARD,
        lambda rules, file: table_of(file),
        {"file": Parameter(None, str, "a Parquet file of `cribsim discard --all`, or its folder", file=policy_file)},
        _TWO,
        about="the throws in a file",
    ),
    Definition(
        "heuristic",
        DISCARD,
        _heuristic,
        _HEURISTIC,
        about="rules of thumb with weights",
        knows=frozenset({"lowball"}),
    ),
    Definition(
        "heuristic",
        PLAY,
        _heuristic_play,
        _HEURISTIC_PLAY,
        about="what players teach, with weights",
        knows=frozenset({"lowball", "cards"}),
    ),
)
for _definition in _ALL:
    register(_definition)
