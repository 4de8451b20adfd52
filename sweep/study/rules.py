"""By which rules a recorded study scores, made again from what it was begun with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sweep.metrics import Metric, parse_metric
from sweep.study.metrics import label_range, with_budgets, with_standard
from sweep.study.space.expression import Constraint, parse_constraint
from sweep.study.space.must import Must, must_of
from sweep.study.space.search_space import Evaluation
from sweep.study.study import Study

if TYPE_CHECKING:  # reading a study needs no engine
    from sweep.engine.stages.scoring import Scorer
    from sweep.engine.stages.texts import TextStages
    from sweep.records import Corpus


def evaluation_of(study: Study) -> Evaluation:
    """Return what the study's scores are measured against."""
    known = study.about["identity"]["evaluation"]
    thresholds = tuple(sorted(known.get("thresholds", {}).items()))
    return Evaluation(**known | {"thresholds": thresholds})


def constraints_of_study(study: Study) -> tuple[Constraint, ...]:
    """Return the study's constraints, their metrics by the names that trials record."""
    found = map(parse_constraint, study.about["identity"]["constraints"])
    return tuple(replace(one, metric=str(parse_metric(one.metric))) for one in found)


def musts_of_study(study: Study) -> tuple[Must, ...]:
    """Return the study's bounds on critical slices."""
    return tuple(must_of(remembered) for remembered in study.about.get("must", []))


def metrics_of_study(study: Study, corpus: "Corpus") -> tuple[Metric, ...]:
    """Return every metric that the study's trials record per query, objectives first."""
    bounds = (*constraints_of_study(study), *(must.constraint for must in musts_of_study(study)))
    names = [bound.metric for bound in bounds] + study.about.get("metrics", [])
    metrics = with_budgets([goal.metric for goal in study.goals]) + list(map(parse_metric, names))
    return with_standard(metrics, corpus)


def scorer_of(
    study: Study, texts: "TextStages", metrics: Sequence[Metric], query_ids: Sequence[str]
) -> "Scorer":
    """Return what scores by the study's rules.

    Args:
        study: whose rules they are.
        texts: over its corpus, or over one with more labels.
        metrics: to compute.
        query_ids: judged queries.
    """
    return make_scorer(texts, metrics, query_ids, evaluation_of(study))


def make_scorer(
    texts: "TextStages",
    metrics: Sequence[Metric],
    query_ids: Sequence[str],
    evaluation: Evaluation,
) -> "Scorer":
    """Return what scores by some rules: every scorer of a study's trials is made here.

    Args:
        texts: over the corpus.
        metrics: to compute.
        query_ids: judged queries.
        evaluation: the rules; a range of labels that is not written is that of the corpus.
    """
    from sweep.engine.stages.scoring import Scorer

    return Scorer(
        texts,
        metrics,
        query_ids,
        relevance=evaluation.relevance,
        labels=label_range(evaluation, texts.corpus),
        threshold=evaluation.span_threshold,
        span_rule=evaluation.span_rule,
    )
