"""The sections that explain: parts of the queries, diagnosis, holes, curves, what must hold."""

from dataclasses import replace
from typing import Any

import numpy as np

from sweep.winner.answer import Answer
from sweep.winner.critical import FACT
from sweep.winner.diagnosis.advice import Advice, Remedy, Tried
from sweep.winner.diagnosis.charge import Place
from sweep.winner.diagnosis.diagnosis import Diagnosis, Gold, Returned, StageLoss, WorstQuery
from sweep.winner.insight.division import Division
from sweep.winner.insight.effects import MainEffect, ValueEffect
from sweep.winner.insight.holes import Contender, HoleFigure, Holes
from sweep.winner.insight.routing import routing_gain
from sweep.winner.insight.slices import FieldSlices, SliceScore, StudySlices, slice_scores
from sweep.winner.message import answer_text
from sweep.winner.report.build import build_report
from sweep.winner.report.content import Bullets, Commands, Example, Paragraph, Plot, Table
from sweep.winner.report.material import Insights, Material
from sweep.winner.report.sections.wording import clipped, numbered
from tests.report_material import SCORES, make_toy_answer, material, trial, usual


def texts(made: Material, section: str, kind: type) -> list[Any]:
    found = build_report(made).sections()[section]
    return [block for block in found.blocks if isinstance(block, kind)]


def sliced(**keys: Any) -> StudySlices:
    halves = np.arange(40) < 20
    division = Division(by="kind", members={"<i>": halves, "other": ~halves})
    fields = [
        FieldSlices(
            by="kind",
            slices=slice_scores(division, SCORES, recommended=2, others=[0]),
            routing=routing_gain(division, SCORES),
        )
    ]
    given: dict[str, Any] = {
        "study": "mine",
        "metric": "ndcg@10",
        "maximize": True,
        "numbers": (0, 1, 2, 3),
        "recommended": 2,
        "best": 2,
        "baseline": 0,
        "queries": 40,
        "overall": {
            row: SliceScore(
                mean=float(SCORES[row].mean()), interval=trial(row).intervals["ndcg@10"]
            )
            for row in (2, 0)
        },
        "fields": fields,
        "refused": {"id": "`id`: 40 values"},
        "oracle": 0.0123,
        "adaptive": None,
        **keys,
    }
    return StudySlices(**given)


def test_parts_of_the_queries_are_shown_with_their_best() -> None:
    made = usual(slices=sliced())
    (table,) = texts(made, "slices", Table)
    titles = [column.title for column in table.columns]
    assert titles[:4] == ["kind", "queries", "#2 recommended, best", "#0 baseline"]
    assert [row[0] for row in table.rows] == ["<i>", "other", "all"]
    assert [row[1] for row in table.rows] == ["20", "20", "40"]
    assert table.columns[0].kind == "quote"
    own = next(t for t in made.board.trials if t.number == 2)
    low, high = own.intervals["ndcg@10"]
    interval = f"[{low:.3f}, {high:.3f}]".replace("0.", ".")
    assert table.rows[-1][2].endswith(interval)  # the one that stands in the leaderboard
    told = [block.text for block in texts(made, "slices", Paragraph)]
    assert any(text.startswith("Routing by kind would ") for text in told)
    assert any("would gain .012: an upper bound" in text for text in told)
    assert "Left out: `id`: 40 values." in told
    few = usual(slices=sliced(fields=[replace(sliced().fields[0], routing=None)], adaptive="tpe"))
    told = [block.text for block in texts(few, "slices", Paragraph)]
    assert any(text.startswith("No honest figure for routing by kind: tpe") for text in told)
    assert "slices" not in build_report(usual(slices=sliced(fields=()))).sections()


PLACE = Place(rank=14, turn=12, score=0.5)
GOLD = Gold(
    document_id="d1",
    title="",
    grade=3,
    start=None,
    end=None,
    text="relevant\x1b[31m text",
    returned=None,
    stage="top_k",
    places={"bm25": PLACE},
    shares_term=False,
    is_seen=False,
)
RETURNED = Returned(
    rank=1,
    score=0.9,
    document_id="d2",
    title="Title",
    start=0,
    end=4,
    text="word " * 100,
    label=None,
    places={},
    terms={},
    spans=0,
)


