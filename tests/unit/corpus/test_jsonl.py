import os
import subprocess
import sys
from pathlib import Path

import pytest

from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.text_file import read_lines
from sweep.errors import CorpusError
from tests.corpus_files import write_corpus


def records(folder: Path, data: bytes) -> list[tuple[int, dict[str, object]]]:
    path = folder / "file.jsonl"
    path.write_bytes(data)
    return list(read_jsonl(path))


def message(folder: Path, data: bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        records(folder, data)
    return str(caught.value)


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    assert records(tmp_path, b'\xef\xbb\xbf{"a": 1}\n') == [(1, {"a": 1})]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_blank_lines_are_skipped_but_counted(tmp_path: Path, end: bytes) -> None:
    data = end.join([b'{"a": 1}', b"", b"  \t", b'{"a": 2}'])
    assert records(tmp_path, data) == [(1, {"a": 1}), (4, {"a": 2})]


@pytest.mark.parametrize(
    "character", ["\u2028", "\u2029", "\x85", "\x7f", "\u000b".encode().decode()]
)
def test_only_a_line_feed_ends_a_record(tmp_path: Path, character: str) -> None:
    if character == "\x0b":
        character = "\\u000b"  # below U+0020 JSON wants an escape
    data = f'{{"a": "x{character}y"}}\n'.encode()
    assert len(records(tmp_path, data)) == 1


def test_bad_utf8_is_refused_with_line_and_byte_offset(tmp_path: Path) -> None:
    text = message(tmp_path, b'\xef\xbb\xbf{"a": 1}\n{"a": "\xe9"}\n')
    assert "file.jsonl:2:" in text
    assert "byte 0xe9 at byte offset 19" in text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_read_if_it_says_so(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    data = f'{mark}{{"a": "é\u2028"}}\n{{"a": 2}}'.encode(encoding)
    assert records(tmp_path, data) == [(1, {"a": "é\u2028"}), (2, {"a": 2})]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_refused_with_what_to_do(tmp_path: Path, encoding: str) -> None:
    text = message(tmp_path, '{"a": 1}'.encode(encoding))
    assert "save it as UTF-8" in text
    assert f"--encoding {encoding}" in text


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"a": 1}\n{"a": \n', "file.jsonl:2: must be one JSON object"),
        (b'{"a": 1} {"b": 2}\n', "file.jsonl:1: must be one JSON object"),
        (b"[1, 2]\n", "must be one JSON object, got [1, 2]"),
        (b"null\n", "must be one JSON object, got None"),
        (b'{"a": NaN}\n', "NaN, which is not JSON"),
        (b'{"a": -Infinity}\n', "-Infinity, which is not JSON"),
        (b'{"a": 1e999}\n', "beyond a float's range"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "file.jsonl:1: must hold finite numbers"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "must not be nested so deeply"),
        (b'\n{"a": "\\ud800"}\n', "file.jsonl:2: must hold whole characters"),
        (b'{"\\uDC00": 1}\n', "lone surrogate \\udc00"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(
    tmp_path: Path, data: bytes, fault: str
) -> None:
    assert fault in message(tmp_path, data)


def test_an_escaped_surrogate_pair_is_one_character(tmp_path: Path) -> None:
    assert records(tmp_path, b'{"a": "\\ud83d\\ude42"}') == [(1, {"a": "🙂"})]


def test_a_long_line_is_not_repeated_in_the_message(tmp_path: Path) -> None:
    assert len(message(tmp_path, b"x" * 100_000)) < 500


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="must be a readable file"):
        list(read_lines(tmp_path / "none.tsv"))


def test_files_are_read_as_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c", corpus=[{"_id": "d1", "text": "naïve café 数据"}])
    code = (
        "import pathlib, sys; from sweep.corpus import read_corpus;"
        "print(ascii(read_corpus(pathlib.Path(sys.argv[1])).documents[0].text))"
    )
    settings = {
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error", "-c", code, str(folder)],
        env={**os.environ, **settings},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.strip() == ascii("naïve café 数据")


@pytest.mark.parametrize("line", [b'{"a": 1, "b": 2, "a": 1}', b'{"c": {"a": 1, "a": 2}}'])
def test_a_key_that_repeats_is_refused_by_line(tmp_path: Path, line: bytes) -> None:
    text = message(tmp_path, b'{"a": 1}\n' + line)
    assert "file.jsonl:2: an object must name a key once, got 'a' twice" in text
