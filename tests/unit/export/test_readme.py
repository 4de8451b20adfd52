"""What a bundle's README says of measured times."""

from pathlib import Path
from typing import Any

import pytest

from sweep.errors import ExportError
from sweep.export.readme import readme_text
from sweep.export.write import check_target


def manifest(**changes: Any) -> dict[str, Any]:
    return {
        "label": "bm25",
        "made_by": "retrieval-sweep 0",
        "made_at": "2026-01-01",
        "study": "mine",
        "trial": 4,
        "configuration": {"mode": "bm25"},
        "corpus": {"name": "corpus", "documents": 2, "hash": "0" * 64},
        "chunks": 7,
        "models": {"encoder": None, "reranker": None},
        "machine": {"features": ["x86_64", "avx2"]},
        "metrics": {"latency_p95_ms": 0.123},
        "intervals": {"latency_p95_ms": [0.1, 0.15]},
        **changes,
    }


def conditions(*, busy: bool) -> dict[str, Any]:
    return {"queries": 30, "rounds": 20, "busy": busy, "others": 0.5, "waited": 0.1}


@pytest.mark.parametrize("busy", [False, True])
def test_latency_stands_with_its_interval_and_its_conditions(busy: bool) -> None:
    text = readme_text(manifest(latency=conditions(busy=busy)))
    assert "| latency_p95_ms | 0.123 | 0.1 to 0.15 |" in text
    assert "30 queries, the fastest of 20 rounds each" in text
    assert ("other programs used 50% of its processors" in text) == busy


def test_bundle_that_tells_no_conditions() -> None:
    assert "Times were measured where the study ran" in readme_text(manifest())


def test_a_folder_that_is_taken_says_by_whom(tmp_path: Path) -> None:
    folder = tmp_path / "winner"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"study": "mine", "trial": 4}', encoding="utf-8")
    with pytest.raises(ExportError, match="holds a bundle of the study 'mine', trial #4. Give"):
        check_target(folder, replace=False)
    check_target(folder, replace=True)
    (folder / "manifest.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ExportError, match="which holds a bundle. Give --force"):
        check_target(folder, replace=False)


def test_each_model_stands_with_the_precision_that_it_runs_in() -> None:
    model = {"name": "toy", "fingerprint": "ab" * 32}
    models = {"encoder": model, "reranker": {**model, "bundled": True}}
    text = readme_text(manifest(models=models, precision="bf16", rerank_precision="fp32"))
    assert "The encoder is `toy` (fingerprint abababababab...), loaded by name, in bf16." in text
    assert "The reranker is `toy` (fingerprint abababababab...), in this folder, in fp32." in text
    assert "loaded by name." in readme_text(manifest(models={"encoder": model, "reranker": None}))
