"""Judgements that name documents or queries which the corpus does not have."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.corpus.found import Dropped, Place
from sweep.errors import CorpusError
from sweep.records import Notice

EXAMPLES = 3
Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One judgement: `key` is (query id, document id) or these with start, end.

    `text` is what a line says that its span holds, None where it does not say.
    """

    place: Place
    key: Key
    grade: int
    text: str | None = None


def drop_unknown(
    file: str,
    entries: Mapping[Key, Entry],
    *,
    documents: Mapping[str, Any],
    queries: Mapping[str, Any],
    notices: list[Notice],
    dropped: list[Dropped],
    check: bool,
) -> dict[Key, Entry]:
    """Return a file's entries whose query and document are known; the others are told.

    Raises: CorpusError, unless `check` is off, if there are entries but none is left: a sweep over
        constant zeros would choose at random.
    """
    kept = {k: one for k, one in entries.items() if k[0] in queries and k[1] in documents}
    if len(kept) == len(entries):
        return kept
    faults = []
    for noun, column, known in (("documents", 1, documents), ("queries", 0, queries)):
        unknown = [str(key[column]) for key in entries if key[column] not in known]
        if unknown:
            examples = _describe(unknown, known)
            faults.append(
                f"{len(unknown)} of {len(entries)} judgements name unknown {noun} ({examples})"
            )
    text = "; ".join(faults)
    if not kept and check:
        raise CorpusError(
            f"{file}: a judgement must name a known document and query, got none: {text}."
            " Judge documents (not chunks) by their ids, written exactly as in the documents."
        )
    for key, entry in entries.items():
        if key not in kept:
            noun, id_ = ("document", key[1]) if key[1] not in documents else ("query", key[0])
            why = f"names no known {noun} (query {key[0]!r}, document {key[1]!r})"
            dropped.append(Dropped(entry.place, str(id_), why))
    name = next(iter(entries.values())).place.name
    notices.append(Notice(where=name, text=f"{text}; left out"))
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
