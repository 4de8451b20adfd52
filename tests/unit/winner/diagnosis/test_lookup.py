"""Which query of a corpus is meant."""

import pytest

from sweep.records import Query
from sweep.winner.diagnosis.lookup import Lookup, find_query

TEXTS = {
    "q1": "How many days of leave do I have?",
    "q2": "Who approves parking?",
    "q3": "Who approves leave in summer?",
    "parking": "Where is the canteen?",
    "q5": "年次休暇は何日ありますか",
    "q6": "who approves  PARKING",
    "q7": "",
}
QUERIES = [Query(id=id_, text=text) for id_, text in TEXTS.items()]


@pytest.mark.parametrize(
    ("text", "how", "rows"),
    [
        ("q3", "id", (2,)),
        ("parking", "id", (3,)),  # an id before a word of a text
        ("how many days of LEAVE do i have", "text", (0,)),
        ("Who approves parking", "text", (1, 5)),
        ("summer leave", "words", (2,)),
        ("leave", "words", (2, 0)),
        ("何日", "words", (4,)),
        ("Where is the cantine", "spelling", (3,)),
        ("What is the wifi password", "none", ()),
        ("who repairs leave", "none", (2,)),
        ("???", "none", ()),
    ],
)
def test_id_then_text_then_words_then_spelling(text: str, how: str, rows: tuple[int, ...]) -> None:
    found = find_query(QUERIES, text)
    assert (found.how, found.rows) == (how, rows)
    assert found.row == (rows[0] if how != "none" and len(rows) == 1 else None)


def test_none_of_no_queries() -> None:
    assert find_query([], "anything") == Lookup(how="none", rows=())
