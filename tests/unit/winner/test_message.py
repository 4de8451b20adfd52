"""How the closing message tells a latency."""

import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.trials import TrialRecord
from sweep.winner.message import latency_text


def timed(p95: float, interval: tuple[float, float] | None, *, busy: bool) -> TrialRecord:
    return TrialRecord(
        number=0,
        state="COMPLETE",
        configuration=Configuration(mode="bm25", bm25=Bm25Config()),
        metrics={"latency_p95_ms": p95},
        intervals={} if interval is None else {"latency_p95_ms": interval},
        facts={"latency": {"busy": busy}},
    )


@pytest.mark.parametrize(
    ("p95", "interval", "text"),
    [
        (12.34, (10.8, 14.2), "p95 12 ms [11, 14]"),
        (1234.5, (1200.2, 1300.0), "p95 1,234 ms [1,200, 1,300]"),
        (4.21, (3.97, 10.2), "p95 4.2 ms [4.0, 10]"),
        (0.126, (0.094, 0.15), "p95 0.13 ms [0.09, 0.15]"),
        (3.0, None, "p95 3.0 ms"),
    ],
)
def test_latency_with_its_interval(
    p95: float, interval: tuple[float, float] | None, text: str
) -> None:
    assert latency_text(timed(p95, interval, busy=False)) == f"{text} on this machine"


def test_latency_of_a_busy_machine_is_marked() -> None:
    text = latency_text(timed(12.0, (10.0, 14.0), busy=True))
    assert text == "p95 12 ms [10, 14] on this machine, measured while it was busy"
