"""What a dashboard tells about a study and its leading trials: notes in Markdown.

Every figure comes from the `Answer`, the `Front` or the trials themselves.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sweep.trials import TrialRecord
from sweep.winner.answer import Answer
from sweep.winner.baseline import Baseline
from sweep.winner.bundle import bundle_folder
from sweep.winner.critical import critical_slices, must_text
from sweep.winner.front import Front
from sweep.winner.markdown import markdown_table as _table
from sweep.winner.markdown import markdown_text as _text
from sweep.winner.message import (
    WHILE_BUSY,
    answer_text,
    is_busy,
    with_interval,
    with_sign,
)
from sweep.winner.quick_look import is_searched_only, trial_scope
from sweep.winner.rounding import compact, plain
from sweep.winner.trial_costs import SAID, TITLES, costs_of

TOLD = ("ndcg@10", "recall@10", "hit@5", "rr@10", "judged@10", "span_recall")  # of a trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a study is while a process works on it.

    Attributes:
        study: its name.
        tried: configurations that have a trial.
        planned: configurations of the finished study.
        failed: of those tried.
        doing: which long stage it works on, and how far that is; empty = none.
        as_of: when that was so, and who works on it, as people read it.
        scope: what a quick look's scores are; empty = all documents count.
    """

    study: str
    tried: int
    planned: int
    failed: int
    as_of: str
    doing: str = ""
    scope: str = ""


def running_note(
    progress: Progress, leaders: Sequence[TrialRecord], objectives: Sequence[str]
) -> str:
    """Return the note of a study that is being run.

    Args:
        progress: how far it is.
        leaders: the best trials so far, best first; may be empty.
        objectives: metric names.
    """
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    parts = [
        f"## Running: {progress.tried:,} of {progress.planned:,} configurations{failed}",
        f"As of {progress.as_of}. Where this time stays behind, the run was stopped: the same "
        f"command goes on where it was.",
    ]
    if progress.scope:
        parts.append(f"**Quick look**: {_text(progress.scope)}")
    if progress.doing:
        parts.append(f"Working on: {_text(progress.doing)}")
    if leaders:
        parts.append("Best so far, on the queries that choose; nothing is recommended yet:")
        parts.append(trial_table(leaders, objectives, {}))
    return "\n\n".join(parts)


def answer_note(
    answer: Answer, *, roles: Mapping[int, Sequence[str]], storage: str | None, ending: str = ""
) -> str:
    """Return the note of a study with one objective: what to use, the leaders, what comes next.

    Args:
        answer: what the study says.
        roles: what is to be said of a trial, by its number.
        storage: as commands must name it; None = the default.
        ending: why the run stopped before the study was finished.
    """
    trial, name = answer.trial, answer.study
    shown = {t.number: t for t in (*answer.leaderboard, trial)}
    if answer.baseline is not None:
        shown.setdefault(answer.baseline.number, answer.baseline)
    return "\n\n".join(
        [
            f"## {_title(answer)}: {_text(trial.configuration.label())}",
            *_unfinished(ending),
            *_scope(answer),
            " · ".join(_headline(answer)),
            *(f"**Must**: {_text(must_text(critical))}" for critical in answer.must),
            trial_table(list(shown.values()), [answer.objective], roles, answer.against),
            next_commands(
                [
                    ("best", name),
                    ("show", name, str(trial.number)),
                    *([("compare", name, "recommended", "baseline")] if _beside(answer) else []),
                    *(
                        []
                        if is_searched_only(answer.sample)
                        else [("export", name, "--out", bundle_folder(name))]
                    ),
                ],
                storage,
            ),
            "### In full",
            f"```text\n{answer_text(answer)}\n```",
        ]
    )


def front_note(
    front: Front, *, roles: Mapping[int, Sequence[str]], storage: str | None, ending: str = ""
) -> str:
    """Return the note of a study with several objectives; see `answer_note`."""
    shown = list(front.trials)
    if front.baseline is not None and front.baseline not in shown:
        shown.append(front.baseline)
    number = str(front.trials[0].number)
    return "\n\n".join(
        [
            f"## Choose one of {len(front.trials)}: none is beaten in {front.names} at once",
            *_unfinished(ending),
            *_scope(front),
            trial_table(shown, front.objectives, roles, front.against),
            next_commands(
                [
                    ("best", front.study),
                    ("show", front.study, number),
                    *(
                        []
                        if is_searched_only(front.sample)
                        else [("export", front.study, *_to_export(front.study, number))]
                    ),
                ],
                storage,
            ),
            "### In full",
            f"```text\n{front.text()}\n```",
        ]
    )


def no_answer_note(study: str, reason: str, *, storage: str | None, ending: str = "") -> str:
    """Return the note of a study that cannot say what to use."""
    commands = next_commands([("trials", study), ("show", study)], storage)
    return "\n\n".join(["## No recommendation", *_unfinished(ending), _text(reason), commands])


