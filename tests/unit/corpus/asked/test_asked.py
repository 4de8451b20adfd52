"""A table of questions against pages: columns, rows, what is joined, what is not resolved."""

import csv
import datetime
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sweep.corpus.asked.columns import guess_asked_columns, parse_asked_columns
from sweep.corpus.asked.read import AskedCorpus, read_asked, unresolved_csv
from sweep.corpus.asked.rows import split_pages
from sweep.errors import CorpusError

PAGES = {
    "people/leave.md": "# Annual leave\n\nYou get 25 days a year. Carry over **five** days.\n",
    "people/sick.md": "# Sick leave\n\nCall your manager before nine. Then rest.\n",
    "a/rules.md": "# Rules A\n\nNo smoking here. Close the door.\n",
    "b/rules.md": "# Rules B\n\nNo running here. Close the door.\n",
}
HEADER = ("Question", "Page", "Quote")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "pages"


def ask(folder: Path, *rows: tuple[Any, ...], header: tuple[str, ...] = HEADER) -> AskedCorpus:
    path = folder.parent / "questions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return read_asked(folder, path, name="mine")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("Question", "Page", "Quote"), {"question": 0, "page": 1, "quote": 2}),
        (("Frage", "Seite", "Zitat", "Nr."), {"question": 0, "page": 1, "quote": 2, "id": 3}),
        (("Requête", "Fichier", "Extrait", "Catégorie"),
         {"question": 0, "page": 1, "quote": 2, "kind": 3}),
        (("Pregunta", "PÁGINA", "Cita", "Puntuación"),
         {"question": 0, "page": 1, "quote": 2, "grade": 3}),
        (("#", "query", "file_name", "answer"), {"id": 0, "question": 1, "page": 2, "quote": 3}),
        (("other", "prompt", "URL"), {"question": 1, "page": 2}),
    ],
    ids=["english", "german", "french", "spanish", "short", "url"],
)  # fmt: skip
def test_columns_are_guessed(columns: tuple[str, ...], expected: dict[str, int]) -> None:
    guessed = guess_asked_columns(columns, {})
    assert guessed == {field: (columns[number],) for field, number in expected.items()}


def test_several_columns_of_pages_and_named_ones() -> None:
    columns = ("Page 1", "Page 2", "Question", "Text", "Quote", "Answer")
    assert guess_asked_columns(columns, {})["page"] == ("Page 1", "Page 2")
    assert guess_asked_columns(columns, {})["quote"] == ("Quote",)
    given = parse_asked_columns(["question=Text", "quote=Answer", "quote=Quote"])
    guessed = guess_asked_columns(columns, given)
    assert (guessed["question"], guessed["quote"]) == (("Text",), ("Answer", "Quote"))


@pytest.mark.parametrize("text", ["question", "nonsense=x", "question=", "=x"])
def test_a_column_option_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(CorpusError, match="--column: must be FIELD=COLUMN"):
        parse_asked_columns([text])


def test_pages_are_separated_by_semicolon_bar_or_line_end() -> None:
    assert split_pages(" a.md; b.md|c.md\nd, e.md ;;") == ("a.md", "b.md", "c.md", "d, e.md")


def test_rows_become_queries_labels_and_spans(folder: Path) -> None:
    asked = ask(
        folder,
        ("how much leave?", "leave.md", "You get 25 days a year."),
        ("carry over?", "Annual leave", "carry over five days"),
        ("when to call?", "", "call your manager before nine"),
        ("both?", "leave; people/sick", ""),
    )
    corpus = asked.corpus
    assert [q.id for q in corpus.queries] == ["q001", "q002", "q003", "q004"]
    assert corpus.qrels["q004"] == {"people/leave.md": 1, "people/sick.md": 1}
    texts = {d.id: d.text for d in corpus.documents}
    assert [(s.query_id, texts[s.document_id][s.start : s.end]) for s in corpus.spans] == [
        ("q001", "You get 25 days a year."),
        ("q002", "Carry over **five** days"),
        ("q003", "Call your manager before nine"),
    ]
    assert asked.resolved.outcomes == {
        "exact": 1, "tolerant": 1, "by quote": 1, "page only": 1, "not resolved": 0,
    }  # fmt: skip
    assert asked.resolved.unresolved == ()
    assert [
        (t.row.place.at, t.wording.text, t.wording.slips) for t in asked.resolved.tolerated
    ] == [("3", "Carry over **five** days", 0), ("4", "Call your manager before nine", 0)]
    assert any("found by the quote: 1 of the rows (4)" in str(notice) for notice in corpus.notices)


