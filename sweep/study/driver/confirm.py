"""The confirm set: queries that no configuration was chosen on, scored once, looks counted."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.engine.store.store import write_whole
from sweep.metrics import parse_metric
from sweep.records import Floats
from sweep.study.tables import read_ranking
from sweep.trials import TrialRecord
from sweep.winner.critical import FACT

if TYPE_CHECKING:
    from sweep.study.driver.evaluate import Evaluation
    from sweep.study.run_file import RunFile
    from sweep.study.study import Study

SCORES = "scores"  # by fingerprint, then by metric or condition
RUN = "baseline_run"  # beside the trials: the scores of a run file


def confirm(
    study: "Study",
    evaluation: "Evaluation",
    query_ids: tuple[str, ...],
    *,
    run: "RunFile | None" = None,
) -> None:
    """Score the recommended and the best configuration and the baseline on the confirm set.

    They are scored from their stored rankings, in one look; what was scored before is not looked
    at again. A later look, at other configurations, is counted.

    Args:
        study: a finished study.
        evaluation: what its trials were evaluated with.
        query_ids: the confirm set.
        run: the baseline, where it is a run file.
    """
    if not study.feasible:
        return
    from sweep.winner.statistics.scores import highest_mean, oriented

    scored = study.scored()
    best = highest_mean(oriented(scored.scores, maximize=scored.maximize, where="confirm"))
    wanted = [scored.trials[row] for row in (scored.chosen(), best)]
    wanted += [trial for trial in study.complete if trial.fingerprint == study.baseline]
    path = study.folder.confirm
    content = _read(path)
    known = _of_trials(content, study.complete)
    new = [t for t in {t.number: t for t in wanted}.values() if t.number not in known]
    new_run = run if RUN not in content else None
    if not new and new_run is None:
        return
    for trial in new:
        content[SCORES][trial.fingerprint] = _score(study, evaluation, trial, query_ids)
    if new_run is not None:
        table = evaluation.score_run(new_run, query_ids)
        names = [goal.name for goal in evaluation.goals if goal.name in table.metrics]
        content[RUN] = {name: table.column(name).tolist() for name in names}
    content["looks"] += 1
    write_whole(path, json.dumps(content, allow_nan=False).encode())


def carry_looks(source: Path, target: Path) -> None:
    """Let a study that is scored again begin with the looks that its confirm set has had.

    Args:
        source: the confirm scores of the study it comes from.
        target: its own; left alone if it has some.
    """
    looks = _read(source)["looks"]
    if looks and not target.exists():
        write_whole(target, json.dumps({"looks": looks, SCORES: {}}).encode())


def read_confirm(path: Path, metric: str, trials: Sequence[TrialRecord]) -> dict[int, Floats]:
    """Return the confirm scores of a metric, by trial number; empty if nothing was confirmed."""
    return {
        number: np.array(scores[metric], dtype=np.float64)
        for number, scores in _of_trials(_read(path), trials).items()
        if metric in scores
    }


def count_looks(path: Path) -> int:
    """Return how often the confirm set was looked at; each look uses some of it up."""
    return int(_read(path)["looks"])


def read_confirmed_slices(
    path: Path, trials: Sequence[TrialRecord]
) -> dict[int, dict[str, tuple[float, int]]]:
    """Return mean and number of queries of each critical slice, by trial number and condition."""
    return {
        number: {
            condition: (sum(values) / len(values), len(values))
            for condition, values in scores.get(FACT, {}).items()
        }
        for number, scores in _of_trials(_read(path), trials).items()
    }


def read_run_confirm(path: Path, metric: str) -> Floats | None:
    """Return the confirm scores of a baseline that is a run file; None if it has none."""
    scores = _read(path).get(RUN, {}).get(metric)
    return None if scores is None else np.array(scores, dtype=np.float64)


def _score(
    study: "Study", evaluation: "Evaluation", trial: TrialRecord, query_ids: tuple[str, ...]
) -> dict[str, Any]:
    from sweep.study.rules import scorer_of  # it imports the study, which imports this

    goals = [goal.metric for goal in evaluation.goals]
    critical = [parse_metric(c.must.constraint.metric) for c in evaluation.critical]
    metrics = list(dict.fromkeys([*goals, *critical]))
    scorer = scorer_of(study, evaluation.engine.texts, metrics, query_ids)
    output = read_ranking(study.folder.path / trial.files["ranking"], evaluation.engine.corpus)
    table = scorer.score(trial.configuration, output)
    scores: dict[str, Any] = {
        str(metric): [float(value) for value in scorer.values(table, metric)] for metric in goals
    }
    slices = {str(c.must): c.values(scorer, table).tolist() for c in evaluation.critical}
    if told := {condition: values for condition, values in slices.items() if values}:
        scores[FACT] = told
    return scores


def _of_trials(content: dict[str, Any], trials: Sequence[TrialRecord]) -> dict[int, Any]:
    """Return the scores of trials by their numbers.

    They are kept by fingerprint: a study that is deleted and begun again, or recorded in two
    storages, may have other numbers. Older files have them by number.
    """
    by_number = content.get("trials", {})
    found = {t.number: by_number[str(t.number)] for t in trials if str(t.number) in by_number}
    scores = content[SCORES]
    return found | {t.number: scores[t.fingerprint] for t in trials if t.fingerprint in scores}


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {"looks": 0, SCORES: {}}
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {SCORES: {}} | loaded
