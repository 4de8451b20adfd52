"""The closing message of a run, for people; every figure comes from the `Answer`."""

import math
import shlex
from collections.abc import Mapping

from sweep.text_lines import counted
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer
from sweep.winner.bundle import bundle_folder
from sweep.winner.counts import Counts
from sweep.winner.critical import must_text
from sweep.winner.figures import Figure
from sweep.winner.insight.holes import Holes
from sweep.winner.quick_look import is_searched_only
from sweep.winner.rounding import megabytes, milliseconds, plain, signed
from sweep.winner.violations import doubtful_text, kept_text

WHILE_BUSY = "measured while it was busy"


def answer_text(answer: Answer) -> str:
    """Return the closing message: what to use, what is tied with it, what nobody has judged."""
    must = [f"MUST  {must_text(critical)}" for critical in answer.must]
    return "\n".join(
        [
            *_use_lines(answer),
            *([] if answer.sample is None else answer.sample.lines()),
            *must,
            *_tied_lines(answer),
            *holes_lines(answer),
            *_end_lines(answer),
        ]
    )


def _use_lines(answer: Answer) -> list[str]:
    trial = answer.trial
    searched = is_searched_only(answer.sample)
    word = "LEADS" if searched else "USE  "  # a search on a sample decides nothing
    word = "BASE " if answer.pick == "baseline" else word
    lines = [
        f"{word} #{trial.number}  {trial.configuration.label()}",
        f"      {answer.objective} {score_text(answer)}",
    ]
    if answer.unconfirmed:
        lines.append(f"      no honest score: {answer.unconfirmed}")
    lines += [f"      {line}" for line in baseline_lines(answer)]
    costs = [context_text(trial, answer.objective)]
    if "index_bytes" in trial.metrics:
        costs.append(f"index {megabytes(trial.metrics['index_bytes'])} MB{index_text(trial)}")
    if "latency_p95_ms" in trial.metrics:
        costs.append(latency_text(trial))
    doubt = kept_text(trial)
    return [*lines, "      " + ", ".join(costs), *([f"      {doubt}"] if doubt else [])]


def context_text(trial: TrialRecord, objective: str) -> str:
    """Return how much context a query takes; of a budget that the objective names, how much."""
    amount, whole = _context(trial, objective)
    return f"{amount} context tokens a query{whole}"


def context_amount(trial: TrialRecord, objective: str) -> str:
    """Return the numbers of `context_text`."""
    return "".join(_context(trial, objective))


def _context(trial: TrialRecord, objective: str) -> tuple[str, str]:
    """Return the tokens, within a budget if there is one, and then how many they are uncut."""
    budget = objective.partition("@")[2].removesuffix("tok")
    within = trial.metrics.get(f"context_tokens@{budget}tok")
    whole = trial.metrics.get("context_tokens", 0)
    if within is None:
        return f"{whole:,.0f}", ""
    return f"{within:,.0f} of {int(budget):,}", f" ({whole:,.0f} uncut)"


def baseline_lines(answer: Answer) -> list[str]:
    """Tell how the answer compares with what is in production; that nothing beats it, too."""
    base = answer.against
    if base is None or answer.pick == "baseline":
        return []
    if answer.is_baseline:
        searched = is_searched_only(answer.sample)
        advice = "on the sample" if searched else "keep what you have"
        return [f"this is the baseline, and nothing is shown to beat it: {advice}"]
    if base.missing:
        return [f"{base.name} {base.missing}: there is nothing to compare with"]
    if answer.difference is not None:
        return [f"against {base.full_name}  {with_sign(answer.difference)}", *_gain_lines(answer)]
    value = base.values[0] if base.values else None
    if value is None:
        return []
    return [
        f"against {base.full_name}  {signed(answer.trial.values[0] - value)} on the same queries, "
        f"which is no honest difference either"
    ]


