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


def test_texts_are_guarded_and_numbers_are_not() -> None:
    text = csv_text(("id", "=x"), [("=1+1", -0.5), ("-0.2500", None), ("@a", "b,c")])
    assert text == "id,'=x\n'=1+1,-0.5\n-0.2500,\n'@a,\"b,c\"\n"
    marked = csv_text(["a"], [["x\ny"]], line_end="\r\n", mark=True)
    assert list(csv.reader(io.StringIO(marked, newline=""))) == [["\ufeffa"], ["x\ny"]]
