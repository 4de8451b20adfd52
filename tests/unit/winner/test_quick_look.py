"""What is said of a quick look, and how far the order of finalists agrees, by hand."""

import dataclasses
import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from sweep.winner.answer import Answer
from sweep.winner.message import answer_text
from sweep.winner.note import answer_note, trial_note
from sweep.winner.quick_look import FinalistScores, Order, QuickLook, best_first
from sweep.winner.report.build import build_report
from sweep.winner.report.content import Paragraph, Table
from tests.report_material import make_toy_answer, material, trial

SEARCH = QuickLook(documents=20_000, of=171_332, judged=1_234, search="a@sample", whole="a")
LOUD = (
    "searched on 20,000 of 171,332 documents (all 1,234 judged ones kept): every score is "
    "flattered"
)
TRIALS = [trial(number) for number in range(4)]


def place(number: int, sample: float, whole: float) -> FinalistScores:
    label = f"bm25, top {number}"
    return FinalistScores(
        trial=number, searched_as=number + 10, label=label, sample=sample, whole=whole
    )


def finals(*places: FinalistScores, confirm: bool = False, maximize: bool = True) -> QuickLook:
    return dataclasses.replace(
        SEARCH,
        configurations=96,
        finalists=max(1, len(places)),
        confirm=confirm,
        objectives=("ndcg@10",),
        maximize=maximize,
        places=best_first(places, maximize=maximize),
    )


# On all documents 1 > 2 > 3 = 4; on the sample 2 > 1 > 3 > 4.
FINALS = finals(place(3, 0.7, 0.5), place(1, 0.8, 0.62), place(2, 0.9, 0.6), place(4, 0.6, 0.5))


def test_pairs_that_kept_their_order_by_hand() -> None:
    # 1-2 changed; 1-3, 1-4, 2-3, 2-4 kept; 3-4 equal on all documents.
    assert FINALS.order == Order(pairs=6, kept=4, changed=1)
    assert [one.trial for one in FINALS.places] == [1, 2, 3, 4]
    assert FINALS.order_text == (
        "of 6 pairs of finalists 4 kept their order by ndcg@10 from the sample to all documents, "
        "1 changed it, 1 scored the same on one of both; #1, the best of them on all documents, "
        "was number 2 on the sample"
    )


SCORE = st.integers(0, 4).map(float)


@given(st.lists(st.tuples(SCORE, SCORE), min_size=2, max_size=8))
def test_the_order_is_that_of_kendalls_tau(scores: list[tuple[float, float]]) -> None:
    places = [place(number, *pair) for number, pair in enumerate(scores)]
    found = finals(*places).order
    sample, whole = zip(*scores, strict=True)
    assert found.pairs == math.comb(len(scores), 2)
    # tau b: concordant less discordant pairs, over the pairs that are not tied on either side.
    apart = [sum(a != b for a, b in combinations(side, 2)) for side in (sample, whole)]
    if all(apart):
        tau = (found.kept - found.changed) / math.sqrt(apart[0] * apart[1])
        assert tau == pytest.approx(kendalltau(sample, whole).statistic)
    else:
        assert found.kept == found.changed == 0


def test_of_what_is_minimised_the_lowest_is_first() -> None:
    found = finals(place(1, 10.0, 30.0), place(2, 12.0, 20.0), maximize=False)
    assert [one.trial for one in found.places] == [2, 1]
    assert "#2, the best of them on all documents, was number 2 on the sample" in found.order_text
    assert found.order == Order(pairs=1, kept=0, changed=1)


def test_the_rank_follows_the_direction_where_all_score_the_same() -> None:
    found = finals(
        place(1, 10.0, 20.0), place(2, 12.0, 20.0), place(3, 14.0, 20.0), maximize=False
    )
    assert "#1, the best of them on all documents, was number 1 on the sample" in found.order_text


def test_finalists_that_violate_a_constraint_are_told() -> None:
    found = dataclasses.replace(FINALS, finalists=6, infeasible=2)
    assert found.headline == (
        "6 finalists of 96 configurations that were searched on 20,000 of 171,332 documents "
        "(a@sample); 2 of them violate a constraint on all documents"
    )
    assert found.tried_text == (
        "the search on 20,000 of 171,332 documents tried 96 configurations, of which 6 became "
        "finalists on all documents"
    )


