"""Could labels change the choice: leads worked by hand, and how the closing message tells it."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sweep.winner.insight.holes import (
    Contender,
    HoleFigure,
    Holes,
    allowed_lead,
    holes_from_json,
    labels_enough,
    passing,
)
from sweep.winner.message import answer_text
from tests.unit.winner.test_note import answer

FIGURE = HoleFigure(trial=2, judged=0.641, reported=0.7, own_relevant=0.75, low=0.5, high=0.8)
HOLES = Holes(
    objective="ndcg@10",
    depth="judged@10",
    relevant=3,
    recommended=2,
    pairs=1204,
    contenders=(Contender(trial=1, lead=0.2), Contender(trial=0, lead=0.1)),
    labels=31,
    enough=12,
    nearest=0,
    attained=True,
    judged={0: 0.5, 1: 0.6, 2: 0.641},
    figures=(FIGURE,),
)


def told(holes: Holes | None) -> list[str]:
    lines = answer_text(replace(answer(), holes=holes)).splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith("HOLES")), None)
    return [] if first is None else lines[first : lines.index(next(filter(_is_end, lines)))]


def _is_end(line: str) -> bool:
    return line.startswith("STUDY")


def test_who_could_pass() -> None:
    """Means of the leads: .02, .01 (as much as is given away), -.1; the recommended is 7."""
    leads = np.array([[0.04, 0.0], [0.01, 0.01], [0.0, 0.0], [-0.1, -0.1]])
    allowed = allowed_lead(0.01, 1.0)
    found = passing([5, 6, 7, 8], leads, recommended=7, allowed=allowed)
    assert found == (Contender(trial=5, lead=pytest.approx(0.02)),)


def test_how_many_labels_are_enough() -> None:
    """Lead -.1 over 2 queries: -.2 in all; labels add .15, then .1: two of them pass 0."""
    steps = np.array([[[0.15, 0.05], [0.1, 0.0]], [[0.01, 0.0], [0.0, 0.0]]])
    assert labels_enough(steps, np.array([-0.1, -0.1]), allowed=0.0) == [2, None]
    assert labels_enough(steps, np.array([-0.1, 0.0]), allowed=0.03) == [3, None]
    assert labels_enough(steps, np.array([-0.1, 0.03]), allowed=0.03) == [3, 1]
    assert labels_enough(steps[:0], np.zeros(0), allowed=0.0) == []


def test_the_record_survives_json() -> None:
    content = json.loads(json.dumps(HOLES.to_json()))
    assert content["could_change"] is True
    assert holes_from_json(content) == HOLES


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {},
            [
                "12 labels could change the choice, to #0 -> sweep pool mine",
                "31 of 1,204 unjudged pairs favour one of 2 configurations that could pass #2",
            ],
        ),
        (
            {"contenders": HOLES.contenders[:1], "labels": 1, "enough": 1, "nearest": 1},
            [
                "1 label could change the choice, to #1 -> sweep pool mine",
                "1 of 1,204 unjudged pairs favour the one that could pass #2",
            ],
        ),
        (
            {"enough": None, "nearest": None, "attained": False},
            [
                "labels might change the choice, to #1 -> sweep pool mine",
                "31 of 1,204 unjudged pairs favour one of 2 configurations that might pass #2",
            ],
        ),
        ({"contenders": ()}, ["no label of 1,204 unjudged pairs can change the choice"]),
    ],
)
def test_the_closing_message(changes: dict[str, Any], expected: list[str]) -> None:
    figure = (
        "#2 .700 with holes as irrelevant, .750 with its own as relevant; .500 to .800 whatever "
        "the labels"
    )
    first, *others = [*expected, figure]
    lines = [f"HOLES judged@10 64 %: {first}", *(f"      {line}" for line in others)]
    assert told(replace(HOLES, **changes)) == lines


def test_nothing_unjudged_and_nothing_known() -> None:
    assert told(replace(HOLES, pairs=0)) == []
    assert told(None) == []  # these trials record no judged@10
    assert answer().to_json()["holes"] is None
    assert replace(answer(), holes=HOLES).to_json()["holes"]["labels"] == 31
