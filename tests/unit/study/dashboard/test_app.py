"""What `sweep dashboard` serves: plots in order, the best that are feasible, files that exist."""

import io
import json
from pathlib import Path
from typing import Any

import optuna
import pytest

from sweep.study.dashboard.app import make_app
from sweep.study.dashboard.artifacts import publish
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.folder import artifact_folder
from sweep.study.record import CONSTRAINTS
from sweep.study.study import ABOUT


def made(directions: list[str], *trials: tuple[list[float], float]) -> Any:
    """Return a storage with one study; of each trial values, and by how much it misses a bound."""
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="ours", directions=directions)
    for values, missed in trials:
        study.add_trial(optuna.create_trial(values=values, system_attrs={CONSTRAINTS: [missed]}))
    return storage


def get(app: Any, path: str, *, method: str = "GET") -> tuple[str, bytes]:
    """Return status and body of a page."""
    status = []
    environment = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "SERVER_NAME": "here",
        "SERVER_PORT": "1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "HTTP_ACCEPT_ENCODING": "",
    }
    body = app(environment, lambda line, headers, error=None: status.append(line))
    content = b"".join(body)
    if hasattr(body, "close"):
        body.close()
    return status[0], content


def detail(storage: Any) -> dict[str, Any]:
    status, body = get(make_app(storage), "/api/studies/0")
    assert status == "200 OK"
    found: dict[str, Any] = json.loads(body)
    return found


@pytest.mark.parametrize(
    ("directions", "trials", "best"),
    [
        (["maximize"], [([0.9], 0.1), ([0.5], 0.0), ([0.7], -1.0)], [2]),
        (["minimize"], [([0.9], 0.0), ([0.5], 0.1)], [0]),
        (["maximize"], [([0.9], 0.0), ([0.5], 0.1)], [0]),
        (["maximize"], [([0.9], 1.0)], []),
        (["maximize"], [], []),
        (
            ["maximize", "minimize"],
            [([0.9, 1.0], 0.1), ([0.8, 2.0], 0.0), ([0.7, 1.5], 0.0), ([0.6, 3.0], 0.0)],
            [1, 2],  # number 0 beats both, and is not feasible
        ),
    ],
)
def test_the_best_trials_are_feasible(
    directions: list[str], trials: list[tuple[list[float], float]], best: list[int]
) -> None:
    found = detail(made(directions, *trials))
    assert [trial["number"] for trial in found["best_trials"]] == best
    assert len(found["trials"]) == len(trials)  # all are shown


def test_plots_are_in_order_and_what_is_ours_alone_is_hidden() -> None:
    storage = made(["maximize"], ([0.5], 0.0))
    storage.set_study_user_attr(0, ABOUT, {"identity": {}})
    storage.set_study_user_attr(0, "corpus", "island")
    names = [f"{place}-plot" for place in range(9)]
    for name in reversed(names):
        DashboardAttributes(storage, "ours").write_plot(name, "{}")
    found = detail(storage)
    assert [plot["id"] for plot in found["plotly_graph_objects"]] == names
    assert found["user_attrs"] == [{"key": "corpus", "value": "island"}]
    (listed,) = json.loads(get(make_app(storage), "/api/studies")[1])["study_summaries"]
    assert listed["user_attrs"] == [{"key": "corpus", "value": "island"}]


def test_files_are_served_and_a_missing_one_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    storage = made(["maximize"], ([0.5], 0.0))
    attributes = DashboardAttributes(storage, "ours")
    publish(attributes, artifact_folder(), "ours", {(0, "a.csv"): b"x\n1\n"})
    ((artifact,),) = [trial["artifacts"] for trial in detail(storage)["trials"]]
    address = f"/artifacts/0/0/{artifact['artifact_id']}"
    app = make_app(storage)
    assert get(app, address) == ("200 OK", b"x\n1\n")
    (artifact_folder() / artifact["artifact_id"]).unlink()
    assert get(app, address)[0] == "404 Not Found"
    assert get(app, "/api/studies/0", method="DELETE")[0] == "204 No Content"
    assert storage.get_all_studies() == []
