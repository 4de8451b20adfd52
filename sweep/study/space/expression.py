"""Two small languages of a space file: which configurations to leave out, what trials must keep.

`exclude` takes comparisons of flat parameter names (`chunk.size == 96 and top_k == 3`), joined
by `and`, `or`, `not` and parentheses. The text is parsed, checked node by node against the short
list below and turned into closures; it is never evaluated as Python. `constraints` take one
comparison of a metric with a number (`context_tokens <= 2000`).
"""

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

from sweep.configuration import GROUPS, Configuration, Scalar
from sweep.errors import SpaceError
from sweep.text_lines import nearest, shorten

Flat = Mapping[str, Scalar]
Kind = Literal["a number", "a text", "true or false"]
Test = Callable[[Flat], bool]
MAX_LENGTH = 2_000  # characters; a list of model names fits, a parser bomb does not
MAX_DEPTH = 40  # nested operators
_ORDER = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_EQUAL = {ast.Eq: operator.eq, ast.NotEq: operator.ne}
_MEMBER = {ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {**_ORDER, **_EQUAL, **_MEMBER}
_HOW = "Write for example: chunk.size == 96 and top_k in [3, 5]"
_CONSTRAINT = re.compile(r"^\s*(?P<metric>[^<>]*?[^\s<>=])\s*(?P<op><=|>=)\s*(?P<bound>\S+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What a feasible trial keeps: `metric op bound`; `str()` prints it back."""

    metric: str
    op: Literal["<=", ">="]
    bound: float

    def __str__(self) -> str:
        """Return the form that `parse_constraint` reads."""
        bound = int(self.bound) if self.bound.is_integer() else self.bound
        return f"{self.metric} {self.op} {bound}"


@dataclass(frozen=True, slots=True)
class _Operand:
    """One side of a comparison: its kind, and its value (None = does not apply)."""

    kind: Kind
    value: Callable[[Flat], Scalar | None]
    name: str | None = None
    constant: Scalar | None = None
    members: "tuple[_Operand, ...] | None" = None


@cache
def parameter_kinds() -> dict[str, tuple[Kind, tuple[str, ...]]]:
    """Return the kind of every flat parameter name, and its values where they are a fixed set."""
    result: dict[str, tuple[Kind, tuple[str, ...]]] = {}
    for prefix, record in (("", Configuration), *((f"{g}.", c) for g, c in GROUPS.items())):
        hints = get_type_hints(record)
        for field in fields(record):
            if prefix or field.name not in GROUPS:
                result[prefix + field.name] = _kind_of(hints[field.name])
    return result


def _kind_of(hint: Any) -> tuple[Kind, tuple[str, ...]]:
    types = set(get_args(hint)) or {hint}
    if all(isinstance(value, str) for value in types):
        return "a text", get_args(hint)
    if bool in types:
        return "true or false", ()
    return ("a text" if str in types else "a number"), ()


def parse_exclusion(text: str) -> Test:
    """Return a function from a flat configuration to whether `text` holds for it.

    A comparison with a parameter that does not apply to the configuration is false.

    Raises: SpaceError (without a place) if the text does not parse, names an unknown parameter
        or compares values of different kinds.
    """
    if len(text) > MAX_LENGTH:
        raise SpaceError(f"must have at most {MAX_LENGTH} characters, got {len(text)}. Split it.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks on odd spellings such as `0in`
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "nested too deeply"
        raise SpaceError(
            f"must be an expression, got {shorten(text)} ({reason}). {_HOW}."
        ) from error
    return _condition(tree.body, text, 0)


def _condition(node: ast.expr, text: str, depth: int) -> Test:
    if depth > MAX_DEPTH:
        raise SpaceError(f"must have at most {MAX_DEPTH} nested levels, got more. Simplify it.")
    if isinstance(node, ast.BoolOp):
        parts = [_condition(value, text, depth + 1) for value in node.values]
        if isinstance(node.op, ast.And):
            return lambda flat: all(part(flat) for part in parts)
        return lambda flat: any(part(flat) for part in parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _condition(node.operand, text, depth + 1)
        return lambda flat: not inner(flat)
    if isinstance(node, ast.Compare):
        return _comparison(node, text)
    if isinstance(node, ast.Name | ast.Attribute):
        operand = _operand(node, text)
        if operand.kind == "true or false" and operand.name is not None:
            return lambda flat: operand.value(flat) is True
    raise SpaceError(f"must be made of comparisons, got {_source(node, text)}. {_HOW}.")


def _comparison(node: ast.Compare, text: str) -> Test:
    operands = [_operand(side, text) for side in (node.left, *node.comparators)]
    tests: list[Test] = []
    for left, op, right in zip(operands, node.ops, operands[1:], strict=False):
        if type(op) not in _COMPARISONS:
            raise SpaceError(f"must use == != < <= > >= in, got {_source(node, text)}. {_HOW}.")
        _check_kinds(left, op, right, _source(node, text))
        tests.append(_pair(left, _COMPARISONS[type(op)], right))
    return lambda flat: all(test(flat) for test in tests)


def _pair(left: _Operand, compare: Callable[[Any, Any], bool], right: _Operand) -> Test:
    if right.members is not None:
        constants = tuple(member.constant for member in right.members)

        def is_member(flat: Flat) -> bool:
            value = left.value(flat)
            return value is not None and compare(value, constants)

        return is_member

    def holds(flat: Flat) -> bool:
        a, b = left.value(flat), right.value(flat)
        return a is not None and b is not None and compare(a, b)

    return holds


def _check_kinds(left: _Operand, op: ast.cmpop, right: _Operand, source: str) -> None:
    if left.members is not None or (right.members is not None) != (type(op) in _MEMBER):
        raise SpaceError(f"must have a list after `in` and only there, got {source}. {_HOW}.")
    if type(op) in _ORDER and left.kind != "a number":
        raise SpaceError(f"must order numbers only, got {source}. Use == or in.")
    for other in right.members if right.members is not None else (right,):
        for named, value in ((left, other), (other, left)):
            if named.name is None:
                continue
            if named.kind != value.kind:
                raise SpaceError(f"{named.name} is {named.kind}, got {source}. {_HOW}.")
            known = parameter_kinds()[named.name][1]
            if known and value.constant is not None and value.constant not in known:
                raise SpaceError(
                    f"{named.name} is one of {', '.join(known)}, got {shorten(value.constant)}"
                    f".{_nearest(str(value.constant), known)}"
                )


def _operand(node: ast.expr, text: str) -> _Operand:
    if isinstance(node, ast.List | ast.Tuple):
        members = tuple(_operand(item, text) for item in node.elts)
        if any(member.name is not None or member.members is not None for member in members):
            raise SpaceError(f"must have plain values in a list, got {_source(node, text)}.")
        return _Operand("a text", lambda _: None, members=members)
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return _constant(node.id == "true")
    if isinstance(node, ast.Name | ast.Attribute) and (name := _dotted(node)) is not None:
        if name not in parameter_kinds():
            hint = _nearest(name, tuple(parameter_kinds()))
            quoted = "" if "." in name else f" (Texts are quoted: '{name}'.)"
            raise SpaceError(f"must name parameters, got unknown {shorten(name)}.{hint}{quoted}")
        return _Operand(parameter_kinds()[name][0], lambda flat: flat.get(name), name=name)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bool | int | float):
        return _constant(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _operand(node.operand, text)
        if inner.constant is not None and inner.kind == "a number":
            return _constant(-inner.constant)  # type: ignore[operator]  # a number: not a text
    raise SpaceError(f"must compare names with plain values, got {_source(node, text)}. {_HOW}.")


def _constant(value: Scalar) -> _Operand:
    kinds: dict[type, Kind] = {str: "a text", bool: "true or false"}
    return _Operand(kinds.get(type(value), "a number"), lambda _: value, constant=value)


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


def _source(node: ast.expr, text: str) -> str:
    return repr(ast.get_source_segment(text.strip(), node) or text)


def _nearest(name: str, known: tuple[str, ...]) -> str:
    inner = [k for k in known if k.partition(".")[2] == name]  # `size` for `chunk.size`
    other = f"Did you mean {inner[0]}?" if inner else ""
    hint = nearest(name, known, otherwise=other, quoted=False)
    return f" {hint}" if hint else ""


def parse_constraint(text: str) -> Constraint:
    """Return the constraint written as `metric <= number` or `metric >= number`.

    Raises: SpaceError (without a place) if the text has another form.
    """
    match = _CONSTRAINT.match(text)
    if match is None:
        raise SpaceError(
            f"must be METRIC <= NUMBER or METRIC >= NUMBER, got {shorten(text)}. "
            "Write for example: context_tokens <= 2000."
        )
    try:
        bound = float(match["bound"])
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise SpaceError(
            f"must compare with a finite number, got {shorten(match['bound'])}. "
            "Write for example: context_tokens <= 2000."
        )
    op: Literal["<=", ">="] = "<=" if match["op"] == "<=" else ">="
    return Constraint(metric=match["metric"], op=op, bound=bound)
