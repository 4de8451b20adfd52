"""The form of a search-space file: pydantic models, used at the border only.

Defaults are those of `sweep.configuration`; `sweep schema` prints the JSON Schema of these models.
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from sweep.configuration import (
    Bm25Config,
    Candidates,
    ChunkConfig,
    Fusion,
    HybridConfig,
    Mode,
    RerankConfig,
    RerankKind,
    Splitter,
    TopKUnit,
    Unit,
    Variant,
)
from sweep.study.space.choice_file import EvaluationFile, MustFile, RecommendFile
from sweep.study.space.expression import parse_constraint, parse_exclusion
from sweep.study.space.file_types import (
    EITHER,
    LARGEST,
    Aggregate,
    Choice,
    CountAxis,
    FileModel,
    OffsetAxis,
    OverlapAxis,
    PositiveAxis,
    ShareAxis,
    Word,
    checked,
)
from sweep.study.space.sample import SampleFile
from sweep.study.space.vector_file import VectorFile

Direction = Literal["maximize", "minimize"]
SamplerKind = Literal["grid", "random", "tpe", "nsga2"]
_CHUNK, _BM25 = ChunkConfig(), Bm25Config()
_HYBRID, _RERANK = HybridConfig(), RerankConfig()


class ChunkFile(FileModel):
    """How documents are cut into chunks."""

    splitter: Choice[Splitter] = Field(
        default=_CHUNK.splitter,
        description="What chunks are made of; markdown cuts at headings first.",
    )
    size: CountAxis = Field(default=192, description="Longest chunk, counted in `unit`.")
    overlap: OverlapAxis = Field(
        default=_CHUNK.overlap,
        description="Share of `size` that neighbours have in common: 0.5 = half.",
    )
    unit: Choice[Unit] = Field(
        default=_CHUNK.unit,
        description="What `size` counts, for sentences, recursive and markdown.",
    )
    prepend_title: Choice[bool] = Field(
        default=_CHUNK.prepend_title,
        description="Put the title before the chunk for embedding and terms.",
    )
    tokenizer: Word | None = Field(
        default=None,
        description="Model whose tokens sizes count, one per study; default: the first model.",
    )


class Bm25File(FileModel):
    """BM25's model and the analyzer."""

    variant: Choice[Variant] = Field(default=_BM25.variant, description="Which BM25 formula.")
    k1: PositiveAxis = Field(default=_BM25.k1, description="Saturation of the term frequency.")
    b: ShareAxis = Field(default=_BM25.b, description="Strength of the length normalisation.")
    delta: PositiveAxis | None = Field(default=None, description="For `l` (0.5).")
    epsilon: PositiveAxis | None = Field(default=None, description="For `okapi` (0.25).")
    analyzer: Choice[Word] = Field(
        default=_BM25.analyzer,
        description="auto, a language (english), or jieba, sudachipy, kiwipiepy; each also with "
        "+identifiers behind it.",
    )


class HybridFile(FileModel):
    """How the vector and the BM25 list are joined."""

    fusion: Choice[Fusion] = Field(default=_HYBRID.fusion, description="How scores are joined.")
    rrf_k: OffsetAxis = Field(default=60, description="For `rrf`: added to every rank.")
    weight: ShareAxis = Field(
        default=0.5, description="For `weighted` and `zscore`: share of the vector list."
    )
    depth: CountAxis = Field(
        default=_HYBRID.depth, description="Chunks of each list that are joined."
    )


class RerankFile(FileModel):
    """How the first candidates are reordered."""

    kind: Choice[RerankKind] = Field(default=_RERANK.kind, description="The scorer.")
    model: Choice[Word] | None = Field(default=None, description="For `cross-encoder`: its name.")
    candidates: Choice[Candidates] = Field(
        default=_RERANK.candidates, description="The first stage."
    )
    depth: CountAxis = Field(default=_RERANK.depth, description="Candidates that are reordered.")
    blend: ShareAxis = Field(default=_RERANK.blend, description="The reranker's share; 1 = alone.")

    @model_validator(mode="after")
    def _check_model(self) -> "RerankFile":
        kinds = self.kind if isinstance(self.kind, list) else [self.kind]
        if "cross-encoder" in kinds and self.model is None:
            raise ValueError(
                "kind cross-encoder needs a model, got none. "
                "Write for example model: cross-encoder/ms-marco-MiniLM-L6-v2."
            )
        return self


