"""A corpus folder is written whole or not at all, and holds exactly what was read."""

from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.corpus.write import check_target, write_corpus
from sweep.errors import CorpusError
from sweep.records import Corpus
from sweep.whole_folder import whole_folder
from tests.corpus_files import write_corpus as write_files

CONTENT: dict[str, Any] = {
    "corpus": [
        {"_id": "a b", "title": "A", "text": "ant\r\n\u2028", "metadata": {"metadata": 1}},
        {"_id": "007", "text": ""},
    ],
    "queries": [{"_id": "q1", "text": "?", "kind": "k"}, {"_id": "q0", "text": "!"}],
    "qrels": "q1\ta b\t-1\nq0\t007\t2\n",
    "spans": [{"query-id": "q1", "corpus-id": "a b", "start": 0, "end": 3, "score": 1}],
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return read_corpus(write_files(tmp_path / "source", **CONTENT))


def test_what_is_written_is_what_was_read(corpus: Corpus, tmp_path: Path) -> None:
    again = read_corpus(write_corpus(corpus, tmp_path / "out"))
    assert (again.documents, again.queries, again.qrels) == (
        corpus.documents,
        corpus.queries,
        corpus.qrels,
    )
    assert (again.spans, again.hash, again.name) == (corpus.spans, corpus.hash, "out")


def test_a_corpus_is_replaced_only_when_asked_for(corpus: Corpus, tmp_path: Path) -> None:
    out = write_corpus(corpus, tmp_path / "out", about={"made": "by test"})
    with pytest.raises(CorpusError, match="holds a corpus. Give --force"):
        write_corpus(corpus, out)
    write_corpus(corpus, out, replace=True)
    assert not (out / "conversion.json").exists()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"holds other files \(notes.txt\). It is left alone"):
        write_corpus(corpus, out, replace=True)
    assert (out / "notes.txt").exists()


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    with pytest.raises(CorpusError, match="holds other files"):
        check_target(tmp_path / "out", replace=True)
    (tmp_path / "empty").mkdir()
    check_target(tmp_path / "empty", replace=False)


def test_an_interrupted_folder_is_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").touch()

    def interrupted() -> None:
        with whole_folder(out) as folder:
            (folder / "new").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert sorted(tmp_path.rglob("*")) == [out, out / "old"]
    with whole_folder(out) as folder:
        (folder / "new").touch()
    assert sorted(tmp_path.rglob("*")) == [out, out / "new"]


def test_a_full_disk_leaves_nothing_behind(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = write_corpus(corpus, tmp_path / "out")
    before = sorted(tmp_path.rglob("*"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sweep.corpus.write._qrels", full)
    with pytest.raises(CorpusError, match="No space left on device"):
        write_corpus(corpus, out, replace=True)
    assert sorted(tmp_path.rglob("*")) == before
    assert read_corpus(out).hash == corpus.hash
