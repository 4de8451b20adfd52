"""What runs leave on the dashboard: several objectives, failures, stops, resumes, deletion."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import optuna
import pytest
import yaml
from optuna_dashboard import get_note, save_note
from optuna_dashboard._custom_plot_data import get_plotly_graph_objects

from sweep.engine.measure.report import Report
from sweep.errors import SweepError
from sweep.study.dashboard.attributes import OWN, DashboardAttributes
from sweep.study.dashboard.showcase import Showcase
from sweep.study.deletion import delete_study
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from sweep.study.folder import artifact_folder
from sweep.study.study import Study
from tests.e2e.island import write_island
from tests.postgres_server import ADMIN, PASSWORD, PostgresServer

BM25 = {"mode": "bm25", "top_k": [2, 4], "chunk": {"splitter": "words", "size": [10, 20]}}


@pytest.fixture
def island(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a corpus, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_island(tmp_path / "island")
    return tmp_path


def run_space(
    folder: Path, *, trials: int | None = None, storage: str | None = None, **keys: Any
) -> tuple[Study, Report]:
    space = {"name": "isle", "corpus": "island", "objective": "ndcg@5", "space": BM25, **keys}
    path = folder / "space.yaml"
    path.write_text(yaml.safe_dump(space, sort_keys=False), encoding="utf-8")
    report = Report()
    options = RunOptions(threads=1, trials=trials, storage=storage)
    study = run(path, options=options, report=report)
    assert not any("dashboard" in notice for notice in report.notices)
    return study, report


def loaded(study: Study) -> optuna.Study:
    return optuna.load_study(study_name=study.name, storage=study.optuna_storage)


def system_attributes(study: Study) -> Mapping[str, Any]:
    opened = loaded(study)
    found: Mapping[str, Any] = opened._storage.get_study_system_attrs(opened._study_id)
    return found


def plots(study: Study) -> list[str]:
    found = get_plotly_graph_objects(dict(system_attributes(study)))
    assert all(json.loads(figure)["data"] for figure in found.values())
    return sorted(found)


def files(study: Study) -> list[tuple[str, str]]:
    """Return place and name of every linked file; each is there."""
    attributes = DashboardAttributes(study.optuna_storage, study.name)
    links = attributes.links()
    assert {link.artifact_id for link in links.values()} == {
        path.name for path in artifact_folder().iterdir()
    }
    return sorted((key.rpartition(":")[0], link.filename) for key, link in links.items())


def test_one_objective(island: Path) -> None:
    baseline = {"mode": "bm25", "top_k": 1, "chunk": {"splitter": "words", "size": 5}}
    study, _ = run_space(island, baseline=baseline)
    note = get_note(loaded(study))
    answer = study.answer()
    assert note.startswith(f"## Use #{answer.trial.number}: ")
    assert "sweep compare isle recommended baseline" in note
    assert plots(study) == ["1-cost", "2-leaders", "3-effects", "4-top-k"]
    found = files(study)
    assert ("artifacts", "trials.csv") in found
    assert sum(name == "scores-by-query.csv" for _, name in found) == 5
    assert sum(name == "ranked-lists.jsonl" for _, name in found) == 3
    facts = dict(loaded(study).user_attrs)
    assert (facts["corpus"], facts["sampler"]) == ("island: 10 documents", "grid")
    assert facts["baseline"] == "bm25, words 5/0, top 1"


def test_several_objectives(island: Path) -> None:
    objectives = ["ndcg@5", {"metric": "work", "direction": "minimize"}]
    study, _ = run_space(island, objective=objectives)
    front = study.front().trials
    assert get_note(loaded(study)).startswith(f"## Choose one of {len(front)}: none is beaten")
    assert plots(study) == ["1-cost", "2-leaders", "3-effects", "4-top-k"]
    assert sum(name == "scores-by-query.csv" for _, name in files(study)) == len(front)


def test_an_objective_without_scores_per_query(island: Path) -> None:
    study, _ = run_space(island, objective=[{"metric": "index_bytes"}, "ndcg@5"])
    assert "3-effects" in plots(study)


def test_no_feasible_trial(island: Path) -> None:
    study, _ = run_space(island, constraints=["context_tokens <= 1"])
    note = get_note(loaded(study))
    assert note.startswith("## No recommendation")
    assert "is met by 0" in note
    assert plots(study) == ["1-cost", "2-leaders", "3-effects", "4-top-k"]
    assert [name for _, name in files(study)] == ["trials.csv"]


def test_failed_trials_only(island: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise ValueError("no output")

    monkeypatch.setattr("sweep.engine.engine.Engine.output", fail)
    path = island / "space.yaml"
    path.write_text(
        yaml.safe_dump({"name": "isle", "corpus": "island", "objective": "rr", "space": BM25}),
        encoding="utf-8",
    )
    study = run(path, options=RunOptions(threads=1, max_failures=1.0))
    assert [trial.state for trial in study.trials] == ["FAIL"] * 4
    note = get_note(loaded(study))
    assert note.startswith("## No recommendation")
    assert plots(study) == []
    assert DashboardAttributes(study.optuna_storage, "isle").links() == {}
    with pytest.raises(Exception, match="no output"):
        run(path, options=RunOptions(threads=1, max_failures=0.0))
    assert "**Not finished**" in get_note(loaded(study))


def test_a_stopped_study_and_the_rest_of_it(island: Path) -> None:
    study, _ = run_space(island, trials=2)
    opened = loaded(study)
    assert "**Not finished**: stopped by --trials after 2 new trials" in get_note(opened)
    DashboardAttributes(study.optuna_storage, "isle").write_note("**recommended**", number=1)
    save_note(opened, get_note(opened) + "\nmine")
    study, _ = run_space(island)
    note = get_note(loaded(study))
    assert "Not finished" not in note
    assert note.endswith(f"{OWN}\nmine")
    attributes = system_attributes(study)
    notes = [
        attributes[f"dashboard:{trial._trial_id}:note_str:0"] for trial in loaded(study).trials
    ]
    assert [text.startswith("**recommended") for text in notes].count(True) == 1  # not the former


def test_nothing_changes_when_there_is_nothing_to_do(island: Path) -> None:
    study, _ = run_space(island)
    shown = {k: v for k, v in system_attributes(study).items() if "note_ver" not in k}
    again, _ = run_space(island)
    after = {k: v for k, v in system_attributes(again).items() if "note_ver" not in k}
    assert after == shown
    assert files(again)


def test_a_page_that_cannot_be_written_costs_no_run(
    island: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise ValueError("no room for a plot")

    monkeypatch.setattr("sweep.winner.plots.cost.plot_cost", fail)
    artifact_folder().parent.mkdir()
    artifact_folder().write_bytes(b"")  # in the way
    report = Report()
    path = island / "space.yaml"
    path.write_text(
        yaml.safe_dump({"name": "isle", "corpus": "island", "objective": "rr", "space": BM25}),
        encoding="utf-8",
    )
    study = run(path, options=RunOptions(threads=1), report=report)
    assert len(study.complete) == 4
    told = [notice for notice in report.notices if "dashboard" in notice]
    assert told == ["the dashboard's pages are not up to date: ValueError: no room for a plot"]


def test_updates_are_as_seldom_as_they_take_long(
    island: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a second of this clock; a trial ends every ten seconds."""
    clock = [0.0]
    monkeypatch.setattr("sweep.study.dashboard.showcase.time.monotonic", lambda: clock[0])
    seen: list[tuple[float, int]] = []

    def write(self: Showcase, recorded: Any, planned: int, doing: str) -> None:
        seen.append((clock[0], len(recorded)))
        clock[0] += 1.0

    monkeypatch.setattr(Showcase, "_write", write)
    report = Report()
    study, _ = run_space(island)
    showcase = Showcase(study.optuna_storage, "isle", study.goals, report)
    seen.clear()
    clock[0] = 0.0
    with showcase.following([1, 2], lambda: 9):  # type: ignore[arg-type]
        for _ in range(30):
            clock[0] += 10.0
            report.on_event("trial", {})
            report.on_progress("embed", 1, 2)
    assert [time for time, _ in seen] == [0, 11, 62, 113, 164, 215, 266]  # 50 s after each
    report.on_event("trial", {})
    assert len(seen) == 7  # the report is as it was


