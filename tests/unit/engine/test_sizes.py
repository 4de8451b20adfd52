"""Amounts as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.engine.store.sizes import format_size, parse_age, parse_size
from sweep.errors import StoreError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5GB", 5_000_000_000),
        ("5 gb", 5_000_000_000),
        ("1.5GiB", 1_610_612_736),
        (" .5KB ", 500),
        ("1kib", 1024),
        ("2MiB", 2_097_152),
        ("3MB", 3_000_000),
        ("1TB", 10**12),
        ("1TiB", 2**40),
        ("800B", 800),
        ("0", 0),
        ("1000", 1000),
        ("7.", 7),
    ],
)
def test_size(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "GB", "5 apples", "-1GB", "1e3", "5GBs", "1,5GB", "inf", "5 G B"]
)
def test_what_is_no_size_is_the_users_input(text: str) -> None:
    with pytest.raises(StoreError, match="size: must be a number with B, KB, .* Write .* 5GB."):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("30d", 2_592_000), ("12h", 43_200), ("90m", 5_400), ("2 W", 1_209_600)]
)
def test_age(text: str, seconds: float) -> None:
    assert parse_age(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1y", "30 days"])
def test_what_is_no_age_is_the_users_input(text: str) -> None:
    with pytest.raises(StoreError, match="age: must be a number with m, h, d or w .* 30d."):
        parse_age(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1_550_000, "1.6 MB"), (10**16, "10,000.0 TB")],
)
def test_size_as_text(size: int, text: str) -> None:
    assert format_size(size) == text


@given(st.integers(0, 10**15))
def test_size_survives_being_written(size: int) -> None:
    assert parse_size(format_size(size).replace(",", "")) == pytest.approx(size, rel=0.05, abs=0)
