"""What to search next: the remedies of what was found, and what was already tried of them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sweep.configuration import Configuration, Scalar
from sweep.trials import TrialRecord
from sweep.winner.diagnosis.charge import ListName, Place, Stage, Target

Op = Literal[">=", "<=", "==", "!="]
SIZED = ("chunk.splitter", "chunk.unit")  # sizes are comparable where these are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A trial of the study that has what is advised.

    Attributes:
        number, label: of the trial nearest to the diagnosed one.
        score: its score; `difference` to that of the diagnosed trial.
        only: whether it differs from the diagnosed trial in the advised parameter alone.
        value: of the advised parameter there, which may go further than the advice.
        barred: whether it violates a constraint.
    """

    number: int
    label: str
    score: float
    difference: float
    only: bool
    value: Scalar | None = None
    barred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One parameter to search.

    Attributes:
        parameter: flat name; empty where no parameter helps.
        value: to search; with `!=` it is the one that is in use, and another is to be searched.
        op: which values count as having tried it.
        note: what should be known of it.
        tried: None if no trial of the study has it.
    """

    parameter: str = ""
    value: Scalar = ""
    op: Op = "=="
    note: str = ""
    tried: Tried | None = None

    def __str__(self) -> str:
        """Return `top_k 15`, or `another vector.model`."""
        if not self.parameter:
            return self.note
        if self.op == "!=":
            text = f"another {self.parameter} than {self.value or 'none'}"
        else:
            text = (
                f"{self.parameter} {self.value:g}"
                if _is_number(self.value)
                else (f"{self.parameter} {self.value}")
            )
        return f"{text} ({self.note})" if self.note else text

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "parameter": self.parameter or None,
            "value": self.value,
            "op": self.op,
            "note": self.note,
            "text": str(self),
            "tried": asdict(self.tried) if self.tried else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One finding and what may help.

    Attributes:
        about: the stage that lost it, or `order`, `split`, `labels`, `questions`.
        symptom: what was found, with its figures.
        gain: by how much the objective could rise at most; None where that is not known.
        remedies: what to search.
    """

    about: str
    symptom: str
    gain: float | None
    remedies: tuple[Remedy, ...]

    @property
    def is_new(self) -> bool:
        """Return whether the study has not yet tried all of it."""
        return any(remedy.tried is None for remedy in self.remedies)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "about": self.about,
            "symptom": self.symptom,
            "gain_at_most": self.gain,
            "is_new": self.is_new,
            "remedies": [remedy.to_json() for remedy in self.remedies],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A target that the output does not hold.

    Attributes:
        target: what was missed.
        stage: that lost it.
        places: where it stands in each list that holds it.
    """

    target: Target
    stage: Stage
    places: Mapping[ListName, Place]

    @property
    def last(self) -> Place | None:
        """Return its place in the last list that holds it."""
        return self.places.get("reranked") or self.candidate

    @property
    def candidate(self) -> Place | None:
        """Return its place in the last list before any reranking that holds it."""
        names: tuple[ListName, ...] = ("fused", "searched", "vector", "bm25")
        return next((self.places[name] for name in names if name in self.places), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What advice is drawn from.

    Attributes:
        configuration: what was diagnosed.
        metric: name of the objective; `score` of the configuration.
        targets: how many relevant documents and passages there are.
        misses: those that were missed.
        bounds: what the objective would be at most if a stage had lost nothing.
        order: what it would be at most if all that was found stood in the best order.
        cutoff: ranks of documents that the objective looks at; None for all, or for none.
        listed: how many chunks of a list are called candidates.
        spans: relevant passages; `split` of them lie wholly in no chunk.
        longest: tokens of the longest passage that cutting lost or split, in the study tokenizer.
        window: tokens of text that the embedding model reads; None without one.
        judged: share of what was returned that has a label; None where that has no meaning.
        room: how many times the context may be what it is, by a constraint; None without one.
    """

    configuration: Configuration
    metric: str
    score: float
    targets: int
    misses: tuple[Miss, ...]
    bounds: Mapping[str, float]
    order: float | None
    listed: int
    cutoff: int | None = None
    spans: int = 0
    split: int = 0
    longest: int = 0
    window: int | None = None
    judged: float | None = None
    room: float | None = None

    def of(self, stage: Stage) -> list[Miss]:
        """Return the misses of one stage."""
        return [miss for miss in self.misses if miss.stage == stage]


def find_tried(remedy: Remedy, evidence: Evidence, trials: Sequence[TrialRecord]) -> Tried | None:
    """Return the trial that has what is advised and is nearest to the diagnosed configuration."""
    own = evidence.configuration.flat()
    found = []
    for trial in trials:
        flat = trial.configuration.flat()
        score = trial.metrics.get(evidence.metric)
        if score is None or flat == own or not _has(flat, own, remedy):
            continue
        differing = sum(own.get(name) != flat.get(name) for name in {**own, **flat})
        found.append((differing, -score, trial.number, trial))
    if not found:
        return None
    differing, negative, number, trial = min(found, key=lambda entry: entry[:3])
    return Tried(
        number=number,
        label=trial.configuration.label(),
        score=-negative,
        difference=-negative - evidence.score,
        only=differing == 1,
        value=trial.configuration.flat().get(remedy.parameter),
        barred=bool(trial.violated),
    )


def _has(flat: Mapping[str, Scalar], own: Mapping[str, Scalar], remedy: Remedy) -> bool:
    value = flat.get(remedy.parameter)
    if value is None or not remedy.parameter:
        return False
    if remedy.parameter == "chunk.size" and any(flat.get(n) != own.get(n) for n in SIZED):
        return False
    if remedy.op == "==":
        return value == remedy.value
    if remedy.op == "!=":
        return value != remedy.value
    if not (_is_number(value) and _is_number(remedy.value)):
        return False
    return value >= remedy.value if remedy.op == ">=" else value <= remedy.value  # type: ignore[operator]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
