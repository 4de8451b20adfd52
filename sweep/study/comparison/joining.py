"""Which queries two sides have in common, and what makes their scores hard to compare."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sweep.errors import StudyError, SweepError
from sweep.records import Corpus, Ints
from sweep.study.comparison.sides import Side
from sweep.study.reopen import study_corpus


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """The queries that both sides are scored on.

    Attributes:
        query_ids: in the order of the first side, n.
        a, b: shape (n,), their rows in the tables of the two sides.
        texts: by query id; empty where the corpus has moved or changed.
        warnings: what makes the two hard to compare.
        left_out: number of queries, by reason.
    """

    query_ids: tuple[str, ...]
    a: Ints
    b: Ints
    texts: Mapping[str, str]
    warnings: tuple[str, ...]
    left_out: Mapping[str, int]


def join(a: Side, b: Side) -> Joined:
    """Return the queries that both sides judged, by id and text.

    Raises: StudyError if they have none in common, or if two studies' corpora differ and one of
        them cannot be read.
    """
    rows = [{query: row for row, query in enumerate(side.table.query_ids)} for side in (a, b)]
    common = [query for query in rows[0] if query in rows[1]]
    left_out = {"only_a": len(rows[0]) - len(common), "only_b": len(rows[1]) - len(common)}
    warnings: list[str] = []
    if _corpus_hash(a) == _corpus_hash(b):
        texts = _texts_if_there(a)
    else:
        corpora = study_corpus(a.study), study_corpus(b.study)
        one, texts = ({query.id: query.text for query in corpus.queries} for corpus in corpora)
        same = [query for query in common if one[query] == texts[query]]
        left_out["other_text"] = len(common) - len(same)
        common = same
        warnings += _corpora_differ(a, b, corpora, common)
    if not common:
        raise StudyError(
            f"compare: both must be scored on a common query (equal in id and text), got none of "
            f"{len(rows[0])} in {a.study.name!r} and {len(rows[1])} in {b.study.name!r}. Run one "
            f"of the spaces on the other's corpus under another name."
        )
    if a.study.name != b.study.name:
        warnings += [*_rules_differ(a, b), *_left_out_texts(a, b, left_out)]
    return Joined(
        query_ids=tuple(common),
        a=np.array([rows[0][query] for query in common], dtype=np.int64),
        b=np.array([rows[1][query] for query in common], dtype=np.int64),
        texts=texts,
        warnings=tuple(warnings),
        left_out=left_out,
    )


def _corpus_hash(side: Side) -> str:
    return str(side.study.about["identity"]["corpus"])


def _texts_if_there(side: Side) -> dict[str, str]:
    try:
        return {query.id: query.text for query in study_corpus(side.study).queries}
    except SweepError:
        return {}


def _corpora_differ(
    a: Side, b: Side, corpora: tuple[Corpus, Corpus], common: list[str]
) -> Iterator[str]:
    hashes = ", ".join(
        f"{side.study.name} {corpus.name} {corpus.hash[:12]}"
        for side, corpus in zip((a, b), corpora, strict=True)
    )
    yield f"the corpora differ ({hashes})"
    one, other = ({d.id: (d.title, d.text) for d in corpus.documents} for corpus in corpora)
    changed = sum(one[id_] != other[id_] for id_ in one.keys() & other.keys())
    counts = (len(one.keys() - other.keys()), len(other.keys() - one.keys()), changed)
    if any(counts):
        yield (
            f"the documents differ: {counts[0]:,} only in {a.study.name}'s, {counts[1]:,} only in "
            f"{b.study.name}'s, {changed:,} of one id have another text"
        )
    relabelled = sum(corpora[0].qrels[query] != corpora[1].qrels[query] for query in common)
    if relabelled:
        yield (
            f"the labels differ for {relabelled:,} of {len(common):,} common queries: a score may "
            f"differ though nothing else was retrieved"
        )


def _rules_differ(a: Side, b: Side) -> Iterator[str]:
    """Tell what else a score depends on, where it is not the same in both studies."""
    one, other = (side.study.about["identity"] for side in (a, b))
    for entry, told in (
        ("evaluation", "labels and spans are read by other rules"),
        ("metrics version", "metrics are defined otherwise"),
        ("tokenizer", "tokens are counted by another tokenizer"),
        ("precision", "models ran in another precision"),
    ):
        if one.get(entry) != other.get(entry):
            yield f"{told} ({_short(one.get(entry), other.get(entry))})"


def _short(one: object, other: object) -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        return ", ".join(f"{name}: {one.get(name)} and {other.get(name)}" for name in names)
    return f"{one} and {other}"


def _left_out_texts(a: Side, b: Side, left_out: Mapping[str, int]) -> Iterator[str]:
    for reason, text in (
        ("only_a", f"are scored in {a.study.name} only (not judged, or kept to confirm with)"),
        ("only_b", f"are scored in {b.study.name} only (not judged, or kept to confirm with)"),
        ("other_text", "have one id and two texts"),
    ):
        if left_out.get(reason):
            yield f"{left_out[reason]:,} queries are left out: they {text}"
