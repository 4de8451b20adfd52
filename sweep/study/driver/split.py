"""Which queries choose, and which confirm."""

from dataclasses import dataclass
from typing import Any, Literal

from sweep.corpus import automatic_split, split_queries
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
    """

    search: tuple[str, ...]
    confirm: tuple[str, ...]
    share: float
    seed: int
    group: str

    def to_json(self) -> dict[str, Any]:
        """Return what the study records of its split."""
        return {
            "search": len(self.search),
            "confirm": len(self.confirm),
            "share": self.share,
            "seed": self.seed,
            "group": self.group,
        }


def study_split(split: Split, corpus: Corpus) -> StudySplit:
    """Divide the judged queries as the space says (see `sweep.corpus.split`)."""
    judged = tuple(query.id for query in corpus.queries if corpus.qrels.get(query.id))
    share = 0.0
    group: Literal["query", "document"] = split.group or "query"
    automatic = automatic_split(corpus, seed=split.seed)
    if automatic is not None:
        group = split.group or automatic.group
    if split.kind == "auto" and automatic is not None:
        share = automatic.share
    elif split.kind == "confirm":
        share = split.confirm or 0.0
    if share == 0.0:
        return StudySplit(search=judged, confirm=(), share=0.0, seed=split.seed, group=group)
    search, confirm = split_queries(corpus, share=share, seed=split.seed, group=group)
    if not search or (split.kind == "confirm" and not confirm):
        raise SpaceError(
            f"split: must leave queries both to search and to confirm with, got {len(search)} and "
            f"{len(confirm)} of {len(judged)} judged queries by {group}. Use another seed, group "
            f"by query, or write `split: off`."
        )
    return StudySplit(
        search=tuple(search), confirm=tuple(confirm), share=share, seed=split.seed, group=group
    )
