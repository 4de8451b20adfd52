"""CSV for spreadsheets: no text is a formula, and every text comes back."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from sweep.csv_text import csv_text, guarded, unguarded


@given(st.text(alphabet="=+-@'\t\rab1.", max_size=5))
def test_guarded_cells_are_no_formulas_and_read_back(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell
    number = cell.strip().lstrip("+-").replace(".", "", 1).isdigit()
    assert number or not guarded(cell).startswith(("=", "+", "-", "@", "\t", "\r"))


@given(
    st.lists(st.lists(st.text(alphabet="=+-@'\t\r\n\",;ab1", max_size=5), min_size=2, max_size=2))
)
def test_what_is_written_is_read_back(rows: list[list[str]]) -> None:
    for line_end in ("\n", "\r\n"):
        text = csv_text(("a", "b"), rows, line_end=line_end)
        read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert [[unguarded(cell) for cell in row] for row in read] == [["a", "b"], *rows]


def test_only_finite_numbers_are_left_as_they_are() -> None:
    cells = ("-inf", "+nan", "-infinity", "-1e999", "-1e3", "+2")
    assert [guarded(cell) for cell in cells] == [
        "'-inf",
        "'+nan",
        "'-infinity",
        "'-1e999",
        *cells[4:],
    ]
    assert csv_text(["a"], [["x\ry"]]) == 'a\n"x\ry"\n'


def test_texts_are_guarded_and_numbers_are_not() -> None:
    text = csv_text(("id", "=x"), [("=1+1", -0.5), ("-0.2500", None), ("@a", "b,c")])
    assert text == "id,'=x\n'=1+1,-0.5\n-0.2500,\n'@a,\"b,c\"\n"
    marked = csv_text(["a"], [["x\ny"]], line_end="\r\n", mark=True)
    assert list(csv.reader(io.StringIO(marked, newline=""))) == [["\ufeffa"], ["x\ny"]]
