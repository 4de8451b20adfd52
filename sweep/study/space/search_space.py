"""The search space of a study: what a space file says, as frozen records."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from sweep.configuration import GROUPS, Configuration, Scalar
from sweep.metrics import SpanRule
from sweep.records import Notice
from sweep.study.space.domains import Choices, Domain, Option, Part
from sweep.study.space.enumeration import (
    applying_names,
    example_configurations,
    plans,
    suggest_configuration,
)
from sweep.study.space.expression import Constraint, parse_exclusion
from sweep.study.space.must import Must
from sweep.study.space.sample import Sample
from sweep.study.space.space_file import Direction, SamplerKind
from sweep.winner.preference import Preference

_cached_exclusion = lru_cache(maxsize=1024)(parse_exclusion)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A metric to optimise; `direction` is None where the metric's own holds."""

    metric: str
    direction: Direction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRun:
    """A baseline known by its ranked lists: a TREC run file and the SHA-256 of its bytes."""

    path: Path
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Which judged queries are kept to confirm the winner.

    Attributes:
        kind: `auto` and `off` leave the rest unused; `confirm` keeps the share `confirm`.
        group: what is never divided; None = as `auto` decides.
    """

    kind: Literal["auto", "off", "confirm"] = "auto"
    confirm: float | None = None
    seed: int = 7
    group: Literal["query", "document"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """How configurations are chosen."""

    kind: SamplerKind = "grid"
    seed: int = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What scores are measured against; label bounds are None where not written.

    `span_rule` and `span_threshold` say when a chunk matches a span (see `sweep.metrics`).
    """

    label_min: int | None = None
    label_max: int | None = None
    relevance: int = 1
    thresholds: tuple[tuple[str, float], ...] = ()
    span_rule: SpanRule = "coverage"
    span_threshold: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSpace:
    """Everything that a space file says.

    Attributes:
        path: the file; `corpus` and a baseline run are resolved relative to it.
        objectives: at least one; metrics as written.
        metrics: more metrics to record, as written.
        must: bounds on a part of the queries, each once; metrics as written.
        recommend: how one of the tied configurations is chosen.
        baseline: what is in production today, or None.
        trials: number of trials for all but the grid; None where not written.
        tokenizer: name of the model whose tokens chunk sizes count.
        exclude: the expressions, as written.
        parts: the spaces of the union.
        configurations: distinct, without the excluded ones, in a fixed order. Empty where the
            sampler is not the grid and the space cannot be listed or is very large.
        notices: what is legal but should be known.
        sample: how the corpus is reduced for the search; None = it is not.
    """

    path: Path
    name: str
    corpus: Path | None
    objectives: tuple[Objective, ...]
    metrics: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    must: tuple[Must, ...]
    recommend: Preference
    baseline: Configuration | BaselineRun | None
    split: Split
    sampler: Sampler
    trials: int | None
    evaluation: Evaluation
    tokenizer: str
    exclude: tuple[str, ...]
    parts: tuple[Part, ...]
    configurations: tuple[Configuration, ...]
    notices: tuple[Notice, ...]
    sample: Sample | None = None

    def allows(self, configuration: Configuration) -> bool:
        """Return whether no `exclude` expression holds for a configuration."""
        return is_allowed(configuration, self.exclude)

    def suggest(self, choose: Callable[[str, Domain], Scalar]) -> Configuration:
        """Return one configuration as a sampler chooses it (see `suggest_configuration`).

        The result may be one that `exclude` forbids: ask `allows`.
        """
        return suggest_configuration(self.parts, choose)

    def domains(self) -> dict[str, Domain]:
        """Return every parameter that `suggest` may ask for, by the name it asks with."""
        if len(self.parts) == 1:
            return _varying("", self.parts[0])
        numbers = tuple(Option(i, (("space", i),)) for i in range(len(self.parts)))
        found: dict[str, Domain] = {"space": Choices(numbers)}
        for index, part in enumerate(self.parts):
            found |= _varying(f"space[{index}].", part)
        return found

    def examples(self) -> tuple[Configuration, ...]:
        """Return the configurations, or where a sampler draws them, a few that stand for all."""
        if self.sampler.kind == "grid":
            return self.configurations
        return example_configurations(self.parts)

    def axes(self) -> dict[str, list[Any]]:
        """Return the distinct values of every flat parameter, sorted; JSON-ready.

        Where configurations are not listed, a range stands as one text (`0.1 .. 0.9`).
        """
        return _listed_axes(self.configurations) if self.configurations else _open_axes(self.parts)

    def identity(self) -> dict[str, Any]:
        """Return what makes this study this study, one JSON-ready entry per thing to compare.

        The number of trials and of finalists, the name, `metrics`, `recommend` (the choice is made
        anew from the same trials), the corpus (which has its own hash) and the order of values in
        the file are no part of it. What a study may lack altogether has no entry, so that studies
        from before it existed go on.
        """
        baseline: Any = None
        if isinstance(self.baseline, Configuration):
            baseline = self.baseline.flat()
        elif self.baseline is not None:
            baseline = {"run": self.baseline.sha256}
        return {
            "configurations": self._configurations_identity(),
            "objectives": [asdict(objective) for objective in self.objectives],
            "constraints": sorted(str(constraint) for constraint in self.constraints),
            **({"must": sorted(map(str, self.must))} if self.must else {}),
            "split": asdict(self.split),
            "evaluation": {
                **asdict(self.evaluation),
                "thresholds": dict(sorted(self.evaluation.thresholds)),
            },
            "baseline": baseline,
            "tokenizer": self.tokenizer,
            "sampler": self._sampler_identity(),
            **({"sample": self.sample.identity()} if self.sample else {}),
        }

    def _sampler_identity(self) -> dict[str, Any]:
        return asdict(self.sampler) if self.sampler.kind != "grid" else {"kind": "grid"}

    def _configurations_identity(self) -> dict[str, Any]:
        if self.sampler.kind == "grid":
            prints = sorted(c.fingerprint() for c in self.configurations)
            return {"count": len(prints), "sha256": _sha256("\n".join(prints))}
        # A sampler's draws depend on the domains and their order, not only on the set.
        described = [
            {name: domain.describe() for name, domain in _applying(part).items()}
            for part in self.parts
        ]
        text = json.dumps([described, sorted(self.exclude)], sort_keys=True)
        return {"count": len(self.configurations) or None, "sha256": _sha256(text)}


