"""What the rules of advice share: their thresholds, and how a finding is put."""

from collections.abc import Sequence

from sweep.text_lines import counted
from sweep.winner.diagnosis.advice import Advice, Evidence, Miss, Remedy
from sweep.winner.diagnosis.charge import Stage

SHARE = 0.1  # of all misses that a stage must have lost, or of all passages that are split
COVERED = 0.8  # of what lies beyond top_k or a depth that the advised value reaches, if it can
FURTHEST = 3  # times top_k is the highest that is advised
DECENT = 0.7  # share of what is relevant that is found, from which order is the matter
GAIN = 0.05  # of the objective that a better order must be worth at most
JUDGED = 0.8  # share of labels below which misses may be none
FINE, GOOD = 0.95, 0.9  # share found and objective from which the questions may be too easy
NICE = (1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000)
SIZES = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)


def misses_of(evidence: Evidence, stage: Stage) -> tuple[list[Miss], str] | None:
    """Return the misses of a stage and `11 of 14 misses`; None where they are too few."""
    misses = evidence.of(stage)
    if not misses or len(misses) < SHARE * len(evidence.misses):
        return None
    return misses, f"{len(misses)} of {counted(len(evidence.misses), 'miss')}"


def advice_on(evidence: Evidence, stage: Stage, symptom: str, *remedies: Remedy) -> Advice:
    """Return advice on a stage, with what it is worth at most."""
    bound = evidence.bounds.get(stage)
    gain = None if bound is None else bound - evidence.score
    return Advice(about=stage, symptom=symptom, gain=gain, remedies=remedies)


def reaching(ranks: Sequence[int], *, above: int, highest: int) -> int:
    """Return the lowest round number above one that reaches most of the ranks, if any does."""
    values = [value for value in NICE if above < value <= highest] or [above + 1]
    wanted = COVERED * len(ranks)
    for value in values:
        if sum(rank <= value for rank in ranks) >= wanted:
            return value
    return values[-1]


def other_model(evidence: Evidence, note: str = "") -> Remedy:
    """Return the advice to try another bi-encoder."""
    vector = evidence.configuration.vector
    name = vector.model if vector else ""
    return Remedy(parameter="vector.model", value=name, op="!=", note=note)


def other_analyzer(evidence: Evidence) -> list[Remedy]:
    """Return the advice to stem the language's words, where they are not."""
    bm25 = evidence.configuration.bm25
    if bm25 is None or bm25.analyzer != "auto":
        return []
    note = "your language: english, german, ..."
    return [Remedy(parameter="bm25.analyzer", value="auto", op="!=", note=note)]
