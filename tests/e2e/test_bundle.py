"""A configuration in production: a folder that needs nothing of the sweep that found it."""

import getpass
import json
import pickle
import shutil
import socket
import sysconfig
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.e2e.command import (
    DONE,
    FAILED,
    ROOT,
    USER_INPUT,
    Finished,
    read_json,
    run_python,
    succeed,
    sweep,
    write_space,
)
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import QUESTIONS, Island, write_island
from tests.toy_models import lookup_model

pytestmark = pytest.mark.slow

ABSENT = ("optuna", "pandas", "sqlalchemy", "alembic")  # from a production environment
ASK_EVERYTHING = """
import json, pickle, sys
import sweep

def refuse(*arguments, **options):
    raise RuntimeError("a bundle must not need pickle")

pickle.load = refuse
bundle = sweep.load(sys.argv[1])
texts = json.loads(sys.argv[2])
many = [[hit.to_json() for hit in hits] for hits in bundle.search_many(texts)]
one = [hit.to_json() for hit in bundle.search(texts[0], top_k=2)]
print(json.dumps({"many": many, "one": one}))
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """Bundles far from where they were made: the folder of the sweep is gone."""

    rerank: Path
    bm25: Path
    made_in: str
    rankings: dict[str, list[tuple[int, float]]]  # of the rerank trial, by query


@dataclass(frozen=True, slots=True)
class Production:
    """An environment that has everything but what only a sweep needs."""

    packages: Path

    def python(self, *arguments: object, cwd: Path) -> Finished:
        """Run `python ARGUMENTS` in it."""
        return run_python("-S", *arguments, cwd=cwd, env={"PYTHONPATH": str(self.packages)})

    def sweep(self, *arguments: object, cwd: Path) -> Finished:
        """Run `sweep ARGUMENTS` in it, which must end well."""
        done = self.python("-m", "sweep", *arguments, cwd=cwd)
        assert done.returncode == DONE, done.stderr
        return done


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Production:
    packages = tmp_path_factory.mktemp("packages")
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(folder).iterdir():
            if not entry.name.lower().startswith(ABSENT) and entry.suffix != ".pth":
                (packages / entry.name).symlink_to(entry)
    made = Production(packages)
    for name in ABSENT:
        assert made.python("-c", f"import {name}", cwd=packages).returncode != DONE
    return made


@pytest.fixture(scope="module")
def moved(island: Island, tmp_path_factory: pytest.TempPathFactory) -> Moved:
    factory = tmp_path_factory.mktemp("factory") / "workshop of zaphod"
    shutil.copytree(island.folder, factory)
    shutil.copytree(island.store, factory / "results" / ".store")
    user = {"USER": "zaphod", "LOGNAME": "zaphod", "HOME": str(factory)}
    rerank, bm25 = island.number("rerank"), island.number("bm25")
    succeed("export", "island", "--out", "out/rerank", "--trial", rerank, cwd=factory, env=user)
    succeed("export", "island", "--out", "out/bm25", "--trial", bm25, cwd=factory, env=user)
    files = read_json("show", rerank, cwd=factory)["files"]
    rows = pq.read_table(factory / files["ranking"]).to_pylist()
    found: dict[str, list[tuple[int, float]]] = {query: [] for query in QUESTIONS}
    for row in sorted(rows, key=lambda row: row["rank"]):
        found[row["query_id"]].append((row["chunk"], row["score"]))
    place = tmp_path_factory.mktemp("elsewhere") / "prödüction bundles"
    shutil.move(factory / "out", place)
    shutil.rmtree(factory)
    return Moved(place / "rerank", place / "bm25", str(factory), found)


def test_bugcase_110_a_moved_bundle_returns_what_the_trial_returned(
    moved: Moved, production: Production, tmp_path: Path
) -> None:
    texts = json.dumps([text for text, _ in QUESTIONS.values()])
    done = production.python("-c", ASK_EVERYTHING, moved.rerank, texts, cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    answers = json.loads(done.stdout)
    for expected, hits in zip(moved.rankings.values(), answers["many"], strict=True):
        assert [(hit["chunk"], hit["score"]) for hit in hits] == expected
        assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert answers["one"] == answers["many"][0][:2]
    assert list(tmp_path.iterdir()) == []


def test_verify_proves_it_without_optuna(
    moved: Moved, production: Production, tmp_path: Path
) -> None:
    proof = production.sweep("verify", moved.bm25, "--json", cwd=tmp_path)
    assert json.loads(proof.stdout) == {
        "passed": True, "queries": 9, "of": 9, "equal": 9, "swaps": 0,
        "permitted_gap": 0.0, "same_machine": True, "wrong": [],
    }  # fmt: skip
    assert "passed: 9 of 9" in production.sweep("verify", moved.bm25, cwd=tmp_path).stdout


def test_where_each_query_is_reranked_a_sample_is_checked(
    moved: Moved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.export.verify.MOST_RERANKED", 4)
    text = call_well("verify", moved.rerank, cwd=tmp_path).stdout
    assert text == (
        "passed: 4 of 4 queries equal, id for id\n"
        "4 of 9 queries checked, spread evenly; --all checks every one\n"
    )
    ran = [
        itemgetter("queries", "of")(call_json("verify", bundle, *words, cwd=tmp_path))
        for bundle, words in (
            (moved.rerank, ("--all",)),
            (moved.bm25, ()),
            (moved.bm25, ("--sample", 2)),
        )
    ]
    assert ran == [(9, 9), (9, 9), (2, 9)]
    refused = call("verify", moved.bm25, "--all", "--sample", 2, cwd=tmp_path)
    assert refused.returncode == USER_INPUT


def test_query_answers_without_optuna(
    moved: Moved, production: Production, tmp_path: Path
) -> None:
    asked = production.sweep("query", moved.bm25, "petrels", "-k", 2, "--json", cwd=tmp_path)
    hits = json.loads(asked.stdout)
    assert hits[0]["document_id"] == "birds"
    assert hits[0]["metadata"] == {"section": "b"}
    shown = production.sweep("query", moved.bm25, "crêpes, café", cwd=tmp_path)
    assert "Crêpes are served" in shown.stdout
    nothing = production.sweep("query", moved.bm25, "zzz", cwd=tmp_path)
    assert nothing.stdout == ""
    assert "nothing found" in nothing.stderr


def test_bugcase_110_nothing_in_a_bundle_names_the_place_it_was_made_in(moved: Moved) -> None:
    names = [moved.made_in, "workshop of zaphod", "zaphod", str(ROOT), str(Path.home())]
    if len(getpass.getuser()) > 4:
        names.append(getpass.getuser())
    if len(socket.gethostname()) > 4:
        names.append(socket.gethostname())
    for path in (*moved.rerank.rglob("*"), *moved.bm25.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.suffix == ".parquet":  # compressed
                table = pq.read_table(path)
                content = repr((table.to_pylist(), table.schema.metadata)).encode()
            for name in names:
                assert name.encode() not in content, f"{path.name} holds {name}"


def test_bugcase_107_a_bundle_holds_no_pickle(moved: Moved) -> None:
    marks = {bytes([0x80, protocol]) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)}
    for folder in (moved.rerank, moved.bm25):
        for path in folder.rglob("*"):
            if path.is_file():
                assert path.suffix not in {".pkl", ".pickle", ".joblib", ".bin", ".pt"}
                assert path.read_bytes()[:2] not in marks, path


def test_a_bundle_says_what_it_is(moved: Moved) -> None:
    manifest = json.loads((moved.rerank / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["format"] == 1
    assert manifest["study"] == "island"
    assert manifest["dimension"] == 384
    assert manifest["intervals"]["ndcg@5"]
    assert manifest["models"]["encoder"]["name"] == "all-MiniLM-L6-v2"
    files = {path.name for path in moved.rerank.iterdir()}
    assert files == {
        "config.yaml", "manifest.json", "chunks.parquet", "expected.parquet", "terms.safetensors",
        "vectors.faiss", "README.md",
    }  # fmt: skip
    readme = (moved.rerank / "README.md").read_text(encoding="utf-8")
    assert "sweep.load" in readme
    assert "rerank.depth" in readme


@pytest.mark.parametrize("name", ["chunks.parquet", "terms.safetensors", "config.yaml"])
def test_a_changed_file_is_named(moved: Moved, tmp_path: Path, name: str) -> None:
    bundle = shutil.copytree(moved.bm25, tmp_path / "bundle")
    content = (bundle / name).read_bytes()
    (bundle / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    done = sweep("query", bundle, "boat", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert name in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda bundle: (bundle / "chunks.parquet").unlink(), "chunks.parquet"),
        (lambda bundle: (bundle / "manifest.json").write_text("{"), "manifest.json"),
        (lambda bundle: (bundle / "manifest.json").write_text('{"format": 99}'), "99"),
        (lambda bundle: (bundle / "manifest.json").write_text("[]"), "manifest.json"),
        (lambda bundle: (bundle / "manifest.json").write_text('{"format": 1}'), "manifest.json"),
    ],
    ids=["file missing", "not JSON", "newer format", "not a mapping", "empty"],
)
def test_a_damaged_bundle_is_refused(moved: Moved, tmp_path: Path, change: Any, says: str) -> None:
    bundle = shutil.copytree(moved.bm25, tmp_path / "bundle")
    change(bundle)
    done = sweep("verify", bundle, cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_verify_fails_when_a_trial_would_return_something_else(
    moved: Moved, tmp_path: Path
) -> None:
    """The proof is worth something: other expected lists do not pass."""
    bundle = shutil.copytree(moved.bm25, tmp_path / "bundle")
    script = """
