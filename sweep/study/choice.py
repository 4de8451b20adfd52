"""What a study remembers of how one of its trials is chosen; no part of what the trials are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sweep.errors import StudyError
from sweep.study.tables import read_scores
from sweep.winner.preference import Preference, check_costs

if TYPE_CHECKING:
    from sweep.study.study import Study


def preference_of(study: "Study") -> Preference:
    """Return what quality is given away for; the default for a study that does not say."""
    told: dict[str, Any] = study.about.get("recommend", {})
    if not told:
        return Preference()
    costs = check_costs(told["costs"], where=f"study {study.name!r}: costs")
    return Preference(max_loss=told["max_loss"], costs=costs)


def look_preference(
    study: "Study", *, max_loss: float | None = None, costs: Sequence[str] | None = None
) -> Preference | None:
    """Return the study's preference with changes; None where nothing is changed.

    Raises: WinnerError for a name that is no cost.
    """
    own = preference_of(study)
    changed = Preference(
        max_loss=own.max_loss if max_loss is None else max_loss,
        costs=own.costs if costs is None else check_costs(costs, where="--costs"),
    )
    return None if changed == own else changed


def groups_of(study: "Study", query_ids: Sequence[str]) -> tuple[str, ...] | None:
    """Return the group of each query that cross-validation must not divide; None = its own.

    Args:
        study: the study, with a finished trial.
        query_ids: some of the queries that search.

    Raises: StudyError if the study's record fits other queries than its tables.
    """
    numbers: list[int] | None = study.about.get("fold_groups")
    if numbers is None:
        return None
    table = read_scores(study.folder.path / study.complete[0].files["scores"])
    if len(numbers) != len(table.query_ids):
        raise StudyError(
            f"study {study.name!r}: must know the group of each of {len(table.query_ids)} "
            f"queries, got {len(numbers)} groups. Run the sweep again: it records them anew."
        )
    group = dict(zip(table.query_ids, numbers, strict=True))
    return tuple(str(group[query_id]) for query_id in query_ids)
