"""The queue of a study: which configurations, in which order, evaluated one after another."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import optuna

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from sweep.errors import StoreError
from sweep.study.driver.draws import GridDraws, Recorded, SampledDraws
from sweep.study.driver.evaluate import Evaluation, evaluate
from sweep.study.driver.sampling import Draw
from sweep.study.record import distributions, to_optuna
from sweep.study.space.domains import Choices
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord


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
    return in_order(queue)


def in_order(queue: Iterable[Configuration]) -> list[Configuration]:
    """Return configurations in an order that shares work; see `planned`."""
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
    draws: GridDraws | SampledDraws,
    recorded: Recorded,
    axes: dict[str, list[Any]],
    max_failures: float,
) -> None:
    """Evaluate what has no finished trial yet, and write each trial in one go.

    Args:
        study: where trials are recorded.
        evaluation: what they are evaluated with.
        draws: what to evaluate.
        recorded: the study's trials so far; new ones join it.
        axes: every value of every parameter in the study.
        max_failures: share of failed trials that stops the run.

    Raises: TooManyFailures when more fail.
    """
    report = evaluation.engine.report
    space = distributions(axes, listed=draws.listed)
    for kept in recorded.finished():
        report.on_event("kept", kept.to_json())
    number, failed = len(study.get_trials(deepcopy=False)), 0
    for portion in draws.portions(recorded):
        prefetched = False
        for draw in portion:
            report.on_progress("trials", len(recorded), draws.planned)
            if draw.configuration.mode != "bm25" and not prefetched:
                _prefetch(evaluation.engine, [d.configuration for d in portion])
                prefetched = True
            record = _evaluate(evaluation, draw, number)
            study.add_trial(to_optuna(record, space))
            recorded.add(record)
            report.on_event("trial", record.to_json())
            number += 1
            if record.state == "FAIL":
                failed += 1
                report.notice(f"trial {record.number} failed: {record.error['message']}")
                _check_failures(record, failed, draws.planned, max_failures)
    report.on_progress("trials", len(recorded), draws.planned)


def _evaluate(evaluation: Evaluation, draw: Draw, number: int) -> TrialRecord:
    record = evaluate(evaluation, draw.configuration, number)
    if draw.batch is None:
        return record
    origin = {"batch": draw.batch, "place": draw.place, "params": dict(draw.params)}
    return replace(record, draw=origin)


def _check_failures(record: TrialRecord, failed: int, planned: int, most: float) -> None:
    if failed > most * planned:
        raise TooManyFailures(
            f"{failed} of {planned} trials failed, more than {most:.0%}; the last one: "
            f"{record.error['message']}"
        )


def _prefetch(engine: Engine, queue: Sequence[Configuration]) -> None:
    """Do shared work in one go; what fails here fails again, with its reason, in its trial."""
    with engine.report.sharing():
        for shared in (prefetch_vectors, prefetch_pairs):
            try:
                shared(engine, queue)
            except StoreError:
                raise
            except Exception as error:
                engine.report.notice(f"shared work was put off to the trials: {error}")


def axes_of(space: SearchSpace) -> dict[str, list[Any]]:
    """Return the values that every flat parameter can take in the study, sorted.

    In a grid they are those of its configurations. Where a sampler draws them they are the listed
    values, of a range both ends, and what follows from other values.
    """
    axes: dict[str, set[Any]] = {}
    queue = [*space.examples()]
    if isinstance(space.baseline, Configuration):
        queue.append(space.baseline)
    for configuration in queue:
        for name, value in configuration.flat().items():
            axes.setdefault(name, set()).add(value)
    for domain in space.domains().values() if space.sampler.kind != "grid" else ():
        for option in domain.options if isinstance(domain, Choices) else ():
            for name, value in option.sets:
                axes.setdefault(name, set()).add(value)
    axes.pop("space", None)
    return {name: sorted(values, key=_in_order) for name, values in axes.items()}


def _in_order(value: Any) -> tuple[bool, Any]:
    """Sort numbers by value, before texts."""
    return isinstance(value, str), value
