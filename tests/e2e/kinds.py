"""The island's questions with metadata, and a small grid in which a kind of them is critical."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.command import write_space
from tests.e2e.island import write_island

KINDS = {
    **dict.fromkeys(("q1", "q3", "q5", "q6", "q7", "q9"), "plain"),
    **dict.fromkeys(("q2", "q8"), "code"),  # q4 has no kind
}
MUST = {"where": {"kind": "plain"}, "metric": "recall@5", "at_least": 0.7}
CONDITION = "recall@5 >= 0.7 where kind=plain"
SPACE = {
    "name": "kinds",
    "corpus": "island",
    "objective": "ndcg@5",
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "document"}},
    "must": [MUST],
    "space": {
        "mode": "bm25",
        "top_k": [1, 5],
        "chunk": {"splitter": "words", "size": [6, 12, 48]},
    },
}
RUN = ("run", "kinds.yaml", "--threads", 1)


def begin(folder: Path, **changes: Any) -> Path:
    """Write the corpus and the space into a folder, and return the folder."""
    path = write_island(folder / "island") / "queries.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, record in enumerate(records):
        if record["_id"] in KINDS:
            record["metadata"] = {"kind": KINDS[record["_id"]], "source": f"ticket {number}"}
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_space(folder / "kinds.yaml", {**SPACE, **changes})
    return folder
