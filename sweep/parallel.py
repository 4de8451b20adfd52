"""Independent pieces of work on several threads, results in order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 8  # results per thread that wait to be taken; bounds memory, and how long Ctrl-C takes


def side_by_side(function: Callable[[T], R], items: Sequence[T], *, threads: int) -> Iterator[R]:
    """Yield `function(item)` of every item in order, computed by at most `threads` threads."""
    if min(threads, len(items)) <= 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for start in range(0, len(items), AHEAD * threads):
            yield from pool.map(function, items[start : start + AHEAD * threads])
