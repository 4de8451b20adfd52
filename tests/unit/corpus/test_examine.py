"""Near duplicates, scripts and labels: what a look at every text tells."""

import random

import pytest

from sweep.corpus.examine import examination_from, examination_notices, examine
from sweep.corpus.near_duplicates import near_duplicates
from sweep.corpus.scripts import script_shares
from sweep.records import Document
from tests.corpus_files import corpus_of


def words(count: int, *, seed: int, letters: str = "abcdefghij") -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(letters, k=5)) for _ in range(count)]


def documents(*texts: str) -> list[Document]:
    return [Document(id=f"d{number}", text=text) for number, text in enumerate(texts)]


def test_a_changed_word_makes_a_near_duplicate() -> None:
    one, other = words(200, seed=1), words(200, seed=2)
    changed = [*one[:100], "another", *one[101:]]
    half = [*one[:100], *other[100:]]
    texts = [" ".join(text) for text in (one, other, changed, half)]
    assert near_duplicates(documents(*texts)) == [("d0", "d2")]


def test_case_spaces_and_punctuation_do_not_matter() -> None:
    text = words(60, seed=3)
    loud = ".\n\n".join(text).upper()
    assert near_duplicates(documents(" ".join(text), loud)) == [("d0", "d1")]


def test_equal_copies_are_not_told_again() -> None:
    text = " ".join(words(60, seed=4))
    assert near_duplicates(documents(text, text)) == []


@pytest.mark.parametrize("letters", ["数据系统检索评估方法中", "กขคงจฉชซฌญ", "कखगघचछजझटठ"])
def test_scripts_without_spaces_are_compared_too(letters: str) -> None:
    one = "".join(words(80, seed=5, letters=letters))
    other = "".join(words(80, seed=6, letters=letters))
    changed = one[:100] + letters[0] * 3 + one[103:]
    assert near_duplicates(documents(one, other, changed)) == [("d0", "d2")]


def test_short_and_blank_texts_are_no_duplicates() -> None:
    assert near_duplicates(documents("", " ", "one two three", "one two four", "a" * 5000)) == []
    assert near_duplicates([]) == []


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(words(50, seed=seed)) for seed in range(20)]
    pages = documents(*texts, *(f"{text} more" for text in texts))
    found = near_duplicates(pages)
    assert found == [(f"d{number}", f"d{number + 20}") for number in range(20)]
    monkeypatch.setattr("sweep.corpus.near_duplicates.BLOCK_BYTES", 1)
    assert near_duplicates(pages) == found


def test_scripts_are_shares_of_letters() -> None:
    assert script_shares(["abcd 12 ..", "检索", "ひカ", ""]) == {
        "Latin": 0.5,
        "Han": 0.25,
        "Hiragana": 0.125,
        "Katakana": 0.125,
    }
    assert script_shares(["हिन्दी", "\ud800"]) == {"Devanagari": 1.0}  # marks are no letters
    assert script_shares(["12 !"]) == {}


def test_notices_tell_what_flatters_scores() -> None:
    text = words(60, seed=7)
    texts = [" ".join(words(30, seed=seed)) for seed in range(20)]
    texts += [" ".join(text), " ".join([*text, "end"]), "检索" * 2_000]
    labels = {f"d{number:04}": 1 for number in range(22)}
    corpus = corpus_of(texts, qrels={"q": labels})
    found = examine(corpus)
    assert list(examination_notices(corpus, found)) == [
        "96% of 23 documents have a label: if the corpus was cut down to them, scores are "
        "flattered, since in production more documents compete",
        "2 documents nearly repeat each other, in 1 group (e.g. 'd0020', 'd0021'): a hit on the "
        "copy that has no label counts as a miss. Label all of a group, or keep one",
        "several scripts (Han 53%, Latin 47% of all letters): choose models that know them all",
    ]
    assert examination_from(found.to_json()) == found
    assert list(examination_notices(corpus_of(["a"], qrels={"q": {"d0000": 1}}), examine(
        corpus_of(["a"])))) == []  # fmt: skip