def diagnosis(**keys: Any) -> Diagnosis:
    worst = WorstQuery(
        query_id="q 1", text="why?", score=0.0, missed=(GOLD,) * 6, instead=(RETURNED,)
    )
    tried = Tried(number=3, label="bm25", score=0.69, difference=-0.01, only=True)
    given: dict[str, Any] = {
        "study": "mine",
        "trial": 2,
        "label": "bm25",
        "metric": "ndcg@10",
        "score": 0.7,
        "queries": 40,
        "documents": 50,
        "spans": 0,
        "missed_documents": 6,
        "missed_spans": 0,
        "missed_queries": 2,
        "split_spans": 0,
        "losses": (
            StageLoss(
                stage="top_k",
                meaning="ranked, but beyond the first 10",
                documents=6,
                spans=0,
                queries=2,
                bound=0.75,
            ),
        ),
        "order": 0.8,
        "advice": (
            Advice(
                about="top_k",
                symptom="6 of 6 misses are beyond the first 10",
                gain=0.05,
                remedies=(Remedy(parameter="top_k", value=15, op=">="),),
            ),
            Advice(
                about="cutting",
                symptom="1 is cut",
                gain=None,
                remedies=(Remedy(parameter="chunk.size", value=256, op=">=", tried=tried),),
            ),
        ),
        "worst": (worst, worst),
        "notices": ("lists differ",),
        **keys,
    }
    return Diagnosis(**given)


def test_the_diagnosis_tells_where_misses_are_lost_and_what_to_search() -> None:
    made = usual(diagnosis=diagnosis())
    told = [block.text for block in texts(made, "diagnosis", Paragraph)]
    assert told[0] == (
        "#2, ndcg@10 .700 over 40 queries; missed: 6 of 50 relevant documents, in 2 queries."
    )
    assert "lists differ" in told
    (losses,) = texts(made, "diagnosis", Table)
    assert losses.rows == (
        ("top_k", "6", "0", "2", ".750", "ranked, but beyond the first 10"),
        ("order", "", "", "", ".800", "returned, but not in the best order"),
    )
    new, old = texts(made, "diagnosis", Bullets)
    assert new.items == (
        "6 of 6 misses are beyond the first 10 (at most +.050): search top_k 15.",
    )
    assert "tried in #3, .690 (-.010; nothing else differs)" in old.items[0]
    (commands,) = texts(made, "diagnosis", Commands)
    assert commands.lines == ("sweep explain mine 'q 1'",)


def test_examples_show_what_was_missed_and_what_came_instead() -> None:
    first, second = texts(usual(diagnosis=diagnosis()), "diagnosis", Example)
    assert (first.folded, second.folded) == (False, True)
    assert (first.query, first.note) == ("why?", "Query q 1, ndcg@10 .000")
    missed, instead = first.tables
    assert missed.caption == "What it should have found, and 2 more"
    assert missed.rows[0] == (
        "lost at top_k; bm25 rank 14; no term of the question; beyond the model's window",
        "3",
        "d1: relevant [31m text",
    )
    rank, label, text = instead.rows[0]
    assert (rank, label) == ("1", "none")
    assert text.startswith("Title: word word")
    assert text.endswith(" ...")
    assert len(text) < 260


def test_without_a_diagnosis_the_reason_is_told() -> None:
    made = usual(no_diagnosis="study 'mine': its corpus must still be at papers")
    (told,) = texts(made, "diagnosis", Paragraph)
    assert told.text.startswith("Nothing could be diagnosed: study 'mine': its corpus must")
    assert "diagnosis" not in build_report(usual()).sections()
    nothing = diagnosis(missed_documents=0, losses=(), order=None, advice=(), worst=())
    (told, _) = texts(usual(diagnosis=nothing), "diagnosis", Paragraph)
    assert told.text.endswith("nothing is missed (0 of 50 relevant documents).")


def with_holes(**keys: Any) -> Material:
    made = usual()
    assert isinstance(made.found, Answer)
    figure = HoleFigure(trial=2, judged=0.84, reported=0.8, own_relevant=0.85, low=0.3, high=0.9)
    given: dict[str, Any] = {
        "objective": "ndcg@10",
        "depth": "judged@10",
        "relevant": 1,
        "recommended": 2,
        "pairs": 31,
        "contenders": (Contender(trial=3, lead=0.25),),
        "labels": 9,
        "enough": 4,
        "nearest": 3,
        "attained": True,
        "judged": {2: 0.84},
        "figures": (figure,),
        **keys,
    }
    return replace(made, found=replace(made.found, holes=Holes(**given)))


