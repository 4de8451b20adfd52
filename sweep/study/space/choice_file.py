"""The form of a space file's parts that say what is measured, and what is chosen by it.

pydantic models, used at the border only; see `space_file`.
"""

from typing import Annotated, Any

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from sweep.errors import WinnerError
from sweep.metrics import SpanRule
from sweep.study.space.file_types import Choice, FileModel, Share, Word
from sweep.study.space.problems import show_value
from sweep.winner.preference import COSTS, MAX_LOSS, CostName, check_costs


class LabelsFile(FileModel):
    """The range of the grades."""

    min: int = Field(default=0, description="Lowest grade.")
    max: int = Field(default=4, description="Highest grade.")

    @model_validator(mode="after")
    def _check(self) -> "LabelsFile":
        if self.min >= self.max:
            raise ValueError(f"min must be < max, got {self.min} and {self.max}. Swap them.")
        return self


class EvaluationFile(FileModel):
    """What scores are measured against."""

    labels: LabelsFile | None = Field(default=None, description="The range of the grades.")
    relevance: int = Field(default=1, description="Grades from here on count as relevant.")
    thresholds: dict[Word, float] = Field(default={}, description="Pass / fail bound by metric.")
    span_rule: SpanRule = Field(default="coverage", description="When a chunk matches a span.")
    span_threshold: float = Field(
        default=0.5, gt=0, le=1, description="Share from which they match, by `span_rule`."
    )


def _plain(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Refuse what has no plain text, in one line for all types that are possible."""
    if not isinstance(value, str | int | float):
        raise ValueError(
            f"must be a text, a number, true or false, got {show_value(value)}. Put it in quotes."
        )
    return handler(value)


FieldValue = Annotated[str | bool | int | float, WrapValidator(_plain)]


class MustFile(FileModel):
    """A bound that a feasible trial keeps on some of the queries."""

    where: dict[Word, Choice[FieldValue]] = Field(
        json_schema_extra={"minProperties": 1},
        description="Which queries: a field of their metadata and its value, or a list of values "
        "of which one is enough; several fields must all fit. (none) = without the field.",
    )
    metric: Word = Field(description="A metric name, for example recall@5.")
    at_least: float | None = Field(default=None, description="Lowest mean over these queries.")
    at_most: float | None = Field(default=None, description="Highest mean over these queries.")

    @model_validator(mode="after")
    def _check(self) -> "MustFile":
        if not self.where:
            raise ValueError(
                "where must name a field of the queries' metadata, got none. Write for example "
                "where: {kind: identifier}; a bound on all queries stands under constraints."
            )
        given = [name for name in ("at_least", "at_most") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"must have either at_least or at_most, got {' and '.join(given) or 'neither'}. "
                f"Write for example at_least: 0.9; for both, write two entries."
            )
        return self


class RecommendFile(FileModel):
    """How one of the configurations that tie with the best is chosen."""

    max_loss: Share = Field(
        default=MAX_LOSS,
        description="Observed loss that is given away for a lower cost; of the metric's scale.",
    )
    costs: list[CostName] = Field(
        default=list(COSTS), description="What is saved for it, the most important first."
    )

    @model_validator(mode="after")
    def _check(self) -> "RecommendFile":
        try:
            check_costs(self.costs, where="costs")
        except WinnerError as error:
            raise ValueError(str(error)) from error
        return self
