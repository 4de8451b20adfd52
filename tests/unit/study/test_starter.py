"""The first search space for a corpus: it reads, fits the documents, and says what it is."""

from pathlib import Path

import pytest

from sweep.configuration import Configuration
from sweep.errors import SpaceError
from sweep.records import Corpus, Document, Query, Span
from sweep.study.space.read import Sample, SearchSpace, read_space
from sweep.study.starter import sizing
from sweep.study.starter import text as text_module
from sweep.study.starter.language import guess_language
from sweep.study.starter.sizing import Sizing, size_space
from sweep.study.starter.space import check_space_target, write_starter

SENTENCE = (
    "The store opens at nine and you will find what is left on the shelf of the other room. "
)
GERMAN = (
    "Der Laden ist um neun offen und was nicht da ist, das wird mit der Post zu euch gebracht. "
)


def corpus_of(texts: list[str], *, queries: int = 120, spans: int = 0) -> Corpus:
    ids = [f"d{number:04d}" for number in range(len(texts))]
    return Corpus(
        documents=tuple(Document(id=i, text=t) for i, t in zip(ids, texts, strict=True)),
        queries=tuple(Query(id=f"q{n}", text="when?") for n in range(queries)),
        qrels={f"q{n}": {ids[n % len(ids)]: 1} for n in range(queries)},
        spans=tuple(
            Span(query_id=f"q{n}", document_id=ids[n % len(ids)], start=0, end=3, grade=1)
            for n in range(spans)
        ),
        hash="0" * 64,
        name="mine",
    )


def written(corpus: Corpus, tmp_path: Path) -> tuple[Sizing, SearchSpace, str]:
    path = tmp_path / "search_spaces" / "mine.yaml"
    sized, count, _ = write_starter(corpus, tmp_path / "corpora" / "mine", path)
    space = read_space(path)
    assert len(space.configurations) == count <= 100
    assert space.notices == ()
    assert space.corpus is not None
    assert space.corpus.resolve() == (tmp_path / "corpora" / "mine").resolve()
    text = path.read_text(encoding="utf-8")
    assert f"# Configurations: {count}\n" in text
    assert all(len(line) < 105 for line in text.splitlines() if "sweep run" not in line)
    return sized, space, text


def test_long_documents_are_cut_at_an_equal_budget(tmp_path: Path) -> None:
    corpus = corpus_of(["# H\n\n" + SENTENCE * 40] * 40, spans=110)
    sized, space, text = written(corpus, tmp_path)
    assert (sized.sizes, sized.splitters) == ((64, 128, 224), ("tokens", "markdown"))
    assert space.objectives[0].metric == "span_ndcg@1000tok"
    assert {c.chunk.size: c.top_k for c in space.configurations} == {64: 24, 128: 12, 224: 7}
    assert {c.mode for c in space.configurations} == {"bm25", "vector", "hybrid", "rerank"}
    assert {c.bm25.analyzer for c in space.configurations if c.bm25} == {"english"}
    assert isinstance(space.baseline, Configuration)
    assert space.baseline.mode == "vector"
    assert "FEW QUESTIONS" not in text


def test_whole_pages_are_judged_where_sentences_are_missing(tmp_path: Path) -> None:
    corpus = corpus_of([SENTENCE * 40] * 40, spans=90)
    sized, space, text = written(corpus, tmp_path)
    assert space.objectives[0].metric == "ndcg@1000tok"
    assert sized.splitters == ("tokens", "sentences")
    assert "Only 90 of 120 questions have the sentence" in " ".join(text.replace("#", "").split())


def test_short_documents_are_not_cut(tmp_path: Path) -> None:
    sized, space, _ = written(corpus_of([SENTENCE] * 25), tmp_path)
    assert (sized.sizes, sized.budget) == ((), None)
    assert space.objectives[0].metric == "ndcg@5"
    assert {c.chunk.splitter for c in space.configurations} == {"document"}


def test_documents_that_fit_the_window_are_tried_whole_too(tmp_path: Path) -> None:
    sized, space, _ = written(corpus_of([SENTENCE * 7] * 200), tmp_path)
    assert (sized.sizes, sized.whole) == ((64, 128), True)
    assert {c.chunk.splitter for c in space.configurations} == {"tokens", "sentences", "document"}


def test_few_questions_are_told(tmp_path: Path) -> None:
    assert "FEW QUESTIONS: 8 " in written(corpus_of([SENTENCE] * 5, queries=8), tmp_path)[2]


def test_large_corpora_get_fewer_chunkings(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of([SENTENCE * 40] * 10)  # some 8,000 tokens
    monkeypatch.setattr(sizing, "FULL", 5_000)
    middle = size_space(corpus)
    assert (len(middle.sizes), middle.splitters, middle.overlaps) == (3, ("sentences",), (0, 0.2))
    monkeypatch.setattr(sizing, "LARGE", 6_000)
    large = size_space(corpus)
    assert (large.sizes, large.splitters, large.overlaps) == ((128, 224), ("sentences",), (0,))


def test_very_many_documents_get_a_quick_look_to_unmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpus_of([SENTENCE] * 25)
    assert "sample" not in written(corpus, tmp_path)[2]
    monkeypatch.setattr(text_module, "MANY", 25)
    _, space, text = written(corpus, tmp_path)
    assert space.sample is None
    path = tmp_path / "unmarked.yaml"
    path.write_text(text.replace("# sample: {", "sample: {"), encoding="utf-8")
    assert read_space(path).sample == Sample(documents=20_000)


def test_texts_that_the_model_does_not_know_are_left_to_bm25(tmp_path: Path) -> None:
    _, space, text = written(
        corpus_of(["\u6771\u4eac\u306f\u5927\u304d\u3044\u3002" * 60] * 10), tmp_path
    )
    assert {c.mode for c in space.configurations} == {"bm25"}
    assert "multilingual" in text


@pytest.mark.parametrize(
    ("text", "language"),
    [(SENTENCE, "english"), (GERMAN, "german"), ("", "auto"), ("X1 Y2 Z3 " * 20, "auto")],
    ids=["english", "german", "nothing", "codes"],
)
def test_the_language_is_guessed_by_function_words(text: str, language: str) -> None:
    assert guess_language([text]) == language


def test_a_space_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    check_space_target(path, replace=False)
    path.write_text("name: mine\n")
    with pytest.raises(SpaceError, match="holds something else. It is left alone"):
        check_space_target(path, replace=True)
    write_starter(corpus_of([SENTENCE] * 5), tmp_path / "c", path)
    check_space_target(path, replace=True)
    with pytest.raises(SpaceError, match="Give --force to replace it"):
        check_space_target(path, replace=False)
