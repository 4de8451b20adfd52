"""The collected bug cases that have a corpus, through `sweep run` with our keys."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sweep.configuration import from_flat
from sweep.parquet import read_parquet
from tests.e2e.command import (
    DONE,
    USER_INPUT,
    Finished,
    read_json,
    succeed,
    sweep,
    trials_of,
    write_space,
)
from tests.shared_data import SHARED, bugcase
from tests.toy_models import lookup_model

pytestmark = pytest.mark.slow

DOCUMENT = {"splitter": "document"}


def bm25(top_k: Any, **groups: Any) -> dict[str, Any]:
    return {"mode": "bm25", "top_k": top_k, "chunk": DOCUMENT, **groups}


def vector(top_k: int, **groups: Any) -> dict[str, Any]:
    return {"mode": "vector", "top_k": top_k, "chunk": DOCUMENT, **groups}


# case -> objective and space; a model folder is written by `prepare`
CASES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "01": ("ndcg@1", bm25([1, 2])),
    "05": ("ndcg@1", bm25(3)),
    "06": ("ndcg@1", bm25(3)),
    "09": ("ndcg@1", bm25(4)),
    "14": ("ndcg@1", bm25(3)),
    "47": ("ndcg@10", vector(10, vector={"model": "./model"})),
    "49": (
        "ndcg@3",
        vector(3, vector={"model": "./model", "similarity": ["cosine", "ip", "l2"]}),
    ),
    "53": (
        "ndcg@1",
        bm25(3, chunk={"splitter": "words", "size": [64, 128], "overlap": [0, 0.5]}),
    ),
    "59": ("ndcg@1", bm25(2, chunk={"splitter": "words", "size": 100})),
    "61": ("ndcg@1", bm25(2, chunk={"splitter": "words", "size": [16, 128]})),
    "72": ("ndcg@1", vector(2, chunk={"splitter": "words", "size": [64, 2000]})),
    "76": ("ndcg@1", vector(2, vector={"model": ["./model A", "./model B"]})),
    "78": ("ndcg@10", vector(20)),
}


def _table(case: Path, name: str) -> dict[str, list[float]]:
    loaded: dict[str, list[float]] = json.loads((case / name).read_text(encoding="utf-8"))
    return loaded


def _write_models(number: str, case: Path, folder: Path) -> None:
    if (case / "vectors.json").exists():
        lookup_model(folder / "model", _table(case, "vectors.json"))
    for letter in "AB" if number == "76" else "":
        words = {w: v for w, v in _table(case, f"model_{letter}.json").items() if " " not in w}
        lookup_model(folder / f"model {letter}", words)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run of one case."""

    folder: Path
    done: Finished
    expected: dict[str, Any]

    @property
    def trials(self) -> list[dict[str, Any]]:
        trials = trials_of(self.folder, "case")
        assert trials
        assert all(trial["state"] == "COMPLETE" for trial in trials)
        return trials

    def hits(self, trial: Mapping[str, Any], query: str) -> list[tuple[str, float]]:
        """Return document ids and scores of one query, best first."""
        fingerprint = from_flat(trial["params"]).fingerprint()
        path = self.folder / "results" / "case" / "trials" / fingerprint / "ranking.parquet"
        rows = read_parquet(path).to_pylist()
        rows = sorted((r for r in rows if r["query_id"] == query), key=lambda row: row["rank"])
        return [(row["document_id"], row["score"]) for row in rows]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Iterator[dict[str, Any]]:
    """Run the cases, two at a time."""
    if not SHARED.exists():
        pytest.skip("needs ../shared/bugcases, which is not part of the project")

    def run(number: str) -> Outcome:
        case = bugcase(number)
        objective, space = CASES[number]
        content = {"name": "case", "corpus": "corpus", "objective": objective, "space": space}
        write_space(folders[number] / "case.yaml", content)
        arguments = ("run", "case.yaml", "--threads", 1, "--store", store)
        done = succeed(*arguments, cwd=folders[number])
        expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
        return Outcome(folders[number], done, expected["expect"])

    folders = {number: tmp_path_factory.mktemp(f"case {number}") for number in CASES}
    for number, folder in folders.items():
        shutil.copytree(bugcase(number), folder / "corpus", copy_function=shutil.copyfile)
        (folder / "corpus").chmod(0o755)
        _write_models(number, bugcase(number), folder)
    with ThreadPoolExecutor(2) as pool:
        yield {number: pool.submit(run, number) for number in CASES}
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def case(runs: dict[str, Future[Outcome]]) -> Callable[[str], Outcome]:
    return lambda number: runs[number].result()


