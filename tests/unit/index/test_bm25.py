"""BM25 with numbers worked by hand, and the collected bug cases 01-09."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Bm25Config
from sweep.errors import IndexingError
from sweep.index.bm25 import (
    build_terms,
    encode_queries,
    from_arrays,
    make_postings,
    postings_scanned,
    search_bm25,
    search_postings,
    to_arrays,
    weights,
)
from sweep.records import RankedLists
from tests.shared_data import bugcase

LUCENE = Bm25Config()
TEXTS = ["red fox", "red red dog", "", "blue dog house dog", "red fox"]


def read_texts(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {row["_id"]: row["text"] for row in map(json.loads, lines)}


def search(texts: list[str], queries: list[str], config: Bm25Config = LUCENE) -> RankedLists:
    terms = build_terms(texts, analyzer=config.analyzer)
    return search_bm25(terms, config, queries, depth=10)


def test_term_matrix_by_hand() -> None:
    terms = build_terms(TEXTS, analyzer="auto")
    assert len(terms) == 5
    assert terms.vocabulary == ("blue", "dog", "fox", "house", "red")
    assert terms.indptr.tolist() == [0, 2, 4, 4, 7, 9]
    assert terms.indices.tolist() == [2, 4, 1, 4, 0, 1, 3, 2, 4]
    assert terms.counts.tolist() == [1, 1, 1, 2, 1, 2, 1, 1, 1]
    assert terms.lengths.tolist() == [2, 3, 0, 4, 2]


def test_lucene_score_by_hand() -> None:
    """`dog` is in 2 of 5 chunks; the mean length is 11 / 5."""
    ranked = search(TEXTS, ["dog"])
    idf = math.log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    longer = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 2.2))
    shorter = 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 2.2))
    assert ranked.items.tolist() == [[3, 1, -1, -1, -1]]
    assert ranked.scores[0, :2] == pytest.approx([idf * longer, idf * shorter], rel=1e-15)
    assert np.isnan(ranked.scores[0, 2:]).all()


def test_repeated_query_term_counts_twice() -> None:
    once, twice = search(TEXTS, ["dog", "dog dog"]).scores
    assert twice[:2].tolist() == (2 * once[:2]).tolist()


def test_equal_scores_are_ordered_by_row_also_at_the_cut() -> None:
    terms = build_terms(["b", "a", "a", "b", "a", "a"], analyzer="auto")
    ranked = search_bm25(terms, LUCENE, ["a"], depth=3)
    assert ranked.items.tolist() == [[1, 2, 4]]


def test_a_chunk_that_shares_a_term_is_returned_with_score_zero() -> None:
    """`okapi`: idf of `a` (2 of 4) is 0; of `b` (3 of 4) epsilon * mean idf, which is 0, too."""
    config = Bm25Config(variant="okapi")
    ranked = search(["a b", "a b", "b", "c"], ["a", "b", "zzz", ""], config)
    assert ranked.items[:2].tolist() == [[0, 1, -1, -1], [0, 1, 2, -1]]
    assert ranked.scores[0, :2].tolist() == [0.0, 0.0]
    assert ranked.scores[1, :3].tolist() == [0.0, 0.0, 0.0]
    assert (ranked.items[2:] == -1).all()
    assert np.isnan(ranked.scores[2:]).all()


def test_negative_scores_are_kept_and_ordered() -> None:
    """`okapi`: the only term is in all chunks, so the mean idf, and its floor, are negative."""
    ranked = search(["a", "a a", "a"], ["a"], Bm25Config(variant="okapi"))
    assert (ranked.scores[0] < 0).all()
    assert ranked.items.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize("variant", ["lucene", "okapi", "l", "plus"])
def test_a_score_does_not_depend_on_company(variant: str) -> None:
    rng = np.random.default_rng(3)
    words = [f"w{number}" for number in range(60)]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 30))) for _ in range(200)]
    queries = [" ".join(rng.choice(words, size=rng.integers(1, 9))) for _ in range(40)]
    config = Bm25Config(variant=variant, k1=0.9, b=0.4)  # type: ignore[arg-type]
    terms = build_terms(texts, analyzer="auto")
    together = search_bm25(terms, config, queries, depth=50)
    for row, query in enumerate(queries):
        alone = search_bm25(terms, config, [query], depth=50)
        assert alone.items[0].tobytes() == together.items[row].tobytes()
        assert alone.scores[0].tobytes() == together.scores[row].tobytes()
        deep = search_bm25(terms, config, [query], depth=200)
        assert deep.items[0, :50].tobytes() == together.items[row].tobytes()


def test_weights_store_what_terms_count() -> None:
    terms = build_terms(["a b", "a b", "b", "c"], analyzer="auto")
    matrix = weights(terms, Bm25Config(variant="okapi"))
    assert matrix.shape == (4, 3)
    assert matrix.indices.tolist() == terms.indices.tolist()
    assert (matrix.data == 0).any()  # explicit zeros stay


def test_parts_give_what_the_whole_gives() -> None:
    terms = build_terms(TEXTS, analyzer="auto")
    encoded = encode_queries(terms, ["red dog", "fox"], analyzer="auto")
    parts = search_postings(make_postings(terms, LUCENE), encoded, depth=2)
    whole = search_bm25(terms, LUCENE, ["red dog", "fox"], depth=2)
    assert parts.items.tolist() == whole.items.tolist() == [[1, 3], [0, 4]]
    assert parts.scores.tobytes() == whole.scores.tobytes()


def test_postings_scanned_counts_each_term_once() -> None:
    terms = build_terms(TEXTS, analyzer="auto")
    encoded = encode_queries(terms, ["red red dog", "zzz", "fox"], analyzer="auto")
    assert postings_scanned(terms, encoded).tolist() == [3 + 2, 0, 2]


def test_arrays_and_back() -> None:
    terms = build_terms(["naïve 检索 x", "", "red\u2028fox 混合检索"], analyzer="auto")
    arrays = to_arrays(terms)
    assert all(values.dtype != object for values in arrays.values())
    back = from_arrays(arrays)
    assert back.vocabulary == terms.vocabulary
    for name, values in to_arrays(back).items():
        assert values.tobytes() == arrays[name].tobytes()
        assert values.dtype == arrays[name].dtype


def test_query_of_stop_words_finds_texts_of_stop_words_only() -> None:
    config = Bm25Config(analyzer="english")
    texts = ["to be or not to be", "the fox is not to be seen"]
    ranked = search(texts, ["to be", "foxes"], config)
    assert ranked.items.tolist() == [[0, -1], [1, -1]]


def test_case_01_half_the_documents() -> None:
    texts = read_texts(bugcase("01") / "corpus.jsonl")
    expected = json.loads((bugcase("01") / "expected.json").read_text())["expect"]
    ranked = search(list(texts.values()), ["windy london"])
    assert ranked.items.tolist() == [[1, -1]]
    score = expected["scores_if_lucene_idf"]["with_k1_plus_1"]
    assert ranked.scores[0, 0] == pytest.approx(score, abs=1e-10)


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus_empty.jsonl"])
def test_case_03_nothing_to_index(name: str) -> None:
    texts = read_texts(bugcase("03") / name)
    with pytest.raises(IndexingError, match="no document has indexable text, got"):
        build_terms(list(texts.values()), analyzer="auto")


@pytest.mark.parametrize("texts", [[], ["", "   ", "...!"]])
def test_nothing_to_index_is_an_error(texts: list[str]) -> None:
    with pytest.raises(IndexingError, match=f"no document has indexable text, got {len(texts)} "):
        build_terms(texts, analyzer="auto")


def test_case_05_case_and_punctuation() -> None:
    texts = read_texts(bugcase("05") / "corpus.jsonl")
    queries = read_texts(bugcase("05") / "queries.jsonl")
    ranked = search(list(texts.values()), list(queries.values()))
    assert ranked.items[:, 0].tolist() == [0, 0, 0, 2]
    for row in (1, 2):
        assert ranked.items[row].tobytes() == ranked.items[0].tobytes()
        assert ranked.scores[row].tobytes() == ranked.scores[0].tobytes()


def test_case_06_chinese() -> None:
    texts = read_texts(bugcase("06") / "corpus.jsonl")
    queries = read_texts(bugcase("06") / "queries.jsonl")
    ranked = search(list(texts.values()), list(queries.values()))
    assert ranked.items.tolist() == [[2, -1, -1], [0, -1, -1], [1, -1, -1]]
    assert (ranked.scores[:, 0] > 0).all()


def test_case_09_scores_belong_to_their_documents() -> None:
    texts = list(read_texts(bugcase("09") / "corpus.jsonl").values())
    terms = build_terms(texts, analyzer="auto")
    ranked = search_bm25(terms, LUCENE, ["framework language"], depth=4)
    assert ranked.items[0, 0] == 1
    encoded = encode_queries(terms, ["framework language"], analyzer="auto")
    scan = (weights(terms, LUCENE) @ encoded.T).toarray()[:, 0]
    found = ranked.items[0][ranked.items[0] >= 0]
    assert ranked.scores[0, : len(found)] == pytest.approx(scan[found])
    assert (np.diff(ranked.scores[0, : len(found)]) <= 0).all()
    assert sorted(found.tolist()) == np.flatnonzero(scan).tolist()
