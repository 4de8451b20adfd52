"""The dashboard as a person sees it in a browser, while a run is going on and after it."""

import json
import os
import re
import signal
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browser import NEEDS_BROWSER
from tests.e2e.command import DONE, PATIENCE_S, start, wait_for_trials, write_space
from tests.e2e.island import write_island
from tests.e2e.test_dashboard import read_address

RELOADS = 50
SPACE = {
    "name": "island",
    "corpus": "island corpus",
    "objective": "ndcg@5",
    "constraints": ["context_tokens <= 150"],
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": 12}},
    "space": {
        "mode": "bm25",
        "top_k": [3, 5],
        "chunk": {"splitter": "words", "size": [10, 20, 30, 40], "overlap": [0, 0.25]},
        "bm25": {"k1": [0.9, 1.2, 1.5]},
    },
}
CONFIGURATIONS = 49  # 2 * 4 * 2 * 3, and the baseline
pytestmark = [pytest.mark.slow, *NEEDS_BROWSER]


class Visitor:
    """A person at a browser, who notes what a page asks other hosts for and what goes wrong."""

    def __init__(self, browser: Any, address: str, screenshots: Path) -> None:
        self.address, self.screenshots = address, screenshots
        self.page = page = browser.new_page(viewport={"width": 1400, "height": 1000})
        self.elsewhere: list[str] = []
        self.errors: list[str] = []
        page.set_default_timeout(20_000)
        page.on("request", self._note_request)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("response", self._note_response)

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def _note_response(self, response: Any) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def open(self, path: str, sees: str) -> Any:
        """Open a page, wait for a text on it, and return the page."""
        self.page.goto(self.address + path)
        self.page.get_by_text(sees).first.wait_for()
        return self.page

    def shoot(self, name: str) -> None:
        """Save what is seen."""
        self.page.screenshot(path=self.screenshots / f"{name}.png", full_page=True)

    def found_nothing_wrong(self) -> bool:
        """Tell that no toast says something is wrong, no request failed, none left this host."""
        toasts = self.page.locator(".notistack-MuiContent-error, .notistack-MuiContent-warning")
        assert toasts.count() == 0, toasts.all_inner_texts()
        assert (self.errors, self.elsewhere) == ([], [])
        return True


@contextmanager
def dashboard(folder: Path) -> Iterator[str]:
    """Serve the dashboard of a folder's studies while the block runs; give its address."""
    with start("dashboard", "--port", 0, cwd=folder) as process:
        try:
            yield read_address(process)
        finally:
            os.kill(process.pid, signal.SIGINT)
            process.wait(timeout=PATIENCE_S)


def study_detail(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}api/studies/1", timeout=PATIENCE_S) as answer:
        assert answer.status == 200
        found: dict[str, Any] = json.loads(answer.read())
        return found


def look_while_it_runs(visitor: Visitor) -> None:
    page = visitor.open("dashboard/studies/1", sees="Best Trial")
    page.get_by_text("island corpus: 10 documents").wait_for()
    text = page.inner_text("body")
    for seen in ("island (id=1)", "ndcg@5", "9 choose", "bm25, words 12/0, top 5"):
        assert seen in text
    assert "Objective" not in text  # it has its name
    visitor.shoot("1-running")
    page = visitor.open("dashboard/studies/1/note", sees=f"of {CONFIGURATIONS} configurations")
    assert re.search(r"Running: \d+ of 49 configurations", page.inner_text("body"))
    assert "the same command goes on" in page.inner_text("body")
    visitor.shoot("2-running-note")
    page = visitor.open("dashboard/studies/1/trials", sees="Trial 2")
    assert page.get_by_text("Complete").count() >= 3
    visitor.found_nothing_wrong()


def look_at_the_end(visitor: Visitor) -> None:
    page = visitor.open("dashboard/studies/1", sees="ndcg@5 by top_k")
    titles = page.locator(".gtitle").all_text_contents()
    assert titles == [
        "ndcg@5 and what it costs",
        "The leaders with their 95 % intervals",
        "What each parameter does to ndcg@5, all else equal",
        "ndcg@5 by top_k, all else equal",
    ]
    drawn = page.locator("[id^='user-defined-plot'] .scatterlayer .point")
    assert drawn.count() > CONFIGURATIONS
    assert page.get_by_text('{"').count() == 0  # nothing packed
    visitor.shoot("3-study")
    page = visitor.open("dashboard/studies/1/note", sees="Use #")
    text = page.inner_text("body")
    for words in (
        "cross-validated",
        "against the baseline #",
        "sweep export island --out winner/island",
    ):
        assert words in text
    assert page.locator("table tr").count() >= 11
    visitor.shoot("4-note")
    page = visitor.open("dashboard/studies/1/smartSelection", sees="User Attribute recall@10")
    rows = page.locator("table").last.locator("tbody tr")
    assert rows.count() == CONFIGURATIONS
    assert page.locator("body").bounding_box()["width"] <= page.viewport_size["width"]
    visitor.shoot("5-trials")
    visitor.found_nothing_wrong()


def look_at_the_recommended(visitor: Visitor, number: int) -> None:
    page = visitor.open(f"dashboard/studies/1/trials?numbers={number}", sees="recommended")
    assert page.get_by_text(
        f"sweep export island --trial {number} --out winner/island"
    ).is_visible()
    visitor.shoot("6-trial")
    for name, column in (("ranked-lists.jsonl", "document"), ("scores-by-query.csv", "ndcg@5")):
        card = page.locator(".MuiCard-root", has_text=name).last
        card.get_by_label("show artifact table").click()
        table = page.locator("[role=dialog] table, .MuiModal-root table").last
        table.get_by_text("signs of an approaching storm").first.wait_for()
        assert column in table.inner_text()
        visitor.shoot(f"7-{name}")
        page.keyboard.press("Escape")
        table.wait_for(state="detached")
    visitor.found_nothing_wrong()


def test_the_dashboard_during_a_run_and_after_it(
    browser: Any, tmp_path: Path, screenshots: Path
) -> None:
    """The run is stopped for the looks at it, so that it cannot be over before they are done."""
    write_island(tmp_path / "island corpus")
    write_space(tmp_path / "island.yaml", SPACE)
    database = tmp_path / "results" / "sweep.db"
    with start("run", "island.yaml", "--threads", 1, cwd=tmp_path) as run:
        wait_for_trials(database, 3, run)
        os.kill(run.pid, signal.SIGSTOP)
        try:
            with dashboard(tmp_path) as address:
                visitor = Visitor(browser, address, screenshots)
                look_while_it_runs(visitor)
                os.kill(run.pid, signal.SIGCONT)
                seen = [len(study_detail(address)["trials"]) for _ in range(RELOADS)]
                assert seen == sorted(seen)
                out, told = run.communicate(timeout=PATIENCE_S)
                assert run.returncode == DONE, told
                assert "storage" not in told
                assert "not up to date" not in told
                look_at_the_end(visitor)
                look_at_the_recommended(visitor, int(out.split("USE   #")[1].split()[0]))
        finally:
            run.kill()  # stopped as it may be
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
