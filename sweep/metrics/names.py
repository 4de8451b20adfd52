"""Metric names say what is measured, at which cut-off, from which label on; they print back.

Grammar: `name`, then `(rel=N)` where a relevance threshold has a meaning, then `@k` (a rank) or
`@Ntok` (a context budget in tokens of the study tokenizer) where the metric takes one.
"""

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from sweep.errors import MetricError
from sweep.text_lines import shorten

Family = Literal["document", "span", "cost"]
AZURE = "document_retrieval."  # prefix of the Azure evaluator's own set
XDCG_UNIT = 25.0  # points per label: a label of 4 is 100 points
DEFAULT_LABELS = (0, 4)  # the Azure evaluator's default range of labels


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """What a metric's name may carry, and which way and how far its values go."""

    family: Family = "document"
    cutoff: Literal["never", "optional", "required"] = "optional"
    only: int | None = None  # the one cut-off that exists
    budget: bool = False
    relevance: bool = False
    higher: bool = True
    unit: float | None = 1.0  # length of the range; None: unbounded, or bounded by the cut-off
    labels: bool = False  # the range is `unit` times the range of labels


_COST = _Rule(family="cost", cutoff="never", higher=False, unit=None)
_SPAN = _Rule(family="span", budget=True, relevance=True)
_COUNT = _Rule(cutoff="never", unit=None)
_RULES: dict[str, _Rule] = {
    "ndcg": _Rule(budget=True),
    "ndcg_exp": _Rule(),
    "p": _Rule(cutoff="required", relevance=True),
    "recall": _Rule(budget=True, relevance=True),
    "hit": _Rule(cutoff="required", relevance=True),
    "rr": _Rule(relevance=True),
    "map": _Rule(relevance=True),
    "rprec": _Rule(cutoff="never", relevance=True),
    "bpref": _Rule(cutoff="never", relevance=True),
    "judged": _Rule(cutoff="required"),
    "xdcg": _Rule(unit=XDCG_UNIT, labels=True),
    "fidelity": _Rule(),
    "max_relevance": _Rule(labels=True),
    "holes": _Rule(higher=False, unit=None),
    "holes_ratio": _Rule(higher=False),
    f"{AZURE}ndcg": _Rule(cutoff="required", only=3),
    f"{AZURE}xdcg": _Rule(cutoff="required", only=3, unit=XDCG_UNIT, labels=True),
    f"{AZURE}fidelity": _Rule(cutoff="never"),
    f"{AZURE}top1_relevance": _Rule(cutoff="never", labels=True),
    f"{AZURE}top3_max_relevance": _Rule(cutoff="never", labels=True),
    f"{AZURE}holes": _Rule(cutoff="never", higher=False, unit=None),
    f"{AZURE}holes_ratio": _Rule(cutoff="never", higher=False),
    f"{AZURE}total_retrieved_documents": _COUNT,
    f"{AZURE}total_ground_truth_documents": _COUNT,
    "span_recall": _SPAN,
    "span_precision": _SPAN,
    "span_iou": _SPAN,
    "span_ndcg": _Rule(family="span", budget=True),
    "span_rr": _SPAN,
    "span_hit": _SPAN,
    "context_tokens": _Rule(family="cost", cutoff="never", budget=True, higher=False, unit=None),
    "work": _COST,
    "index_bytes": _COST,
    "build_s": _COST,
    "latency_p50_ms": _COST,
    "latency_p95_ms": _COST,
}
METRIC_NAMES: tuple[str, ...] = tuple(_RULES)
_OTHER_WORDS = {  # what other tools call them; spelling alone would find the wrong neighbour
    "ap": "map",
    "average_precision": "map",
    "hit_rate": "hit",
    "hitrate": "hit",
    "mrr": "rr",
    "precision": "p",
    "r": "recall",
    "r_precision": "rprec",
    "reciprocal_rank": "rr",
    "success": "hit",
}
_TEXT = re.compile(r"(?P<name>[^()@]*)(?:\((?P<argument>[^()]*)\))?(?:@(?P<at>[^()@]*))?")
_AT = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>tok)?")
_ARGUMENT = re.compile(r"rel=(?P<number>[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; hashable, and equal to every other spelling of the same one.

    Attributes:
        name: one of `METRIC_NAMES`.
        cutoff: ranks that count, >= 1; None for the whole output.
        budget_tokens: context budget in tokens, >= 1, instead of a cut-off; None without one.
        relevance: lowest label that counts as relevant, >= 1; None: the caller's default.

    Raises:
        MetricError: for an unknown name, or a part that the metric does not take.
    """

    name: str
    cutoff: int | None = None
    budget_tokens: int | None = None
    relevance: int | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning, so that no metric exists that cannot be computed."""
        if self.name not in _RULES:
            tail = str(self)[len(self.name) :]
            raise _error(
                str(self), "unknown name", self.name, f"Did you mean {_nearest(self.name, tail)}?"
            )
        rule = _RULES[self.name]
        self._check_cutoff(rule)
        if self.relevance is not None and not rule.relevance:
            raise _error(str(self), "takes no (rel=..)", self.relevance, f"Write {self.name}.")
        if self.relevance is not None and self.relevance < 1:
            raise _error(str(self), "rel must be >= 1", self.relevance, "Write (rel=1).")

    def _check_cutoff(self, rule: _Rule) -> None:
        example = _example(self.name)
        at = self.cutoff if self.cutoff is not None else self.budget_tokens
        if rule.cutoff == "never" and at is not None and not (rule.budget and self.cutoff is None):
            raise _error(str(self), "takes no @", at, f"Write {self.name}.")
        if self.cutoff is not None and self.budget_tokens is not None:
            raise _error(str(self), "one of @k and @Ntok", at, f"Write {example}.")
        if self.budget_tokens is not None and not rule.budget:
            raise _error(str(self), "takes no token budget", at, f"Write {example}.")
        if rule.cutoff == "required" and at is None:
            raise _error(str(self), "needs a cut-off", self.name, f"Write {example}.")
        if at is not None and at < 1:
            raise _error(str(self), "the number after @ must be >= 1", at, f"Write {example}.")
        if rule.only is not None and self.cutoff != rule.only:
            raise _error(
                str(self), f"is defined at {rule.only} only", self.cutoff, f"Write {example}."
            )

    def __str__(self) -> str:
        """Return the canonical form, for example `recall(rel=2)@10`."""
        relevance = "" if self.relevance is None else f"(rel={self.relevance})"
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        budget = "" if self.budget_tokens is None else f"@{self.budget_tokens}tok"
        return f"{self.name}{relevance}{cutoff}{budget}"

    @property
    def family(self) -> Family:
        """Say what it is computed from: document lists, chunk lists and spans, or costs."""
        return _RULES[self.name].family

    @property
    def asks_relevance(self) -> bool:
        """Return whether labels count by a threshold only: from which on one is relevant."""
        return _RULES[self.name].relevance

    @property
    def per_query(self) -> bool:
        """Return whether each query has a score; most costs are one number for a configuration."""
        return self.family != "cost" or self.name == "context_tokens"

    @property
    def higher_is_better(self) -> bool:
        """Return False for holes and costs."""
        return _RULES[self.name].higher

    @property
    def scale(self) -> float | None:
        """Return the length of the range for labels from 0 to 4; None if unbounded."""
        return self.scale_for(DEFAULT_LABELS)

    def scale_for(self, labels: tuple[int, int]) -> float | None:
        """Return the length of the metric's range when labels lie in `labels` (lowest, highest).

        An unjudged document has label 0, so the range of labels always includes 0.
        """
        rule = _RULES[self.name]
        if self.name == "holes" and self.cutoff is not None:
            return float(self.cutoff)
        if rule.labels and rule.unit is not None:
            return rule.unit * (max(labels[1], 0) - min(labels[0], 0))
        return rule.unit


def parse_metric(text: str) -> Metric:
    """Read a metric's name; `str(parse_metric(text))` is its canonical form.

    Args:
        text: for example `ndcg@10`, `recall(rel=2)@10`, `span_recall@2000tok`, `holes`.

    Raises:
        MetricError: with the nearest valid name for an unknown one.
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise _error(text, "must read name(rel=N)@k or name@Ntok", text, "Write ndcg@10.")
    name, argument, at = match["name"], match["argument"], match["at"]
    if name not in _RULES:
        tail = text.strip()[len(name) :]
        raise _error(text, "unknown name", name, f"Did you mean {_nearest(name, tail)}?")
    relevance = _ARGUMENT.fullmatch(argument) if argument is not None else None
    if argument is not None and relevance is None:
        raise _error(text, "the argument must read rel=N", argument, f"Write {_example(name)}.")
    rank = _AT.fullmatch(at) if at is not None else None
    if at is not None and rank is None:
        rule = "after @ comes a whole number >= 1, or one with tok"
        raise _error(text, rule, at, f"Write {_example(name)}.")
    number = int(rank["number"]) if rank else None
    budget = rank is not None and rank["unit"] is not None
    return Metric(
        name,
        cutoff=None if budget else number,
        budget_tokens=number if budget else None,
        relevance=int(relevance["number"]) if relevance else None,
    )


def _nearest(name: str, tail: str) -> str:
    """Return the valid metric that was probably meant, with the given tail where it fits."""
    word = name.strip().lower().replace("-", "_")
    close = difflib.get_close_matches(word, METRIC_NAMES, n=1, cutoff=0.0)
    meant = word if word in _RULES else _OTHER_WORDS.get(word, close[0] if close else "ndcg")
    try:
        return str(parse_metric(meant + tail))
    except MetricError:
        return _example(meant)


def _example(name: str) -> str:
    rule = _RULES[name]
    if rule.cutoff == "never":
        return name
    return f"{name}@{rule.only or 10}"


def _error(text: str, rule: str, value: object, advice: str) -> MetricError:
    return MetricError(f"metric {shorten(text)}: {rule}, got {shorten(value)}. {advice}")