def is_allowed(configuration: Configuration, exclude: Iterable[str]) -> bool:
    """Return whether none of the expressions holds for a configuration."""
    tests = [_cached_exclusion(text) for text in exclude]
    if not tests:
        return True
    flat = configuration.flat()
    return not any(test(flat) for test in tests)


def compare_axes(old: dict[str, list[Any]], new: dict[str, list[Any]]) -> list[str]:
    """Return a line per parameter whose values differ: both lists, and what came or went."""
    lines = []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, []), new.get(name, [])
        changes = [f"added {v}" for v in after if v not in before]
        changes += [f"removed {v}" for v in before if v not in after]
        if changes:
            lines.append(f"{name}: was {before}, is {after} ({', '.join(changes)})")
    return lines


def _listed_axes(configurations: Iterable[Configuration]) -> dict[str, list[Any]]:
    seen: dict[str, set[Any]] = {field.name: set() for field in fields(Configuration)}
    for configuration in configurations:
        for name, values in seen.items():
            values.add(getattr(configuration, name))
    for group, record in GROUPS.items():
        found = seen.pop(group) - {None}
        for inner in fields(record):  # in the order of the flat form, not of a set
            seen[f"{group}.{inner.name}"] = {getattr(value, inner.name) for value in found}
    return {name: sorted(values - {None}) for name, values in seen.items() if values - {None}}


def _open_axes(parts: Iterable[Part]) -> dict[str, list[Any]]:
    axes: dict[str, set[Any]] = {}
    for part in parts:
        for name, domain in _applying(part).items():
            if isinstance(domain, Choices):
                for own, value in (pair for option in domain.options for pair in option.sets):
                    axes.setdefault(own, set()).add(value)
            else:
                axes.setdefault(name, set()).add(str(domain))
    return {name: sorted(values, key=str) for name, values in axes.items()}


def _applying(part: Part) -> dict[str, Domain]:
    names = {name for plan in plans(part) for name in applying_names(plan)}
    return {name: domain for name, domain in part.domains.items() if name in names}


def _varying(prefix: str, part: Part) -> dict[str, Domain]:
    return {
        prefix + name: domain for name, domain in _applying(part).items() if domain.count() != 1
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
