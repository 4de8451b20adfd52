"""A good file with one value replaced by any other is read, or refused in a sentence."""

import contextlib
import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.corpus import read_corpus, read_sources
from sweep.corpus.write import write_corpus
from sweep.errors import CorpusError

SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Ants",
            "paragraphs": [
                {
                    "context": "Ants carry leaves.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "What do ants carry?",
                            "answers": [{"text": "leaves", "answer_start": 11}],
                            "is_impossible": False,
                        },
                        {"id": "q2", "question": "Why?", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        }
    ],
}
AZURE = [
    {
        "query_id": "q1",
        "query": "what?",
        "retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 4}],
        "retrieved_documents": [{"document_id": "d1", "relevance_score": 1.5, "content": "ant"}],
    }
]
GOLD = {
    "documents": [{"id": "d1", "text": "three failed parts", "title": "T"}],
    "queries": [
        {
            "qid": "q1",
            "query": "when?",
            "gold_doc_ids": ["d1"],
            "gold_answer_substring": "failed",
            "graded_relevance": {"d1": 3},
        }
    ],
}
GOOD: dict[str, Any] = {"squad.json": SQUAD, "rows.json": AZURE, "gold.json": GOLD}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "d1", "q1", "leaves", "\t", "\ud800", "7", 10**400, -1]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["text", "id", "document_id", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner: Any = node.items() if isinstance(node, dict) else ()
    for key, value in enumerate(node) if isinstance(node, list) else inner:
        yield from places(value, (*path, key))


def replaced(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    content = copy.deepcopy(content)
    node = content
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return content


@settings(max_examples=100)
@given(name=st.sampled_from(sorted(GOOD)), data=st.data(), value=VALUES)
def test_one_wrong_value_ends_in_a_sentence(name: str, data: st.DataObject, value: Any) -> None:
    path = data.draw(st.sampled_from(list(places(GOOD[name]))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(json.dumps(replaced(GOOD[name], path, value)), encoding="utf-8")
        with contextlib.suppress(CorpusError):
            corpus = read_sources([str(file)]).corpus
            again = read_corpus(write_corpus(corpus, Path(folder) / "out"))
            assert again.hash == corpus.hash


def test_the_good_files_are_good(tmp_path: Path) -> None:
    for name, content in GOOD.items():
        file = tmp_path / name
        file.write_text(json.dumps(content), encoding="utf-8")
        corpus = read_sources([str(file)]).corpus
        assert len(corpus.documents) == 1
        assert len(corpus.qrels) == 1
