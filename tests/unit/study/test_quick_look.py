"""A quick look before it runs: what the file says, what is refused, who the finalists are."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.engine.measure.report import Report
from sweep.errors import SpaceError, StudyError
from sweep.study.driver.draws import Recorded
from sweep.study.driver.finals import (
    Finals,
    FinalsDraws,
    finals_ranking,
    pick_finalists,
    spread,
)
from sweep.study.driver.identity import check_name
from sweep.study.driver.quick_look import most_finalists
from sweep.study.quick_look import search_name, without_idle_sample
from sweep.study.space.read import Sample, SearchSpace
from sweep.study.study import Study
from sweep.trials import TrialRecord
from sweep.winner.front import pareto_rows
from tests.corpus_files import corpus_of
from tests.unit.study.space_files import make_space

CORPUS = corpus_of(["ant"] * 30, qrels={"q1": {"d0003": 1, "d0004": 0}, "q2": {"d0020": 1}})
SPACE = {"mode": "bm25", "bm25": {"k1": [0.9, 1.2, 1.5], "b": [0.3, 0.75]}}


def spaced(folder: Path, sample: Any, **keys: Any) -> SearchSpace:
    return make_space(folder, SPACE, sample=sample, **keys)


def test_what_the_file_says(tmp_path: Path) -> None:
    assert make_space(tmp_path, SPACE).sample is None
    assert spaced(tmp_path, {"documents": 20}).sample == Sample(
        documents=20, keep="judged", finalists=10, seed=7
    )
    given = {"documents": 20, "keep": "judged", "finalists": 3, "seed": 1}
    assert spaced(tmp_path, given).sample == Sample(documents=20, finalists=3, seed=1)


@pytest.mark.parametrize(
    ("sample", "told"),
    [
        (20, "sample"),
        ({}, "sample.documents"),
        ({"documents": 0}, "sample.documents"),
        ({"documents": 2.5}, "sample.documents"),
        ({"documents": True}, "sample.documents"),
        ({"documents": 20, "keep": "all"}, "sample.keep"),
        ({"documents": 20, "finalists": 0}, "sample.finalists"),
        ({"documents": 20, "seed": -1}, "sample.seed"),
        ({"documents": 20, "finalist": 3}, "finalists"),
    ],
    ids=str,
)
def test_bad_values_are_told_with_their_place(tmp_path: Path, sample: Any, told: str) -> None:
    with pytest.raises(SpaceError, match=told):
        spaced(tmp_path, sample)


def test_it_belongs_to_the_study_but_for_the_number_of_finalists(tmp_path: Path) -> None:
    plain = make_space(tmp_path, SPACE).identity()
    one = spaced(tmp_path, {"documents": 20}).identity()
    assert {**plain, "sample": {"documents": 20, "keep": "judged", "seed": 7}} == one
    assert spaced(tmp_path, {"documents": 20, "finalists": 4}).identity() == one
    assert spaced(tmp_path, {"documents": 21}).identity() != one
    assert spaced(tmp_path, {"documents": 20, "seed": 8}).identity() != one


def test_too_few_documents_for_the_judged_ones(tmp_path: Path) -> None:
    with pytest.raises(SpaceError, match=r"sample\.documents: must be at least 3, .* got 2\."):
        without_idle_sample(spaced(tmp_path, {"documents": 2}), CORPUS, Report())
    space = spaced(tmp_path, {"documents": 3})
    assert without_idle_sample(space, CORPUS, Report()) is space


@pytest.mark.parametrize("documents", [30, 31])
def test_a_sample_that_reduces_nothing_is_told_and_forgotten(
    tmp_path: Path, documents: int
) -> None:
    report = Report()
    found = without_idle_sample(spaced(tmp_path, {"documents": documents}), CORPUS, report)
    assert found.sample is None
    assert found.identity() == make_space(tmp_path, SPACE).identity()
    (told,) = report.notices
    assert "sample is not used: the corpus has 30 documents" in told


def test_how_many_finalists_there_are_at_most(tmp_path: Path) -> None:
    base = {"mode": "bm25", "top_k": 3}
    assert most_finalists(spaced(tmp_path, {"documents": 3, "finalists": 2})) == 2
    given = spaced(tmp_path, {"documents": 3, "finalists": 2}, baseline=base)
    assert most_finalists(given) == 3
    assert most_finalists(spaced(tmp_path, {"documents": 3})) == 6  # of 6 configurations


def test_names() -> None:
    assert search_name("mine") == "mine@sample"
    with pytest.raises(StudyError, match="is the search of a quick look: run NAME"):
        check_name("mine@sample")


def trial(number: int, *values: float) -> TrialRecord:
    made = Configuration(mode="bm25", top_k=number + 1, bm25=Bm25Config())
    return TrialRecord(number=number, state="COMPLETE", configuration=made, values=values)


def searched(
    *values: tuple[float, ...],
    recommended: int = 0,
    maximize: bool = True,
    costs: Sequence[Any] | None = None,
) -> Study:
    """Return as much of a study as finalists are picked by; objectives are maximised alike."""
    costs = costs or [1.0] * len(values)
    trials = tuple(trial(number, *given) for number, given in enumerate(values))
    goals = [SimpleNamespace(maximize=maximize) for _ in values[0]]
    rows = pareto_rows(values, [maximize] * len(goals))
    front = sorted((trials[row] for row in rows), key=lambda t: -t.values[0])
    return cast(
        Study,
        SimpleNamespace(
            feasible=trials,
            goals=goals,
            scored=lambda: SimpleNamespace(
                trials=trials,
                chosen=lambda: recommended,
                costs=lambda: [(cost,) for cost in costs],
            ),
            front=lambda: SimpleNamespace(trials=tuple(front)),
        ),
    )


def numbers(study: Study, count: int) -> list[int]:
    return [found.number for found in pick_finalists(study, count)]


SCORES = ((0.5,), (0.9,), (0.7,), (0.9,), (0.2,))  # the best first: 1, 3 (equal), 2, 0, 4


def test_the_best_and_what_is_recommended_are_finalists() -> None:
    assert numbers(searched(*SCORES, recommended=4), 3) == [4, 1, 3]  # equal ones by number
    assert numbers(searched(*SCORES, recommended=3), 3) == [3, 1, 2]
    assert numbers(searched(*SCORES, recommended=1), 99) == [1, 3, 2, 0, 4]
    assert numbers(searched(*SCORES, recommended=4), 1) == [4]


def test_what_is_cheaper_than_all_that_score_more_is_a_finalist() -> None:
    costs = [30.0, 50.0, 20.0, 50.0, 10.0]  # 0 scores less than 2 and costs more
    assert numbers(searched(*SCORES, recommended=1, costs=costs), 4) == [1, 3, 2, 4]
    assert numbers(searched(*SCORES, recommended=1, costs=costs), 5) == [1, 3, 2, 4, 0]
    timed = [30.0, (40.0, 50.0), (10.0, 60.0), 50.0, 10.0]  # the interval of a time: its end
    assert numbers(searched(*SCORES, recommended=1, costs=timed), 4) == [1, 3, 0, 4]


def test_of_what_is_minimised_the_lowest_are_finalists() -> None:
    study = searched((0.5,), (0.9,), (0.7,), recommended=1, maximize=False)
    assert numbers(study, 2) == [1, 0]


def test_of_several_objectives_the_front_comes_first() -> None:
    # The front: 3 (.9, .1), 0 (.8, .4), 2 (.3, .9). 1 (.7, .3) is beaten by 0, 4 by all.
    values = ((0.8, 0.4), (0.7, 0.3), (0.3, 0.9), (0.9, 0.1), (0.2, 0.05))
    assert numbers(searched(*values), 4) == [3, 0, 2, 1]
    assert numbers(searched(*values), 2) == [3, 2]  # both ends
    assert numbers(searched(*values), 1) == [3]


def test_the_ranking_goes_on_after_the_finalists_and_leaves_none_out() -> None:
    costs = [30.0, 50.0, 20.0, 50.0, 10.0]  # 4 and 2 are there for what they cost
    study = searched(*SCORES, recommended=4, costs=costs)
    ranking = [found.number for found in finals_ranking(study, 3)]
    assert ranking == [4, 1, 3, 2, 0]
    assert ranking[:3] == numbers(study, 3)


def test_further_finalists_follow_until_one_keeps_every_constraint() -> None:
    trials = tuple(trial(number, 0.5) for number in range(5))
    beside = Configuration(mode="bm25", top_k=50, bm25=Bm25Config())
    finals = Finals(ranking=trials, count=2, others=(beside,))
    draws, recorded, told = FinalsDraws(finals, listed=True), Recorded(), list[str]()
    draws.on_more = told.append
    tried = []
    for portion in draws.portions(recorded):
        tried.append(sorted(draw.configuration.top_k for draw in portion))
        for draw in portion:
            missed = -1.0 if draw.configuration in (trials[2].configuration, beside) else 1.0
            recorded.add(
                TrialRecord(
                    number=len(recorded),
                    state="COMPLETE",
                    configuration=draw.configuration,
                    constraints={"work <= 1": missed},
                )
            )
    assert tried == [[1, 2, 50], [3, 4]]  # the baseline is feasible, and no finalist
    assert draws.planned == 5
    assert list(draws.facts()) == [t.fingerprint for t in trials[:4]]
    assert told == [
        "none of 2 finalists keeps every constraint on all documents: 2 further finalists of the "
        "5 configurations that keep them on the sample"
    ]
    again = FinalsDraws(finals, listed=True)  # of a run that comes later
    assert list(again.portions(recorded)) == []
    assert again.planned == 5


def test_a_long_front_is_taken_at_even_steps() -> None:
    front = [trial(number, 1.0) for number in range(9)]
    assert [found.number for found in spread(front, 3)] == [0, 4, 8]
    assert [found.number for found in spread(front, 9)] == list(range(9))
    for count in range(1, 10):
        assert len({found.number for found in spread(front, count)}) == count
