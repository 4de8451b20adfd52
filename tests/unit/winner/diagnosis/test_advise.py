"""What is advised, from which symptom, and what is told of what was tried."""

from dataclasses import replace
from typing import Any

import pytest

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.trials import TrialRecord
from sweep.winner.diagnosis.advice import Advice, Evidence, Miss, Remedy
from sweep.winner.diagnosis.advise import advise
from sweep.winner.diagnosis.charge import Place, Stage, Target
from sweep.winner.diagnosis.sentences import remedy_sentence

BM25 = Configuration(mode="bm25", bm25=Bm25Config())
VECTOR = Configuration(mode="vector", vector=VectorConfig())
HYBRID = Configuration(
    mode="hybrid", bm25=Bm25Config(), vector=VectorConfig(), hybrid=HybridConfig()
)
RERANK = replace(HYBRID, mode="rerank", rerank=RerankConfig(depth=20))
OTHER = ("vector.model", "!=", "all-MiniLM-L6-v2")
STEMS = ("bm25.analyzer", "!=", "auto")
FUSE = ("mode", "==", "hybrid")
TARGET = Target(query=0, document=0, document_id="d", grade=1, chunks=(1,))


def miss(stage: Stage, *, shares_term: bool | None = None, **ranks: int) -> Miss:
    places: Any = {n: Place(rank=rank, turn=rank, score=0.0) for n, rank in ranks.items()}
    return Miss(target=replace(TARGET, shares_term=shares_term), stage=stage, places=places)


def evidence(configuration: Configuration, *misses: Miss, **changes: Any) -> Evidence:
    fields: dict[str, Any] = {
        "configuration": configuration,
        "metric": "ndcg@10",
        "score": 0.7,
        "targets": 40,
        "misses": misses,
        "bounds": {miss.stage: 0.8 for miss in misses},
        "order": None,
        "listed": 100,
    }
    return Evidence(**{**fields, **changes})


def only(found: tuple[Advice, ...]) -> Advice:
    (one,) = found
    return one


def searched(advice: Advice) -> list[tuple[str, str, Any]]:
    return [(remedy.parameter, remedy.op, remedy.value) for remedy in advice.remedies]


def test_eleven_of_fourteen_beyond_top_k() -> None:
    """Ranks 11 to 15 and twice 28: of eleven, nine (four fifths) are there by rank 15."""
    ranks = [11, 11, 12, 13, 13, 14, 14, 15, 15, 28, 28]
    misses = [miss("top_k", vector=rank) for rank in ranks]
    misses += [miss("candidates", vector=200)] * 3
    found = advise(evidence(VECTOR, *misses), [])
    top_k = next(one for one in found if one.about == "top_k")
    assert top_k.symptom == ("11 of 14 misses: ranked, but beyond the first 10, at ranks 11 to 28")
    assert top_k.gain == pytest.approx(0.1)
    assert searched(top_k) == [("top_k", ">=", 15), ("mode", "==", "rerank")]
    assert str(top_k.remedies[0]) == "top_k 15 (9 of them are there; 1.5 times the context)"


def test_a_top_k_that_the_objective_does_not_look_at_is_told() -> None:
    """Whole documents, ten of them: ndcg@10 does not see an eleventh, the generator does."""
    whole = replace(VECTOR, chunk=ChunkConfig(splitter="document", size=None))
    found = only(advise(evidence(whole, miss("top_k", vector=11), cutoff=10), []))
    assert found.remedies[0].note.endswith("; ndcg@10 does not look there")
    found = only(advise(evidence(VECTOR, miss("top_k", vector=11), cutoff=10), []))
    assert not found.remedies[0].note.endswith("look there")


def test_no_top_k_is_advised_that_reaches_nothing() -> None:
    """Three times top_k is the highest that is advised: nothing below rank 60 is there."""
    found = only(advise(evidence(VECTOR, miss("top_k", vector=60)), []))
    assert found.symptom == "1 of 1 miss: ranked, but beyond the first 10, at rank 60"
    assert searched(found) == [("mode", "==", "rerank")]
    reranked = miss("top_k", vector=60, fused=15, reranked=60)
    assert advise(evidence(RERANK, reranked), []) == ()


