"""What each parameter does, all else equal; where that depends on another; how much was needed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial

from sweep.text_lines import counted
from sweep.winner.insight.effects import MainEffect, ValueEffect
from sweep.winner.insight.effort import SearchEffort
from sweep.winner.insight.interactions import Interactions
from sweep.winner.insight.sentences import (
    caveat,
    effect_sentence,
    effort_sentence,
    interaction_sentence,
)
from sweep.winner.plots.effects import meaning_of, plot_effects, plot_top_k
from sweep.winner.report.content import Block, Bullets, Column, Paragraph, Plot, Section, Table
from sweep.winner.report.material import Insights, Material
from sweep.winner.report.sections.scope import effects_scope
from sweep.winner.report.sections.wording import INTERVAL
from sweep.winner.rounding import compact, signed

MOST_SENTENCES = 4


def effects_section(material: Material) -> Section | None:
    """Return what the values of each parameter do; None where nothing was varied."""
    found = material.explanation
    if found is None or not found.effects:
        return None
    objective = material.board.objectives[0]
    table = _table(found.effects, maximize=material.maximize)
    sentences = [
        effect_sentence(effect, maximize=material.maximize)
        for effect in found.effects[:MOST_SENTENCES]
        if effect.matched
    ]
    blocks: list[Block] = [
        *effects_scope(material),
        Paragraph(text=_how(found, objective)),
        *([Bullets(items=tuple(sentences))] if sentences else []),
        Plot(
            title=f"What each parameter does to {objective}, all else equal",
            alt=_alt(found.effects),
            table=table,
            draw=partial(plot_effects, found.effects, objective, maximize=material.maximize),
        ),
        *_top_k(found, objective, maximize=material.maximize),
        *_interactions(found.interactions, maximize=material.maximize),
        *_effort(found.effort),
        *_importance(found),
    ]
    data = {
        "effects": [asdict(effect) for effect in found.effects],
        "interactions": asdict(found.interactions) if found.interactions else None,
        "effort": asdict(found.effort) if found.effort else None,
        "importance": dict(found.importance),
    }
    return Section(title="What each parameter does", blocks=tuple(blocks), data=data)


def _how(found: Insights, objective: str) -> str:
    text = (
        f"The values of a parameter are compared in configurations that are equal in all else, "
        f"query by query: the difference in {objective} to the mean over the parameter's values. "
        f"Where an interval holds 0 no difference is shown."
    )
    if all(effect.matched for effect in found.effects):
        return text
    return (
        f"{text} What is not matched had no counterparts: other parameters differ along with it."
    )


def _table(effects: Sequence[MainEffect], *, maximize: bool) -> Table:
    rows = [
        (
            f"{effect.parameter}{caveat(effect)}" if place == 0 else effect.parameter,
            value.value,
            compact(value.mean),
            _change(value.difference),
            _interval(value),
            f"{value.configurations:,}",
            meaning_of(value, maximize=maximize),
        )
        for effect in effects
        for place, value in enumerate(effect.values)
    ]
    return Table(
        caption="Every value that was compared",
        columns=(
            Column("parameter", "name"),
            Column("value", "name"),
            Column("mean", "number"),
            Column("difference", "number"),
            Column(INTERVAL, "number"),
            Column("configurations", "number"),
            Column("is"),
        ),
        rows=tuple(rows),
    )


def _change(value: float) -> str:
    return signed(value) if abs(value) < 100 else f"{value:+,.0f}"


def _interval(value: ValueEffect) -> str:
    low, high = value.interval
    return f"[{_change(low)}, {_change(high)}]" if low <= high else ""  # not NaN


def _alt(effects: Sequence[MainEffect]) -> str:
    ordered = sorted(effects[0].values, key=lambda value: value.difference)
    low, high = ordered[0], ordered[-1]
    return (
        f"Differences that the values of {counted(len(effects), 'parameter')} make. The largest "
        f"are those of {effects[0].parameter}: {_change(low.difference)} for {low.value}, "
        f"{_change(high.difference)} for {high.value}."
    )


def _top_k(found: Insights, objective: str, *, maximize: bool) -> Iterator[Block]:
    if len({v.at for effect in found.top_k.values() for v in effect.values}) < 2:
        return
    best = {
        mode: max(effect.values, key=lambda v: v.difference if maximize else -v.difference)
        for mode, effect in found.top_k.items()
    }
    told = ", ".join(f"{value.value} for {mode}" for mode, value in best.items())
    yield Plot(
        title=f"{objective} by top_k, all else equal",
        alt=f"One line for each mode. The best top_k that was tried: {told}.",
        table=_table(list(found.top_k.values()), maximize=maximize),
        draw=partial(plot_top_k, found.top_k, objective),
    )


def _interactions(found: Interactions | None, *, maximize: bool) -> Iterator[Block]:
    if found is None or not found.contrasts:
        return
    looked = (
        f"{counted(found.contrasts, 'difference')} of differences in "
        f"{counted(found.pairs, 'pair')} of parameters"
    )
    if not found.found:
        yield Paragraph(
            text=f"That the effect of one parameter depends on another is not shown: {looked} "
            f"were looked at, with intervals that hold for all of them at once."
        )
        return
    yield Paragraph(
        text=f"Where the effect of one parameter depends on another (of {looked}, with intervals "
        f"that hold for all of them at once):"
    )
    sentences = (interaction_sentence(one, maximize=maximize) for one in found.found)
    yield Bullets(items=tuple(sentences))


def _effort(found: SearchEffort | None) -> Iterator[Block]:
    if found is not None and found.configurations > 1:
        sentence = effort_sentence(found)
        yield Paragraph(text=f"How much searching it took: {sentence}.")


def _importance(found: Insights) -> Iterator[Block]:
    if found.importance:
        named = {name: share for name, share in found.importance.items() if share >= 0.005}
        shares = ", ".join(f"{name} {share:.0%}" for name, share in named.items())
        shares += ", the others 0%" if len(named) < len(found.importance) else ""
        yield Paragraph(
            text=f"A second opinion, Optuna's importance ({found.importance_method}): {shares}. "
            f"It tells what sets the best trials apart, without an interval and without saying "
            f"which value is better."
        )
