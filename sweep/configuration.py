"""One retrieval configuration: a frozen dataclass per group of parameters, and the flat form.

A configuration holds only what its mode uses: a BM25 configuration has no `vector` group, `weight`
exists only where a weighted fusion uses it. Two configurations that retrieve the same are equal.
The flat form (`{"mode": "hybrid", "chunk.size": 192, ...}`) is what a study records and shows.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

Mode = Literal["bm25", "vector", "hybrid", "rerank"]
Splitter = Literal[
    "tokens", "sentences", "recursive", "markdown", "words", "characters", "document"
]
Unit = Literal["tokens", "words", "characters"]
Variant = Literal["lucene", "okapi", "l", "plus"]
Fusion = Literal["rrf", "weighted", "zscore"]
RerankKind = Literal["maxsim", "cross-encoder"]
Candidates = Literal["bm25", "vector", "hybrid"]
Similarity = Literal["cosine", "ip", "l2"]
TopKUnit = Literal["chunks", "documents"]
Scalar = str | int | float | bool
DEFAULT_MODEL = "all-MiniLM-L6-v2"
LONGEST_PREFIX = 16  # characters of a prefix that a label shows


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkConfig:
    """How documents are cut.

    Attributes:
        splitter: `tokens`, `words`, `characters`: windows; `sentences`: whole sentences packed up
            to `size`; `recursive`: whole paragraphs, of those that are too long sentences, of
            those words; `markdown`: cut at headings first, code and tables kept whole;
            `document`: no cut (`size` and `overlap` do not apply).
        size: longest chunk, in `unit`; >= 1.
        overlap: share of `size` that neighbours have in common, in [0, 1).
        unit: what `size` counts; `tokens`, `words` and `characters` fix it.
        prepend_title: put the title before the chunk when it is embedded or its terms are counted.
    """

    splitter: Splitter = "tokens"
    size: int | None = 192
    overlap: float = 0.0
    unit: Unit = "tokens"
    prepend_title: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Config:
    """BM25's model and analyzer; `delta` applies to `l`, `epsilon` to `okapi`.

    `analyzer` is `auto`, a language or a library, each also with `+identifiers` behind it (see
    `sweep.index.analyzer`).
    """

    variant: Variant = "lucene"
    k1: float = 1.2
    b: float = 0.75
    delta: float | None = None
    epsilon: float | None = None
    analyzer: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorConfig:
    """The bi-encoder and its index.

    Attributes:
        model: a name known offline, a hub name, or a folder.
        query_prefix, passage_prefix: put before each text, as e5 or bge models want.
        dimensions: how many numbers of each vector are kept (models trained for it, "Matryoshka",
            lose little); None = all.
        similarity: `cosine` (unit vectors), `ip` (raw inner product) or `l2` (score = minus the
            squared distance).
        index: a faiss factory string; `Flat` is exact search.
        ef_search, nprobe: search effort of HNSW and IVF indexes; None = faiss's default.
    """

    model: str = DEFAULT_MODEL
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int | None = None
    similarity: Similarity = "cosine"
    index: str = "Flat"
    ef_search: int | None = None
    nprobe: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridConfig:
    """How the vector and the BM25 list are joined; `weight` is the vector list's share."""

    fusion: Fusion = "rrf"
    rrf_k: int | None = 60
    weight: float | None = None
    depth: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankConfig:
    """How the first `depth` candidates are reordered; `blend` is the reranker's share."""

    kind: RerankKind = "maxsim"
    model: str | None = None
    candidates: Candidates = "hybrid"
    depth: int = 50
    blend: float = 1.0


