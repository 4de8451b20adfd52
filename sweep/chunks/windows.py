"""Packing pieces into windows as long as `size` permits, which share up to `overlap`."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def pack_windows(
    left: Sequence[int],
    right: Sequence[int],
    *,
    size: int,
    overlap: int,
    stops: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """Return windows over the pieces of one document, as half-open ranges of piece numbers.

    A window of pieces i .. j - 1 costs `right[j - 1] - left[i]`. It takes pieces as long as it
    costs at most `size` (a piece that costs more stands alone). The next one begins as early as
    the shared part costs at most `overlap` and the first piece after the old window still fits
    in, so that no window lies inside its neighbour. A shared part never begins with a piece that
    costs nothing (the middle of a token).

    Args:
        left: units before each piece begins, shape (n,), rising or equal.
        right: units before each piece ends, shape (n,), rising or equal.
        size: longest window in units, >= 1.
        overlap: longest shared part in units, in [0, size).
        stops: the piece numbers before which a window may end, rising, `n` the last of them; None
            = all. From one to the next it must not be longer than `size`, or it is torn from it.
    """
    count = len(left)
    stops = range(1, count + 1) if stops is None else stops
    windows = []
    start = 0
    while start < count:
        fitting = bisect_right(right, left[start] + size, start + 1, count)
        first = bisect_right(stops, start)  # a window ends there at the earliest
        stop = max(first, bisect_right(stops, fitting) - 1)
        end = stops[stop]
        windows.append((start, end))
        if end == count:
            break
        earliest = max(right[end - 1] - overlap, right[stops[stop + 1] - 1] - size)
        start = bisect_left(left, earliest, start + 1, end)
        if start < end:
            start = bisect_right(left, left[start], start, end) - 1
            start = end if left[start] == right[end - 1] else start
    return windows
