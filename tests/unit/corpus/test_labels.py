"""Labels joined to a corpus make the corpus that a folder with them would be."""

from pathlib import Path

from sweep.corpus import read_corpus
from sweep.corpus.labels import hash_labels, join_labels
from tests.corpus_files import HEADER, write_corpus


def test_the_joined_corpus_is_that_of_a_folder_with_the_labels(tmp_path: Path) -> None:
    before = read_corpus(write_corpus(tmp_path / "a", qrels=HEADER + "q1\td2\t1\n"))
    after = read_corpus(write_corpus(tmp_path / "b", qrels=HEADER + "q1\td1\t0\nq1\td2\t1\n"))
    joined = join_labels(before, {("q1", "d1"): 0})
    assert joined.hash == after.hash != before.hash
    assert joined.qrels == after.qrels
    assert list(joined.qrels["q1"]) == ["d1", "d2"]
    assert hash_labels(joined) == hash_labels(after) != hash_labels(before)
    assert before.qrels == {"q1": {"d2": 1}}
    assert join_labels(before, {}).hash == before.hash
