"""Reading a corpus: our own folder, or people's files in any form that a reader knows."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sweep.corpus.assemble import assemble
from sweep.corpus.columns import check_given
from sweep.corpus.found import (
    KINDS,
    ColumnsRead,
    Dropped,
    Finding,
    Found,
    ReadOptions,
    Source,
)
from sweep.corpus.readers import beir
from sweep.corpus.readers.choose import choose_readers, name_of
from sweep.corpus.text_file import check_encoding, peek_text
from sweep.records import Corpus, Notice

_HASH = re.compile(r'"hash": "([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """How many pieces of one kind (documents, queries ...) a file holds, and its form."""

    file: str
    format: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A corpus read from people's files.

    Attributes:
        corpus: what can be used; `notices` tells what was guessed.
        parts: what was found, before anything was dropped.
        columns: which columns of which table were taken for what.
        dropped: every record that is not in the corpus.
    """

    corpus: Corpus
    parts: tuple[SourcePart, ...]
    columns: tuple[ColumnsRead, ...]
    dropped: tuple[Dropped, ...]


def read_corpus(folder: Path, *, qrels: str | None = None, check: bool = True) -> Corpus:
    """Read and check a corpus folder.

    Args:
        folder: holds `corpus.jsonl`, `queries.jsonl` and judgements of documents (`qrels/*.tsv`
            or `qrels.tsv`), of spans (`qrels_spans.jsonl`), or both.
        qrels: which judgement file to take, for example `dev` or `dev.tsv`; None takes
            `qrels/test.tsv`, or the only one there is.
        check: whether judgements must fit; off only to see which of them are stale.
    Returns: documents sorted by id, queries in file order, judgements that name a known query and
        document; everything else worth knowing is in `notices`.
    Raises: CorpusError if a file is missing or malformed, ids clash, there is nothing to search or
        to ask, or no judgement fits; the text names file and line.
    """
    findings = beir.read(Source(folder), ReadOptions(qrels=qrels))
    name = folder.resolve().name
    corpus = assemble(findings, name=name, where=str(folder), check=check).corpus
    frozen = _frozen_hash(folder / beir.SNAPSHOT_FILE)
    if qrels is None and frozen not in (None, corpus.hash):
        text = "the content has changed since it was frozen; see `sweep corpus diff`"
        notice = Notice(where=beir.SNAPSHOT_FILE, text=text)
        corpus = replace(corpus, notices=(*corpus.notices, notice))
    return corpus


def read_sources(
    sources: Sequence[str],
    *,
    format: str | None = None,
    options: ReadOptions | None = None,
) -> Reading:
    """Read people's files as one corpus.

    Args:
        sources: files, folders, `ir_datasets:NAME`, or one of these with its role before it
            (`queries=my.csv`; documents, queries, qrels, spans).
        format: a reader's name; None chooses one for each file by its content and name.
        options: columns, encoding, which judgement file.
    Raises: CorpusError, naming file and line, as `read_corpus`; or if a file is in no form that is
        known, or what is in it cannot be told.
    """
    options = options or ReadOptions()
    check_encoding(options.encoding)
    chosen = choose_readers(sources, format=format, options=options)
    counts: Counter[tuple[str, str, str]] = Counter()
    columns: list[ColumnsRead] = []

    def findings() -> Iterator[Finding]:
        for reader, source in chosen.readers:
            for one in reader.read(source, options):
                if isinstance(one, Found):
                    counts[one.place.file, reader.NAME, KINDS[type(one.item)]] += 1
                elif isinstance(one, ColumnsRead):
                    columns.append(one)
                yield one
        check_given(options.columns, columns)

    assembled = assemble(
        (*chosen.notices, *findings()), name=name_of(sources), where=", ".join(sources)
    )
    parts = (SourcePart(file=f, format=n, kind=k, count=c) for (f, n, k), c in counts.items())
    return Reading(
        corpus=assembled.corpus,
        parts=tuple(parts),
        columns=tuple(columns),
        dropped=assembled.dropped,
    )


def _frozen_hash(path: Path) -> str | None:
    """Return the hash in a snapshot, which stands at its beginning; None if there is none."""
    found = _HASH.search(peek_text(path))
    return found[1] if found else None
