"""How configurations do on parts of the queries, and whether another one would be better there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.records import Floats
from sweep.winner.insight.division import FEWEST, Division, Flags
from sweep.winner.insight.routing import Routing
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.inference import tukey_hsd
from sweep.winner.statistics.paired_tests import holm

PERMUTATIONS = 1_000  # random sign patterns of a slice's test: p-values within .015
RESAMPLES = 2_000
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScore:
    """A configuration's mean over a slice, with its 95 % interval (NaN for a single query)."""

    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {"mean": self.mean, "interval": list(self.interval)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One part of the queries.

    Attributes:
        value: what its queries have in common.
        queries: how many they are.
        scores: of configurations that were named before looking at the slice, by their rows.
        winner: row of the slice's best mean, chosen on its few queries among all configurations;
            the recommended one where it is as good. None in a slice of fewer than 5 queries.
        lead: by how much the winner is better there than the recommended one, >= 0.
        tied: how many configurations are not separable from the winner, itself included.
        p_value: of "no configuration is better here than the recommended one", allowing for the
            number of configurations and for the winner being chosen on the same queries
            (randomised Tukey HSD), and, by Holm, for the number of slices.
        separable: whether that is refuted at 5 %.
    """

    value: str
    queries: int
    scores: Mapping[int, SliceScore]
    winner: int | None = None
    lead: float | None = None
    tied: int | None = None
    p_value: float | None = None

    @property
    def separable(self) -> bool:
        """Return whether another configuration is shown to be better than the recommended one."""
        return self.p_value is not None and self.p_value <= LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSlices:
    """The slices by one field; `routing` is None where nothing could be routed."""

    by: str
    slices: tuple[Slice, ...]
    routing: Routing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySlices:
    """A study's slices, on its search queries.

    Attributes:
        study: its name.
        metric: what is scored.
        maximize: whether higher is better.
        numbers: trial numbers by row of `Slice.scores` and `Slice.winner`.
        recommended, best, baseline: rows; `baseline` is None where there is none.
        queries: how many queries the metric is defined for.
        overall: the shown trials' scores over all of them, by row.
        fields: in the order of the corpus, then what is derived.
        refused: fields that make no slices, with the reason.
        oracle: what the best configuration for every single query would gain; flattered.
        adaptive: the sampler, if it chose what to try by these queries: nothing is routed then.
    """

    study: str
    metric: str
    maximize: bool
    numbers: tuple[int, ...]
    recommended: int
    best: int
    baseline: int | None
    queries: int
    overall: dict[int, SliceScore]
    fields: tuple[FieldSlices, ...]
    refused: dict[str, str]
    oracle: float
    adaptive: str | None

    @property
    def roles(self) -> dict[int, str]:
        """Return what the shown trials are, by row."""
        found = {self.recommended: "recommended"}
        for row, role in ((self.best, "best"), (self.baseline, "baseline")):
            if row is not None:
                found[row] = f"{found[row]}, {role}" if row in found else role
        return found

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form; trials by their numbers."""
        return {
            "study": self.study,
            "metric": self.metric,
            "queries": self.queries,
            "configurations": len(self.numbers),
            "recommended": self.numbers[self.recommended],
            "best": self.numbers[self.best],
            "baseline": None if self.baseline is None else self.numbers[self.baseline],
            "overall": self._scores_json(self.overall),
            "fields": [
                {
                    "by": field.by,
                    "slices": [self._slice_json(slice_) for slice_ in field.slices],
                    "routing": field.routing.to_json() if field.routing else None,
                }
                for field in self.fields
            ],
            "refused": self.refused,
            "oracle_gain": self.oracle,
        }

    def _scores_json(self, scores: Any) -> dict[str, Any]:
        return {str(self.numbers[row]): score.to_json() for row, score in scores.items()}

    def _slice_json(self, slice_: Slice) -> dict[str, Any]:
        winner = slice_.winner
        return {
            "value": slice_.value,
            "queries": slice_.queries,
            "scores": self._scores_json(slice_.scores),
            "winner": None if winner is None else self.numbers[winner],
            "lead": slice_.lead,
            "tied": slice_.tied,
            "p_value": slice_.p_value,
            "separable": slice_.separable,
        }


def slice_scores(
    division: Division,
    scores: Floats,
    *,
    recommended: int,
    others: Sequence[int] = (),
    maximize: bool = True,
    groups: Sequence[str] | None = None,
) -> tuple[Slice, ...]:
    """Return the slices of a division.

    Args:
        division: of the Q queries.
        scores: shape (N, Q), finite.
        recommended: row of the configuration that all slices would get.
        others: rows of further configurations to show.
        maximize: False where lower scores are better.
        groups: the group of each query, for the intervals.
    """
    rows = list(dict.fromkeys([recommended, *others]))
    tests = {
        value: tukey_hsd(scores[:, inside], permutations=PERMUTATIONS, maximize=maximize)
        for value, inside in division.members.items()
        if inside.sum() >= FEWEST
    }
    raw = np.array([test.p_values[recommended] for test in tests.values()])
    adjusted = dict(zip(tests, holm(raw).tolist(), strict=True))
    found = []
    for value, inside in division.members.items():
        shown = {row: slice_score(scores[row], inside, groups) for row in rows}
        slice_ = Slice(value=value, queries=int(inside.sum()), scores=shown)
        if (test := tests.get(value)) is not None:
            lead = float(test.loss[recommended])
            slice_ = replace(
                slice_,
                winner=recommended if lead == 0 else test.best,
                lead=lead,
                tied=len(test.tied),
                p_value=adjusted[value],
            )
        found.append(slice_)
    return tuple(found)


def slice_score(values: Floats, inside: Flags, groups: Sequence[str] | None) -> SliceScore:
    """Return the mean of some of a configuration's scores (Q,), with its interval."""
    kept = None
    if groups is not None:
        kept = [group for group, is_in in zip(groups, inside.tolist(), strict=True) if is_in]
    return SliceScore(
        mean=float(values[inside].mean()),
        interval=bootstrap_interval(
            values[inside], groups=kept, expanded=True, resamples=RESAMPLES
        ),
    )
