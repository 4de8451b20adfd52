"""The report in a browser: opened from a file, at the widths of a phone, a tablet and a desk."""

import itertools
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sweep.winner.report.html import to_html
from tests.corpus_files import HEADER, write_corpus
from tests.e2e.browser import NEEDS_BROWSER
from tests.e2e.command import write_space
from tests.e2e.in_process import call_well
from tests.report_material import HOSTILE, hostile_report

pytestmark = [pytest.mark.slow, *NEEDS_BROWSER]

WIDTHS = (375, 768, 1280)
# Of every text that can be seen, the contrast with the background it lies on, if it is too low.
PALE = """() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const v = c[i] / 255;
    return sum + weight * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = channels(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  const pale = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const own = channels(element.closest("svg") ? style.fill : style.color);
    const pair = [light(own), light(behind(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) pale.push([walk.currentNode.data.trim().slice(0, 40), contrast]);
  }
  return pale;
}"""


def until(page: Any, condition: str) -> None:
    """Wait until an expression holds; Playwright's own way needs eval, which the page forbids."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {condition}")


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """Open a file as a visitor does; nothing may go wrong, ask a host, or pop up."""
    page = browser.new_page(**options)
    page.set_default_timeout(20_000)
    told: list[str] = []
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.append(f"error: {error}"))
    page.on("request", lambda request: told.append(f"request: {request.url}"))
    page.on("dialog", lambda dialog: (told.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(path.as_uri())
    until(page, "document.querySelectorAll('figure:not(.lively)').length == 0")
    yield page
    assert told == [f"request: {path.as_uri()}"]
    page.close()


@pytest.fixture(scope="module")
def report(undisturbed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the small grid."""
    path = tmp_path_factory.mktemp("reports") / "grid.html"
    call_well("report", "--out", path, cwd=undisturbed)
    return path


def test_the_page_fits_and_can_be_read(browser: Any, report: Path, screenshots: Path) -> None:
    with opened(browser, report, viewport={"width": WIDTHS[0], "height": 800}) as page:
        assert page.evaluate("scrollY") == 0
        for width, scheme in itertools.product(WIDTHS, ("light", "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            until(
                page,
                "[...document.querySelectorAll('.plot')].every(plot => Math.abs("
                "plot.querySelector('.main-svg').clientWidth - plot.clientWidth) < 2)",
            )
            assert page.evaluate("document.documentElement.scrollWidth") == width
            headline = page.locator("h1")
            assert re.fullmatch(r"Use #\d+", headline.inner_text())
            assert 0 <= headline.bounding_box()["y"] < 200
            figure = page.locator("#answer .tiles .value").first.bounding_box()
            assert figure["y"] < 800  # the honest score is on the first screen
            hint = "getComputedStyle(document.querySelector('#leaderboard caption'), '::after')"
            assert ("sideways" in page.evaluate(f"{hint}.content")) is (width == WIDTHS[0])
            assert page.locator(".plot .scatterlayer .point").count() >= 10
            assert page.locator(".still svg").first.is_hidden()
            assert page.evaluate(PALE) == []
            if "SWEEP_SCREENSHOTS" in os.environ:
                page.screenshot(path=screenshots / f"report-{width}-{scheme}.png", full_page=True)


def test_the_keyboard_reaches_everything(browser: Any, report: Path) -> None:
    with opened(browser, report, viewport={"width": 375, "height": 800}) as page:
        page.keyboard.press("Tab")
        focus = page.locator(":focus")
        assert focus.inner_text() == "Skip to the answer"
        assert focus.bounding_box()["y"] >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash") == "#answer"
        menu = page.get_by_label("Horizontal axis:")
        drawn = page.locator("#cost .plot .xtitle")
        before = drawn.text_content()
        menu.focus()
        page.keyboard.press("ArrowDown")
        title = "document.querySelector('#cost .plot .xtitle').textContent"
        until(page, f"{title} != {json.dumps(before)}")
        table = page.locator("#leaderboard .scroll")
        table.focus()
        page.keyboard.press("ArrowRight")
        until(page, "document.querySelector('#leaderboard .scroll').scrollLeft > 0")
        fold = page.locator("#effects details summary")
        fold.focus()
        page.keyboard.press("Enter")
        assert page.locator("#effects details table").is_visible()


def test_paper_has_the_headline_and_still_pictures(browser: Any, report: Path) -> None:
    with opened(browser, report, color_scheme="dark") as page:
        paper = page.pdf(format="A4", outline=True, tagged=True)
        titles = re.findall(rb"/Title \(((?:\\.|[^)])*)\)", paper)
        assert any(title.startswith(b"Use #") for title in titles)
        assert 2 <= len(re.findall(rb"/Type /Page\b", paper)) <= 20
        page.emulate_media(media="print")
        assert page.locator("h1").is_visible()
        assert page.locator(".still svg").first.is_visible()
        assert page.locator(".plot").first.is_hidden()
        assert page.locator("nav").is_hidden()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
            "rgb(255, 255, 255)"
        )
        assert page.evaluate(PALE) == []


