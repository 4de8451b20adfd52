"""Independent pieces of work on several threads, results in order."""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 8  # results per thread that wait to be taken; bounds memory, and how long Ctrl-C takes


def side_by_side(function: Callable[[T], R], items: Iterable[T], *, threads: int) -> Iterator[R]:
    """Yield `function(item)` of every item in order, computed by at most `threads` threads.

    Items are taken a little ahead of what is yielded.
    """
    if threads <= 1 or (isinstance(items, Sized) and len(items) <= 1):
        yield from map(function, items)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(max_workers=threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def single_threaded_blas() -> AbstractContextManager[Any]:
    """Return a context in which numpy multiplies matrices on the calling thread alone.

    Several threads of one product wait for each other: no gain on a busy machine, often a loss.
    """
    return _blas().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@functools.cache
def _blas() -> Any:
    import numpy  # noqa: F401  its library must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
