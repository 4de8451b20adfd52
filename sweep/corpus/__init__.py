"""Stage 1 of 8, files of a corpus folder -> Corpus: documents, queries, qrels, spans, hash."""

from sweep.corpus.examine import examination_notices, examine
from sweep.corpus.inspect import describe_corpus
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.read import Reading, read_corpus, read_sources
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
    "Reading",
    "SplitRule",
    "automatic_group",
    "automatic_split",
    "describe_corpus",
    "query_groups",
    "examination_notices",
    "examine",
    "read_corpus",
    "read_jsonl",
    "read_sources",
    "split_queries",
]
