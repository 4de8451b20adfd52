"""Whether a study `NAME@HASH` has the trials of the study that its labels are applied to now."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from sweep.errors import StudyError
from sweep.study.labels.added_labels import LABELS, root_name
from sweep.study.study import Study
from sweep.study.verdict import named_storage
from sweep.trials import TrialRecord


def check_sibling(study: Study, sibling: Study, identity: Mapping[str, Any]) -> None:
    """Refuse to go on with trials of a study that was deleted, and run anew since.

    Args:
        study: whose trials are scored again.
        sibling: as it is recorded.
        identity: what a sibling of the study begins with.

    Raises: StudyError that says how to remove the sibling.
    """
    known, own = sibling.trials, study.trials
    longer = len(known) > len(own) and LABELS not in study.about  # a sibling may lack trials
    if sibling.about["identity"] == identity and not longer and are_same(own, known):
        return
    storage = named_storage(study)
    words = ["sweep", "delete", sibling.name]
    words += [] if storage is None else ["--storage", storage]
    raise StudyError(
        f"study {sibling.name!r}: its trials must be those of {root_name(study)!r}, got those of "
        f"an earlier study of that name. Delete it, then apply the labels again: "
        f"{shlex.join(words)}"
    )


def are_same(own: Sequence[TrialRecord], known: Sequence[TrialRecord]) -> bool:
    """Return whether trials that were scored again come from a study's, as far as both go.

    They have its configurations, one by one, and the times that it took: a study that was run
    anew has other times.
    """
    return all(
        one.fingerprint == other.fingerprint
        and (other.state != "COMPLETE" or one.timings == other.timings)
        for one, other in zip(own, known, strict=False)
    )
