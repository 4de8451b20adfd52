"""What a configuration costs per query and on disk, computed, not timed.

`work` is in millions of multiply-adds a query, averaged over the queries:

* a token through a transformer: `layers * (4 h^2 + 2 h i)` (h hidden size, i intermediate size);
* a vector scanned: its dimension (exact search scans all; IVF about `nprobe / lists` of them;
  HNSW about `max(ef_search, depth)` times 32 neighbours);
* a posting scanned: 1;
* a pair reranked by late interaction: query tokens * passage tokens * dimension, beside the
  passage's tokens through the model; by a cross-encoder: the pair's tokens through the model.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.configuration import ChunkConfig, Configuration, VectorConfig
from sweep.engine.stages.lists import ListStages
from sweep.engine.stages.output import first_mode
from sweep.engine.store.keys import stage_key
from sweep.index.bm25 import encode_queries, postings_scanned
from sweep.index.vectors import index_size
from sweep.models import ModelFiles
from sweep.records import Ints, RankedLists
from sweep.tokenizer import count_tokens, load_tokenizer

MILLION = 1e6
SPECIAL = 3  # tokens of a pair beside its texts: [CLS] query [SEP] passage [SEP]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What does not depend on the clock.

    Attributes:
        work: millions of multiply-adds a query.
        index_bytes: of the indexes needed in production, texts left out.
    """

    work: float
    index_bytes: int


def costs_of(
    configuration: Configuration, stages: ListStages, candidates: RankedLists | None
) -> Costs:
    """Return what a configuration costs.

    Args:
        configuration: what is retrieved.
        stages: where its parts are.
        candidates: what is reranked, shape (Q, depth); None where nothing is.
    """
    first = _first_stage(configuration, stages)
    if candidates is None:
        return first
    reranking = _rerank(configuration, stages, candidates) / MILLION
    return replace(first, work=first.work + reranking)


def _first_stage(configuration: Configuration, stages: ListStages) -> Costs:
    """Return the costs of what is searched: one answer for every k1, weight or blend, stored."""
    vector, chunk, texts = configuration.vector, configuration.chunk, stages.texts
    bm25 = configuration.bm25 if _uses(configuration, "bm25") else None
    inputs = [texts.queries_key]
    if bm25 is not None:
        inputs.append(texts.terms_key(chunk, bm25.analyzer))
    if vector is not None:
        inputs += [stages.vectors.index_key(chunk, vector), vector.query_prefix]
    params = {
        "bm25": bm25 is not None,
        "vector": _uses(configuration, "vector"),
        "effort": _effort(configuration),
    }
    return stages.cache.get(
        "costs",
        stage_key("costs", params, inputs),
        compute=lambda: Costs(
            work=_search_work(configuration, stages) / MILLION,
            index_bytes=_index_bytes(configuration, stages),
        ),
        encode=lambda value: {
            "work": np.array([value.work]),
            "index_bytes": np.array([value.index_bytes]),
        },
        decode=lambda arrays: Costs(
            work=float(arrays["work"][0]), index_bytes=int(arrays["index_bytes"][0])
        ),
    )


def _search_work(configuration: Configuration, stages: ListStages) -> float:
    total = 0.0
    if _uses(configuration, "bm25") and configuration.bm25 is not None:
        analyzer = configuration.bm25.analyzer
        terms = stages.texts.terms(configuration.chunk, analyzer)
        texts = [query.text for query in stages.texts.corpus.queries]
        encoded = encode_queries(terms, texts, analyzer=analyzer)
        total += float(postings_scanned(terms, encoded).mean())
    if configuration.vector is not None:
        model = stages.vectors.pool.encoder(configuration.vector.model)
        tokens = _query_tokens(stages, configuration.vector)
        total += float(tokens.mean()) * multiply_adds_per_token(model.files)
    if _uses(configuration, "vector") and configuration.vector is not None:
        total += _scan(configuration, configuration.vector, stages)
    return total