@pytest.mark.parametrize(
    ("row", "why", "nearest", "kept"),
    [
        (("q?", "rules.md", ""), "'rules.md', which fits 2 pages", "a/rules.md", ""),
        (("q?", "anual leave", ""), "'anual leave', which is not there", "people/leave.md", ""),
        (("q?", "../people/leave.md", ""), "which is not there", "people/leave.md", ""),
        (("q?", "gone.md", "No smoking here"), "which is not there", "a/rules.md", ""),
        (("q?", "", "Close the door."), "quotes 'Close the door.', which fits 2 places",
         "a/rules.md", ""),
        (("q?", "", "Nothing of the kind is written."), "stands in no page", None, ""),
        (("q?", "", ""), "names no page and quotes nothing", None, ""),
        (("", "leave.md", ""), "has no question", None, ""),
        (("q?", "leave.md", "Call your manager before nine."), "does not stand in people/leave.md",
         "people/sick.md", "page people/leave.md"),
        (("q?", "leave.md; gone.md", "You get 25 days"), "'gone.md', which is not there", None,
         "page people/leave.md with its passage"),
        (("q?", "leave.md", "days"), "fits 2 places of people/leave.md", "people/leave.md",
         "page people/leave.md"),
    ],
    ids=["two files of one name", "misspelt", "outside", "quote elsewhere", "two pages", "no page",
         "nothing", "no question", "not in the page", "one of two", "two places"],
)  # fmt: skip
def test_what_cannot_be_resolved_is_told(
    folder: Path, row: tuple[str, ...], why: str, nearest: str | None, kept: str
) -> None:
    asked = ask(folder, ("fine?", "leave.md", ""), row)
    (one,) = asked.resolved.unresolved
    assert why in one.why
    assert one.row.place.at == "3"
    assert one.kept == kept
    assert asked.resolved.outcomes[one.outcome] >= 1
    if nearest is not None:
        assert one.candidates[0] == nearest
    (line,) = csv.DictReader(io.StringIO(unresolved_csv([one])))
    assert (line["row"], line["why"], line["kept"]) == ("3", one.why, kept or "nothing")


def test_an_ambiguous_name_is_settled_by_the_quote(folder: Path) -> None:
    asked = ask(folder, ("q?", "rules.md", "No smoking here."))
    assert asked.corpus.qrels == {"q001": {"a/rules.md": 1}}
    assert asked.resolved.outcomes["by quote"] == 1


def test_equal_questions_are_one(folder: Path) -> None:
    asked = ask(folder, ("q?", "leave.md", ""), ("q? ", "sick.md", ""), ("other?", "sick.md", ""))
    assert asked.corpus.qrels["q001"] == {"people/leave.md": 1, "people/sick.md": 1}
    assert [q.id for q in asked.corpus.queries] == ["q001", "q002"]
    assert any(
        "joined with the earlier row: 1 of the rows (3)" in str(n) for n in asked.corpus.notices
    )


def test_ids_grades_and_metadata(folder: Path) -> None:
    header = ("ID", "Question", "Page", "Grade", "Type", "Author")
    asked = ask(
        folder,
        ("7", "a?", "leave", "3", "fact", "Ann"),
        ("7", "b?", "sick", "1", "fact", ""),
        ("8", "c?", "sick", "high", "", ""),
        ("", "d?", "sick", "0", "", ""),
        ("9", "a?", "leave", "2", "", ""),
        header=header,
    )
    corpus = asked.corpus
    assert [(q.id, dict(q.metadata)) for q in corpus.queries] == [
        ("7", {"kind": "fact", "Author": "Ann"}),
        ("q002", {}),
    ]
    assert corpus.qrels == {"7": {"people/leave.md": 3}, "q002": {"people/sick.md": 0}}
    assert [one.why for one in asked.resolved.unresolved] == [
        "has the id '7' of another question (2)",
        "has the grade 'high', which is no whole number (write for example 0, 1 or 2, or leave "
        "the cell empty for 1)",
        "gives people/leave.md grade 2, after grade 3 in 2",
    ]


def test_a_workbook_with_numbers_dates_and_empty_rows(folder: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["Nr", "Frage", "Seite", "Zitat", "Stand"],
        [1, "Wie viel?", "leave", "25 days", datetime.date(2026, 3, 1)],
        [None, None, None, None, None],
        [3.0, 2026, "sick.md", None, None],
    ):
        sheet.append(row)
    book.create_sheet("Notes").append(["remarks"])
    path = folder.parent / "q.xlsx"
    book.save(path)
    asked = read_asked(folder, path, name="mine")
    assert [(q.id, q.text, dict(q.metadata)) for q in asked.corpus.queries] == [
        ("1", "Wie viel?", {"Stand": "2026-03-01T00:00:00"}),
        ("3", "2026", {}),
    ]
    assert any("sheet without questions" in str(n) for n in asked.corpus.notices)


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([("q?", "gone.md", "")], "got none of 1 rows"),
        ([("", "", "")], "must hold questions, got empty rows"),
        ([], "must hold questions, got empty rows"),
    ],
    ids=["none resolved", "blank", "no rows"],
)
def test_no_question_is_an_error(folder: Path, rows: list[Any], error: str) -> None:
    with pytest.raises(CorpusError, match=error):
        ask(folder, *rows)


def test_unfit_tables_are_refused(folder: Path) -> None:
    with pytest.raises(CorpusError, match="must have a column of questions and one of pages"):
        ask(folder, ("x", "y", "z"), header=("a", "b", "c"))
    path = folder.parent / "q.docx"
    path.write_text("x")
    with pytest.raises(CorpusError, match="must be a table of questions"):
        read_asked(folder, path, name="mine")
    path = folder.parent / "questions.csv"
    path.write_text("Question,Page\nq?,leave\n")
    with pytest.raises(CorpusError, match="--column page: must name a column .* Did you mean 'Pa"):
        read_asked(folder, path, name="mine", columns={"page": ("Pgae",)})
