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
from sweep.metrics.names import METRIC_NAMES, Family, Metric, parse_metric
from sweep.metrics.passages import SPAN_RULES, SpanRule
from sweep.metrics.runs import CHUNK_SEPARATOR, best_chunks, lists_from_run
from sweep.metrics.score import defined_rows, score_lists
from sweep.metrics.span_metrics import MATCHING

__all__ = [
    "CHUNK_SEPARATOR",
    "MATCHING",
    "METRIC_NAMES",
    "SPAN_RULES",
    "ChunkView",
    "Family",
    "Judgements",
    "Metric",
    "SpanJudgements",
    "SpanRule",
    "best_chunks",
    "bootstrap_interval",
    "defined_rows",
    "judgements_from_qrels",
    "lists_from_run",
    "parse_metric",
    "prepare_judgements",
    "prepare_spans",
    "score_lists",
]