class SpaceFile(FileModel):
    """One space: each parameter is a value, a list of choices, or a range of numbers."""

    mode: Choice[Mode] = Field(description="Which retriever; groups apply where it uses them.")
    top_k: CountAxis = Field(default=10, description="Length of the output, in `top_k_unit`.")
    top_k_unit: Choice[TopKUnit] = Field(default="chunks", description="What `top_k` counts.")
    aggregate: Choice[Aggregate] = Field(
        default="max", description="Chunk scores -> document score: max, first, sum or mean@m."
    )
    chunk: ChunkFile = Field(default_factory=ChunkFile, description="How documents are cut.")
    bm25: Bm25File = Field(default_factory=Bm25File, description="For bm25 and hybrid retrieval.")
    vector: VectorFile = Field(
        default_factory=VectorFile, description="For vector and hybrid retrieval."
    )
    hybrid: HybridFile = Field(default_factory=HybridFile, description="For hybrid retrieval.")
    rerank: RerankFile = Field(default_factory=RerankFile, description="For the mode `rerank`.")


class RunFile(FileModel):
    """A baseline that is known by its ranked lists only."""

    run: Word = Field(description="A TREC run file, relative to this file.")


class ObjectiveFile(FileModel):
    """A metric and the sense in which it is better."""

    metric: Word = Field(description="A metric name, for example ndcg@10.")
    direction: Direction | None = Field(default=None, description="Default: the metric's own.")


class SplitFile(FileModel):
    """Which share of the judged queries is kept to confirm the winner."""

    confirm: float = Field(gt=0, lt=1, description="Share of the queries.")
    seed: int = Field(default=7, ge=0, le=LARGEST, description="Decides which queries.")
    group: Literal["query", "document"] | None = Field(
        default=None, description="What is never divided; default: as `auto` decides."
    )


class SamplerFile(FileModel):
    """How configurations are chosen."""

    kind: SamplerKind = Field(
        default="grid", description="grid: all; random; tpe and nsga2 learn from results."
    )
    seed: int = Field(default=7, ge=0, le=LARGEST, description="For all but the grid.")
    trials: int | None = Field(default=None, ge=1, description="Another place for `trials`.")


ObjectiveValue = Annotated[
    Annotated[Word, Tag("@value")] | Annotated[ObjectiveFile, Tag("@mapping")], EITHER
]
SplitValue = Annotated[  # YAML reads off as false
    Annotated[Literal["auto", "off", False], Tag("@value")]
    | Annotated[SplitFile, Tag("@mapping")],
    EITHER,
]
Baseline = Annotated[
    Annotated[SpaceFile, Tag("@configuration")] | Annotated[RunFile, Tag("@run")],
    Discriminator(
        lambda value: "@run" if isinstance(value, dict) and "run" in value else "@configuration"
    ),
]
# A study's name is also a folder and a command-line word; NAME@HASH is a study's sibling.
NAME_PATTERN = r"^[^\s./\\@:-][^/\\@:\x00-\x1f\x7f]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=100)]


class StudyFile(FileModel):
    """A whole search-space file."""

    name: Name | None = Field(default=None, description="The study's name; default: the file's.")
    corpus: Word | None = Field(
        default=None, description="A corpus folder, relative to this file."
    )
    objective: Choice[ObjectiveValue] = Field(
        description="The metric to optimise; several give a Pareto front."
    )
    metrics: list[Word] = Field(default=[], description="More metrics to record.")
    constraints: list[Annotated[Word, checked(parse_constraint)]] = Field(
        default=[],
        description="What a feasible trial keeps: METRIC <= NUMBER or METRIC >= NUMBER.",
    )
    must: list[MustFile] = Field(
        default=[], description="What a feasible trial keeps on a part of the queries."
    )
    recommend: RecommendFile = Field(
        default_factory=RecommendFile,
        description="How one of those that tie with the best is chosen; may be changed later.",
    )
    baseline: Baseline | None = Field(default=None, description="What is in production today.")
    split: SplitValue = Field(default="auto", description="auto, off, or which share confirms.")
    sampler: SamplerFile = Field(
        default_factory=SamplerFile, description="Which configurations are tried."
    )
    trials: int | None = Field(
        default=None, ge=1, description="How many the sampler tries, the baseline not counted."
    )
    evaluation: EvaluationFile = Field(
        default_factory=EvaluationFile, description="Labels, thresholds, rules of relevance."
    )
    sample: SampleFile | None = Field(
        default=None, description="A quick look: search on a part of the documents first."
    )
    exclude: list[Annotated[Word, checked(parse_exclusion)]] = Field(
        default=[], description="Configurations to leave out: chunk.size == 96 and top_k == 3."
    )
    space: Choice[SpaceFile] = Field(description="One space, or a list of spaces: their union.")


def space_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a search-space file, for editors."""
    schema = StudyFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
