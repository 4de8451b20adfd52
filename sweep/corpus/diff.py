"""What changed between two snapshots of a corpus, and which labels became stale by it.

A label is stale if it was made for a text that is there no more: its document is gone or has
changed, or the passage that its span marks is gone (and perhaps replaced) or stands elsewhere.
Labels that the later one no longer has are listed as removed; they are stale only if their
document is gone, or their passage is and another one took its place.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from sweep.corpus.snapshot import Snapshot, SpanLabel

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Why = Literal[
    "document vanished",
    "document changed",
    "document changed, spans hold",
    "span vanished",
    "span replaced",
    "span moved",
    "span unknown",
]


@dataclass(frozen=True, slots=True)
class Changes(Generic[K]):
    """Keys that only the later one has, only the earlier one has, or both with other content."""

    added: tuple[K, ...]
    removed: tuple[K, ...]
    changed: tuple[K, ...]

    def __len__(self) -> int:
        """Return how many there are in all."""
        return len(self.added) + len(self.removed) + len(self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleLabel:
    """A label of the earlier snapshot that may be wrong in the later one.

    Attributes:
        start, end: of a span, in the earlier text; None for the label of a document.
        now: where the span's text starts in the later text; None if nowhere, or not known.
    """

    query: str
    document: str
    grade: int
    why: Why
    start: int | None = None
    end: int | None = None
    now: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDiff:
    """All differences between an earlier and a later snapshot."""

    documents: Changes[str]
    queries: Changes[str]
    labels: Changes[tuple[str, str]]
    spans: Changes[tuple[str, str, int, int]]
    stale: tuple[StaleLabel, ...]

    @property
    def same(self) -> bool:
        """Whether there is none."""
        parts = (self.documents, self.queries, self.labels, self.spans)
        return not any(len(part) for part in parts)


def compare_snapshots(before: Snapshot, after: Snapshot) -> CorpusDiff:
    """Return what changed between two snapshots."""
    stale_spans = _stale_spans(before, after)
    return CorpusDiff(
        documents=_changes(before.documents, after.documents),
        queries=_changes(before.queries, after.queries),
        labels=_changes(before.labels, after.labels),
        spans=_changes(_spans(before), _spans(after)),
        stale=(*_stale_labels(before, after, stale_spans), *stale_spans),
    )


def diff_content(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """Return the differences as JSON."""
    diff = compare_snapshots(before, after)
    old, new = before.labels, after.labels
    labels: dict[str, list[dict[str, Any]]] = {
        "added": [_label(pair, grade=new[pair]) for pair in diff.labels.added],
        "removed": [_label(pair, grade=old[pair]) for pair in diff.labels.removed],
        "changed": [
            _label(pair, grade=new[pair], before=old[pair]) for pair in diff.labels.changed
        ],
    }
    names = ("query", "document", "start", "end")
    return {
        "before": {"name": before.name, "hash": before.hash},
        "after": {"name": after.name, "hash": after.hash},
        "same": diff.same,
        "documents": _lists(diff.documents),
        "queries": _lists(diff.queries),
        "labels": labels,
        "spans": {
            kind: [dict(zip(names, span, strict=True)) for span in spans]
            for kind, spans in _lists(diff.spans).items()
        },
        "stale": [asdict(one) for one in diff.stale],
    }


def _changes(before: Mapping[K, V], after: Mapping[K, V]) -> Changes[K]:
    return Changes(
        added=tuple(key for key in after if key not in before),
        removed=tuple(key for key in before if key not in after),
        changed=tuple(k for k in before if k in after and before[k] != after[k]),
    )


def _stale_labels(
    before: Snapshot, after: Snapshot, stale_spans: Sequence[StaleLabel]
) -> list[StaleLabel]:
    """Return the labels of relevant documents that have changed or are gone."""
    lost = {(one.query, one.document) for one in stale_spans}
    spanned = {(span.query, span.document) for span in before.spans}
    stale = []
    for pair, grade in before.labels.items():
        query, document = pair
        if grade <= 0 or query not in after.queries:
            continue
        why: Why
        if document not in after.documents:
            why = "document vanished"
        elif pair not in after.labels or before.documents[document] == after.documents[document]:
            continue
        elif pair in spanned and pair not in lost:
            why = "document changed, spans hold"
        else:
            why = "document changed"
        stale.append(StaleLabel(query=query, document=document, grade=grade, why=why))
    return stale


def _stale_spans(before: Snapshot, after: Snapshot) -> list[StaleLabel]:
    """Return the spans whose passage is gone, or stands elsewhere than the later span says."""
    kept = _spans(after)
    labelled = {(one.query, one.document) for one in after.spans}
    passages = {(one.query, one.document, one.text) for one in after.spans}
    stale = []
    for span in before.spans:
        if span.query not in after.queries:
            continue
        key = (span.query, span.document, span.start, span.end)
        if span.document not in after.documents:
            found = _stale(span, "span vanished")
        elif before.documents[span.document] == after.documents[span.document]:
            continue
        elif (span.query, span.document, span.text) in passages:
            continue  # it was moved along with its text
        else:
            found = _look_up(span, after)
            replaced = (span.query, span.document) in labelled
            if key not in kept and found.now is None and replaced:
                found = replace(found, why="span replaced")  # its passage is gone
            elif key not in kept and (found.now == span.start or replaced):
                continue  # it was removed though its text is there, or another one took its place
        stale.append(found)
    return stale


def _look_up(span: SpanLabel, after: Snapshot) -> StaleLabel:
    if after.texts is None:
        return _stale(span, "span unknown")
    start = after.texts[span.document].find(span.text)
    return _stale(span, "span vanished") if start < 0 else _stale(span, "span moved", now=start)


def _stale(span: SpanLabel, why: Why, now: int | None = None) -> StaleLabel:
    return StaleLabel(
        query=span.query,
        document=span.document,
        grade=span.grade,
        why=why,
        start=span.start,
        end=span.end,
        now=now,
    )


def _spans(snapshot: Snapshot) -> dict[tuple[str, str, int, int], tuple[int, str]]:
    return {
        (one.query, one.document, one.start, one.end): (one.grade, one.text)
        for one in snapshot.spans
    }


def _lists(changes: Changes[K]) -> dict[str, list[K]]:
    return {
        "added": list(changes.added),
        "removed": list(changes.removed),
        "changed": list(changes.changed),
    }


def _label(pair: tuple[str, str], **grades: int) -> dict[str, Any]:
    return {"query": pair[0], "document": pair[1], **grades}
