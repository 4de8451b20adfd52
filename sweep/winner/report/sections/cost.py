"""Quality against what it costs: which configurations are beaten by none in both."""

from functools import partial

from sweep.trials import TrialRecord
from sweep.winner.plots.board import Board
from sweep.winner.plots.cost import COSTS, axis_names, plot_cost, undominated
from sweep.winner.report.content import Paragraph, Plot, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import trial_rows
from sweep.winner.rounding import compact
from sweep.winner.trial_costs import TITLES

MOST_ROWS = 100  # of the picture's table; all trials are in `sweep trials --csv`


def cost_section(material: Material) -> Section | None:
    """Return the plot of quality against cost; None without a cost that was recorded."""
    board = material.board
    names = axis_names(board)
    if not names:
        return None
    name, quality = names[0], board.objectives[0]
    axis = COSTS.get(name, TITLES.get(name, name))
    up = name in board.objectives and board.maximize[list(board.objectives).index(name)]
    front = undominated(board, name, maximize=up)
    text = (
        f"Each point is a configuration: {quality} against {axis}. The line joins those that no "
        f"other beats in both; of equal scores the cheaper one is on it."
    )
    if len(names) > 1:
        text += " Other costs can be chosen in the page itself."
    blocks = (
        Paragraph(text=text),
        Plot(
            title=f"{quality} and what it costs",
            alt=_alt(board, front, quality=quality, axis=axis),
            table=_table(material, front),
            draw=partial(plot_cost, board),
        ),
    )
    data = {"against": name, "front": [trial.number for trial in front]}
    return Section(title="What quality costs", blocks=blocks, data=data)


def _alt(board: Board, front: list[TrialRecord], *, quality: str, axis: str) -> str:
    text = f"{len(board.trials):,} configurations by {quality} and {axis}."
    kept = sum(not trial.violated for trial in board.trials)
    if 0 < kept < len(board.trials):
        text += f" {kept:,} of them keep every constraint; of these"
    else:
        text += " Of these"
    if not front:
        return f"{text.removesuffix(' Of these')} None of them keeps every constraint."
    first, last = front[0], front[-1]
    if first == last:
        return f"{text} #{first.number} is beaten by none in both, and beats or equals all others."
    return (
        f"{text} {len(front)} are beaten by none in both, from #{first.number} "
        f"({compact(first.values[0])}) to #{last.number} ({compact(last.values[0])})."
    )


def _table(material: Material, front: list[TrialRecord]) -> Table:
    board = material.board
    order = board.in_order()
    shown = order[:MOST_ROWS]
    caption = "What the picture shows"
    if len(order) > len(shown):
        kept = {trial.number for trial in (*shown, *front)}
        kept |= set(board.roles)
        shown = [trial for trial in order if trial.number in kept]
        caption += f": {len(shown):,} of {len(order):,} configurations, the leading ones"
    on_line = {trial.number: "yes" for trial in front}
    return trial_rows(board, shown, caption=caption, extra={"beaten by none": on_line})
