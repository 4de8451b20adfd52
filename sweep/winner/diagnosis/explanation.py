"""What a trial retrieved for one query, why, and where each relevant text was lost."""

from dataclasses import asdict, dataclass
from typing import Any

from sweep.winner.diagnosis.charge import ListName, Pipeline, Stage
from sweep.winner.diagnosis.diagnosis import Gold, Returned


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One query as one trial answers it.

    Attributes:
        study, trial, label: which configuration.
        query_id: of the corpus; None for a text that is not in it, which was retrieved live.
        text: the query.
        metric: the objective; `score` of this query, None where it has none.
        results: what was returned, best first.
        relevant: what should have been returned, with what became of it.
        holes: how many of the returned documents nobody has judged; None without any judgement.
        meanings: in words, of the stages that lost something.
        notes: what else should be known.
    """

    study: str
    trial: int
    label: str
    query_id: str | None
    text: str
    metric: str
    score: float | None
    results: tuple[Returned, ...]
    relevant: tuple[Gold, ...]
    holes: int | None
    meanings: dict[str, str]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return asdict(self)


def where_lost(stage: Stage, pipeline: Pipeline) -> tuple[ListName, int] | None:
    """Return the list that a stage cuts, and the rank it cuts at, in turns for top_k's own cut.

    None for what no ranking lost, and where two lists cut side by side.
    """
    single: ListName = "bm25" if pipeline.first == "bm25" else "vector"
    if pipeline.asked is not None:
        single = "searched"
    first: ListName = "fused" if pipeline.first == "hybrid" else single
    if stage == "candidates" and pipeline.first != "hybrid":
        return single, pipeline.listed
    if stage == "index" and pipeline.asked is not None:
        return "searched", pipeline.asked
    if pipeline.rerank_depth is not None and stage in ("fusion", "rerank depth"):
        return first, pipeline.rerank_depth
    if stage in ("fusion", "rerank", "top_k"):
        return ("reranked" if pipeline.rerank_depth is not None else first), pipeline.top_k
    return None
