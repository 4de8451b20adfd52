"""Stage 1 of 8, files of a corpus folder -> Corpus: documents, queries, qrels, spans, hash."""

from sweep.corpus.beir import read_corpus
from sweep.corpus.inspect import describe_corpus
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.split import (
    Group,
    SplitRule,
    automatic_group,
    automatic_split,
    query_groups,
    split_queries,
)

__all__ = [
    "Group",
    "SplitRule",
    "automatic_group",
    "automatic_split",
    "describe_corpus",
    "query_groups",
    "read_corpus",
    "read_jsonl",
    "split_queries",
]
