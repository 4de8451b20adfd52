"""What queries should have found, and which chunks would count as having found it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from sweep.metrics.passages import Passages, SpanRule, match_passages
from sweep.records import Ints, Span
from sweep.study.diagnosis.examination import Evaluated, Examination
from sweep.winner.diagnosis.charge import Target

MOSTLY = 0.5  # share of a document's text that the model must see, where no passage is marked


class Targets:
    """The relevant documents and passages of queries, for one chunking.

    Args:
        examination: of the configuration.
        judging: when something is relevant, and when a chunk matches a passage.

    Attributes:
        position: of each document, by id.
    """

    def __init__(self, examination: Examination, judging: Evaluated) -> None:
        self.examination = examination
        self.judging = judging
        self.corpus = examination.engine.corpus
        chunks = examination.chunks
        self.position = {doc.id: row for row, doc in enumerate(self.corpus.documents)}
        self._bounds = np.searchsorted(chunks.document, np.arange(len(self.position) + 1))
        self._spans: dict[tuple[str, str], list[Span]] = {}
        for span in self.corpus.spans:
            if span.grade >= judging.relevance:
                self._spans.setdefault((span.query_id, span.document_id), []).append(span)
        self._passages = examination.engine.texts.passages(examination.configuration.chunk)

    def of(self, rows: Iterable[int]) -> list[Target]:
        """Return the targets of some queries: documents by id, then passages by place."""
        queries = {self.corpus.queries[row].id: row for row in rows}
        level = self.judging.relevance
        found = [
            self._whole(row, id_, grade)
            for query, row in queries.items()
            for id_, grade in sorted(self.corpus.qrels.get(query, {}).items())
            if grade >= level
        ]
        spans = [s for s in self.corpus.spans if s.query_id in queries and s.grade >= level]
        chunks = self.matching(spans, rule=self.judging.rule)
        return found + [
            self._passage(queries[span.query_id], span, own)
            for span, own in zip(spans, chunks, strict=True)
        ]

    def _whole(self, row: int, id_: str, grade: int) -> Target:
        """Return a document as a target: any of its chunks that is indexed would do."""
        position = self.position.get(id_, -1)
        chunks = self._of_document(position) if position >= 0 else range(0)
        indexed = tuple(chunk for chunk in chunks if self._passages[chunk].strip())
        has_text = bool(indexed) or (
            position >= 0 and bool(self.corpus.documents[position].text.strip())
        )
        return Target(
            query=row,
            document=position,
            document_id=id_,
            grade=grade,
            chunks=indexed,
            has_text=has_text,
        )

    def _passage(self, row: int, span: Span, chunks: tuple[int, ...]) -> Target:
        return Target(
            query=row,
            document=self.position[span.document_id],
            document_id=span.document_id,
            grade=span.grade,
            start=span.start,
            end=span.end,
            chunks=chunks,
        )

    def _of_document(self, position: int) -> range:
        return range(int(self._bounds[position]), int(self._bounds[position + 1]))

    def matching(self, spans: Sequence[Span], *, rule: SpanRule) -> list[tuple[int, ...]]:
        """Return the rows of the chunks that match each passage by a rule."""
        documents = sorted({self.position[span.document_id] for span in spans})
        rows = [row for document in documents for row in self._of_document(document)]
        return self._match(np.array(rows, dtype=np.int64), None, spans, rule)

    def _match(
        self, rows: Ints, ends: Ints | None, spans: Sequence[Span], rule: SpanRule
    ) -> list[tuple[int, ...]]:
        """Return which of some chunks, cut at `ends`, match each passage."""
        chunks = self.examination.chunks
        place = [self.position[span.document_id] for span in spans]
        order = np.argsort(np.array(place, dtype=np.int64), kind="stable")
        wanted = np.array(
            [(place[row], spans[row].start, spans[row].end) for row in order.tolist()],
            dtype=np.int64,
        ).reshape(-1, 3)
        own, span = match_passages(
            Passages(
                query=np.zeros(len(rows), dtype=np.int64),
                document=chunks.document[rows],
                start=chunks.start[rows],
                end=chunks.end[rows] if ends is None else ends,
            ),
            Passages(
                query=np.zeros(len(spans), dtype=np.int64),
                document=np.ascontiguousarray(wanted[:, 0]),
                start=np.ascontiguousarray(wanted[:, 1]),
                end=np.ascontiguousarray(wanted[:, 2]),
            ),
            threshold=self.judging.threshold,
            rule=rule,
        )
        found: list[list[int]] = [[] for _ in spans]
        for chunk, number in zip(rows[own].tolist(), order[span].tolist(), strict=True):
            found[number].append(chunk)
        return [tuple(sorted(matching)) for matching in found]

    def completed(self, targets: Sequence[Target]) -> list[Target]:
        """Return targets with what takes longer to find out: are they seen, do they share terms.

        Args:
            targets: some of those of `of`; all of a query's, or those that were missed.
        """
        seen = self._seen(targets)
        queries = self.corpus.queries
        return [
            replace(
                target,
                is_seen=is_seen,
                shares_term=self.examination.shares_term(
                    queries[target.query].text, target.chunks
                ),
            )
            for target, is_seen in zip(targets, seen, strict=True)
        ]

    def _seen(self, targets: Sequence[Target]) -> list[bool]:
        """Return whether the embedding model gets to see enough of each target."""
        configuration = self.examination.configuration
        if configuration.vector is None:
            return [True] * len(targets)
        vectors = self.examination.engine.vectors
        inputs = vectors.passage_inputs(configuration.chunk, configuration.vector)
        rows = np.unique([chunk for target in targets for chunk in target.chunks]).astype(np.int64)
        cut = rows[inputs.full[rows] > inputs.window]
        if not len(cut):
            return [True] * len(targets)
        ends = vectors.seen_ends(configuration.chunk, configuration.vector, rows)
        end_of = dict(zip(rows.tolist(), ends.tolist(), strict=True))
        short = set(cut.tolist())
        return [self._is_seen(target, end_of, short) for target in targets]

    def _is_seen(self, target: Target, end_of: dict[int, int], cut: Collection[int]) -> bool:
        if not any(chunk in cut for chunk in target.chunks):
            return True
        rows = np.array(target.chunks, dtype=np.int64)
        ends = np.array([end_of[chunk] for chunk in target.chunks], dtype=np.int64)
        spans = self._marked(target)
        if spans:
            return any(self._match(rows, ends, spans, self.judging.rule))
        chunks = self.examination.chunks
        length = int((chunks.end[rows] - chunks.start[rows]).sum())
        return int((ends - chunks.start[rows]).sum()) >= MOSTLY * length

    def _marked(self, target: Target) -> list[Span]:
        """Return the relevant passages that a target is, or has."""
        query = self.corpus.queries[target.query].id
        return [
            span
            for span in self._spans.get((query, target.document_id), ())
            if target.start in (None, span.start) and target.end in (None, span.end)
        ]
