"""Which fields of queries divide them."""

import pytest

from sweep.errors import WinnerError
from sweep.records import Query
from sweep.study.insight.divisions import divisions_of


def test_a_field_that_is_null_everywhere_divides_nothing() -> None:
    queries = [
        Query(id=str(n), text="word " * (n + 1), metadata={"kind": None}) for n in range(18)
    ]
    found, refused = divisions_of(queries)
    assert [division.by for division in found] == ["query:words"]
    assert "kind: some query must have a value, got null for all 18" in refused["kind"]
    with pytest.raises(WinnerError, match="got null for all 18"):
        divisions_of(queries, ["kind"])