def trial_note(
    trial: TrialRecord,
    *,
    study: str,
    objectives: Sequence[str],
    roles: Sequence[str],
    storage: str | None,
) -> str:
    """Return the note of one trial: what it is, its scores with intervals, its costs."""
    names = [n for n in dict.fromkeys([*objectives, *TOLD]) if n in trial.numbers]
    rows = [(n, compact(trial.numbers[n]), _interval(trial.intervals, n)) for n in names]
    for critical in critical_slices(trial):
        low, high = critical.interval
        name = _text(f"{critical.metric} where {critical.where}")
        rows.append((name, compact(critical.value), f"{compact(low)} to {compact(high)}"))
    rows += [(title, text, "") for title, text in costs_of(trial).items()]
    if trial.index_recall is not None:
        recall, depth = trial.index_recall
        rows.append((f"index recall@{depth} of exact search", compact(recall), ""))
    role = f"**{', '.join(roles)}** · " if roles else ""
    sampled, number = trial.facts.get("sample"), str(trial.number)
    commands: list[tuple[str, ...]] = [("show", study, number)]
    commands += [] if sampled else [("export", study, *_to_export(study, number))]
    return "\n\n".join(
        [
            f"{role}{_text(trial.configuration.label())}",
            *([f"**{trial_scope(sampled)}**"] if sampled else []),
            _table(("metric", "mean", "95 % interval"), rows),
            next_commands(commands, storage),
        ]
    )


def _to_export(study: str, number: str) -> tuple[str, ...]:
    return "--trial", number, "--out", bundle_folder(study)


def trial_table(
    trials: Iterable[TrialRecord],
    objectives: Sequence[str],
    roles: Mapping[int, Sequence[str]],
    baseline: Baseline | None = None,
) -> str:
    """Return a Markdown table of trials in the order given, at its end a run file."""
    costs = [name for name in TITLES if name not in objectives]
    header = ["#", "", "configuration"]
    header += [part for name in objectives for part in (name, "95 % interval")]
    header += [TITLES[name] for name in costs]
    rows = []
    for trial in trials:
        row = [f"{trial.number}", ", ".join(roles.get(trial.number, ()))]
        row.append(_text(trial.configuration.label()))
        for name, value in zip(objectives, trial.values, strict=True):
            row += [compact(value), _interval(trial.intervals, name)]
        known = costs_of(trial)
        rows.append([*row, *(known.get(TITLES[name], "") for name in costs)])
    if baseline is not None and baseline.run is not None:
        row = ["", "baseline", f"{_text(baseline.run)} (a run file)"]
        for name, mean in zip(objectives, baseline.values, strict=True):
            row += ["" if mean is None else compact(mean), _interval(baseline.intervals, name)]
        rows.append([*row, *("unknown" for _ in costs)])
    return _table(header, rows)


def next_commands(commands: Iterable[Sequence[str]], storage: str | None) -> str:
    """Return a block of commands to copy."""
    place = [] if storage is None else ["--storage", storage]
    lines = [shlex.join(["sweep", *words, *place]) for words in commands]
    return "\n".join(["### Next", "```bash", *lines, "```"])


def _title(answer: Answer) -> str:
    number = f"#{answer.trial.number}"
    return (
        f"Not decided; on the sample {number} leads"
        if is_searched_only(answer.sample)
        else f"Use {number}"
    )


def _scope(found: Answer | Front) -> list[str]:
    return [] if found.sample is None else [found.sample.markdown()]


def _unfinished(ending: str) -> list[str]:
    text = f"**Not finished**: {_text(ending)}. The same `sweep run` command goes on."
    return [text] if ending else []


def _headline(answer: Answer) -> list[str]:
    trial = answer.trial
    search, honest = answer.search, answer.confirm
    if honest is None:
        score = f"{plain(search.mean)} on the {search.queries:,} queries that chose it"
        parts = [f"**{answer.objective} {score}**"]
    else:
        parts = [f"**{answer.objective} {with_interval(honest)}** ({honest.how})"]
    if answer.difference is not None and answer.against is not None:
        shown = {"gain": "", "none": " (no gain is shown)", "loss": " (which is worse)"}
        name = _text(answer.against.full_name).replace("\\#", "#")  # no heading within a line
        difference = f"{with_sign(answer.difference)} against {name}"
        parts.append(difference + shown[answer.gain or "none"])
    elif answer.is_baseline:
        parts.append("this is the baseline, and nothing is shown to beat it")
    costs = costs_of(trial)
    busy = {"latency_p95_ms": f", {WHILE_BUSY}"} if is_busy(trial) else {}
    return parts + [
        SAID[name].format(costs[TITLES[name]]) + busy.get(name, "")
        for name in TITLES
        if TITLES[name] in costs
    ]


def _beside(answer: Answer) -> bool:
    return answer.against is not None and not answer.against.missing and not answer.is_baseline


def _interval(intervals: Mapping[str, Sequence[float]], name: str) -> str:
    if name not in intervals:
        return ""
    low, high = intervals[name]
    return f"{compact(low)} to {compact(high)}"
