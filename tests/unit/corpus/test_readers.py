"""Each form of people's files, read into documents, queries, judgements and spans."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from sweep.corpus import Reading, read_sources
from sweep.corpus.found import ReadOptions
from sweep.corpus.readers import ir_datasets as catalogue
from sweep.errors import CorpusError
from sweep.parquet import to_parquet

DOCUMENTS = '{"id": "d1", "contents": "three failed parts"}\n{"id": "d2", "contents": "bee"}\n'
QUERIES = '{"qid": "q1", "query": "how many?"}\n'


def files(folder: Path, **contents: str | bytes | Any) -> list[str]:
    """Write files (`docs_jsonl` is docs.jsonl) and return their paths."""
    paths = []
    for name, content in contents.items():
        path = folder / ".".join(name.rsplit("_", 1))
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(str(path))
    return paths


def error(sources: Sequence[str], **options: Any) -> str:
    with pytest.raises(CorpusError) as caught:
        read_sources(sources, **options)
    return str(caught.value)


def texts(reading: Reading) -> dict[str, tuple[str, str]]:
    return {d.id: (d.title, d.text) for d in reading.corpus.documents}


def notices(reading: Reading) -> str:
    return "\n".join(map(str, reading.corpus.notices))


def spans(reading: Reading) -> list[tuple[str, str, str, int]]:
    held = {d.id: d.text for d in reading.corpus.documents}
    return [
        (s.query_id, s.document_id, held[s.document_id][s.start : s.end], s.grade)
        for s in reading.corpus.spans
    ]


SGML = """<DOC>
<DOCNO> AP-1 </DOCNO>
<HEADLINE>Ants &amp; bees</HEADLINE>
<TEXT>
One <P>two</P> a < b.
</TEXT>
<TEXT>More.</TEXT>
</DOC>

<doc><docno>AP-2</docno><title>T</title>All the <b>rest</b>.</doc>
"""
TOPICS = """<top>
<num> Number: 301
<title> Topic: Organized
 Crime
