"""Work shared among the cores of the machine, and how far it has come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Progress = Callable[[int, int], None]
A = TypeVar("A")
B = TypeVar("B")


def n_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_out(work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Do the work of each item on all cores (of kernels, which run beside each other); results in the items' order."""
    with ThreadPoolExecutor(n_cores()) as pool:
        yield from pool.map(work, items)


def part_of(progress: Progress | None, done: int, parts: int) -> Progress | None:
    """The progress of one of several equal parts, of which some are done."""
    return progress and (lambda at, total: progress(done * total + at, parts * total))
