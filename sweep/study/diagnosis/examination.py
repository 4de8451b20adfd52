"""One configuration looked at closely: its lists for some queries, and where targets stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.hits import corpus_texts
from sweep.engine.stages.output import FIRST_DEPTH, first_depth, first_mode
from sweep.engine.traces import MatchedTerms, Trace, asked_depth, is_approximate
from sweep.metrics import Metric, SpanRule, parse_metric
from sweep.study.metrics import label_range
from sweep.study.rules import evaluation_of
from sweep.study.space.search_space import Evaluation
from sweep.study.study import Study
from sweep.winner.diagnosis.charge import ListName, Pipeline, Place, Stage, Target
from sweep.winner.diagnosis.diagnosis import Gold, Returned
from sweep.winner.diagnosis.standing import Standing, Standings, places_of

LONGEST = 500  # characters of a text that are kept
FALLBACK = "ndcg@10"  # where no objective is a quality of each query


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """How a study judges: its metric, and when a document or a chunk is relevant."""

    metric: Metric
    relevance: int
    labels: tuple[int, int]
    threshold: float
    rule: SpanRule

    @property
    def evaluation(self) -> Evaluation:
        """Return the rules alone."""
        return Evaluation(
            label_min=self.labels[0],
            label_max=self.labels[1],
            relevance=self.relevance,
            span_rule=self.rule,
            span_threshold=self.threshold,
        )


def evaluated(study: Study, engine: Engine) -> Evaluated:
    """Return how a study judges; the metric is its first objective that is a quality."""
    evaluation = evaluation_of(study)
    goals = (goal.metric for goal in study.goals if goal.maximize)
    quality = (m for m in goals if m.family != "cost" and m.higher_is_better)
    return Evaluated(
        metric=next(quality, parse_metric(FALLBACK)),
        relevance=evaluation.relevance,
        labels=label_range(evaluation, engine.corpus),
        threshold=evaluation.span_threshold,
        rule=evaluation.span_rule,
    )


def pipeline_of(configuration: Configuration) -> Pipeline:
    """Return how far each stage of a configuration lets something through."""
    rerank, hybrid = configuration.rerank, configuration.hybrid
    single = max(FIRST_DEPTH, first_depth(configuration), rerank.depth if rerank else 0)
    first = cast(Literal["bm25", "vector", "hybrid"], first_mode(configuration))
    return Pipeline(
        first=first,
        listed=hybrid.depth if first == "hybrid" and hybrid else single,
        asked=asked_depth(configuration) if is_approximate(configuration) else None,
        rerank_depth=rerank.depth if rerank else None,
        top_k=configuration.top_k,
    )


class Examination:
    """Reads the lists of a configuration.

    Args:
        engine: over the corpus.
        configuration: what retrieves.
    """

    def __init__(self, engine: Engine, configuration: Configuration) -> None:
        self.engine = engine
        self.configuration = configuration
        self.chunks = engine.texts.chunks(configuration.chunk)
        self.pipeline = pipeline_of(configuration)
        self._texts = corpus_texts(engine.corpus, self.chunks)
        searched = self.pipeline.first != "vector"
        self._terms = MatchedTerms(engine, configuration) if searched else None

    def standings(self, trace: Trace, row: int) -> Standings:
        """Return the lists of one query, `row` of a trace."""
        lists = {name: getattr(trace, name) for name in Trace.__slots__ if name != "output"}
        unit, document = self.configuration.top_k_unit, self.chunks.document
        return {
            cast(ListName, name): Standing(one, row, document, unit=unit)
            for name, one in lists.items()
            if one is not None
        }

    def shares_term(self, query: str, chunks: Sequence[int]) -> bool | None:
        """Return whether a chunk shares a term with a query; None where BM25 does not search."""
        return None if self._terms is None else self._terms.shares_any(query, chunks)

    def returned(
        self,
        query: str,
        items: Sequence[int],
        scores: Sequence[float],
        *,
        judged: Mapping[str, int],
        standings: Standings | None = None,
        matching: Mapping[int, int] | None = None,
    ) -> tuple[Returned, ...]:
        """Return chunks of an output as people read them, best first.

        Args:
            query: its text.
            items: chunk rows, the beginning of the output.
            scores: of these chunks.
            judged: the query's grade by document id.
            standings: the query's lists, for the ranks in them.
            matching: number of relevant passages that a chunk matches, by row.
        """
        hits = self._texts.hits(
            np.array(items, dtype=np.int64), np.array(scores, dtype=np.float64)
        )
        terms = self._terms.shared(query, items) if self._terms else [{}] * len(hits)
        return tuple(
            Returned(
                rank=hit.rank,
                score=hit.score,
                document_id=hit.document_id,
                title=hit.title,
                start=hit.start,
                end=hit.end,
                text=shortened(hit.text),
                label=judged.get(hit.document_id),
                places=places_of(standings or {}, [hit.chunk]),
                terms=shared,
                spans=(matching or {}).get(hit.chunk, 0),
            )
            for hit, shared in zip(hits, terms, strict=True)
        )

    def gold(
        self,
        target: Target,
        *,
        places: Mapping[ListName, Place],
        stage: Stage | None = None,
        returned: int | None = None,
        last_through: Returned | None = None,
    ) -> Gold:
        """Return a target as people read it; see `Gold`."""
        documents = self.engine.corpus.documents
        document = documents[target.document] if target.document >= 0 else None
        text = document.text[target.start : target.end] if document else ""
        return Gold(
            document_id=target.document_id,
            title=document.title if document else "",
            grade=target.grade,
            start=target.start,
            end=target.end,
            text=shortened(text),
            returned=returned,
            stage=stage,
            places=places,
            shares_term=target.shares_term,
            is_seen=target.is_seen,
            last_through=last_through,
        )


def shortened(text: str) -> str:
    """Return a text, cut where it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"
