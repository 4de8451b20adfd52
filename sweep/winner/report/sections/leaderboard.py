"""The leading trials with intervals, losses and costs."""

import math
from functools import partial

from sweep.trials import TrialRecord
from sweep.winner.answer import Answer
from sweep.winner.front import Front
from sweep.winner.plots.leaders import plot_leaders
from sweep.winner.report.content import Block, Paragraph, Plot, Section
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import INTERVAL, trial_rows
from sweep.winner.rounding import compact, plain

MOST = 10  # more only where more have a role


def leaderboard_section(material: Material) -> Section | None:
    """Return the leading trials, the best first; None without a finished one."""
    shown = material.board.leaders(MOST)
    if not shown:
        return None
    text, extra = _told(material, shown)
    recalls = {t.number: plain(t.index_recall[0]) for t in shown if t.index_recall}
    extra |= {"index recall": recalls} if recalls else {}
    table = trial_rows(material.board, shown, caption="The leading configurations", extra=extra)
    blocks: list[Block] = [Paragraph(text=text), table]
    if len(shown) > 1:
        blocks.append(
            Plot(
                title=f"The leaders with their {INTERVAL}s",
                alt=_alt(shown, material.board.objectives[0]),
                table=None,  # it is the one above
                draw=partial(plot_leaders, material.board),
            )
        )
    data = {"trials": [_data(material, trial) for trial in shown]}
    return Section(title="Leaderboard", blocks=tuple(blocks), data=data)


def _told(material: Material, shown: list[TrialRecord]) -> tuple[str, dict[str, dict[int, str]]]:
    """Return what the table is about, and its further columns."""
    found = material.found
    if isinstance(found, Answer):
        pairs = {number: material.losses[number] for number in found.compared}
        text = (
            f"Scores are those on the {found.search.queries} queries that chose. The loss is how "
            f"far a configuration is behind the best on them; beside it stands what it may truly "
            f"lose at most (95 %, allowing for all {len(found.compared)} that were compared). "
            f"Tied is what these queries cannot tell from the best."
        )
        return text, {
            "loss": {n: plain(loss) for n, (loss, _) in pairs.items()},
            "loss at most": {n: _bound(bound) for n, (_, bound) in pairs.items()},
        }
    if isinstance(found, Front):
        first = material.board.objectives[0]
        return f"The leading configurations by {first}, and those that have a role.", {}
    text = "None of these may be recommended; they are the nearest there is."
    return text, {"violates": {trial.number: trial.violations for trial in shown}}


def _alt(shown: list[TrialRecord], objective: str) -> str:
    best, last = shown[0], shown[-1]
    text = (
        f"Scores of {len(shown)} configurations with their intervals, from #{best.number} "
        f"({compact(best.values[0])}) to #{last.number} ({compact(last.values[0])})."
    )
    overlapping = _overlapping(shown, objective) if objective in best.intervals else 0
    if overlapping:
        text += f" {overlapping} of the others have intervals that overlap that of the first."
    return text


def _bound(value: float) -> str:
    return plain(value) if math.isfinite(value) else "unknown"


def _overlapping(trials: list[TrialRecord], objective: str) -> int:
    low, high = trials[0].intervals[objective]
    others = (trial.intervals.get(objective) for trial in trials[1:])
    return sum(pair is not None and pair[0] <= high and pair[1] >= low for pair in others)


def _data(material: Material, trial: TrialRecord) -> dict[str, object]:
    loss, bound = material.losses.get(trial.number, (None, None))
    shared = {k: v for k, v in trial.to_json().items() if k not in ("timings", "facts")}
    roles = list(material.board.roles.get(trial.number, ()))
    return {**shared, "roles": roles, "loss": loss, "loss_bound": bound}