GROUPS: dict[str, type[Any]] = {
    "chunk": ChunkConfig,
    "bm25": Bm25Config,
    "vector": VectorConfig,
    "hybrid": HybridConfig,
    "rerank": RerankConfig,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything that decides what is retrieved for a query.

    Attributes:
        top_k: length of the output, in `top_k_unit`; >= 1.
        top_k_unit: `chunks`, or `documents` (goes on until that many distinct documents are in).
        aggregate: chunk list -> document list: `max`, `first`, `sum` or `mean@m`.
        bm25, vector, hybrid, rerank: None where the mode does not use the group.
    """

    mode: Mode
    top_k: int = 10
    top_k_unit: TopKUnit = "chunks"
    aggregate: str = "max"
    chunk: ChunkConfig = ChunkConfig()
    bm25: Bm25Config | None = None
    vector: VectorConfig | None = None
    hybrid: HybridConfig | None = None
    rerank: RerankConfig | None = None

    def flat(self) -> dict[str, Scalar]:
        """Return `{dotted name: value}` of every parameter that applies, in a fixed order."""
        result: dict[str, Scalar] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in GROUPS:
                result[field.name] = value
            elif value is not None:
                for inner in fields(value):
                    if (part := getattr(value, inner.name)) is not None:
                        result[f"{field.name}.{inner.name}"] = part
        return result

    def fingerprint(self) -> str:
        """Return 16 hex digits that identify what is retrieved, equal for equal configurations."""
        text = json.dumps(self.flat(), sort_keys=True, ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def label(self) -> str:
        """Return a short name for people: `hybrid, tokens 192/0.2, weighted 0.7, top 10`."""
        parts = [self.mode, self._chunk_label()]
        if self.bm25 is not None:
            parts += _differences(self.bm25, Bm25Config())
        if self.vector is not None:
            plain = replace(self.vector, query_prefix="", passage_prefix="")
            parts += [*_differences(plain, VectorConfig()), *_prefixes(self.vector)]
        if self.hybrid is not None:
            weight = "" if self.hybrid.weight is None else f" {self.hybrid.weight:g}"
            default = replace(HybridConfig(), fusion=self.hybrid.fusion, weight=self.hybrid.weight)
            parts.append(f"{self.hybrid.fusion}{weight}")
            parts += _differences(self.hybrid, default)
        if self.rerank is not None:
            parts.append(
                f"{self.rerank.kind} on {self.rerank.depth} {self.rerank.candidates}, "
                f"blend {self.rerank.blend:g}"
            )
        unit = " documents" if self.top_k_unit == "documents" else ""
        return ", ".join([*parts, f"top {self.top_k}{unit}"])

    def _chunk_label(self) -> str:
        if self.chunk.splitter == "document":
            return "whole documents"
        return f"{self.chunk.splitter} {self.chunk.size}/{self.chunk.overlap:g}"


def _prefixes(config: VectorConfig) -> list[str]:
    """Return what is put before queries and passages, short, as one part; none if nothing is."""
    shown = [
        repr(text if len(text) <= LONGEST_PREFIX else f"{text[:LONGEST_PREFIX]}...")
        for text in (config.query_prefix, config.passage_prefix)
    ]
    return ["/".join(shown)] if config.query_prefix or config.passage_prefix else []


def _differences(config: Any, default: Any) -> list[str]:
    """Return what of a group is not its default, as `name=value` (the value alone for texts)."""
    changed = []
    for field in fields(config):
        value = getattr(config, field.name)
        if value is not None and value != getattr(default, field.name):
            text = Path(value).name if isinstance(value, str) else f"{field.name}={value:g}"
            changed.append(text or f"no {field.name}")
    return changed


def from_flat(flat: Mapping[str, Scalar]) -> Configuration:
    """Rebuild a configuration from its flat form; `from_flat(c.flat()) == c`."""
    top: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for name, value in flat.items():
        group, _, inner = name.partition(".")
        if inner:
            groups.setdefault(group, {})[inner] = value
        else:
            top[name] = value
    for group, values in groups.items():
        empty = {f.name: None for f in fields(GROUPS[group]) if f.default is None or _optional(f)}
        top[group] = GROUPS[group](**{**empty, **values})
    return Configuration(**top)


def _optional(field: Any) -> bool:
    return type(None) in get_args(cast(Any, field.type))
