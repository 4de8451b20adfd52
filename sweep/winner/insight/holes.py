"""Could labels of what nobody has judged change the choice? The verdict, from bounds.

The choice is the recommended configuration. Another one **could pass** it if some labelling of the
holes lets it lead by more than the loss that is given away for a lower cost: then the recommended
one could not have been recommended. Bounds of single queries are the metrics' business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sweep.records import Floats

_ROUNDING = 1e-9  # of the scale, as in the recommendation: a lead of exactly max_loss is permitted


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleFigure:
    """What holes leave open of one configuration's score.

    Attributes:
        trial: its number.
        judged: share of judged documents among those retrieved at the objective's depth.
        reported: mean score with every hole irrelevant.
        own_relevant: mean score with its own holes of the label `relevant`, and no others.
        low: the lowest mean score under any labelling of all configurations' holes.
        high: the highest one.
    """

    trial: int
    judged: float
    reported: float
    own_relevant: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A configuration that could pass the recommended one, and by how much at most."""

    trial: int
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Holes:
    """What holes leave open of a study's answer.

    Attributes:
        objective: the metric.
        depth: what is judged or not, as a metric's name: `judged@10`.
        relevant: the label that stands for a relevant document.
        recommended: the trial whose choice is in question.
        pairs: distinct pairs of query and document without a label, over all configurations.
        contenders: those that could pass it, the largest lead first.
        labels: pairs of which a label "relevant" favours one of them.
        enough: so many labels "relevant" let one of them pass; None where that is not known.
        nearest: the trial that so many let pass.
        attained: whether the leads are reached by a labelling; else they are upper bounds.
        judged: share of judged documents by trial number, of every configuration.
        figures: of the recommended, the best, the baseline and the leading configurations.
    """

    objective: str
    depth: str
    relevant: int
    recommended: int
    pairs: int
    contenders: tuple[Contender, ...]
    labels: int
    enough: int | None
    nearest: int | None
    attained: bool
    judged: Mapping[int, float]
    figures: tuple[HoleFigure, ...]

    @property
    def could_change(self) -> bool:
        """Return whether some labelling changes the choice."""
        return bool(self.contenders)

    def figure(self, number: int) -> HoleFigure | None:
        """Return the figures of a trial, None if it is not among those that have them."""
        return next((one for one in self.figures if one.trial == number), None)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form, which `holes_from_json` reads."""
        content = asdict(self)
        content["judged"] = {str(number): share for number, share in self.judged.items()}
        return content | {"could_change": self.could_change}


def holes_from_json(content: Mapping[str, Any]) -> Holes:
    """Return what `Holes.to_json` wrote."""
    plain = {name: value for name, value in content.items() if name != "could_change"}
    return Holes(
        **plain
        | {
            "contenders": tuple(Contender(**one) for one in content["contenders"]),
            "figures": tuple(HoleFigure(**one) for one in content["figures"]),
            "judged": {int(number): share for number, share in content["judged"].items()},
        }
    )


def allowed_lead(max_loss: float, scale: float) -> float:
    """Return what another configuration may lead by while the choice stands."""
    return (max_loss + _ROUNDING) * scale


def passing(
    numbers: Sequence[int], leads: Floats, *, recommended: int, allowed: float
) -> tuple[Contender, ...]:
    """Return the configurations that could pass the recommended one, the largest lead first.

    Args:
        numbers: N trial numbers.
        leads: shape (N, Q), the largest lead over the recommended one on each query, under any
            labelling. Labellings of different queries do not meet, so that means are bounds too.
        recommended: its trial number.
        allowed: see `allowed_lead`.
    """
    means = leads.mean(axis=1).tolist()
    found = [
        Contender(trial=number, lead=lead)
        for number, lead in zip(numbers, means, strict=True)
        if number != recommended and lead > allowed
    ]
    return tuple(sorted(found, key=lambda one: (-one.lead, one.trial)))


def labels_enough(steps: Floats, leads: Floats, *, allowed: float) -> list[int | None]:
    """Return how many labels are enough for each of some configurations to pass; None if unknown.

    Labels are taken where they add most. So many are enough; fewer may be.

    Args:
        steps: shape (N, Q, M), what the first, second .. label of a query adds to the lead at
            least; falling along M.
        leads: shape (N,), mean leads without any label.
        allowed: see `allowed_lead`.
    """
    n_queries = steps.shape[1]
    falling = -np.sort(-steps.reshape(len(steps), n_queries * steps.shape[2]), axis=1)
    reached = leads[:, None] + np.cumsum(falling, axis=1) / n_queries > allowed
    counts = zip(reached.any(axis=1).tolist(), reached.argmax(axis=1).tolist(), strict=True)
    return [place + 1 if found else None for found, place in counts]
