"""`sweep pool`: list what to label, fill it in, apply it, and see what the study says then."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.study.listing import earlier_studies
from sweep.study.study import Study
from tests.corpus_files import HEADER
from tests.e2e.command import DONE, comparable, rankings, recorded, trials_of, write_space
from tests.e2e.grid import GRID, RUN, TRIALS, assert_told, begin
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import QUESTIONS

pytestmark = pytest.mark.slow

KILLED = 137


@pytest.fixture
def folder(undisturbed: Path, tmp_path: Path) -> Path:
    """Return a copy of the small grid's folder, run to its end."""
    return Path(shutil.copytree(undisturbed, tmp_path / "copy"))


def filled(folder: Path, *, name: str = "labels.csv") -> dict[tuple[str, str], int]:
    """Write a pool and fill in two thirds of its labels; return them."""
    call_well("pool", "grid", "--out", "pool.csv", cwd=folder)
    text = (folder / "pool.csv").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    labels = {}
    for number, row in enumerate(rows):
        if number % 3:
            row["label"] = str(number % 4)
            labels[row["query_id"], row["document_id"]] = number % 4
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return labels


def merged(folder: Path, labels: dict[tuple[str, str], int]) -> None:
    """Write the island's corpus with labels among its own."""
    begin(folder)
    grades = {(q, d): grade for q, (_, judged) in QUESTIONS.items() for d, grade in judged.items()}
    lines = [f"{q}\t{d}\t{grade}\n" for (q, d), grade in {**grades, **labels}.items()]
    (folder / "island" / "qrels.tsv").write_text(HEADER + "".join(lines), encoding="utf-8")


def sibling_of(folder: Path, name: str = "grid") -> str:
    names = [s["name"] for s in call_json("studies", cwd=folder)]
    (found,) = [one for one in names if one.startswith(f"{name}@")]
    return str(found)


def untimed(trials: list[dict[str, Any]]) -> list[Any]:
    """Return trials with intervals, by number, without what is measured time."""
    return [
        (
            t["number"],
            *comparable([t])[0],
            {n: i for n, i in t["intervals"].items() if not n.startswith("latency")},
            t.get("feasible"),
            t["facts"]["queries"],
        )
        for t in trials
    ]


def test_every_metric_is_that_of_a_run_with_the_labels(folder: Path, tmp_path: Path) -> None:
    before = rankings(folder / "results", "grid"), call_json("trials", "grid", cwd=folder)
    about = (folder / "results" / "grid" / "holes.json").read_bytes()
    labels = filled(folder)
    done = call_json("pool", "grid", "--apply", "labels.csv", cwd=folder)
    name = sibling_of(folder)
    assert (done["study"], done["of"]) == (name, "grid")
    assert done["labels"]["added"] == len(labels)
    assert done["labels"]["blank"] > 0

    fresh = tmp_path / "fresh"
    merged(fresh, labels)
    call_well(*RUN, cwd=fresh)
    assert untimed(trials_of(folder, name)) == untimed(trials_of(fresh, "grid"))
    assert rankings(folder / "results", name) == rankings(fresh / "results", "grid")
    mine, other = call_json("best", cwd=folder), call_json("best", cwd=fresh)
    for key in ("number", "value", "search", "confirm", "tied", "loss_bound", "holes"):
        assert mine[key] == other[key], key
    assert done["after"]["number"] == mine["number"]
    assert done["before"]["value"] == call_json("best", "grid", cwd=folder)["value"]
    identities = [
        json.loads((place / "identity.json").read_text())
        for place in (folder / "results" / name, fresh / "results" / "grid")
    ]
    assert identities[0] == identities[1]
    assert identities[0]["corpus"] == read_corpus(fresh / "island").hash

    assert (
        rankings(folder / "results", "grid"),
        call_json("trials", "grid", cwd=folder),
    ) == before
    assert (folder / "results" / "grid" / "holes.json").read_bytes() == about


