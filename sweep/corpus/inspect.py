"""Facts about a corpus for people: sizes, lengths, grades, spans, and what looks odd."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sweep.corpus.examine import examination_notices, examine, labelled_share
from sweep.corpus.notices import duplicate_texts, queries_without_relevant, unjudged_queries
from sweep.records import Corpus, Ints, TokenOffsets

QUANTILES = {"min": 0.0, "p05": 0.05, "median": 0.5, "p95": 0.95, "max": 1.0}


def describe_corpus(corpus: Corpus, offsets: TokenOffsets | None = None) -> dict[str, Any]:
    """Return facts about a corpus that can be written as JSON.

    Args:
        corpus: what is described.
        offsets: the study tokenizer's tokens of its documents; without them no token lengths.
    Returns: a dict with `name`, `hash`, `documents`, `queries`, `judgements`, `spans` (None
        without any) and `notices`; `documents` holds the shares of scripts, of documents with a
        label, and groups of near duplicates. Lengths are quantiles over documents, in white-space
        words, code points and tokens; `kinds` counts the queries' `metadata.kind`.
    """
    texts = [document.text for document in corpus.documents]
    documents: dict[str, Any] = {
        "count": len(texts),
        "words": _quantiles([len(text.split()) for text in texts]),
        "characters": _quantiles([len(text) for text in texts]),
        "without_text": sum(not text.strip() for text in texts),
        "duplicate_texts": [list(group) for group in duplicate_texts(corpus.documents)],
    }
    found = examine(corpus)
    documents |= {"labelled_share": labelled_share(corpus), **found.to_json()}
    if offsets is not None:
        documents["tokens"] = _quantiles(np.diff(offsets.indptr))
    return {
        "name": corpus.name,
        "hash": corpus.hash,
        "documents": documents,
        "queries": _describe_queries(corpus),
        "judgements": _describe_judgements(corpus),
        "spans": _describe_spans(corpus),
        "notices": [*map(str, corpus.notices), *examination_notices(corpus, found)],
    }


def _describe_queries(corpus: Corpus) -> dict[str, Any]:
    kinds = Counter(
        str(query.metadata["kind"]) for query in corpus.queries if "kind" in query.metadata
    )
    unjudged = unjudged_queries(corpus.queries, corpus.qrels)
    return {
        "count": len(corpus.queries),
        "judged": len(corpus.queries) - len(unjudged),
        "unjudged": unjudged,
        "no_relevant_document": queries_without_relevant(corpus.queries, corpus.qrels),
        "words": _quantiles([len(query.text.split()) for query in corpus.queries]),
        "kinds": dict(sorted(kinds.items())),
    }


def _describe_judgements(corpus: Corpus) -> dict[str, Any]:
    grades = Counter(grade for judged in corpus.qrels.values() for grade in judged.values())
    per_query = [len(judged) for judged in corpus.qrels.values()]
    return {
        "count": grades.total(),
        "grades": {str(grade): grades[grade] for grade in sorted(grades)},
        "per_query": _quantiles(per_query),
    }


def _describe_spans(corpus: Corpus) -> dict[str, Any] | None:
    if not corpus.spans:
        return None
    return {
        "count": len(corpus.spans),
        "queries": len({span.query_id for span in corpus.spans}),
        "characters": _quantiles([span.end - span.start for span in corpus.spans]),
    }


def _quantiles(values: Sequence[int] | Ints) -> dict[str, float] | None:
    """Return the mean and five quantiles (linear between neighbours), None of nothing."""
    if not len(values):
        return None
    points = np.quantile(values, list(QUANTILES.values()))
    named = dict(zip(QUANTILES, (float(point) for point in points), strict=True))
    return {"mean": float(np.mean(values)), **named}
