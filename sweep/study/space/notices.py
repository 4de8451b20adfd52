"""What should be known of a space file that is valid, and yet hardly meant like that."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sweep.prompts import Prompts
from sweep.records import Notice
from sweep.study.space.domains import MODEL, Choices, Domain, Part, prefix_notices
from sweep.study.space.enumeration import applying_names, plans
from sweep.study.space.space_file import StudyFile

_SHALLOW = {  # what follows from a depth below top_k
    "hybrid.depth": "the fused list may end before top_k",
    "rerank.depth": "the ranks after it keep the first stage's order",
}


def space_notices(
    file: StudyFile, path: Path, parts: Sequence[Part], prompts: Callable[[str], Prompts]
) -> Iterator[Notice]:
    """Yield what nothing uses, and what works against itself.

    Args:
        file: a valid space file.
        path: where it is.
        parts: what its spaces say.
        prompts: what a model wants before its texts.
    """
    where = str(path)
    trials = file.trials or file.sampler.trials
    if file.sampler.kind == "grid" and trials is not None:
        yield Notice(where=where, text=f"trials: {trials} is not used: a grid runs everything")
    if (
        "recommend" in file.model_fields_set
        and isinstance(file.objective, list)
        and len(file.objective) > 1
    ):
        text = "recommend: is not used: of several objectives, none is recommended"
        yield Notice(where=where, text=text)
    evaluation = file.evaluation
    if evaluation.span_rule == "containment" and "span_threshold" in evaluation.model_fields_set:
        yield Notice(where=where, text="evaluation: nothing uses span_threshold")
    for part in parts:
        applying = {name for plan in plans(part) for name in applying_names(plan)}
        if unused := sorted(part.given - applying):
            yield Notice(where=where, text=f"{part.where}: nothing uses {', '.join(unused)}")
        if MODEL in applying:
            yield from (Notice(where=where, text=text) for text in prefix_notices(part, prompts))
        for name, effect in _SHALLOW.items():
            depth, top_k = _bounds(part.domains[name])[0], _bounds(part.domains["top_k"])[1]
            if name in applying and depth < top_k:
                text = f"{part.where}.{name}: {depth} is below top_k {top_k}: {effect}"
                yield Notice(where=where, text=text)


def _bounds(domain: Domain) -> tuple[Any, Any]:
    if isinstance(domain, Choices):
        labels: list[Any] = [option.label for option in domain.options]
        return min(labels), max(labels)
    return domain.low, domain.high
