"""What a report says: the figures of the closing message, and what each kind of study needs."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from sweep.trials import json_ready
from sweep.winner.answer import Answer
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.message import answer_text
from sweep.winner.note import answer_note
from sweep.winner.report.build import build_report
from sweep.winner.report.content import (
    Commands,
    Facts,
    Findings,
    Plot,
    Report,
    Table,
    Verbatim,
)
from sweep.winner.report.html import to_html
from sweep.winner.report.markdown import to_markdown
from sweep.winner.report.material import Material
from sweep.winner.rounding import plain, signed
from tests.report_material import (
    COUNTS,
    LATENCY,
    SCORES,
    failed,
    make_toy_answer,
    material,
    of_two_objectives,
    origin,
    trial,
    usual,
)

FIGURE = re.compile(r"[+-]?\.\d{3} \[[+-]?\.\d{3}, [+-]?\.\d{3}\]")  # with its interval


def blocks(report: Report, section: str, kind: type) -> list[Any]:
    found = report.sections()[section]
    return [block for block in found.blocks if isinstance(block, kind)]


def findings(made: Material) -> dict[str, tuple[str, bool]]:
    (found,) = blocks(build_report(made), "doubts", Findings)
    return {f.question: (f.answer, f.is_open) for f in found.items}


def without_the_message(text: str) -> str:
    """Return a report without the closing message that it repeats, and without markup."""
    text = re.sub(r"(?s)<details class=\"text\">.*?</details>|```text.*?```", "", text)
    text = re.sub(r"(?s)<(script|style|svg).*?</\1>", "", text)
    return re.sub(r"<[^>]+>", "", text).replace("\\", "")


def test_message_note_and_report_tell_the_same_figures() -> None:
    made = usual()
    answer = made.found
    assert isinstance(answer, Answer)
    message = answer_text(answer)
    told = FIGURE.findall(message)
    assert len(told) == 2  # the honest score, and the difference to the baseline
    others = [
        plain(answer.search.mean),
        plain(answer.loss_bound),
        plain(answer.recommendation.detectable),
        "0.12 ms [0.10, 0.20]",
        "2.3 MB",
        "84 %",
    ]
    for figure in others:
        assert figure in message
    report = build_report(made)
    note = answer_note(answer, roles={}, storage=None)
    for text in (to_html(report), to_markdown(report), json.dumps(json_ready(report.to_json()))):
        shown = without_the_message(text)
        for figure in (*told, *others):
            assert figure in shown
    for figure in told:
        assert figure in note.partition("### In full")[0]


def test_json_holds_the_figures_unrounded() -> None:
    made = usual()
    assert isinstance(made.found, Answer)
    content = json.loads(json.dumps(json_ready(build_report(made).to_json()), allow_nan=False))
    data = content["sections"]["answer"]["data"]
    best = json_ready(made.found.to_json())
    for name in ("confirm", "difference_to_baseline", "loss_bound", "tied", "trials", "params"):
        assert data[name] == best[name]
    (message,) = [
        block["text"]
        for block in content["sections"]["answer"]["blocks"]
        if block["kind"] == "verbatim"
    ]
    assert plain(data["confirm"]["mean"]) in message
    assert signed(data["difference_to_baseline"]["mean"]) in message
    rows = content["sections"]["leaderboard"]["data"]["trials"]
    assert [row["number"] for row in rows] == [2, 3, 1, 0]
    assert rows[0]["value"] == pytest.approx(SCORES[2].mean())


def test_sections_come_in_the_order_in_which_one_reads() -> None:
    report = build_report(usual())
    assert list(report.sections()) == [
        "answer",
        "leaderboard",
        "cost",
        "effects",
        "curves",
        "holes",
        "method",
        "doubts",
        "repeat",
    ]
    assert report.title == "Use #2"
    assert report.label == "bm25, tokens 12/0, top 10"
    (commands,) = blocks(report, "answer", Commands)
    assert commands.lines[0] == "sweep export mine --out winner/mine"


def test_commands_name_the_storage() -> None:
    report = build_report(usual(origin=origin(storage="my studies.db")))
    for section in ("answer", "repeat"):
        (commands,) = blocks(report, section, Commands)
        assert commands.lines[0].endswith("--storage 'my studies.db'")


def test_the_leaderboard_shows_losses_and_marks_the_recommended() -> None:
    (table,) = blocks(build_report(usual()), "leaderboard", Table)
    titles = [column.title for column in table.columns]
    assert titles[1] == "ndcg@10 [95 % interval]"
    assert [row[0] for row in table.rows] == ["2", "3", "1", "0"]
    assert table.marked == {0}
    column = titles.index("loss")
    losses = [plain(float(SCORES[2].mean() - SCORES[n].mean())) for n in (2, 3, 1, 0)]
    assert [row[column] for row in table.rows] == losses


def test_every_picture_has_a_sentence_and_a_table() -> None:
    report = build_report(usual())
    for name, section in report.sections().items():
        for block in section.blocks:
            if isinstance(block, Plot):
                assert block.alt.endswith(".")
                beside = any(isinstance(other, Table) for other in section.blocks)
                assert block.table is not None or beside, name
                assert block.draw() is not None


def test_a_difference_whose_interval_holds_0_is_an_open_question() -> None:
    question = "Is it better than what you have today?"
    made = usual()
    assert isinstance(made.found, Answer)
    assert made.found.difference is not None
    assert findings(made)[question][1] is False
    close = replace(made.found.difference, mean=0.1, interval=(0.0, 0.2))
    text, is_open = findings(replace(made, found=replace(made.found, difference=close)))[question]
    assert text.startswith("+.100 [+.000, +.200] against the baseline #0: the interval holds 0")
    assert is_open
    worse = replace(made.found.difference, mean=-0.1, interval=(-0.2, -0.05))
    text, is_open = findings(replace(made, found=replace(made.found, difference=worse)))[question]
    assert "it is worse" in text
    assert is_open


def test_lower_is_better_where_it_is() -> None:
    made = usual()
    assert isinstance(made.found, Answer)
    assert made.found.difference is not None
    down = replace(made.board, maximize=[False])
    fall = replace(made.found.difference, mean=-0.1, interval=(-0.2, -0.05))
    found = replace(made, board=down, found=replace(made.found, difference=fall, maximize=False))
    assert not findings(found)["Is it better than what you have today?"][1]
    (tiles,) = [f for f in blocks(build_report(found), "answer", Facts) if f.large]
    assert [f.note for f in tiles.items if f.name.startswith("against")] == [
        "better than the baseline"
    ]


@pytest.mark.parametrize(
    ("changes", "question", "told"),
    [
        (
            {"counts": Counts(complete=4, failed=1, infeasible=0, planned=9)},
            "Is the study finished?",
            "4 configurations of 9 are not evaluated yet; the same `sweep run` command goes on.",
        ),
        (
            {"origin": origin(sampler={"kind": "tpe", "seed": 3})},
            "Was everything tried?",
            "tpe drew 4 configurations",
        ),
        (
            {"origin": origin(constraints=("latency_p95_ms <= 9",))},
            "Would another run choose the same?",
            "measured time decides here (latency_p95_ms)",
        ),
    ],
    ids=["unfinished", "sampled", "timed"],
)
def test_what_a_study_leaves_open(changes: dict[str, Any], question: str, told: str) -> None:
    text, is_open = findings(usual(**changes))[question]
    assert told in text
    assert is_open
    assert question not in findings(usual()) or not findings(usual())[question][1]


def test_what_a_trial_leaves_open() -> None:
    facts = {
        "latency": {**LATENCY, "busy": True, "others": 0.52},
        "chunks": 7,
        "truncated_chunks": 2,
        "without_results": 1,
    }
    trials = [trial(n, facts=facts) for n in range(4)]
    found = findings(material(make_toy_answer(trials), trials=trials))
    assert "used 52% of the processors" in found["Is the latency what production will see?"][0]
    assert "2 of 7 chunks" in found["Does the embedding model read all of the text?"][0]
    assert "1 query of the corpus" in found["Does every query get a result?"][0]
    assert all(found[question][1] for question in list(found)[:3])


def test_a_confirm_set_that_was_looked_at_twice_is_open() -> None:
    trials = [trial(n) for n in range(4)]
    answer = make_toy_answer(trials, confirm={n: SCORES[n][:12] for n in range(4)})
    question = "Is the score free of the luck of the choice?"
    once = material(answer, trials=trials, origin=origin(looks=1))
    assert findings(once)[question][1] is False
    assert findings(once)[question][0].startswith("Yes: confirm set, 12 queries")
    text, is_open = findings(replace(once, origin=origin(looks=2)))[question]
    assert "looked at 2 times" in text
    assert is_open


def test_a_score_that_is_not_honest_is_not_called_so() -> None:
    trials = [trial(n) for n in range(4)]
    report = build_report(material(make_toy_answer(trials, adaptive="tpe"), trials=trials))
    text = to_markdown(report)
    assert "There is no honest score: tpe chose what to try by these queries" in text
    assert "The score is honest" not in text


def test_without_a_baseline_that_is_said() -> None:
    trials = [trial(n) for n in range(1, 4)]
    made = material(make_toy_answer(trials, baseline=None), trials=trials)
    text, is_open = findings(made)["Is it better than what you have today?"]
    assert text.startswith("Unknown")
    assert is_open
    assert "There is no baseline to compare with" in to_markdown(build_report(made))


def test_a_run_file_stands_where_a_baseline_does() -> None:
    trials = [trial(n) for n in range(4)]
    run = Baseline(run="production.trec", values=(0.4,), search=SCORES[0] - 0.2)
    made = material(make_toy_answer(trials, against=run), trials=trials)
    text, is_open = findings(made)["Is it better than what you have today?"]
    assert "against production.trec: the interval leaves out 0" in text
    assert not is_open
    assert "It is better than production.trec: +." in to_markdown(build_report(made))


def test_one_configuration_is_told_as_such() -> None:
    trials = [trial(0)]
    counts = Counts(complete=1, failed=0, infeasible=0, planned=1)
    made = material(make_toy_answer(trials, counts=counts), trials=trials, counts=counts)
    report = build_report(made)
    text = to_markdown(report)
    assert "It is the only configuration that could be chosen" in text
    assert "This is the baseline, and nothing is shown to beat it: keep what you have." in text
    assert "effects" not in report.sections()
    assert blocks(report, "leaderboard", Plot) == []


def test_a_front_is_to_be_chosen_from() -> None:
    report = build_report(of_two_objectives())
    assert report.title.startswith("Choose one of 3: none is beaten in ndcg@10 and context_tokens")
    assert report.label == ""
    (commands,) = blocks(report, "answer", Commands)
    assert "sweep export mine --trial 2 --out winner/mine" in commands.lines
    (table,) = blocks(report, "answer", Table)
    assert [row[0] for row in table.rows] == ["2", "1", "0"]
    assert table.rows[0][2] == "1,434"
    assert "without a test" in to_markdown(report)


def test_no_recommendation_is_a_report_too() -> None:
    missed = [trial(n, constraints={"context_tokens <= 5": 1.0}) for n in range(3)]
    made = material(trials=missed, failed=(failed(3, "no room"),), reason="none is feasible")
    report = build_report(made)
    assert report.title == "No recommendation"
    assert "doubts" not in report.sections()
    (table,) = blocks(report, "leaderboard", Table)
    assert table.rows[0][[c.title for c in table.columns].index("violates")] == (
        "context_tokens <= 5"
    )
    (failures,) = blocks(report, "failures", Table)
    assert failures.rows == (("3", "bm25, tokens 13/0, top 10", "IndexingError: no room"),)
    nothing = build_report(material(failed=(failed(3, "no room"),)))
    assert list(nothing.sections()) == ["answer", "failures", "method", "repeat"]
    assert "No recommendation" in to_html(nothing)


def test_an_unfinished_study_says_so_first() -> None:
    counts = replace(COUNTS, planned=9)
    first = build_report(usual(counts=counts)).answer.blocks[0]
    assert "This study is not finished: 4 of 9 configurations" in first.text  # type: ignore[union-attr]


def test_what_repeating_needs_is_there() -> None:
    report = build_report(usual())
    text = to_markdown(report)
    for needed in (
        "sweep run results/mine/space.yaml --corpus corpora/papers --study mine --precision fp32",
        "c0ffee" * 10,
        "ab" * 32,
        "its files were not found",
        "seed 7",
        "numpy 2.0",
        "Toy 9000",
        "3.11.7",
        "name: mine",
    ):
        assert needed in text
    (space,) = blocks(report, "repeat", Verbatim)
    assert space.text == "name: mine\n"
    gone = build_report(usual(origin=origin(space=None, made_with={})))
    assert "no longer at results/mine/space.yaml" in to_markdown(gone)
    assert "not recorded" in to_markdown(gone)
