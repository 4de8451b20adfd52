"""To which stage a miss is charged: the first one that lost it.

Every missed document or passage is charged to exactly one stage; docs/diagnosis.md tells how each
is decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Stage = Literal[
    "no text",
    "cutting",
    "window",
    "no shared term",
    "index",
    "candidates",
    "fusion",
    "rerank depth",
    "rerank",
    "top_k",
]
STAGES: tuple[Stage, ...] = get_args(Stage)  # in the order in which they can lose something
ListName = Literal["vector", "searched", "bm25", "fused", "reranked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the best chunk of a target stands in a ranked list.

    Attributes:
        rank: in chunks, from 1.
        turn: in the unit of top_k, from 1: the rank, or how many distinct documents have come
            before, plus one.
        score: in that list.
    """

    rank: int
    turn: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a query should have found: a relevant document, or a passage that answers it.

    Attributes:
        query: position of the query.
        document: position of the document, -1 where the corpus has none of that id.
        document_id, grade: as judged.
        start, end: the passage in code points; None for a document as a whole.
        chunks: rows of the chunks that would count as having found it.
        has_text: whether the document has anything that is indexed.
        is_seen: whether the embedding model gets to see enough of it in some of these chunks;
            True where no model embeds.
        shares_term: whether one of these chunks shares a term with the query; None without BM25.
    """

    query: int
    document: int
    document_id: str
    grade: int
    start: int | None = None
    end: int | None = None
    chunks: tuple[int, ...] = ()
    has_text: bool = True
    is_seen: bool = True
    shares_term: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """How far each stage of a configuration lets something through.

    Attributes:
        first: the first stage.
        listed: how many chunks of a single list are called candidates; of each list for hybrid.
        asked: how many chunks an approximate vector index was asked for; None for exact search.
        rerank_depth: how many chunks the reranker sees; None without one.
        top_k: how much is returned, in turns (see `Place`).
    """

    first: Literal["bm25", "vector", "hybrid"]
    listed: int
    asked: int | None
    rerank_depth: int | None
    top_k: int


def charge(target: Target, places: Mapping[ListName, Place], pipeline: Pipeline) -> Stage:
    """Return the stage that lost a target which the output does not hold.

    Args:
        target: what was missed.
        places: where it stands in each list that holds it: `vector` by exact search, `searched`
            as an approximate index found it.
        pipeline: of the configuration.
    """
    if not target.has_text:
        return "no text"
    if not target.chunks:
        return "cutting"
    read_whole = pipeline.first == "bm25" or (  # BM25 reads a chunk to its end
        pipeline.first == "hybrid" and _within(places.get("bm25"), pipeline.listed)
    )
    if not target.is_seen and not read_whole:
        return "window"
    if pipeline.first == "bm25" and target.shares_term is False:
        return "no shared term"
    if _lost_by_index(places, pipeline):
        return "index"
    if pipeline.first == "hybrid":
        return _charge_fused(places, pipeline)
    first = places.get("bm25" if pipeline.first == "bm25" else "searched") or places.get("vector")
    if first is None or first.rank > pipeline.listed:
        return "candidates"
    if pipeline.rerank_depth is not None and first.rank > pipeline.rerank_depth:
        return "rerank depth"
    return _charge_last(first, pipeline)


def _lost_by_index(places: Mapping[ListName, Place], pipeline: Pipeline) -> bool:
    """Return whether exact search would have brought it on, and nothing else does."""
    vector = places.get("vector")
    if pipeline.asked is None or "searched" in places or vector is None:
        return False
    if pipeline.first == "hybrid":
        other = _within(places.get("bm25"), pipeline.listed)
        return vector.rank <= pipeline.asked and not other
    if pipeline.rerank_depth is not None:
        return vector.rank <= pipeline.rerank_depth
    return vector.turn <= pipeline.top_k


def _charge_fused(places: Mapping[ListName, Place], pipeline: Pipeline) -> Stage:
    fused = places.get("fused")
    if fused is None:
        return "candidates"
    own: tuple[ListName, ListName] = ("vector" if pipeline.asked is None else "searched", "bm25")
    alone = [p for name in own if (p := places.get(name)) and p.rank <= pipeline.listed]
    if pipeline.rerank_depth is None:
        within = any(place.turn <= pipeline.top_k for place in alone)
        return "fusion" if within else "top_k"
    if fused.rank > pipeline.rerank_depth:
        within = any(place.rank <= pipeline.rerank_depth for place in alone)
        return "fusion" if within else "rerank depth"
    return _charge_last(fused, pipeline)


def _charge_last(first: Place, pipeline: Pipeline) -> Stage:
    """Charge what the last stage saw, by its place before it."""
    demoted = pipeline.rerank_depth is not None and first.turn <= pipeline.top_k
    return "rerank" if demoted else "top_k"


def _within(place: Place | None, depth: int) -> bool:
    return place is not None and place.rank <= depth
