"""What quality is given away for, and how much; no statistics here, so that it loads fast."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from sweep.errors import WinnerError
from sweep.text_lines import nearest, shorten

CostName = Literal["context_tokens", "work", "index_bytes", "latency_p50_ms", "latency_p95_ms"]
COST_NAMES: tuple[CostName, ...] = get_args(CostName)
TIMES = ("latency_p50_ms", "latency_p95_ms")  # measured: compared by their intervals
MAX_LOSS = 0.01  # observed loss given away for a lower cost, of the metric's scale
TIMED = (*TIMES, "build_s")  # all that is measured: no other run finds the same
WORTH = 0.01  # of a metric's scale: a smaller difference is worth nothing to anybody
COSTS: tuple[CostName, ...] = ("context_tokens", "work", "index_bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """What a study gives quality away for. It is no part of what its trials are.

    Attributes:
        max_loss: observed loss to the best that is given away, a share of the metric's scale.
        costs: what is saved for it, the most important first; lower is cheaper; may be empty.
    """

    max_loss: float = MAX_LOSS
    costs: tuple[CostName, ...] = COSTS

    @property
    def timed(self) -> tuple[str, ...]:
        """Return the costs that are measured times."""
        return tuple(name for name in self.costs if name in TIMES)


def check_costs(names: Sequence[str], *, where: str) -> tuple[CostName, ...]:
    """Return names of costs, checked.

    Raises: WinnerError for a name that is no cost, or occurs twice.
    """
    for name in names:
        if name not in COST_NAMES:
            other = "Choose among them."
            hint = nearest(name, COST_NAMES, otherwise=other, cutoff=0.4, quoted=False)
            raise WinnerError(
                f"{where}: must be among {', '.join(COST_NAMES)}, got {shorten(name)}. {hint}"
            )
        if names.count(name) > 1:
            raise WinnerError(f"{where}: must name a cost once, got {name} twice. Remove one.")
    return cast(tuple[CostName, ...], tuple(names))
