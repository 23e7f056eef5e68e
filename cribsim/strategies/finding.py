"""From what a caller gives (text, a decorated function, a pair) to a player: `find_player`, `find_half`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cribsim.errors import PlayerError, cut, nearest, shown
from cribsim.rules import Rules
from cribsim.strategies.base import DISCARD, PLAY, STAGE_WORDS, Bound, Half, Player, check_miss
from cribsim.strategies.loading import Loaded, load
from cribsim.strategies.objective import POINTS, without_aim
from cribsim.strategies.registry import (
    STAGES,
    Definition,
    Parameter,
    definitions,
    find_definition,
    names,
    require_known,
)
from cribsim.strategies.spec import HalfSpec, PlayerSpec, parse_half, parse_player
from cribsim.strategies.user import Strategy

_OTHER = {DISCARD: PLAY, PLAY: DISCARD}
_ARTICLE = {DISCARD: "a discard", PLAY: "a pegging"}


def find_player(spec: str | Player | Half | Strategy | Sequence[Any]) -> Player:
    """The player that a text, a decorated function or a pair (discard, play) means.

    Parameters
    ----------
    spec
        Text such as `greedy`, `expectimax+greedy` or `mine.py:keep_fives+greedy`; a `Player`; a decorated function
        whose name stands for both halves; or a pair of texts, halves or decorated functions.

    Raises
    ------
    PlayerError
        A name, key or file that isn't known, or a half without its counterpart; the message says what to write.

    Examples
    --------
    >>> player = find_player("expectimax+greedy")
    >>> player.discard.text, player.play.text, str(player)
    ('expectimax', 'greedy', 'expectimax+greedy')
    """
    if isinstance(spec, Player):
        return spec
    if isinstance(spec, str):
        return _player_of_text(spec)
    if isinstance(spec, (tuple, list)):
        if len(spec) != 2:
            raise PlayerError(f"{shown(spec)}: a pair (discard, play) is wanted")
        return Player(find_half(spec[0], DISCARD), find_half(spec[1], PLAY))
    halves = {half.stage: half for half in find_halves(spec)}
    if len(halves) == 1:
        (half,) = halves.values()
        counterpart = find_definition(half.text, _OTHER[half.stage])
        if counterpart is None:
            raise _alone(half.text, half.stage)
        halves[_OTHER[half.stage]] = _make(counterpart, HalfSpec(half.text))
    return Player(halves[DISCARD], halves[PLAY])


def find_half(spec: str | HalfSpec | Half | Strategy, stage: str) -> Half:
    """Half a player for a stage, "discard" or "play".

    >>> find_half("greedy", "play").text
    'greedy'
    """
    if stage not in STAGES:
        raise PlayerError(f"stage {shown(stage)}: give {DISCARD!r} or {PLAY!r}")
    if isinstance(spec, str):
        spec = parse_half(spec)
    if isinstance(spec, HalfSpec):
        return _make(_definition(spec.ref, stage), spec)
    half = spec.half if isinstance(spec, Strategy) else spec
    if not isinstance(half, Half):
        raise _not_a_strategy(spec)
    if half.stage != stage:
        raise _wrong_stage(half.text, stage)
    return half


def find_halves(spec: Any) -> list[Half]:
    """All halves that something means: one or two."""
    if isinstance(spec, (Half, Strategy)):
        return [spec.half if isinstance(spec, Strategy) else spec]
    if isinstance(spec, (Player, tuple, list)):
        player = find_player(spec)
        return [player.discard, player.play]
    if not isinstance(spec, str):
        raise _not_a_strategy(spec)
    tree = parse_player(spec)
    for _, miss in tree.parameters:
        check_miss(miss)
    return _halves_of(tree)


def _halves_of(tree: PlayerSpec) -> list[Half]:
    if len(tree.halves) == 2:
        return [find_half(half, stage) for half, stage in zip(tree.halves, STAGES, strict=True)]
    return _bare_halves(tree.halves[0])


def _player_of_text(text: str) -> Player:
    tree = parse_player(text)
    halves = _halves_of(tree)
    if len(halves) == 1:
        raise _alone(halves[0].text, halves[0].stage)
    miss: Any = dict(tree.parameters).get("miss")
    return Player(halves[0], halves[1], miss=miss)


def _bare_halves(spec: HalfSpec) -> list[Half]:
    """The halves that have this name; each gets the parameters that it takes."""
    found = _definitions(spec.ref)
    if not found:
        raise _unknown(spec.ref)
    known = {key for item in found.values() for key in item.parameters}
    halves = []
    for stage in STAGES:
        if stage in found:
            item = found[stage]
            given = tuple((key, value) for key, value in spec.parameters if key in item.parameters or key not in known)
            halves.append(_make(item, HalfSpec(spec.ref, given)))
    return halves


def _definitions(ref: str) -> dict[str, Definition]:
    """By stage what a name means."""
    if ":" in ref:
        loaded, name = _split(ref)
        found = loaded.definitions(name)
        if not found and loaded.function(name):
            raise PlayerError(
                f"{ref} is a plain function; say which half it is: {ref}+greedy (discards) or greedy+{ref} (plays)"
            )
        if not found:
            raise loaded.missing(name)
        return {stage: _by_reference(item) for stage, item in found.items()}
    either = {stage: find_definition(ref, stage) for stage in STAGES}
    return {stage: item for stage, item in either.items() if item is not None}


def _definition(ref: str, stage: str) -> Definition:
    """What a name means in a stage."""
    if ":" in ref:
        loaded, name = _split(ref)
        function = loaded.function(name)
        if function is not None and not loaded.definitions(name):
            plain = Strategy(function, name, stage, jit=False, batch=False, players=(2, 3, 4))
            return _by_reference(plain.definition)
    found = _definitions(ref)
    if stage not in found:
        raise _wrong_stage(ref, stage) if found else _unknown(ref, stage)
    return found[stage]


def _split(ref: str) -> tuple[Loaded, str]:
    place, _, name = ref.rpartition(":")
    if not place or not name:
        raise PlayerError(f"{shown(ref)}: write file.py:name or package.module:name")
    return load(place), name


def _by_reference(item: Definition) -> Definition:
    return Definition(**{**item.__dict__, "by_name": True})


def _make(item: Definition, spec: HalfSpec) -> Half:
    """Half a player from its definition and the parameters given."""
    given = dict(spec.parameters)
    for key in given:
        _require_key(item, spec.ref, key, given)
    ordered = {key: given[key] for key in item.parameters if key in given}
    missing = [key for key, parameter in item.parameters.items() if parameter.default is None and key not in given]
    if missing:
        raise PlayerError(f"{spec.ref} needs {missing[0]}=, {item.parameters[missing[0]].about}")
    values = {key: parameter.default for key, parameter in item.parameters.items()}
    values |= {key: _read(item.parameters[key], value, f"{spec.ref}: {key}") for key, value in ordered.items()}
    values = {key: _as_half(item.parameters[key], value) for key, value in values.items()}
    inner = [value for value in values.values() if isinstance(value, Half)]
    by_name = item.by_name and all(half.by_name for half in inner)
    functions = (*item.functions, *(function for half in inner for function in half.functions))
    files = (*_files(item, values), *(path for half in inner for path in half.files))

    text = str(HalfSpec(spec.ref, tuple(ordered.items())))

    def bind(rules: Rules) -> Bound:
        require_known(item, without_aim(rules) if values.get("objective") == POINTS else rules, text)
        return item.make(rules, **values)

    return Half(text, item.stage, bind, item.players, item.source, by_name, functions, files)


def _files(item: Definition, values: Mapping[str, Any]) -> list[Path]:
    """The users' files that the parameters name."""
    found = [parameter.file(values[key]) for key, parameter in item.parameters.items() if parameter.file]
    return [path for path in found if path]


