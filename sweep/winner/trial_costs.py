"""What a trial costs, as people read it."""

from sweep.trials import TrialRecord
from sweep.winner.rounding import megabytes, milliseconds

TITLES = {
    "context_tokens": "context tokens",
    "latency_p95_ms": "p95 ms",
    "index_bytes": "index MB",
}
SAID = {
    "context_tokens": "{} context tokens",
    "latency_p95_ms": "p95 {} ms",
    "index_bytes": "index {} MB",
}


def costs_of(trial: TrialRecord) -> dict[str, str]:
    """Return what a trial costs, as people read it, by title."""
    found = {}
    for name, title in TITLES.items():
        if (value := trial.metrics.get(name)) is not None:
            if name == "latency_p95_ms":
                found[title] = milliseconds(value)
            elif name == "index_bytes":
                found[title] = megabytes(value)
            else:
                found[title] = f"{value:,.0f}"
    return found
