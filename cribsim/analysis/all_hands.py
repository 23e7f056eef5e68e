"""Every hand at once: the best two throws of all 962,988 classes of six cards, in both roles, in one Parquet table.

The crib comes from the model by ranks (`by_ranks`); `docs/discards.md` gives its error against the exact answer.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribsim import __version__
from cribsim.analysis.by_ranks import Cribs, average_cribs, classes, mix_of, value_throws
from cribsim.analysis.equilibrium import DEALER, PONE, SIGNS, Reply, answers_by_class, best_reply, suited_ratio
from cribsim.cards import format_card
from cribsim.errors import CribsimError, ResultError
from cribsim.folders import locked
from cribsim.saved import provenance
from cribsim.scoring import N_KEPT
from cribsim.strategies.base import DISCARD
from cribsim.strategies.finding import find_half
from cribsim.strategies.table import ROLES
from cribsim.strategies.tables import pegging_of
from cribsim.strategies.throws import exact_worths, throw_model
from cribsim.streams import check_seed
from cribsim.views import THROWN_2
from cribsim.work import Progress, part_of

_TABLE, _TOLD = "discards.parquet", "provenance.json"
_WORK = "unfinished"
_MODEL = "the crib by ranks; values within 0.002 points of the exact ones on average, 0.014 at most (docs/discards.md)"


def all_discards(
    out: str | Path,
    *,
    opponent: str = "equilibrium",
    pegging: bool | str = True,
    progress: Progress | None = None,
    command: str | None = None,
) -> Path:
    """Write the best two throws of every hand in both roles into a folder.

    Parameters
    ----------
    out
        A new folder. One in which the same work was broken off is gone on with.
    opponent
        A discard strategy that draws nothing at random.
    pegging
        Whether what the kept cards peg counts.
    progress
        Called with ranks done and in all.

    Returns
    -------
    pathlib.Path
        `discards.parquet` in it: role, index (`hands.number_hand`), hand, hands (how many it stands for), throw (the
        answer, 0 to 14), thrown, value, second, second_thrown, second_value, cost (of the second).

    Raises
    ------
    ResultError
        The folder holds something else.
    """
    half, folder = find_half(opponent, DISCARD), Path(out)
    answers = [answers_by_class(half, 1 - role) for role in (PONE, DEALER)]  # before a folder is made in vain
    code = {f"{half.text} ({DISCARD})": half.code} if half.code else {}
    by = pegging if isinstance(pegging, str) else bool(pegging)
    asked = {"opponent": half.text, "code": code, "pegging": by, "cribsim": __version__}
    pegged, tables = pegging_of(pegging), []
    with _open_folder(folder, asked) as work:
        for role, other in zip((PONE, DEALER), answers, strict=True):
            cribs = _cribs(work / f"{ROLES[role]}.npz", other, part_of(progress, role, 2))
            values = pegged.difference[role] if pegged else np.zeros(N_KEPT)
            tables.append(table_of_reply(role, best_reply(cribs, role, values, suited_ratio(other))))
        table = pegged.text if pegged else None
        told = {**asked, "model": _MODEL, "pegging_table": table, **provenance(command, True, code)}
        _write(folder, tables, told)
        shutil.rmtree(work)
    return folder / _TABLE


@contextlib.contextmanager
def _open_folder(folder: Path, asked: dict[str, Any]) -> Iterator[Path]:
    """The folder for what is half done, new or of the same work, locked meanwhile."""
    work = folder / _WORK
    try:
        begun = (work / _TOLD).exists()
        left = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if not begun and (folder.is_file() or left - {_WORK} or (left and any(work.iterdir()))):
            raise ResultError(f"{folder} exists already; name a new folder, nothing was overwritten")
        work.mkdir(parents=True, exist_ok=True)
        with locked(work) as mine:
            if not mine:
                raise ResultError(f"{folder} is being written by another process")
            if begun:
                _check_same(folder, json.loads((work / _TOLD).read_text()), asked)
            else:
                (work / _TOLD).write_text(json.dumps(asked))
            yield work
    except OSError as error:
        raise ResultError(f"{folder} can't be written: {error.strerror or error}") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ResultError(f"{work / _TOLD} is damaged; remove {folder} and begin anew") from None


def _check_same(folder: Path, begun: Any, asked: dict[str, Any]) -> None:
    if begun == asked:
        return
    apart = [f"{key} {begun.get(key)}, not {value}" for key, value in asked.items() if begun.get(key) != value]
    raise ResultError(f"{folder} holds other work, broken off: {'; '.join(apart)}; name a new folder")


def _cribs(file: Path, answers: NDArray[np.uint8], progress: Progress | None) -> Cribs:
    """The crib by ranks, from the file of a run that was broken off if it got so far."""
    with contextlib.suppress(OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile), np.load(file) as held:
        return Cribs(*(held[name] for name in Cribs._fields))
    cribs = average_cribs(mix_of(answers), progress)
    draft = file.with_suffix(".tmp.npz")
    np.savez(draft, **cribs._asdict())
    draft.rename(file)
    return cribs


_CARD_TEXTS = np.array([format_card(card).encode() + b" " for card in range(52)])


def _texts(cards: NDArray[Any]) -> NDArray[np.bytes_]:
    """Rows of cards as text."""
    rows = np.ascontiguousarray(_CARD_TEXTS[cards])
    return np.char.rstrip(rows.view(f"S{3 * cards.shape[1]}").ravel())


def table_of_reply(role: int, reply: Reply) -> Any:
    """The rows of one role, a pyarrow table: see `all_discards`."""
    import pyarrow as pa

    hands, sizes, _ = classes()
    n = len(hands)
    first, second = reply.best[:, 0], reply.best[:, 1]
    thrown = [np.take_along_axis(hands, THROWN_2[answers], axis=1) for answers in (first, second)]
    columns = {
        "role": pa.DictionaryArray.from_arrays(pa.array(np.full(n, role, np.int8)), list(ROLES)),
        "index": pa.array(np.arange(n, dtype=np.int32)),
        "hand": _text_column(hands),
        "hands": pa.array(sizes.astype(np.uint8)),
        "throw": pa.array(first),
        "thrown": _text_column(thrown[0]),
        "value": pa.array(reply.values[:, 0]),
        "second": pa.array(second),
        "second_thrown": _text_column(thrown[1]),
        "second_value": pa.array(reply.values[:, 1]),
        "cost": pa.array(reply.values[:, 0] - reply.values[:, 1]),
    }
    return pa.table(columns)


def _text_column(cards: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.array(_texts(cards)).cast(pa.string())


def _write(folder: Path, tables: list[Any], told: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        draft = folder / _WORK / _TABLE
        pq.write_table(pa.concat_tables(tables), draft, compression="zstd")
        (folder / _TOLD).write_text(json.dumps(told, indent=2) + "\n")
        draft.rename(folder / _TABLE)
    except OSError as error:
        raise CribsimError(f"{folder} can't be written: {error.strerror or error}") from None


def model_error(
    *, opponent: str = "equilibrium", hands: int = 1000, seed: int = 0, progress: Progress | None = None
) -> dict[str, float]:
    """How far the model by ranks is from the exact answer, over random hands of both roles, in points.

    Returns
    -------
    dict
        mean_absolute, mean, largest: of the value of each of the 15 throws; mean_loss, largest_loss: what the throw
        that the model chooses loses by the exact values.
    """
    model, (cards, sizes, index) = throw_model(opponent), classes()
    rng = np.random.default_rng(check_seed(seed))
    apart, losses = [], []
    for role in (PONE, DEALER):
        answers = answers_by_class(find_half(opponent, DISCARD), 1 - role)
        cribs, flush = average_cribs(mix_of(answers)), suited_ratio(answers)
        for at in rng.choice(len(cards), hands // 2, p=sizes / sizes.sum()):
            values = np.zeros((2, 15))
            value_throws(cards[at], index[at], SIGNS[role], cribs, np.zeros(N_KEPT), flush, *values)
            exact = exact_worths(model, cards[at], role)
            apart.append(values[0] - exact)
            losses.append(exact.max() - exact[values[0].argmax()])
            if progress:
                progress(len(losses), hands)
    errors = np.concatenate(apart)
    return {
        "mean_absolute": float(np.abs(errors).mean()),
        "mean": float(errors.mean()),
        "largest": float(np.abs(errors).max()),
        "mean_loss": float(np.mean(losses)),
        "largest_loss": float(np.max(losses)),
    }
