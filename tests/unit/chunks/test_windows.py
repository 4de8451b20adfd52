import pytest

from sweep.chunks.windows import pack_windows


def windows(costs: list[int], *, size: int, overlap: int) -> list[tuple[int, int]]:
    right = [sum(costs[: row + 1]) for row in range(len(costs))]
    left = [sum(costs[:row]) for row in range(len(costs))]
    return pack_windows(left, right, size=size, overlap=overlap)


@pytest.mark.parametrize(
    ("count", "size", "overlap", "expected"),
    [
        (0, 3, 0, []),
        (1, 3, 2, [(0, 1)]),
        (6, 3, 0, [(0, 3), (3, 6)]),
        (7, 3, 0, [(0, 3), (3, 6), (6, 7)]),
        (10, 8, 4, [(0, 8), (4, 10)]),
        (8, 8, 4, [(0, 8)]),
        (991, 1024, 256, [(0, 991)]),
        (9, 3, 1, [(0, 3), (2, 5), (4, 7), (6, 9)]),
        (5, 3, 2, [(0, 3), (1, 4), (2, 5)]),
        (3, 1, 0, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_pieces_of_one_unit(
    count: int, size: int, overlap: int, expected: list[tuple[int, int]]
) -> None:
    assert windows([1] * count, size=size, overlap=overlap) == expected


@pytest.mark.parametrize(
    ("costs", "size", "overlap", "expected"),
    [
        ([2, 2, 2], 3, 0, [(0, 1), (1, 2), (2, 3)]),  # two together would cost 4
        ([1, 9, 1], 3, 0, [(0, 1), (1, 2), (2, 3)]),  # a piece above size stands alone
        ([1, 1, 3, 1], 4, 2, [(0, 2), (1, 3), (3, 4)]),  # from 1, not 0: 1 + 1 + 3 > 4
        ([3, 1, 3, 1], 4, 3, [(0, 2), (1, 3), (2, 4)]),
        ([2, 2, 4], 4, 2, [(0, 2), (2, 3)]),  # no shared part leaves room for the next piece
        ([2, 2, 2], 4, 1, [(0, 2), (2, 3)]),  # no whole piece fits into the overlap
    ],
)
def test_pieces_of_unequal_cost(
    costs: list[int], size: int, overlap: int, expected: list[tuple[int, int]]
) -> None:
    assert windows(costs, size=size, overlap=overlap) == expected


@pytest.mark.parametrize(
    ("costs", "size", "overlap", "expected"),
    [
        ([0, 0], 1, 0, [(0, 2)]),
        ([1, 0, 0, 1, 0], 1, 0, [(0, 3), (3, 5)]),  # free pieces are shared with nobody ...
        ([1, 0, 1, 0, 1], 2, 1, [(0, 4), (2, 5)]),  # ... nor put before what is shared
        ([1, 0, 0, 1, 0, 0, 1, 0, 0], 2, 1, [(0, 6), (3, 9)]),
    ],
)
def test_pieces_that_cost_nothing(
    costs: list[int], size: int, overlap: int, expected: list[tuple[int, int]]
) -> None:
    assert windows(costs, size=size, overlap=overlap) == expected
