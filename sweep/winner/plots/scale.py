"""From values to places on paper: linear and logarithmic axes with round ticks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MARGIN = 0.05  # of the range, beside the outermost values
MOST_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """One axis.

    Attributes:
        low, high: what lies at its ends; logarithms (base 10) where it is logarithmic.
        pixels: where its ends lie.
        log: whether it is logarithmic.
        ticks: values with their texts.
    """

    low: float
    high: float
    pixels: tuple[float, float]
    log: bool
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return where a value lies."""
        own = _logarithm(value) if self.log else value
        start, end = self.pixels
        return start + (own - self.low) / (self.high - self.low) * (end - start)


def make_scale(
    values: Sequence[float], axis: Mapping[str, Any], *, pixels: tuple[float, float]
) -> Scale:
    """Return an axis on which all values can be seen.

    Args:
        values: what it is to show; may be empty.
        axis: Plotly's axis: `type`, `range`, `tickvals` with `ticktext`.
        pixels: where its ends lie.
    """
    log = axis.get("type") == "log"
    own = [_logarithm(value) for value in values] if log else list(values)
    if "range" in axis:
        low, high = axis["range"]
    else:
        low, high = min(own, default=0.0), max(own, default=1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        margin = MARGIN * (high - low)
        low, high = low - margin, high + margin
    if "tickvals" in axis:
        texts = axis.get("ticktext") or [f"{value:g}" for value in axis["tickvals"]]
        ticks = tuple(zip(axis["tickvals"], texts, strict=True))
    elif log:
        ticks = _powers(low, high)
    else:
        ticks = tuple((value, tick_text(value)) for value in round_values(low, high))
    return Scale(low=low, high=high, pixels=pixels, log=log, ticks=ticks)


def round_values(low: float, high: float) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten between both, seven at most."""
    rough = (high - low) / MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]


def tick_text(value: float) -> str:
    """Return a round number as short as it can be."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _powers(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Return 1, 2 and 5 times the powers of ten between two logarithms; few of them if many."""
    for factors in ((1, 2, 5), (1,)):
        found = [
            factor * 10.0**power
            for power in range(math.floor(low), math.ceil(high) + 1)
            for factor in factors
            if low <= math.log10(factor) + power <= high
        ]
        if len(found) <= 2 * MOST_TICKS:
            break
    return tuple((value, tick_text(value)) for value in found)


def _logarithm(value: float) -> float:
    return math.log10(value) if value > 0 else -12.0