def test_holes_that_could_change_the_choice_are_open_and_can_be_labelled() -> None:
    made = with_holes()
    assert isinstance(made.found, Answer)
    (told,) = texts(made, "holes", Bullets)
    assert told.items[0] == "judged@10 84 %: 4 labels could change the choice, to #3"
    assert all(sentence in answer_text(made.found) for sentence in told.items)
    figures, contenders = texts(made, "holes", Table)
    assert figures.rows[0][2:] == ("84 %", ".800", ".850", ".300", ".900")
    assert contenders.rows == (("3", "+.250", "bm25, tokens 13/0, top 10"),)
    (commands,) = texts(made, "holes", Commands)
    assert commands.lines[0].startswith("sweep pool mine --out ")
    doubts = {
        f["question"]: (f["answer"], f["open"])
        for f in build_report(made).sections()["doubts"].data["findings"]
    }
    text, is_open = doubts["Could missing labels change it?"]
    assert text.startswith("judged@10 84 %: 4 labels could change the choice")
    assert is_open


def test_holes_that_change_nothing_are_settled() -> None:
    for made, told in (
        (with_holes(contenders=(), labels=0, enough=None, nearest=None), "no label of 31"),
        (with_holes(pairs=0, contenders=(), figures=()), "every document that any"),
    ):
        doubts = build_report(made).sections()["doubts"].data["findings"]
        (found,) = [f for f in doubts if f["question"] == "Could missing labels change it?"]
        assert told in found["answer"]
        assert not found["open"]


def test_curves_say_from_where_on_nothing_is_gained() -> None:
    made = usual()
    (told,) = texts(made, "curves", Bullets)
    assert told.items[0].startswith("#2 ndcg@10 ")
    (plot,) = texts(made, "curves", Plot)
    assert plot.table is not None
    assert [row[0] for row in plot.table.rows] == ["1", "5"]
    assert plot.draw() is not None
    gone = usual(explanation=Insights(effects=(), no_curves="the corpus is gone"))
    (told,) = texts(gone, "curves", Paragraph)
    assert told.text == "No curve could be drawn: the corpus is gone"


def test_top_k_has_a_picture_where_it_was_varied() -> None:
    values = tuple(
        ValueEffect(
            value=str(at),
            at=float(at),
            configurations=2,
            mean=0.5 + at / 100,
            difference=at / 100 - 0.05,
            interval=(at / 100 - 0.06, at / 100 - 0.04),
        )
        for at in (3, 7)
    )
    effect = MainEffect(
        parameter="top_k", matched=True, values=values, blocks=2, along=(), left_out=0
    )
    found = Insights(effects=(effect,), top_k={"bm25": effect})
    plots = texts(usual(explanation=found), "effects", Plot)
    assert [plot.title for plot in plots][1] == "ndcg@10 by top_k, all else equal"
    assert "7 for bm25" in plots[1].alt
    assert plots[0].table.rows[0] == (
        "top_k",
        "3",
        ".530",
        "-.020",
        "[-.030, -.010]",
        "2",
        "worse",
    )


def test_what_must_hold_is_told_with_the_answer() -> None:
    entry = {
        "must": "recall@5 >= 0.9 where kind=code",
        "metric": "ndcg@10",
        "op": ">=",
        "bound": 0.9,
        "where": "kind=code",
        "value": 0.95,
        "interval": [0.9, 1.0],
        "queries": 14,
    }
    trials = [trial(n, facts={FACT: [entry]}) for n in range(4)]
    made = material(make_toy_answer(trials), trials=trials)
    (told,) = texts(made, "answer", Bullets)
    assert told.items[0].startswith("ndcg@10 >= .9 where kind=code: .950 [.900, 1.000]")
    assert isinstance(made.found, Answer)
    assert told.items[0] in answer_text(made.found)


def test_wording() -> None:
    assert numbered([4]) == "#4"
    assert numbered([4, 5]) == "#4 and #5"
    assert numbered(list(range(9))) == "#0, #1, #2, #3, #4, #5 and 3 more"
    assert clipped("a\n b\x00c", 9) == "a b c"
    assert clipped("abcdef", 3) == "abc ..."
