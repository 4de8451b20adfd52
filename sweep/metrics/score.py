"""One configuration's ranked lists in, one table of scores per query and metric out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweep.errors import MetricError
from sweep.metrics.chunk_view import ChunkView
from sweep.metrics.document_metrics import FORMULAS, At
from sweep.metrics.document_retrieval import score_document_retrieval
from sweep.metrics.judged_lists import JudgedLists, judge_lists
from sweep.metrics.judgements import Judgements, SpanJudgements
from sweep.metrics.names import AZURE, DEFAULT_LABELS, Metric
from sweep.metrics.span_metrics import SpanScorer
from sweep.records import Floats, RankedLists, ScoreTable

__all__ = ["ChunkView", "defined_rows", "score_lists"]


def score_lists(
    metrics: Sequence[Metric],
    judgements: Judgements,
    documents: RankedLists,
    *,
    budgets: Mapping[int, RankedLists] | None = None,
    chunk_view: ChunkView | None = None,
    relevance: int = 1,
    labels: tuple[int, int] = DEFAULT_LABELS,
) -> ScoreTable:
    """Score one configuration's lists, one row per judged query.

    A judged query with an empty list scores 0 and counts. The only NaN are those of span metrics
    for queries without a span: restrict to `defined_rows` before averaging. The fidelity of
    `document_retrieval.fidelity` is 0 where the evaluator calls it undefined.

    Args:
        metrics: M metrics; costs other than `context_tokens` are not computed here.
        judgements: J judged queries of the corpus's Q.
        documents: shape (Q, k), document positions, each once per list, -1 at the end.
        budgets: for `recall@Ntok` and `ndcg@Ntok`: by N, the document lists made from the chunks
            that fit N tokens.
        chunk_view: for span metrics and `context_tokens`.
        relevance: relevance level of metrics that name none, >= 1.
        labels: lowest and highest label of the judgements' range, for fidelity and the Azure set.

    Returns:
        Values of shape (J, M).

    Raises:
        MetricError: if a list holds a document twice, a shape does not fit, a metric needs what
            was not given, or a label of the Azure set lies outside `labels`.
    """
    if relevance < 1:
        raise MetricError(f"relevance: must be >= 1, got {relevance}. Use 1, the default.")
    scorer = _Scorer(
        judgements=judgements,
        documents=documents,
        budgets=budgets or {},
        chunk_view=chunk_view,
        relevance=relevance,
        labels=labels,
    )
    columns = [scorer.score(metric) for metric in metrics]
    values = np.stack(columns, axis=1) if columns else np.zeros((len(judgements), 0))
    return ScoreTable(
        query_ids=judgements.query_ids,
        metrics=tuple(str(metric) for metric in metrics),
        values=values,
    )


def defined_rows(
    metric: Metric, judgements: Judgements, spans: SpanJudgements | None
) -> NDArray[np.bool_]:
    """Return for which judged queries a metric is defined, shape (J,).

    Span metrics are defined where a query has a span, all others everywhere. An aggregate or a
    comparison is taken over these rows only.
    """
    if metric.family != "span":
        return np.ones(len(judgements), dtype=np.bool_)
    if spans is None:
        return np.zeros(len(judgements), dtype=np.bool_)
    has_span = np.bincount(spans.query, minlength=spans.n_queries) > 0
    return has_span[judgements.rows]


@dataclass(kw_only=True)
class _Scorer:
    """Prepares what several metrics share when the first of them asks for it."""

    judgements: Judgements
    documents: RankedLists
    budgets: Mapping[int, RankedLists]
    chunk_view: ChunkView | None
    relevance: int
    labels: tuple[int, int]
    judged: dict[int | None, JudgedLists] = field(default_factory=dict)
    azure: dict[str, Floats] = field(default_factory=dict)
    spans: SpanScorer | None = None

    def score(self, metric: Metric) -> Floats:
        """Return one metric's column, shape (J,)."""
        relevance = self.relevance if metric.relevance is None else metric.relevance
        if metric.family == "span":
            values = self._span_scorer(metric).score(metric, relevance=relevance)
            return values[self.judgements.rows]
        if metric.name == "context_tokens":
            return self._span_scorer(metric).context_tokens(metric)[self.judgements.rows]
        if metric.family == "cost":
            raise MetricError(
                f"metric '{metric}': must be measured where the cost arises, got it in the list "
                "of metrics to score. Leave it out here."
            )
        if metric.name.startswith(AZURE):
            return self._azure_value(str(metric).removeprefix(AZURE))
        at = At(cutoff=metric.cutoff, relevance=relevance, label_min=self.labels[0])
        return FORMULAS[metric.name](self._lists(metric.budget_tokens), at)

    def _lists(self, budget: int | None) -> JudgedLists:
        if budget in self.judged:
            return self.judged[budget]
        lists = self.documents if budget is None else self.budgets.get(budget)
        if lists is None:
            raise MetricError(
                f"metric @{budget}tok: needs the document lists within that budget, got those "
                f"within {sorted(self.budgets)}. Pass them as budgets."
            )
        self.judged[budget] = judge_lists(self.judgements, lists)
        return self.judged[budget]

    def _azure_value(self, name: str) -> Floats:
        if not self.azure:
            given, (low, high) = self.judgements.ideal_label, self.labels
            if given.size and not low <= given.min() <= given.max() <= high:
                raise MetricError(
                    f"metric '{AZURE}{name}': labels must lie in {low} to {high}, got "
                    f"{given.min()} to {given.max()}. Set evaluation.labels to your range."
                )
            self.azure = score_document_retrieval(self._lists(None), labels=self.labels)
        return np.nan_to_num(self.azure[name], nan=0.0)

    def _span_scorer(self, metric: Metric) -> SpanScorer:
        if self.chunk_view is None:
            raise MetricError(
                f"metric '{metric}': needs the chunk lists, got none. Pass chunk_view."
            )
        if self.spans is None:
            if self.chunk_view.spans.n_queries != self.judgements.n_queries:
                raise MetricError(
                    f"chunk view: must be of the corpus's {self.judgements.n_queries} queries, "
                    f"got {self.chunk_view.spans.n_queries}. Prepare both from one corpus."
                )
            self.spans = SpanScorer(self.chunk_view)
        return self.spans
