"""Figures and trials as every section words them; the rounding is that of the closing message."""

import math
from collections.abc import Iterable, Mapping, Sequence

from sweep.trials import TrialRecord
from sweep.winner.figures import Figure
from sweep.winner.plots.board import Board
from sweep.winner.report.content import Column, Table
from sweep.winner.rounding import compact
from sweep.winner.trial_costs import TITLES, costs_of

INTERVAL = "95 % interval"


def bounds_text(bounds: tuple[float, float] | None) -> str:
    """Return `[.610, .770]`; nothing where there is no interval."""
    if bounds is None or not all(map(math.isfinite, bounds)):
        return ""
    return f"[{compact(bounds[0])}, {compact(bounds[1])}]"


def why_open(figure: Figure) -> str:
    """Return why a difference shows nothing."""
    if not figure.excludes_zero:
        return "The interval holds 0"
    return "Few queries differ, and a paired test cannot tell them from chance"


def trial_rows(
    board: Board,
    trials: Iterable[TrialRecord],
    *,
    caption: str,
    extra: Mapping[str, Mapping[int, str]] | None = None,
) -> Table:
    """Return a table of trials, in the order given.

    Args:
        board: with objectives and roles.
        trials: its rows.
        caption: of the table.
        extra: further columns after the objectives: texts by trial number, by title.
    """
    extra = extra or {}
    costs = [name for name in TITLES if name not in board.objectives]
    columns = [Column("#", "number")]
    columns += [Column(f"{name} [{INTERVAL}]", "number") for name in board.objectives]
    columns += [Column("configuration", "name"), Column("is")]
    columns += [Column(title, "number") for title in extra]
    columns += [Column(TITLES[name], "number") for name in costs]
    rows, marked = [], set()
    for place, trial in enumerate(trials):
        said = board.roles.get(trial.number, ())
        is_tied = trial.number in board.tied and not {"best", "tied"} & set(said)
        roles = (*said, "tied") if is_tied else said
        if {"recommended", "front"} & set(roles):
            marked.add(place)
        row = [str(trial.number)]
        for name, value in zip(board.objectives, trial.values, strict=True):
            row.append(f"{compact(value)} {bounds_text(trial.intervals.get(name))}".strip())
        row += [trial.configuration.label(), ", ".join(roles)]
        row += [texts.get(trial.number, "") for texts in extra.values()]
        known = costs_of(trial)
        rows.append((*row, *(known.get(TITLES[name], "") for name in costs)))
    return Table(
        caption=caption,
        columns=tuple(columns),
        rows=tuple(rows),
        marked=frozenset(marked) if len(marked) < len(rows) else frozenset(),
    )


def numbered(numbers: Sequence[int], most: int = 6) -> str:
    """Return `#1, #4 and 3 more`."""
    shown = [f"#{number}" for number in numbers[:most]]
    if len(numbers) > most:
        return f"{', '.join(shown)} and {len(numbers) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def clipped(text: str, longest: int) -> str:
    """Return text of a corpus as one line without control characters, cut where it is longer."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * longest]).split())
    cut = len(line) > longest or len(text) > 4 * longest
    return f"{line[:longest]}{' ...' if cut else ''}"
