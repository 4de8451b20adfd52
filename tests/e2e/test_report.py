"""`sweep report` as a command, on finished studies and on those that give no plain answer."""

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.records import Corpus
from sweep.study.report import make_report
from sweep.study.study import Study
from sweep.winner.report.html import to_html
from sweep.winner.report.markdown import to_markdown
from sweep.winner.rounding import plain
from tests.e2e.command import FAILED, USER_INPUT
from tests.e2e.eventful import Events
from tests.e2e.grid import RUN, begin
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow
BM25 = {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": [6, 12]}}
INTERVAL = re.compile(r"[+-]?1?\.\d{3} \[[+-]?1?\.\d{3}, [+-]?1?\.\d{3}\]")


def sections_of(folder: Path) -> dict[str, Any]:
    printed = call_well("report", "--out", "-", "--format", "json", cwd=folder).stdout
    found: dict[str, Any] = json.loads(printed)["sections"]
    return found


def made(folder: Path) -> tuple[dict[str, Any], str, str]:
    """Return the sections of the last study's report, its page, and its Markdown."""
    with contextlib.chdir(folder):
        report = make_report(Study())
    return report.to_json()["sections"], to_html(report), to_markdown(report)


def texts_of(section: dict[str, Any]) -> str:
    return json.dumps(section["blocks"], ensure_ascii=False)


def test_it_is_written_into_the_study_and_its_path_printed(undisturbed: Path) -> None:
    done = call_well("report", cwd=undisturbed)
    assert done.stdout == "results/grid/report.html\n"
    assert done.stderr == ""
    page = (undisturbed / "results/grid/report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert "<h1>Use #" in page
    told = call_json("report", "grid", "--out", "a/b/mine.md", cwd=undisturbed)
    assert told["format"] == "md"
    assert (undisturbed / told["report"]).stat().st_size == told["bytes"]
    left = [path.name for path in (undisturbed / "a/b").iterdir()]
    assert left == ["mine.md"]  # nothing half written beside it


def test_the_corpus_is_read_once(undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counted(folder: Path) -> Corpus:
        read.append(folder)
        return read_corpus(folder)

    monkeypatch.setattr("sweep.study.labels.added_labels.read_corpus", counted)
    with contextlib.chdir(undisturbed):
        report = make_report(Study("grid"))
    assert report.curves is not None
    assert report.diagnosis is not None
    assert len(read) == 1


def test_every_form_has_the_figures_of_the_closing_message(undisturbed: Path) -> None:
    message = call_well("best", cwd=undisturbed).stdout.partition("USE")[2]
    best = call_json("best", cwd=undisturbed)
    figures = [*INTERVAL.findall(message), *re.findall(r"(?:lose up to|from) (\.\d{3})", message)]
    assert len(figures) >= 3
    assert plain(best["confirm"]["mean"]) in figures[0]
    call_well("report", cwd=undisturbed)
    page = (undisturbed / "results/grid/report.html").read_text(encoding="utf-8")
    page = re.sub(r"(?s)<details class=\"text\">.*?</details>|<script.*?</script>", "", page)
    markdown = re.sub(
        r"(?s)```text.*?```",
        "",
        call_well("report", "--out", "-", "--format", "md", cwd=undisturbed).stdout,
    ).replace("\\", "")
    answer = sections_of(undisturbed)["answer"]
    blocks = [block for block in answer["blocks"] if block["kind"] != "verbatim"]
    for form in (page, markdown, json.dumps(blocks)):
        assert [figure for figure in figures if figure not in form] == []
    for name in ("confirm", "difference_to_baseline", "loss_bound", "tied", "number", "trials"):
        assert answer["data"][name] == best[name]


def test_what_repeating_needs_was_recorded_by_the_run(undisturbed: Path) -> None:
    found = sections_of(undisturbed)["repeat"]
    data = found["data"]
    made = data["made_with"]
    assert (made["documents"], made["queries"], made["threads"]) == (10, 9, 1)
    assert re.fullmatch(r"[0-9a-f]{64}", made["models"]["all-MiniLM-L6-v2"])
    assert made["libraries"]["numpy"]
    assert data["space"] == (undisturbed / "grid.yaml").read_text(encoding="utf-8")
    assert re.fullmatch(r"[0-9a-f]{64}", data["corpus"]["hash"])
    blocks = found["blocks"]
    (command, _) = next(block["lines"] for block in blocks if block["kind"] == "commands")
    assert call_well(*command.split()[1:], cwd=undisturbed).stdout.startswith("USE")


def test_wrong_use_is_told(undisturbed: Path) -> None:
    html = call("report", "--out", "-", cwd=undisturbed)
    assert html.returncode == USER_INPUT
    assert "--out - needs --format md or json" in html.stderr
    both = call("report", "--out", "-", "--format", "md", "--json", cwd=undisturbed)
    assert both.returncode == USER_INPUT
    unknown = call("report", "gird", cwd=undisturbed)
    assert unknown.returncode == USER_INPUT
    assert "Did you mean 'grid'?" in unknown.stderr
    (undisturbed / "in the way").touch()
    refused = call("report", "--out", "in the way/report.html", cwd=undisturbed)
    assert refused.returncode == USER_INPUT
    assert "Traceback" not in refused.stderr


def test_an_unfinished_study(tmp_path: Path) -> None:
    begin(tmp_path, name="<b>half & <half>", baseline=None)
    call_well(*RUN, "--trials", 2, cwd=tmp_path)
    found, page, markdown = made(tmp_path)
    assert "This study is not finished: 2 of 4 configurations" in texts_of(found["answer"])
    assert "no baseline" in texts_of(found["answer"])
    assert "2 configurations of 4 are not evaluated yet" in texts_of(found["doubts"])
    assert '<bdi dir="auto">&lt;b&gt;half &amp; &lt;half&gt;</bdi>' in page
    assert "sweep export '<b>half & <half>' --out 'winner/<b>half & <half>'" in markdown


def test_one_configuration_that_is_the_baseline(tmp_path: Path) -> None:
    one = {**BM25, "chunk": {"splitter": "words", "size": 12}}
    begin(tmp_path, baseline=one, space=one)
    call_well(*RUN, cwd=tmp_path)
    found, _, _ = made(tmp_path)
    assert "keep what you have" in texts_of(found["answer"])
    assert "effects" not in found
    assert {"diagnosis", "curves", "holes"} <= set(found)


def test_failures_are_told(tmp_path: Path, events: Events) -> None:
    begin(tmp_path, baseline=None, space=BM25)

    def fail() -> None:
        raise OSError("<i>no</i> room")

    events[1] = fail
    call(*RUN, "--max-failures", 1, cwd=tmp_path)
    found, page, _ = made(tmp_path)
    assert "OSError: <i>no</i> room" in texts_of(found["failures"])
    assert "OSError: &lt;i&gt;no&lt;/i&gt; room" in page
    assert found["failures"]["data"]["trials"] == [0]
    assert "1 configuration failed" in texts_of(found["doubts"])
    events[2] = events[3] = events[4] = fail
    begin(tmp_path, name="nothing", baseline=None, space=BM25)
    assert call(*RUN, "--max-failures", 1, cwd=tmp_path).returncode in (USER_INPUT, FAILED)
    found, _, markdown = made(tmp_path)
    assert list(found) == ["answer", "failures", "method", "repeat"]
    assert "No recommendation" in markdown


def test_no_feasible_trial(tmp_path: Path) -> None:
    begin(tmp_path, constraints=["ndcg@5 >= 2"], space=BM25)
    assert call(*RUN, cwd=tmp_path).returncode == USER_INPUT
    found, _, _ = made(tmp_path)
    assert "is met by 0 (closest: #" in texts_of(found["answer"])
    assert "ndcg@5 >= 2" in texts_of(found["leaderboard"])
    assert "doubts" not in found


def test_several_objectives(tmp_path: Path) -> None:
    begin(tmp_path, objective=["ndcg@5", "context_tokens"], constraints=[], space=BM25)
    call_well(*RUN, cwd=tmp_path)
    best = call_json("best", cwd=tmp_path)
    found, _, markdown = made(tmp_path)
    numbers = [trial["number"] for trial in best["front"]]
    assert [trial["number"] for trial in found["answer"]["data"]["front"]] == numbers
    assert found["cost"]["data"]["against"] == "context_tokens"
    assert found["diagnosis"]["data"]["trial"] == numbers[0]
    assert "Choose one of" in markdown


def test_a_sampled_study_with_a_confirm_set_and_a_corpus_that_is_gone(tmp_path: Path) -> None:
    begin(
        tmp_path,
        sampler={"kind": "tpe", "trials": 2},
        split={"confirm": 0.5, "seed": 5},
        space=BM25,
    )
    call_well(*RUN, cwd=tmp_path)
    (tmp_path / "island").rename(tmp_path / "elsewhere")
    found, _, _ = made(tmp_path)
    assert "no configuration was chosen by" in texts_of(found["answer"])
    assert "tpe drew" in texts_of(found["doubts"])
    assert "kept to confirm" in texts_of(found["method"])
    assert found["repeat"]["data"]["split"]["confirm"] > 0
    assert "its corpus must still be at" in texts_of(found["diagnosis"])
