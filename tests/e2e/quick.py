"""A quick look at the island among pages that nobody has judged, and what tests ask of it."""

import json
import random
from pathlib import Path
from typing import Any

import yaml

from sweep.study.study import Study
from tests.e2e.command import write_space
from tests.e2e.grid import GRID
from tests.e2e.island import ISLAND, write_island

DOCUMENTS, SAMPLED, CONFIGURATIONS = 60, 25, 9
SAMPLE = {"documents": SAMPLED, "keep": "judged", "finalists": 3}
SPACE = {
    "mode": "bm25",
    "top_k": 5,
    "chunk": {"splitter": "words", "size": [6, 12]},
    "bm25": {"k1": [0.4, 1.6], "b": [0.2, 0.75]},
}
FLATTERED = (
    f"searched on {SAMPLED} of {DOCUMENTS} documents (all 10 judged ones kept): every score"
)
FINALISTS = (
    f"configurations that were searched on {SAMPLED} of {DOCUMENTS} documents (grid@sample)"
)


def begin(folder: Path, sample: Any = SAMPLE, **changes: Any) -> Path:
    """Write the island with pages that nobody has judged, mixed from its words, and a space."""
    write_island(folder / "island")
    words = " ".join(f"{title} {text}" for title, text in ISLAND.values()).split()
    mixed = random.Random(3)
    with (folder / "island" / "corpus.jsonl").open("a", encoding="utf-8") as file:
        for number in range(DOCUMENTS - len(ISLAND)):
            text = " ".join(mixed.choices(words, k=30))
            file.write(json.dumps({"_id": f"other-{number}", "text": text}) + "\n")
    given = {**GRID, "space": SPACE, **changes, **({"sample": sample} if sample else {})}
    write_space(folder / "grid.yaml", given)
    return folder


def by_print(folder: Path, name: str) -> dict[str, Any]:
    return {t.fingerprint: t for t in opened(folder, name).complete}


def opened(folder: Path, name: str) -> Study:
    return Study(name, str(folder / "results" / "sweep.db"))


def begin_space(folder: Path, sample: Any) -> None:
    space = yaml.safe_load((folder / "grid.yaml").read_text())
    space.pop("sample", None)
    write_space(folder / "grid.yaml", {**space, **({"sample": sample} if sample else {})})
