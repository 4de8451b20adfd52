"""The models of a process: found once, loaded late, in the precision that holds."""

from pathlib import Path

import pytest

from sweep.engine import pool
from sweep.engine.measure.report import Report
from sweep.engine.pool import ModelPool
from sweep.engine.store.store import Store
from sweep.errors import IndexingError, RankingError
from tests.toy_models import lookup_model

MINILM = "all-MiniLM-L6-v2"


def pool_in(
    folder: Path, precision: str = "auto", sample: tuple[str, ...] = ("ant",)
) -> ModelPool:
    store = Store(folder, Report())
    return ModelPool(store, precision=precision, threads=1, sample=sample)  # type: ignore[arg-type]


def test_model_is_found_once(tmp_path: Path, cross_encoder: str) -> None:
    models = pool_in(tmp_path, "fp32")
    assert models.encoder(MINILM) is models.encoder(MINILM)
    assert models.cross_encoder(cross_encoder) is models.cross_encoder(cross_encoder)
    assert models.encoder(MINILM)._model is None


def test_asked_for_precision_is_taken(tmp_path: Path, cross_encoder: str) -> None:
    for precision in ("fp32", "bf16"):
        models = pool_in(tmp_path, precision)
        assert models.encoder(MINILM).precision == precision
        assert models.cross_encoder(cross_encoder).precision == precision
    assert pool_in(tmp_path).cross_encoder(cross_encoder).precision == "fp32"


@pytest.mark.parametrize("holds", ["bf16", "fp32"])
def test_automatic_precision_is_checked_once_per_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: str
) -> None:
    checked: list[list[str]] = []

    def check(files: object, texts: list[str], *, threads: int) -> str:
        checked.append(texts)
        return holds

    monkeypatch.setattr(pool, "has_bf16", lambda: True)
    monkeypatch.setattr(pool, "safe_precision", check)
    sample = ("", "ant", *("bee" for _ in range(30)))
    for _ in range(2):
        assert pool_in(tmp_path, sample=sample).encoder(MINILM).precision == holds
    assert checked == [["ant"] + ["bee"] * 15]
    pool_in(tmp_path, sample=("cat",)).encoder(MINILM)
    assert len(checked) == 2


def test_processor_without_bf16_stays_in_fp32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "has_bf16", lambda: False)
    assert pool_in(tmp_path).encoder(MINILM).precision == "fp32"
    monkeypatch.setattr(pool, "has_bf16", lambda: True)
    assert pool_in(tmp_path, sample=()).encoder(MINILM).precision == "fp32"


def test_wrong_models_are_refused_before_they_are_loaded(tmp_path: Path) -> None:
    models = pool_in(tmp_path, "fp32")
    with pytest.raises(RankingError, match="must be a cross-encoder"):
        models.cross_encoder(MINILM)
    (tmp_path / "empty").mkdir()
    with pytest.raises(IndexingError, match="got no model file"):
        models.encoder(str(tmp_path / "empty"))
    assert models.encoder(lookup_model(tmp_path / "model", {"ant": [1.0]})).window == 512
