"""Optuna's dashboard as a WSGI application that suits our studies; loading it takes a second."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from bottle import HTTPError
from optuna.artifacts import FileSystemArtifactStore
from optuna.artifacts.exceptions import ArtifactNotFound
from optuna.study import StudyDirection
from optuna.trial import TrialState
from optuna_dashboard import wsgi
from optuna_dashboard._serializer import serialize_frozen_trial

from sweep.study.folder import artifact_folder
from sweep.study.record import CONSTRAINTS
from sweep.study.study import ABOUT
from sweep.winner.front import pareto_rows


def make_app(storage: Any) -> Any:
    """Return optuna-dashboard on a storage, as a WSGI application, with the studies' tables.

    Args:
        storage: Optuna's storage object.
    """
    app: Any = wsgi(storage, artifact_store=_Artifacts(artifact_folder()))
    app.install(partial(_arranged, storage))
    return app


class _Artifacts(FileSystemArtifactStore):
    """The files of `results/.artifacts`; of one that is gone the page is told so."""

    def open_reader(self, artifact_id: str) -> Any:
        try:
            return super().open_reader(artifact_id)
        except ArtifactNotFound as error:
            raise HTTPError(404, f"{artifact_id} is not in {artifact_folder()}") from error

    def remove(self, artifact_id: str) -> None:
        with suppress(ArtifactNotFound):  # or a study with a file that is gone could not go
            super().remove(artifact_id)

    def write(self, artifact_id: str, content_body: Any) -> None:
        artifact_folder().mkdir(parents=True, exist_ok=True)
        super().write(artifact_id, content_body)


def _arranged(storage: Any, view: Callable[..., Any]) -> Callable[..., Any]:
    """Return a view of the dashboard whose answers suit our studies.

    Plots come in the order of their names (the dashboard has none), what is ours alone is hidden,
    and the best trials are the best that keep the constraints.
    """

    def arranged(*args: Any, **kwargs: Any) -> Any:
        body = view(*args, **kwargs)
        if not isinstance(body, dict):
            return body
        for study in (body, *body.get("study_summaries", ())):
            if "user_attrs" in study:
                study["user_attrs"] = [a for a in study["user_attrs"] if a["key"] != ABOUT]
        body.get("plotly_graph_objects", []).sort(key=lambda plot: plot["id"])
        best = body.get("best_trials", ())
        if any(missed > 0 for trial in best for missed in trial["constraints"]):
            body["best_trials"] = _best_feasible(storage, kwargs["study_id"])
        return body

    return arranged


def _best_feasible(storage: Any, study_id: int) -> list[Any]:
    """Return the best feasible trials as the dashboard serialises them; it looks at all trials."""
    complete = storage.get_all_trials(study_id, deepcopy=False, states=(TrialState.COMPLETE,))
    feasible = [
        trial
        for trial in complete
        if not any(missed > 0 for missed in trial.system_attrs.get(CONSTRAINTS, ()))
    ]
    if not feasible:
        return []
    directions = storage.get_study_directions(study_id)
    maximize = [direction == StudyDirection.MAXIMIZE for direction in directions]
    rows = pareto_rows([trial.values for trial in feasible], maximize)
    attributes = storage.get_study_system_attrs(study_id)
    return [
        serialize_frozen_trial(study_id, feasible[row], attributes)
        for row in (rows if len(maximize) > 1 else rows[:1])
    ]
