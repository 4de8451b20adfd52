"""A baseline that is a run file: read and checked before the first trial, scored at the start."""

from collections.abc import Iterator
from typing import Any

from sweep.errors import SpaceError
from sweep.metrics import bootstrap_interval
from sweep.records import Corpus, ScoreTable
from sweep.study.metrics import goals_of
from sweep.study.run_file import RunFile, computable, read_run_file
from sweep.study.space.search_space import BaselineRun, SearchSpace


def read_baseline(space: SearchSpace, corpus: Corpus) -> RunFile | None:
    """Return the run file that is the baseline of a space, None where it is none.

    Raises:
        SpaceError: if no objective, or not the only one, can be computed from a run.
        SweepError: if the run cannot be read, or is of another corpus.
    """
    if not isinstance(space.baseline, BaselineRun):
        return None
    name = space.baseline.path.name
    for goal in goals_of(space):
        if goal.metric.family == "span" or goal.metric.budget_tokens is not None:
            raise SpaceError(
                f"{space.path.name}: baseline: a run file lists documents, not the passages that "
                f"{goal.name} is computed from, got {name}. Choose an objective on documents such "
                f"as ndcg@10, or describe the baseline as a configuration."
            )
    if not any(computable(goal.metric) for goal in goals_of(space)):
        costs = ", ".join(goal.name for goal in goals_of(space))
        raise SpaceError(
            f"{space.path.name}: baseline: what a run file costs is not known, got {name} beside "
            f"{costs}. Add an objective on documents, or describe the baseline as a configuration."
        )
    judged = [query.id for query in corpus.queries if corpus.qrels.get(query.id)]
    return read_run_file(space.baseline.path, corpus, judged, sha256=space.baseline.sha256)


def baseline_notices(space: SearchSpace, run: RunFile | None) -> Iterator[str]:
    """Tell what should be known of a run file that is the baseline."""
    if run is None:
        return
    yield from run.notices
    depth = run.lists.items.shape[1]
    deepest = max(c.top_k for c in space.examples())
    for goal in goals_of(space):
        if not computable(goal.metric):
            yield f"objective {goal.name}: not known of {run.name}, which lists documents only"
        elif goal.metric.cutoff is not None and goal.metric.cutoff > depth:
            yield (
                f"objective {goal.name} looks at {goal.metric.cutoff} ranks, {run.name} lists at "
                f"most {depth} documents a query: it cannot fill them"
            )
        elif goal.metric.cutoff is None and depth > deepest:
            yield (
                f"objective {goal.name} looks at whole lists: {run.name} has up to {depth:,} "
                f"documents a query, top_k is at most {deepest}"
            )


def baseline_facts(run: RunFile | None, table: ScoreTable | None) -> dict[str, Any] | None:
    """Return what a study remembers of a baseline that is a run file, JSON-ready.

    Args:
        run: the baseline; None where it is no run file.
        table: its scores on the queries that choose, as `Evaluation.score_run` returns them.
    """
    if run is None or table is None:
        return None
    bounds = bootstrap_interval(table.values).tolist()
    return {
        "name": run.name,
        "sha256": run.sha256,
        "counts": dict(run.counts),
        "metrics": {name: table.mean(name) for name in table.metrics},
        "intervals": dict(zip(table.metrics, bounds, strict=True)),
    }
