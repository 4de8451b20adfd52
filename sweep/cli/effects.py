"""`sweep effects`: what each parameter does, where it matters, how much was needed to see it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument

if TYPE_CHECKING:
    from sweep.study.insight.importance import Method
    from sweep.study.insight.insight import Insight
    from sweep.winner.insight.curves import Curve

MOST_LEFT_OUT = 0.5  # share of configurations without a counterpart that is pointed out


@click.command(name="effects", short_help="Say what each parameter does, and where.")
@study_argument()
@click.option("--metric", metavar="M", help="Any recorded metric.  [default: the objective]")
@click.option(
    "--importance",
    "method",
    type=click.Choice(["ped-anova", "fanova"]),
    default="ped-anova",
    show_default=True,
    help="How Optuna's importance is found. fanova takes only parameters that all trials have.",
)
@storage_option()
@store_option()
@json_option()
def command(
    study: str | None,
    metric: str | None,
    method: "Method",
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Say what each parameter does to a metric, where that depends on another one, from which
    top_k and token budget on more gains at most .01, and how much of the grid would have been
    enough.

    Values of a parameter are compared in configurations that are equal in everything else.
    """  # noqa: D205  one sentence
    from dataclasses import asdict

    from sweep.cli.opening import open_study
    from sweep.cli.output import message, print_json
    from sweep.cli.progress import shown_report
    from sweep.study.insight.insight import study_curves, study_insight
    from sweep.study.quick_look import sample_key, search_of

    opened = open_study(study, storage)
    found = study_insight(opened, metric=metric, method=method)
    with shown_report(as_json=as_json) as report:
        curves, reason = study_curves(opened, metric=metric, store=store, report=report)
    if (search := search_of(opened)) and not as_json:
        message(f"note: among finalists effects are distorted; of all: sweep effects {search}")
    if as_json:
        shown = {"curves": [asdict(curve) for curve in curves], "no_curves": reason}
        told = {"sentences": _sentences(found, curves), **sample_key(opened)}
        print_json({"study": opened.name, **found.to_json(), **shown, **told})
        return
    queries = f" on {found.queries:,} queries" if found.queries > 1 else ""
    click.echo(
        f"{found.metric}{queries}, {found.configurations:,} configurations of {opened.name}"
    )
    _print_effects(found)
    _print_interactions(found)
    _print_importance(found)
    _print_curves(curves, reason)
    _print_effort(found)


def _sentences(found: "Insight", curves: Sequence["Curve"]) -> list[str]:
    """Return all that was found in words, for a page or a message."""
    from sweep.winner.insight import sentences

    maximize = found.maximize
    told = [sentences.effect_sentence(e, maximize=maximize) for e in found.effects]
    told += [
        sentences.interaction_sentence(one, maximize=maximize) for one in found.interactions.found
    ]
    told += [sentences.curve_sentence(curve) for curve in curves]
    return told + ([sentences.effort_sentence(found.effort)] if found.effort else [])


def _print_effects(found: "Insight") -> None:
    from sweep.winner.insight.sentences import caveat
    from sweep.winner.rounding import figure

    rows = []
    for effect in found.effects:
        for place, value in enumerate(effect.values):
            numbers = (value.difference, *value.interval)
            told = [figure(n, found.scale) if n == n else "-" for n in numbers]
            mean = figure(value.mean, found.scale).lstrip("+")
            known = (value.value, mean, *told, value.configurations)
            first = (effect.parameter, effect.blocks or "-", caveat(effect).strip(" ()"))
            name, blocks, note = first if place == 0 else ("", "", "")
            rows.append((name, *known, blocks, note))
    header = ("parameter", "value", "mean", "difference", "from", "to", "configurations")
    title = "What each parameter does: each value against the mean over its values"
    _table(title, (*header, "blocks", ""), rows, "Nothing was varied that could be compared.")
    for effect in found.effects:
        took_part = sum(value.configurations for value in effect.values)
        if effect.matched and effect.left_out > MOST_LEFT_OUT * (took_part + effect.left_out):
            click.echo(
                f"{effect.parameter}: {effect.left_out:,} configurations have no counterpart that "
                f"differs in nothing else, and are left out"
            )


def _print_interactions(found: "Insight") -> None:
    from sweep.text_lines import counted
    from sweep.winner.insight.sentences import interaction_sentence

    shown = found.interactions
    lines = [interaction_sentence(one, maximize=found.maximize) for one in shown.found]
    looked = f"{counted(shown.contrasts, 'difference')} of differences in "
    looked += f"{counted(shown.pairs, 'pair')} of parameters"
    none = "None is shown."
    if found.queries < 2:
        none = "It takes a score for each of several queries."
    elif not shown.contrasts:
        none = "No two parameters were varied together."
    _section(f"Where it depends ({looked}, 95 % intervals for all at once)", lines, none)


def _print_importance(found: "Insight") -> None:
    importance = found.importance
    shares = ", ".join(f"{name} {share:.0%}" for name, share in importance.shares.items())
    left_out = f" (not taken: {', '.join(importance.left_out)})" if importance.left_out else ""
    _section(
        f"Optuna's importance ({importance.method}; shares, no intervals: a second opinion)",
        [f"{shares}{left_out}"] if shares else [],
        f"None: {importance.reason}.",
    )


def _print_curves(curves: Sequence["Curve"], reason: str | None) -> None:
    from sweep.winner.insight.sentences import curve_verdict
    from sweep.winner.rounding import figure

    rows = []
    for curve in curves:
        flat, unit = curve.plateau, " tokens" if curve.by == "tokens" else ""
        gain = [figure(n, curve.scale) if n == n else "-" for n in (flat.gain, *flat.interval)]
        start = f"{'' if unit else 'top_k '}{flat.start:,}{unit}"
        own = (f"#{curve.trial}", curve.metric, start, f"{flat.best:,}")
        rows.append((*own, *gain, curve_verdict(curve)))
    _table(
        "From where on more of the output gains at most .01 of the scale, as observed, and what "
        "the gain's interval shows",
        ("trial", "metric", "from", "up to", "gain", "from", "to", ""),
        rows,
        f"Unknown: {reason}." if reason else "No curve could be drawn.",
    )


def _print_effort(found: "Insight") -> None:
    from sweep.winner.insight.sentences import effort_sentence

    lines = [] if found.effort is None else [effort_sentence(found.effort)]
    _section("How much of it would have found it", lines, f"Unknown: {found.no_effort}.")


def _section(title: str, lines: Sequence[str], none: str) -> None:
    click.echo(f"\n{title}")
    for line in lines or [none]:
        click.echo(f"  {line}")


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> None:
    from sweep.cli.output import print_table

    click.echo(f"\n{title}")
    print_table(header, rows) if rows else click.echo(f"  {none}")
