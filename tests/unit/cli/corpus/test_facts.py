"""Facts about a corpus: one form of numbers."""

from sweep.cli.corpus.facts import fact_rows


def test_numbers_have_one_form() -> None:
    facts = {
        "name": "x_y",
        "documents": {
            "count": 1200,
            "words": {"mean": 1040.43, "min": 615.0, "p05": 1.0, "max": 14.47},
            "duplicate_texts": [["a", "b"], ["c", "d"]],
            "labelled_share": 0.9753,
            "scripts": {"Latin": 1.0},
        },
        "unjudged": [],
        "ids": ["q1", "q2"],
        "spans": None,
    }
    assert fact_rows(facts) == [
        ("name", "x_y"),
        ("documents count", "1,200"),
        ("documents words mean", "1,040.4"),
        ("documents words min", "615"),
        ("documents words p05", "1"),
        ("documents words max", "14.5"),
        ("documents duplicate texts", "a = b, c = d"),
        ("documents labelled share", "97.5%"),
        ("documents scripts Latin", "100%"),
        ("unjudged", "none"),
        ("ids", "q1, q2"),
        ("spans", "none"),
    ]
