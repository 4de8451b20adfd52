"""The values that one parameter of a space may take: choices, or a range of numbers.

A domain knows how many values it has before it lists them. A choice may set further parameters
along with its own (a model its prefixes, an index its search effort).
"""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from sweep.configuration import GROUPS, Configuration, Scalar
from sweep.prompts import Prompts
from sweep.study.space.file_types import Range
from sweep.study.space.space_file import SpaceFile
from sweep.study.space.vector_file import IndexFile, ModelFile

Number = int | float
MODEL, QUERY, PASSAGE = "vector.model", "vector.query_prefix", "vector.passage_prefix"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: its label, and the value of every flat parameter that it sets."""

    label: Scalar
    sets: tuple[tuple[str, Scalar], ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """A list of choices in the file's order, each once; labels are unique."""

    options: tuple[Option, ...]

    def count(self) -> int:
        """Return the number of choices."""
        return len(self.options)

    def listed(self) -> tuple[Option, ...]:
        """Return the choices."""
        return self.options

    def describe(self) -> dict[str, Any]:
        """Return a JSON-ready form for comparing domains."""
        return {"choices": [dict(option.sets) for option in self.options]}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRange:
    """Numbers from `low` to `high`, both included.

    Attributes:
        low, high, step: whole numbers where the parameter is one. `high` falls on a step; without
            a step every number in between is possible.
        log: drawn evenly on the logarithmic scale; only without a step.
    """

    name: str
    low: Number
    high: Number
    step: Number | None
    log: bool = False

    def count(self) -> int | None:
        """Return the number of values; None where they cannot be listed."""
        if self.step is None:
            return None
        return int((_exact(self.high) - _exact(self.low)) / _exact(self.step)) + 1

    def listed(self) -> tuple[Option, ...]:
        """Return every value, free of rounding drift (0.1, 0.2, 0.3).

        Raises: AssertionError without a step (`count` tells).
        """
        count = self.count()
        assert count is not None, self.name
        return tuple(self._option(self.at(index)) for index in range(count))

    def option_near(self, value: Number) -> Option:
        """Return a sampler's number as an option, moved onto the nearest step."""
        if self.step is None:
            return self._option(type(self.low)(value))
        return self._option(self.at(round((_exact(value) - _exact(self.low)) / _exact(self.step))))

    def describe(self) -> dict[str, Any]:
        """Return a JSON-ready form for comparing domains."""
        return {"low": self.low, "high": self.high, "step": self.step, "log": self.log}

    def __str__(self) -> str:
        """Return `0.1 .. 0.9 step 0.1`."""
        rest = f" step {self.step}" if self.step is not None else " log" if self.log else ""
        return f"{self.low} .. {self.high}{rest}"

    def at(self, index: int) -> Number:
        """Return the value at a step, from 0 on; only with a step."""
        assert self.step is not None, self.name
        value = _exact(self.low) + index * _exact(self.step)
        return int(value) if isinstance(self.low, int) else float(value)

    def _option(self, value: Number) -> Option:
        return Option(value, ((self.name, value),))


