"""Which queries choose, and which confirm."""

from dataclasses import dataclass
from typing import Any

from sweep.corpus import Group, automatic_group, automatic_split, query_groups, split_queries
from sweep.errors import SpaceError
from sweep.records import Corpus
from sweep.study.space.search_space import Split


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySplit:
    """The judged queries of a study.

    Attributes:
        search: ids of the queries that configurations are scored on.
        confirm: ids that are kept apart, scored once at the end; empty = cross-validation.
        share, seed, group: how they were divided.
        folds: what cross-validation never divides; below 200 queries, too, queries that share
            gold documents stay together.
    """

    search: tuple[str, ...]
    confirm: tuple[str, ...]
    share: float
    seed: int
    group: Group
    folds: Group

    def to_json(self) -> dict[str, Any]:
        """Return what the study records of its split."""
        return {
            "search": len(self.search),
            "confirm": len(self.confirm),
            "share": self.share,
            "seed": self.seed,
            "group": self.group,
            "folds": self.folds,
        }

    def fold_groups(self, corpus: Corpus) -> list[int] | None:
        """Return each search query's group as a number; None where each is its own."""
        if self.folds == "query":
            return None
        keys = query_groups(corpus, group=self.folds)
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
        return [numbers[keys[query_id]] for query_id in self.search]


def study_split(split: Split, corpus: Corpus) -> StudySplit:
    """Divide the judged queries as the space says (see `sweep.corpus.split`)."""
    judged = tuple(query.id for query in corpus.queries if corpus.qrels.get(query.id))
    share = 0.0
    group: Group = split.group or "query"
    folds = split.group or automatic_group(corpus)
    automatic = automatic_split(corpus, seed=split.seed)
    if automatic is not None:
        group = split.group or automatic.group
    if split.kind == "auto" and automatic is not None:
        share = automatic.share
    elif split.kind == "confirm":
        share = split.confirm or 0.0
    if share == 0.0:
        return StudySplit(
            search=judged, confirm=(), share=0.0, seed=split.seed, group=group, folds=folds
        )
    search, confirm = split_queries(corpus, share=share, seed=split.seed, group=group)
    if not search or (split.kind == "confirm" and not confirm):
        raise SpaceError(
            f"split: must leave queries both to search and to confirm with, got {len(search)} and "
            f"{len(confirm)} of {len(judged)} judged queries by {group}. Use another seed, group "
            f"by query, or write `split: off`."
        )
    return StudySplit(
        search=tuple(search),
        confirm=tuple(confirm),
        share=share,
        seed=split.seed,
        group=group,
        folds=folds,
    )
