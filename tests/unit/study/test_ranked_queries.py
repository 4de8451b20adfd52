"""A trial's stored ranking, joined with its corpus again."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.corpus import read_corpus
from sweep.errors import StudyError
from sweep.records import Chunks, RankedLists, ScoreTable
from sweep.study.folder import StudyFolder
from sweep.study.ranked_queries import ranked_queries
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord
from tests.corpus_files import HEADER, write_corpus

DOCUMENTS = [{"_id": "a", "text": "red green blue"}, {"_id": "b", "text": "one two"}]
QUERIES = [{"_id": id_, "text": f"ask {id_}"} for id_ in ("q1", "q2", "q3", "q4")]
QRELS = HEADER + "q1\tb\t2\nq3\ta\t1\nq4\ta\t1\n"
# rows: red [0, 3), green [4, 9), blue [10, 14) of a; one [0, 3), two [4, 7) of b
CHUNKS = Chunks(
    document=np.array([0, 0, 0, 1, 1]),
    start=np.array([0, 4, 10, 0, 4]),
    end=np.array([3, 9, 14, 3, 7]),
    tokens=np.ones(5, dtype=np.int64),
)
LISTS = RankedLists(
    items=np.array([[3, 1, 2], [4, -1, -1], [-1, -1, -1], [0, -1, -1]]),
    scores=np.array([[4.0, 3.0, 2.0], [1.0, np.nan, np.nan], [np.nan] * 3, [1.0, np.nan, np.nan]]),
)


@pytest.fixture
def study(tmp_path: Path) -> Any:
    """Return what stands for a study: q4 is kept to confirm, and q2 is not judged."""
    folder = write_corpus(tmp_path / "c", corpus=DOCUMENTS, queries=QUERIES, qrels=QRELS)
    corpus = read_corpus(folder)
    write_ranking(tmp_path / "ranking", LISTS, CHUNKS, corpus)
    table = ScoreTable(query_ids=("q1", "q3"), metrics=(), values=np.empty((2, 0)))
    write_scores(tmp_path / "scores", table)
    identity = {"corpus": corpus.hash}
    return SimpleNamespace(
        name="s",
        folder=StudyFolder(tmp_path),
        corpus_folder=folder,
        about={"identity": identity},
        corpus=None,
    )


def trial(aggregate: str = "max", **changes: Any) -> TrialRecord:
    config = Configuration(mode="bm25", bm25=Bm25Config(), aggregate=aggregate)
    files = {"ranking": "ranking", "scores": "scores"}
    fields = {"number": 5, "state": "COMPLETE", "files": files, **changes}
    return TrialRecord(configuration=config, **fields)


def test_every_query_with_its_chunks_and_judgements(study: Any) -> None:
    first, second, third, fourth = ranked_queries(study, trial())
    assert [(c.chunk, c.document_id, c.start, c.end, c.score, c.text) for c in first.chunks] == [
        (3, "b", 0, 3, 4.0, "one"),
        (1, "a", 4, 9, 3.0, "green"),
        (2, "a", 10, 14, 2.0, "blue"),
    ]
    assert (first.query.text, first.judged) == ("ask q1", {"b": 2})
    assert (second.judged, second.documents) == ({}, [("b", 1.0)])
    assert (third.query.id, third.chunks, third.documents) == ("q3", [], [])
    assert fourth.query.id == "q4"


@pytest.mark.parametrize(
    ("aggregate", "documents"),
    [
        ("max", [("b", 4.0), ("a", 3.0)]),
        ("first", [("b", 4.0), ("a", 3.0)]),
        ("sum", [("a", 5.0), ("b", 4.0)]),
        ("mean@2", [("b", 4.0), ("a", 2.5)]),
    ],
)
def test_documents_as_the_trial_aggregates_them(
    study: Any, aggregate: str, documents: list[tuple[str, float]]
) -> None:
    assert ranked_queries(study, trial(aggregate))[0].documents == documents


def test_search_only_leaves_out_confirm_and_unjudged_queries(study: Any) -> None:
    ranked = ranked_queries(study, trial(), search_only=True)
    assert [one.query.id for one in ranked] == ["q1", "q3"]


def test_a_failed_trial_a_changed_corpus_and_a_lost_file(study: Any) -> None:
    with pytest.raises(StudyError, match="only a finished trial has ranked lists, got #5"):
        ranked_queries(study, trial(state="FAIL", files={}))
    (study.folder.path / "ranking").unlink()
    with pytest.raises(StudyError, match="must be a trial's table"):
        ranked_queries(study, trial())
    study.about["identity"]["corpus"], study.corpus = "other", None
    with pytest.raises(StudyError, match="its corpus must be unchanged"):
        ranked_queries(study, trial())
