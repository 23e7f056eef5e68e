"""Commands about the machine: bench, cache."""

from __future__ import annotations

import click

from cribsim.cli.common import json_option, print_json, print_table, tell_if_compiling
from cribsim.cli.output import tell


@click.command()
@click.option("--cold", is_flag=True, help="Measure compiling everything anew, too.")
@click.option("--workers", type=click.IntRange(2, 1024), default=2, show_default=True, help="Compared with one.")
@json_option
def bench(cold: bool, workers: int, as_json: bool) -> None:
    """Measure speed, best of several: things per processor second, of several workers per second of the clock.

    Example: cribsim bench --json
    """
    tell_if_compiling()
    from cribsim.bench import run_bench

    found = run_bench(cold=cold, workers=workers)
    if as_json:
        print_json(found)
        return
    rows = [
        [row["work"], f"{row['per_second']:,.0f}", row["unit"], f"{row['cpu_seconds']:.3f}"] for row in found["rows"]
    ]
    print_table("", ["work", "rate", "unit", "processor seconds"], rows)
    tell(f"{workers} workers: {found['workers_ratio']:.2f} x one; start-up {found['startup_seconds']:.2f} s")
    if cold:
        tell(f"compiling everything {found['compile_seconds']:.1f} s")


@click.group()
def cache() -> None:
    """Compiled code: `info` or `clear`.

    Example: cribsim cache info
    """


@cache.command()
@json_option
def info(as_json: bool) -> None:
    """Where compiled code lies, and how much.

    Example: cribsim cache info --json
    """
    from cribsim._jit import cache_info

    found = cache_info()
    if as_json:
        print_json(found)
    else:
        print_table("", ["what", "value"], [[key, str(value)] for key, value in found.items()])


@cache.command()
@json_option
def clear(as_json: bool) -> None:
    """Remove all compiled code; the next run compiles anew.

    Example: cribsim cache clear
    """
    from cribsim._jit import clear_cache

    removed = clear_cache()
    if as_json:
        print_json({"removed": removed})
    else:
        tell(f"removed {removed} files")
