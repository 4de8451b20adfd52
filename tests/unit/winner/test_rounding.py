"""How numbers are rounded for people."""

import pytest

from sweep.winner.rounding import figure, plain, signed


@pytest.mark.parametrize(
    ("value", "text", "with_sign"),
    [
        (0.6204, ".620", "+.620"),
        (-0.0317, "-.032", "-.032"),
        (-0.0004, ".000", "+.000"),
        (-0.0, ".000", "+.000"),
        (0.9996, "1.000", "+1.000"),
        (-10.25, "-10.250", "-10.250"),
        (float("nan"), "nan", "nan"),
    ],
)
def test_three_decimals_without_a_zero_in_front(value: float, text: str, with_sign: str) -> None:
    assert (plain(value), signed(value)) == (text, with_sign)


@pytest.mark.parametrize(
    ("value", "magnitude", "text"),
    [
        (-0.0004, 0.5, "+.000"),
        (0.4567, 0.5, "+.457"),
        (-0.46, 50.0, "-.46"),
        (-0.4, 5000.0, "+0"),
        (1234.5, 5000.0, "+1,234"),
    ],
)
def test_a_figure_has_as_many_decimals_as_its_magnitude_allows(
    value: float, magnitude: float, text: str
) -> None:
    assert figure(value, magnitude) == text
