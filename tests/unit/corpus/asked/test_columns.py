"""Where a table of questions names its columns, and what the user calls them."""

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sweep.corpus.asked.read import LISTED, AskedCorpus, read_asked, unresolved_csv
from sweep.corpus.columns import find_column, guess_columns
from sweep.errors import CorpusError

TITLED = [["HR questions 2026"], [], ["Question", "Page"], ["how long?", "leave"]]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nLeave is 25 days.\n", encoding="utf-8")
    return folder


def ask(pages: Path, name: str, content: str, **columns: tuple[str, ...]) -> AskedCorpus:
    path = pages.parent / name
    path.write_text(content, encoding="utf-8")
    return read_asked(pages, path, name="mine", columns=columns)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "HR questions 2026\n\nQuestion,Page\nhow long?,leave\n"),
        ("q.csv", "HR questions 2026,\n,\nQuestion,Page\nhow long?,leave\n"),
        ("q.csv", "HR questions 2026\n\nQuestion;Page\nhow long?;leave\n"),
        ("q.csv", "Questions,2026\n\nQuestion,Page\nhow long?,leave\n"),
        ("q.tsv", "HR questions 2026\n\nQuestion\tPage\nhow long?\tleave\n"),
    ],
    ids=["title", "padded", "semicolons", "two cells", "tsv"],
)
def test_a_title_above_the_header_is_left_out(pages: Path, name: str, content: str) -> None:
    asked = ask(pages, name, content)
    assert asked.corpus.qrels == {"q001": {"leave.md": 1}}
    assert [q.text for q in asked.corpus.queries] == ["how long?"]
    assert any("header found in row 3" in str(notice) for notice in asked.corpus.notices)


def test_a_title_in_a_sheet_is_left_out(pages: Path) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in TITLED:
        sheet.append(row)
    book.save(pages.parent / "q.xlsx")
    asked = read_asked(pages, pages.parent / "q.xlsx", name="mine")
    assert asked.corpus.qrels == {"q001": {"leave.md": 1}}
    assert any("header found in row 3" in str(notice) for notice in asked.corpus.notices)


def test_a_header_in_the_first_row_is_not_told(pages: Path) -> None:
    asked = ask(pages, "q.csv", "Question,Page\nquestion,leave\n")
    assert [q.text for q in asked.corpus.queries] == ["question"]
    assert not any("header" in str(notice) for notice in asked.corpus.notices)


def test_named_columns_may_be_in_another_case_and_others_are_listed(pages: Path) -> None:
    rows = "The ask,Where\nhow long?,leave\n"
    asked = ask(pages, "q.csv", f"Title\n{rows}", question=("the ASK",), page=("where",))
    assert asked.corpus.qrels == {"q001": {"leave.md": 1}}
    assert asked.tables[0].given == {"question", "page"}
    with pytest.raises(CorpusError, match=r"got 'Here'. .*There are: 'The ask', 'Where'\."):
        ask(pages, "q.csv", rows, question=("The ask",), page=("Here",))
    assert find_column("a", ["A", "a"]) == "a"
    assert find_column("a", ["A", "Ä", "_a_"]) is None
    assert guess_columns(["ID", "Body Text"], "documents", {"text": "body text"}) == {
        "text": "Body Text",
        "id": "ID",
    }


def test_what_is_listed_as_unresolved_is_no_formula_and_can_be_mended(pages: Path) -> None:
    asked = ask(pages, "q.csv", "Question,Page\n=SUM(A1)?,gone.md\nhow long?,leave\n")
    text = unresolved_csv(asked.resolved.unresolved)
    assert text.splitlines()[0] == ",".join(LISTED)
    assert "'=SUM(A1)?" in text
    mended = ask(pages, "unresolved.csv", text.replace("gone.md", "leave"))
    assert [q.text for q in mended.corpus.queries] == ["=SUM(A1)?"]
