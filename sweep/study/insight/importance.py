"""Optuna's importance of each parameter, beside the effects in matched configurations.

PED-ANOVA (Watanabe et al. 2023, arXiv:2304.10255) asks in which parameters the best tenth of the
trials differs from all of them; it takes parameters that only some modes have (arXiv:2601.20800).
fANOVA (Hutter et al. 2014, proceedings.mlr.press/v32/hutter14) asks how much of the variance
between trials a parameter explains in a random forest; it takes only what every trial has. Both
are shares that say neither which value is better, nor by how much, nor whether the queries show
it, and both take what a sampler tried as it comes. So what `sweep.winner.insight.effects` says is
what to read; this is a second opinion on what matters.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import optuna

from sweep.study.study import Study

Method = Literal["ped-anova", "fanova"]
FEWEST = 10  # trials: of fewer, the best tenth is a single one
SEED = 7  # of the random forest


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """Shares of importance, the largest first.

    Attributes:
        method: how they were found.
        shares: by parameter; they sum to 1. Empty where there are none.
        reason: why there are none; None if there are.
        left_out: parameters that vary and that the method cannot take.
        trials: how many it looked at.
    """

    method: Method
    shares: Mapping[str, float]
    reason: str | None
    left_out: tuple[str, ...]
    trials: int


def parameter_importance(
    study: Study,
    values: Mapping[int, float],
    *,
    maximize: bool = True,
    method: Method = "ped-anova",
) -> Importance:
    """Return the importance of parameters for a metric, or why there is none.

    Args:
        study: a study.
        values: the metric's value of every finished trial, by number; those that violate a
            constraint count too.
        maximize: whether higher is better.
        method: PED-ANOVA needs nothing else; fANOVA needs scikit-learn.
    """
    opened = optuna.load_study(study_name=study.name, storage=study.optuna_storage)
    complete = [t for t in opened.get_trials(deepcopy=False) if t.number in values]
    varied = _varied(complete)
    taken = varied if method == "ped-anova" else _everywhere(varied, complete)
    sign = -1.0 if maximize else 1.0
    losses = {number: sign * value for number, value in values.items()}
    reason, shares = _refusal(complete, losses, varied, taken), {}
    if reason is None:
        try:
            shares = _shares(opened, taken, method, losses)
        except ImportError:
            reason = "fANOVA needs scikit-learn: pip install scikit-learn"
        except (KeyError, RuntimeError, ValueError) as error:
            reason = f"Optuna cannot tell: {error}"
    if reason is None and not any(shares.values()):
        reason, shares = "no parameter is important by this method", {}
    return Importance(
        method=method,
        shares=shares,
        reason=reason,
        left_out=tuple(name for name in varied if name not in shares) if shares else (),
        trials=len(complete),
    )


def _refusal(
    trials: Sequence[Any], losses: Mapping[int, float], varied: list[str], taken: list[str]
) -> str | None:
    """Return why there is nothing to ask Optuna, None if there is."""
    if len(trials) < FEWEST:
        return f"{len(trials)} finished trials are too few, it takes {FEWEST}"
    if len(set(losses.values())) < 2:
        return "all trials score the same"
    if not varied:
        return "no parameter has more than one value"
    return None if taken else "no parameter that varies is in every trial, as fANOVA needs"


def _varied(trials: list[Any]) -> list[str]:
    """Return the parameters with several values in the trials."""
    values: dict[str, set[Any]] = {}
    for trial in trials:
        for name, value in trial.params.items():
            values.setdefault(name, set()).add(value)
    return [name for name, known in values.items() if len(known) > 1]


def _everywhere(names: list[str], trials: list[Any]) -> list[str]:
    return [name for name in names if all(name in trial.params for trial in trials)]


def _shares(
    study: Any, names: list[str], method: Method, losses: Mapping[int, float]
) -> dict[str, float]:
    from optuna import importance  # a second: it loads scikit-learn

    evaluator: importance.BaseImportanceEvaluator = importance.PedAnovaImportanceEvaluator()
    if method == "fanova":
        evaluator = importance.FanovaImportanceEvaluator(seed=SEED)
    with warnings.catch_warnings():
        # That `target` is minimised, as losses are, and that a regime has few trials.
        warnings.simplefilter("ignore")
        found = evaluator.evaluate(study, params=names, target=lambda t: losses[t.number])
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    total = sum(value for _, value in ordered)
    return {name: float(value) / total if total > 0 else 0.0 for name, value in ordered}
