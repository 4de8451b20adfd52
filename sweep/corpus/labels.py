"""Labels joined to a corpus's own: the corpus that its files would be with them."""

from collections.abc import Mapping
from dataclasses import replace

from sweep.corpus.fingerprint import hash_content
from sweep.records import Corpus

Pair = tuple[str, str]  # query id, document id


def join_labels(corpus: Corpus, labels: Mapping[Pair, int]) -> Corpus:
    """Return the corpus with labels added, its hash that of a folder that holds them.

    Args:
        corpus: the corpus.
        labels: by query and document of the corpus, of pairs that have no label yet.
    """
    added: dict[str, dict[str, int]] = {}
    for (query, document), label in labels.items():
        added.setdefault(query, {})[document] = label
    qrels = {
        query.id: dict(
            sorted({**corpus.qrels.get(query.id, {}), **added.get(query.id, {})}.items())
        )
        for query in corpus.queries
        if query.id in corpus.qrels or query.id in added
    }
    digest = hash_content(
        documents=corpus.documents, queries=corpus.queries, qrels=qrels, spans=corpus.spans
    )
    return replace(corpus, qrels=qrels, hash=digest)


def hash_labels(corpus: Corpus) -> str:
    """Return the SHA-256 (64 hex digits) of a corpus's document labels alone."""
    return hash_content(documents=(), queries=(), qrels=corpus.qrels, spans=())
