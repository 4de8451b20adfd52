"""A report as one HTML file that needs nothing else: no other file, no other host.

Every text is escaped by the template engine. A content security policy names the two scripts by
their hashes, so that a browser runs these and nothing else, and permits no request at all.
"""

import base64
import functools
import hashlib
import re
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sweep.winner.plots.script import plotly_script
from sweep.winner.plots.still import still_svg
from sweep.winner.report.content import Plot, Report, kind_of, pieces

ROW, BESIDE = 27, 150  # px of a row with a name, and of what is not rows
LOWEST = 400  # px
BELOW = 62  # px from the plot to its legend: the axis with its title is between
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, sans-serif"
_TAG = re.compile(r"<(?!(?:/?b|br|/?extra)>)")  # not one of these


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A figure in the page: its id, what Plotly draws, and a still picture of it."""

    id: str
    spec: dict[str, Any]
    still: Markup


def to_html(report: Report) -> str:
    """Return the report as a page."""
    figures = _figures(report)
    script = Markup(_source("page.js").strip())
    plotly = Markup(_closed(plotly_script())) if any(figures.values()) else ""
    page: str = (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            sections=report.sections(),
            figures=figures,
            style=Markup(_source("style.css").strip()),
            plotly=plotly,
            script=script,
            policy=_policy([str(plotly), str(script)] if plotly else []),
            kind_of=kind_of,
            pieces=pieces,
        )
    )
    return page


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("sweep.winner.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _figures(report: Report) -> dict[Plot, Drawn | None]:
    plots = [
        block
        for section in report.sections().values()
        for block in section.blocks
        if isinstance(block, Plot)
    ]
    return {plot: _drawn(plot, number) for number, plot in enumerate(plots, start=1)}


def _drawn(plot: Plot, number: int) -> Drawn | None:
    figure = plot.draw()
    if figure is None:
        return None
    spec = figure.to_plotly_json()
    height = _height(spec["layout"])
    layout = {**spec["layout"], "title": None, "height": height}
    layout["font"] = {**layout.get("font", {}), "family": FONT}
    layout["margin"] = {**layout.get("margin", {}), "t": 16}
    layout["legend"] = {**layout.get("legend", {}), "y": -BELOW / (height - BELOW - 50)}
    layout.pop("template", None)
    spec = _without_links({"data": list(spec["data"]), "layout": layout})
    still = Markup(still_svg(spec, title=f"{plot.title}. {plot.alt}"))
    return Drawn(id=f"figure-{number}", spec=spec, still=still)


def _without_links(value: Any) -> Any:
    """Return a figure in which tags are text, but for those that our plots themselves use.

    Plotly takes tags in texts for markup, links among them.
    """
    if isinstance(value, str):
        return _TAG.sub("&lt;", value)
    if isinstance(value, dict):
        return {key: _without_links(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_links(inner) for inner in value]
    return value


def _height(layout: dict[str, Any]) -> int:
    rows = layout.get("yaxis", {}).get("ticktext") or ()
    return max(LOWEST, BESIDE + ROW * len(rows))


def _closed(script: str) -> str:
    """Return a script that cannot end the element it stands in."""
    return re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE)


def _policy(scripts: list[str]) -> str:
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        f"img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
