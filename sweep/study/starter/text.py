"""The text of a first search space, with comments that say why each value is what it is."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from sweep.study.starter.sizing import FULL, LARGE, Sizing

SIGNATURE = "# Written by `sweep init`"
WIDTH = 96
HYBRID_WEIGHTS = (0.5, 0.7)  # of the vector list
DEPTH = 20  # candidates that are reordered
MANY, SAMPLED = 50_000, 20_000  # documents, from which on a quick look of so many is suggested
FEW = 50  # questions, below which a choice is hardly more than a guess
ENOUGH = 100  # questions, from which on it begins to be worth trusting


def starter_text(sizing: Sizing, *, name: str, corpus: str, space: Path, count: int) -> str:
    """Return the text of a space file.

    Args:
        sizing: what it holds.
        name: of the study.
        corpus: the corpus folder, relative to the file.
        space: the file, as it is named in the commands it mentions.
        count: its configurations.
    """
    lines = [
        *_head(sizing, space, count),
        f"name: {json.dumps(name, ensure_ascii=False)}",
        f"corpus: {json.dumps(corpus, ensure_ascii=False)}   # relative to this file",
        *_objective(sizing),
        "split: auto   # from 200 judged queries on, 30 % are kept for the honest score",
        *_sample(sizing),
        "",
        *_baseline(sizing),
        "",
        "# A single value is fixed, a list is tried value by value.",
        "space:",
        *(_cut_parts(sizing) if sizing.sizes else _whole_parts(sizing)),
    ]
    return "\n".join(lines) + "\n"


def _comment(text: str, indent: str = "") -> Iterator[str]:
    """Yield a comment, its lines filled."""
    yield from (
        f"{indent}# {line}"
        for line in textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False)
    )


def _head(sizing: Sizing, space: Path, count: int) -> Iterator[str]:
    path = " ".join(space.as_posix().split())
    yield f"{SIGNATURE} for {sizing.documents:,} documents and {sizing.judged:,} judged questions."
    yield "#"
    yield f"#     sweep run {path} --dry-run    what there is to do, and how long"
    yield f"#     sweep run {path}"
    yield "#"
    yield from _comment(
        f"Documents have {sizing.median:,} tokens in the middle and {sizing.longest:,} at most, "
        f"{sizing.tokens:,} in all; the model reads {sizing.window} at once, title included."
    )
    yield "#"
    if sizing.judged < FEW:
        yield from _comment(
            f"FEW QUESTIONS: {sizing.judged} cannot settle a choice. Believe large differences "
            f"only, and add questions: from about {ENOUGH} on it begins to be worth trusting."
        )
        yield "#"
    yield from _comment(
        f"With {sizing.judged:,} questions, differences show from about {sizing.resolution:.2f} "
        "on (a rule of thumb)."
    )
    yield "#"
    yield f"# Configurations: {count}"
    yield ""


def _objective(sizing: Sizing) -> Iterator[str]:
    yield f"objective: {sizing.objective}"
    budget = sizing.budget
    if budget is None:
        yield from _comment(
            "Documents are shorter than a chunk, so none is cut: what counts is that the right "
            f"one comes early among the first {sizing.cutoff}."
        )
        return
    yield from _comment(
        f"Every configuration may fill {budget:,} tokens of context, however many chunks that "
        "takes: ten large chunks hold more than ten small ones, and would look better for it."
    )
    have = f"{sizing.spanned:,} of {sizing.judged:,} questions have the sentence that answers"
    if sizing.by_spans:
        yield from _comment(
            f"{have}: a chunk that holds it should come early; one of the right page without it "
            "counts nothing. Questions without it are in no such score. If only the share of the "
            f"sentence that is inside counts for you, and not its rank, write span_recall@{budget}"
            "tok; it tells fewer configurations apart."
        )
        yield (
            f"metrics: [span_recall@{budget}tok, span_precision@{budget}tok, ndcg@{budget}tok]   "
            "# recorded too"
        )
    else:
        few = f"Only {have}" if sizing.spanned else "No question has the sentence that answers"
        yield from _comment(
            f"{few}, so whole pages are judged: the right ones should come early. With such "
            f"sentences for most questions write `objective: span_ndcg@{budget}tok`, which sees "
            "where a page was cut."
        )


def _sample(sizing: Sizing) -> Iterator[str]:
    if sizing.documents < MANY:
        return
    yield ""
    yield from _comment(
        "A quick look: search on some of the documents, every judged one kept, and evaluate the "
        "finalists on all of them. Scores of the search are flattered; the finalists' are not by "
        "that. Take the mark from the next line for it."
    )
    yield f"# sample: {{documents: {SAMPLED}, keep: judged}}"


def _baseline(sizing: Sizing) -> Iterator[str]:
    mode = "vector" if sizing.english else "bm25"
    plain = "equal chunks without overlap" if sizing.sizes else "whole documents"
    yield from _comment(
        "What the winner is compared with. Put what you run today here; until then it is the "
        f"plain choice of most systems: {mode} search over {plain}."
    )
    chunk, top_k = "{splitter: document}", 10
    if sizing.sizes:
        size = sizing.middle_size
        chunk, top_k = f"{{splitter: tokens, size: {size}}}", sizing.top_k(size)
    yield f"baseline: {{mode: {mode}, top_k: {top_k}, chunk: {chunk}}}"


def _cut_parts(sizing: Sizing) -> Iterator[str]:
    if len(sizing.splitters) < 2 or len(sizing.sizes) < 3:
        yield from _comment(
            f"Above {FULL:,} tokens one splitter is tried, above {LARGE:,} no overlap and two "
            "sizes; sizes that would cut hardly a document are left out. Add what you have time "
            "for.",
            "  ",
        )
    splitters, overlaps = ", ".join(sizing.splitters), ", ".join(map(str, sizing.overlaps))
    for number, size in enumerate(sizing.sizes):
        top_k = sizing.top_k(size)
        yield f"  # Chunks of {size} tokens; {top_k} of them fill the budget one and a half times."
        chunk = f"{{splitter: [{splitters}], size: {size}, overlap: [{overlaps}]}}"
        yield from _part(sizing, top_k, chunk, sizing.language, first=number == 0)
    if sizing.whole:
        yield "  # Documents as they are: nearly all fit into what the model reads."
        top_k = sizing.top_k(sizing.median)
        yield from _part(sizing, top_k, "{splitter: document}", sizing.language, first=False)
    if sizing.english:
        size = sizing.middle_size
        chunk = f"{{splitter: {sizing.splitters[-1]}, size: {size}, overlap: 0}}"
        yield from _rerank_part(sizing, sizing.top_k(size), chunk)


def _whole_parts(sizing: Sizing) -> Iterator[str]:
    yield "  # Nearly all documents are shorter than the smallest chunk: they are searched whole."
    analyzers = f"[{', '.join(dict.fromkeys(('auto', sizing.language)))}]"
    yield from _part(sizing, 10, "{splitter: document}", analyzers, first=True)
    if sizing.english:
        yield from _rerank_part(sizing, 10, "{splitter: document}")


def _part(sizing: Sizing, top_k: int, chunk: str, analyzers: str, *, first: bool) -> Iterator[str]:
    """Yield one chunking with all modes; the first part names what the others repeat."""
    yield f"  - mode: {'[bm25, vector, hybrid]' if sizing.english else 'bm25'}"
    yield f"    top_k: {top_k}"
    yield f"    chunk: {chunk}"
    if not first:
        yield "    bm25: *bm25"
        if sizing.english:
            yield "    hybrid: *hybrid"
        return
    yield from _comment(
        "analyzer: auto takes words as they are; a language stems them and drops its function "
        "words. weight: the share of the vector list.",
        "    ",
    )
    yield f"    bm25: &bm25 {{analyzer: {analyzers}}}"
    if sizing.english:
        weights = ", ".join(map(str, HYBRID_WEIGHTS))
        yield f"    hybrid: &hybrid {{fusion: weighted, weight: [{weights}], depth: 100}}"
    if not sizing.english or sizing.language not in ("english", "auto"):
        yield from _comment(_model_advice(sizing), "    ")


def _model_advice(sizing: Sizing) -> str:
    model = "vector: {model: NAME}, for example intfloat/multilingual-e5-small, in every part"
    if sizing.english:
        return f"The default model knows English best. If you can fetch another, write {model}."
    return (
        "The default model knows English only, which these texts are not. With a model for them "
        f"write mode: [bm25, vector, hybrid] and {model}."
    )


def _rerank_part(sizing: Sizing, top_k: int, chunk: str) -> Iterator[str]:
    yield "  # Reranking one hybrid list. It costs most, in the sweep and for every query later."
    yield "  - mode: rerank"
    yield f"    top_k: {top_k}"
    yield f"    chunk: {chunk}"
    yield f"    bm25: {{analyzer: {sizing.language}}}"
    yield f"    hybrid: {{fusion: weighted, weight: {HYBRID_WEIGHTS[0]}, depth: 100}}"
    depth = max(DEPTH, top_k)
    yield f"    rerank: {{kind: maxsim, candidates: hybrid, depth: {depth}, blend: [0.5, 0.75]}}"
