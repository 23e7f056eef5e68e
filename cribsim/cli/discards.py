"""Commands about discards: discard, crib."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from cribsim.cli.common import (
    Number,
    check_picture,
    confidence_option,
    given_options,
    json_option,
    print_json,
    print_table,
    progress_bar,
    quiet_option,
    save_picture,
    tell_if_compiling,
)
from cribsim.cli.output import tell
from cribsim.cli.play import command_line
from cribsim.errors import CribsimError


@click.command()
@click.argument("hand", nargs=-1)
@click.option("--dealer", is_flag=True, help="The crib is yours.")
@click.option("--pone", is_flag=True, help="The crib is the other's; you lead.")
@click.option("--role", help="With --rules three or four: pone, second, third or dealer.")
@click.option(
    "--opponent",
    help="How the others throw: uniform, or a discard strategy. Default equilibrium (other games: expectimax).",
)
@click.option("--no-pegging", is_flag=True, help="Leave out what the kept cards peg.")
@click.option("--pegging-table", help="By whose play they peg: equilibrium (the default), expectimax or greedy.")
@click.option("--table", "static", default="schell", show_default=True, help="The crib table shown beside the crib.")
@click.option("--sample", type=Number(), help="Sample this many deals instead of the exact answer.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the samples.")
@click.option("--score", hidden=True)  # a name of the contract: values by chance of winning aren't known yet
@click.option("--rules", help="A named game and keys, as in three, or lowball,crib_flush=4.")
@click.option("--parts", is_flag=True, help="Split hand and crib by fifteens, pairs, runs, flush and nobs.")
@click.option("--distributions", is_flag=True, help="The chances of every number of points (with --json).")
@click.option("--plot", "picture", help="Write a picture of the discards to this file (.png, .svg, .pdf).")
@click.option("--all", "every", is_flag=True, help="All hands of six cards, both roles, into a Parquet table in --out.")
@click.option("--out", help="With --all: a new folder, or one in which the same work was broken off.")
@confidence_option
@quiet_option
@json_option
def discard(hand: tuple[str, ...], every: bool, **options: Any) -> None:
    """What each discard of a hand is worth: hand, plus or minus crib, plus pegging.

    Ranks alone ("2 3 4 5 5 J") give the average over suits.

    Example: cribsim discard "2C 3H 4D 5D 5S JS" --dealer
    """
    if every:
        _discard_all(hand, **options)
        return
    if options["out"]:
        raise CribsimError("--out goes with --all; a picture goes to --plot FILE")
    if given_options("seed", "confidence") and not options["sample"]:
        raise CribsimError(
            f"--{given_options('seed', 'confidence')[0]} goes with --sample; without it nothing is drawn"
        )
    if options["distributions"] and not options["as_json"]:
        raise CribsimError("--distributions goes with --json")
    check_picture(options["picture"])
    if not hand:
        raise CribsimError('name a hand, as in cribsim discard "2C 3H 4D 5D 5S JS" --dealer, or use --all')
    found = _values(" ".join(hand), **options)
    if options["picture"]:
        save_picture(found.plot().figure, options["picture"], 9, 6)
    told = found.to_json(parts=options["parts"] or options["as_json"], distributions=options["distributions"])
    if options["as_json"]:
        print_json(told)
    else:
        _print_values(told, options["parts"])


def _values(hand: str, **options: Any) -> Any:
    from cribsim.analysis.discards import discard_values

    chosen = [name for name in ("dealer", "pone") if options[name]] + ([options["role"]] if options["role"] else [])
    if len(chosen) != 1:
        raise CribsimError("whose crib is it? give one of --dealer and --pone (or --role, with three and four players)")
    tell_if_compiling(quiet=options["quiet"])
    with progress_bar("hands", quiet=options["quiet"]) as progress:
        return discard_values(
            hand,
            role=chosen[0],
            opponent=options["opponent"],
            pegging=_pegging(**options),
            static=options["static"],
            samples=options["sample"] or 0,
            seed=options["seed"],
            rules=options["rules"],
            score=options["score"],
            confidence=options["confidence"],
            progress=progress,
        )


def _discard_all(hand: tuple[str, ...], **options: Any) -> None:
    if hand or not options["out"]:
        raise CribsimError("--all takes no hand, and needs --out DIR, a new folder for the table")
    others = ("sample", "score", "rules", "picture", "role", "dealer", "pone", "parts", "distributions")
    given = given_options(*others, "seed", "static", "confidence")
    if given:
        name = {"picture": "plot", "static": "table"}.get(given[0], given[0])
        raise CribsimError(f"--{name} doesn't go with --all, whose table holds both roles of every hand")
    from cribsim.analysis.all_hands import all_discards

    tell_if_compiling(quiet=options["quiet"])
    with progress_bar("ranks", quiet=options["quiet"]) as progress:
        path = all_discards(
            options["out"],
            opponent=options["opponent"] or "equilibrium",
            pegging=_pegging(**options),
            progress=progress,
            command=command_line(),
        )
    if options["as_json"]:
        print_json({"file": str(path), "rows": 2 * 962988})
    else:
        tell(f"{2 * 962988:,} rows in {path}")


def _say(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _print_values(found: dict[str, Any], parts: bool) -> None:
    from cribsim.stats import quantile

    rows = found["discards"]
    columns: dict[str, list[str]] = {
        "keep": [row["keep"] for row in rows],
        "throw": [row["throw"] for row in rows],
        "hand": [_say(row["hand"]) for row in rows],
        "sd": [] if found["samples"] else [_say(row["hand_sd"], 2) for row in rows],  # 80 columns hold no more
        "range": [f"{row['hand_min']}-{row['hand_max']}" for row in rows],
        "crib": [_say(row["crib"]) for row in rows],
        found["crib_table"]: [_say(row["static"], 2) for row in rows],
        "pegging": [_say(row["pegging"], 2) for row in rows],
        "total": [_say(row["total"]) for row in rows],
        "±": [_say((row["total_high"] - row["total_low"]) / 2) for row in rows] if found["samples"] else [],
        "loss": [_say(row["loss"]) for row in rows],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    best = rows[0]
    sign = "+" if best["total"] > best["hand"] + (best["pegging"] or 0) else "-"
    sum_text = f"hand {sign} crib" + (" + pegging" if found["pegging_table"] else "")
    fewest = "; the fewest are best" if found["rules"]["lowball"] else ""
    title = f"{found['hand']}, {found['role']}: points; total = {sum_text}{fewest}"
    print_table(title, list(shown), list(zip(*shown.values(), strict=True)))
    if parts:
        names = list(rows[0]["parts"])
        for title, label, key in (("the hand by part", "keep", "parts"), ("the crib by part", "throw", "crib_parts")):
            cells = [[row[label], *(_say(row[key][name]) for name in names)] for row in rows]
            print_table(f"{title}: points", [label, *names], cells)
    told = [f"the others throw {found['opponent']} ({_how(found)})"]
    told += [f"{found['crib_table']}: a table by ranks alone"] if found["crib_table"] in shown else []
    if found["pegging_table"]:
        error = max(row["pegging_se"] for row in rows) * quantile(0.95)
        told += [f"pegging: {found['pegging_table']}, by ranks kept, ± {error:.2f}"]
    else:
        told += ["pegging is left out"]
    told += [f"± {100 * found['confidence']:g} % of the sampling"] if found["samples"] else []
    tell("; ".join(told))


def _pegging(no_pegging: bool, pegging_table: str | None, **_others: Any) -> bool | str:
    if no_pegging and pegging_table:
        raise CribsimError("give one of --no-pegging and --pegging-table")
    if pegging_table is not None:
        from cribsim.strategies.tables import PEGGING_TABLES

        if pegging_table not in PEGGING_TABLES:
            raise CribsimError(f"--pegging-table {pegging_table!r}: give one of {', '.join(PEGGING_TABLES)}")
        return pegging_table
    return not no_pegging


def _how(found: dict[str, Any]) -> str:
    if found["samples"]:
        by_ranks = len(found["hand"].split()[0]) == 1
        each = " for each way to give suits" if by_ranks else ""
        return f"{found['samples']:,} deals sampled{each}, seed {found['seed']}"
    is_exact = found["rules"]["players"] == 2 or found["opponent"] in ("uniform", "random")
    return "exact" if is_exact else "each counted exactly, then taken as independent"


@click.command()
@click.option("--pegging", is_flag=True, help="The fixed point in which what the kept cards peg counts too.")
@click.option("--sample", type=Number(), help="Play this many deals there; averages and standard errors are of them.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the deals played.")
@click.option("--solve", is_flag=True, help="Solve anew instead of reading what ships (a few minutes).")
@click.option("--start", default="expectimax", show_default=True, help="With --solve: where to start.")
@click.option("--tolerance", type=float, default=0.002, show_default=True, help="With --solve: points they may move.")
@click.option("--out", help="With --solve: a new folder for the files as they ship, with and without pegging.")
@click.option("--thrown", is_flag=True, help="Also how often each pair is thrown, beside published figures.")
@click.option("--plot", "picture", help="Write the 13 x 13 pictures to this file (.png, .svg, .pdf).")
@quiet_option
@json_option
def crib(picture: str | None, as_json: bool, thrown: bool, **options: Any) -> None:
    """What the crib brings by the two cards thrown, where both throw best against each other.

    Example: cribsim crib --plot cribs.png
    """
    check_picture(picture)
    needs = {"seed": "sample", "start": "solve", "tolerance": "solve", "out": "solve"}
    for name in given_options(*needs):
        if not options[needs[name]]:
            raise CribsimError(f"--{name} goes with --{needs[name]}")
    table = _solved(**options) if options["solve"] else _shipped(**options)
    if picture:
        _save_cribs(table, picture)
    if as_json:
        print_json(table.to_json())
    else:
        _print_cribs(table, thrown)


def _shipped(**options: Any) -> Any:
    from cribsim.analysis.crib_table import crib_table

    if options["sample"]:
        tell_if_compiling(quiet=options["quiet"])
    return crib_table(pegging=options["pegging"], samples=options["sample"] or 0, seed=options["seed"])


def _solved(**options: Any) -> Any:
    from cribsim.folders import new_folder

    if options["sample"]:
        raise CribsimError("--sample plays the fixed point that ships; it doesn't go with --solve")
    with new_folder(options["out"]) if options["out"] else contextlib.nullcontext() as draft:
        return _solve_into(draft, **options)


def _solve_into(draft: Path | None, **options: Any) -> Any:
    from cribsim.analysis.crib_table import solve_crib_table, write_shipped

    tell_if_compiling(quiet=options["quiet"])
    kinds = (options["pegging"],) if not options["out"] else (False, True)
    found = {}
    for pegging in kinds:
        with progress_bar("ranks", quiet=options["quiet"]) as progress:
            found[pegging] = solve_crib_table(
                options["start"],
                pegging=pegging,
                tolerance=options["tolerance"],
                progress=progress,
                told=None if options["quiet"] else _tell_round,
            )
    if draft:
        write_shipped(draft, found)
    return found[options["pegging"]][0]


def _tell_round(number: int, moved: float) -> None:
    tell(f"round {number}: averages moved by {moved:.4f} points at most", err=True)


def _save_cribs(table: Any, path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    for ax, whose in zip(axes, ("own", "other"), strict=True):
        table.plot(ax=ax, whose=whose)
    save_picture(figure, path, 15, 6)


def _print_grid(title: str, grid: Any) -> None:
    from cribsim.cards import RANKS

    rows = [[RANKS[at], *(_say(value, 2) for value in row)] for at, row in enumerate(grid.tolist())]
    print_table(title, ["", *RANKS], rows)


def _print_cribs(table: Any, thrown: bool) -> None:
    tell(f"{table.about}\n")
    for whose, title in (("own", "to one's own crib"), ("other", "to the other's crib")):
        _print_grid(f"average crib, thrown {title} (suited below the diagonal)", table.grid(whose))
    if thrown:
        for whose, title in (("own", "dealer"), ("other", "pone")):
            caption = f"how often the {title} throws, %; below the diagonal by orbitals (published)"
            _print_grid(caption, table.throws(whose))
    told = table.to_json()
    rows = []
    for name, apart in told["against"].items():
        for whose, found in apart.items():
            cells = [_say(found[key]) for key in ("mean_absolute", "mean", "largest")]
            rows.append([name, whose, *cells, found["largest_pair"]])
    columns = ["table", "crib", "mean size", "mean", "largest", "at"]
    print_table("these averages less published ones, points, over the 91 pairs of ranks", columns, rows)
    for whose, title in (("own", "dealer"), ("other", "pone")):
        apart = told["frequencies"][whose]
        tell(
            f"how often the {title} throws each pair: {apart['mean_absolute']:.2f} % of all throws off orbitals' "
            f"published figures on average, most at {apart['largest_pair']} ({apart['largest']:+.2f} %)"
        )
    means = [_mean_text(told[f"mean_{whose}"], told[f"mean_{whose}_se"]) for whose in ("own", "other")]
    tell(f"average crib of all throws: {means[0]} by the dealer's, {means[1]} by the pone's")


def _mean_text(mean: float, se: float | None) -> str:
    from cribsim.stats import quantile

    return f"{mean:.3f}" if se is None else f"{mean:.3f} ± {quantile(0.95) * se:.3f}"
