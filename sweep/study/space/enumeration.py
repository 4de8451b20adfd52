"""From domains to configurations: which parameters apply where, how many there are, which.

A *plan* is a part of the space with one mode (and, for reranking, one scorer and one first
stage); it says which groups of parameters apply. Inside a group, one parameter (its *head*)
decides which of the others apply. Configurations that retrieve the same fold into one, because
what does not apply is left at its one neutral value.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, cast

from sweep.configuration import GROUPS, Configuration, Mode, Scalar
from sweep.study.space.domains import Choices, Domain, NumberRange, Option, Part

TOP = ("top_k", "top_k_unit", "aggregate")
HEADS = {
    "chunk": "splitter",
    "bm25": "variant",
    "vector": "index",
    "hybrid": "fusion",
    "rerank": "kind",
}
# Whether a parameter applies, by the value of its group's head; all others always do.
_APPLIES: dict[str, Callable[[str], bool]] = {
    "chunk.size": lambda splitter: splitter != "document",
    "chunk.overlap": lambda splitter: splitter != "document",
    "chunk.unit": lambda splitter: splitter in ("sentences", "recursive", "markdown"),
    "bm25.delta": lambda variant: variant == "l",  # in `plus` it changes no ranking
    "bm25.epsilon": lambda variant: variant == "okapi",
    "vector.ef_search": lambda index: "HNSW" in index,
    "vector.nprobe": lambda index: "IVF" in index or "IMI" in index,
    "hybrid.rrf_k": lambda fusion: fusion == "rrf",
    "hybrid.weight": lambda fusion: fusion in ("weighted", "zscore"),
    "rerank.model": lambda kind: kind == "cross-encoder",
}
# What a group gets when the file says nothing: rank-bm25's own constants, and neutral values.
_IMPLIED: dict[tuple[str, str], dict[str, Scalar | None]] = {
    ("chunk", "document"): {"size": None, "overlap": 0.0, "unit": "tokens"},
    ("chunk", "tokens"): {"unit": "tokens"},
    ("chunk", "words"): {"unit": "words"},
    ("chunk", "characters"): {"unit": "characters"},
    ("bm25", "okapi"): {"epsilon": 0.25},
    ("bm25", "l"): {"delta": 0.5},
    ("hybrid", "weighted"): {"rrf_k": None},
    ("hybrid", "zscore"): {"rrf_k": None},
}
_FIRST_STAGE = {"bm25": ("bm25",), "vector": ("vector",), "hybrid": ("bm25", "vector", "hybrid")}
Choose = Callable[[str, Domain], Scalar]


@dataclass(frozen=True, slots=True)
class Plan:
    """One mode of a part, with the groups that apply and the domains that are left."""

    mode: Mode
    groups: tuple[str, ...]
    domains: Mapping[str, Domain]


def plans(part: Part) -> Iterator[Plan]:
    """Yield the plans of a part, in the order of its modes."""
    for option in part.domains["mode"].listed():
        mode = cast(Mode, option.label)
        if mode != "rerank":
            yield Plan(mode, ("chunk", *_FIRST_STAGE[mode]), part.domains)
            continue
        scorers = part.domains["rerank.kind"].listed()
        for kind, stage in itertools.product(scorers, part.domains["rerank.candidates"].listed()):
            yield rerank_plan(part.domains, kind, stage)


def rerank_plan(domains: Mapping[str, Domain], kind: Option, candidates: Option) -> Plan:
    """Return the plan of one scorer over one first stage."""
    left = {
        **domains,
        "rerank.kind": Choices((kind,)),
        "rerank.candidates": Choices((candidates,)),
    }
    groups = _FIRST_STAGE[str(candidates.label)]
    if kind.label == "maxsim" and "vector" not in groups:
        # The scorer needs the encoder, but no index of vectors: its settings change nothing.
        groups = (*groups, "vector")
        for name, neutral in (("vector.index", "Flat"), ("vector.similarity", "cosine")):
            left[name] = Choices((Option(neutral, ((name, neutral),)),))
        left.pop("vector.dimensions", None)
        left["vector.model"] = _without(left["vector.model"], "vector.dimensions")
    return Plan("rerank", ("chunk", *groups, "rerank"), left)


def _without(domain: Domain, name: str) -> Choices:
    """Return the choices without what they set of another parameter."""
    assert isinstance(domain, Choices), domain
    options = (
        Option(option.label, tuple((n, value) for n, value in option.sets if n != name))
        for option in domain.options
    )
    return Choices(tuple(options))


def applying_names(plan: Plan) -> set[str]:
    """Return the flat names that apply in at least one configuration of a plan."""
    names = {"mode", *TOP}
    for group in plan.groups:
        head_name = f"{group}.{HEADS[group]}"
        for head in plan.domains[head_name].listed():
            found = (f"{group}.{field.name}" for field in fields(GROUPS[group]))
            names.update(name for name in found if _applies(name, _head_value(group, head)))
    return names


def count_combinations(parts: Iterable[Part]) -> int | None:
    """Return how many combinations there are before folding; None where a range has no step."""
    total = 0
    for plan in (plan for part in parts for plan in plans(part)):
        counts = [plan.domains[name].count() for name in TOP]
        counts += [_count_group(plan.domains, group) for group in plan.groups]
        if None in counts:
            return None
        total += math.prod(cast(list[int], counts))
    return total


def _count_group(domains: Mapping[str, Domain], group: str) -> int | None:
    total = 0
    for head in domains[f"{group}.{HEADS[group]}"].listed():
        counts = [domains[name].count() for name in _dependents(domains, group, head)]
        if None in counts:
            return None
        total += math.prod(cast(list[int], counts))
    return total


def enumerate_configurations(parts: Iterable[Part]) -> tuple[Configuration, ...]:
    """Return every distinct configuration, in the order of parts, modes and listed values.

    Args:
        parts: spaces without open ranges (`count_combinations` is not None).
    """
    found: dict[Configuration, None] = {}
    for plan in (plan for part in parts for plan in plans(part)):
        tops = [[option.label for option in plan.domains[name].listed()] for name in TOP]
        groups = [_list_group(plan.domains, group) for group in plan.groups]
        names = (*TOP, *plan.groups)
        for values in itertools.product(*tops, *groups):
            keywords: dict[str, Any] = dict(zip(names, values, strict=True))
            found[Configuration(mode=plan.mode, **keywords)] = None
    return tuple(found)


def _list_group(domains: Mapping[str, Domain], group: str) -> list[Any]:
    found: dict[Any, None] = {}
    for head in domains[f"{group}.{HEADS[group]}"].listed():
        names = _dependents(domains, group, head)
        for picks in itertools.product(*(domains[name].listed() for name in names)):
            found[_make_group(group, head, picks)] = None
    return list(found)


def _make_group(group: str, head: Option, picks: Sequence[Option]) -> Any:
    head_value = _head_value(group, head)
    values: dict[str, Any] = dict(_IMPLIED.get((group, head_value), {}))
    # A mapping's own settings (a model's prefixes) go before those of the whole group.
    for option in sorted((head, *picks), key=lambda option: len(option.sets)):
        values |= {n.partition(".")[2]: v for n, v in option.sets if _applies(n, head_value)}
    return GROUPS[group](**values)


def _dependents(domains: Mapping[str, Domain], group: str, head: Option) -> list[str]:
    """Return the names of a group that apply beside its head and have a domain."""
    value = _head_value(group, head)
    names = (f"{group}.{field.name}" for field in fields(GROUPS[group]))
    own = f"{group}.{HEADS[group]}"
    return [n for n in names if n != own and n in domains and _applies(n, value)]


def _head_value(group: str, head: Option) -> str:
    return str(dict(head.sets)[f"{group}.{HEADS[group]}"])


def _applies(name: str, head: str) -> bool:
    rule = _APPLIES.get(name)
    return rule is None or rule(head)


def suggest_configuration(parts: Sequence[Part], choose: Choose) -> Configuration:
    """Return one configuration, asking a sampler only for parameters that apply and vary.

    Args:
        parts: the spaces of the union. With several, the first question is `space` (which one),
            and the names of the others start with `space[i].`, since their domains may differ.
        choose: from a name and its domain to a label of its options, or a number in its range.
            A name always comes with the same domain.
    """
    index = 0
    if len(parts) > 1:
        spaces = Choices(tuple(Option(i, (("space", i),)) for i in range(len(parts))))
        index = cast(int, choose("space", spaces))
    prefix = f"space[{index}]." if len(parts) > 1 else ""
    domains = parts[index].domains

    def pick(name: str, domain: Domain) -> Option:
        if domain.count() == 1:
            return domain.listed()[0]
        value = choose(prefix + name, domain)
        if isinstance(domain, NumberRange):
            return domain.option_near(cast(float, value))
        return next(option for option in domain.options if option.label == value)

    mode = cast(Mode, pick("mode", domains["mode"]).label)
    if mode == "rerank":
        kind = pick("rerank.kind", domains["rerank.kind"])
        plan = rerank_plan(domains, kind, pick("rerank.candidates", domains["rerank.candidates"]))
    else:
        plan = Plan(mode, ("chunk", *_FIRST_STAGE[mode]), domains)
    keywords: dict[str, Any] = {name: pick(name, domains[name]).label for name in TOP}
    for group in plan.groups:
        head_name = f"{group}.{HEADS[group]}"
        head = pick(head_name, plan.domains[head_name])
        names = _dependents(plan.domains, group, head)
        picks = [pick(name, plan.domains[name]) for name in names]
        keywords[group] = _make_group(group, head, picks)
    return Configuration(mode=mode, **keywords)


def example_configurations(parts: Iterable[Part]) -> tuple[Configuration, ...]:
    """Return a few configurations that together show what a space holds.

    In every plan each choice of a parameter that applies there at all times is taken at least
    once, and both ends of a range; they stand for a space that is too large to list.
    """
    found: dict[Configuration, None] = {}
    for part, plan in ((p, plan) for p in parts for plan in plans(p)):
        fixed = {"mode": plan.mode} | {
            name: plan.domains[name].listed()[0].label
            for name in ("rerank.kind", "rerank.candidates")
            if plan.mode == "rerank"
        }
        turns = [2, *(d.count() or 0 for d in part.domains.values() if isinstance(d, Choices))]
        for turn in range(max(turns)):
            choose = partial(_in_turn, fixed, turn)
            found[suggest_configuration([part], choose)] = None
    return tuple(found)


def _in_turn(fixed: Mapping[str, Scalar], turn: int, name: str, domain: Domain) -> Scalar:
    if name in fixed:
        return fixed[name]
    if isinstance(domain, NumberRange):
        return domain.high if turn % 2 else domain.low
    return domain.options[turn % len(domain.options)].label
