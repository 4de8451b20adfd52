"""Judgements that name documents or queries which the corpus does not have."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.errors import CorpusError
from sweep.records import Notice

EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One line of a judgement file: `key` is (query id, document id) or these with start, end.

    `text` is what the line says that the span holds, None where it does not say.
    """

    line: int
    key: tuple[str | int, ...]
    grade: int
    text: str | None = None


def drop_unknown(
    path: Path,
    judgements: Mapping[tuple[str | int, ...], Judgement],
    *,
    documents: Mapping[str, Any],
    queries: Mapping[str, Any],
    notices: list[Notice],
) -> dict[tuple[str | int, ...], Judgement]:
    """Return the judgements whose query and document are known; adds a notice about the others.

    Raises: CorpusError if there are judgements but none is left: a sweep over constant zeros would
        choose at random.
    """
    kept = {k: one for k, one in judgements.items() if k[0] in queries and k[1] in documents}
    if len(kept) == len(judgements):
        return kept
    faults = []
    for noun, column, known in (("documents", 1, documents), ("queries", 0, queries)):
        unknown = [str(key[column]) for key in judgements if key[column] not in known]
        if unknown:
            examples = _describe(unknown, known)
            faults.append(
                f"{len(unknown)} of {len(judgements)} judgements name unknown {noun} ({examples})"
            )
    text = "; ".join(faults)
    if not kept:
        raise CorpusError(
            f"{path}: a judgement must name a known document and query, got none: {text}."
            " Judge documents (not chunks) by their `_id`, written exactly as in corpus.jsonl."
        )
    notices.append(Notice(where=path.name, text=f"{text}; left out"))
    return kept


def _describe(unknown: Iterable[str], known: Iterable[str]) -> str:
    """Return a few unknown ids, first those that look like a known one, each with its twin."""
    alike: dict[str, str] = {}
    for id_ in known:
        alike.setdefault(_visible(id_), id_)
    parts = []
    for id_ in sorted(dict.fromkeys(unknown), key=lambda id_: _visible(id_) not in alike)[
        :EXAMPLES
    ]:
        twin = alike.get(_visible(id_))
        parts.append(
            repr(id_)
            if twin is None
            else f"{id_!r} where the corpus has {ascii(twin)}, which differs only in white space "
            f"or Unicode normal form from {ascii(id_)}"
        )
    return "e.g. " + ", ".join(parts)


def _visible(id_: str) -> str:
    """Return what a reader sees of an id: composed characters, single blanks, no outer ones."""
    return " ".join(unicodedata.normalize("NFC", id_).split())
