"""Stage 1 of 8, files of a corpus folder -> Corpus: documents, queries, qrels, spans, hash."""

from sweep.corpus.beir import read_corpus
from sweep.corpus.examine import examination_notices, examine
from sweep.corpus.inspect import describe_corpus
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.split import SplitRule, automatic_split, split_queries

__all__ = [
    "SplitRule",
    "automatic_split",
    "describe_corpus",
    "examination_notices",
    "examine",
    "read_corpus",
    "read_jsonl",
    "split_queries",
]
