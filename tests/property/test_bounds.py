"""No way of putting back what was lost scores more than the bound says."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sweep.configuration import ChunkConfig
from sweep.engine.engine import Engine
from sweep.metrics import Metric, parse_metric
from sweep.records import RankedLists
from sweep.study.diagnosis.bounds import ADDED, AZURE, BINARY, Bounds
from sweep.study.diagnosis.examination import Evaluated
from sweep.winner.diagnosis.charge import Target
from tests.diagnosed import BM25, corpus_of_spans
from tests.engine_inputs import engine_on

DOCUMENTS = 7
METRICS = [
    "ndcg@3", "ndcg@10", "ndcg_exp@4", "xdcg@3", "fidelity", "fidelity@2", "max_relevance@2",
    "p@3", "recall@3", "recall", "hit@2", "rr", "rr@2", "map", "map@3", "rprec", "bpref",
    "document_retrieval.ndcg@3", "document_retrieval.xdcg@3", "document_retrieval.fidelity",
    "document_retrieval.top1_relevance", "document_retrieval.top3_max_relevance",
]  # fmt: skip
SPANS = [
    "span_rr",
    "span_hit@2",
    "span_ndcg@3",
    "span_recall",
    "span_recall@2",
    "span_recall@9tok",
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over seven documents of four words, each a passage of its second word."""
    texts = {f"d{n}": f"oak w{n} ash elm" for n in range(DOCUMENTS)}
    passages = [("q", id_, f"w{id_[1]}") for id_ in texts]
    corpus = corpus_of_spans(texts, {"q": "oak"}, {"q": {"d0": 1}}, passages)
    return engine_on(tmp_path_factory.mktemp("store"), corpus)


def merges(kept: list[int], lost: list[int]) -> Iterator[list[int]]:
    """Yield every list that has `kept` in its order, and `lost` in any order in between."""
    size = len(kept) + len(lost)
    for order in itertools.permutations(lost):
        for places in itertools.combinations(range(size), len(lost)):
            rest, put = iter(kept), dict(zip(places, order, strict=True))
            yield [put[place] if place in put else next(rest) for place in range(size)]


def bounds_of(engine: Engine, metric: Metric, items: list[int]) -> Bounds:
    scores = -np.arange(len(items), dtype=np.float64)[None]
    judging = Evaluated(metric=metric, relevance=1, labels=(0, 4), threshold=0.5, rule="coverage")
    whole = replace(BM25, chunk=ChunkConfig(splitter="document", size=None))
    output = RankedLists(items=np.array([items], dtype=np.int64).reshape(1, -1), scores=scores)
    return Bounds(engine, whole, judging, ["q"], output)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", METRICS)
@given(
    grades=st.lists(st.integers(0, 3), min_size=DOCUMENTS, max_size=DOCUMENTS),
    split=st.permutations(range(DOCUMENTS)),
    sizes=st.tuples(st.integers(0, 4), st.integers(1, 2)),
)
def test_documents(
    engine: Engine,
    name: str,
    grades: list[int],
    split: list[int],
    sizes: tuple[int, int],
) -> None:
    kept, lost = split[: sizes[0]], split[sizes[0] : sum(sizes)]
    lost = [n for n in lost if grades[n] > 0]
    corpus = replace(engine.corpus, qrels={"q": {f"d{n}": g for n, g in enumerate(grades)}})
    judged = Engine(corpus, engine.options)
    metric = parse_metric(name)
    targets = [
        Target(query=0, document=n, document_id=f"d{n}", grade=grades[n], chunks=(n,))
        for n in lost
    ]
    bounds = bounds_of(judged, metric, kept)
    bound = bounds.without_loss(targets)
    best = max(bounds_of(judged, metric, merged).score for merged in merges(kept, lost))
    assert bound is not None
    assert bound >= best - 1e-9
    ideal = bounds.best_order([])
    orders = [
        bounds_of(judged, metric, list(order)).score for order in itertools.permutations(kept)
    ]
    assert ideal == pytest.approx(max(orders), abs=1e-9)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", SPANS)
@given(
    split=st.permutations(range(DOCUMENTS)), sizes=st.tuples(st.integers(0, 4), st.integers(1, 2))
)
def test_passages(engine: Engine, name: str, split: list[int], sizes: tuple[int, int]) -> None:
    kept, lost = split[: sizes[0]], split[sizes[0] : sum(sizes)]
    metric = parse_metric(name)
    spans = {span.document_id: span for span in engine.corpus.spans}
    targets = [
        Target(
            query=0,
            document=n,
            document_id=f"d{n}",
            grade=1,
            start=spans[f"d{n}"].start,
            end=spans[f"d{n}"].end,
            chunks=(n,),
        )
        for n in lost
    ]
    bound = bounds_of(engine, metric, kept).without_loss(targets)
    best = max(bounds_of(engine, metric, merged).score for merged in merges(kept, lost))
    assert bound is not None
    assert bound >= best - 1e-9


def test_every_metric_with_a_bound_is_tried() -> None:
    tried = {parse_metric(name).name for name in METRICS + SPANS}
    assert tried == {*BINARY, *ADDED, *AZURE}


def test_costs_and_holes_have_none(engine: Engine) -> None:
    bounds = bounds_of(engine, parse_metric("holes_ratio@3"), [0])
    assert bounds.without_loss([]) is None
    assert bounds.best_order([]) is None
