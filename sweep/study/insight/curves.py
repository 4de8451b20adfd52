"""Curves of trials, scored from their stored rankings: by top_k, and by token budget.

Nothing is retrieved again, and no model is needed: an output cut at k chunks is what a trial with
that top_k would have returned. Chunks and their tokens come from the store, or are cut again.
"""

from collections.abc import Sequence

import numpy as np

from sweep.engine.stages.texts import TextStages
from sweep.errors import MetricError
from sweep.metrics import Metric, parse_metric
from sweep.rankings.documents import cut_top_k
from sweep.records import Floats, Ints, RankedLists
from sweep.study.rules import scorer_of
from sweep.study.study import Study
from sweep.study.tables import read_ranking, read_scores
from sweep.text_lines import shorten
from sweep.trials import TrialRecord
from sweep.winner.insight.curves import Curve, make_curve

AT_K, AT_TOKENS = "@k", "@Ntok"  # stand for each point's own cut-off
EVERY = 10  # up to this top_k each is a point, beyond it every fourth, from 40 on every sixteenth
STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)  # times 10^n: token budgets
FEWEST_TOKENS = 100


def curve_metrics(metric: Metric) -> tuple[str, ...]:
    """Return what is worth drawing beside a metric, itself first.

    By top_k: the metric itself on the cut output, as a trial with that top_k would have scored,
    and how much of the relevant has been found. By tokens: the metric where it takes a budget.
    """
    found = "span_recall" if metric.family == "span" else f"recall{AT_K}"
    try:
        Metric(metric.name, budget_tokens=1, relevance=metric.relevance)
        relevance = "" if metric.relevance is None else f"(rel={metric.relevance})"
        budget = f"{metric.name}{relevance}{AT_TOKENS}"
    except MetricError:
        budget = f"{'span_recall' if metric.family == 'span' else 'recall'}{AT_TOKENS}"
    return tuple(dict.fromkeys((str(metric), found, budget)))


def trial_curves(
    study: Study,
    trials: Sequence[TrialRecord],
    texts: TextStages,
    *,
    metrics: Sequence[str] = (),
) -> tuple[Curve, ...]:
    """Return the curves of some finished trials on the search queries, trial by trial.

    Args:
        study: the study of the trials.
        trials: finished ones.
        texts: the stages that know chunks and tokens of the study's corpus.
        metrics: names of per-query metrics: `ndcg@10` is the metric of the output cut at each
            top_k, `ndcg@k` is cut along with it, `ndcg@Ntok` is a curve by token budget. Empty =
            those of `curve_metrics` for the first objective.

    Returns:
        By tokens only as far as half of the queries' outputs reach: beyond, a curve would be flat
        because the output has ended. A trial that no budget fits has no such curve.

    Raises:
        MetricError: for a name that is none, or a metric that has no score per query.
        StudyError: if a ranking is gone or damaged.
    """
    names = metrics or curve_metrics(study.goals[0].metric)
    for name in names:
        _check(name)
    found = []
    for trial in trials:
        output = _Output(study, trial, texts)
        for name in names:
            curve = output.curve(name)
            found += [] if curve is None else [curve]
    return tuple(found)


class _Output:
    """A trial's stored ranking, with what its cuts are scored by."""

    def __init__(self, study: Study, trial: TrialRecord, texts: TextStages) -> None:
        folder, self._trial = study.folder.path, trial
        self._chunks = texts.chunks(trial.configuration.chunk)
        self._lists = read_ranking(folder / trial.files["ranking"], texts.corpus)
        self._scorer = scorer_of(
            study, texts, [], read_scores(folder / trial.files["scores"]).query_ids
        )

    def curve(self, name: str) -> Curve | None:
        by_tokens = name.endswith(AT_TOKENS)
        metric = metric_at(name, 1)
        rows = self._scorer.defined(metric)
        at = self._budgets(rows) if by_tokens else tops(self._trial.configuration.top_k)
        if not at or not rows.any():
            return None
        scores = self._by_tokens(name, at) if by_tokens else self._by_top_k(name, at)
        return make_curve(
            at,
            scores[:, rows],
            trial=self._trial.number,
            metric=name,
            by="tokens" if by_tokens else "top_k",
            scale=metric.scale or 1.0,
            maximize=metric.higher_is_better,
        )

    def _by_top_k(self, name: str, at: Sequence[int]) -> Floats:
        columns = []
        for top_k in at:
            metric = metric_at(name, top_k)
            table = self._scorer.score(
                self._trial.configuration, self._cut(top_k), metrics=[metric]
            )
            columns.append(table.column(str(metric)))
        return np.stack(columns)

    def _cut(self, top_k: int) -> RankedLists:
        unit = self._trial.configuration.top_k_unit
        return cut_top_k(self._lists, self._chunks.document, top_k=top_k, unit=unit)

    def _by_tokens(self, name: str, at: Sequence[int]) -> Floats:
        metrics = [metric_at(name, budget) for budget in at]
        table = self._scorer.score(self._trial.configuration, self._lists, metrics=metrics)
        return np.stack([table.column(str(metric)) for metric in metrics])

    def _budgets(self, rows: np.ndarray) -> tuple[int, ...]:
        """Return the budgets that the outputs of at least half of the queries fill."""
        items = self._lists.items[self._scorer.judgements.rows[rows]]
        lengths: Ints = np.where(items >= 0, self._chunks.tokens[items], 0).sum(axis=1)
        return budgets(int(np.median(lengths))) if len(lengths) else ()


def tops(top_k: int) -> tuple[int, ...]:
    """Return the points of a curve by top_k: dense where it is steep, its end included."""
    every = range(1, min(top_k, EVERY) + 1)
    fourth = range(EVERY + 2, min(top_k, 4 * EVERY) + 1, 4)
    rest = range(4 * EVERY + 8, top_k + 1, 16)
    return tuple(sorted({*every, *fourth, *rest, top_k}))


def budgets(most: int) -> tuple[int, ...]:
    """Return round token budgets from 100 up to `most`."""
    powers = range(2, len(str(most)))
    found = (int(step * 10**power) for power in powers for step in STEPS)
    return tuple(n for n in found if FEWEST_TOKENS <= n <= most)


def metric_at(name: str, at: int) -> Metric:
    """Return the metric at one point of a curve; `@k` and `@Ntok` stand for the point.

    Raises: MetricError for a name that is none.
    """
    if name.endswith(AT_TOKENS):
        return parse_metric(f"{name.removesuffix(AT_TOKENS)}@{at}tok")
    return parse_metric(f"{name.removesuffix(AT_K)}@{at}" if name.endswith(AT_K) else name)


def _check(name: str) -> None:
    if not metric_at(name, 1).per_query:
        raise MetricError(
            f"metric {shorten(name)}: a curve needs one that has a score for each query, got "
            "a cost of whole configurations. Write ndcg@10."
        )