def _gain_lines(answer: Answer) -> list[str]:
    if answer.gain == "gain":
        return []
    shown = "no gain over it is shown" if answer.gain == "none" else "it is worse than that"
    if answer.best_difference is not None and answer.best_gains:
        best = answer.compared[answer.recommendation.best]
        return [f"{shown}; the best, #{best}, shows one: {with_sign(answer.best_difference)}"]
    base = answer.baseline
    if base is not None and base.number in set(answer.compared) - set(answer.tied):
        assert answer.difference is not None, "a gain is shown of a difference only"
        return [
            f"{shown} on {counted(answer.difference.queries, 'query')}; on the "
            f"{answer.search.queries:,} that choose, it is separable from the best"
        ]
    return [f"{shown}: nothing here is shown to beat what you have"]


def score_text(answer: Answer) -> str:
    """Return the honest score with what it is measured on; else that of the queries that chose."""
    if answer.confirm is None:
        return f"{plain(answer.search.mean)} {score_note(answer)}"
    return f"{with_interval(answer.confirm)} ({score_note(answer)})"


def score_note(answer: Answer) -> str:
    """Return what the score is measured on; beside an honest one, that of the choosing queries."""
    search, honest = answer.search, answer.confirm
    chose = f"on the {search.queries} queries that chose it"
    if honest is None:
        return chose
    measured = f"{honest.how}, {honest.queries} queries"
    return measured if answer.pick == "baseline" else f"{measured}; {plain(search.mean)} {chose}"


def _tied_lines(answer: Answer) -> list[str]:
    found = answer.recommendation
    compared = len(answer.compared)
    if compared < 2:
        return []
    number = answer.trial.number
    best = answer.compared[found.best]
    first = (
        f"TIED  {len(answer.tied) - 1} other configurations of {compared} are not separable from "
        f"#{best}, the best"
    )
    if answer.pick == "recommended" and number != best:
        limit = plain(answer.preference.max_loss)
        first += f"; #{number} is the cheapest that loses at most {limit} to it"
    lines = [first]
    if answer.look and answer.pick == "recommended":
        order = ", ".join(answer.preference.costs) or "nothing"
        lines.append(f"      a look: costs in the order {order}; not the study's own choice")
    if math.isfinite(answer.loss_bound):
        bound = plain(answer.loss_bound)
        lines.append(f"      #{number} may lose up to {bound} to whichever is truly best")
    lines.append(f"      {power_text(answer)}")
    return lines


def power_text(answer: Answer) -> str:
    """Return which differences the queries can show, and how many would show a small one."""
    found, queries = answer.recommendation, answer.search.queries
    if not math.isfinite(found.detectable):
        return f"{queries} queries are too few to tell"
    text = f"{queries} queries show differences from {plain(found.detectable)} on"
    if found.queries_needed is not None and found.queries_needed > queries:
        text += f"; about {_round(found.queries_needed):,} would show .02"
    return text


def holes_lines(answer: Answer) -> list[str]:
    """Tell how much nobody has judged, and whether that could change the choice."""
    holes, trial = answer.holes, answer.trial
    if holes is None:
        return _judged_line(answer)
    if not holes.pairs:
        return []
    share = holes.judged.get(trial.number, 0.0)
    lines = [f"HOLES {holes.depth} {share * 100:.0f} %: {_verdict(holes)}"]
    if holes.could_change:
        lines[0] += f" -> sweep pool {shlex.quote(answer.study)}"
        others = len(holes.contenders)
        lines.append(
            f"      {holes.labels:,} of {holes.pairs:,} unjudged pairs favour "
            + (f"one of {others:,} configurations that" if others > 1 else "the one that")
            + f" {'could' if holes.attained else 'might'} pass #{holes.recommended}"
        )
    figure = holes.figure(trial.number)
    if figure is not None and figure.low < figure.high:
        lines.append(
            f"      #{trial.number} {plain(figure.reported)} with holes as irrelevant, "
            f"{plain(figure.own_relevant)} with its own as relevant; {plain(figure.low)} to "
            f"{plain(figure.high)} whatever the labels"
        )
    return lines