<desc> Description:
Which ones?
<narr> Narrative: any
</top>
<top><num>302</num><title></title><desc>Only this</desc></top>
"""


def test_trec_documents_topics_and_qrels(tmp_path: Path) -> None:
    qrels = "301 0 AP-1 2\r\n\n 301\tQ0 \t AP-2  -1 \n302 0 AP-2 1"
    reading = read_sources(files(tmp_path, ap_sgml=SGML, topics_txt=TOPICS, my_qrels=qrels))
    assert texts(reading) == {
        "AP-1": ("Ants & bees", "One two a < b.\nMore."),
        "AP-2": ("T", "All the rest."),
    }
    first, second = reading.corpus.queries
    assert (first.id, first.text) == ("301", "Organized Crime")
    assert first.metadata == {"desc": "Which ones?", "narr": "any"}
    assert (second.id, second.text) == ("302", "Only this")
    assert reading.corpus.qrels == {"301": {"AP-1": 2, "AP-2": -1}, "302": {"AP-2": 1}}
    assert {part.format for part in reading.parts} == {"trec"}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.trec", "1 0 d 1\n1 0 d\n", "x.trec:2: must have 4 cells"),
        ("x.trec", "1 0 d 1.5\n", "x.trec:1: a grade must be a whole number"),
        ("x.txt", "<DOC>\n<TEXT>a</TEXT></DOC>", "x.txt:1: a <DOC> must have a <DOCNO>"),
        ("x.txt", "<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n", "x.txt:4: nothing may stand"),
        ("x.txt", "<DOC><DOCNO>1</DOCNO>\n<DOC></DOC>", "x.txt:1: a <doc> must be closed"),
        ("x.txt", "<top>\n<title> t\n</top>", "x.txt:1: 'num' must be a non-empty"),
    ],
)
def test_trec_faults_have_their_line(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert says in error([str(tmp_path / name)])


def test_topics_as_id_and_text(tmp_path: Path) -> None:
    paths = files(tmp_path, docs_jsonl=DOCUMENTS, topics_tsv="1\tant hill\n2\tbee's hive\n")
    paths += files(tmp_path, judged_qrels="1 0 d1 1\n2 0 d2 1")
    queries = read_sources(paths).corpus.queries
    assert [(q.id, q.text) for q in queries] == [("1", "ant hill"), ("2", "bee's hive")]
    assert read_sources(paths[1:2] + paths[2:] + paths[:1]).corpus.queries == queries


def test_squad(tmp_path: Path) -> None:
    def answer(text: str, start: int) -> dict[str, Any]:
        return {"text": text, "answer_start": start}

    questions = [
        {"id": "a", "question": "?", "answers": [answer("leaves", 11), answer("leaves", 11),
                                                 answer("carry leaves", 5)]},
        {"id": "b", "question": "off by two", "answers": [answer("Ants", 2)]},
        {"id": "c", "question": "gone", "answers": [answer("wings", 0)]},
        {"id": 7, "question": "none", "answers": [], "is_impossible": True},
    ]  # fmt: skip
    paragraphs = [{"context": "Ants carry leaves.", "qas": questions},
                  {"context": "x", "document_id": 9, "qas": []}]  # fmt: skip
    data = {"data": [{"title": "Red_ants", "paragraphs": paragraphs},
                     {"paragraphs": [{"context": "no title", "qas": []}]}]}  # fmt: skip
    reading = read_sources(files(tmp_path, dev_json=data))
    assert texts(reading) == {
        "Red_ants#1": ("Red ants", "Ants carry leaves."),
        "9": ("Red ants", "x"),
        "article (2)#1": ("", "no title"),
    }
    assert spans(reading) == [
        ("a", "Red_ants#1", "carry leaves", 1),
        ("a", "Red_ants#1", "leaves", 1),
        ("b", "Red_ants#1", "Ants", 1),
    ]
    assert sorted(reading.corpus.qrels) == ["a", "b", "c"]
    (dropped,) = reading.dropped
    assert (dropped.id, dropped.place.at) == ("c", "data[0].paragraphs[0].qas[2]")
    assert "is not in 'Red_ants#1'" in dropped.why
    assert "starts at 0, not at 2" in notices(reading)
    assert "1 of 4 questions have no answer, and get no judgement" in notices(reading)
    assert "1 query without any judgement, left out of every score ('7')" in notices(reading)


def test_autorag_pair(tmp_path: Path) -> None:
    documents = [
        {"doc_id": "a", "contents": "ant", "metadata": {"page": 1, "next_id": None}},
        {"doc_id": "b", "contents": "bee", "metadata": {"page": 2, "next_id": "c"}},
    ]
    questions = [
        {"qid": "q1", "query": "?", "retrieval_gt": [["a", "b"], ["a"]], "generation_gt": ["x"]},
        {"qid": "q2", "query": "!", "retrieval_gt": [], "generation_gt": ["no"]},
    ]
    for name, rows in (("corpus", documents), ("qa", questions)):
        (tmp_path / f"{name}.parquet").write_bytes(to_parquet(pa.Table.from_pylist(rows)))
    reading = read_sources([str(tmp_path)])
    assert reading.corpus.qrels == {"q1": {"a": 1, "b": 1}}
    assert reading.corpus.documents[0].metadata == {"page": 1, "next_id": None}
    assert reading.corpus.queries[0].metadata == {"generation_gt": ["x"]}
    assert {part.format for part in reading.parts} == {"autorag"}
    assert "1 of 2 queries name documents of which any one would do" in notices(reading)


AZURE = {
    "query_id": "q1",
    "query": "how many?",
    "retrieval_ground_truth": [
        {"document_id": "d1", "query_relevance_label": 4},
        {"document_id": "d2", "query_relevance_label": 0},
    ],
    "retrieved_documents": [{"document_id": "d1", "relevance_score": 45.1}],
}


def test_azure_rows_hold_judgements_but_no_documents(tmp_path: Path) -> None:
    rows, docs = files(tmp_path, rows_jsonl=json.dumps(AZURE) + "\n", docs_jsonl=DOCUMENTS)
    assert "must hold documents, got none. Add the file with the documents' texts" in error([rows])
    reading = read_sources([rows, docs])
    assert reading.corpus.qrels == {"q1": {"d1": 4, "d2": 0}}
    assert reading.corpus.queries[0].text == "how many?"
    assert "2 judgements, the texts of 1 queries and 0 documents" in notices(reading)


def test_azure_rows_with_texts_are_a_corpus(tmp_path: Path) -> None:
    found: list[dict[str, Any]] = [
        {"document_id": "d1", "relevance_score": 1, "content": "ant"},
        {"document_id": "d2", "relevance_score": 1, "content": "bee", "title": "B"},
    ]
    row = {k: v for k, v in AZURE.items() if k != "query_id"} | {"retrieved_documents": found}
    (path,) = files(tmp_path, rows_jsonl=json.dumps(row))
    reading = read_sources([path])
    assert texts(reading) == {"d1": ("", "ant"), "d2": ("B", "bee")}
    assert reading.corpus.queries[0].id == "1"  # as `sweep evaluate` calls it


GOLD = {
    "qid": "q1",
    "query": "how many?",
    "gold_doc_ids": ["d1", "d2"],
    "gold_answer_substring": "failed parts",
    "graded_relevance": {"d1": 3},
}


@pytest.mark.parametrize("form", ["lines", "list", "object"])
def test_gold_questions(tmp_path: Path, form: str) -> None:
    documents = {"d1": "three failed parts, failed parts", "d2": "failed parts?"}
    records = [{"id": id_, "text": text} for id_, text in documents.items()]
    if form == "object":
        paths = files(tmp_path, all_json={"documents": documents, "qrels": [GOLD]})
    else:
        docs = "\n".join(map(json.dumps, records))
        gold: Any = [GOLD] if form == "list" else json.dumps(GOLD)
        name = "qrels_json" if form == "list" else "qrels_jsonl"
        paths = files(tmp_path, **{"docs_jsonl": docs, name: gold})
    reading = read_sources(paths)
    assert reading.corpus.qrels == {"q1": {"d1": 3, "d2": 1}}
    assert [(s.document_id, s.start, s.end, s.grade) for s in reading.corpus.spans] == [
        ("d1", 6, 18, 3),
        ("d2", 0, 12, 1),
    ]
    assert reading.corpus.queries[0].metadata == {"gold_answer_substring": "failed parts"}
    assert "stands 2 times in 'd1'; the first one is taken" in notices(reading)


def test_a_question_may_have_a_row_for_each_gold_document(tmp_path: Path) -> None:
    questions = "question,gold_doc_id,quote\nhow?,d1,failed\nhow?,d2,\nwho?,d2,\n"
    questions = "id," + questions.replace("\nhow", "\nq1,how").replace("\nwho", "\nq2,who")
    reading = read_sources(files(tmp_path, docs_jsonl=DOCUMENTS, ask_csv=questions))
    assert [(q.id, q.text) for q in reading.corpus.queries] == [("q1", "how?"), ("q2", "who?")]
    assert reading.corpus.qrels == {"q1": {"d1": 1, "d2": 1}, "q2": {"d2": 1}}
    assert [dropped.id for dropped in reading.dropped] == []
    assert spans(reading) == [("q1", "d1", "failed", 1)]


def test_questions_without_ids_are_called_by_their_first_row(tmp_path: Path) -> None:
    questions = "question,gold\nhow?,d1\nwho?,d2\nhow?,d2\n"
    reading = read_sources(files(tmp_path, docs_jsonl=DOCUMENTS, ask_csv=questions))
    assert [(q.id, q.text) for q in reading.corpus.queries] == [("1", "how?"), ("2", "who?")]
    assert reading.corpus.qrels == {"1": {"d1": 1, "d2": 1}, "2": {"d2": 1}}
    assert "have no ids; each is called by the number of its first row" in notices(reading)


class Catalogue:
    """Stands for a data set of ir_datasets."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def __getattr__(self, name: str) -> Any:
        return lambda: name.removeprefix("has_") in self.parts

    def docs_iter(self) -> Iterator[Any]:
        for id_, text in (("d1", "ant"), ("d2", "bee")):
            fields = {"doc_id": id_, "title": "T", "text": text, "year": 1999, "url": None}
            yield SimpleNamespace(**fields, _asdict=lambda f=fields: f, default_text=lambda: "no")

    def queries_iter(self) -> Iterator[Any]:
        fields = {"query_id": "q1", "text": "which?", "kind": "k"}
        yield SimpleNamespace(**fields, _asdict=lambda: fields, default_text=lambda: "which?")

    def qrels_iter(self) -> Iterator[Any]:
        yield SimpleNamespace(query_id="q1", doc_id="d2", relevance=2, iteration="0")


