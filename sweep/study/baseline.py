"""The baseline of a recorded study, as its answer compares with it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.errors import StudyError
from sweep.metrics import parse_metric
from sweep.records import Floats
from sweep.study.driver.confirm import read_confirm, read_run_confirm
from sweep.study.space.expression import parse_constraint
from sweep.study.tables import read_scores

if TYPE_CHECKING:  # the winner's records load scipy, which listing trials can do without
    from sweep.study.study import Study
    from sweep.trials import TrialRecord
    from sweep.winner.baseline import Baseline


def baseline_of(study: "Study", query_ids: Sequence[str] = ()) -> "Baseline | None":
    """Return the baseline of a study, None if it has none.

    Args:
        study: the study.
        query_ids: the queries that choose, Q; none where no score per query is needed.

    Raises: StudyError if a table of it is gone or damaged.
    """
    if study.baseline_run is not None:
        return _run_baseline(study, study.baseline_run, query_ids)
    return None if study.baseline is None else _trial_baseline(study, query_ids)


def _run_baseline(
    study: "Study", facts: Mapping[str, Any], query_ids: Sequence[str]
) -> "Baseline":
    from sweep.winner.baseline import Baseline

    means: Mapping[str, float] = facts["metrics"]
    objective = study.goals[0].name
    return Baseline(
        run=facts["name"],
        facts=facts,
        values=tuple(means.get(goal.name) for goal in study.goals),
        violated=_violated(study.about["identity"]["constraints"], means),
        search=_scores(study.folder.baseline_scores, objective, query_ids) if query_ids else None,
        confirm=read_run_confirm(study.folder.confirm, objective),
    )


def _trial_baseline(study: "Study", query_ids: Sequence[str]) -> "Baseline":
    from sweep.winner.baseline import Baseline

    tried = [trial for trial in study.trials if trial.fingerprint == study.baseline]
    trial = next((trial for trial in tried if trial.state == "COMPLETE"), None)
    if trial is None:
        return Baseline(missing=_why_missing(study, tried))
    objective = study.goals[0].name
    search = None
    if query_ids:
        search = _scores(study.folder.path / trial.files["scores"], objective, query_ids)
    return Baseline(
        trial=trial,
        values=trial.values,
        violated=trial.violated,
        search=search,
        confirm=read_confirm(study.folder.confirm, objective, [trial]).get(trial.number),
    )


def _why_missing(study: "Study", tried: "Sequence[TrialRecord]") -> str:
    if not tried:
        return "has no trial yet"
    number = tried[-1].number
    return f"failed, trial #{number} (`sweep show {study.name} {number}` says why)"


def _violated(constraints: Sequence[str], means: Mapping[str, float]) -> tuple[str, ...]:
    """Return the constraints that a run is known not to keep; costs are not known of it."""
    broken = []
    for text in constraints:
        constraint = parse_constraint(text)
        value = means.get(str(parse_metric(constraint.metric)))
        if value is not None and not (
            value <= constraint.bound if constraint.op == "<=" else value >= constraint.bound
        ):
            broken.append(text)
    return tuple(broken)


def _scores(path: Any, objective: str, query_ids: Sequence[str]) -> Floats:
    """Return one metric's scores of some queries, in their order."""
    table = read_scores(path)
    if objective not in table.metrics:
        raise StudyError(
            f"{path}: must hold {objective}, got {', '.join(table.metrics)}. Run the study again: "
            f"it makes what is missing."
        )
    rows = {query: row for row, query in enumerate(table.query_ids)}
    column = table.column(objective)
    return np.array([column[rows[query]] for query in query_ids], dtype=np.float64)
