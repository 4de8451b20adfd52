"""The bi-encoder and its index in a space file: pydantic models, used at the border only."""

from typing import Annotated

from pydantic import Field, Tag

from sweep.configuration import Similarity, VectorConfig
from sweep.study.space.file_types import EITHER, Choice, Count, CountAxis, FileModel, Word

_VECTOR = VectorConfig()


class ModelFile(FileModel):
    """A bi-encoder with the prefixes that it wants."""

    name: Word = Field(description="A name known offline, a hub name, or a folder.")
    query_prefix: Choice[str] | None = Field(default=None, description="Put before each query.")
    passage_prefix: Choice[str] | None = Field(
        default=None, description="Put before each passage."
    )
    dimensions: Choice[Count] | None = Field(
        default=None, description="Numbers of each vector that are kept."
    )


class IndexFile(FileModel):
    """A faiss index with its search effort."""

    factory: Word = Field(description="A faiss factory string.")
    ef_search: Choice[Count] | None = Field(
        default=None, description="Search effort of HNSW indexes."
    )
    nprobe: Choice[Count] | None = Field(default=None, description="Search effort of IVF indexes.")


ModelValue = Annotated[
    Annotated[Word, Tag("@value")] | Annotated[ModelFile, Tag("@mapping")], EITHER
]
IndexValue = Annotated[
    Annotated[Word, Tag("@value")] | Annotated[IndexFile, Tag("@mapping")], EITHER
]


class VectorFile(FileModel):
    """The bi-encoder and its index."""

    model: Choice[ModelValue] = Field(default=_VECTOR.model, description="The bi-encoder.")
    query_prefix: Choice[str] | None = Field(
        default=None, description="Put before each query; default: what the model wants."
    )
    passage_prefix: Choice[str] | None = Field(
        default=None, description="Put before each passage; default: what the model wants."
    )
    dimensions: CountAxis | None = Field(
        default=None,
        description="Numbers of each vector that are kept (Matryoshka); default: all.",
    )
    similarity: Choice[Similarity] = Field(
        default=_VECTOR.similarity, description="How vectors compare."
    )
    index: Choice[IndexValue] = Field(
        default=_VECTOR.index, description="A faiss factory string; `Flat` is exact search."
    )
