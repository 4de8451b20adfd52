"""Stage 1 of 8, files of a corpus folder -> Corpus: documents, queries, qrels, spans, hash."""

from sweep.corpus.inspect import describe_corpus
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.read import Reading, read_corpus, read_sources
from sweep.corpus.split import SplitRule, automatic_split, split_queries

__all__ = [
    "Reading",
    "SplitRule",
    "automatic_split",
    "describe_corpus",
    "read_corpus",
    "read_jsonl",
    "read_sources",
    "split_queries",
]
