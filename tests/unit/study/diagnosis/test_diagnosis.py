"""What a trial misses, on corpora small enough to see it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.errors import StudyError
from sweep.records import Corpus, RankedLists
from sweep.study.diagnosis.diagnosis import diagnose
from sweep.winner.diagnosis.diagnosis import Diagnosis
from tests.diagnosed import BM25, corpus_of_spans, study_of
from tests.engine_inputs import configurations, engine_on, handbook


def stages(found: Diagnosis) -> dict[str, tuple[int, int, int]]:
    return {loss.stage: (loss.documents, loss.spans, loss.queries) for loss in found.losses}


def test_documents_that_bm25_misses(tmp_path: Path) -> None:
    """Three share `oak` with the question and two are returned; one is blank, one shares nothing.

    BM25 puts the shortest first: c, b, a. ndcg@10 of q1 = (1 / 1) / (1 + 1/log2(3) + 1/2 + ...).
    """
    texts = {"a": "oak and ash and elm", "b": "oak and ash", "c": "oak", "d": " ", "e": "fir"}
    qrels = {"q1": {"a": 1, "c": 1, "d": 1, "e": 1}, "q2": {"e": 1}, "q3": {"b": 0}}
    queries = {"q1": "oak", "q2": "fir", "q3": "ash", "unjudged": "elm"}
    engine = engine_on(tmp_path / "store", corpus_of_spans(texts, queries, qrels))
    found = diagnose(*study_of(tmp_path, engine, BM25), engine)
    assert stages(found) == {
        "no text": (1, 0, 1),
        "no shared term": (1, 0, 1),
        "top_k": (1, 0, 1),
    }
    assert (found.documents, found.missed_documents, found.missed_queries) == (5, 3, 1)
    ideal = 1 + 1 / np.log2(3) + 1 / 2 + 1 / np.log2(5)
    assert found.queries == 3
    assert found.score == pytest.approx((1 / ideal + 1 + 0) / 3)
    # One more document of grade 1 in front: 1 for it, and no more than 1 for the one behind it;
    # the best order of both has 1 / log2(3) there.
    bound = ((1 + 1 / np.log2(3)) / ideal + 1 + 0) / 3
    assert [loss.bound for loss in found.losses] == pytest.approx([bound] * 3)
    assert found.order == pytest.approx(found.score)
    (worst,) = (one for one in found.worst if one.query_id == "q1")
    assert [gold.document_id for gold in worst.missed] == ["a", "d", "e"]
    assert worst.missed[0].places["bm25"].rank == 3
    assert [(c.document_id, c.label, list(c.terms)) for c in worst.instead] == [
        ("c", 1, ["oak"]),
        ("b", None, ["oak"]),
    ]
    assert [one.query_id for one in found.worst] == ["q3", "q1"]  # q2 has all there is


def test_passages_that_are_cut_and_that_are_not(tmp_path: Path) -> None:
    """Windows of two words: `green blue` lies in two of them, `one` wholly in one.

    A chunk must hold a passage whole here. Both documents are returned.
    """
    texts = {"a": "red green blue grey", "b": "one two"}
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    passages = [("q1", "a", "green blue"), ("q2", "b", "one")]
    corpus = corpus_of_spans(texts, {"q1": "green blue", "q2": "two"}, qrels, passages)
    engine = engine_on(tmp_path / "store", corpus)
    words = replace(BM25, chunk=ChunkConfig(splitter="words", unit="words", size=2))
    study, trial = study_of(
        tmp_path, engine, words, objective="span_recall", span_rule="containment"
    )
    found = diagnose(study, trial, engine)
    assert stages(found) == {"cutting": (0, 1, 1)}
    assert (found.spans, found.missed_spans, found.split_spans) == (2, 1, 1)
    assert found.documents == 2
    assert found.missed_documents == 0
    assert found.score == pytest.approx((9 / 10 + 1) / 2)  # all of it but the blank between
    assert found.losses[0].bound == 1.0
    assert found.worst[0].missed[0].text == "green blue"
    # By the usual rule, half of the shorter one, the same chunks match.
    study, trial = study_of(tmp_path, engine, words, objective="span_recall")
    assert diagnose(study, trial, engine).losses == ()


def test_among_too_many_that_share_a_term(tmp_path: Path) -> None:
    """120 documents are shorter than the relevant one; the first hundred are candidates."""
    texts = {f"d{n:03}": "oak" for n in range(120)} | {"gold": "oak and ash"}
    corpus = corpus_of_spans(texts, {"q": "oak"}, {"q": {"gold": 1}})
    engine = engine_on(tmp_path / "store", corpus)
    found = diagnose(*study_of(tmp_path, engine, BM25), engine)
    assert stages(found) == {"candidates": (1, 0, 1)}
    assert found.worst[0].missed[0].places["bm25"].rank == 121


def test_an_answer_behind_the_window(tmp_path: Path) -> None:
    """MiniLM reads 254 tokens; the answer is the 291st word of one chunk, and BM25 reads it."""
    texts = {"long": " ".join(["tree"] * 290 + ["paracetamol"]), "other": "paracetamol pills"}
    passages = [("q", "long", "paracetamol")]
    corpus = corpus_of_spans(texts, {"q": "paracetamol"}, {"q": {"long": 1}}, passages)
    engine = engine_on(tmp_path / "store", corpus)
    vector = replace(BM25, mode="vector", bm25=None, vector=VectorConfig(), top_k=1)
    study, trial = study_of(tmp_path, engine, vector)
    found = diagnose(study, trial, engine)
    assert stages(found) == {"window": (1, 1, 1)}
    assert "beyond the 254 tokens" in found.advice[0].symptom
    lost = found.worst[0].missed[0]
    assert (lost.is_seen, lost.places["vector"].rank) == (False, 2)
    assert stages(diagnose(*study_of(tmp_path, engine, replace(BM25, top_k=1)), engine)) == {
        "top_k": (1, 1, 1)
    }


@pytest.fixture(scope="module")
def judged_handbook() -> Corpus:
    """Return the thirty documents with a passage for each relevant document that has text."""
    corpus = handbook()
    texts = {document.id: document.text for document in corpus.documents}
    passages = [
        (query, document, texts[document][5:25])
        for query, grades in corpus.qrels.items()
        for document in grades
        if texts[document].strip()
    ]
    queries = {query.id: query.text for query in corpus.queries}
    made = corpus_of_spans(texts, queries, dict(corpus.qrels), passages)
    return replace(made, documents=corpus.documents)


def test_in_every_mode_charges_add_up_to_what_is_missed(
    tmp_path: Path, cross_encoder: str, judged_handbook: Corpus
) -> None:
    engine = engine_on(tmp_path / "store", judged_handbook)
    for number, (name, configuration) in enumerate(configurations(cross_encoder).items()):
        objective = "span_ndcg@10" if number % 2 else "ndcg@10"
        small = replace(configuration, top_k=2)
        output = engine.output(small)
        found = diagnose(*study_of(tmp_path, engine, small, objective=objective), engine)
        chunks = engine.texts.chunks(small.chunk)
        rows = {query.id: row for row, query in enumerate(judged_handbook.queries)}
        returned = {
            query: {
                judged_handbook.documents[chunks.document[item]].id
                for item in output.items[row]
                if item >= 0
            }
            for query, row in rows.items()
        }
        missed = Counter(
            query
            for query, grades in judged_handbook.qrels.items()
            for document in grades
            if document not in returned[query]
        )
        assert sum(loss.documents for loss in found.losses) == missed.total(), name
        assert sum(loss.documents for loss in found.losses) == found.missed_documents
        assert sum(loss.spans for loss in found.losses) == found.missed_spans
        for loss in found.losses:
            assert loss.bound is not None
            assert found.score - 1e-12 <= loss.bound <= 1
        assert found.notices == ()


def test_a_trial_that_returns_everything_misses_nothing(tmp_path: Path) -> None:
    texts = {"a": "oak", "b": "oak and ash"}
    corpus = corpus_of_spans(texts, {"q": "oak ash"}, {"q": {"a": 1, "b": 1}}, [("q", "b", "ash")])
    engine = engine_on(tmp_path / "store", corpus)
    found = diagnose(*study_of(tmp_path, engine, BM25), engine)
    assert (found.losses, found.worst, found.missed_queries) == ((), (), 0)
    assert found.score == 1.0
    assert [one.about for one in found.advice] == ["questions"]


def test_only_queries_that_chose_and_only_relevant_grades(tmp_path: Path) -> None:
    texts = {"a": "oak", "b": "ash"}
    qrels = {"q1": {"b": 1}, "q2": {"a": 2, "b": 1}}
    engine = engine_on(
        tmp_path / "store", corpus_of_spans(texts, {"q1": "oak", "q2": "fir"}, qrels)
    )
    study, trial = study_of(tmp_path, engine, BM25, searched=("q2",), relevance=2)
    found = diagnose(study, trial, engine, worst=0)
    assert (found.documents, found.missed_documents, found.queries) == (1, 1, 1)
    assert found.worst == ()


def test_lists_that_differ_from_the_recorded_ones_are_told(tmp_path: Path) -> None:
    corpus = corpus_of_spans({"a": "oak", "b": "oak elm"}, {"q": "oak"}, {"q": {"a": 1}})
    engine = engine_on(tmp_path / "store", corpus)
    other = RankedLists(items=np.array([[1, 0]]), scores=np.array([[2.0, 1.0]]))
    found = diagnose(*study_of(tmp_path, engine, BM25, recorded=other), engine)
    assert found.notices[0].startswith("1 queries get other lists here")


def test_a_failed_trial_has_no_diagnosis(tmp_path: Path) -> None:
    corpus = corpus_of_spans({"a": "oak"}, {"q": "oak"}, {"q": {"a": 1}})
    engine = engine_on(tmp_path / "store", corpus)
    study, trial = study_of(tmp_path, engine, BM25)
    with pytest.raises(StudyError, match="only a finished trial can be diagnosed, got #3"):
        diagnose(study, replace(trial, state="FAIL"), engine)


@pytest.mark.parametrize("objective", ["holes_ratio@5", "context_tokens"])
def test_where_the_objective_is_no_quality_ndcg_stands_for_it(
    tmp_path: Path, objective: str
) -> None:
    corpus = corpus_of_spans({"a": "oak"}, {"q": "oak"}, {"q": {"a": 1}})
    engine = engine_on(tmp_path / "store", corpus)
    found = diagnose(*study_of(tmp_path, engine, BM25, objective=objective), engine)
    assert (found.metric, found.score) == ("ndcg@10", 1.0)


def test_json_holds_what_a_report_needs(tmp_path: Path) -> None:
    corpus = corpus_of_spans({"a": "oak", "b": "ash"}, {"q": "oak"}, {"q": {"b": 1}})
    engine = engine_on(tmp_path / "store", corpus)
    found = diagnose(*study_of(tmp_path, engine, BM25), engine).to_json()
    assert found["losses"][0]["stage"] == "no shared term"
    assert found["worst"][0]["missed"][0]["stage"] == "no shared term"
    assert found["worst"][0]["instead"][0]["text"] == "oak"
    assert found["advice"][0]["remedies"][0]["parameter"] == "mode"
