"""The answer of a study: which configuration to use, how good it honestly is, beside the baseline.

Made from records and score tables only. The closing message, `sweep best` and the bundle's README
show the figures of one `Answer`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.trials import TrialRecord
from sweep.winner.cross_validation import honest_scores
from sweep.winner.inference import planned_comparison

Pick = Literal["best", "baseline"]
MAX_ROWS = 10  # of the leaderboard in the closing message


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over queries with its 95 % interval, and how it was obtained."""

    mean: float
    interval: tuple[float, float]
    queries: int
    how: str

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "mean": self.mean,
            "interval": list(self.interval),
            "queries": self.queries,
            "how": self.how,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a study says.

    Attributes:
        study: its name.
        objective: name of the metric.
        pick: which configuration `trial` is.
        trial: the configuration to use.
        search: its score on the queries that chose it.
        confirm: its honest score, by metric; None where it cannot be had (one query).
        baseline: the baseline's trial, if there is one.
        difference: honest difference to the baseline.
        leaderboard: the leading trials, best first.
        evaluated, failed, infeasible: how many trials there are.
    """

    study: str
    objective: str
    pick: Pick
    trial: TrialRecord
    search: Figure
    confirm: Figure | None
    baseline: TrialRecord | None
    difference: Figure | None
    leaderboard: tuple[TrialRecord, ...]
    evaluated: int
    failed: int
    infeasible: int

    def to_json(self) -> dict[str, Any]:
        """Return the shape of `best --json`: the trial's own, with `pick` and `confirm`."""
        return {
            **self.trial.to_json(),
            "study": self.study,
            "objective": self.objective,
            "pick": self.pick,
            "search": self.search.to_json(),
            "confirm": self.confirm.to_json() if self.confirm else None,
            "baseline": self.baseline.to_json() if self.baseline else None,
            "difference_to_baseline": self.difference.to_json() if self.difference else None,
            "trials": {
                "complete": self.evaluated,
                "failed": self.failed,
                "infeasible": self.infeasible,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Feasible trials and their scores of the objective.

    Attributes:
        trials: N trials.
        scores: shape (N, Q), on the search queries.
        groups: shape (Q,), what is never divided between folds; None = each query alone.
        maximize: whether higher is better.
        confirm: trial number -> scores on the confirm set, for the picked trial and the baseline.
    """

    trials: tuple[TrialRecord, ...]
    scores: Floats
    groups: Sequence[str] | None
    maximize: bool
    confirm: dict[int, Floats]


def best_of(scored: Scored) -> int:
    """Return the row with the best mean; among equals the cheapest, then the first.

    Raises: WinnerError if there is no feasible trial.
    """
    if not scored.trials:
        raise WinnerError(
            "study: must hold a finished trial that meets every constraint, got none. Loosen the "
            "constraints, or see `sweep trials` for what failed."
        )
    sign = 1.0 if scored.maximize else -1.0
    means = scored.scores.mean(axis=1) * sign
    rows = np.flatnonzero(means >= means.max() - 1e-12)
    return min((int(row) for row in rows), key=lambda row: (_cost(scored.trials[row]), row))


def _cost(trial: TrialRecord) -> tuple[float, ...]:
    names = ("context_tokens", "work", "index_bytes")
    return tuple(trial.metrics.get(name, float("inf")) for name in names)


def honest_figures(
    scored: Scored, row: int, baseline: int | None
) -> tuple[Figure | None, Figure | None]:
    """Return the honest score of the picked row, and its difference to the baseline row.

    On the confirm set where there is one; otherwise by cross-validated selection: choose on four
    folds, score on the fifth, repeated. The latter speaks of *choosing the best*, so it is given
    only where the picked row is the best one.
    """
    number = scored.trials[row].number
    if number in scored.confirm:
        values = scored.confirm[number]
        how = "scored once on the confirm set"
        base = scored.confirm.get(scored.trials[baseline].number) if baseline is not None else None
    else:
        sign = 1.0 if scored.maximize else -1.0
        honest = honest_scores(scored.scores * sign, groups=scored.groups)
        if not honest.usable:
            return None, None
        values = honest.per_query * sign
        how = "cross-validated selection"
        base = scored.scores[baseline] if baseline is not None else None
    figure = _figure(values, how)
    if base is None or baseline == row:
        return figure, None
    comparison = planned_comparison(base, values)
    return figure, Figure(
        mean=comparison.difference, interval=comparison.interval, queries=len(values), how=how
    )


def _figure(values: Floats, how: str) -> Figure:
    comparison = planned_comparison(np.zeros_like(values), values)
    return Figure(
        mean=float(values.mean()), interval=comparison.interval, queries=len(values), how=how
    )


def make_answer(
    study: str,
    objective: str,
    scored: Scored,
    *,
    baseline: str | None,
    pick: Pick,
    evaluated: int,
    failed: int,
) -> Answer:
    """Return the answer of a study.

    Args:
        study: its name.
        objective: the metric's name.
        scored: its feasible trials.
        baseline: the baseline's fingerprint.
        pick: which configuration is asked for.
        evaluated: how many trials were finished.
        failed: how many failed.

    Raises: WinnerError if there is no such configuration.
    """
    best = best_of(scored)
    prints = [trial.fingerprint for trial in scored.trials]
    base = prints.index(baseline) if baseline in prints else None
    row = best
    if pick == "baseline":
        if base is None:
            raise WinnerError(
                f"--pick baseline: the study must have a feasible baseline, got none in "
                f"{study!r}. Add `baseline:` to the space file, or pick best."
            )
        row = base
    trial = scored.trials[row]
    confirm, difference = honest_figures(scored, row, base)
    if pick == "baseline" and trial.number not in scored.confirm:
        confirm = _figure(scored.scores[row], "chosen by nobody: all search queries")
        difference = None
    sign = -1.0 if scored.maximize else 1.0
    order = np.argsort(sign * scored.scores.mean(axis=1), kind="stable")
    return Answer(
        study=study,
        objective=objective,
        pick=pick,
        trial=trial,
        search=_figure(scored.scores[row], "the queries that chose it"),
        confirm=confirm,
        baseline=scored.trials[base] if base is not None else None,
        difference=difference,
        leaderboard=tuple(scored.trials[r] for r in order[:MAX_ROWS].tolist()),
        evaluated=evaluated,
        failed=failed,
        infeasible=evaluated - len(scored.trials),
    )


def answer_text(answer: Answer) -> str:
    """Return the closing message of a run."""
    trial = answer.trial
    lines = [f"USE   #{trial.number}  {trial.configuration.label()}"]
    lines.append(f"      {answer.objective} {_score_text(answer)}")
    if answer.difference is not None and answer.baseline is not None:
        low, high = answer.difference.interval
        lines.append(
            f"      against the baseline #{answer.baseline.number}: "
            f"{answer.difference.mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            + (" (the interval holds 0: no gain is shown)" if low <= 0 <= high else "")
        )
    elif answer.baseline is not None and answer.baseline.number == trial.number:
        lines.append("      nothing beats the baseline: keep what you have")
    lines.append(f"      {_cost_text(trial)}")
    judged = trial.metrics.get("judged@10")
    if judged is not None and judged < 1:
        lines.append(
            f"HOLES judged@10 {judged:.0%}: {trial.metrics.get('holes@10', 0):.1f} of its first "
            f"10 documents a query have no label"
        )
    counts = f"{answer.evaluated} configurations evaluated"
    if answer.failed:
        counts += f", {answer.failed} failed"
    if answer.infeasible:
        counts += f", {answer.infeasible} violate a constraint"
    lines.append(f"STUDY {answer.study}: {counts}")
    name = answer.study
    lines.append(
        f"NEXT  sweep trials {name} | sweep dashboard | sweep export {name} --out winner/"
    )
    return "\n".join(lines)


def _score_text(answer: Answer) -> str:
    search = answer.search
    if answer.confirm is None:
        return f"{search.mean:.3f} on the {search.queries} queries that chose it"
    low, high = answer.confirm.interval
    return (
        f"{answer.confirm.mean:.3f} [{low:.3f}, {high:.3f}] ({answer.confirm.how}, "
        f"{answer.confirm.queries} queries; {search.mean:.3f} on the {search.queries} queries "
        f"that chose it)"
    )


def _cost_text(trial: TrialRecord) -> str:
    parts = [f"{trial.metrics.get('context_tokens', 0):,.0f} context tokens a query"]
    if "latency_p95_ms" in trial.metrics:
        parts.append(f"p95 {trial.metrics['latency_p95_ms']:.1f} ms on this machine")
    if "index_bytes" in trial.metrics:
        parts.append(f"index {trial.metrics['index_bytes'] / 1e6:,.1f} MB")
    return ", ".join(parts)
