"""Advice where something was a candidate, but stands too low: fusion, reranking, top_k, order."""

from collections import Counter

from sweep.text_lines import counted
from sweep.winner.diagnosis.advice import Advice, Evidence, Miss, Remedy
from sweep.winner.diagnosis.finding import larger_chunks
from sweep.winner.diagnosis.rules import (
    DECENT,
    FINE,
    FURTHEST,
    GAIN,
    GOOD,
    JUDGED,
    SHARE,
    advice_on,
    misses_of,
    reaching,
)


def fusion(evidence: Evidence) -> Advice | None:
    """What one list had and both together have not: another weight, or another fusion."""
    if (found := misses_of(evidence, "fusion")) is None:
        return None
    misses, share = found
    hybrid = evidence.configuration.hybrid
    assert hybrid is not None
    better = Counter(_better_list(miss) for miss in misses)
    name, count = better.most_common(1)[0]
    symptom = (
        f"{share}: one list alone has it high enough, both together do not; {count} of "
        f"{len(misses)} stand higher in the {name} list"
    )
    sign = 1 if name == "vector" else -1
    if hybrid.weight is None:
        towards = 0.7 if sign > 0 else 0.3
        return advice_on(
            evidence,
            "fusion",
            symptom,
            Remedy(parameter="hybrid.fusion", value="weighted"),
            Remedy(parameter="hybrid.weight", value=towards, op=">=" if sign > 0 else "<="),
            Remedy(parameter="hybrid.rrf_k", value=10, op="<="),
        )
    weight = round(min(1.0, max(0.0, hybrid.weight + 0.2 * sign)), 2)
    remedies = [Remedy(parameter="hybrid.fusion", value="rrf")]
    if weight != hybrid.weight:
        op = ">=" if sign > 0 else "<="
        remedies.insert(0, Remedy(parameter="hybrid.weight", value=weight, op=op))  # type: ignore[arg-type]
    return advice_on(evidence, "fusion", symptom, *remedies)


def _better_list(miss: Miss) -> str:
    vector, bm25 = miss.places.get("vector"), miss.places.get("bm25")
    return "vector" if bm25 is None or (vector and vector.rank < bm25.rank) else "BM25"


def rerank_depth(evidence: Evidence) -> Advice | None:
    """What the reranker never saw: a greater depth."""
    if (found := misses_of(evidence, "rerank depth")) is None:
        return None
    misses, share = found
    rerank = evidence.configuration.rerank
    assert rerank is not None
    ranks = sorted(place.rank for miss in misses if (place := miss.candidate) is not None)
    value = reaching(ranks, above=rerank.depth, highest=10 * rerank.depth)
    symptom = (
        f"{share}: the reranker never saw it; it is candidate {ranks[0]} to {ranks[-1]}, and "
        f"{rerank.depth} are reranked"
    )
    note = f"{sum(rank <= value for rank in ranks)} of them are there"
    remedy = Remedy(parameter="rerank.depth", value=value, op=">=", note=note)
    return advice_on(evidence, "rerank depth", symptom, remedy)


def rerank(evidence: Evidence) -> Advice | None:
    """What the reranker pushed out: a smaller share for it, or another one."""
    if (found := misses_of(evidence, "rerank")) is None:
        return None
    config = evidence.configuration.rerank
    assert config is not None
    symptom = f"{found[1]}: the reranker pushed it out of the first {evidence.configuration.top_k}"
    remedies = []
    if config.blend > 0.25:
        blend = 0.5 if config.blend > 0.5 else 0.25
        remedies.append(Remedy(parameter="rerank.blend", value=blend, op="<="))
    remedies.append(Remedy(parameter="rerank.kind", value=config.kind, op="!="))
    return advice_on(evidence, "rerank", symptom, *remedies)


def top_k(evidence: Evidence) -> Advice | None:
    """What is ranked, but too low to be returned: a higher top_k, or a reranker."""
    if (found := misses_of(evidence, "top_k")) is None:
        return None
    misses, share = found
    configuration = evidence.configuration
    own = configuration.top_k
    turns = sorted(place.turn for miss in misses if (place := miss.last) is not None)
    value = reaching(turns, above=own, highest=FURTHEST * own)
    reached = sum(turn <= value for turn in turns)
    at = f"at rank {turns[0]}" if len(turns) == 1 else f"at ranks {turns[0]} to {turns[-1]}"
    symptom = f"{share}: ranked, but beyond the first {own}, {at}"
    remedies = []
    if reached:
        note = f"{reached} of them are there; {value / own:.2g} times the context"
        by_document = configuration.top_k_unit == "documents" or configuration.chunk.size is None
        if by_document and evidence.cutoff is not None and evidence.cutoff <= own:
            note += f"; {evidence.metric} does not look there"
        if evidence.room is not None and value / own > evidence.room:
            note += "; more than the constraint on context_tokens permits"
        remedies.append(Remedy(parameter="top_k", value=value, op=">=", note=note))
    if configuration.rerank is None:
        note = "lifts them without more context"
        remedies.append(Remedy(parameter="mode", value="rerank", note=note))
    return advice_on(evidence, "top_k", symptom, *remedies) if remedies else None


def order(evidence: Evidence) -> Advice | None:
    """Decent recall, but not in the best order: a reranker."""
    found = evidence.targets - len(evidence.misses)
    if evidence.order is None or not evidence.targets or found < DECENT * evidence.targets:
        return None
    gain = evidence.order - evidence.score
    if gain < GAIN:
        return None
    symptom = (
        f"{found / evidence.targets:.0%} of what is relevant is returned, but not in the best "
        f"order"
    )
    config = evidence.configuration.rerank
    if config is None:
        remedies = [Remedy(parameter="mode", value="rerank")]
    else:
        remedies = [Remedy(parameter="rerank.kind", value=config.kind, op="!=")]
        if config.blend < 1:
            remedies.append(Remedy(parameter="rerank.blend", value=1.0, op=">="))
    return Advice(about="order", symptom=symptom, gain=gain, remedies=tuple(remedies))


def split(evidence: Evidence) -> Advice | None:
    """Passages that are found in part: larger chunks, or more overlap."""
    remedies = larger_chunks(evidence)
    if not evidence.split or evidence.split < SHARE * evidence.spans or not remedies:
        return None
    symptom = (
        f"{evidence.split} of {counted(evidence.spans, 'passage')} lie wholly in no "
        f"chunk: what is returned holds a part of them"
    )
    return Advice(about="split", symptom=symptom, gain=None, remedies=tuple(remedies))


def labels(evidence: Evidence) -> Advice | None:
    """Few labels: what stands in place of a miss may answer as well."""
    if evidence.judged is None or evidence.judged >= JUDGED or not evidence.misses:
        return None
    symptom = f"{evidence.judged:.0%} of what is returned has a label: some misses may be none"
    remedy = Remedy(note="label what came instead before you change anything")
    return Advice(about="labels", symptom=symptom, gain=None, remedies=(remedy,))


def questions(evidence: Evidence) -> Advice | None:
    """All is well: if people complain, they ask something else."""
    found = evidence.targets - len(evidence.misses)
    if not evidence.targets or found < FINE * evidence.targets or evidence.score < GOOD:
        return None
    symptom = f"{found / evidence.targets:.0%} of what is relevant is returned"
    remedy = Remedy(note="if people complain all the same, add their questions and label them")
    return Advice(about="questions", symptom=symptom, gain=None, remedies=(remedy,))
