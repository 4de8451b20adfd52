"""The answer first: what to deploy, how sure that is, the command that exports it."""

import math
import shlex
from collections.abc import Sequence

from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, Gain
from sweep.winner.bundle import bundle_folder
from sweep.winner.critical import CriticalSlice, must_text
from sweep.winner.figures import CONFIRMED, CROSS_VALIDATED
from sweep.winner.front import Front
from sweep.winner.message import (
    WHILE_BUSY,
    answer_text,
    baseline_lines,
    context_amount,
    index_text,
    is_busy,
    latency_amount,
    power_text,
    score_note,
    score_text,
    with_interval,
    with_sign,
)
from sweep.winner.quick_look import is_searched_only
from sweep.winner.report.content import (
    Block,
    Bullets,
    Commands,
    Fact,
    Facts,
    Paragraph,
    Section,
    Tone,
    Verbatim,
)
from sweep.winner.report.material import Material
from sweep.winner.report.sections.doubts import open_questions
from sweep.winner.report.sections.scope import finalists_table, scope_blocks
from sweep.winner.report.sections.wording import trial_rows, why_open
from sweep.winner.rounding import megabytes, plain

HOW = {
    CONFIRMED: "it was measured on queries that no configuration was chosen by, so that the luck "
    "of the choice is not in it",
    CROSS_VALIDATED: "the choice was repeated on four fifths of the queries and scored on the "
    "rest, so that the luck of the choice is not in it",
}


def answer_section(material: Material) -> tuple[str, str, Section]:
    """Return the headline, the configuration to use (or nothing), and what is said of it."""
    found = material.found
    blocks: list[Block] = scope_blocks(material)
    if material.unfinished:
        blocks.append(
            Paragraph(
                text=f"This study is not finished: {material.counts}.",
                tone="caution",
            )
        )
    if isinstance(found, Answer):
        data = {name: v for name, v in found.to_json().items() if name not in _LEFT_TO_TRIALS}
        title = f"Use #{found.trial.number}"
        if is_searched_only(material.sample):
            title = f"Not decided: #{found.trial.number} leads on a sample"
        label = found.trial.configuration.label()
        blocks += _answer_blocks(material, found)
        return title, label, Section(title="How sure is that?", blocks=tuple(blocks), data=data)
    if isinstance(found, Front):
        title = f"Choose one of {len(found.trials)}: none is beaten in {found.names} at once"
        blocks += _front_blocks(material, found)
        section = Section(title="What to choose from", blocks=tuple(blocks), data=found.to_json())
        return title, "", section
    commands = [material.command(*words, material.study) for words in (("trials",), ("show",))]
    blocks += [
        Paragraph(text=material.reason, tone="caution", quote=True),
        *finalists_table(material),
        Commands(lines=tuple(commands)),
    ]
    data = {"reason": material.reason, "trials": material.counts.to_json()}
    data |= {"sample": material.sample.to_json()} if material.sample else {}
    return "No recommendation", "", Section(title="Why?", blocks=tuple(blocks), data=data)


_LEFT_TO_TRIALS = ("timings", "facts")  # long, and no part of the answer


def _answer_blocks(material: Material, answer: Answer) -> list[Block]:
    commands = _to_ship(material, ("export", material.study))
    return [
        Facts(items=(*_figures(answer), open_questions(material, answer)), large=True),
        *_honest(answer),
        _against_baseline(answer),
        *_against_others(answer),
        *finalists_table(material),
        *_musts(answer.must),
        *([] if is_searched_only(material.sample) else [Commands(lines=commands)]),
        Verbatim(title="The closing message of the run, in full", text=answer_text(answer)),
    ]


def _to_ship(material: Material, export: tuple[str, ...]) -> tuple[str, ...]:
    """Return the commands that make a bundle, prove it, and ask it."""
    folder = bundle_folder(material.study)
    return (
        material.command(*export, "--out", folder),
        shlex.join(["sweep", "verify", folder]),
        f'{shlex.join(["sweep", "query", folder])} "your question"',
    )


def _figures(answer: Answer) -> list[Fact]:
    score = answer.confirm or answer.search
    value = with_interval(score) if answer.confirm else plain(score.mean)
    found = [Fact(name=answer.objective, value=value, note=score_note(answer))]
    if answer.difference is not None and answer.against is not None:
        notes: dict[Gain | None, tuple[str, Tone]] = {
            "gain": ("better than the baseline", "good"),
            "loss": ("worse than the baseline", "caution"),
            "none": ("no difference is shown", "caution"),
        }
        note, tone = notes[answer.gain]
        name = f"against {answer.against.name}"
        found.append(Fact(name=name, value=with_sign(answer.difference), note=note, tone=tone))
    return found + _costs(answer.trial, answer.objective)


