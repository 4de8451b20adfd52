"""A quick look: the search on a reduced corpus, its finalists on all of it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import Field

from sweep.study.space.file_types import LARGEST, FileModel

Keep = Literal["judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """How the corpus is reduced for the search, and how many of it are evaluated on all of it.

    Attributes:
        documents: that the search is run on, in all.
        keep: which of them are never left out: those that a query has a label for.
        finalists: the best configurations of the search that are evaluated on the whole corpus.
        seed: decides which of the other documents are taken.
    """

    documents: int
    keep: Keep = "judged"
    finalists: int = 10
    seed: int = 7

    def identity(self) -> dict[str, Any]:
        """Return what makes the search this search; more finalists may join at any time."""
        return {name: value for name, value in asdict(self).items() if name != "finalists"}


class SampleFile(FileModel):
    """A quick look: search on a part of the documents, then the finalists on all of them."""

    documents: int = Field(
        ge=1, description="How many documents the search is run on, the judged ones with them."
    )
    keep: Keep = Field(
        default="judged",
        description="What is always kept: documents that a query has a label for.",
    )
    finalists: int = Field(
        default=10, ge=1, description="How many of the best are evaluated on all documents."
    )
    seed: int = Field(
        default=7, ge=0, le=LARGEST, description="Decides which of the other documents."
    )


def read_sample(file: SampleFile | None) -> Sample | None:
    """Return what the file says."""
    return None if file is None else Sample(**file.model_dump())