def test_what_the_sibling_can_do(
    folder: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = filled(folder)
    told = call_well("pool", "grid", "--apply", "labels.csv", cwd=folder)
    assert told.stdout.startswith("CHANGE #")
    assert f"{len(labels)} labels added" in told.stderr
    name = sibling_of(folder)
    monkeypatch.chdir(folder)
    earlier = earlier_studies(undisturbed / "island", "another", name="grid")
    assert earlier is not None
    assert (set(earlier.names), earlier.next_name) == ({"grid", name}, "grid-2")
    content = read_corpus(undisturbed / "island").hash
    assert earlier_studies(undisturbed / "island", content, name="x") is None
    assert f"STUDY {name}: {TRIALS} configurations evaluated" in told.stdout
    best = call_json("best", cwd=folder)
    assert best["study"] == name  # the one that was made last
    assert best["holes"]["pairs"] < call_json("best", "grid", cwd=folder)["holes"]["pairs"]
    assert best["facts"]["rescored"] == {"study": "grid", "trial": best["number"]}
    for arguments in (
        ("show",),
        ("show", 0),
        ("show", 0, "--export", "trec", "--out", "run"),
        ("compare", 0, 1),
        ("export", "--out", "bundle"),
        ("verify", "bundle"),
    ):
        call_well(*arguments, cwd=folder)
    text = (folder / "bundle" / "README.md").read_text(encoding="utf-8")
    holes = [line for line in told.stdout.splitlines() if line.startswith("HOLES")]
    assert len(holes) == 1
    assert holes[0] in text
    refused = call(*RUN, "--study", name, cwd=folder)
    assert_told(refused, "scored again under added labels", "nothing is run in it")

    again = call_json("pool", "grid", "--apply", "labels.csv", cwd=folder)
    assert again["study"] == name
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": 2 * TRIALS}
    nothing = call("pool", name, "--apply", "labels.csv", cwd=folder)
    assert_told(nothing, "must hold a label that the corpus lacks", f"{len(labels)} known")
    (folder / "results" / name / "labels.jsonl").unlink()
    assert_told(call("pool", name, cwd=folder), "sweep pool grid --apply FILE")
    call_well("best", name, cwd=folder)  # what is kept needs no corpus
    call_well("pool", "grid", "--apply", "labels.csv", cwd=folder)
    call_well("pool", name, "--out", "more.jsonl", cwd=folder)
    call_well("delete", name, "--yes", cwd=folder)
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": TRIALS}


def test_the_first_rows_are_the_labels_that_the_answer_counts(folder: Path) -> None:
    before = call_json("best", "grid", cwd=folder)
    holes = before["holes"]
    assert holes["enough"] is not None
    pairs = call_json("pool", "grid", "--limit", holes["enough"], cwd=folder)["pairs"]
    assert len(pairs) == holes["enough"]
    rows = [{**pair, "label": holes["relevant"]} for pair in pairs]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "few.jsonl").write_text(text, encoding="utf-8")
    name = call_json("pool", "grid", "--apply", "few.jsonl", cwd=folder)["study"]
    after = {t["number"]: t["metrics"][before["objective"]] for t in trials_of(folder, name)}
    assert after[holes["nearest"]] - after[before["number"]] > 0.01  # what is given away for costs


def test_labels_in_two_steps_are_labels_in_one(folder: Path) -> None:
    labels = filled(folder)
    rows = [{"query_id": q, "document_id": d, "label": n} for (q, d), n in labels.items()]
    for name, some in (("one", rows[:3]), ("two", rows[3:])):
        text = "".join(f"{json.dumps(row)}\n" for row in some)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    first = call_json("pool", "grid", "--apply", "one.jsonl", cwd=folder)["study"]
    second = call_json("pool", first, "--apply", "two.jsonl", cwd=folder)["study"]
    tables = rankings(folder / "results", second)
    lost = sorted((folder / "results" / second / "trials").rglob("*.parquet"))[:3]
    for path in lost:
        path.unlink()
    assert call_json("pool", "grid", "--apply", "labels.csv", cwd=folder)["study"] == second
    assert rankings(folder / "results", second) == tables
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": 3 * TRIALS}


def killed_while_applying(folder: Path, monkeypatch: pytest.MonkeyPatch, *, after: int) -> int:
    """Apply the labels in a process that ends, as if killed, before it scores a trial."""
    from sweep.study.labels import rescore

    child = os.fork()
    if child == 0:
        count = [0]
        scored = rescore._scored

        def ending(*arguments: Any) -> Any:
            count[0] += 1
            if count[0] > after:
                os._exit(KILLED)
            return scored(*arguments)

        monkeypatch.setattr(rescore, "_scored", ending)
        call("pool", "grid", "--apply", "labels.csv", cwd=folder)
        os._exit(DONE)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_kill_in_the_middle_of_applying_loses_and_doubles_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder)
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    call_well("pool", "grid", "--apply", "labels.csv", cwd=other)
    assert killed_while_applying(folder, monkeypatch, after=0) == KILLED
    name = sibling_of(folder)
    file = f"results/{name}/labels.jsonl"
    assert_told(call("best", name, cwd=folder), f"Let `sweep pool grid --apply {file}` go on")
    assert killed_while_applying(folder, monkeypatch, after=2) == KILLED
    call_well("best", "grid", cwd=folder)
    told = call_well("best", name, cwd=folder).stdout
    assert f"NOT FINISHED, the choice may change; `sweep pool grid --apply {file}` goes on" in told
    (folder / "results" / name / ".part-half").write_bytes(b"half")
    call_well("pool", "grid", "--apply", file, cwd=folder)
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": 2 * TRIALS}
    assert untimed(trials_of(folder, name)) == untimed(trials_of(other, name))
    assert rankings(folder / "results", name) == rankings(other / "results", name)
    assert not list((folder / "results" / name).rglob(".part-*"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("label,query_id,document_id\n1,q1,lamp\n9,q2,lamp\n", "bad.csv:3: label must be"),
        ("label,query_id,document_id\n1,q1,lamp\n1,q1,atlantis\n", "bad.csv:3: document_id must"),
        ("label,query_id,document_id\n,q1,lamp\n", "(1 rows without a label, 0 known already)"),
    ],
)
def test_bad_labels_leave_nothing_behind(folder: Path, content: str, told: str) -> None:
    (folder / "bad.csv").write_text(content, encoding="utf-8")
    assert_told(call("pool", "grid", "--apply", "bad.csv", cwd=folder), told)
    assert [s["name"] for s in call_json("studies", cwd=folder)] == ["grid"]
    assert not list((folder / "results").glob("grid@*"))