def _costs(trial: TrialRecord, objective: str) -> list[Fact]:
    metrics = trial.metrics
    found = []
    if "context_tokens" in metrics:
        tokens = context_amount(trial, objective)
        found.append(Fact(name="context tokens a query", value=tokens, note="what a model reads"))
    if "latency_p95_ms" in metrics:
        busy, text = is_busy(trial), latency_amount(trial)
        note = f"on the machine of the study{f', {WHILE_BUSY}' if busy else ''}"
        tone: Tone = "caution" if busy else "plain"
        found.append(Fact(name="p95 latency of a query", value=text, note=note, tone=tone))
    if "index_bytes" in metrics:
        note = index_text(trial).strip(" ()")
        value = f"{megabytes(metrics['index_bytes'])} MB"
        found.append(Fact(name="index", value=value, note=note))
    return found


def _honest(answer: Answer) -> list[Block]:
    if answer.confirm is not None:
        how = HOW.get(answer.confirm.how, answer.confirm.how)
        text = (
            f"The score is honest: {how}. The interval says how far other queries of this kind "
            f"could move it."
        )
        return [Paragraph(text=text)]
    text = f"There is no honest score: {answer.unconfirmed}. {answer.objective} is "
    return [Paragraph(text=f"{text}{score_text(answer)}, and flattered by that.", tone="caution")]


def _against_baseline(answer: Answer) -> Paragraph:
    base = answer.against
    if base is None:
        text = (
            "There is no baseline to compare with: nothing says whether this is better than what "
            "you have today. Write `baseline:` into the space file, and run it again."
        )
        return Paragraph(text=text, tone="caution")
    if answer.is_baseline or answer.difference is None:
        text = "; ".join(baseline_lines(answer))
        tone: Tone = "good" if answer.is_baseline else "caution"
        return Paragraph(text=f"{text[:1].upper()}{text[1:]}.", tone=tone)
    change = with_sign(answer.difference)
    if answer.gain == "none":
        text = (
            f"No difference to {base.full_name} is shown: {change}. "
            f"{why_open(answer.difference)}, so that chance alone could make it."
        )
    else:
        word = "better" if answer.gain == "gain" else "worse"
        text = (
            f"It is {word} than {base.full_name}: {change}. The interval leaves out 0 and the "
            f"paired test agrees, so that chance alone hardly makes such a difference."
        )
    if answer.best_gains and answer.best_difference is not None:
        best = answer.compared[answer.recommendation.best]
        text += f" The best, #{best}, shows a gain: {with_sign(answer.best_difference)}."
    return Paragraph(text=text, tone="good" if answer.gain == "gain" else "caution")


def _against_others(answer: Answer) -> list[Block]:
    compared, others = len(answer.compared), len(answer.tied) - 1
    number, best = answer.trial.number, answer.compared[answer.recommendation.best]
    if compared < 2:
        text = "It is the only configuration that could be chosen: nothing was compared with it."
        return [Paragraph(text=text, tone="caution")]
    if others == 0:
        text = f"It is better than each of the {compared - 1} others, allowing for their number."
    else:
        text = (
            f"{others} other configurations of {compared} are not separable from #{best}, the "
            f"best. That does not make them equal: "
        )
        text += f"{power_text(answer)}."
    if math.isfinite(answer.loss_bound):
        bound = plain(answer.loss_bound)
        text += f" #{number} may lose up to {bound} to whichever is truly best."
    return [Paragraph(text=text)]


def _musts(found: Sequence[CriticalSlice]) -> list[Block]:
    if not found:
        return []
    kept = all(critical.kept for critical in found)
    text = "What must hold on some of the queries, whatever the average:"
    items = tuple(must_text(critical) for critical in found)
    return [Paragraph(text=text, tone="plain" if kept else "caution"), Bullets(items=items)]


def _front_blocks(material: Material, front: Front) -> list[Block]:
    shown = list(front.trials)
    if front.baseline is not None and front.baseline not in shown:
        shown.append(front.baseline)
    number = str(front.trials[0].number)
    commands = [material.command("show", front.study, number)]
    if not is_searched_only(material.sample):
        commands += _to_ship(material, ("export", front.study, "--trial", number))[:-1]
    return [
        Paragraph(
            text=f"Several objectives have no single winner. Of {front.compared} configurations "
            f"these are left: for each of the others there is one here that is nowhere worse and "
            f"somewhere better. Which of them to use is a question of what you would rather give "
            f"up. The scores are those of the queries that chose, and flattered by that."
        ),
        trial_rows(material.board, shown, caption="What is beaten by none in all objectives"),
        Facts(items=(open_questions(material, front),), large=True),
        Commands(lines=tuple(commands)),
        Verbatim(title="The closing message of the run, in full", text=front.text()),
    ]
