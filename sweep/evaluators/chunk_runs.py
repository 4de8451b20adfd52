"""Runs that list chunks of documents, `document#3`, where the judgements are on documents.

Scored as they are, several chunks of one document would each count as a hit (or none would).
"""

from collections.abc import Mapping

from sweep.evaluators.trec_files import Qrels
from sweep.metrics import CHUNK_SEPARATOR, best_chunks

Run = Mapping[str, Mapping[str, float]]


def chunks_to_documents(
    qrels: Qrels, run: Run, separator: str | None
) -> tuple[Run, tuple[str, ...]]:
    """Return the run with each document once, at its best chunk's score, and a notice if changed.

    Args:
        qrels: judgements of documents.
        run: score by id, by query id.
        separator: what stands between document and chunk, cut at the last one; ids without it stay
            whole. None: `#`, and only if no id is judged as it is but one is when cut. Empty: the
            run is returned as it is.
    """
    if separator == "":
        return run, ()
    if separator is None and _any_judged(qrels, run):
        return run, ()
    merged = {
        query: best_chunks(found, separator or CHUNK_SEPARATOR) for query, found in run.items()
    }
    if separator is None and not _any_judged(qrels, merged):
        return run, ()
    sizes = [sum(map(len, side.values())) for side in (run, merged)]
    text = f"{sizes[0]} chunks merged into {sizes[1]} documents, each at its best chunk's place"
    return merged, (f"{text} (--chunk-separator '' takes ids as they are)",)


def _any_judged(qrels: Qrels, run: Run) -> bool:
    return any(
        id_ in judged for query, judged in qrels.graded.items() for id_ in run.get(query, {})
    )
