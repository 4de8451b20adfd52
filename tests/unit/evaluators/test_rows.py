from pathlib import Path

import pytest

from sweep.errors import MetricError
from sweep.evaluators.rows import read_rows


def read(folder: Path, content: bytes) -> list[tuple[int, str | None]]:
    path = folder / "rows.jsonl"
    path.write_bytes(content)
    return [(row.number, row.error and row.error.code) for row in read_rows(path)]


def test_rows_are_numbered_without_blank_lines_and_say_their_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"a": "x\xe2\x80\xa8y"}')
    first, second = read_rows(path)
    assert (first.number, first.values) == (1, {"a": 1})
    assert (second.number, second.values) == (2, {"a": "x\u2028y"})
    assert second.where == f"{path}:4"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a": [1, 2', "INVALID_JSON"),
        (b'{"a": "\xff"}', "NOT_UTF8"),
        (b"[1]", "ROW_NOT_OBJECT"),
        (b"null", "ROW_NOT_OBJECT"),
        (b"[" * 100_000, "INVALID_JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "INVALID_JSON"),
        (b"query,retrieved", "INVALID_JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_one_failed_row(
    tmp_path: Path, line: bytes, code: str
) -> None:
    assert read(tmp_path, b'{"a": 1}\n' + line + b'\n{"a": 2}\n') == [
        (1, None),
        (2, code),
        (3, None),
    ]


def test_the_error_of_a_row_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a"\n')
    error = read_rows(path)[1].error
    assert error is not None
    assert str(error).startswith(f"{path}:2: must be one JSON object, got '{{\"a\"'")


def test_a_file_without_rows_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match="at least one row"):
        read(tmp_path, b"\n \n")
    with pytest.raises(MetricError, match="readable file"):
        read_rows(tmp_path / "none.jsonl")
    with pytest.raises(MetricError, match="readable file"):
        read_rows(tmp_path)