@pytest.mark.parametrize(
    ("configuration", "misses", "advised"),
    [
        (HYBRID, [miss("no text")], [("", "==", "")]),
        (HYBRID, [miss("cutting")], [("chunk.size", ">=", 384), ("chunk.overlap", ">=", 0.2)]),
        (VECTOR, [miss("window")], [("chunk.size", "<=", 192), OTHER]),
        (BM25, [miss("no shared term")], [FUSE, STEMS]),
        (VECTOR, [miss("index", vector=3)], [("vector.index", "==", "Flat")]),
        (VECTOR, [miss("candidates")], [FUSE, OTHER]),
        (BM25, [miss("candidates", shares_term=True)], [FUSE, STEMS]),
        (
            HYBRID,
            [miss("candidates", shares_term=False, vector=150)],
            [("hybrid.depth", ">=", 200), OTHER, STEMS],
        ),
        (
            HYBRID,
            [miss("fusion", vector=3, bm25=90), miss("fusion", vector=4)],
            [("hybrid.fusion", "==", "weighted"), ("hybrid.weight", ">=", 0.7),
             ("hybrid.rrf_k", "<=", 10)],
        ),
        (
            replace(HYBRID, hybrid=HybridConfig(fusion="weighted", rrf_k=None, weight=0.5)),
            [miss("fusion", bm25=1, vector=90)],
            [("hybrid.weight", "<=", 0.3), ("hybrid.fusion", "==", "rrf")],
        ),
        (RERANK, [miss("rerank depth", fused=24, reranked=24)], [("rerank.depth", ">=", 25)]),
        (RERANK, [miss("rerank", fused=2, reranked=12)],
         [("rerank.blend", "<=", 0.5), ("rerank.kind", "!=", "maxsim")]),
    ],
)  # fmt: skip
def test_each_stage_has_its_remedies(
    configuration: Configuration, misses: list[Miss], advised: list[tuple[str, str, Any]]
) -> None:
    found = only(advise(evidence(configuration, *misses, window=254), []))
    assert (found.about, searched(found)) == (misses[0].stage, advised)
    assert found.is_new


def test_a_passage_longer_than_twice_the_chunk_asks_for_chunks_that_hold_it() -> None:
    tokens = replace(VECTOR, chunk=ChunkConfig(size=96, overlap=0.5))
    found = only(advise(evidence(tokens, miss("cutting"), longest=300), []))
    assert searched(found) == [("chunk.size", ">=", 384)]
    whole = replace(VECTOR, chunk=ChunkConfig(splitter="document", size=None))
    assert only(advise(evidence(whole, miss("cutting")), [])).remedies == ()


def test_a_stage_that_lost_less_than_a_tenth_is_not_worth_advice() -> None:
    many = [miss("candidates", vector=500)] * 10
    found = advise(evidence(VECTOR, *many, miss("index", vector=1)), [])
    assert [one.about for one in found] == ["candidates"]  # one of eleven is less than a tenth
    found = advise(evidence(VECTOR, *many[:9], miss("index", vector=1)), [])
    assert {one.about for one in found} == {"candidates", "index"}


@pytest.mark.parametrize(
    ("changes", "configuration", "advised"),
    [
        ({"order": 0.75}, HYBRID, [("mode", "==", "rerank")]),
        ({"order": 0.74}, HYBRID, None),  # worth less than .05
        ({"order": 0.9, "targets": 3}, HYBRID, None),  # only two thirds are found
        ({"order": 0.9}, RERANK, [("rerank.kind", "!=", "maxsim")]),
    ],
)
def test_decent_recall_in_a_poor_order_asks_for_a_reranker(
    changes: dict[str, Any], configuration: Configuration, advised: list[Any] | None
) -> None:
    lost = miss("top_k", vector=1000, reranked=1000)
    found = {
        one.about: searched(one) for one in advise(evidence(configuration, lost, **changes), [])
    }
    assert found.get("order") == advised


