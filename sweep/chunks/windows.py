"""Packing pieces into windows as long as `size` permits, which share up to `overlap`."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def pack_windows(
    left: Sequence[int], right: Sequence[int], *, size: int, overlap: int
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
    """
    count = len(left)
    windows = []
    start = 0
    while start < count:
        end = bisect_right(right, left[start] + size, start + 1, count)
        windows.append((start, end))
        if end == count:
            break
        earliest = max(right[end - 1] - overlap, right[end] - size)
        start = bisect_left(left, earliest, start + 1, end)
        if start < end:
            start = bisect_right(left, left[start], start, end) - 1
            start = end if left[start] == right[end - 1] else start
    return windows
