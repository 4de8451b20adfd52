"""A Plotly figure of ours as an SVG image: for paper, for mail, and where no script may run.

It draws what our plots consist of: scatter traces of markers and lines with error bars, bars,
linear and logarithmic axes side by side, tick texts, and lines across the plot. Colours of texts
and grids are left to the page (classes `small`, `grid`, `zero`).
"""

import html
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sweep.winner.plots.scale import Scale, make_scale

WIDTH = 760
RIGHT, TOP, BOTTOM = 16, 8, 46
CHARACTER = 6.4  # px of a letter of 11 px, on average
LONGEST_TICK = 46  # characters of a line
LINE, NARROW_LINE = 15, 11.5  # px of a line of text, alone and among others
DASHES = {"dot": "2 3", "dash": "6 4", "dashdot": "6 3 2 3", "longdash": "10 4"}
Figure = Mapping[str, Any]
Bars = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Where the plot lies: the scale of each horizontal axis by name, that of the vertical one."""

    x: Mapping[str, Scale]
    y: Scale
    left: float
    bottom: float


def still_svg(figure: Figure, *, title: str) -> str:
    """Return an SVG element that shows a figure.

    Args:
        figure: the JSON form of a Plotly figure.
        title: its name, for who does not see it.
    """
    layout, traces = figure["layout"], figure["data"]
    rows = [plain_lines(text) for text in layout["yaxis"].get("ticktext", ())]
    longest = max((len(line) for lines in rows for line in lines), default=6)
    left = 24.0 + min(LONGEST_TICK, longest) * CHARACTER
    height = max(300.0, 26.0 * len(rows) + 20)
    frame = _frame(layout, traces, left=left, bottom=TOP + height)
    legend, legend_height = _legend(traces, left, TOP + height + BOTTOM)
    parts = [
        *_axes(layout, frame),
        *_lines(layout, frame),
        *(part for trace in traces for part in _trace(trace, frame)),
        *legend,
    ]
    total = TOP + height + BOTTOM + legend_height
    name = html.escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total:.0f}" role="img" '
        f'aria-label="{name}">{"".join(parts)}</svg>'
    )


def plain_lines(text: str) -> list[str]:
    """Return the lines of a figure's text, without Plotly's markup."""
    lines = re.split(r"<br ?/?>", str(text))
    return [html.unescape(re.sub(r"</?[bi]>", "", line)) for line in lines]


def _frame(layout: Figure, traces: Sequence[Figure], *, left: float, bottom: float) -> _Frame:
    scales = {}
    for name in [n for n in layout if re.fullmatch(r"xaxis\d*", n)]:
        low, high = layout[name].get("domain", (0, 1))
        width = WIDTH - RIGHT - left
        place = (left + low * width, left + high * width)
        axis = name.replace("axis", "")
        values = [v for t in traces if t.get("xaxis", "x") == axis for v in _reach(t, "x")]
        scales[axis] = make_scale(values, layout[name], pixels=place)
    values = [value for trace in traces for value in _reach(trace, "y")]
    y = make_scale(values, layout["yaxis"], pixels=(bottom, TOP))
    return _Frame(x=scales, y=y, left=left, bottom=bottom)


def _reach(trace: Figure, axis: str) -> Iterator[float]:
    """Yield what an axis must show of a trace: its values with their error bars."""
    values = trace.get(axis) or ()
    for value, (down, up) in zip(values, _error(trace, axis, len(values)), strict=True):
        if value is not None:
            yield value - down
            yield value + up


def _error(trace: Figure, axis: str, count: int) -> Bars:
    bars = trace.get(f"error_{axis}")
    if not bars or bars.get("visible") is False:
        return [(0.0, 0.0)] * count
    return list(zip(bars.get("arrayminus", bars["array"]), bars["array"], strict=True))


def _text(x: float, y: float, *lines: str, anchor: str = "middle") -> str:
    return "".join(
        f'<text class="small" x="{x:.1f}" y="{y + number * NARROW_LINE:.1f}" '
        f'text-anchor="{anchor}">{html.escape(line)}</text>'
        for number, line in enumerate(lines)
    )


def _axes(layout: Figure, frame: _Frame) -> Iterator[str]:
    for name, scale in frame.x.items():
        axis = layout[name.replace("x", "xaxis", 1)]
        for value, text in scale.ticks:
            x = scale.place(value)
            yield f'<path class="grid" d="M{x:.1f} {TOP}V{frame.bottom:.1f}"/>'
            yield _text(x, frame.bottom + LINE, *plain_lines(text))
        title = plain_lines(axis.get("title", {}).get("text", ""))
        yield _text(sum(scale.pixels) / 2, frame.bottom + 2.3 * LINE, *title)
    right = WIDTH - RIGHT
    for value, text in frame.y.ticks:
        y = frame.y.place(value)
        yield f'<path class="grid" d="M{frame.left:.1f} {y:.1f}H{right}"/>'
        lines = [
            line if len(line) <= LONGEST_TICK else f"{line[: LONGEST_TICK - 1]}…"
            for line in plain_lines(text)
        ]
        top = y + 4 - (len(lines) - 1) * NARROW_LINE / 2
        yield _text(frame.left - 6, top, *lines, anchor="end")


def _lines(layout: Figure, frame: _Frame) -> Iterator[str]:
    """Yield lines across the plot: those at one value of an axis."""
    for shape in layout.get("shapes", ()):
        if shape.get("x0") == shape.get("x1") and shape.get("xref") == "x":
            x = frame.x["x"].place(shape["x0"])
            yield f'<path class="zero" d="M{x:.1f} {TOP}V{frame.bottom:.1f}"/>'
        elif shape.get("y0") == shape.get("y1") and shape.get("yref") == "y":
            y = frame.y.place(shape["y0"])
            yield f'<path class="grid" d="M0 {y:.1f}H{WIDTH - RIGHT}"/>'


def _trace(trace: Figure, frame: _Frame) -> Iterator[str]:
    x_scale, xs, ys = frame.x[trace.get("xaxis", "x")], trace.get("x") or (), trace.get("y") or ()
    points = [
        (x_scale.place(x), frame.y.place(y)) if x is not None and y is not None else None
        for x, y in zip(xs, ys, strict=True)
    ]
    color = _color(trace)
    if "lines" in trace.get("mode", "markers"):
        joined = "L".join(f"{p[0]:.1f} {p[1]:.1f}" for p in points if p)
        if joined:
            yield f'<path fill="none" stroke="{color}"{_dash(trace)} d="M{joined}"/>'
    yield from _error_bars(trace, frame, color)
    if "markers" in trace.get("mode", "markers"):
        marker = trace.get("marker", {})
        for point in points:
            if point:
                yield _marker(*point, marker, color)


def _error_bars(trace: Figure, frame: _Frame, color: str) -> Iterator[str]:
    xs, ys = trace.get("x") or (), trace.get("y") or ()
    x_scale = frame.x[trace.get("xaxis", "x")]
    along, across = _error(trace, "x", len(xs)), _error(trace, "y", len(ys))
    for x, y, (left, right), (down, up) in zip(xs, ys, along, across, strict=True):
        if x is None or y is None:
            continue
        if left or right:
            ends = f"M{x_scale.place(x - left):.1f} {frame.y.place(y):.1f}"
            yield f'<path stroke="{color}" d="{ends}H{x_scale.place(x + right):.1f}"/>'
        if down or up:
            ends = f"M{x_scale.place(x):.1f} {frame.y.place(y - down):.1f}"
            yield f'<path stroke="{color}" d="{ends}V{frame.y.place(y + up):.1f}"/>'


def _dash(trace: Figure) -> str:
    pattern = DASHES.get(trace.get("line", {}).get("dash", "solid"))
    return "" if pattern is None else f' stroke-dasharray="{pattern}"'


def _color(trace: Figure) -> str:
    color = trace.get("marker", {}).get("color") or trace.get("line", {}).get("color")
    return html.escape(str(color or "#7a7a7a"))


def _marker(x: float, y: float, marker: Figure, color: str) -> str:
    size, symbol = float(marker.get("size", 7)) / 2, str(marker.get("symbol", "circle"))
    if symbol == "star":
        return f'<path fill="{color}" d="{_star(x, y, size * 1.2)}"/>'
    if symbol.startswith("diamond"):
        d = f"M{x:.1f} {y - size:.1f}l{size:.1f} {size:.1f}l{-size:.1f} {size:.1f}"
        return f'<path fill="{color}" d="{d}l{-size:.1f} {-size:.1f}z"/>'
    if symbol.startswith("x"):
        d = f"M{x - size:.1f} {y - size:.1f}l{2 * size:.1f} {2 * size:.1f}"
        return f'<path stroke="{color}" d="{d}m{-2 * size:.1f} 0l{2 * size:.1f} {-2 * size:.1f}"/>'
    paint = f'fill="{color}"'
    if symbol.endswith("-open"):
        paint = f'fill="none" stroke="{color}" stroke-width="2"'
    return f'<circle {paint} cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'


def _star(x: float, y: float, size: float) -> str:
    corners = []
    for number in range(10):
        radius = size if number % 2 == 0 else size * 0.45
        angle = math.pi * (number / 5 - 0.5)
        corners.append(f"{x + radius * math.cos(angle):.1f} {y + radius * math.sin(angle):.1f}")
    return f"M{'L'.join(corners)}z"


def _legend(traces: Sequence[Figure], left: float, top: float) -> tuple[list[str], float]:
    """Return the legend, and how much room it takes."""
    parts: list[str] = []
    x, y = left, top + 6
    for trace in traces:
        name = " ".join(plain_lines(trace.get("name", "")))
        if not name or trace.get("showlegend") is False:
            continue
        width = 34 + len(name) * CHARACTER
        if x + width > WIDTH and x > left:
            x, y = left, y + LINE + 3
        color = _color(trace)
        if "markers" in trace.get("mode", "markers"):
            small = {**trace.get("marker", {}), "size": 9}
            parts.append(_marker(x + 6, y, small, color))
        else:
            parts.append(f'<path stroke="{color}"{_dash(trace)} d="M{x} {y}h13"/>')
        parts.append(_text(x + 17, y + 4, name, anchor="start"))
        x += width
    return parts, (y - top + LINE if parts else 0.0)
