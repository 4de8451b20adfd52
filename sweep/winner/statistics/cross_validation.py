"""The winner's own score, freed of the luck that made it win: cross-validated selection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats, Ints
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.scores import highest_mean, oriented

Rule = Callable[[Floats], int]  # scores (N, Q'), higher is better -> index of a configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class HonestScore:
    """What the selected configuration scores on queries that did not select it.

    Attributes:
        per_query: shape (Q,), mean over repeats, in the metric's own orientation; NaN if not
            usable.
        mean: mean of `per_query`.
        interval: 95 % bootstrap interval of the mean over queries (or groups), each drawn with one
            of its repeats.
        chosen: shape (N,), how often each configuration was chosen; sums to folds x repeats.
        folds: folds in use; the number of groups (leave one out) where there are fewer.
        repeats: repeats in use; 1 for leave one out, where every repeat would be the same.
        usable: False with fewer than two queries or groups: nothing can be held out, the figures
            are NaN, and the search score is all there is.
    """

    per_query: Floats
    mean: float
    interval: tuple[float, float]
    chosen: Ints
    folds: int
    repeats: int
    usable: bool


def honest_scores(
    scores: Floats,
    *,
    folds: int = 5,
    repeats: int = 20,
    seed: int = 0,
    groups: Sequence[str] | None = None,
    rule: Rule = highest_mean,
    maximize: bool = True,
) -> HonestScore:
    """Return the cross-validated score of selecting a configuration by a rule.

    Repeated k-fold: `rule` chooses on all folds but one, the choice is scored on that one; each
    query's figure is its mean over the repeats. It estimates what the *procedure* yields with
    (folds - 1) / folds of the queries, so it is, if anything, slightly pessimistic. For the
    honest gain over a baseline, subtract the baseline's row from all rows first: that changes no
    choice and gives the gain its own interval. Source: Varma and Simon 2006,
    doi:10.1186/1471-2105-7-91.

    Args:
        scores: shape (N, Q), finite; N configurations, Q queries.
        folds: >= 2.
        repeats: how often the folds are drawn anew, >= 1.
        seed: of the folds and of the interval.
        groups: the group of each query (its gold document, say); a group is never split between
            choosing and scoring. None = each query is its own group.
        rule: gets the (N, Q') scores to choose on, turned so that higher is better. Default: the
            highest mean, ties to the lowest index.
        maximize: False where lower scores are better.

    Raises:
        WinnerError: for folds < 2, repeats < 1, groups of another length than Q, or scores that
            are empty or not finite.
    """
    turned = oriented(scores, maximize=maximize, where="honest_scores")
    n_configurations, n_queries = turned.shape
    if folds < 2 or repeats < 1 or (groups is not None and len(groups) != n_queries):
        raise WinnerError(
            "honest_scores: folds >= 2, repeats >= 1 and one group per query must hold, got "
            f"folds {folds}, repeats {repeats}, {'no' if groups is None else len(groups)} groups "
            f"for {n_queries} queries. Use the defaults (5 and 20)."
        )
    group_of = group_index(n_queries, groups)
    n_groups = int(group_of.max()) + 1
    chosen = np.zeros(n_configurations, dtype=np.int64)
    if n_groups < 2:
        return _unusable(chosen, n_queries)
    if n_groups <= folds:
        folds, repeats = n_groups, 1
    rng = np.random.default_rng(seed)
    held = np.empty((repeats, n_queries))
    for row in held:
        _score_held_out(turned, draw_folds(group_of, folds, rng), rule, row, chosen)
    held *= 1.0 if maximize else -1.0
    per_query = held.mean(axis=0)
    return HonestScore(
        per_query=per_query,
        mean=float(per_query.mean()),
        interval=bootstrap_interval(held, groups=groups, expanded=True, seed=seed),
        chosen=chosen,
        folds=folds,
        repeats=repeats,
        usable=True,
    )


def _score_held_out(scores: Floats, fold_of: Ints, rule: Rule, row: Floats, chosen: Ints) -> None:
    """Fill one repeat's `row`, (Q,), from choices on the other folds; count them in `chosen`."""
    for fold in range(int(fold_of.max()) + 1):
        held_out = fold_of == fold
        choice = rule(scores[:, ~held_out])
        chosen[choice] += 1
        row[held_out] = scores[choice, held_out]


def _unusable(chosen: Ints, n_queries: int) -> HonestScore:
    """Return the record that says: there is nothing to hold out."""
    nan = float("nan")
    return HonestScore(
        per_query=np.full(n_queries, nan),
        mean=nan,
        interval=(nan, nan),
        chosen=chosen,
        folds=0,
        repeats=0,
        usable=False,
    )


def group_index(n_queries: int, groups: Sequence[str] | None) -> Ints:
    """Return each query's group as a number from 0 on, shape (Q,)."""
    if groups is None:
        return np.arange(n_queries)
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    return index.astype(np.int64)


def draw_folds(group_of: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each query, shape (Q,).

    Groups come in random order, each into the smallest fold so far. No fold is empty where there
    are at least as many groups as folds; folds of single queries differ by one query at most.
    """
    sizes = np.bincount(group_of)
    fold_of_group = np.empty(len(sizes), dtype=np.int64)
    filled = [0] * folds
    for group in rng.permutation(len(sizes)):
        fold = filled.index(min(filled))
        fold_of_group[group] = fold
        filled[fold] += int(sizes[group])
    return fold_of_group[group_of]