def test_split_passages_few_labels_and_good_figures() -> None:
    assert only(advise(evidence(HYBRID, spans=20, split=2), [])).about == "split"
    assert advise(evidence(HYBRID, spans=21, split=2), []) == ()
    poor = advise(evidence(HYBRID, miss("top_k", fused=500), judged=0.79), [])
    assert "labels" in {one.about for one in poor}
    fine = only(advise(evidence(HYBRID, score=0.9), []))
    assert fine.about == "questions"
    assert fine.remedies[0].note.startswith("if people complain all the same")


def trial(number: int, configuration: Configuration, score: float) -> TrialRecord:
    return TrialRecord(
        number=number, state="COMPLETE", configuration=configuration, metrics={"ndcg@10": score}
    )


def test_what_was_tried_is_told_from_the_nearest_trial() -> None:
    """#2 differs in top_k alone, #3 in the chunk size too although it is better, #1 is no try."""
    other = replace(VECTOR, top_k=20, chunk=ChunkConfig(size=96))
    trials = [
        trial(0, VECTOR, 0.7),
        trial(1, replace(VECTOR, top_k=12), 0.99),
        trial(2, replace(VECTOR, top_k=20), 0.72),
        trial(3, other, 0.8),
    ]
    found = only(advise(evidence(VECTOR, miss("top_k", vector=15)), trials))
    more, rerank = found.remedies
    assert more.tried is not None
    assert (more.tried.number, more.tried.only) == (2, True)
    assert more.tried.difference == pytest.approx(0.02)
    assert rerank.tried is None
    assert found.is_new
    assert found.to_json()["remedies"][0]["tried"]["label"] == trials[2].configuration.label()
    trials.append(trial(4, RERANK, 0.6))
    found = only(advise(evidence(VECTOR, miss("top_k", vector=15)), trials))
    assert found.remedies[1].tried is not None
    assert not found.remedies[1].tried.only
    assert not found.is_new


def test_what_a_constraint_bars_is_told() -> None:
    """Rank 15 takes 1.5 times the context of 10; the trial that went there violates a bound."""
    barred = replace(trial(2, replace(VECTOR, top_k=20), 0.72), constraints={"work <= 1": 0.5})
    found = only(advise(evidence(VECTOR, miss("top_k", vector=15), room=1.4), [barred]))
    more = found.remedies[0]
    assert more.note.endswith("; more than the constraint on context_tokens permits")
    assert remedy_sentence(more).endswith(
        "tried in #2, .720 (+.020; with 20; nothing else differs; it violates a constraint)"
    )
    found = only(advise(evidence(VECTOR, miss("top_k", vector=15), room=1.5), []))
    assert "constraint" not in found.remedies[0].note


def test_a_size_in_other_units_is_no_try() -> None:
    words = replace(VECTOR, chunk=ChunkConfig(splitter="words", unit="words", size=500))
    found = only(advise(evidence(VECTOR, miss("cutting")), [trial(1, words, 0.9)]))
    assert found.remedies[0].tried is None


def test_what_is_new_comes_first_then_what_is_worth_most() -> None:
    misses = [miss("top_k", vector=15), miss("index", vector=3), miss("window")]
    bounds = {"top_k": 0.9, "index": 0.8, "window": 0.85}
    flat = replace(VECTOR, top_k=30)
    tried = [trial(1, flat, 0.7), trial(2, RERANK, 0.7)]
    found = advise(evidence(VECTOR, *misses, bounds=bounds, window=254), tried)
    assert [(one.about, one.is_new) for one in found] == [
        ("window", True),
        ("top_k", False),
        ("index", False),
    ]


def test_remedies_print_as_one_would_write_them() -> None:
    assert str(Remedy(parameter="chunk.overlap", value=0.2, op=">=")) == "chunk.overlap 0.2"
    assert str(Remedy(parameter="mode", value="rerank")) == "mode rerank"
    assert (
        str(Remedy(parameter="vector.model", value="m", op="!=")) == "another vector.model than m"
    )