def test_a_data_set_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {"a/b": Catalogue("docs", "queries", "qrels")}
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets",
                        SimpleNamespace(load=lambda name: sets[name]))  # fmt: skip
    reading = read_sources(["ir_datasets:a/b"])
    assert reading.corpus.name == "a-b"
    assert texts(reading) == {"d1": ("T", "ant"), "d2": ("T", "bee")}
    assert reading.corpus.documents[0].metadata == {"year": 1999}
    assert reading.corpus.queries[0].metadata == {"kind": "k"}
    assert reading.corpus.qrels == {"q1": {"d2": 2}}
    assert "must be a data set of ir_datasets, got an unknown name" in error(["ir_datasets:z"])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    assert 'pip install "retrieval-sweep[ir-datasets]"' in error(["ir_datasets:cranfield"])
    assert catalogue.NAME == "ir_datasets"


def test_a_form_can_be_named(tmp_path: Path) -> None:
    paths = files(tmp_path, docs_dat="id,text\nd1,ant\n", queries_dat="id,text\nq1,?\n")
    paths += files(tmp_path, qrels_dat="q1,d1,1\n")
    assert "must be in a form that is known" in error(paths)
    assert read_sources(paths, format="csv").corpus.qrels == {"q1": {"d1": 1}}
    assert "--format: must name a form, got 'cvs'. Did you mean 'csv'?" in error(
        paths, format="cvs"
    )