def test_the_search_says_that_it_is_flattered_and_decides_nothing() -> None:
    assert SEARCH.headline == LOUD
    told = " ".join(SEARCH.sentences())
    assert told.startswith("Searched on 20,000 of 171,332 documents")
    assert "index size, work and latency are those of a smaller index" in told
    assert (
        "Nothing is decided here: the finalists on all documents decide, in the study a." in told
    )
    assert SEARCH.to_json() == {
        "documents": 20_000,
        "of": 171_332,
        "judged": 1_234,
        "search": "a@sample",
        "whole": "a",
        "text": told,
    }


@pytest.mark.parametrize("confirm", [False, True])
def test_the_finals_say_which_luck_is_not_covered(confirm: bool) -> None:
    told = " ".join(finals(place(1, 0.8, 0.6), confirm=confirm).sentences())
    assert told.startswith(
        "1 finalist of 96 configurations that were searched on 20,000 of 171,332 documents "
        "(a@sample)."
    )
    assert ("no figure covers the luck of that pick; `split: {confirm: 0.3}`" in told) != confirm
    assert ("the confirm set took no part" in told) == confirm
    assert "not for 96 configurations" in told
    assert "kept their order" not in told  # there is no pair


def test_several_objectives_have_no_confirm_set_to_hope_for() -> None:
    found = dataclasses.replace(FINALS, objectives=("ndcg@10", "work"))
    told = " ".join(found.sentences())
    assert "no figure covers the luck of that pick. Tests" in told
    assert "kept their order by ndcg@10" in told


def test_json_has_both_scores_of_every_finalist() -> None:
    found = FINALS.to_json()
    assert found["finalists"][0] == {"number": 1, "searched_as": 11, "sample": 0.8, "whole": 0.62}
    assert found["order"] == {"pairs": 6, "kept": 4, "changed": 1}
    assert found["configurations"] == 96


def toy_answer(sample: QuickLook | None) -> Answer:
    return make_toy_answer(TRIALS).within(sample)


def test_the_closing_message_of_a_search_is_no_decision() -> None:
    told = answer_text(toy_answer(SEARCH))
    assert told.startswith("LEADS #")
    assert "SCOPE Searched on 20,000 of 171,332 documents" in told
    assert "no honest score: every score on a sample of the documents is flattered" in told
    assert "which is no honest difference either" in told
    assert "sweep export" not in told
    assert "the same `sweep run` evaluates the finalists on all documents, as a" in told
    assert answer_text(toy_answer(None)).startswith("USE   #")


def test_the_closing_message_of_finals_lists_them_with_both_scores() -> None:
    told = answer_text(toy_answer(FINALS))
    assert told.startswith("USE   #")
    assert "SCOPE 4 finalists of 96 configurations" in told
    assert "\n      .800 -> .620   #1  bm25, top 1\n" in told
    assert max(len(line) for line in FINALS.lines()) <= 110
    assert toy_answer(FINALS).to_json()["sample"] == FINALS.to_json()


def test_notes_of_the_dashboard() -> None:
    note = answer_note(toy_answer(SEARCH), roles={}, storage=None)
    assert note.startswith("## Not decided; on the sample #")
    assert "every score is flattered" in note
    assert "sweep export" not in note
    note = answer_note(toy_answer(FINALS), roles={}, storage=None)
    assert "**Quick look**: 4 finalists of 96" in note
    assert "on all documents" in note
    told = trial_note(
        trial(0, facts={"sample": {"documents": 20_000, "of": 171_332}}),
        study="a@sample",
        objectives=["ndcg@10"],
        roles=(),
        storage=None,
    )
    assert "**Measured on 20,000 of 171,332 documents: every score is flattered**" in told
    assert "sweep export" not in told


def test_the_report_says_it_at_the_top() -> None:
    report = build_report(material(toy_answer(SEARCH), trials=TRIALS, sample=SEARCH))
    assert report.title.startswith("Not decided: #")
    first = report.answer.blocks[0]
    assert isinstance(first, Paragraph)
    assert (first.tone, first.text) == ("caution", " ".join(SEARCH.sentences()))
    assert [b for b in report.answer.blocks if isinstance(b, Paragraph) and b.tone == "good"] == []
    assert "export" not in str([b for b in report.answer.blocks if type(b).__name__ == "Commands"])

    report = build_report(material(toy_answer(FINALS), trials=TRIALS, sample=FINALS))
    assert report.title.startswith("Use #")
    assert report.answer.data["sample"] == FINALS.to_json()
    (table,) = [block for block in report.answer.blocks if isinstance(block, Table)]
    assert len(table.rows) == 4
    assert report.effects is not None
    assert "These are the finalists only" in str(report.effects.blocks[0])
    assert report.doubts is not None
    assert "Was everything tried on all documents?" in str(report.doubts.data)
