"""The queue of a study: which configurations, in which order, evaluated one after another."""

from collections.abc import Sequence
from typing import Any

import optuna

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from sweep.errors import StoreError
from sweep.study.evaluate import Evaluation, evaluate
from sweep.study.record import distributions, from_optuna, to_optuna
from sweep.study.search_space import SearchSpace


class TooManyFailures(Exception):
    """More trials failed than `max_failures` allows; what was finished is kept."""


def planned(space: SearchSpace) -> list[Configuration]:
    """Return the configurations of a study, the baseline with them, in an order that shares work.

    What needs no model comes first, so that there is something to see soon. Then configurations of
    one chunking stand together, those of one index after another within it.
    """
    queue = list(space.configurations)
    if isinstance(space.baseline, Configuration) and space.baseline not in queue:
        queue.append(space.baseline)
    place = {mode: rank for rank, mode in enumerate(("bm25", "vector", "hybrid", "rerank"))}
    return sorted(
        queue,
        key=lambda c: (
            c.mode != "bm25",
            c.chunk.splitter,
            c.chunk.size or 0,
            c.chunk.overlap,
            str(c.chunk),
            str(c.vector),
            place[c.mode],
            str(sorted(c.flat().items())),
        ),
    )


def evaluate_queue(
    study: optuna.Study,
    evaluation: Evaluation,
    queue: Sequence[Configuration],
    axes: dict[str, list[Any]],
    max_failures: float,
) -> None:
    """Evaluate what has no finished trial yet, and write each trial in one go.

    Args:
        study: where trials are recorded.
        evaluation: what they are evaluated with.
        queue: all configurations of the study, in order.
        axes: every value of every parameter in the study.
        max_failures: share of failed trials that stops the run.

    Raises: TooManyFailures when more fail.
    """
    report = evaluation.engine.report
    space = distributions(axes)
    records = [from_optuna(trial) for trial in study.get_trials(deepcopy=False)]
    kept = {r.fingerprint: r for r in records if r is not None and r.state == "COMPLETE"}
    for record in kept.values():
        report.on_event("kept", record.to_json())
    number, failed = len(records), 0
    waiting = [c for c in queue if c.fingerprint() not in kept]
    prefetched = False
    for done, configuration in enumerate(waiting, start=len(queue) - len(waiting)):
        report.on_progress("trials", done, len(queue))
        if configuration.mode != "bm25" and not prefetched:
            _prefetch(evaluation.engine, waiting)
            prefetched = True
        record = evaluate(evaluation, configuration, number)
        study.add_trial(to_optuna(record, space))
        report.on_event("trial", record.to_json())
        number += 1
        if record.state == "FAIL":
            failed += 1
            report.notice(f"trial {record.number} failed: {record.error['message']}")
            if failed > max_failures * len(queue):
                raise TooManyFailures(
                    f"{failed} of {len(queue)} trials failed, more than {max_failures:.0%}; the "
                    f"last one: {record.error['message']}"
                )
    report.on_progress("trials", len(queue), len(queue))


def _prefetch(engine: Engine, queue: Sequence[Configuration]) -> None:
    """Do shared work in one go; what fails here fails again, with its reason, in its trial."""
    for shared in (prefetch_vectors, prefetch_pairs):
        try:
            shared(engine, queue)
        except StoreError:
            raise
        except Exception as error:
            engine.report.notice(f"shared work was put off to the trials: {error}")


def axes_of(queue: Sequence[Configuration]) -> dict[str, list[Any]]:
    """Return the distinct values of every flat parameter, sorted."""
    axes: dict[str, set[Any]] = {}
    for configuration in queue:
        for name, value in configuration.flat().items():
            axes.setdefault(name, set()).add(value)
    return {name: sorted(values, key=_in_order) for name, values in axes.items()}


def _in_order(value: Any) -> tuple[bool, Any]:
    """Sort numbers by value, before texts."""
    return isinstance(value, str), value