def test_the_pool_for_people_and_for_tools(folder: Path) -> None:
    told = call_well("pool", "--out", "pool.csv", cwd=folder)
    found = call_json("pool", cwd=folder)
    best = call_json("best", cwd=folder)
    assert f"labels of {found['could_change']:,} could change the choice" in told.stderr
    assert found["could_change"] == best["holes"]["labels"]
    assert [p["could_change"] for p in found["pairs"]] == [True] * found["could_change"] + [
        False
    ] * (found["total"] - found["could_change"])
    first = [p["effect"] for p in found["pairs"][: found["could_change"]]]
    assert first == sorted(first, reverse=True)
    data = (folder / "pool.csv").read_bytes()
    assert data.startswith("\ufefflabel,query_id,".encode())
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [row["document_id"] for row in rows] == [p["document_id"] for p in found["pairs"]]
    call_well("pool", "--limit", 3, "--out", "three.jsonl", cwd=folder)
    three = [json.loads(line) for line in (folder / "three.jsonl").read_text().splitlines()]
    assert three == found["pairs"][:3]
    top = call_json("pool", "--depth", 1, cwd=folder)
    assert {min(pair["ranks"].values()) for pair in top["pairs"]} == {1}
    entry = found["pairs"][0]
    study = Study("grid", str(folder / "results" / "sweep.db"))
    assert entry["query"] == QUESTIONS[entry["query_id"]][0]
    assert str(study.trials[0].number) in entry["ranks"]


def test_the_confirm_set_is_looked_at_once_more_and_that_is_counted(tmp_path: Path) -> None:
    begin(tmp_path, split={"confirm": 0.4, "seed": 3})
    call_well(*RUN, cwd=tmp_path)
    filled(tmp_path)
    before = json.loads((tmp_path / "results" / "grid" / "confirm.json").read_text())
    for _ in range(2):
        call_well("pool", "grid", "--apply", "labels.csv", cwd=tmp_path)
    name = sibling_of(tmp_path)
    after = json.loads((tmp_path / "results" / name / "confirm.json").read_text())
    assert (before["looks"], after["looks"]) == (1, 2)
    best = call_json("best", cwd=tmp_path)
    assert best["confirm"]["how"] == "confirm set"
    shown = call_json("best", "grid", cwd=tmp_path)
    assert best["confirm"]["queries"] == shown["confirm"]["queries"]
    assert best["search"]["queries"] == shown["search"]["queries"]


def test_several_objectives_and_objectives_without_holes(tmp_path: Path) -> None:
    goals = ["ndcg@5", {"metric": "context_tokens", "direction": "minimize"}]
    begin(tmp_path, objective=goals)
    call_well(*RUN, cwd=tmp_path)
    filled(tmp_path)
    done = call_well("pool", "grid", "--apply", "labels.csv", cwd=tmp_path)
    assert done.stdout.startswith("CHANGE ")
    assert "FRONT" in done.stdout
    write_space(tmp_path / "span.yaml", {**GRID, "name": "span", "objective": "span_recall"})
    assert "HOLES" not in call_well("run", "span.yaml", "--threads", 1, cwd=tmp_path).stdout
    assert_told(
        call("pool", "span", cwd=tmp_path),
        "there is nothing to label. To pool documents, run a space with `objective: ndcg@10`",
    )


def test_a_token_budget_and_options_that_exclude_each_other(tmp_path: Path) -> None:
    begin(tmp_path, objective="ndcg@60tok")
    told = call_well(*RUN, cwd=tmp_path).stdout
    assert "HOLES judged@60tok" in told
    assert call_json("pool", "--limit", 1, cwd=tmp_path)["total"] > 0
    assert (
        "--apply takes no --out" in call("pool", "--apply", "x", "--out", "y", cwd=tmp_path).stderr
    )
    assert "must end in .csv or .jsonl" in call("pool", "--out", "x.xlsx", cwd=tmp_path).stderr
    assert (
        "--json prints the pool" in call("pool", "--out", "x.csv", "--json", cwd=tmp_path).stderr
    )
