"""Advice where something never was among the candidates: text, chunks, words, vectors."""

from sweep.winner.diagnosis.advice import Advice, Evidence, Remedy
from sweep.winner.diagnosis.rules import (
    SIZES,
    advice_on,
    misses_of,
    other_analyzer,
    other_model,
)


def no_text(evidence: Evidence) -> Advice | None:
    """Documents that nothing could find: no parameter helps."""
    if (found := misses_of(evidence, "no text")) is None:
        return None
    symptom = f"{found[1]}: the relevant document has no text that could be found"
    return advice_on(
        evidence, "no text", symptom, Remedy(note="mend the extraction of these files")
    )


def cutting(evidence: Evidence) -> Advice | None:
    """Passages that no chunk holds: larger chunks, or more overlap."""
    if (found := misses_of(evidence, "cutting")) is None:
        return None
    symptom = f"{found[1]}: no chunk holds enough of the passage"
    return advice_on(evidence, "cutting", symptom, *larger_chunks(evidence))


def larger_chunks(evidence: Evidence) -> list[Remedy]:
    """Return the chunk size and overlap that may keep passages whole."""
    chunk = evidence.configuration.chunk
    if chunk.size is None:
        return []
    needed = max(2 * chunk.size, evidence.longest if chunk.unit == "tokens" else 0)
    size = next((size for size in SIZES if size >= needed), SIZES[-1])
    overlap = 0.2 if chunk.overlap < 0.2 else 0.5
    remedies = [Remedy(parameter="chunk.size", value=size, op=">=")]
    if chunk.overlap < overlap:
        remedies.append(Remedy(parameter="chunk.overlap", value=overlap, op=">="))
    return remedies


def window(evidence: Evidence) -> Advice | None:
    """Text that the model never read: smaller chunks, or a model that reads more."""
    if (found := misses_of(evidence, "window")) is None:
        return None
    assert evidence.window is not None
    assert evidence.configuration.vector is not None
    size = max((size for size in SIZES if size <= evidence.window), default=evidence.window)
    symptom = f"{found[1]}: the text lies beyond the {evidence.window} tokens that the model reads"
    unit = "" if evidence.configuration.chunk.unit == "tokens" else "in tokens"
    return advice_on(
        evidence,
        "window",
        symptom,
        Remedy(parameter="chunk.size", value=size, op="<=", note=unit),
        other_model(evidence, "one that reads more"),
    )


def no_shared_term(evidence: Evidence) -> Advice | None:
    """BM25 cannot find what shares no term: vectors can."""
    if (found := misses_of(evidence, "no shared term")) is None:
        return None
    symptom = f"{found[1]}: no term of the question occurs in the text"
    hybrid = Remedy(parameter="mode", value="hybrid")
    return advice_on(evidence, "no shared term", symptom, hybrid, *other_analyzer(evidence))


def index(evidence: Evidence) -> Advice | None:
    """What an approximate index does not return: exact search does."""
    if (found := misses_of(evidence, "index")) is None:
        return None
    symptom = f"{found[1]}: exact search would have listed it, the approximate index did not"
    return advice_on(evidence, "index", symptom, Remedy(parameter="vector.index", value="Flat"))


def candidates(evidence: Evidence) -> Advice | None:
    """What the first stage ranks nowhere near: another kind of search, or another model."""
    if (found := misses_of(evidence, "candidates")) is None:
        return None
    misses, share = found
    configuration = evidence.configuration
    if configuration.hybrid is None:
        first = "vector" if all(m.target.shares_term is None for m in misses) else "BM25"
        symptom = f"{share}: not among the first {evidence.listed} chunks of the {first} list"
        other = [other_model(evidence)] if first == "vector" else other_analyzer(evidence)
        hybrid = Remedy(parameter="mode", value="hybrid")
        return advice_on(evidence, "candidates", symptom, hybrid, *other)
    strangers = sum(miss.target.shares_term is False for miss in misses)
    symptom = (
        f"{share}: among the first {evidence.listed} chunks of neither list; {strangers} share no "
        f"term with the question, which rewriting it before the search could help"
    )
    remedies = [other_model(evidence), *other_analyzer(evidence)]
    deeper = 2 * configuration.hybrid.depth
    near = sum(any(p.rank <= deeper for p in miss.places.values()) for miss in misses)
    if 2 * near >= len(misses):
        note = f"{near} of them are there by {deeper}"
        remedies.insert(0, Remedy(parameter="hybrid.depth", value=deeper, op=">=", note=note))
    return advice_on(evidence, "candidates", symptom, *remedies)
