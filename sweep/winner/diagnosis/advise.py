"""From symptoms to remedies: every rule is asked, and what was tried already is looked up.

The reading is the usual one of recall and rank. What is not found at all is a matter of chunks or
of the kind of search; what is found too low, of fusion, reranking or top_k; what is found but not
first, of reranking; and where all is well while people complain, of the questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sweep.trials import TrialRecord
from sweep.winner.diagnosis import finding, ordering
from sweep.winner.diagnosis.advice import Advice, Evidence, find_tried

RULES: tuple[Callable[[Evidence], Advice | None], ...] = (
    finding.no_text,
    finding.cutting,
    finding.window,
    finding.no_shared_term,
    finding.index,
    finding.candidates,
    ordering.fusion,
    ordering.rerank_depth,
    ordering.rerank,
    ordering.top_k,
    ordering.order,
    ordering.split,
    ordering.labels,
    ordering.questions,
)


def advise(evidence: Evidence, trials: Sequence[TrialRecord]) -> tuple[Advice, ...]:
    """Return what may help: what the study has not tried first, then by what it is worth at most.

    Args:
        evidence: what was found.
        trials: the study's finished trials, for what was tried already.
    """
    advice = [found for rule in RULES if (found := rule(evidence)) is not None]
    looked_up = [
        replace(
            one,
            remedies=tuple(
                replace(remedy, tried=find_tried(remedy, evidence, trials))
                for remedy in one.remedies
            ),
        )
        for one in advice
    ]
    return tuple(sorted(looked_up, key=lambda one: (not one.is_new, -(one.gain or 0.0))))
