"""What a user can get wrong: one clear sentence, exit 2, no traceback, nothing left behind."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.corpus_files import write_corpus
from tests.e2e.command import (
    USER_INPUT,
    Finished,
    succeed,
    sweep,
    trials_of,
    write_space,
)
from tests.e2e.island import Island

pytestmark = pytest.mark.slow

HANG_S = (
    20  # of a command on a quiet machine that cannot reach a model; tests allow for a busy one
)
FOREST = [
    {"_id": "d1", "title": "Oak", "text": "An oak may live a thousand years."},
    {"_id": "d2", "title": "Birch", "text": "The birch has white bark."},
    {"_id": "d3", "title": "Yew", "text": "Every part of the yew is poisonous."},
]
QUERIES = [{"_id": "q1", "text": "white bark"}, {"_id": "q2", "text": "poisonous tree"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t1\n"
BM25 = {"mode": "bm25", "chunk": {"splitter": "document"}}
VECTOR = {"mode": "vector", "chunk": {"splitter": "document"}}
CROSS = {"kind": "cross-encoder"}


def space(**changes: Any) -> dict[str, Any]:
    """Return a space that is right but for the changes."""
    return {"corpus": "forest", "objective": "ndcg@10", "space": BM25, **changes}


def forest(folder: Path, **changes: Any) -> None:
    """Write a corpus that is right but for the changes."""
    right = {"corpus": FOREST, "queries": QUERIES, "qrels": QRELS}
    write_corpus(folder / "forest", **{**right, **changes})


@dataclass(frozen=True, kw_only=True)
class Case:
    """Something wrong with `sweep run space.yaml`, and what the message must say."""

    says: tuple[str, ...]
    space: Mapping[str, Any] | str | None = field(default_factory=space)
    corpus: Mapping[str, Any] | None = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    prepare: Callable[[Path], Any] | None = None
    env: Mapping[str, str] = field(default_factory=dict)


def blank(text: str) -> list[dict[str, str]]:
    return [{"_id": "d1", "text": ""}, {"_id": "d2", "text": "   "}, {"_id": "d3", "text": text}]


CASES = {
    "space file missing": Case(space=None, says=("space.yaml", "No such file")),
    "space is a folder": Case(
        space=None, prepare=lambda folder: (folder / "space.yaml").mkdir(), says=("space.yaml",)
    ),
    "corpus missing": Case(corpus=None, says=("forest",)),
    "corpus option missing": Case(arguments=("--corpus", "nowhere"), says=("nowhere",)),
    "no corpus named": Case(
        space={"objective": "ndcg@10", "space": BM25}, says=("corpus", "--corpus")
    ),
    "unknown key": Case(space=space(objectve="map"), says=("objectve", "Did you mean objective?")),
    "unknown key inside": Case(
        space=space(space={"mode": "bm25", "chunk": {"sise": 64}}), says=("chunk.sise", "size")
    ),
    "YAML syntax": Case(space="corpus: [forest\nobjective: map\n", says=("space.yaml:2", "YAML")),
    "empty file": Case(space="", says=("space.yaml",)),
    "empty corpus": Case(corpus={"corpus": ""}, says=("corpus.jsonl", "empty")),
    "blank corpus": Case(corpus={"corpus": blank("...!")}, says=("no indexable text",)),
    "no queries": Case(corpus={"queries": ""}, says=("queries.jsonl",)),
    "no judgement": Case(corpus={"qrels": None}, says=("qrels",)),
    "qrels of no document": Case(
        corpus={"qrels": "query-id\tcorpus-id\tscore\nq1\tx1\t1\nq2\tx2\t1\n"}, says=("x1",)
    ),
    "corpus line is not JSON": Case(
        corpus={"corpus": '{"_id": "d1", "text": "a"}\n{"_id": \n'}, says=("corpus.jsonl:2",)
    ),
    "overlap not below size": Case(
        space=space(space={"mode": "bm25", "chunk": {"size": 64, "overlap": 1.0}}),
        says=("overlap", "1.0"),
    ),
    "size of nothing": Case(
        space=space(space={"mode": "bm25", "chunk": {"size": 0}}), says=("chunk.size", "got 0")
    ),
    "metric": Case(space=space(objective="ndgc@10"), says=("ndgc@10", "ndcg")),
    "recorded metric": Case(space=space(metrics=["recall@"]), says=("recall@",)),
    "constraint": Case(space=space(constraints=["context_tokens < "]), says=("constraints",)),
    "span objective": Case(space=space(objective="span_recall@5"), says=("qrels_spans.jsonl",)),
    "analyzer": Case(
        space=space(space={**BM25, "bm25": {"analyzer": "klingon"}}), says=("klingon",)
    ),
    "faiss factory": Case(
        space=space(space={**VECTOR, "vector": {"index": "HNWS32"}}), says=("HNWS32", "HNSW32")
    ),
    "cross-encoder of no name": Case(
        space=space(space={"mode": "rerank", "rerank": CROSS}), says=("cross-encoder", "model")
    ),
    "unknown model, offline": Case(
        space=space(space={**VECTOR, "vector": {"model": "acme/none"}}),
        env={"HF_HUB_OFFLINE": "1"},
        says=("acme/none",),
    ),
    "unknown reranker, offline": Case(
        space=space(space={"mode": "rerank", "rerank": {**CROSS, "model": "acme/none"}}),
        env={"HF_HUB_OFFLINE": "1"},
        says=("acme/none",),
    ),
    "model name that is none": Case(
        space=space(space={**VECTOR, "vector": {"model": "./no such folder"}}),
        says=("no such folder",),
    ),
    "model folder of nothing": Case(
        space=space(space={**VECTOR, "vector": {"model": "./empty"}}),
        prepare=lambda folder: (folder / "empty").mkdir(),
        says=("empty",),
    ),
    "model folder of no model": Case(
        space=space(space={**VECTOR, "vector": {"model": "./notes"}}),
        prepare=lambda folder: write_space(folder / "notes" / "notes.txt", "my notes"),
        says=("notes",),
    ),
    "storage is a text file": Case(arguments=("--storage", "space.yaml"), says=("space.yaml",)),
    "storage is a folder": Case(arguments=("--storage", "forest"), says=("forest",)),
    "storage of unknown kind": Case(arguments=("--storage", "nosql://x/y"), says=("nosql",)),
    "storage that is no URL": Case(arguments=("--storage", "sqlite:///"), says=("storage",)),
    "server that is not there": Case(
        arguments=("--storage", "postgresql+psycopg://127.0.0.1:9/x"), says=("postgresql",)
    ),
    "store is a file": Case(arguments=("--store", "space.yaml"), says=("space.yaml", "written")),
    "results is a file": Case(
        prepare=lambda folder: (folder / "results").touch(), says=("results", "written")
    ),
    "study name that is a path": Case(arguments=("--study", "../up"), says=("--study", "../up")),
    "sampler without a number of trials": Case(
        space=space(sampler={"kind": "tpe"}), says=("sampler.trials", "got nothing", "--trials 60")
    ),
    "threads": Case(arguments=("--threads", "0"), says=("--threads",)),
    "precision": Case(arguments=("--precision", "int8"), says=("--precision",)),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Any]]]:
    """Run all cases, two at a time: each ends with its process and its folder."""

    def run(case: Case, folder: Path) -> tuple[Finished, set[Path], set[Path]]:
        if case.space is not None:
            write_space(folder / "space.yaml", case.space)
        if case.corpus is not None:
            forest(folder, **case.corpus)
        if case.prepare is not None:
            case.prepare(folder)
        before = set(folder.rglob("*"))
        done = sweep(
            "run", "space.yaml", "--threads", 1, *case.arguments, cwd=folder, env=case.env
        )
        return done, before, set(folder.rglob("*"))

    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(run, case, tmp_path_factory.mktemp("case"))
            for name, case in CASES.items()
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_run_is_refused(refused: dict[str, Future[Any]], name: str) -> None:
    done, before, after = refused[name].result()
    assert done.returncode == USER_INPUT, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for words in CASES[name].says:
        assert words in done.stderr
    sentence = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert sentence[-1].lower().startswith("error: "), sentence
    assert after == before, "something was left behind"


def test_bugcase_29_judgements_of_chunk_ids_are_explained(tmp_path: Path) -> None:
    """As an earlier chunking named them: `d2#0`."""
    forest(tmp_path, qrels="query-id\tcorpus-id\tscore\nq1\td2#0\t1\nq2\td3#1\t1\n")
    write_space(tmp_path / "space.yaml", space())
    done = sweep("run", "space.yaml", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "d2#0" in done.stderr
    assert "chunk" in done.stderr


def test_a_hub_that_never_answers_does_not_hang_a_run(tmp_path: Path) -> None:
    """A network that swallows every packet, and HF_HUB_OFFLINE is not set."""
    forest(tmp_path)
    write_space(tmp_path / "space.yaml", space(space={**VECTOR, "vector": {"model": "acme/none"}}))
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        hub = f"http://127.0.0.1:{silent.getsockname()[1]}"
        before = time.monotonic()
        done = sweep("run", "space.yaml", cwd=tmp_path, env={"HF_ENDPOINT": hub})
    assert done.returncode == USER_INPUT
    assert "acme/none" in done.stderr
    assert "Traceback" not in done.stderr
    assert time.monotonic() - before < 3 * HANG_S
    assert not (tmp_path / "results").exists()


def test_a_hub_that_is_not_there_is_said(tmp_path: Path) -> None:
    forest(tmp_path)
    write_space(tmp_path / "space.yaml", space(space={**VECTOR, "vector": {"model": "acme/none"}}))
    done = sweep("run", "space.yaml", cwd=tmp_path, env={"HF_ENDPOINT": "http://127.0.0.1:9"})
    assert done.returncode == USER_INPUT
    assert "acme/none" in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("best", "iland"), "Did you mean 'island'?"),
        (("trials", "iland"), "Did you mean 'island'?"),
        (("show", "island", "99"), "99"),
        (("show", "99"), "99"),
        (("export", "island", "--out", "made", "--trial", "99"), "99"),
        (("query", "island", "text", "--trial", "99"), "99"),
        (("best", "--storage", "nowhere.db"), "nowhere.db"),
        (("studies", "--storage", "nowhere.db"), "nowhere.db"),
        (("best", "--pick", "worst"), "--pick"),
        (("verify", "nowhere"), "nowhere"),
        (("query", "island.yaml", "text"), "manifest.json"),
        (("query", "a question " * 50, "island"), "a question a ...."),
        (("corpus", "inspect", "nowhere"), "nowhere"),
    ],
)
def test_a_wrong_name_is_told(island: Island, arguments: tuple[str, ...], says: str) -> None:
    before = set(island.folder.rglob("*"))
    done = sweep(*arguments, cwd=island.folder, env=island.env)
    assert done.returncode == USER_INPUT
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert set(island.folder.rglob("*")) == before


def test_before_the_first_run_there_is_nothing_to_show(tmp_path: Path) -> None:
    done = sweep("best", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "sweep run" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_constraint_that_nobody_meets(tmp_path: Path) -> None:
    forest(tmp_path)
    write_space(tmp_path / "space.yaml", space(constraints=["context_tokens <= 0.5"]))
    run = sweep("run", "space.yaml", "--threads", 1, cwd=tmp_path)
    best = sweep("best", cwd=tmp_path)
    for done in (run, best):
        assert done.returncode == USER_INPUT
        assert "constraint" in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
    (trial,) = trials_of(tmp_path, "space")
    assert trial["state"] == "COMPLETE"
    assert trial["feasible"] is False
    assert trial["constraints"]["context_tokens <= 0.5"] > 0
    assert "violates a constraint" in succeed("trials", cwd=tmp_path).stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write")
@pytest.mark.parametrize("option", ["", "--storage", "--store"])
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, option: str) -> None:
    """Nobody can make a file in /proc, not even root."""
    forest(tmp_path)
    write_space(tmp_path / "space.yaml", space())
    where = ("--storage", "/proc/new/sweep.db") if option == "--storage" else (option, "/proc/new")
    cwd = tmp_path if option else Path("/proc")
    done = sweep("run", tmp_path / "space.yaml", *(where if option else ()), cwd=cwd)
    assert done.returncode == USER_INPUT
    assert "/proc/new" in done.stderr if option else "results" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
