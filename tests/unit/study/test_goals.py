"""Objectives and constraints that a corpus cannot be scored on, or that a clock decides."""

from pathlib import Path
from typing import Any

import pytest

from sweep.errors import SpaceError
from sweep.study.metrics import check_goals, constraints_of, timing_notices
from tests.engine_inputs import handbook
from tests.unit.study.space_files import make_space


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"objective": "span_recall"}, "objective: span_recall needs answer spans"),
        ({"constraints": ["span_iou >= 0.2"]}, "constraints: span_iou needs answer spans"),
    ],
)
def test_span_metrics_need_spans(tmp_path: Path, keys: dict[str, Any], says: str) -> None:
    with pytest.raises(SpaceError, match=says):
        check_goals(make_space(tmp_path, {"mode": "bm25"}, **keys), handbook())


@pytest.mark.parametrize("name", ["work", "index_bytes", "latency_p95_ms", "build_s"])
def test_a_cost_of_whole_configurations_does_not_decide_alone(tmp_path: Path, name: str) -> None:
    """No test over queries, no interval and no tied set could be made from it."""
    alone = make_space(tmp_path, {"mode": "bm25"}, objective=name)
    with pytest.raises(SpaceError, match=f"objective: must have a score for each .*{name}"):
        check_goals(alone, handbook())
    check_goals(make_space(tmp_path, {"mode": "bm25"}, objective=["ndcg@10", name]), handbook())


def test_constraints_are_known_by_the_metrics_own_name(tmp_path: Path) -> None:
    space = make_space(tmp_path, {"mode": "bm25"}, constraints=["recall@10 >= 0.5", "work <= 9"])
    assert [str(c) for c in constraints_of(space)] == ["recall@10 >= 0.5", "work <= 9"]
    check_goals(space, handbook())


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ({}, None),
        ({"constraints": ["context_tokens <= 2000"]}, None),
        ({"constraints": ["latency_p95_ms <= 50"]}, "latency_p95_ms"),
        (
            {"objective": ["rr", "latency_p50_ms"], "constraints": ["build_s <= 60"]},
            "latency_p50_ms, build_s",
        ),
    ],
)
def test_a_study_that_a_clock_decides_is_told_to_be_not_reproducible(
    tmp_path: Path, keys: dict[str, Any], names: str | None
) -> None:
    notices = timing_notices(make_space(tmp_path, {"mode": "bm25"}, **keys))
    assert len(notices) == (names is not None)
    assert all(n.startswith(f"{names}: ") and "not reproducible" in n for n in notices)
