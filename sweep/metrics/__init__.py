"""Stage 5 of 8, ranked lists + qrels -> per-query score table."""

from sweep.metrics.chunk_view import ChunkView
from sweep.metrics.interval import bootstrap_interval
from sweep.metrics.judgements import (
    Judgements,
    SpanJudgements,
    judgements_from_qrels,
    prepare_judgements,
    prepare_spans,
)
from sweep.metrics.label_effects import LabelEffects
from sweep.metrics.labelled_metrics import (
    at_of,
    label_effects,
    labelled_metric,
    relevant_scores,
)
from sweep.metrics.names import METRIC_NAMES, Family, Metric, parse_metric
from sweep.metrics.passages import SPAN_RULES, SpanRule
from sweep.metrics.runs import CHUNK_SEPARATOR, best_chunks, lists_from_run
from sweep.metrics.score import defined_rows, score_lists
from sweep.metrics.span_metrics import MATCHING
from sweep.metrics.unjudged import UnjudgedLists, find_holes

__all__ = [
    "CHUNK_SEPARATOR",
    "MATCHING",
    "METRIC_NAMES",
    "SPAN_RULES",
    "ChunkView",
    "Family",
    "Judgements",
    "LabelEffects",
    "Metric",
    "SpanJudgements",
    "SpanRule",
    "UnjudgedLists",
    "at_of",
    "best_chunks",
    "bootstrap_interval",
    "defined_rows",
    "find_holes",
    "judgements_from_qrels",
    "label_effects",
    "labelled_metric",
    "lists_from_run",
    "parse_metric",
    "prepare_judgements",
    "prepare_spans",
    "relevant_scores",
    "score_lists",
]
