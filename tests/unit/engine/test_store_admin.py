"""Looking after a store."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from sweep.engine.store.admin import describe_store, prune_store, verify_store
from sweep.engine.store.files import ABANDONED_S, list_files
from sweep.errors import StoreError
from tests.unit.engine.test_store_files import DAY, age, fill


def abandon(root: Path) -> Path:
    path = next(root.rglob("chunks/00")) / ".part-killed"
    path.write_bytes(bytes(500))
    age(path, ABANDONED_S + 60)
    return path


def names(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_description(tmp_path: Path) -> None:
    fill(tmp_path, count=4)
    abandon(tmp_path)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    facts = describe_store(tmp_path)
    sizes = [file.size for file in list_files(tmp_path)]
    assert (facts["store"], facts["files"], facts["bytes"]) == (str(tmp_path), 5, sum(sizes))
    assert [(stage["stage"], stage["files"]) for stage in facts["stages"]] == [
        ("chunks", 2),
        ("terms", 2),
        ("vectors", 1),
    ]
    assert facts["oldest_use"] < facts["stages"][1]["oldest_use"] < facts["newest_use"]
    (model,) = facts["models"]
    assert {name: model[name] for name in ("stage", "model", "precision", "of", "files")} == {
        "stage": "vectors",
        "model": "M",
        "precision": "fp32",
        "of": "query",
        "files": 1,
    }
    assert (facts["abandoned"]["files"], facts["abandoned"]["bytes"]) == (1, 500)
    assert facts["other_files"] == 1


def test_empty_store(tmp_path: Path) -> None:
    facts = describe_store(tmp_path)
    assert (facts["files"], facts["bytes"], facts["oldest_use"]) == (0, 0, None)
    assert prune_store(tmp_path, limit=0, dry_run=False).to_json()["removed_files"] == 0
    assert verify_store(tmp_path).to_json() == {"files": 0, "damaged": [], "repaired": 0}


@pytest.mark.parametrize("kind", ["nothing there", "a file"])
def test_store_that_is_none_is_the_users_input(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "store"
    if kind == "a file":
        root.write_text("", encoding="utf-8")
    for call in (
        lambda: describe_store(root),
        lambda: prune_store(root, limit=0, dry_run=False),
        lambda: verify_store(root),
    ):
        with pytest.raises(StoreError, match=f"store: must be a store, got {kind}. Name one with"):
            call()


@pytest.mark.parametrize(
    ("limit", "days", "left"),
    [
        (None, 2.5, 3),  # of ages 4, 3, 2 and 1 days, and a minute
        (None, 9.0, 5),
        (0, None, 0),
        (10**9, None, 5),
        (2 * 8_104, None, 2),  # one of 8,104 bytes, and the one of rows
        (2 * 8_104, 1.5, 2),
        (10**9, 0.0, 0),
    ],
)
def test_pruning(tmp_path: Path, limit: int | None, days: float | None, left: int) -> None:
    fill(tmp_path, count=4)
    part = abandon(tmp_path)
    before = names(tmp_path)
    seconds = None if days is None else days * DAY
    planned = prune_store(tmp_path, limit=limit, older_than_s=seconds, dry_run=True)
    assert names(tmp_path) == before
    pruned = prune_store(tmp_path, limit=limit, older_than_s=seconds, dry_run=False)
    assert not part.exists()
    assert len(list_files(tmp_path)) == len(pruned.left) == left
    assert pruned.freed == sum(file.size for file in pruned.removed) >= 500
    assert pruned.to_json() | {"dry_run": True} == planned.to_json()
    assert {file.used for file in pruned.left} == {
        file.used for file in sorted(planned.left, key=lambda file: file.used)[-left:] if left
    }


def test_pruning_removes_nothing_else(tmp_path: Path) -> None:
    fill(tmp_path)
    others = ["notes.txt", "chunks/00/notes.txt", "mine/00/" + "0" * 64 + ".safetensors"]
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine", encoding="utf-8")
        age(tmp_path / name, 1000 * DAY)
    prune_store(tmp_path, limit=0, older_than_s=0, dry_run=False)
    assert names(tmp_path) == sorted(others)


def test_check_of_every_file(tmp_path: Path) -> None:
    fill(tmp_path, count=6)
    files = list_files(tmp_path)
    told: list[tuple[int, int]] = []
    assert verify_store(tmp_path).damaged == {}
    content = files[1].path.read_bytes()
    files[1].path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    files[3].path.write_bytes(content[:100])
    files[-1].path.write_bytes(b"")
    found = verify_store(tmp_path, progress=lambda *step: told.append(step))
    expected = {files[n].path.relative_to(tmp_path).as_posix() for n in (1, 3, -1)}
    assert (found.files, set(found.damaged), found.repaired) == (7, expected, 0)
    assert told[-1] == (7, 7)
    assert len(list_files(tmp_path)) == 7
    assert verify_store(tmp_path, repair=True).repaired == 3
    assert len(list_files(tmp_path)) == 4
    assert verify_store(tmp_path).damaged == {}


def test_check_does_not_count_as_use(tmp_path: Path) -> None:
    fill(tmp_path)
    before = list_files(tmp_path)
    verify_store(tmp_path, repair=True)
    describe_store(tmp_path)
    assert list_files(tmp_path) == before


def test_file_that_cannot_be_read_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be as it should be."""
    fill(tmp_path)

    def refuse(path: Path) -> np.ndarray:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("sweep.engine.store.admin.read_bytes", refuse)
    found = verify_store(tmp_path, repair=True)
    assert set(found.damaged.values()) == {"Permission denied"}
    assert (len(found.damaged), found.repaired, len(list_files(tmp_path))) == (4, 0, 4)


def test_store_that_is_removed_meanwhile(tmp_path: Path) -> None:
    fill(tmp_path / "store")
    shutil.rmtree(tmp_path / "store" / "chunks")
    assert describe_store(tmp_path / "store")["files"] == 2
