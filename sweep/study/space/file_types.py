"""How values may be written in a space file: the pydantic types below `space_file`.

Every mapping refuses unknown keys, and nothing is converted but a whole number where a decimal
one is meant.
"""

from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from sweep.errors import SpaceError

T = TypeVar("T")
LARGEST = 2**31 - 1  # fits every index and database column


class FileModel(BaseModel):
    """A mapping of the file; an unknown key is reported with the keys that exist."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
    )

    @model_validator(mode="wrap")
    @classmethod
    def _name_known_keys(cls, data: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return handler(data)
        except ValidationError as error:
            details = [_with_known_keys(e, tuple(cls.model_fields)) for e in error.errors()]
            raise ValidationError.from_exception_data(cls.__name__, details) from error


def _with_known_keys(error: Any, known: tuple[str, ...]) -> InitErrorDetails:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        kind, context = "unknown_key", {"known": known}
    # The text is a template to pydantic: braces of a user's value must not be read as fields.
    text = error["msg"].replace("{", "(").replace("}", ")")
    return InitErrorDetails(
        type=PydanticCustomError(kind, text, context), loc=error["loc"], input=error["input"]
    )


def _form(value: Any) -> str:
    """Return the tag of the way a value is written: `@range`, `@choices` or `@value`."""
    if isinstance(value, dict):
        return "@range"
    return "@choices" if isinstance(value, list) else "@value"


# A text, or a mapping that says more.
EITHER = Discriminator(lambda value: "@mapping" if isinstance(value, dict) else "@value")


def checked(parse: Callable[[str], object]) -> AfterValidator:
    """Return a check that `parse` accepts a text; its SpaceError becomes the field's problem."""

    def check(text: str) -> str:
        try:
            parse(text)
        except SpaceError as error:
            raise ValueError(str(error)) from error
        return text

    return AfterValidator(check)


class Range(FileModel, Generic[T]):
    """Numbers from `low` to `high`, both included."""

    low: T = Field(description="The smallest value.")
    high: T = Field(description="The largest value; included when it falls on a step.")
    step: T | None = Field(default=None, description="Distance of neighbours; a grid needs it.")
    log: bool = Field(
        default=False,
        description="Draw evenly on the logarithmic scale (without step, not for a grid).",
    )

    @model_validator(mode="after")
    def _check(self) -> "Range[T]":
        low, high, step = (_number(value) for value in (self.low, self.high, self.step))
        if low > high:
            raise ValueError(f"low must be <= high, got {self.low} and {self.high}. Swap them.")
        if self.step is not None and step <= 0:
            raise ValueError(f"step must be > 0, got {self.step}. Leave it out or raise it.")
        if self.log and self.step is not None:
            raise ValueError("log and step exclude each other, got both. Leave one out.")
        if self.log and low <= 0:
            raise ValueError(f"low must be > 0 where log is true, got {self.low}. Raise it.")
        return self


def _number(value: Any) -> float:
    return 0 if value is None else float(value)


Count = Annotated[int, Field(ge=1, le=LARGEST)]
Offset = Annotated[int, Field(ge=0, le=LARGEST)]
Share = Annotated[float, Field(ge=0, le=1)]
Overlap = Annotated[float, Field(ge=0, lt=1)]
Positive = Annotated[float, Field(ge=0)]
Word = Annotated[str, Field(min_length=1)]
Aggregate = Annotated[str, Field(pattern=r"^(max|first|sum|mean@[1-9][0-9]*)$")]
_Some = Field(min_length=1)

# One value, a list of choices; for numbers also a range.
Choice = Annotated[
    Annotated[T, Tag("@value")] | Annotated[list[T], Tag("@choices"), _Some],
    Discriminator(lambda value: "@choices" if isinstance(value, list) else "@value"),
]
CountAxis = Annotated[
    Annotated[Count, Tag("@value")]
    | Annotated[list[Count], Tag("@choices"), _Some]
    | Annotated[Range[Count], Tag("@range")],
    Discriminator(_form),
]
OffsetAxis = Annotated[
    Annotated[Offset, Tag("@value")]
    | Annotated[list[Offset], Tag("@choices"), _Some]
    | Annotated[Range[Offset], Tag("@range")],
    Discriminator(_form),
]
ShareAxis = Annotated[
    Annotated[Share, Tag("@value")]
    | Annotated[list[Share], Tag("@choices"), _Some]
    | Annotated[Range[Share], Tag("@range")],
    Discriminator(_form),
]
OverlapAxis = Annotated[
    Annotated[Overlap, Tag("@value")]
    | Annotated[list[Overlap], Tag("@choices"), _Some]
    | Annotated[Range[Overlap], Tag("@range")],
    Discriminator(_form),
]
PositiveAxis = Annotated[
    Annotated[Positive, Tag("@value")]
    | Annotated[list[Positive], Tag("@choices"), _Some]
    | Annotated[Range[Positive], Tag("@range")],
    Discriminator(_form),
]