def _verdict(holes: Holes) -> str:
    if not holes.could_change:
        return f"no label of {holes.pairs:,} unjudged pairs can change the choice"
    if holes.enough is None:
        return f"labels might change the choice, to #{holes.contenders[0].trial}"
    labels = f"{holes.enough:,} label" + ("s" if holes.enough > 1 else "")
    return f"{labels} could change the choice, to #{holes.nearest}"


def _judged_line(answer: Answer) -> list[str]:
    judged = answer.trial.metrics.get("judged@10", 1.0)
    if judged >= 1 or answer.objective.startswith("span_"):
        return []
    return [
        f"HOLES judged@10 {judged * 100:.0f} %: the others have no label and count as irrelevant"
    ]


def _end_lines(answer: Answer) -> list[str]:
    name, folder = map(shlex.quote, (answer.study, bundle_folder(answer.study)))
    pick = "" if answer.pick == "recommended" else f" --pick {answer.pick}"
    if answer.look:
        pick = f" --trial {answer.trial.number}"
    export = f"sweep export {name}{pick} --out {folder}"
    if answer.sample is not None and answer.sample.is_search:
        export = answer.sample.next_text
    study = study_lines(answer.study, answer.counts)
    if precisions := answer.trial.facts.get("precisions"):
        study[0] += f"; #{answer.trial.number} runs {precisions_text(precisions)}"
    return [
        *study,
        f"NEXT  sweep report {name} | sweep diagnose {name} | sweep dashboard | {export}",
    ]


def study_lines(study: str, counts: Counts) -> list[str]:
    """Return how many configurations ended how, and which were left out in doubt."""
    doubtful = doubtful_text(counts.doubtful)
    return [f"STUDY {study}: {counts}", *([f"      doubtful: {doubtful}"] if doubtful else [])]


def with_interval(figure: Figure) -> str:
    """Return a mean with its interval: `.69 [.61, .77]`, in three decimals."""
    low, high = figure.interval
    return f"{plain(figure.mean)} [{plain(low)}, {plain(high)}]"


def with_sign(difference: Figure) -> str:
    """Return a difference with its interval: `+.08 [+.02, +.14]`, in three decimals.

    Beside an interval that leaves out 0 stands the paired test's p-value where that shows nothing.
    """
    low, high = difference.interval
    text = f"{signed(difference.mean)} [{signed(low)}, {signed(high)}]"
    if difference.p_value is not None and difference.excludes_zero and not difference.is_shown:
        text += f" (paired test: p = {plain(difference.p_value)})"
    return text


def latency_text(trial: TrialRecord) -> str:
    """Return the 95th percentile with its interval, and whether others may have slowed it down."""
    text = f"p95 {latency_amount(trial)} on this machine"
    return f"{text}, {WHILE_BUSY}" if is_busy(trial) else text


def latency_amount(trial: TrialRecord) -> str:
    """Return the 95th percentile with its interval."""
    text = f"{milliseconds(trial.metrics['latency_p95_ms'])} ms"
    if interval := trial.intervals.get("latency_p95_ms"):
        text += f" [{', '.join(map(milliseconds, interval))}]"
    return text


def is_busy(trial: TrialRecord) -> bool:
    """Return whether a trial's latency was measured while others kept the machine busy."""
    return bool(trial.facts.get("latency", {}).get("busy"))


def precisions_text(precisions: Mapping[str, str]) -> str:
    """Return `all-MiniLM-L6-v2 in bf16`: what each model really runs in."""
    return ", ".join(f"{name} in {precision}" for name, precision in precisions.items())


def index_text(trial: TrialRecord) -> str:
    """Return ` (recall@10 .973 of exact search)`; empty where search is exact."""
    found = trial.index_recall
    return "" if found is None else f" (recall@{found[1]} {plain(found[0])} of exact search)"


def _round(count: int) -> int:
    """Return two significant digits: the figure is an extrapolation."""
    digits = max(0, len(str(count)) - 2)
    return round(count, -digits)
