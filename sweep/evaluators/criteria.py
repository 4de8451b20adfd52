"""What a batch is scored by: evaluators with their parameters and mappings.

They are named on the command line, or listed in a `testing_criteria` file (JSON or YAML), whose
items have the service's form: `type`, `name`, `evaluator_name` (`builtin.document_retrieval`),
`initialization_parameters` and `data_mapping`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sweep.errors import MetricError
from sweep.evaluators.document_retrieval import DocumentRetrievalEvaluator
from sweep.evaluators.mapping import Template, parse_template
from sweep.evaluators.rows import RowError
from sweep.json_keys import RepeatedKeyError, unique_keys
from sweep.text_lines import nearest, read_text, shorten

TYPE = "azure_ai_evaluator"
_BUILTIN = "builtin."
_KEYS = ("type", "name", "evaluator_name", "initialization_parameters", "data_mapping")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """An evaluator that this version has."""

    make: Callable[..., Callable[..., dict[str, Any]]]
    parameters: tuple[str, ...]  # required in every row
    metrics: tuple[str, ...]  # what it yields, for rows that it cannot score


_KINDS = {
    "document_retrieval": _Kind(
        make=DocumentRetrievalEvaluator,
        parameters=("retrieval_ground_truth", "retrieved_documents"),
        metrics=(
            "ndcg@3",
            "xdcg@3",
            "fidelity",
            "top1_relevance",
            "top3_max_relevance",
            "holes",
            "holes_ratio",
            "total_retrieved_documents",
            "total_ground_truth_documents",
        ),
    )
}
_IGNORED = ("query", "context", "response", "ground_truth")  # other evaluators' parameters
NESTED = "document_retrieval_properties"  # the key that marks 1.18's nested result


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One evaluator, ready to score rows.

    Attributes:
        name: free, unique in a batch; begins the names of its metrics.
        evaluator: the evaluator's name without `builtin.`.
        nested: its results have the SDK 1.18's nested form (`compat`).
        metrics: the metrics of one row.
        mapping: parameters that do not come from the field of their own name.
    """

    name: str
    evaluator: str
    nested: bool
    metrics: tuple[str, ...]
    mapping: Mapping[str, Template]
    score: Callable[..., dict[str, Any]]

    def arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the evaluator's arguments for one row.

        Raises:
            RowError: if the row lacks a mapped field, or a parameter's own (`INPUT_MISSING`).
        """
        arguments = {}
        for name in _KINDS[self.evaluator].parameters:
            if name in self.mapping:
                arguments[name] = self.mapping[name].resolve(values)
            elif name in values:
                arguments[name] = values[name]
            else:
                raise RowError(
                    f"{name} is required, got the fields {list(values)[:8]}. Add it, or map it: "
                    f"--map {name}='${{data.FIELD}}'.",
                    code="INPUT_MISSING",
                )
        return arguments


def make_criterion(
    evaluator: str,
    *,
    name: str | None = None,
    parameters: Mapping[str, Any],
    mapping: Mapping[str, Any],
    where: str,
) -> Criterion:
    """Build one criterion.

    Args:
        evaluator: with or without `builtin.`.
        name: by default the evaluator's name.
        parameters: the evaluator's initialization parameters.
        mapping: placeholder by parameter; parameters that are left out come from their own field.
        where: what to name in messages.

    Raises:
        MetricError: for an unknown evaluator, or a parameter or mapping that it does not take.
    """
    short = evaluator.strip().removeprefix(_BUILTIN)
    if short not in _KINDS:
        there = ", ".join(_BUILTIN + known for known in _KINDS)
        raise MetricError(
            f"{where}: an evaluator must be one of this version's, got {shorten(evaluator)}. "
            f"There is: {there}."
        )
    kind = _KINDS[short]
    _check_mapping(mapping, kind.parameters, where=f"{where}, {short}")
    try:
        score = kind.make(**parameters)
    except TypeError as error:  # a name that Python itself uses
        raise MetricError(
            f"{where}: parameters must be those of {short}, got {list(parameters)}. Correct them."
        ) from error
    except MetricError as error:
        raise MetricError(f"{where}: {error}") from error
    nested = parameters.get("compat") is not None
    return Criterion(
        name=name or short,
        evaluator=short,
        nested=nested,
        metrics=(short,) if nested else kind.metrics,
        mapping={
            parameter: parse_template(text, where=f"{where}, mapping of {parameter}")
            for parameter, text in mapping.items()
        },
        score=score,
    )


def make_criteria(
    evaluators: str, *, parameters: Mapping[str, Any], mapping: Mapping[str, Any]
) -> tuple[Criterion, ...]:
    """Build one criterion per comma-separated evaluator, all with the same parameters and mapping.

    Raises:
        MetricError: as `make_criterion`, or if an evaluator is named twice or none is.
    """
    where = "--evaluators"
    criteria = tuple(
        make_criterion(name, parameters=parameters, mapping=mapping, where=where)
        for name in evaluators.split(",")
        if name.strip()
    )
    _check_names(criteria, where=where)
    return criteria


def read_criteria(path: Path) -> tuple[Criterion, ...]:
    """Read a `testing_criteria` file: a list, or a mapping with that key, in JSON or YAML.

    Raises:
        MetricError: naming file and item, for whatever is wrong with it.
    """
    content = _load(path)
    if isinstance(content, dict) and "testing_criteria" in content:
        content = content["testing_criteria"]
    if not isinstance(content, list):
        raise MetricError(
            f"{path}: must be a list of criteria, got {shorten(content)}. "
            "Begin with [, or with - in YAML."
        )
    criteria = tuple(
        _read_item(item, where=f"{path}: testing_criteria[{index}]")
        for index, item in enumerate(content)
    )
    _check_names(criteria, where=str(path))
    return criteria


def _load(path: Path) -> Any:
    text = read_text(path)
    is_json = path.suffix == ".json" or text.lstrip().startswith(("[", "{"))
    try:
        return json.loads(text, object_pairs_hook=unique_keys) if is_json else yaml.safe_load(text)
    except RepeatedKeyError as error:
        raise MetricError(
            f"{path}: an object must name a key once, got {error}. Remove one of them."
        ) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise MetricError(
            f"{path}: must be JSON or YAML, got a syntax error ({reason}). "
            "Check commas, brackets and indentation, and put placeholders in quotes."
        ) from error


def _read_item(item: Any, *, where: str) -> Criterion:
    if not isinstance(item, dict):
        raise MetricError(f"{where}: must be a mapping, got {shorten(item)}. Write its keys.")
    for key in item:
        if key not in _KEYS:
            raise MetricError(
                f"{where}: unknown key, got {shorten(key)}. There are: {', '.join(_KEYS)}."
            )
    if item.get("type", TYPE) != TYPE:
        raise MetricError(
            f"{where}.type: must be {TYPE!r}, got {shorten(item['type'])}. Write it."
        )
    for key in ("name", "evaluator_name"):
        value = item.get(key)
        if not (isinstance(value, str) and value.strip()) and not (
            key == "name" and value is None
        ):
            raise MetricError(f"{where}.{key}: must be a text, got {shorten(value)}. Write one.")
    parts = {}
    for key in ("initialization_parameters", "data_mapping"):
        parts[key] = item.get(key) or {}
        if not isinstance(parts[key], dict) or not all(
            isinstance(name, str) for name in parts[key]
        ):
            raise MetricError(
                f"{where}.{key}: must be a mapping of names, got {shorten(parts[key])}. "
                "Write name: value."
            )
    return make_criterion(
        item["evaluator_name"],
        name=item.get("name"),
        parameters=parts["initialization_parameters"],
        mapping=parts["data_mapping"],
        where=where,
    )


def _check_names(criteria: tuple[Criterion, ...], *, where: str) -> None:
    """Refuse two criteria of one name, whose metrics could not be told apart, and none at all."""
    if not criteria:
        raise MetricError(f"{where}: must name at least one evaluator, got none. Add one.")
    names = [criterion.name for criterion in criteria]
    for name in names:
        if names.count(name) > 1:
            raise MetricError(
                f"{where}: names must be unique, got {shorten(name)} again. Rename one."
            )


def _check_mapping(mapping: Mapping[str, Any], known: tuple[str, ...], *, where: str) -> None:
    for parameter in mapping:
        if parameter not in known + _IGNORED:
            raise MetricError(
                f"{where}: a mapping must name one of its parameters, got {shorten(parameter)}. "
                f"{nearest(parameter, known, cutoff=0.0, quoted=False)}"
            )