def test_deleting_a_study_takes_its_files_and_leaves_those_of_others(island: Path) -> None:
    first, _ = run_space(island)
    kept = {path.name for path in artifact_folder().iterdir()}
    second, _ = run_space(island, name="other")
    delete_study(second)
    assert {path.name for path in artifact_folder().iterdir()} == kept
    delete_study(Study("isle"))
    assert list(artifact_folder().iterdir()) == []
    with pytest.raises(SweepError):
        Study("isle")


def test_studies_of_other_programs_stay_as_they_are(island: Path) -> None:
    study, _ = run_space(island)
    theirs = optuna.create_study(study_name="theirs", storage=study.optuna_storage)
    theirs.add_trial(optuna.create_trial(value=1.0, user_attrs={"a": 1}))
    before = theirs.trials, theirs.user_attrs
    run_space(island, name="again")
    now = optuna.load_study(study_name="theirs", storage=study.optuna_storage)
    assert (now.trials, now.user_attrs) == before
    assert theirs._storage.get_study_system_attrs(theirs._study_id) == {}


def test_on_a_server_the_same_and_no_password_is_shown(
    island: Path, postgres: PostgresServer
) -> None:
    study, _ = run_space(island, storage=postgres.new_url())
    note = get_note(loaded(study))
    assert PASSWORD not in note
    assert f"sweep best isle --storage 'postgresql+psycopg://{ADMIN}:***@127.0.0.1" in note
    assert plots(study) == ["1-cost", "2-leaders", "3-effects", "4-top-k"]
    assert len(files(study)) == 1 + 4 + 3
    delete_study(study)
    assert list(artifact_folder().iterdir()) == []
