"""Every file in search_spaces/ reads, and makes as many configurations as its comments say."""

import json
import re
from pathlib import Path

import pytest

from sweep.configuration import Configuration
from sweep.metrics import parse_metric
from sweep.study.space.enumeration import enumerate_configurations
from sweep.study.space.read import SearchSpace, read_space

FOLDER = Path(__file__).parents[2] / "search_spaces"
NAMES = ("chunking", "hybrid-weights", "quickstart", "thorough")  # a user's own may lie beside
FILES = [FOLDER / f"{name}.yaml" for name in NAMES]
TOTAL = re.compile(r"^# Configurations: ([0-9,]+)$", re.MULTILINE)
OF_ONE_SPACE = re.compile(r"^ *#.*= ([0-9,]+) configurations\.", re.MULTILINE)
QUICKSTART = FOLDER / "quickstart.yaml"
CHUNKING = FOLDER / "chunking.yaml"
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def numbers(pattern: re.Pattern[str], path: Path) -> list[int]:
    found = pattern.findall(path.read_text(encoding="utf-8"))
    return [int(number.replace(",", "")) for number in found]


def baseline_of(space: SearchSpace) -> Configuration:
    assert isinstance(space.baseline, Configuration)
    return space.baseline


@each_file
def test_a_file_reads_without_a_notice_and_is_named_like_its_study(path: Path) -> None:
    space = read_space(path)
    assert space.name == path.stem
    assert space.notices == ()


@each_file
def test_the_corpus_is_there(path: Path) -> None:
    corpus = read_space(path).corpus
    assert corpus is not None
    assert (corpus / "corpus.jsonl").is_file()


@each_file
def test_the_number_in_the_comment_is_the_number_of_configurations(path: Path) -> None:
    assert numbers(TOTAL, path) == [len(read_space(path).configurations)]


@each_file
def test_each_space_makes_as_many_as_its_comment_says(path: Path) -> None:
    parts = read_space(path).parts
    assert numbers(OF_ONE_SPACE, path) == [len(enumerate_configurations([p])) for p in parts]


@each_file
def test_no_two_spaces_of_a_file_overlap(path: Path) -> None:
    assert sum(numbers(OF_ONE_SPACE, path)) == len(read_space(path).configurations)


@each_file
def test_no_confirmation_is_asked_for(path: Path) -> None:
    assert len(read_space(path).configurations) <= 2000


@pytest.mark.parametrize("stem", ["hybrid-weights", "quickstart", "thorough"])
def test_the_baseline_is_one_of_the_configurations(stem: str) -> None:
    space = read_space(FOLDER / f"{stem}.yaml")
    assert baseline_of(space) in space.configurations


def test_the_baseline_of_chunking_adds_a_trial() -> None:
    space = read_space(CHUNKING)
    assert baseline_of(space) not in space.configurations


def test_quickstart_is_small_and_uses_every_mode() -> None:
    configurations = read_space(QUICKSTART).configurations
    assert len(configurations) <= 150
    assert {c.mode for c in configurations} == {"bm25", "vector", "hybrid", "rerank"}


def test_quickstart_reranks_one_chunking() -> None:
    reranked = [c for c in read_space(QUICKSTART).configurations if c.mode == "rerank"]
    assert len({c.chunk for c in reranked}) == 1
    assert {c.rerank.depth for c in reranked if c.rerank is not None} == {20}


def test_chunking_compares_at_an_equal_budget_that_every_top_k_can_fill() -> None:
    space = read_space(CHUNKING)
    budgets = {parse_metric(objective.metric).budget_tokens for objective in space.objectives}
    assert budgets == {2000}
    for configuration in (*space.configurations, baseline_of(space)):
        size = configuration.chunk.size
        assert size is not None
        tokens = size * 1.35 if configuration.chunk.unit == "words" else size
        assert configuration.top_k * tokens >= 1.45 * 2000, configuration.label()


def test_the_handbook_has_the_passages_that_chunking_is_scored_on() -> None:
    corpus = read_space(CHUNKING).corpus
    assert corpus is not None
    lines = (corpus / "qrels_spans.jsonl").read_text(encoding="utf-8").splitlines()
    assert {"query-id", "corpus-id", "start", "end", "score"} <= set(json.loads(lines[0]))
