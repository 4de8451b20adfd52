"""`sweep corpus convert | inspect | snapshot | diff` as a person uses them."""

import json
from pathlib import Path

import pytest

from sweep.corpus import read_corpus
from sweep.corpus.columns import FIELDS
from sweep.corpus.readers.choose import BY_NAME
from tests.corpus_files import write_corpus
from tests.e2e.command import ROOT, USER_INPUT
from tests.e2e.in_process import call, call_json, call_well


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Return a folder with three tables of one's own."""
    contents = {
        "handbook.csv": "ref,heading,body\n007,Leave,25 days a year\n8,Travel,Book ahead\n",
        "questions.csv": "qid,question,gold\n1,how much leave?,007\n2,how to travel?,8\n",
        "README.md": "# mine",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


CONVERT = ("corpus", "convert", "handbook.csv", "questions.csv", "--out", "out")


def test_tables_become_a_corpus_that_can_be_inspected(tables: Path) -> None:
    done = call_well(*CONVERT, "--column", "id=ref", cwd=tables)
    assert "handbook.csv: documents: id=ref, text=body (guessed), title=heading (guessed)" in (
        done.stderr
    )
    assert "sweep run SPACE --corpus out" in done.stderr
    corpus = read_corpus(tables / "out")
    assert [(d.id, d.title) for d in corpus.documents] == [("007", "Leave"), ("8", "Travel")]
    shown = call_json("corpus", "inspect", "out", cwd=tables)
    assert (shown["documents"]["count"], shown["judgements"]["count"]) == (2, 2)
    direct = ("corpus", "inspect", "handbook.csv", "questions.csv", "--column", "id=ref")
    assert call_json(*direct, cwd=tables)["hash"] == shown["hash"]


def test_columns_that_cannot_be_guessed_are_asked_for(tables: Path) -> None:
    done = call(*CONVERT, cwd=tables)
    assert done.returncode == USER_INPUT
    assert "got columns 'ref', 'heading', 'body'. Name them (--column id=..." in done.stderr
    assert not (tables / "out").exists()


def test_what_is_there_is_not_written_over(tables: Path) -> None:
    arguments = (*CONVERT, "--column", "id=ref")
    call_well(*arguments, cwd=tables)
    before = {path: path.read_bytes() for path in (tables / "out").rglob("*") if path.is_file()}
    again = call(*arguments, cwd=tables)
    assert again.returncode == USER_INPUT
    assert "Give --force to replace it" in again.stderr
    call_well(*arguments, "--force", cwd=tables)
    after = {path: path.read_bytes() for path in (tables / "out").rglob("*") if path.is_file()}
    assert after == before
    into = call("corpus", "convert", "out", "--out", "out", "--force", cwd=tables)
    assert into.returncode == USER_INPUT
    assert "--out: must not hold what is read" in into.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--format", "cvs"), "--format: must name a form, got 'cvs'"),
        (("--encoding", "klingon"), "--encoding: must name an encoding"),
        (("--column", "text"), "--column: must be FIELD=COLUMN"),
        (("--column", "id=reff"), "Name them (--column id=..."),
    ],
)
def test_wrong_options_are_told(tables: Path, options: tuple[str, ...], says: str) -> None:
    done = call(*CONVERT, *options, cwd=tables)
    assert done.returncode == USER_INPUT
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_snapshot_and_what_has_changed_since(tmp_path: Path) -> None:
    span = {"query-id": "q1", "corpus-id": "d1", "start": 5, "end": 8, "score": 1}
    documents = [{"_id": "d1", "text": "some ant"}, {"_id": "d2", "text": "bee"}]
    write_corpus(tmp_path / "c", corpus=documents, spans=[span])
    frozen = call_json("corpus", "snapshot", "c", cwd=tmp_path)
    assert frozen["counts"] == {"documents": 2, "queries": 1, "judgements": 1, "spans": 1}
    assert "hash" in call_well("corpus", "snapshot", "c", cwd=tmp_path).stdout
    assert "no difference" in call_well("corpus", "diff", "c", "c", cwd=tmp_path).stdout
    documents[0]["text"] = "ant"
    write_corpus(tmp_path / "c", corpus=documents[:1], spans=[span])
    # the span lies beyond the text now: no run may use it, and the difference says why
    assert call("corpus", "inspect", "c", cwd=tmp_path).returncode == USER_INPUT
    shown = call_well("corpus", "diff", "c/snapshot.json", "c", cwd=tmp_path).stdout
    for line in (
        "documents: 0 added, 1 removed, 1 changed",
        "  removed  'd2'",
        "stale labels: 2",
        "  document changed: 'q1' -> 'd1', grade 1",
        "  span moved: 'q1' -> 'd1' [5, 8), now at 0, grade 1",
    ):
        assert line in shown.splitlines(), shown
    content = call_json("corpus", "diff", "c/snapshot.json", "c", cwd=tmp_path)
    assert [one["why"] for one in content["stale"]] == ["document changed", "span moved"]


def test_every_form_is_named_in_the_help_and_in_the_documents(tmp_path: Path) -> None:
    shown = " ".join(call_well("corpus", "convert", "--help", cwd=tmp_path).stdout.split())
    document = (ROOT / "docs" / "corpus.md").read_text(encoding="utf-8")
    for name in BY_NAME:
        assert name in shown
        assert f"`{name}`" in document
    for field in {field for fields in FIELDS.values() for field in fields}:
        assert f"`{field}`" in document


def test_a_diff_of_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps({}), encoding="utf-8")
    for path in ("nowhere", "x.json"):
        done = call("corpus", "diff", path, path, cwd=tmp_path)
        assert done.returncode == USER_INPUT
        assert path in done.stderr
        assert "Traceback" not in done.stderr
