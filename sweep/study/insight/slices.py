"""The slices of a recorded study: by any field of its queries' metadata, and by their form."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from sweep.errors import MetricError
from sweep.metrics import parse_metric
from sweep.records import Floats, Query
from sweep.study.choice import groups_of
from sweep.study.insight.divisions import divisions_of
from sweep.study.reopen import study_corpus
from sweep.study.study import Study
from sweep.study.tables import read_scores
from sweep.text_lines import shorten
from sweep.trials import TrialRecord
from sweep.winner.figures import Scored
from sweep.winner.insight.division import Division
from sweep.winner.insight.routing import oracle_gain, routing_gain
from sweep.winner.insight.slices import FieldSlices, SliceScore, StudySlices, slice_scores
from sweep.winner.statistics.scores import highest_mean


def slices_of(study: Study, *, by: Sequence[str] = (), metric: str | None = None) -> StudySlices:
    """Return how the trials of a study do on slices of its search queries.

    Args:
        study: a study of one objective; its corpus must be what it was.
        by: fields of the queries' metadata, `query:words` or `query:identifier`; none = all that
            make slices.
        metric: a recorded one; None = the objective. What is recommended stays the objective's.

    Raises: SweepError for a field that was asked for and makes no slices, a metric that was not
        recorded, or a study that recommends nothing.
    """
    scored = study.scored()
    table = _table(study, scored, metric)
    scores, maximize = table.scores, table.maximize
    divisions, refused = divisions_of(table.queries, by)
    recommended = scored.chosen()
    best = highest_mean(scores if maximize else -scores)
    rows = {trial.fingerprint: row for row, trial in enumerate(scored.trials)}
    baseline = rows.get(study.baseline or "")
    shown = list(dict.fromkeys(row for row in (recommended, best, baseline) if row is not None))
    return StudySlices(
        study=study.name,
        metric=table.metric,
        maximize=maximize,
        numbers=tuple(trial.number for trial in scored.trials),
        recommended=recommended,
        best=best,
        baseline=baseline,
        queries=len(table.queries),
        overall={row: _overall(scored.trials[row], scores[row], table.metric) for row in shown},
        fields=tuple(
            _field(division, table, shown, routed=scored.adaptive is None)
            for division in divisions
        ),
        refused=refused,
        oracle=oracle_gain(scores, maximize=maximize),
        adaptive=scored.adaptive,
    )


def _overall(trial: TrialRecord, scores: Floats, metric: str) -> SliceScore:
    """Return a trial's score over all queries, with the interval that it has elsewhere."""
    unknown = (math.nan, math.nan)
    return SliceScore(mean=float(scores.mean()), interval=trial.intervals.get(metric, unknown))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    """Scores of one metric, (N, Q), and the Q queries that it is defined for."""

    metric: str
    maximize: bool
    scores: Floats
    queries: tuple[Query, ...]
    groups: tuple[str, ...] | None


def _table(study: Study, scored: Scored, metric: str | None) -> _Table:
    objective = study.goals[0]
    name = objective.name if metric is None else _recorded(study, scored, metric)
    scores, maximize = scored.scores, objective.maximize
    if name != objective.name:
        scores = study.score_matrix(scored.trials, name)[1]
        maximize = parse_metric(name).higher_is_better
    ids = _query_ids(study, scored, name)
    known = {query.id: query for query in study_corpus(study).queries}
    return _Table(
        metric=name,
        maximize=maximize,
        scores=scores,
        queries=tuple(known[query_id] for query_id in ids),
        groups=groups_of(study, ids),
    )


def _field(
    division: Division, table: _Table, shown: Sequence[int], *, routed: bool
) -> FieldSlices:
    slices = slice_scores(
        division,
        table.scores,
        recommended=shown[0],
        others=shown[1:],
        maximize=table.maximize,
        groups=table.groups,
    )
    routing = None
    if routed:
        routing = routing_gain(
            division,
            table.scores,
            maximize=table.maximize,
            scale=parse_metric(table.metric).scale or 1.0,
            groups=table.groups,
        )
    return FieldSlices(by=division.by, slices=slices, routing=routing)


def _recorded(study: Study, scored: Scored, metric: str) -> str:
    known = read_scores(study.folder.path / scored.trials[0].files["scores"]).metrics
    name = str(parse_metric(metric))
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.4) or known
        raise MetricError(
            f"--metric: must be one that the study recorded per query, got {shorten(metric)}. "
            f"Nearest: {', '.join(near)}; another is recorded under `metrics:` in the space file."
        )
    return name


def _query_ids(study: Study, scored: Scored, metric: str) -> tuple[str, ...]:
    """Return the ids of the queries that a metric is defined for: those of the score matrix."""
    table = read_scores(study.folder.path / scored.trials[0].files["scores"])
    defined = ~np.isnan(table.column(metric))
    return tuple(id_ for id_, kept in zip(table.query_ids, defined.tolist(), strict=True) if kept)
