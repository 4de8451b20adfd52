"""A small grid over the island's pages, BM25 only, for tests of what goes wrong around a run."""

from pathlib import Path
from typing import Any

from tests.e2e.command import (
    USER_INPUT,
    Finished,
    comparable,
    rankings,
    recorded,
    trials_of,
    write_space,
)
from tests.e2e.island import write_island

GRID = {
    "name": "grid",
    "corpus": "island",
    "objective": "ndcg@5",
    "constraints": ["context_tokens <= 400"],
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "document"}},
    "space": {
        "mode": "bm25",
        "top_k": 5,
        "chunk": {"splitter": "words", "size": [6, 12]},
        "bm25": {"k1": [0.9, 1.6]},
    },
}
TRIALS = 5
RUN = ("run", "grid.yaml", "--threads", 1)


def begin(folder: Path, **changes: Any) -> Path:
    """Write the corpus and the space into a folder, and return the folder."""
    write_island(folder / "island")
    write_space(folder / "grid.yaml", {**GRID, **changes})
    return folder


def assert_whole(folder: Path, undisturbed: Path) -> None:
    """The study is what it would be if nothing had happened."""
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": TRIALS}
    mine, other = (trials_of(place, "grid") for place in (folder, undisturbed))
    assert comparable(mine) == comparable(other)
    mine, other = (rankings(place / "results", "grid") for place in (folder, undisturbed))
    assert mine == other


def assert_told(done: Finished, *told: str) -> None:
    """The command ended with one sentence that holds these words."""
    assert done.returncode == USER_INPUT, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error: ") == 1
    for words in told:
        assert words in done.stderr
