"""The rule of span relevance in a space file, and in what makes a study this study."""

from pathlib import Path
from typing import Any

import pytest

from sweep.errors import SpaceError
from sweep.study.space.read import Evaluation, space_schema
from tests.unit.study.space_files import make_space

BM25 = {"mode": "bm25"}


def test_the_span_rule_is_read_and_part_of_the_identity(tmp_path: Path) -> None:
    written = {"span_rule": "iou", "span_threshold": 0.25}
    space = make_space(tmp_path, BM25, evaluation=written)
    assert space.evaluation == Evaluation(span_rule="iou", span_threshold=0.25)
    plain = make_space(tmp_path, BM25)
    assert (plain.evaluation.span_rule, plain.evaluation.span_threshold) == ("coverage", 0.5)
    changed = [name for name, value in space.identity().items() if value != plain.identity()[name]]
    assert changed == ["evaluation"]
    assert space.identity()["evaluation"]["span_threshold"] == 0.25


@pytest.mark.parametrize(
    ("evaluation", "problem"),
    [
        (
            {"span_rule": "overlap"},
            "evaluation.span_rule: must be one of coverage, iou, containment",
        ),
        ({"span_threshold": 0}, "evaluation.span_threshold: must be > 0"),
        ({"span_threshold": 1.5}, "evaluation.span_threshold: must be <= 1"),
        ({"span_treshold": 0.5}, "Did you mean span_threshold?"),
    ],
)
def test_wrong_values_are_refused(tmp_path: Path, evaluation: Any, problem: str) -> None:
    with pytest.raises(SpaceError) as caught:
        make_space(tmp_path, BM25, evaluation=evaluation)
    assert problem in str(caught.value)


def test_a_threshold_beside_containment_is_noticed(tmp_path: Path) -> None:
    both = {"span_rule": "containment", "span_threshold": 0.5}
    (notice,) = make_space(tmp_path, BM25, evaluation=both).notices
    assert notice.text == "evaluation: nothing uses span_threshold"
    assert make_space(tmp_path, BM25, evaluation={"span_rule": "containment"}).notices == ()


def test_the_schema_states_rules_and_bounds() -> None:
    properties = space_schema()["$defs"]["EvaluationFile"]["properties"]
    assert properties["span_rule"]["enum"] == ["coverage", "iou", "containment"]
    threshold = properties["span_threshold"]
    assert (threshold["exclusiveMinimum"], threshold["maximum"]) == (0, 1)
