import json
from pathlib import Path

from sweep.corpus import describe_corpus, read_corpus
from tests.chunk_inputs import tokens_of
from tests.corpus_files import write_corpus


def test_the_facts_about_a_small_corpus(tmp_path: Path) -> None:
    folder = write_corpus(
        tmp_path / "small",
        corpus=[
            {"_id": "a", "text": "one"},
            {"_id": "b", "text": "one two three four five"},
            {"_id": "c", "text": "one"},
            {"_id": "d", "text": " "},
        ],
        queries=[
            {"_id": "q1", "text": "x y", "kind": "factoid"},
            {"_id": "q2", "text": "x", "metadata": {"kind": "factoid"}},
            {"_id": "q3", "text": "x", "kind": "other"},
            {"_id": "q4", "text": "x"},
        ],
        qrels="q1\ta\t2\nq1\tb\t0\nq2\ta\t0\nq3\tb\t1\n",
        spans=[{"query-id": "q3", "corpus-id": "b", "start": 4, "end": 7, "score": 1}],
    )
    corpus = read_corpus(folder)
    facts = describe_corpus(corpus, tokens_of([document.text for document in corpus.documents]))
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["name"] == "small"
    assert facts["hash"] == corpus.hash
    documents = facts["documents"]
    assert documents["count"] == 4
    assert documents["without_text"] == 1
    assert documents["duplicate_texts"] == [["a", "c"]]
    words = {"mean": 1.75, "min": 0.0, "p05": 0.15, "median": 1.0, "p95": 4.4, "max": 5.0}
    assert {name: round(value, 9) for name, value in documents["words"].items()} == words
    assert documents["tokens"] == documents["words"]  # five common words, one token each
    assert documents["characters"]["max"] == 23
    assert facts["queries"]["judged"] == 3
    assert facts["queries"]["unjudged"] == ["q4"]
    assert facts["queries"]["no_relevant_document"] == ["q2"]
    assert facts["queries"]["kinds"] == {"factoid": 2, "other": 1}
    assert facts["judgements"]["count"] == 4
    assert facts["judgements"]["grades"] == {"0": 2, "1": 1, "2": 1}
    assert facts["spans"]["count"] == 1
    assert facts["spans"]["characters"]["median"] == 3
    assert len(facts["notices"]) == 4


def test_without_tokens_and_spans_nothing_is_claimed_about_them(tmp_path: Path) -> None:
    facts = describe_corpus(read_corpus(write_corpus(tmp_path)))
    assert "tokens" not in facts["documents"]
    assert facts["spans"] is None
