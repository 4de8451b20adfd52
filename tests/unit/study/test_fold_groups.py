"""Which queries cross-validation keeps together, and how a study remembers it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sweep.corpus import automatic_group, query_groups
from sweep.errors import StudyError
from sweep.records import Corpus, ScoreTable
from sweep.study.choice import groups_of
from sweep.study.driver.split import study_split
from sweep.study.folder import StudyFolder
from sweep.study.space.search_space import Split
from sweep.study.tables import write_scores
from tests.corpus_files import corpus_of


def many(queries: int, *, documents: int) -> Corpus:
    """Return queries whose gold documents come round in turn."""
    qrels = {f"q{n:03}": {f"d{n % documents:03}": 1} for n in range(queries)}
    return corpus_of(["text"], qrels=qrels)


@pytest.mark.parametrize(
    ("queries", "documents", "split", "folds"),
    [
        (60, 20, Split(), "document"),  # below 200 queries, too
        (60, 19, Split(), "query"),  # too few documents to rely on
        (60, 30, Split(), "query"),  # half as many documents as queries: few are shared
        (60, 20, Split(group="query", kind="confirm", confirm=0.3), "query"),
        (60, 60, Split(group="document", kind="confirm", confirm=0.3), "document"),
        (240, 40, Split(kind="off"), "document"),
    ],
)
def test_gold_documents_keep_their_queries_in_one_fold(
    queries: int, documents: int, split: Split, folds: str
) -> None:
    corpus = many(queries, documents=documents)
    found = study_split(split, corpus)
    assert found.folds == found.to_json()["folds"] == folds
    groups = found.fold_groups(corpus)
    if folds == "query":
        assert groups is None
        return
    assert groups is not None
    gold = [next(iter(corpus.qrels[query])) for query in found.search]
    assert len(groups) == len(found.search)
    assert len(set(zip(groups, gold, strict=True))) == len(set(groups)) == len(set(gold))


def test_below_200_queries_a_share_is_divided_as_it_always_was() -> None:
    """What is kept to confirm with must not change with a study that goes on."""
    corpus = many(60, documents=20)
    split = study_split(Split(kind="confirm", confirm=0.3), corpus)
    assert (split.group, split.folds) == ("query", "document")
    assert automatic_group(corpus) == "document"
    assert query_groups(corpus, group="query")["q001"] == "query q001"
    assert query_groups(corpus, group="document")["q021"] == "document d001"


def study_with(folder: Path, groups: list[int] | None) -> Any:
    write_scores(
        folder / "scores",
        ScoreTable(query_ids=("a", "b", "c"), metrics=("rr",), values=np.zeros((3, 1))),
    )
    return SimpleNamespace(
        name="s",
        about={} if groups is None else {"fold_groups": groups},
        folder=StudyFolder(folder),
        complete=(SimpleNamespace(files={"scores": "scores"}),),
    )


def test_groups_follow_the_queries_that_a_metric_is_defined_for(tmp_path: Path) -> None:
    assert groups_of(study_with(tmp_path, [4, 7, 4]), ("a", "c")) == ("4", "4")
    assert groups_of(study_with(tmp_path, None), ("a", "c")) is None  # of an older version
    with pytest.raises(StudyError, match="group of each of 3 queries, got 2 groups"):
        groups_of(study_with(tmp_path, [4, 7]), ("a",))
