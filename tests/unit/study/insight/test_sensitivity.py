"""Who wins under which rule of span relevance, on two trials worked by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.errors import StudyError
from sweep.metrics import parse_metric
from sweep.records import Chunks, Corpus, Document, Query, RankedLists, ScoreTable, Span
from sweep.records import TokenOffsets as Offsets
from sweep.study.folder import StudyFolder
from sweep.study.insight.sensitivity import span_sensitivity
from sweep.study.metrics import Goal
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord

CORPUS = Corpus(
    documents=(Document(id="d", text="x" * 100),),
    queries=(Query(id="q", text="x"), Query(id="unjudged", text="y")),
    qrels={"q": {"d": 1}},
    spans=(Span(query_id="q", document_id="d", start=10, end=30, grade=1),),
    hash="0" * 64,
    name="made",
)
# Trial 0 finds a part of the span at once; trial 1 the span with its surroundings, at rank 2.
FOUND = {0: [(10, 18)], 1: [(50, 60), (5, 35)]}
COVERAGE, IOU = ("coverage", 0.5), ("iou", 0.5)


def chunks_of(places: list[tuple[int, int]]) -> Chunks:
    start, end = np.array(places, dtype=np.int64).T
    return Chunks(document=0 * start, start=start, end=end, tokens=end - start)


def make_study(folder: Path, **changes: Any) -> tuple[Any, Any]:
    """Return what stands for a study and its engine."""
    chunkings, trials = {}, []
    for number, places in FOUND.items():
        config = Configuration(mode="bm25", bm25=Bm25Config(), chunk=ChunkConfig(size=number + 1))
        chunkings[config.chunk] = chunks_of(places)
        items = np.full((2, len(places)), -1, dtype=np.int64)
        items[0] = np.arange(len(places))
        scores = np.where(items >= 0, -items.astype(np.float64), np.nan)
        lists = RankedLists(items=items, scores=scores)
        files = {"ranking": f"{number}.ranking", "scores": f"{number}.scores"}
        write_ranking(folder / files["ranking"], lists, chunkings[config.chunk], CORPUS)
        table = ScoreTable(query_ids=("q",), metrics=(), values=np.empty((1, 0)))
        write_scores(folder / files["scores"], table)
        trials.append(
            TrialRecord(number=number, state="COMPLETE", configuration=config, files=files)
        )
    rule, threshold = changes.pop("rule", COVERAGE)
    evaluation = {"relevance": 1, "span_rule": rule, "span_threshold": threshold}
    study = {
        "name": "s",
        "goals": (Goal(metric=parse_metric("span_rr"), maximize=True),),
        "feasible": tuple(trials),
        "folder": StudyFolder(folder),
        "about": {"identity": {"evaluation": evaluation}},
        **changes,
    }
    nothing = np.empty(0, dtype=np.int64)
    offsets = Offsets(
        indptr=np.array([0, 0]), starts=nothing, ends=nothing, continues=nothing.astype(bool)
    )
    texts = SimpleNamespace(corpus=CORPUS, offsets=offsets, chunks=chunkings.__getitem__)
    return SimpleNamespace(**study), SimpleNamespace(texts=texts, corpus=CORPUS)


def readings(study: Any, engine: Any) -> list[tuple[Any, ...]]:
    found = span_sensitivity(study, engine)
    return [
        (r.rule, r.threshold, r.best, r.score, r.score_of_winner, r.differs)
        for r in found.readings
    ]


def test_by_hand_where_the_study_took_coverage(tmp_path: Path) -> None:
    """IoU: 8 / 20 = .4 for trial 0, 20 / 30 = .67 for trial 1, which alone holds the span."""
    study, engine = make_study(tmp_path)
    assert readings(study, engine) == [
        ("coverage", 0.25, 0, 1.0, 1.0, False),
        ("coverage", 0.5, 0, 1.0, 1.0, False),
        ("coverage", 0.75, 0, 1.0, 1.0, False),
        ("iou", 0.25, 0, 1.0, 1.0, False),
        ("iou", 0.5, 1, 0.5, 0.0, True),
        ("iou", 0.75, 0, 0.0, 0.0, False),  # nobody finds anything: the winner is as good as any
        ("containment", None, 1, 0.5, 0.0, True),
    ]
    found = span_sensitivity(study, engine)
    assert (found.winner, found.changes, found.queries) == (0, 2, 1)
    assert [r.threshold for r in found.readings if r.own] == [0.5]
    assert found.to_json()["readings"][6]["threshold"] is None


def test_the_studys_own_rule_is_among_them_and_its_winner_is_compared(tmp_path: Path) -> None:
    rows = readings(*make_study(tmp_path, rule=("iou", 0.6)))
    assert ("iou", 0.6, 1, 0.5, 0.5, False) in rows
    assert ("coverage", 0.5, 0, 1.0, 0.5, True) in rows
    assert len(rows) == 8
    contained = span_sensitivity(*make_study(tmp_path, rule=("containment", 0.5)))
    assert [(r.rule, r.threshold) for r in contained.readings if r.own] == [("containment", None)]
    assert len(contained.readings) == 7


def test_a_lower_score_may_be_the_better_one(tmp_path: Path) -> None:
    """Trial 0 has 1 under coverage and iou .25, 0 under the others, where trial 1 has .5."""
    goals = (Goal(metric=parse_metric("span_rr"), maximize=False),)
    found = span_sensitivity(*make_study(tmp_path, goals=goals))
    assert found.winner == 1
    assert [(r.rule, r.threshold) for r in found.readings if r.differs] == [
        ("iou", 0.5),
        ("containment", None),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"goals": ("ndcg@10",)}, "span_ndcg, span_rr, span_hit.*got ndcg@10"),
        ({"goals": ("span_recall@5",)}, "got span_recall@5"),
        ({"goals": ("span_rr", "work")}, "got span_rr, work"),
        ({"feasible": ()}, "must hold a finished trial"),
    ],
)
def test_studies_that_no_rule_enters(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    if "goals" in changes:
        goals = [Goal(metric=parse_metric(name), maximize=True) for name in changes["goals"]]
        changes = {"goals": goals}
    study, engine = make_study(tmp_path, **changes)
    with pytest.raises(StudyError, match=message):
        span_sensitivity(study, engine)