import json, sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from sweep.export.layout import file_checksum
folder = Path(sys.argv[1])
table = pq.read_table(folder / "expected.parquet")
rows = table["chunks"].to_pylist()
rows[0] = rows[0][::-1]
index = table.column_names.index("chunks")
table = table.set_column(index, "chunks", pa.array(rows, type=pa.list_(pa.int64())))
pq.write_table(table, folder / "expected.parquet")
manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
manifest["files"]["expected.parquet"] = file_checksum(folder / "expected.parquet")
(folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
"""
    assert run_python("-c", script, bundle, cwd=tmp_path).returncode == DONE
    done = sweep("verify", bundle, cwd=tmp_path)
    assert done.returncode == FAILED
    assert "failed: 1 of 9 queries differ: q1" in done.stdout


def test_export_replaces_a_bundle_only_when_forced(island: Island, tmp_path: Path) -> None:
    out, number = tmp_path / "new" / "out", island.number("bm25")
    arguments = ("export", "island", "--out", out, "--trial", number)
    succeed(*arguments, cwd=island.folder, env=island.env)
    (out / "mark").touch()
    refused = sweep(*arguments, cwd=island.folder, env=island.env)
    assert refused.returncode == USER_INPUT
    assert "--force" in refused.stderr
    assert (out / "mark").exists()
    succeed(*arguments, "--force", cwd=island.folder, env=island.env)
    assert not (out / "mark").exists()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_export_leaves_other_folders_alone(island: Island, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    arguments = ("export", "island", "--out", tmp_path, "--force")
    refused = sweep(*arguments, cwd=island.folder, env=island.env)
    assert refused.returncode == USER_INPUT
    assert "left alone" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_export_takes_the_recommended_trial_by_default(island: Island, tmp_path: Path) -> None:
    best = read_json("best", cwd=island.folder)
    made = read_json("export", "--out", tmp_path / "out", cwd=island.folder, env=island.env)
    assert made["trial"] == best["number"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["answer"]["confirm"] == best["confirm"]


def test_bugcase_108_another_model_under_the_same_name_is_refused(tmp_path: Path) -> None:
    """The model lies in a hub cache; another revision with another dimension takes its place."""
    words = ["boat", "storm", "lamp", "water"]
    table = {word: [row + 1.0, 1.0] for row, word in enumerate(words)}
    hub = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"}
    _cache_model(tmp_path / "hub", "acme/toy", table)
    write_island(tmp_path / "island")
    space = {
        "corpus": "island",
        "objective": "ndcg@5",
        "space": {"mode": "vector", "chunk": {"splitter": "document"},
                  "vector": {"model": "acme/toy"}},
    }  # fmt: skip
    write_space(tmp_path / "toy.yaml", space)
    arguments = ("run", "toy.yaml", "--threads", 1, "--precision", "fp32")
    succeed(*arguments, cwd=tmp_path, env=hub)
    succeed("export", "--out", "out", cwd=tmp_path, env=hub)
    _cache_model(tmp_path / "hub", "acme/toy", {w: [*v, 0.5] for w, v in table.items()})
    done = sweep("query", "out", "boat", cwd=tmp_path, env=hub)
    assert done.returncode == USER_INPUT
    assert done.stdout == ""
    assert "acme/toy" in done.stderr
    assert "dimension 2" in done.stderr
    assert "dimension 3" in done.stderr


def _cache_model(hub: Path, name: str, table: dict[str, list[float]]) -> None:
    """Lay a model into a hub cache, as a download leaves it; the newest revision counts."""
    folder = hub / f"models--{name.replace('/', '--')}"
    revision = f"{len(list(folder.glob('snapshots/*'))):040x}"
    config = {"hidden_size": len(next(iter(table.values())))}
    lookup_model(folder / "snapshots" / revision, table, config=config)
    (folder / "refs").mkdir(exist_ok=True)
    (folder / "refs" / "main").write_text(revision, encoding="utf-8")