def _require_key(item: Definition, ref: str, key: str, given: Mapping[str, Any]) -> None:
    if key in item.parameters:
        return
    if key == "miss":
        raise PlayerError(f"miss={given[key]}: it stands behind a whole player, as in expectimax+greedy(miss=0.03)")
    if not item.parameters:
        raise PlayerError(f"{ref} takes no parameters, but {key}= is given")
    known = ", ".join(item.parameters)
    raise PlayerError(f"{ref} ({item.stage}) has no parameter {key}{nearest(key, item.parameters)}; it takes {known}")


def _as_half(parameter: Parameter, value: Any) -> Any:
    return find_half(value, parameter.kind) if parameter.kind in STAGES else value


def _read(parameter: Parameter, value: Any, what: str) -> Any:
    """A parameter's value, or the error that says what is wanted."""
    kind = parameter.kind
    shown = _word(value)
    if kind in (int, float):
        right = isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
        low, high = parameter.low, parameter.high
        if not right or (low is not None and value < low) or (high is not None and value > high):
            raise PlayerError(f"{what}={shown}: {_range_text(parameter)} is wanted")
        return kind(value)
    if isinstance(kind, tuple) and not any(type(value) is type(word) and value == word for word in kind):
        words = [_word(word) for word in kind]
        raise PlayerError(f"{what}={shown}{nearest(shown, words)}; it is one of {', '.join(words)}")
    if kind is bool and not isinstance(value, bool):
        raise PlayerError(f"{what}={shown}: true or false is wanted")
    if kind is str and not isinstance(value, str):
        raise PlayerError(f'{what}={shown}: a text is wanted, as in "{shown}"')
    if kind in STAGES and not isinstance(value, (str, HalfSpec)):
        raise PlayerError(f"{what}={shown}: {_ARTICLE[kind]} strategy is wanted")
    return value


