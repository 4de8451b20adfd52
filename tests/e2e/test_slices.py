"""Critical slices, slices of queries and the preference of costs, from the run to the bundle."""

import json
from pathlib import Path
from typing import Any

import optuna
import pytest

from sweep.study.storage.storage import open_storage
from sweep.study.study import Study
from sweep.study.tables import read_scores
from tests.e2e.command import USER_INPUT, trials_of, write_space
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.kinds import CONDITION, KINDS, MUST, RUN, SPACE, begin

pytestmark = pytest.mark.slow
PLAIN = {query for query, kind in KINDS.items() if kind == "plain"}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the finished study."""
    folder = begin(tmp_path_factory.mktemp("kinds"))
    call_well(*RUN, cwd=folder)
    return folder


def study_of(folder: Path) -> Any:
    storage = open_storage(str(folder / "results" / "sweep.db"))
    return optuna.load_study(study_name="kinds", storage=storage)


def test_a_violated_must_disqualifies_like_a_constraint(kinds: Path) -> None:
    trials = trials_of(kinds, "kinds")
    violating = {trial["number"] for trial in trials if not trial["feasible"]}
    assert 0 < len(violating) < len(trials)
    for trial in trials:
        (fact,) = trial["facts"]["must"]
        table = read_scores(kinds / "results" / "kinds" / _scores(kinds, trial["number"]))
        inside = [
            score
            for query, score in zip(table.query_ids, table.column("recall@5"), strict=True)
            if query in PLAIN
        ]
        assert fact["queries"] == len(inside) == 6
        assert fact["value"] == pytest.approx(sum(inside) / 6)
        assert trial["constraints"] == {CONDITION: pytest.approx((0.7 - fact["value"]) / 0.7)}
        assert trial["feasible"] is (fact["value"] >= 0.7)
    shown = call_well("trials", "kinds", cwd=kinds).stdout
    assert shown.count("violates a constraint") == len(violating)
    for frozen in study_of(kinds).get_trials():
        assert frozen.user_attrs.get("violates") == (
            CONDITION if frozen.number in violating else None
        )
        assert (frozen.system_attrs["constraints"][0] > 0) is (frozen.number in violating)
    assert study_of(kinds).user_attrs["constraints"] == CONDITION


def _scores(folder: Path, number: int) -> str:
    found = call_json("show", "kinds", number, cwd=folder)["files"]["scores"]
    return str(Path(found).relative_to("results/kinds"))


def test_the_slices_score_stands_beside_the_average_wherever_the_answer_is(kinds: Path) -> None:
    best = call_json("best", "kinds", cwd=kinds)
    (critical,) = best["must"]
    assert critical["kept"]
    assert critical["overall"] == pytest.approx(best["metrics"]["recall@5"])
    value, overall = (f"{critical[name]:.3f}"[1:] for name in ("value", "overall"))
    told = f"recall@5 >= .7 where kind=plain: {value} ["
    message = call_well("best", "kinds", cwd=kinds).stdout
    (line,) = [line for line in message.splitlines() if line.startswith("MUST")]
    assert line.startswith(f"MUST  {told}")
    assert line.endswith(f"(6 queries; {overall} on all)")
    assert "recall@5 where kind=plain" in message.splitlines()[1]
    storage = open_storage(str(kinds / "results" / "sweep.db"))
    attributes = storage.get_study_system_attrs(storage.get_study_id_from_name("kinds"))
    notes = "".join(text for key, text in attributes.items() if "note_str" in key)
    assert f"**Must**: recall@5 \\>= .7 where kind=plain: {value} \\[" in notes
    assert "|\u00a0recall@5 where kind=plain" in notes.replace("| ", "|")  # of a trial
    call_well("export", "kinds", "--out", "bundle", cwd=kinds)
    assert line in (kinds / "bundle" / "README.md").read_text(encoding="utf-8")
    call_well("export", "kinds", "--out", "other", "--trial", best["number"], cwd=kinds)
    readme = (kinds / "other" / "README.md").read_text(encoding="utf-8")
    assert "| recall@5 where kind=plain (6 queries) |" in readme
    shown = call_well("show", "kinds", best["number"], cwd=kinds).stdout
    assert CONDITION in shown
    assert CONDITION in call_well("show", "kinds", cwd=kinds).stdout


def test_no_trial_keeps_it_and_nothing_is_recommended(kinds: Path) -> None:
    hard = {**MUST, "at_least": 1.5}
    write_space(kinds / "hard.yaml", {**SPACE, "name": "hard", "must": [hard, MUST]})
    done = call("run", "hard.yaml", "--threads", 1, cwd=kinds)
    assert done.returncode == USER_INPUT
    assert done.stdout == ""
    assert "`recall@5 >= 1.5 where kind=plain` is met by 0 (closest: #" in done.stderr
    assert "comes nearest to keeping all of them" in done.stderr
    assert call("slices", "hard", cwd=kinds).returncode == USER_INPUT
    write_space(kinds / "changed.yaml", {**SPACE, "must": [hard]})
    refused = call("run", "changed.yaml", cwd=kinds)
    assert refused.returncode == USER_INPUT
    assert f"must differs (was ['{CONDITION}'], is ['recall@5 >= 1.5" in refused.stderr


def test_a_front_tells_what_its_trials_score_there(kinds: Path) -> None:
    several = {**SPACE, "name": "several", "objective": ["ndcg@5", "context_tokens"]}
    write_space(kinds / "several.yaml", several)
    printed = call_well("run", "several.yaml", "--threads", 1, cwd=kinds).stdout
    front = call_json("best", "several", cwd=kinds)["front"]
    for trial in front:
        assert f"MUST  #{trial['number']}  recall@5 >= .7 where kind=plain: " in printed
    refused = call("best", "several", "--costs", "work", cwd=kinds)
    assert "--costs needs one objective" in refused.stderr


def test_another_preference_needs_no_new_trial_and_is_not_refused(tmp_path: Path) -> None:
    begin(tmp_path, must=[])
    first = call_json(*RUN, cwd=tmp_path)
    assert first["recommend"]["costs"] == ["context_tokens", "work", "index_bytes"]
    looked = call_json("best", "--max-loss", 1, "--costs", "work, index_bytes", cwd=tmp_path)
    assert looked["recommend"] == {
        "max_loss": 1.0,
        "costs": ["work", "index_bytes"],
        "look": True,
    }
    assert call_json("best", cwd=tmp_path)["number"] == first["number"]  # a look changes nothing
    tied = set(first["tied"])
    trials = {t["number"]: t for t in trials_of(tmp_path, "kinds") if t["number"] in tied}
    cheapest = min(trials.values(), key=lambda t: t["metrics"]["work"])
    assert looked["metrics"]["work"] == cheapest["metrics"]["work"]
    message = call_well("best", "--max-loss", 1, "--costs", "work", cwd=tmp_path).stdout
    assert "not the study's own choice" in message
    preference = {"max_loss": 1, "costs": ["work", "index_bytes"]}
    write_space(tmp_path / "kinds.yaml", {**SPACE, "must": [], "recommend": preference})
    again = call_json(*RUN, cwd=tmp_path)
    assert again["number"] == looked["number"]
    assert again["recommend"]["look"] is False
    assert len(trials_of(tmp_path, "kinds")) == 7
    wrong = call("best", "--costs", "wrk", cwd=tmp_path)
    assert wrong.returncode == USER_INPUT
    assert "--costs: must be among context_tokens, work" in wrong.stderr


def test_the_confirm_sets_score_is_told_beside(tmp_path: Path) -> None:
    """Seed 2 keeps some of both kinds to confirm with."""
    split = {"confirm": 0.5, "seed": 2, "group": "query"}
    begin(tmp_path, split=split, must=[{**MUST, "at_least": 0.1}])
    best = call_json(*RUN, cwd=tmp_path)
    (critical,) = best["must"]
    counted = critical["queries"] + critical["confirm_queries"]
    assert (counted, critical["queries"] > 0, critical["confirm_queries"] > 0) == (6, True, True)
    stored = json.loads((tmp_path / "results/kinds/confirm.json").read_text(encoding="utf-8"))
    study = Study("kinds", str(tmp_path / "results" / "sweep.db"), unread=True)
    scores = stored["scores"][study.trial(best["number"]).fingerprint]
    values = scores["must"]["recall@5 >= 0.1 where kind=plain"]
    assert critical["confirm"] == pytest.approx(sum(values) / len(values))
    shown = f"; confirm set {critical['confirm']:.3f} ({len(values)} queries)".replace(" 0.", " .")
    assert shown in call_well("best", cwd=tmp_path).stdout


def test_slices_are_shown_for_people_and_machines(kinds: Path) -> None:
    found = call_json("slices", "kinds", cwd=kinds)
    fields = {field["by"]: field for field in found["fields"]}
    assert list(fields) == ["kind", "query:identifier"]
    plain, code, none = fields["kind"]["slices"]
    assert [(s["value"], s["queries"]) for s in (plain, code, none)] == [
        ("plain", 6),
        ("code", 2),
        ("(none)", 1),
    ]
    best = call_json("best", "kinds", cwd=kinds)
    number = str(best["number"])
    assert found["recommended"] == best["number"]
    assert found["overall"][number]["mean"] == pytest.approx(best["value"])
    weighted = sum(s["queries"] * s["scores"][number]["mean"] for s in (plain, code, none)) / 9
    assert weighted == pytest.approx(best["value"])
    assert (code["winner"], none["winner"]) == (None, None)
    assert plain["winner"] is not None
    assert "ticket" in found["refused"]["source"]
    assert "some must have 5 queries or more" in found["refused"]["query:words"]
    shown = call_well("slices", "kinds", cwd=kinds).stdout
    assert "too few queries" in shown
    assert "would gain" in shown
    words = call_json("slices", "kinds", "--by", "query:words", "--metric", "recall@5", cwd=kinds)
    assert words["metric"] == "recall@5"
    assert sum(s["queries"] for s in words["fields"][0]["slices"]) == 9


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--by", "knd"), "--by: must be one of kind, source, query:words, query:identifier"),
        (("--by", "source"), "slices by source: values must be few and common"),
        (("--metric", "recal@5"), "Did you mean recall@5"),
        (("--metric", "recall@7"), "--metric: must be one that the study recorded per query"),
    ],
)
def test_what_makes_no_slices_is_refused(
    kinds: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = call("slices", "kinds", *arguments, cwd=kinds)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_slice_without_a_query_is_refused_before_the_run(tmp_path: Path) -> None:
    begin(tmp_path, must=[{**MUST, "where": {"kind": "plane"}}])
    for more in ((), ("--dry-run",)):
        done = call(*RUN, *more, cwd=tmp_path)
        assert done.returncode == USER_INPUT
        assert (
            "must[0].where: kind must have a value of a judged query, got 'plane'" in done.stderr
        )
        assert "Did you mean 'plain'?" in done.stderr
    assert not (tmp_path / "results" / "sweep.db").exists()
