"""`baseline: {run: FILE}`: what is in production as a run file, from the space to the bundle."""

import json
from pathlib import Path
from typing import Any

import pytest

from sweep.study.study import Study
from tests.e2e.command import DONE, USER_INPUT, recorded, write_space
from tests.e2e.eventful import Eventful, Events
from tests.e2e.grid import GRID, RUN, assert_told, begin
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow

RUN_FILE = "production.trec"
# Good at q1, nothing for q2 and q9, a page that is gone for q4, one line for a strange query.
LINES = """
q1 Q0 boat 1 9 t
q1 Q0 boat-2019 2 8 t
q3 Q0 birds 1 2 t
q3 Q0 lamp 2 1 t
q4 Q0 gone 1 5 t
q5 Q0 water 1 5 t
q6 Q0 fog 1 5 t
q7 Q0 boat 1 5 t
q8 Q0 café 1 5 t
zz Q0 boat 1 5 t
"""


def write_run(folder: Path, text: str = LINES) -> None:
    (folder / RUN_FILE).write_text(text.lstrip(), encoding="utf-8")


def make(folder: Path, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    write_run(folder)
    return begin(folder, **{"baseline": {"run": RUN_FILE}, **changes})


@pytest.fixture(scope="module")
def produced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Return the folder of a study against a run file, and what its run printed."""
    folder = make(tmp_path_factory.mktemp("produced") / "it")
    done = call_well(*RUN, cwd=folder)
    return folder, done.stdout, done.stderr


def test_the_run_is_no_trial_and_stands_wherever_the_baseline_does(
    produced: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, printed, told = produced
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": 4}
    assert "      against production.trec  " in printed
    for words in (
        "production.trec: 2 of 9 judged queries are not in it and score 0 ('q2', 'q9')",
        "production.trec: 1 of its queries are not in the corpus and are left out ('zz')",
        "production.trec: 1 of its ids are no documents of the corpus",
        "objective ndcg@5 looks at 5 ranks, production.trec lists at most 2 documents",
    ):
        assert words in told
    best = call_json("best", cwd=folder)
    base = best["baseline"]
    # q1 and q5, q8: 1; q3: lamp at rank 2; q7: the lesser page first; the others 0.
    half = 0.6309297535714575  # 1 / log2(3)
    least = 1 / (3 + half)
    assert base["run"] == RUN_FILE
    assert base["metrics"]["ndcg@5"] == pytest.approx((3 + half + least) / 9)
    assert base["metrics"]["holes@10"] == pytest.approx(2 / 9)  # `gone`, and fog for q6
    assert base["counts"]["missing"] == 2
    assert "context_tokens" not in base["metrics"]
    assert best["difference_to_baseline"]["how"] == "cross-validated"
    assert call_well("best", cwd=folder).stdout.endswith(printed)
    assert "production.trec  (baseline, a run file)" in call_well("trials", cwd=folder).stdout
    assert call_json("show", cwd=folder)["baseline"]["missing"] == 2
    monkeypatch.chdir(folder)
    study = Study("grid")
    attributes = study.optuna_storage.get_study_user_attrs(
        study.optuna_storage.get_study_id_from_name("grid")
    )
    assert attributes["baseline"] == "production.trec (a run file)"
    system = study.optuna_storage.get_study_system_attrs(
        study.optuna_storage.get_study_id_from_name("grid")
    )
    shown = json.dumps({**attributes, **system}, ensure_ascii=False)
    assert "production.trec (a run file)" in shown
    assert "baseline: production.trec, cost unknown" in shown
    assert "sweep compare grid recommended baseline" in shown


def test_it_cannot_be_picked_and_the_bundle_tells_of_it(
    produced: tuple[Path, str, str], tmp_path: Path
) -> None:
    folder, _, _ = produced
    for command in (("best",), ("export", "--out", tmp_path / "no")):
        assert_told(
            call(*command, "--pick", "baseline", cwd=folder),
            "--pick baseline: must be a configuration, got the run file production.trec",
        )
    assert not (tmp_path / "no").exists()
    call_well("export", "--out", tmp_path / "bundle", cwd=folder)
    assert "against production.trec  " in (tmp_path / "bundle" / "README.md").read_text()
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    assert manifest["answer"]["baseline"]["run"] == RUN_FILE


def test_a_changed_run_is_refused_by_name_and_a_renamed_one_goes_on(tmp_path: Path) -> None:
    folder = make(tmp_path / "it")
    call_well(*RUN, "--trials", 2, cwd=folder)
    before = (folder / "results" / "grid" / "baseline.parquet").read_bytes()
    write_run(folder, LINES.replace("q6 Q0 fog", "q6 Q0 radio"))
    assert_told(
        call(*RUN, cwd=folder),
        "the baseline production.trec differs (its content was ",
        "--study grid-2",
    )
    assert (folder / "results" / "grid" / "baseline.parquet").read_bytes() == before
    write_run(folder)
    (folder / RUN_FILE).rename(folder / "old.trec")
    assert_told(call(*RUN, cwd=folder), "baseline.run: must be a readable file")
    write_space(folder / "grid.yaml", {**GRID, "baseline": {"run": "old.trec"}})
    assert "against old.trec" in call_well(*RUN, cwd=folder).stdout
    write_space(folder / "grid.yaml", GRID)
    assert_told(call(*RUN, cwd=folder), "baseline differs (")
    (folder / "results" / "grid" / "baseline.parquet").unlink()
    assert_told(call("best", cwd=folder), "baseline.parquet: must be", "run the study again")
    assert "old.trec  (baseline, a run file)" in call_well("trials", cwd=folder).stdout


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"objective": "span_recall@5"}, "not the passages that span_recall@5 is computed from"),
        ({"objective": ["ndcg@5", "ndcg@200tok"]}, "the passages that ndcg@200tok is computed"),
        ({"objective": "context_tokens"}, "what a run file costs is not known"),
    ],
)
def test_what_a_run_cannot_tell_is_refused_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    folder = make(tmp_path / "it", **changes)
    for more in ((), ("--dry-run",)):
        assert_told(call(*RUN, *more, cwd=folder), "grid.yaml: baseline: ", told)
    assert not (folder / "results").exists()


def test_a_run_of_another_corpus_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = make(tmp_path / "it")
    write_run(folder, "q1 Q0 elsewhere 1 1.0 t\n")
    assert_told(call(*RUN, cwd=folder), "must share a document with the corpus, got none")
    assert not (folder / "results").exists()


def test_with_a_confirm_set_the_difference_is_that_of_its_queries(tmp_path: Path) -> None:
    folder = make(tmp_path / "it", split={"confirm": 0.5, "seed": 5})
    call_well(*RUN, "--trials", 1, cwd=folder)
    assert not (folder / "results" / "grid" / "confirm.json").exists()
    best = call_json(*RUN, cwd=folder)
    confirm = json.loads((folder / "results" / "grid" / "confirm.json").read_text())
    assert confirm["looks"] == 1
    found = best["difference_to_baseline"]
    run = confirm["baseline_run"]["ndcg@5"]
    study = Study("grid", str(folder / "results" / "sweep.db"), unread=True)
    chosen = confirm["scores"][study.trial(best["number"]).fingerprint]["ndcg@5"]
    assert found["how"] == "confirm set"
    assert found["queries"] == len(run) == len(chosen)
    assert found["mean"] == pytest.approx((sum(chosen) - sum(run)) / len(run))
    assert len(run) + best["search"]["queries"] == 9
    call_well(*RUN, cwd=folder)
    assert json.loads((folder / "results" / "grid" / "confirm.json").read_text()) == confirm


def test_a_front_says_what_is_not_known_of_a_run(tmp_path: Path) -> None:
    folder = make(tmp_path / "it", objective=["ndcg@5", "context_tokens"], constraints=[])
    done = call(*RUN, cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert "production.trec has ndcg@5 0." in done.stdout
    assert "its context_tokens is not known" in done.stdout
    assert "objective context_tokens: not known of production.trec" in done.stderr


def test_a_baseline_that_is_barred_is_still_compared_with(tmp_path: Path) -> None:
    folder = begin(tmp_path / "it", constraints=["context_tokens <= 60"])
    barred = call_well(*RUN, cwd=folder).stdout
    assert "(which violates context_tokens <= 60)  " in barred
    refused = call("best", "--pick", "baseline", cwd=folder)
    assert refused.returncode == USER_INPUT
    assert "feasible baseline, got the baseline #0 (which violates" in refused.stderr


def test_a_baseline_that_is_late_or_fails_is_told(tmp_path: Path, events: Events) -> None:
    late = {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": 30}}
    folder = begin(tmp_path / "it", baseline=late)
    left = call_well(*RUN, "--trials", 1, cwd=folder).stdout
    assert "the baseline has no trial yet: there is nothing to compare with" in left

    def fail() -> None:
        raise ValueError("no reason")

    events[Eventful.count + 4] = fail  # the last of the grid
    failed = call_well(*RUN, cwd=folder).stdout
    assert "the baseline failed, trial #4 (`sweep show grid 4` says why): there is" in failed
    kept = call_well(*RUN, cwd=folder).stdout
    assert "this is the baseline, and nothing is shown to beat it: keep what you have" in kept