def test_without_scripts_the_pictures_are_still(browser: Any, report: Path) -> None:
    page = browser.new_page(java_script_enabled=False, viewport={"width": 768, "height": 800})
    page.goto(report.as_uri())
    assert page.locator(".still svg").first.is_visible()
    assert page.locator(".plot").first.is_hidden()
    assert page.locator("h1").is_visible()
    page.close()


def test_no_text_acts(browser: Any, tmp_path: Path) -> None:
    """The texts would open a dialog, log an error, make a link, or widen the page."""
    text = f"<a href='https://example.org'>x</a> {' '.join(HOSTILE)} {'long' * 60}"
    path = tmp_path / "report.html"
    path.write_text(to_html(hostile_report(text)), encoding="utf-8")
    with opened(browser, path, viewport={"width": 375, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 375
        assert page.locator("#diagnosis h2").inner_text() == " ".join(text.split())
        assert page.locator("img, a:not([href^='#'])").count() == 0
        shown = page.locator("#leaderboard td.name").last.inner_text()
        assert "<a href='https:" in shown


def test_a_corpus_of_markup_is_shown_as_text(browser: Any, tmp_path: Path) -> None:
    """Through a run: what a document, a query, a title and a name hold reaches the page."""
    script = "<script>alert(1)</script>"
    documents = [
        {"_id": f"d{n}", "title": f"{script} {n}", "text": f"{script} apple {'pear ' * n}"}
        for n in range(3)
    ]
    queries = [
        {"_id": 'q"1', "text": f'"apple" </script>{script} שלום', "metadata": {"<b>": 1}},
        {"_id": "q2", "text": "plum", "metadata": {"<b>": 2}},
    ]
    folder = tmp_path / "<img src=x onerror=alert(2)>"
    qrels = f'{HEADER}q"1\td0\t1\nq2\td1\t1\n'
    write_corpus(folder, corpus=documents, queries=queries, qrels=qrels)
    name = "<b onclick=alert(3)>study"
    space = {"mode": "bm25", "top_k": [1, 3], "chunk": {"splitter": "words", "size": [3, 9]}}
    content = {"name": name, "corpus": folder.name, "objective": "ndcg@3", "space": space}
    write_space(tmp_path / "space.yaml", content)
    call_well("run", "space.yaml", "--threads", 1, cwd=tmp_path)
    path = tmp_path / call_well("report", cwd=tmp_path).stdout.strip()
    with opened(browser, path, viewport={"width": 375, "height": 800}) as page:
        assert name in page.inner_text("header")
        assert folder.name in page.inner_text("header")
        examples = page.inner_text("#diagnosis")
        assert script in examples
        assert page.locator("img, b, #diagnosis script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") == 375
