"""What each parameter does, over all configurations that were tried."""

from collections.abc import Mapping, Sequence
from functools import partial

from sweep.winner.insight.effects import Effect
from sweep.winner.message import plain, signed
from sweep.winner.plots.effects import meaning_of, plot_effects
from sweep.winner.report.content import Block, Column, Paragraph, Plot, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import INTERVAL, counted


def effects_section(material: Material) -> Section | None:
    """Return what the values of each parameter do; None where nothing was varied."""
    effects, objective = material.effects, material.board.objectives[0]
    if not effects:
        return None
    text = (
        f"The mean {objective} of the configurations that have a value, less the mean of all that "
        f"have the parameter. Where the interval holds 0 no difference is shown."
    )
    if material.origin.sampler.get("kind") != "grid":
        text += (
            " A sampler tried more of what it expected to be good, so these are means over an "
            "unbalanced choice."
        )
    table = _table(effects, maximize=material.maximize)
    blocks: tuple[Block, ...] = (
        Paragraph(text=text),
        Plot(
            title=f"What each parameter does to {objective}",
            alt=_alt(effects),
            table=table,
            draw=partial(plot_effects, effects, objective, maximize=material.maximize),
        ),
    )
    data = {name: [_data(effect) for effect in group] for name, group in effects.items()}
    return Section(title="What each parameter does", blocks=blocks, data=data)


def _table(effects: Mapping[str, Sequence[Effect]], *, maximize: bool) -> Table:
    rows = [
        (
            effect.name,
            effect.value,
            f"{effect.configurations:,}",
            plain(effect.mean),
            signed(effect.difference),
            _interval(effect),
            meaning_of(effect, maximize=maximize),
        )
        for group in effects.values()
        for effect in group
    ]
    return Table(
        caption="What the picture shows, and parameters it has no room for",
        columns=(
            Column("parameter", "name"),
            Column("value", "name"),
            Column("configurations", "number"),
            Column("mean", "number"),
            Column("difference", "number"),
            Column(INTERVAL, "number"),
            Column("is"),
        ),
        rows=tuple(rows),
    )


def _interval(effect: Effect) -> str:
    low, high = effect.interval
    return f"[{signed(low)}, {signed(high)}]" if low <= high else ""  # not NaN


def _alt(effects: Mapping[str, Sequence[Effect]]) -> str:
    name, group = next(iter(effects.items()))
    ordered = sorted(group, key=lambda effect: effect.difference)
    low, high = ordered[0], ordered[-1]
    return (
        f"Differences that the values of {counted(len(effects), 'parameter')} make. The largest "
        f"are those of {name}: {signed(low.difference)} for {low.value}, "
        f"{signed(high.difference)} for {high.value}."
    )


def _data(effect: Effect) -> dict[str, object]:
    return {
        "value": effect.value,
        "configurations": effect.configurations,
        "mean": effect.mean,
        "difference": effect.difference,
        "interval": list(effect.interval),
    }
