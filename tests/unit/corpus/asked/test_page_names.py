"""Which page a cell names, however people write it."""

import pytest

from sweep.corpus.asked.page_names import PageFinder
from sweep.records import Document

TITLES = {
    "people/leave.md": "Annual leave",
    "people/sick.html": "Sick leave",
    "ops/rules.md": "Rules",
    "it/rules.md": "Rules",
    "it/faq.md": "Questions; answers",
    "guide/index.html": "Guide",
    "top.txt": "top",
    "d/two.md": "Two",
    "d/two.html": "Two, printed",
}
FINDER = PageFinder([Document(id=id_, text="x", title=title) for id_, title in TITLES.items()])


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("people/leave.md", "people/leave.md"),
        ("People\\Leave.MD", "people/leave.md"),
        ("./people/leave", "people/leave.md"),
        ("/people/leave/", "people/leave.md"),
        ("leave", "people/leave.md"),
        ("leave.md", "people/leave.md"),
        ("leave.html", "people/leave.md"),
        ("handbook/people/leave.md", "people/leave.md"),
        ("https://intranet.example/handbook/people/sick?x=1#top", "people/sick.html"),
        ("https://intranet.example/people/sick.html", "people/sick.html"),
        ("https://intranet.example/guide/", "guide/index.html"),
        ("people/leave.md#carry-over", "people/leave.md"),
        ("people/sick%2Ehtml", "people/sick.html"),
        ("annual  LEAVE", "people/leave.md"),
        ("ops/../people/leave.md", "people/leave.md"),
        ("d/two.md", "d/two.md"),
        ("two.html", "d/two.html"),
        ("it/rules", "it/rules.md"),
        ("Questions; answers", "it/faq.md"),
        ("top", "top.txt"),
    ],
)
def test_a_name_finds_its_page(name: str, id_: str) -> None:
    assert FINDER.find(name).id == id_


@pytest.mark.parametrize("name", ["rules", "rules.md", "Rules"])
def test_a_name_that_fits_two_pages_is_ambiguous(name: str) -> None:
    found = FINDER.find(name)
    assert found.id is None
    assert sorted(found.ids) == ["it/rules.md", "ops/rules.md"]


@pytest.mark.parametrize(
    "name",
    ["../people/leave.md", "../../etc/passwd", "..", ".", "/", "ave.md", "leave.docx", "http://[",
     "https://intranet.example/", "wiki/other/annual"],
)  # fmt: skip
def test_a_name_that_fits_no_page_finds_none(name: str) -> None:
    assert FINDER.find(name).ids == ()


def test_the_nearest_pages_resemble_the_name() -> None:
    assert FINDER.nearest("anual leave")[0] == "people/leave.md"
    assert FINDER.nearest("zzzz") == []