def _word(value: Any) -> str:
    """A value as players write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _range_text(parameter: Parameter) -> str:
    word = "a whole number" if parameter.kind is int else "a number"
    low = "" if parameter.low is None else f" from {parameter.low:,}"
    high = "" if parameter.high is None else f" {'to' if low else 'up to'} {parameter.high:,}"
    return word + low + high


def _alone(text: str, stage: str) -> PlayerError:
    partner = "greedy"
    example = f"{text}+{partner}" if stage == DISCARD else f"{partner}+{text}"
    missing = STAGE_WORDS[_OTHER[stage]]
    return PlayerError(f"{text} is {_ARTICLE[stage]} strategy; add a {missing} strategy, as in {example}")


def _wrong_stage(text: str, stage: str) -> PlayerError:
    place = "before" if stage == DISCARD else "behind"
    known = ", ".join(names(stage))
    return PlayerError(
        f"{text} is {_ARTICLE[_OTHER[stage]]} strategy; {place} the + stands {_ARTICLE[stage]} strategy: {known}"
    )


def _unknown(ref: str, stage: str | None = None) -> PlayerError:
    what = f"{STAGE_WORDS[stage]} strategy" if stage else "strategy"
    if ref.endswith(".py"):
        return PlayerError(f"{ref} is a file; name the strategy in it too, as in {ref}:name")
    known = names(stage) if stage else sorted({*names(DISCARD), *names(PLAY)})
    in_file = f"; one in a file is written with it, as in mine.py:{cut(ref)}" if ref.isidentifier() else ""
    return PlayerError(f"no {what} {shown(ref)}{nearest(ref, known)}; known: {', '.join(known)}{in_file}")


def _not_a_strategy(spec: Any) -> PlayerError:
    if callable(spec):
        name = getattr(spec, "__name__", type(spec).__name__)
        return PlayerError(f"{name} isn't decorated; write @discard_strategy('{name}') or @pegging_strategy above it")
    return PlayerError(
        f"{shown(spec)} is no strategy; give text such as expectimax+greedy, a decorated function or a pair"
    )


def list_strategies() -> list[dict[str, Any]]:
    """Every half known, as rows: name, half, source, players, parameters, about.

    >>> [row["half"] for row in list_strategies() if row["name"] == "greedy"]
    ['discard', 'play']
    """
    return [
        {
            "name": item.name,
            "half": item.stage,
            "source": item.source,
            "players": list(item.players),
            "parameters": {key: _parameter_row(parameter) for key, parameter in item.parameters.items()},
            "about": item.about,
        }
        for item in definitions()
    ]


def _parameter_row(parameter: Parameter) -> dict[str, Any]:
    kind = parameter.kind
    text = "|".join(map(_word, kind)) if isinstance(kind, tuple) else kind if isinstance(kind, str) else kind.__name__
    return {"default": parameter.default, "kind": text, "about": parameter.about}
