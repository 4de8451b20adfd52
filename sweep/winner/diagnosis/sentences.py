"""What a diagnosis found, in sentences for people."""

from collections.abc import Sequence

from sweep.winner.diagnosis.advice import Remedy
from sweep.winner.diagnosis.diagnosis import Diagnosis, Gold
from sweep.winner.rounding import plain, signed


def missed_sentence(found: Diagnosis) -> str:
    """Return how much is missed, of how much."""
    parts = [f"{found.missed_documents:,} of {found.documents:,} relevant documents"]
    if found.spans:
        parts.append(f"{found.missed_spans:,} of {found.spans:,} answer passages")
    if not found.missed_documents + found.missed_spans:
        return f"nothing is missed ({', '.join(parts)})"
    return f"missed: {' and '.join(parts)}, in {found.missed_queries:,} queries"


def remedy_sentence(remedy: Remedy) -> str:
    """Return what to search, or what came of it where it was tried."""
    if not remedy.parameter:
        return str(remedy)
    if (tried := remedy.tried) is None:
        return f"search {remedy}"
    rest = "nothing else differs" if tried.only else f"{tried.label}"
    if tried.value is not None and tried.value != remedy.value and remedy.op != "!=":
        rest = f"with {tried.value}; {rest}"
    if tried.barred:
        rest += "; it violates a constraint"
    return (
        f"{remedy}: tried in #{tried.number}, {plain(tried.score)} ({signed(tried.difference)}; "
        f"{rest})"
    )


def most_telling(missed: Sequence[Gold]) -> list[Gold]:
    """Return passages, and documents of which no passage is missed; the highest grade first."""
    marked = {gold.document_id for gold in missed if gold.start is not None}
    kept = [gold for gold in missed if gold.start is not None or gold.document_id not in marked]
    return sorted(kept, key=lambda gold: -gold.grade)