def test_bugcase_01_a_term_in_half_of_the_documents_counts(
    case: Callable[[str], Outcome],
) -> None:
    outcome = case("01")
    for trial in outcome.trials:
        ((first, best), *rest) = outcome.hits(trial, "q1")
        assert first == outcome.expected["first"]["q1"]
        assert all(score < best for _, score in rest)
        assert trial["metrics"]["ndcg@1"] == 1.0
        assert trial["metrics"]["rr@10"] == 1.0
        scores = outcome.expected["scores_if_lucene_idf"].values()
        assert any(best == pytest.approx(score, abs=1e-9) for score in scores)


@pytest.mark.parametrize("corpus", ["corpus.jsonl", "corpus_empty.jsonl"])
def test_bugcase_03_a_corpus_without_text_is_refused(tmp_path: Path, corpus: str) -> None:
    source = bugcase("03")
    (tmp_path / "corpus").mkdir()
    for name, target in ((corpus, "corpus.jsonl"), ("queries.jsonl", ""), ("qrels.tsv", "")):
        shutil.copyfile(source / name, tmp_path / "corpus" / (target or name))
    space = {"corpus": "corpus", "objective": "ndcg@10", "space": bm25(3)}
    write_space(tmp_path / "case.yaml", space)
    done = sweep("run", "case.yaml", cwd=tmp_path)
    expected = json.loads((source / "expected.json").read_text(encoding="utf-8"))["expect"]
    assert done.returncode == USER_INPUT
    assert any(words in done.stderr for words in expected["stderr_mentions_any"])
    assert not any(words in done.stderr + done.stdout for words in expected["must_not"])
    assert not (tmp_path / "results").exists()


def test_bugcase_05_case_and_punctuation_do_not_matter(case: Callable[[str], Outcome]) -> None:
    outcome = case("05")
    (trial,) = outcome.trials
    assert trial["metrics"]["ndcg@1"] == 1.0
    assert trial["metrics"]["rr@10"] == 1.0
    for group in outcome.expected["equal_rankings"]:
        first, *others = (outcome.hits(trial, query) for query in group)
        assert first
        assert all(other == first for other in others)


def test_bugcase_06_chinese_is_searched_by_bigrams(case: Callable[[str], Outcome]) -> None:
    outcome = case("06")
    (trial,) = outcome.trials
    assert trial["metrics"]["ndcg@1"] == 1.0
    for query in ("q1", "q2", "q3"):
        assert all(score > 0 for _, score in outcome.hits(trial, query))


def test_bugcase_09_each_score_is_its_documents_own(case: Callable[[str], Outcome]) -> None:
    outcome = case("09")
    (trial,) = outcome.trials
    hits = outcome.hits(trial, "q1")
    assert hits[0][0] == outcome.expected["first"]["q1"]
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    for text, first in (("framework", "d3"), ("language", "d1")):  # one word, the shorter document
        alone = read_json("query", "case", text, cwd=outcome.folder)
        assert alone[0]["document_id"] == first
        assert alone[0]["score"] == pytest.approx(dict(hits)[first], abs=1e-12)


def test_bugcase_14_text_beyond_ascii(case: Callable[[str], Outcome]) -> None:
    outcome = case("14")
    (trial,) = outcome.trials
    assert trial["metrics"]["ndcg@1"] == outcome.expected["metrics_bm25"]["ndcg@1"]
    (hit,) = read_json("query", "case", "café", cwd=outcome.folder)
    assert hit["text"] == outcome.expected["text_d1"]


def test_bugcase_47_more_hits_wanted_than_there_are(case: Callable[[str], Outcome]) -> None:
    outcome = case("47")
    (trial,) = outcome.trials
    hits = outcome.hits(trial, "q1")
    assert [document for document, _ in hits] == outcome.expected["ranking"]["q1"]
    scores = [score for _, score in hits]
    assert scores == pytest.approx(outcome.expected["scores"], abs=1e-6)
    assert trial["metrics"]["ndcg@10"] == outcome.expected["ndcg@10"]
    assert trial["metrics"]["recall@10"] == outcome.expected["recall@10"]


def test_bugcase_49_each_similarity_has_its_own_order(case: Callable[[str], Outcome]) -> None:
    outcome = case("49")
    found = {
        trial["params"]["vector.similarity"]: outcome.hits(trial, "q1")
        for trial in outcome.trials
    }  # fmt: skip
    expected = outcome.expected
    wanted = {
        "cosine": expected["cosine"],
        "ip": expected["ip"],
        "l2": {name: -value for name, value in expected["l2_squared"].items()},
    }
    for similarity, scores in wanted.items():
        order = sorted(scores, key=lambda name: -scores[name])
        assert [name for name, _ in found[similarity]] == order
        assert dict(found[similarity]) == pytest.approx(scores, abs=1e-6)


