"""Keeping queries back for confirmation, so that the winner's score is not its own luck."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from sweep.errors import CorpusError
from sweep.records import Corpus

Group = Literal["query", "document"]
MIN_QUERIES = 200  # fewer are all needed to choose; cross-validation is used instead
MIN_DOCUMENTS = (
    20  # fewer groups cannot be relied on to give anything near the share (.7^20 < .001)
)
AUTOMATIC_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRule:
    """How queries are divided: `share` in (0, 1) for confirmation, whole groups at a time."""

    share: float
    seed: int
    group: Group


def automatic_split(corpus: Corpus, *, seed: int) -> SplitRule | None:
    """Return the rule for `split: auto`; None below 200 judged queries.

    Queries are kept together as `automatic_group` says.
    """
    if len(_judged(corpus)) < MIN_QUERIES:
        return None
    return SplitRule(share=AUTOMATIC_SHARE, seed=seed, group=automatic_group(corpus))


def automatic_group(corpus: Corpus) -> Group:
    """Return what is never divided where nobody has said: a query, or all of one gold document.

    Queries are kept together by gold document when they share few: fewer distinct gold documents
    than half of the judged queries, but at least 20 (with five documents, for example, the
    confirmation part might stay empty or take everything).
    """
    gold = {
        document_id
        for grades in corpus.qrels.values()
        for document_id, grade in grades.items()
        if grade > 0
    }
    shared = MIN_DOCUMENTS <= len(gold) < len(_judged(corpus)) / 2
    return "document" if shared else "query"


def query_groups(corpus: Corpus, *, group: Group) -> dict[str, str]:
    """Return the key of each judged query's group; see `split_queries`."""
    by_document = group == "document"
    return {
        query_id: _gold_key(corpus, query_id) if by_document else f"query {query_id}"
        for query_id in _judged(corpus)
    }


def split_queries(
    corpus: Corpus, *, share: float, seed: int, group: Group
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Divide the judged queries into those that search and those that confirm.

    A group is for confirmation if and only if hash(seed, group key) < share, so that adding
    queries or documents moves no old one. The key is the query's id, or its gold document: the
    smallest id with a positive grade (the query's own id where there is none).

    Args:
        corpus: its judged queries are divided; the others are in neither part.
        share: expected share of groups for confirmation, in (0, 1).
        seed: another seed gives another division.
        group: `query`, or `document` to keep queries about one document together.
    Returns: ids for the search and ids for the confirmation, in corpus order; with few groups
        one of them may be empty.
    Raises: CorpusError if `share` is not in (0, 1).
    """
    if not 0 < share < 1:
        raise CorpusError(
            f"split.confirm: must be in (0, 1), got {share}. Write 0.3 to keep 30 % of them."
        )
    search: list[str] = []
    confirm: list[str] = []
    for query_id, key in query_groups(corpus, group=group).items():
        (confirm if _fraction(seed, key) < share else search).append(query_id)
    return tuple(search), tuple(confirm)


def _judged(corpus: Corpus) -> list[str]:
    return [query.id for query in corpus.queries if corpus.qrels.get(query.id)]


def _gold_key(corpus: Corpus, query_id: str) -> str:
    gold = [id_ for id_, grade in corpus.qrels[query_id].items() if grade > 0]
    return f"document {min(gold)}" if gold else f"query {query_id}"


def _fraction(seed: int, key: str) -> float:
    """Return a number in [0, 1) that depends on nothing but `seed` and `key`."""
    digest = hashlib.sha256(f"{seed} {key}".encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48  # 48 bits: exact in a float
