"""What was found about parameters, in sentences for people."""

from sweep.winner.insight.curves import Curve
from sweep.winner.insight.effects import MainEffect
from sweep.winner.insight.effort import SearchEffort
from sweep.winner.insight.interactions import Interaction
from sweep.winner.rounding import figure, plain


def effect_sentence(effect: MainEffect, *, maximize: bool = True) -> str:
    """Return which value is best and what is shown of the others."""
    sign = 1.0 if maximize else -1.0
    ordered = sorted(effect.values, key=lambda value: -sign * value.difference)
    best, worst = ordered[0], ordered[-1]
    told = f"{effect.parameter} {best.value} is best, {worst.value} worst"
    told += f": {figure(sign * effect.size, effect.size)} between them"
    if not min(sign * bound for bound in best.interval) > 0:
        told = f"{effect.parameter}: no value is shown to be better than the mean of all"
    return told + caveat(effect)


def caveat(effect: MainEffect) -> str:
    """Return what is to be known of an effect, in brackets; empty where there is nothing."""
    notes = []
    if not effect.matched:
        notes.append("not matched: other parameters differ along with it")
    if effect.along:
        notes.append(f"{' and '.join(effect.along)} changes along")
    return f" ({'; '.join(notes)})" if notes else ""


def interaction_sentence(found: Interaction, *, maximize: bool = True) -> str:
    """Return where a change helps and where it does not, with both effects."""
    sign = 1.0 if maximize else -1.0
    magnitude = max(map(abs, found.effects))
    there, elsewhere = (figure(effect, magnitude) for effect in found.effects)
    low, high = sorted(sign * bound for bound in found.intervals[1])
    more = "more " if low > 0 else ""
    other = "than at" if low > 0 else "and harms at" if high < 0 else "but not at"
    difference, start, end = (
        figure(value, magnitude) for value in (found.difference, *found.interval)
    )
    return (
        f"{found.parameter} {found.change[1]} instead of {found.change[0]} helps {more}at "
        f"{found.moderator} {found.at[0]} ({there}) {other} {found.at[1]} ({elsewhere}): a "
        f"difference of {difference} [{start}, {end}]"
    )


def curve_verdict(curve: Curve) -> str:
    """Return in a few words what becomes of a curve: what its plateau's interval shows."""
    if len(curve.points) < 2:
        return "one point"
    if curve.plateau.start == curve.points[-1].at:
        return "rises to its end"
    low, high = curve.plateau.interval
    if low > 0:
        return "a small gain is shown"
    return "a loss is shown" if high < 0 else "no difference is shown"


def curve_sentence(curve: Curve) -> str:
    """Return from where on a curve gains at most .01 as observed, and what is shown of that."""
    flat, last = curve.plateau, curve.points[-1].at
    name, unit = ("", " tokens") if curve.by == "tokens" else ("top_k ", "")
    start = f"#{curve.trial} {curve.metric}"
    if len(curve.points) < 2:
        return f"{start}: {curve_verdict(curve)}, {name}{last:,}{unit}"
    gain, low, high = (figure(value, curve.scale) for value in (flat.gain, *flat.interval))
    if flat.start == last:
        step = f"{gain} [{low}, {high}] from {curve.points[-2].at:,}"
        return f"{start} {curve_verdict(curve)}, {name}{last:,}{unit}: {step}"
    place = f"from {name}{flat.start:,}{unit} on"
    return f"{start}: {place} {curve_verdict(curve)}: {gain} [{low}, {high}] up to {flat.best:,}"


def effort_sentence(effort: SearchEffort) -> str:
    """Return how much of the grid would have come close to the best."""
    of = f"of the {effort.configurations:,}"
    if effort.configurations == 1:
        return "one configuration was evaluated: there was nothing to search"
    within = figure(effort.within, effort.within * 100).lstrip("+")
    near = "1 of them is" if effort.near == 1 else f"{effort.near:,} of them are"
    told = (
        f"a random {effort.enough:,} {of} would have come within {within} of the best in "
        f"{effort.sure:.0%} of cases ({near} that close)"
    )
    if effort.recommended_share is not None and effort.recommended_share < 1:
        told += f"; the recommended one has {effort.recommended_share:.1%} of the best score"
    half = [subset for subset in effort.subsets if 2 * subset.tried <= effort.enough]
    small = half[-1] if half else None
    if small is None:
        return told
    reached = "" if small.share is None else f", {small.share:.1%} of it"
    return (
        f"{told}; a random {small.tried:,} would find {plain(small.expected)} on average where "
        f"the best is {plain(effort.best)}{reached}"
    )
