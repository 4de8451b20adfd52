"""A configuration's output -> its score table over one set of queries."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.stages.texts import TextStages
from sweep.metrics import (
    ChunkView,
    Judgements,
    Metric,
    SpanJudgements,
    SpanRule,
    defined_rows,
    prepare_judgements,
    prepare_spans,
    score_lists,
)
from sweep.rankings.documents import first_within_budget, to_documents
from sweep.records import Corpus, Floats, RankedLists, ScoreTable


class Scorer:
    """Scores outputs against the judgements of some of the corpus's queries.

    Args:
        texts: the stages that hold chunks and token offsets.
        metrics: what to compute; costs of whole configurations are left out.
        query_ids: the judged queries to score; the judgements of others are not even looked at.
        relevance: level of metrics that name none.
        labels: the judgements' range, for fidelity and the `document_retrieval` set.
        threshold: share from which a chunk and a span match.
        span_rule: of what that share is; see `sweep.metrics.ChunkView`.
    """

    def __init__(
        self,
        texts: TextStages,
        metrics: Sequence[Metric],
        query_ids: Collection[str],
        *,
        relevance: int = 1,
        labels: tuple[int, int] = (0, 4),
        threshold: float = 0.5,
        span_rule: SpanRule = "coverage",
    ) -> None:
        self.texts = texts
        self.metrics = [m for m in metrics if m.per_query]
        self.relevance = relevance
        self.labels = labels
        self.threshold = threshold
        self.span_rule: SpanRule = span_rule
        seen = _restricted(texts.corpus, frozenset(query_ids))
        self.judgements: Judgements = prepare_judgements(seen)
        self.spans: SpanJudgements = prepare_spans(seen)

    def score(
        self,
        configuration: Configuration,
        output: RankedLists,
        *,
        metrics: Sequence[Metric] | None = None,
    ) -> ScoreTable:
        """Return the scores of an output over all queries of the corpus.

        Args:
            configuration: what made the output.
            output: ranked chunks, shape (Q, k).
            metrics: per-query metrics to compute in place of the scorer's own.
        """
        metrics = self.metrics if metrics is None else metrics
        chunks = self.texts.chunks(configuration.chunk)
        aggregate = configuration.aggregate
        budgets = {
            budget: to_documents(
                first_within_budget(output, chunks.tokens, budget=budget),
                chunks.document,
                aggregate=aggregate,
            )
            for budget in {m.budget_tokens for m in metrics if m.family == "document"}
            if budget is not None
        }
        return score_lists(
            metrics,
            self.judgements,
            to_documents(output, chunks.document, aggregate=aggregate),
            budgets=budgets,
            chunk_view=ChunkView(
                lists=output,
                chunks=chunks,
                offsets=self.texts.offsets,
                spans=self.spans,
                threshold=self.threshold,
                rule=self.span_rule,
            ),
            relevance=self.relevance,
            labels=self.labels,
        )

    def defined(self, metric: Metric) -> np.ndarray:
        """Return which rows of a table the metric is defined for, shape (J,)."""
        return defined_rows(metric, self.judgements, self.spans)

    def mean(self, table: ScoreTable, metric: Metric) -> float:
        """Return the mean over the queries that the metric is defined for; NaN if none is."""
        values = self.values(table, metric)
        return float(values.mean()) if len(values) else float("nan")

    def values(self, table: ScoreTable, metric: Metric) -> Floats:
        """Return the scores of the queries that the metric is defined for."""
        values: Floats = table.column(str(metric))[self.defined(metric)]
        return values


def _restricted(corpus: Corpus, query_ids: frozenset[str]) -> Corpus:
    return replace(
        corpus,
        qrels={query: grades for query, grades in corpus.qrels.items() if query in query_ids},
        spans=tuple(span for span in corpus.spans if span.query_id in query_ids),
    )
