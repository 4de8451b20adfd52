"""What makes scores on a corpus say less than they seem to, told before the first trial.

Nothing here stops a run. What takes a look at every text is kept in the store, so that a warm run
does not look again.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sweep.configuration import DEFAULT_MODEL, ChunkConfig, Configuration
from sweep.corpus.examine import Examination, examination_from, examination_notices, examine
from sweep.engine.engine import Engine
from sweep.engine.store.keys import stage_key
from sweep.engine.store.store import Store
from sweep.index.analyzer import analyzer_key, make_analyzer
from sweep.machine import version_of
from sweep.metrics import Metric
from sweep.records import Corpus, Ints

NAMED = 5  # queries that are named
SMALL_SHARE = 0.05  # of documents longer than the smallest chunk: sizes change little
CERTAIN = 0.5  # what chance alone scores: a metric that says little
ENGLISH_SHARE = 0.5  # of Latin letters, below which an English model is out of its depth


def forewarnings(
    engine: Engine,
    configurations: Sequence[Configuration],
    metrics: Sequence[Metric],
    *,
    relevance: int = 1,
) -> Iterator[str]:
    """Yield what should be known about a corpus and a space before they meet.

    Args:
        engine: over the corpus.
        configurations: that are tried, or some that stand for them.
        metrics: that decide.
        relevance: from which label on a document is relevant, where a metric does not say.
    """
    corpus = engine.corpus
    found = _examined(engine)
    yield from examination_notices(corpus, found)
    latin = found.scripts.get("Latin", 0.0)
    models = {c.vector.model for c in configurations if c.vector is not None}
    if DEFAULT_MODEL in models and found.scripts and latin < ENGLISH_SHARE:
        yield (
            f"{1 - latin:.0%} of all letters are not Latin, and {DEFAULT_MODEL} knows English "
            f"only: choose a multilingual model, for example intfloat/multilingual-e5-small"
        )
    yield from size_notices({c.chunk for c in configurations}, engine)
    for wanted in sorted(
        {(c.bm25.analyzer, c.chunk.prepend_title) for c in configurations if c.bm25}
    ):
        yield from lost_query_notices(_lost_queries(engine, *wanted), wanted[0], corpus)
    top_k = max((c.top_k for c in configurations), default=1)
    for metric in metrics:
        yield from hopeless_notices(metric, corpus, relevance=relevance)
        yield from saturation_notices(metric, corpus, top_k=top_k, relevance=relevance)


def size_notices(chunkings: Iterable[ChunkConfig], engine: Engine) -> Iterator[str]:
    """Tell which chunk sizes are longer than the documents, so that they cut nothing."""
    groups: dict[tuple[str, str], set[tuple[int, float]]] = {}
    for chunk in chunkings:
        fixed = chunk.splitter in ("tokens", "words", "characters")
        unit = str(chunk.splitter if fixed else chunk.unit)
        if chunk.size is not None and unit != "words":
            group = groups.setdefault((chunk.splitter, unit), set())
            group.add((chunk.size, chunk.overlap))
    for (splitter, unit), pairs in sorted(groups.items()):
        if len(pairs) < 2:
            continue
        lengths = _lengths(unit, engine)
        sizes = sorted({size for size, _ in pairs})
        idle = [size for size in sizes if not (lengths > size).any()]
        longer = float((lengths > sizes[0]).mean())
        same = [pair for pair in pairs if pair[0] in idle]
        if len(same) > 1:
            yield (
                f"no document is longer than {int(lengths.max())} {unit}: chunk.size "
                f"{', '.join(map(str, idle))} ({splitter}) cuts nothing, so that "
                f"{len(same)} chunkings give the same chunks. Leave all but one out"
            )
        elif longer < SMALL_SHARE:
            yield (
                f"only {longer:.1%} of the documents are longer than the smallest chunk.size "
                f"{sizes[0]} ({splitter}): sizes and overlaps change little"
            )


def hopeless_notices(metric: Metric, corpus: Corpus, *, relevance: int = 1) -> Iterator[str]:
    """Tell which queries have labels above 0 but none that is relevant to the metric.

    Queries without any label above 0 are told with the corpus.
    """
    threshold = metric.relevance or relevance
    if metric.family != "document" or not metric.asks_relevance:
        return
    best = {id_: max(judged.values()) for id_, judged in corpus.qrels.items() if judged}
    if lost := [id_ for id_, label in best.items() if 0 < label < threshold]:
        more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
        yield (
            f"{metric}: {len(lost):,} of {len(best):,} judged queries have labels above 0, but no "
            f"document of {threshold} or more, and score 0 "
            f"({', '.join(map(repr, lost[:NAMED]))}{more})"
        )


def saturation_notices(
    metric: Metric, corpus: Corpus, *, top_k: int, relevance: int = 1
) -> Iterator[str]:
    """Tell where chance alone scores high, since a list holds much of the corpus.

    For `hit@k` the expected score of k documents drawn at random (hypergeometric), for all others
    the share of the corpus that k ranks hold.
    """
    if metric.family != "document" or metric.cutoff is None:
        return
    count, depth = len(corpus.documents), min(metric.cutoff, top_k)
    share = min(1.0, depth / count)
    if metric.name == "hit":
        threshold = metric.relevance or relevance
        per_query = [
            sum(grade >= threshold for grade in judged.values())
            for judged in corpus.qrels.values()
            if judged
        ]
        missed = [math.comb(count - n, min(depth, count)) for n in per_query]
        every = math.comb(count, min(depth, count))
        share = 1 - sum(m / every for m in missed) / max(1, len(missed))
    if share >= CERTAIN:
        what = (
            f"{share:.0%} expected of documents drawn by chance"
            if metric.name == "hit"
            else f"{share:.0%} of the corpus fits into its {depth} ranks"
        )
        yield (
            f"{metric} over {count:,} documents says little: {what}. Take a smaller cut-off, or "
            f"rr, or add documents"
        )


def lost_query_notices(lost: Sequence[str], analyzer: str, corpus: Corpus) -> Iterator[str]:
    """Tell which queries share no term with the corpus, so that BM25 finds nothing."""
    if lost:
        more = f" and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
        yield (
            f"{len(lost)} of {len(corpus.queries):,} queries hold no term of the corpus, and BM25 "
            f"finds nothing for them (analyzer {analyzer}; "
            f"{', '.join(map(repr, lost[:NAMED]))}{more})"
        )


def lost_queries(corpus: Corpus, *, analyzer: str, with_title: bool) -> list[str]:
    """Return the ids of queries that share no term with any document.

    Args:
        corpus: documents and queries; a query without text is not counted.
        analyzer: see `sweep.index.analyzer`.
        with_title: titles count, too.
    """
    split = make_analyzer(analyzer)
    wanted = {query.id: set(split(query.text)) for query in corpus.queries if query.text.strip()}
    for document in corpus.documents:
        if not wanted:  # soon, in most corpora: every query has some common word
            break
        text = f"{document.title}\n{document.text}" if with_title else document.text
        terms = set(split(text))
        wanted = {id_: asked for id_, asked in wanted.items() if not asked & terms}
    return list(wanted)


def _lost_queries(engine: Engine, analyzer: str, with_title: bool) -> list[str]:
    versions = [version_of(library) for library in ("regex", "pystemmer", "bm25s")]
    texts = engine.texts
    key = stage_key(
        "lost_queries",
        {"analyzer": analyzer, "titles": with_title},
        (texts.documents_key, texts.queries_key, *versions, *analyzer_key(analyzer)),
    )
    known = engine.store.read_json("lost_queries", key) or {}
    if isinstance(ids := known.get("ids"), list):
        return [str(id_) for id_ in ids]
    found = lost_queries(engine.corpus, analyzer=analyzer, with_title=with_title)
    engine.store.write_json("lost_queries", key, {"ids": found})
    return found


def _examined(engine: Engine) -> Examination:
    key = stage_key("examination", {}, (engine.texts.documents_key,))
    return _stored_examination(engine.store, key) or _fresh_examination(engine, key)


def _stored_examination(store: Store, key: str) -> Examination | None:
    known = store.read_json("examination", key)
    try:
        return None if known is None else examination_from(known)
    except (KeyError, TypeError, ValueError):
        return None


def _fresh_examination(engine: Engine, key: str) -> Examination:
    found = examine(engine.corpus)
    engine.store.write_json("examination", key, found.to_json())
    return found


def _lengths(unit: str, engine: Engine) -> Ints:
    """Return the length of every document, shape (D,)."""
    if unit == "tokens":
        return np.diff(engine.texts.offsets.indptr)
    return np.array([len(document.text) for document in engine.corpus.documents], dtype=np.int64)
