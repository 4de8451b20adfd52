"""A smaller corpus for a quick look: every judged document, and a seeded sample of the others."""

import hashlib
from dataclasses import replace

from sweep.corpus.fingerprint import hash_content
from sweep.records import Corpus


def judged_documents(corpus: Corpus) -> frozenset[str]:
    """Return the ids of the documents that some query has a label or a span for."""
    labelled = {document for grades in corpus.qrels.values() for document in grades}
    spanned = {span.document_id for span in corpus.spans}
    judged = labelled | spanned
    return frozenset(document.id for document in corpus.documents if document.id in judged)


def sample_documents(corpus: Corpus, *, documents: int, seed: int) -> Corpus:
    """Return a corpus of fewer documents, with all queries and all judgements.

    Which of the others are kept depends on the seed and each one's own id only: those with the
    smallest hashes. So the order of files makes no difference, and a larger sample holds a smaller
    one of the same seed.

    Args:
        corpus: the whole corpus.
        documents: how many are kept in all; where more are judged, those alone are kept.
        seed: another seed gives another sample.
    """
    judged = judged_documents(corpus)
    others = sorted(
        (document.id for document in corpus.documents if document.id not in judged),
        key=lambda id_: (_place(seed, id_), id_),
    )
    kept = judged | set(others[: max(0, documents - len(judged))])
    chosen = tuple(document for document in corpus.documents if document.id in kept)
    digest = hash_content(
        documents=chosen, queries=corpus.queries, qrels=corpus.qrels, spans=corpus.spans
    )
    return replace(corpus, documents=chosen, hash=digest, notices=())


def _place(seed: int, id_: str) -> bytes:
    """Return a number that depends on nothing but seed and id; ids are any Unicode text."""
    return hashlib.sha256(f"{seed} {id_}".encode(errors="surrogatepass")).digest()
