"""What a trial misses: counts by stage, what each costs, the worst queries, and advice."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sweep.configuration import Configuration
from sweep.winner.diagnosis.advice import Advice, Miss
from sweep.winner.diagnosis.charge import STAGES, ListName, Place, Stage, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLoss:
    """What one stage lost.

    Attributes:
        stage: its name.
        meaning: in words, for this configuration.
        documents, spans: relevant documents and passages charged to it.
        queries: that it lost something of.
        bound: what the objective would be at most if this stage alone had lost nothing; None
            where the objective has no such bound.
    """

    stage: Stage
    meaning: str
    documents: int
    spans: int
    queries: int
    bound: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A chunk that was returned.

    Attributes:
        rank, score: in the output.
        document_id, title, start, end, text: where it lies, and what it says.
        label: its document's grade for the query; None where nobody has judged it.
        places: where it stands in each list.
        terms: what each term that it shares with the query adds to its BM25 score.
        spans: how many relevant passages of the query it matches.
    """

    rank: int
    score: float
    document_id: str
    title: str
    start: int
    end: int
    text: str
    label: int | None
    places: Mapping[ListName, Place]
    terms: Mapping[str, float]
    spans: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A relevant document or passage, with what became of it.

    Attributes:
        document_id, title, grade: as judged.
        start, end: the passage in code points; None for a whole document.
        text: the passage, or the beginning of the document.
        returned: the rank in the output of its first chunk there; None where it was missed.
        stage: that lost it; None where it was returned.
        places: where it stands in each list that holds it.
        shares_term: whether it shares a term with the query; None without BM25.
        is_seen: whether the embedding model gets to see enough of it.
        last_through: the last chunk that got through where this was lost; None where no ranking
            lost it, or where it was not looked for.
    """

    document_id: str
    title: str
    grade: int
    start: int | None
    end: int | None
    text: str
    returned: int | None
    stage: Stage | None
    places: Mapping[ListName, Place]
    shares_term: bool | None
    is_seen: bool
    last_through: Returned | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstQuery:
    """A query with a low score.

    Attributes:
        query_id, text: as in the corpus.
        score: of the objective; None where it is not defined for the query.
        missed: what it should have found.
        instead: the first chunks that were returned.
    """

    query_id: str
    text: str
    score: float | None
    missed: tuple[Gold, ...]
    instead: tuple[Returned, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a trial misses, where that was lost, and what to change.

    Attributes:
        study, trial, label: which configuration.
        metric: the objective; `score` is its mean over the `queries` queries that chose.
        documents, spans: how many relevant ones there are; `missed_documents`, `missed_spans` of
            them were missed, in `missed_queries` queries.
        split_spans: passages that lie wholly in no chunk, found or not.
        losses: by stage, in the order of the pipeline; those that lost something.
        order: what the objective would be at most if all that was returned stood in the best
            order; None where order does not matter to it.
        advice: what may help, what was not tried first.
        worst: the queries with the lowest scores, the worst first.
        notices: what else should be known.
    """

    study: str
    trial: int
    label: str
    metric: str
    score: float
    queries: int
    documents: int
    spans: int
    missed_documents: int
    missed_spans: int
    missed_queries: int
    split_spans: int
    losses: tuple[StageLoss, ...]
    order: float | None
    advice: tuple[Advice, ...]
    worst: tuple[WorstQuery, ...]
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return asdict(self) | {"advice": [advice.to_json() for advice in self.advice]}


def count_losses(
    misses: Sequence[Miss], bounds: Mapping[str, float], configuration: Configuration, listed: int
) -> tuple[StageLoss, ...]:
    """Return what each stage lost, in the order of the pipeline; stages that lost nothing not.

    Args:
        misses: every missed target, charged.
        bounds: what the objective would be at most if a stage had lost nothing.
        configuration: what was diagnosed.
        listed: how many chunks of a list are called candidates.
    """
    losses = []
    for stage in STAGES:
        own = [miss.target for miss in misses if miss.stage == stage]
        if own:
            spans = sum(target.start is not None for target in own)
            losses.append(
                StageLoss(
                    stage=stage,
                    meaning=meaning(stage, configuration, listed),
                    documents=len(own) - spans,
                    spans=spans,
                    queries=count_queries(own),
                    bound=bounds.get(stage),
                )
            )
    return tuple(losses)


def count_queries(targets: Sequence[Target]) -> int:
    """Return how many queries the targets belong to."""
    return len({target.query for target in targets})


def meaning(stage: Stage, configuration: Configuration, listed: int) -> str:
    """Return what it means, for this configuration, that a stage lost something."""
    unit = " documents" if configuration.top_k_unit == "documents" else ""
    rerank = configuration.rerank
    hybrid = configuration.mode == "hybrid" or (rerank and rerank.candidates == "hybrid")
    depth = rerank.depth if rerank else configuration.top_k
    return {
        "no text": "the document has no text that could be found",
        "cutting": "no chunk holds enough of it",
        "window": "the model never read it: it lies beyond its window",
        "no shared term": "it has no term of the question",
        "index": "exact search lists it, the approximate index does not",
        "candidates": f"among the first {listed} chunks of neither list"
        if hybrid
        else f"not among the first {listed} chunks of the list",
        "fusion": f"among the first {depth} of one list alone, not of both together",
        "rerank depth": f"not among the {depth} candidates that are reranked",
        "rerank": f"pushed out of the first {configuration.top_k}{unit} by the reranker",
        "top_k": f"ranked, but beyond the first {configuration.top_k}{unit}",
    }[stage]