def multiply_adds_per_token(files: ModelFiles) -> float:
    """Return a transformer's multiply-adds for one token, from its config.json (0 if unknown)."""
    config: dict[str, Any] = files.read_json("config.json")
    hidden = config.get("hidden_size") or config.get("dim") or config.get("d_model") or 0
    layers = config.get("num_hidden_layers") or config.get("n_layers") or 0
    inner = config.get("intermediate_size") or config.get("hidden_dim") or 4 * hidden
    return float(layers * (4 * hidden * hidden + 2 * hidden * inner))


def _index_bytes(configuration: Configuration, stages: ListStages) -> int:
    total = 0
    if _uses(configuration, "bm25") and configuration.bm25 is not None:
        terms = stages.texts.terms(configuration.chunk, configuration.bm25.analyzer)
        total += sum(a.nbytes for a in (terms.indptr, terms.indices, terms.counts, terms.lengths))
        total += sum(len(term.encode()) for term in terms.vocabulary)
    if _uses(configuration, "vector") and configuration.vector is not None:
        total += index_size(stages.vectors.index(configuration.chunk, configuration.vector).index)
    return total


def _uses(configuration: Configuration, kind: str) -> bool:
    """Return whether the `bm25` or `vector` list is part of what is retrieved."""
    return first_mode(configuration) in (kind, "hybrid")


def _query_tokens(stages: ListStages, config: VectorConfig) -> Ints:
    """Return how many tokens the model sees of each query, shape (Q,)."""
    return np.array([len(ids) for ids in stages.vectors.query_inputs(config)], dtype=np.int64)


def _scan(configuration: Configuration, config: VectorConfig, stages: ListStages) -> float:
    index = stages.vectors.index(configuration.chunk, config).index
    count, dimension = index.vectors.shape
    if index.approximate is None:
        return float(count * dimension)
    if match := re.search(r"IVF(\d+)", config.index):
        lists = getattr(index.approximate, "nlist", int(match[1]))
        return float(count * dimension * min(1.0, (config.nprobe or 1) / max(1, lists)))
    if "HNSW" in config.index:
        return float(min(count, _effort(configuration) * 32) * dimension)
    return float(count * dimension)


def _effort(configuration: Configuration) -> int:
    """Return how many candidates an HNSW search keeps; 0 for what has no such list."""
    vector = configuration.vector
    if vector is None or "HNSW" not in vector.index:
        return 0
    return max(vector.ef_search or 16, configuration.top_k)


def _rerank(configuration: Configuration, stages: ListStages, candidates: RankedLists) -> float:
    assert configuration.rerank is not None
    queries, ranks = np.nonzero(candidates.items >= 0)
    rows = candidates.items[queries, ranks]
    if configuration.rerank.kind == "maxsim":
        assert configuration.vector is not None
        encoder = stages.vectors.pool.encoder(configuration.vector.model)
        inputs = stages.vectors.passage_inputs(configuration.chunk, configuration.vector)
        lengths = np.minimum(inputs.full, inputs.window)[rows]
        hidden = encoder.files.read_json("config.json").get("hidden_size", 0)
        products = _query_tokens(stages, configuration.vector)[queries] * lengths * hidden
        work = lengths * multiply_adds_per_token(encoder.files) + products
    else:
        assert configuration.rerank.model is not None
        files = stages.vectors.pool.cross_encoder(configuration.rerank.model).files
        asked, passages = pair_tokens(configuration.chunk, files, stages)
        tokens = asked[queries] + passages[rows]
        work = (tokens + SPECIAL) * multiply_adds_per_token(files)
    return float(work.sum() / max(1, len(candidates.items)))


def pair_tokens(chunk: ChunkConfig, files: ModelFiles, stages: ListStages) -> tuple[Ints, Ints]:
    """Return a cross-encoder's tokens of every query (Q,) and of every passage (C,)."""

    def count() -> tuple[Ints, Ints]:
        tokenizer = load_tokenizer(files)
        texts = [query.text for query in stages.texts.corpus.queries]
        passages = stages.texts.passages(chunk)
        return count_tokens(tokenizer, texts), count_tokens(tokenizer, passages)

    key = f"{files.fingerprint}|{stages.texts.chunks_key(chunk)}|{chunk.prepend_title}"
    return stages.cache.hold("pair_tokens", key, count)
