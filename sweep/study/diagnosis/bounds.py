"""What the objective would be at most if one stage alone had lost nothing, or order were ideal.

What a stage lost is put back in the best place, and the rest keeps its order. For each query the
bound is the larger of two values, and never above the best order of all of it:

* what was lost in front of what was returned: the best there is for binary metrics (a relevant
  document in front lowers no precision behind it);
* the score as it is plus the score of what was lost alone: no merged list can have more where
  gains are added up over ranks (ndcg and the like), for each part of it stands there no higher.

A passage that was lost is put back as a chunk that holds exactly this passage.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.metrics import ChunkView, Metric, score_lists
from sweep.rankings.documents import first_within_budget, to_documents
from sweep.records import Chunks, Floats, RankedLists
from sweep.study.diagnosis.examination import Evaluated
from sweep.study.rules import make_scorer
from sweep.winner.diagnosis.charge import Target

AZURE = tuple(
    f"document_retrieval.{name}"
    for name in ("ndcg", "xdcg", "fidelity", "top1_relevance", "top3_max_relevance")
)
BINARY = ("p", "recall", "hit", "rr", "map", "rprec", "bpref", "span_rr", "span_hit")
SETS = ("span_precision", "span_iou")  # one more chunk can lower them: in front, and no more
ADDED = ("ndcg", "ndcg_exp", "xdcg", "fidelity", "max_relevance", "span_ndcg", "span_recall")
ORDERED = ("span_ndcg", "span_rr")  # the span metrics of which order is a part


class Bounds:
    """Scores lists of one configuration that it might have returned.

    Args:
        engine: over the corpus.
        configuration: what retrieved.
        judging: the metric, and how it judges.
        query_ids: the queries whose mean is taken.
        output: what was returned for every query of the corpus, shape (Q, k).

    Attributes:
        scores: of the queries that the metric is defined for, in corpus order.
        rows: their positions in the corpus.
    """

    def __init__(
        self,
        engine: Engine,
        configuration: Configuration,
        judging: Evaluated,
        query_ids: Sequence[str],
        output: RankedLists,
    ) -> None:
        self.judging = judging
        self.metric: Metric = judging.metric
        self._engine = engine
        self._chunks = engine.texts.chunks(configuration.chunk)
        self._scorer = make_scorer(engine.texts, [self.metric], query_ids, judging.evaluation)
        self._output = output
        self._all = to_documents(output, self._chunks.document, aggregate=configuration.aggregate)
        self._counted = self._all  # what the metric sees of them
        if self.metric.family == "document" and self.metric.budget_tokens is not None:
            within = first_within_budget(
                output, self._chunks.tokens, budget=self.metric.budget_tokens
            )
            self._counted = to_documents(
                within, self._chunks.document, aggregate=configuration.aggregate
            )
        place = {document.id: row for row, document in enumerate(engine.corpus.documents)}
        self._grades = [
            {place[id_]: grade for id_, grade in engine.corpus.qrels.get(query.id, {}).items()}
            for query in engine.corpus.queries
        ]
        self._kept = self._scorer.defined(self.metric)
        self.rows = self._scorer.judgements.rows[self._kept]
        self.scores = self._scorer.values(self._scorer.score(configuration, output), self.metric)

    @property
    def score(self) -> float:
        """Return the mean."""
        return float(self.scores.mean()) if len(self.scores) else float("nan")

    @property
    def is_known(self) -> bool:
        """Return whether there is a bound for this metric."""
        return self.metric.name in (*BINARY, *SETS, *ADDED, *AZURE)

    def without_loss(self, lost: Sequence[Target]) -> float | None:
        """Return what the mean would be at most if these targets had been returned.

        None where the metric has no bound.
        """
        if not self.is_known:
            return None
        of_spans = self.metric.family == "span"
        own = [target for target in lost if (target.start is not None) == of_spans]
        if not own or not len(self.scores):
            return self.score
        own.sort(key=lambda target: (target.query, -target.grade))
        values = self._with_spans(own) if of_spans else self._with_documents(own)
        return float(np.maximum(self.scores, values).mean())

    def best_order(self, found: Sequence[Target]) -> float | None:
        """Return what the mean would be at most if what was returned stood in the best order.

        Args:
            found: the targets that were returned.
        """
        if not self.is_known or not len(self.scores):
            return None
        if self.metric.family == "document":
            values = self._score_documents(self._in_best_order(_rows(self._all)))
        elif self.metric.name in ORDERED:
            spans = [target for target in found if target.start is not None]
            spans.sort(key=lambda target: (target.query, -target.grade))
            values = self._score_chunks(*self._as_chunks(spans))
        else:
            return None
        return float(np.maximum(self.scores, values).mean())

    def _with_documents(self, lost: Sequence[Target]) -> Floats:
        alone = _by_query(lost, [target.document for target in lost])
        front = _in_front(alone, _rows(self._counted))
        values = self._score_documents(front)
        if self.metric.name not in BINARY:
            values = np.maximum(values, self.scores + self._score_documents(alone))
        return np.minimum(values, self._score_documents(self._in_best_order(front)))

    def _in_best_order(self, documents: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
        return {
            row: sorted(own, key=lambda document: -self._grades[row].get(document, 0))
            for row, own in documents.items()
        }

    def _score_documents(self, documents: Mapping[int, Sequence[int]]) -> Floats:
        lists = _lists(documents, len(self._output.items))
        budget = self.metric.budget_tokens
        table = score_lists(
            [self.metric],
            self._scorer.judgements,
            lists,
            budgets={} if budget is None else {budget: lists},
            relevance=self.judging.relevance,
            labels=self.judging.labels,
        )
        values: Floats = table.column(str(self.metric))[self._kept]
        return values

    def _with_spans(self, lost: Sequence[Target]) -> Floats:
        alone, chunks = self._as_chunks(lost)
        values = self._score_chunks(_in_front(alone, _rows(self._output)), chunks)
        metric = self.metric
        whole = metric.cutoff is None and metric.budget_tokens is None
        if metric.name in ADDED and not (metric.name == "span_recall" and whole):
            added = self.scores + self._score_chunks(alone, chunks)
            values = np.minimum(1.0, np.maximum(values, added))
        return values

    def _as_chunks(self, spans: Sequence[Target]) -> tuple[dict[int, list[int]], Chunks]:
        """Return passages as chunks of their own, by query, and all chunks with these behind."""
        first = len(self._chunks)
        columns = np.array(
            [(span.document, span.start, span.end) for span in spans], dtype=np.int64
        ).reshape(-1, 3)
        chunks = Chunks(
            document=np.concatenate([self._chunks.document, columns[:, 0]]),
            start=np.concatenate([self._chunks.start, columns[:, 1]]),
            end=np.concatenate([self._chunks.end, columns[:, 2]]),
            tokens=np.concatenate([self._chunks.tokens, np.zeros(len(spans), dtype=np.int64)]),
        )
        return _by_query(spans, range(first, first + len(spans))), chunks

    def _score_chunks(self, items: Mapping[int, Sequence[int]], chunks: Chunks) -> Floats:
        view = ChunkView(
            lists=_lists(items, len(self._output.items)),
            chunks=chunks,
            offsets=self._engine.texts.offsets,
            spans=self._scorer.spans,
            threshold=self.judging.threshold,
            rule=self.judging.rule,
        )
        table = score_lists(
            [self.metric],
            self._scorer.judgements,
            self._all,
            chunk_view=view,
            relevance=self.judging.relevance,
            labels=self.judging.labels,
        )
        values: Floats = table.column(str(self.metric))[self._kept]
        return values


def _by_query(targets: Sequence[Target], items: Sequence[int]) -> dict[int, list[int]]:
    """Return one item per target by query, each once."""
    found: dict[int, dict[int, None]] = {}
    for target, item in zip(targets, items, strict=True):
        found.setdefault(target.query, {})[item] = None
    return {row: list(own) for row, own in found.items()}


def _rows(lists: RankedLists) -> dict[int, list[int]]:
    """Return the items of each list without padding."""
    return {
        row: [item for item in items if item >= 0]
        for row, items in enumerate(lists.items.tolist())
    }


def _in_front(
    first: Mapping[int, Sequence[int]], rest: Mapping[int, Sequence[int]]
) -> dict[int, list[int]]:
    return {row: [*first.get(row, ()), *own] for row, own in rest.items()}


def _lists(items: Mapping[int, Sequence[int]], n_queries: int) -> RankedLists:
    """Return lists by query as padded arrays; scores fall by one."""
    width = max((len(own) for own in items.values()), default=0)
    found = np.full((n_queries, width), -1, dtype=np.int64)
    for row, own in items.items():
        found[row, : len(own)] = own
    scores = np.where(found >= 0, -np.arange(width, dtype=np.float64), np.nan)
    return RankedLists(items=found, scores=scores)
