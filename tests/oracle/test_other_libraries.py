"""Generated runs, scored here and by pytrec_eval, ir_measures and ranx.

Where the rules agree, ties are part of it: pytrec_eval and what ir_measures takes from it order
equal scores (after rounding to float32) by id, falling. ir_measures breaks ties the other way for
RR@k and Judged@k, and ranx has no rule, so these get runs without ties.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import pytrec_eval
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sweep.evaluators.run_scores import RunScores, parse_metrics, score_run
from sweep.evaluators.trec_files import Qrels

Labels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

IDS = ["1", "10", "100", "9", "A", "a", "b", "ä", "c d"]
QUERIES = ["q1", "q10", "q2"]
TIED = [0.0, -1.5, 1.0, 1.0 + 1e-9, 2.0, 1e300, 16777216.0, 16777217.0]
RELAXED = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def judged(lowest: int, highest: int, *, some_relevant: bool = False) -> st.SearchStrategy[Labels]:
    # pytrec_eval crashes on labels below -1 and hangs on queries whose labels are all negative.
    label = st.dictionaries(st.sampled_from(IDS), st.integers(lowest, highest), min_size=1)
    least = 1 if some_relevant else 0
    return st.dictionaries(
        st.sampled_from(QUERIES),
        label.filter(lambda labels: max(labels.values()) >= least),
        min_size=1,
    )


TIED_RUNS = st.dictionaries(
    st.sampled_from(QUERIES),
    st.dictionaries(st.sampled_from(IDS), st.sampled_from(TIED), min_size=1),
    min_size=1,
)
STRICT_RUNS = st.dictionaries(
    st.sampled_from(QUERIES),
    st.lists(st.sampled_from(IDS), unique=True, min_size=1).map(
        lambda ids: {id_: -float(rank) for rank, id_ in enumerate(ids)}
    ),
    min_size=1,
)


@pytest.fixture(scope="module")
def ir_measures() -> Any:
    return pytest.importorskip("ir_measures")


@pytest.fixture(scope="module")
def ranx() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # compiling takes a minute, the lists are short
        yield pytest.importorskip("ranx")


def score(qrels: Labels, run: Run, metrics: list[str]) -> RunScores:
    assume(qrels.keys() & run.keys())
    chosen = parse_metrics(",".join(metrics))
    return score_run(chosen, Qrels(graded=qrels, binary=qrels), run, chunk_separator="")


def means(scores: RunScores) -> list[float]:
    return [scores.table.mean(name) for name in scores.table.metrics]


@given(judged(-1, 4), TIED_RUNS)
@settings(deadline=None)
def test_pytrec_eval_ties_included(qrels: Labels, run: Run) -> None:
    names = {
        "ndcg": "ndcg",
        "ndcg@3": "ndcg_cut_3",
        "p@3": "P_3",
        "recall@3": "recall_3",
        "hit@3": "success_3",
        "rr": "recip_rank",
        "map": "map",
        "map@3": "map_cut_3",
        "rprec": "Rprec",
        "bpref": "bpref",
    }
    ours = score(qrels, run, list(names))
    measures = {name.replace("_3", ".3") for name in names.values()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for query, values in zip(ours.table.query_ids, ours.table.values.tolist(), strict=True):
        found = theirs.get(query, {})
        expected = [found.get(name, 0.0) for name in names.values()]
        assert values == pytest.approx(expected, abs=1e-9)


@given(judged(-1, 4), TIED_RUNS)
@RELAXED
def test_ir_measures_ties_included(ir_measures: Any, qrels: Labels, run: Run) -> None:
    names = {
        "ndcg": "nDCG",
        "ndcg@2": "nDCG@2",
        "p@2": "P@2",
        "p(rel=2)@2": "P(rel=2)@2",
        "recall@2": "R@2",
        "recall(rel=3)@2": "R(rel=3)@2",
        "hit@2": "Success@2",
        "rr": "RR",
        "map": "AP",
        "map(rel=2)": "AP(rel=2)",
        "map@2": "AP@2",
        "rprec": "Rprec",
        "bpref": "Bpref",
    }
    compare_with_ir_measures(ir_measures, qrels, run, names)


@given(judged(-1, 4), STRICT_RUNS)
@RELAXED
def test_ir_measures_where_its_ties_go_the_other_way(
    ir_measures: Any, qrels: Labels, run: Run
) -> None:
    compare_with_ir_measures(ir_measures, qrels, run, {"rr@2": "RR@2", "judged@2": "Judged@2"})


def compare_with_ir_measures(
    ir_measures: Any, qrels: Labels, run: Run, names: dict[str, str]
) -> None:
    ours = means(score(qrels, run, list(names)))
    measures = [ir_measures.parse_measure(name) for name in names.values()]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)  # absent queries count as 0
    assert ours == pytest.approx([theirs[measure] for measure in measures], abs=1e-9)


@given(judged(0, 4, some_relevant=True), STRICT_RUNS)
@RELAXED
def test_ranx(ranx: Any, qrels: Labels, run: Run) -> None:
    names = {
        "ndcg": "ndcg",
        "ndcg@2": "ndcg@2",
        "ndcg_exp@3": "ndcg_burges@3",
        "p@2": "precision@2",
        "recall@2": "recall@2",
        "hit@2": "hit_rate@2",
        "rr": "mrr",
        "rr@2": "mrr@2",
        "map": "map",
        "map@2": "map@2",
        "rprec": "r-precision",
    }
    ours = means(score(qrels, run, list(names)))
    theirs = ranx.evaluate(
        ranx.Qrels(qrels), ranx.Run(run), list(names.values()), make_comparable=True
    )
    assert ours == pytest.approx([theirs[name] for name in names.values()], abs=1e-9)