def test_bugcase_113_scores_keep_their_sense_in_a_bundle(
    case: Callable[[str], Outcome], store: Path
) -> None:
    """The bundle carries the model, which was named by a folder that is gone afterwards."""
    outcome = case("49")
    number = next(
        trial["number"] for trial in outcome.trials
        if trial["params"]["vector.similarity"] == "cosine"
    )  # fmt: skip
    arguments = ("export", "case", "--out", "out", "--trial", number, "--store", store)
    succeed(*arguments, cwd=outcome.folder)
    (outcome.folder / "model").rename(outcome.folder / "gone")
    hits = read_json("query", "out", "q", cwd=outcome.folder)
    (outcome.folder / "gone").rename(outcome.folder / "model")
    expected = json.loads((bugcase("113") / "expected.json").read_text(encoding="utf-8"))["expect"]
    assert [hit["document_id"] for hit in hits] == expected["order"]
    assert [hit["score"] for hit in hits] == pytest.approx(expected["cosine"], abs=1e-6)
    manifest = (outcome.folder / "out" / "manifest.json").read_text(encoding="utf-8")
    assert str(outcome.folder) not in manifest


def test_bugcase_53_overlap_below_size(case: Callable[[str], Outcome], tmp_path: Path) -> None:
    """Overlap is a share of size, so (64, 64) cannot be written; what can be, ends."""
    outcome = case("53")
    pairs = {
        (t["params"]["chunk.size"], t["params"]["chunk.size"] * t["params"]["chunk.overlap"])
        for t in outcome.trials
    }
    assert {tuple(pair) for pair in outcome.expected["valid_pairs"]} <= pairs
    shutil.copytree(outcome.folder / "corpus", tmp_path / "corpus")
    for bad in ({"size": [64, 128], "overlap": [0, 64, 128, 200]}, {"size": [0, -1]},
                {"size": 64, "overlap": -1}):  # fmt: skip
        space = bm25(3, chunk={"splitter": "words", **bad})
        content = {"corpus": "corpus", "objective": "ndcg@1", "space": space}
        write_space(tmp_path / "case.yaml", content)
        done = sweep("run", "case.yaml", cwd=tmp_path)
        assert done.returncode == USER_INPUT
        assert "chunk." in done.stderr
        assert not (tmp_path / "results").exists()


def test_bugcase_59_a_text_without_blanks_is_cut(case: Callable[[str], Outcome]) -> None:
    outcome = case("59")
    (trial,) = outcome.trials
    assert trial["facts"]["chunks"] >= outcome.expected["n_chunks_d1_min"] + 1
    assert outcome.hits(trial, "q1")[0][0] == outcome.expected["first"]["q1"]


def test_bugcase_61_a_title_longer_than_a_chunk(case: Callable[[str], Outcome]) -> None:
    trials = case("61").trials
    assert len(trials) == 2
    assert all(trial["metrics"]["ndcg@1"] == 1.0 for trial in trials)


def test_bugcase_72_what_is_not_embedded_is_told(case: Callable[[str], Outcome]) -> None:
    outcome = case("72")
    by_size = {trial["params"]["chunk.size"]: trial for trial in outcome.trials}
    assert by_size[64]["metrics"]["ndcg@1"] == outcome.expected["size_64"]["ndcg@1"]
    assert by_size[64]["facts"]["truncated_chunks"] == 0
    cut = outcome.expected["size_2000"]["truncated_chunks"]
    assert by_size[2000]["facts"]["truncated_chunks"] == cut
    assert f"{cut} of {cut} chunks" in outcome.done.stderr
    assert "exceed max_seq_length" in outcome.done.stderr
    assert "all-MiniLM-L6-v2" in outcome.done.stderr


def test_bugcase_76_vectors_belong_to_their_model_and_text(
    case: Callable[[str], Outcome], store: Path
) -> None:
    outcome = case("76")
    for trial in outcome.trials:
        letter = trial["params"]["vector.model"][-1]
        assert outcome.hits(trial, "q1")[0][0] == outcome.expected[letter]["first"]
        assert trial["value"] == outcome.expected[letter]["ndcg@1"]
    source = bugcase("76")
    shutil.copyfile(source / "corpus_changed.jsonl", outcome.folder / "corpus" / "corpus.jsonl")
    arguments = ("--store", store, "--study", "changed", "--json")
    done = sweep("run", "case.yaml", *arguments, cwd=outcome.folder)
    assert done.returncode == DONE, done.stderr
    events = [json.loads(line) for line in done.stderr.splitlines()]
    for letter in "AB":
        what = f"embed ./model {letter}"
        totals = {event["total"] for event in events if event.get("what") == what}
        assert totals == {outcome.expected["new_encodes_after_change"]}


def test_bugcase_78_equal_texts_keep_corpus_order(case: Callable[[str], Outcome]) -> None:
    """A vector does not depend on its batch, so ten equal texts tie exactly."""
    outcome = case("78")
    (trial,) = outcome.trials
    equal = [hit for hit in outcome.hits(trial, "q1") if hit[0].startswith("s")]
    assert [document for document, _ in equal] == [f"s{number}" for number in range(10)]
    assert len({score for _, score in equal}) == 1