def test_a_form_is_told_by_keys_not_by_words_in_texts(tmp_path: Path) -> None:
    words = '{"id": "retrieved_documents", "text": "gold_doc_ids: \\"graded_relevance\\""}'
    paths = files(tmp_path, docs_jsonl=words, queries_jsonl=QUERIES)
    paths += files(tmp_path, qrels_tsv="q1\tretrieved_documents\t1\n")
    assert {part.format for part in read_sources(paths).parts} == {"jsonl", "tsv"}


def test_a_role_can_be_named(tmp_path: Path) -> None:
    paths = files(
        tmp_path, a_jsonl='{"id": "1", "text": "ant"}', b_jsonl='{"id": "1", "text": "?"}'
    )
    paths += files(tmp_path, c_tsv="1\t1\t2\n")
    assert "must hold queries, got none" in error([paths[0], paths[2]])
    reading = read_sources([paths[0], f"queries={paths[1]}", paths[2]])
    assert reading.corpus.qrels == {"1": {"1": 2}}
    assert "got nothing there" in error(["queries=nowhere.csv"])


def test_columns_can_be_named(tmp_path: Path) -> None:
    docs = '{"docno": "d1", "body": "ant", "summary": "short"}\n'
    paths = files(tmp_path, docs_jsonl=docs, queries_jsonl=QUERIES, judged_tsv="q1\td1\t1\n")
    assert texts(read_sources(paths)) == {"d1": ("", "ant")}
    options = ReadOptions(columns={"text": "summary"})
    assert texts(read_sources(paths, options=options)) == {"d1": ("", "short")}
    wrong = ReadOptions(columns={"text": "sumary"})
    assert "--column text: must name a column of a table, got 'sumary'" in error(
        paths, options=wrong
    )
    assert "Did you mean 'summary'?" in error(paths, options=wrong)


def test_a_folder_with_one_file_in_two_forms_is_refused(tmp_path: Path) -> None:
    files(tmp_path, docs_jsonl=DOCUMENTS, docs_csv="id,text\nd1,x\n", queries_jsonl=QUERIES)
    assert "must be there in one form, got docs.csv and docs.jsonl" in error([str(tmp_path)])


def test_a_folder_of_nothing_known_is_refused(tmp_path: Path) -> None:
    files(tmp_path, notes_doc="Notes")
    assert "got notes.doc. Name the files" in error([str(tmp_path)])
