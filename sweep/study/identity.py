"""What makes a study this study; a resumed run must agree with it."""

from typing import Any

from sweep.errors import StudyError
from sweep.records import Corpus
from sweep.study.metrics import METRICS_VERSION, goals_of
from sweep.study.search_space import SearchSpace, compare_axes


def study_identity(space: SearchSpace, corpus: Corpus, precision: str) -> dict[str, Any]:
    """Return one JSON-ready entry per thing that must not change between runs of a study."""
    identity = space.identity()
    identity["objectives"] = [
        {"metric": goal.name, "direction": "maximize" if goal.maximize else "minimize"}
        for goal in goals_of(space)
    ]
    return {
        **identity,
        "corpus": corpus.hash,
        "metrics version": METRICS_VERSION,
        "precision": precision,
    }


def check_identity(
    name: str, old: dict[str, Any], new: dict[str, Any], old_axes: Any, new_axes: Any
) -> None:
    """Refuse to go on with a study that was begun with something else.

    Raises: StudyError that names every entry that differs and how to start another study.
    """
    lines = []
    for entry in new:
        if old.get(entry) == new[entry]:
            continue
        if entry == "configurations":
            changed = compare_axes(old_axes, new_axes) or ["exclude or folding changed"]
            lines += [f"the space differs ({line})" for line in changed]
        elif entry == "corpus":
            lines.append(f"the corpus differs (was {_short(old)}, is {_short(new)})")
        else:
            lines.append(f"{entry} differs (was {old.get(entry)}, is {new[entry]})")
    if lines:
        raise StudyError(
            f"study {name!r}: must go on with what it began with, got: {'; '.join(lines)}. Start "
            f"another with --study NAME; what is already computed is reused."
        )


def _short(identity: dict[str, Any]) -> str:
    return str(identity.get("corpus"))[:12]
