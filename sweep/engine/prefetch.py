"""Work that many configurations share, done in one go before the first of them is evaluated.

Embedding the texts of all chunkings together fills the batches, and rerank scores are computed for
the union of all candidate lists. Nothing depends on it: what is not prefetched is computed when a
configuration asks for it.
"""

from collections.abc import Iterable

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.plan.shared_work import join_candidates, pair_groups, passage_groups


def prefetch_vectors(engine: Engine, configurations: Iterable[Configuration]) -> None:
    """Embed the chunks of every chunking that the configurations search with one model."""
    for group in passage_groups(configurations):
        if len(group.chunkings) > 1:
            engine.vectors.embed_all(group.chunkings, group.vector)


def prefetch_pairs(engine: Engine, configurations: Iterable[Configuration]) -> None:
    """Score the union of the candidates of all configurations that share reranker and chunks."""
    for group in pair_groups(configurations):
        if len(group.configurations) > 1:
            union = join_candidates(engine, group.configurations)
            engine.pairs.scores(group.rerank, group.chunk, group.vector, union)
