"""Part of stage 6: a search-space file -> `SearchSpace`, the configurations that a study tries.

Flow: `yaml_file` reads the text, `space_file` checks its form, `domains` turns written values
into choices and ranges, `enumeration` lists the configurations. Nothing here knows Optuna. Every
problem of a file is reported in one error, one per line.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sweep.configuration import DEFAULT_MODEL, Configuration
from sweep.errors import SpaceError
from sweep.prompts import Prompts, find_prompts
from sweep.study.space.domains import (
    Part,
    read_part,
)
from sweep.study.space.enumeration import (
    count_combinations,
    enumerate_configurations,
)
from sweep.study.space.expression import Constraint, parse_constraint
from sweep.study.space.must import Must, read_must
from sweep.study.space.notices import space_notices
from sweep.study.space.problems import problem_lines
from sweep.study.space.sample import Sample, read_sample
from sweep.study.space.search_space import (
    BaselineRun,
    Evaluation,
    Objective,
    Sampler,
    SearchSpace,
    Split,
    compare_axes,
    is_allowed,
)
from sweep.study.space.space_file import (
    NAME_PATTERN,
    ObjectiveFile,
    RunFile,
    SplitFile,
    StudyFile,
    space_schema,
)
from sweep.study.space.yaml_file import read_yaml
from sweep.winner.preference import Preference

__all__ = [
    "BaselineRun",
    "Constraint",
    "Evaluation",
    "Must",
    "Objective",
    "Preference",
    "Sample",
    "Sampler",
    "SearchSpace",
    "Split",
    "compare_axes",
    "read_space",
    "space_schema",
]
MAX_COMBINATIONS = 5_000_000  # minutes and gigabytes to list; far beyond what can be evaluated
MAX_LISTED = 100_000  # of a sampled space, which can do without a list


def read_space(path: Path, *, download: bool = False) -> SearchSpace:
    """Read and check a search-space file, and list its configurations.

    Args:
        path: the file.
        download: models may be fetched from the hub to learn what they want before their texts
            (see `sweep.prompts`); of one that is not on this machine only the table is known.

    Raises: SpaceError with every problem of the file, one per line, each with the file's path.
    """
    content, duplicates = read_yaml(path)
    problems = list(duplicates)
    try:
        file = StudyFile.model_validate(content)
    except ValidationError as error:
        raise _as_error(path, [*problems, *problem_lines(error)]) from None
    prompts = cache(partial(find_prompts, download=download))
    parts = _parts(file, problems, prompts)
    objectives = _objectives(file, problems)
    baseline = _baseline(file, path, problems, prompts)
    tokenizer = _tokenizer(file, parts, problems)
    trials = _trials(file, problems)
    name = _name(file, path, problems)
    if problems:
        raise _as_error(path, problems)
    return SearchSpace(
        path=path,
        name=name,
        corpus=None if file.corpus is None else _beside(path, file.corpus),
        objectives=objectives,
        metrics=tuple(dict.fromkeys(file.metrics)),
        constraints=tuple(dict.fromkeys(parse_constraint(text) for text in file.constraints)),
        must=tuple(dict.fromkeys(read_must(entry) for entry in file.must)),
        recommend=_preference(file),
        baseline=baseline,
        split=_split(file),
        sampler=Sampler(kind=file.sampler.kind, seed=file.sampler.seed),
        trials=trials,
        evaluation=_evaluation(file),
        tokenizer=tokenizer,
        exclude=tuple(dict.fromkeys(file.exclude)),
        parts=parts,
        configurations=_configurations(file, path, parts),
        notices=tuple(dict.fromkeys(space_notices(file, path, parts, prompts))),
        sample=read_sample(file.sample),
    )


def _as_error(path: Path, problems: Sequence[str]) -> SpaceError:
    return SpaceError("\n".join(f"{path}: {problem}" for problem in problems))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _places(file: StudyFile) -> list[str]:
    if isinstance(file.space, list):
        return [f"space[{index}]" for index in range(len(file.space))]
    return ["space"]


def _beside(path: Path, written: str) -> Path:
    return Path(os.path.normpath(path.parent / Path(written).expanduser()))


def _parts(
    file: StudyFile, problems: list[str], prompts: Callable[[str], Prompts]
) -> tuple[Part, ...]:
    grid = file.sampler.kind == "grid"
    parts = tuple(
        read_part(space, where=where, whole_steps=not grid, prompts=prompts)
        for where, space in zip(_places(file), _as_list(file.space), strict=True)
    )
    problems += [line for part in parts if grid for line in _open_ranges(part)]
    return parts


def _open_ranges(part: Part) -> Iterator[str]:
    for name, domain in part.domains.items():
        if domain.count() is None:
            yield (
                f"{part.where}.{name}: a range must have a step in a grid, got {domain}. "
                "Add step, list the values, or choose another sampler."
            )


def _objectives(file: StudyFile, problems: list[str]) -> tuple[Objective, ...]:
    written = [
        Objective(metric=item.metric, direction=item.direction)
        if isinstance(item, ObjectiveFile)
        else Objective(metric=item)
        for item in _as_list(file.objective)
    ]
    metrics = [objective.metric for objective in written]
    for metric in sorted({metric for metric in metrics if metrics.count(metric) > 1}):
        problems.append(f"objective: metrics must differ, got {metric!r} twice. Remove one.")
    return tuple(written)


def _baseline(
    file: StudyFile, path: Path, problems: list[str], prompts: Callable[[str], Prompts]
) -> Configuration | BaselineRun | None:
    if file.baseline is None:
        return None
    if isinstance(file.baseline, RunFile):
        run = _beside(path, file.baseline.run)
        try:
            return BaselineRun(path=run, sha256=hashlib.sha256(run.read_bytes()).hexdigest())
        except OSError as error:
            problems.append(
                f"baseline.run: must be a readable file, got {str(run)!r} ({error.strerror}). "
                "Check the path; it is relative to the space file."
            )
            return None
    part = read_part(file.baseline, where="baseline", whole_steps=False, prompts=prompts)
    several = [name for name, domain in part.domains.items() if domain.count() != 1]
    if several:
        problems.append(
            "baseline: must be one configuration, got several values for "
            f"{', '.join(several)}. Write one value each."
        )
        return None
    return enumerate_configurations([part])[0]


def _tokenizer(file: StudyFile, parts: Sequence[Part], problems: list[str]) -> str:
    files = dict(zip(_places(file), _as_list(file.space), strict=True))
    if file.baseline is not None and not isinstance(file.baseline, RunFile):
        files["baseline"] = file.baseline
    found = {where: f.chunk.tokenizer for where, f in files.items() if f.chunk.tokenizer}
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{name!r} in {where}" for where, name in found.items())
        problems.append(
            f"chunk.tokenizer: must be one per study, got {listed}. Sizes would not compare; "
            "write one."
        )
    models = [p.domains["vector.model"] for p in parts if "vector.model" in p.given]
    if found:
        return str(next(iter(found.values())))
    if models:
        return str(dict(models[0].listed()[0].sets)["vector.model"])
    return DEFAULT_MODEL


def _trials(file: StudyFile, problems: list[str]) -> int | None:
    if file.trials is not None and file.sampler.trials not in (None, file.trials):
        problems.append(
            f"trials: must be given once, got {file.trials} and {file.sampler.trials} "
            "(in sampler). Remove one."
        )
    return file.trials if file.trials is not None else file.sampler.trials


def _name(file: StudyFile, path: Path, problems: list[str]) -> str:
    name = path.stem if file.name is None else file.name
    if re.fullmatch(NAME_PATTERN, name) is None:
        problems.append(
            f"name: must have no slash, colon or @, got {name!r} from the file. Add name."
        )
    return name


def _split(file: StudyFile) -> Split:
    if isinstance(file.split, SplitFile):
        given = file.split
        return Split(kind="confirm", confirm=given.confirm, seed=given.seed, group=given.group)
    return Split(kind="auto" if file.split == "auto" else "off")


def _preference(file: StudyFile) -> Preference:
    return Preference(max_loss=file.recommend.max_loss, costs=tuple(file.recommend.costs))


def _evaluation(file: StudyFile) -> Evaluation:
    given, labels = file.evaluation, file.evaluation.labels
    return Evaluation(
        label_min=None if labels is None else labels.min,
        label_max=None if labels is None else labels.max,
        relevance=given.relevance,
        thresholds=tuple(given.thresholds.items()),
        span_rule=given.span_rule,
        span_threshold=given.span_threshold,
    )


def _configurations(
    file: StudyFile, path: Path, parts: Sequence[Part]
) -> tuple[Configuration, ...]:
    count = count_combinations(parts)
    if file.sampler.kind != "grid" and (count is None or count > MAX_LISTED):
        return ()
    if count is None or count > MAX_COMBINATIONS:
        raise SpaceError(
            f"{path}: space: a grid must have at most {MAX_COMBINATIONS:,} combinations, got "
            f"{count:,}. Take fewer values, or the sampler random, tpe or nsga2."
        )
    listed = enumerate_configurations(parts)
    allowed = tuple(c for c in listed if is_allowed(c, file.exclude)) if file.exclude else listed
    if not allowed:
        raise SpaceError(
            f"{path}: exclude: must leave a configuration, got none of {len(listed)}. "
            "Remove an expression."
        )
    return allowed