Domain = Choices | NumberRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One space of the union.

    Attributes:
        where: its place in the file: `space`, `space[1]` or `baseline`.
        domains: by flat name; a name that the file does not give has its default, or is absent
            where the default depends on the others.
        given: the flat names that the file gives.
    """

    where: str
    domains: Mapping[str, Domain]
    given: frozenset[str]


def read_part(
    file: SpaceFile, *, where: str, whole_steps: bool, prompts: Callable[[str], Prompts]
) -> Part:
    """Return the domains of a checked space.

    Args:
        file: the mapping of one space, as pydantic has checked it.
        where: the place in the file that messages name.
        whole_steps: a range of whole numbers without a step has step 1 (for samplers; a grid
            asks for it, since leaving it out is more often forgotten than meant).
        prompts: what a model wants before its texts, by its name; for what the file leaves open.
    """
    domains: dict[str, Domain] = {}
    given: set[str] = set()
    for name, value, is_given in _written(file):
        if value is None:
            continue
        domain = _domain(name, value, whole_steps=whole_steps)
        domains[name] = domain
        if is_given:
            given.add(name)
            if isinstance(domain, Choices):
                given.update(n for option in domain.options for n, _ in option.sets)
    domains[MODEL] = _with_prompts(domains[MODEL], prompts, written=domains.keys())
    return Part(where=where, domains=domains, given=frozenset(given))


def _with_prompts(
    domain: Domain, prompts: Callable[[str], Prompts], *, written: Collection[str]
) -> Choices:
    """Return the models, each with the prefixes that it wants where none is written."""
    assert isinstance(domain, Choices), "a model is a text"
    options = []
    for option in domain.options:
        sets = dict(option.sets)
        wanted = prompts(str(sets[MODEL]))
        for name, text in ((QUERY, wanted.query), (PASSAGE, wanted.passage)):
            if text and name not in written and name not in sets:
                sets[name] = text
        options.append(Option(option.label, tuple(sets.items())))
    return Choices(tuple(options))


def prefix_notices(part: Part, prompts: Callable[[str], Prompts]) -> Iterator[str]:
    """Tell which prefixes were put in that the file does not write, and who says so."""
    for option in part.domains[MODEL].listed():
        sets = dict(option.sets)
        wanted = prompts(str(sets[MODEL]))
        used = [
            f"{text!r} before {which}"
            for name, which, text in (
                (QUERY, "queries", wanted.query),
                (PASSAGE, "passages", wanted.passage),
            )
            if text and sets.get(name) == text
        ]
        if used:
            yield (
                f"vector.model {sets[MODEL]}: {' and '.join(used)}, as {wanted.source} says; "
                f"query_prefix and passage_prefix change it"
            )


def _written(file: SpaceFile) -> Iterator[tuple[str, Any, bool]]:
    """Yield flat name, value as written and whether it is, in the order of `Configuration`."""
    for field in fields(Configuration):
        if field.name not in GROUPS:
            yield field.name, getattr(file, field.name), field.name in file.model_fields_set
            continue
        group: BaseModel = getattr(file, field.name)
        for inner in fields(GROUPS[field.name]):
            if inner.name in type(group).model_fields:  # an index's effort is not a key of its own
                is_given = inner.name in group.model_fields_set
                yield f"{field.name}.{inner.name}", getattr(group, inner.name), is_given


def _domain(name: str, value: Any, *, whole_steps: bool) -> Domain:
    if isinstance(value, Range):
        return _range(name, value, whole_steps=whole_steps)
    written = value if isinstance(value, list) else [value]
    options = (option for item in written for option in _options(name, item))
    return Choices(tuple(dict.fromkeys(options)))


def _range(name: str, value: Range[Any], *, whole_steps: bool) -> NumberRange:
    low, high, step = _clean(value.low), _clean(value.high), value.step
    if step is None and whole_steps and isinstance(low, int) and not value.log:
        step = 1
    if step is not None:  # bring high down onto a step, as samplers want it
        open_range = NumberRange(name=name, low=low, high=high, step=step)
        count = open_range.count()
        assert count is not None
        high = open_range.at(count - 1)
    return NumberRange(name=name, low=low, high=high, step=step, log=value.log)


def _options(name: str, item: Any) -> Iterator[Option]:
    if isinstance(item, ModelFile):
        yield from _bundles(
            name, item.name, item, ("query_prefix", "passage_prefix", "dimensions")
        )
    elif isinstance(item, IndexFile):
        yield from _bundles(name, item.factory, item, ("ef_search", "nprobe"))
    else:
        yield Option(_clean(item), ((name, _clean(item)),))


def _bundles(name: str, value: str, item: BaseModel, inner: tuple[str, ...]) -> Iterator[Option]:
    """Yield one option per combination of what a mapping sets beside its main value."""
    group = name.partition(".")[0]
    written = {key: getattr(item, key) for key in inner if getattr(item, key) is not None}
    listed = []
    for key, choices in written.items():
        own = f"{group}.{key}"
        one_each = choices if isinstance(choices, list) else [choices]
        listed.append([Option(choice, ((own, choice),)) for choice in one_each])
    for combination in itertools.product(*listed):
        sets = tuple(pair for option in combination for pair in option.sets)
        rest = ", ".join(f"{n.partition('.')[2]}={v!r}" for n, v in sets)
        yield Option(f"{value} ({rest})" if rest else value, ((name, value), *sets))


def _clean(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value  # -0.0 is 0.0


def _exact(value: Number) -> Fraction:
    return Fraction(repr(value))  # the number as written: 0.1 is one tenth
