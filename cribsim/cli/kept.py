"""The command about kept cards: kept."""

from __future__ import annotations

from typing import Any

import click

from cribsim.cli.common import check_picture, given_options, json_option, print_json, print_table, save_picture
from cribsim.cli.output import tell
from cribsim.errors import CribsimError

_SHOWN = 5


@click.command()
@click.argument("ranks", nargs=-1)
@click.option("--table", help="Who plays: equilibrium (default), expectimax or greedy.")
@click.option(
    "--against", default="fitzgerald", help="With --plot: fitzgerald, cribbagepro, or a table. Default fitzgerald."
)
@click.option("--plot", "picture", help="Write a picture beside another table to this file (.png, .svg, .pdf).")
@json_option
def kept(ranks: tuple[str, ...], table: str | None, against: str, picture: str | None, as_json: bool) -> None:
    """What four kept ranks peg as pone and as dealer, where both play well; and how published tables differ.

    Example: cribsim kept 4566
    """
    from cribsim.analysis.kept_table import kept_table, other_table

    check_picture(picture)
    for _ in given_options("against") if not picture else []:
        raise CribsimError("--against goes with --plot")
    found = kept_table() if table is None else kept_table(table)
    other_table(against)  # a name that isn't known is told before the work
    told = found.to_json()
    rows = told["kept"]
    if ranks:
        rows = [_row_of("".join(ranks), rows)]
    if picture:
        save_picture(found.plot(against=against).figure, picture, 7, 7)
    if as_json:
        print_json({**told, "kept": rows})
    elif ranks:
        _print_rows(rows, told["pegging"])
    else:
        _print_extremes(rows, told["pegging"])
        _print_against(told)


def _row_of(text: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    from cribsim.cards import RANKS

    wanted = text.upper().replace("10", "T").replace(" ", "").replace(",", "")
    if len(wanted) != 4 or not set(wanted) <= set(RANKS):
        raise CribsimError(f"{text!r} is no four ranks; write cribsim kept 4566, with A, 2 to 9, T, J, Q, K")
    name = "".join(sorted(wanted, key=RANKS.index))
    return next(row for row in rows if row["kept"] == name)


def _print_rows(rows: list[dict[str, Any]], title: str) -> None:
    from cribsim.stats import quantile

    cells = []
    for row in rows:
        for role in ("pone", "dealer"):
            own, other, apart, se, chance = (
                row[f"{role}_{name}"] for name in ("own", "other", "difference", "se", "chance")
            )
            numbers = [f"{own:.3f}", f"{other:.3f}", f"{apart:+.3f}", f"{quantile(0.95) * se:.3f}"]
            cells.append([row["kept"], role, *numbers, f"{100 * chance:.3f} %"])
    columns = ["kept", "as", "own", "other", "difference", "± 95 %", "kept in"]
    print_table(f"pegging by ranks kept, {title}, points", columns, cells)


def _print_extremes(rows: list[dict[str, Any]], title: str) -> None:
    from cribsim.stats import quantile

    often = 1e-4
    cells = []
    for role in ("pone", "dealer"):
        known = sorted(
            (row for row in rows if row[f"{role}_chance"] >= often), key=lambda row: -row[f"{role}_difference"]
        )
        for best, worst in zip(known[:_SHOWN], known[: -_SHOWN - 1 : -1], strict=True):
            cells.append([role, *(text for row in (best, worst) for text in _short(row, role, quantile(0.95)))])
    columns = ["as", "most", "difference", "least", "difference"]
    print_table(f"{title}: own less other's pegging, hands kept in 1 of 10,000 deals or more", columns, cells)


def _short(row: dict[str, Any], role: str, reach: float) -> list[str]:
    return [row["kept"], f"{row[f'{role}_difference']:+.3f} ± {reach * row[f'{role}_se']:.3f}"]


def _print_against(told: dict[str, Any]) -> None:
    cells = []
    for name, by_role in told["against"].items():
        for role, found in by_role.items():
            apart = [f"{found['mean']:+.3f}", f"{found['mean_absolute']:.3f}", f"{found['correlation']:.2f}"]
            cells.append([name, role, *apart, f"{found['largest']:+.2f}", found["largest_kept"], str(found["hands"])])
    columns = ["table", "as", "mean", "mean size", "correlation", "largest", "at", "hands"]
    print_table("these values less other tables', points; means weighed as equilibrium keeps the hands", columns, cells)
    tell(f"average difference {told['mean_pone']:+.3f} as pone, {told['mean_dealer']:+.3f} as dealer")
