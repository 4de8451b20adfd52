"""Python code that comes with a model runs only where the model is named."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweep.errors import IndexingError
from sweep.index.embed import Encoder
from sweep.models import TRUST, find_model, trusts_code
from tests.toy_models import lookup_model

CODE = """
import torch

class Doubler(torch.nn.Module):
    def forward(self, features, **kwargs):
        features["sentence_embedding"] = 2 * features["sentence_embedding"]
        return features

    @classmethod
    def load(cls, *arguments, **options):
        return cls()
"""


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """A process looks a model up once; these tests change who is trusted."""
    yield
    find_model.cache_clear()


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model with a module of its own, that doubles vectors."""
    folder = tmp_path / "own"
    name = lookup_model(folder, {"ant": [1.0, 0.0]})
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules.append({"idx": 2, "name": "2", "path": "", "type": "doubling.Doubler"})
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (folder / "doubling.py").write_text(CODE, encoding="utf-8")
    return name


def embedded(name: str) -> list[float]:
    encoder = Encoder(find_model(name), precision="fp32", threads=1)
    found: list[float] = encoder.embed(encoder.inputs(["ant"])[0], role="query")[0].tolist()
    return found


def test_code_is_not_run_unless_asked(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRUST, raising=False)
    with pytest.raises(IndexingError, match="comes with Python code of its own") as caught:
        embedded(model)
    assert f"if you trust it, set {TRUST}={model}." in str(caught.value)
    monkeypatch.setenv(TRUST, "another/model, 1, true")
    with pytest.raises(IndexingError, match="comes with Python code of its own"):
        embedded(model)


def test_code_runs_where_the_model_is_named(
    model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    untrusted = find_model(model).fingerprint
    find_model.cache_clear()
    monkeypatch.setenv(TRUST, f"another/model, {model}/")
    assert embedded(model) == [2.0, 0.0]
    assert find_model(model).fingerprint != untrusted  # the code is part of what it computes


def test_hub_names_must_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRUST, "org/model,  other ")
    assert trusts_code("org/model")
    assert trusts_code("other")
    assert not trusts_code("org/model-2")
    assert not trusts_code("")
