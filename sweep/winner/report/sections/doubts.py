"""What would refute the choice, and what is known of each way in which it could be wrong."""

from collections.abc import Iterator

from sweep.text_lines import counted
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, Gain
from sweep.winner.figures import CONFIRMED
from sweep.winner.front import Front
from sweep.winner.message import baseline_lines, power_text, with_sign
from sweep.winner.preference import TIMED, WORTH
from sweep.winner.report.content import Fact, Finding, Findings, Paragraph, Section
from sweep.winner.report.material import Material
from sweep.winner.report.sections.holes import holes_sentences
from sweep.winner.report.sections.scope import scope_findings
from sweep.winner.report.sections.wording import numbered, why_open
from sweep.winner.rounding import plain
from sweep.winner.violations import doubtful_text, kept_text


def doubts_section(material: Material) -> Section | None:
    """Return the ways in which the choice could be wrong, the open ones first."""
    if material.found is None:
        return None
    findings = _findings(material, material.found)
    count = sum(finding.is_open for finding in findings)
    text = (
        f"{counted(count, 'question')} of {len(findings)} are open. An open one is no fault; it "
        f"is what to look at before much depends on the choice."
    )
    data = {
        "findings": [
            {"question": f.question, "answer": f.answer, "open": f.is_open} for f in findings
        ]
    }
    blocks = (Paragraph(text=text), Findings(items=tuple(findings)))
    return Section(title="What would refute this choice", blocks=blocks, data=data)


def open_questions(material: Material, found: Answer | Front) -> Fact:
    """Return how many of them are open, as a figure beside the answer."""
    findings = _findings(material, found)
    count = sum(finding.is_open for finding in findings)
    return Fact(
        name="open questions",
        value=f"{count} of {len(findings)}",
        note="ways in which this choice could be wrong",
        tone="caution" if count else "good",
        link="doubts",
    )


def _findings(material: Material, found: Answer | Front) -> list[Finding]:
    trial = found.trial if isinstance(found, Answer) else found.trials[0]
    findings = [
        *_of_answer(material, found),
        *_of_front(found),
        *_of_labels(found, trial),
        *_of_completeness(material),
        *scope_findings(material),
        *_of_measurement(material, trial),
        *_of_retrieval(trial),
        Finding(
            question="Are the queries like those of production?",
            answer="No figure here can tell. All of them hold for queries like these and this "
            "corpus; other people's questions and changed documents are not covered.",
            is_open=True,
        ),
    ]
    return sorted(findings, key=lambda finding: not finding.is_open)


def _of_answer(material: Material, found: Answer | Front) -> Iterator[Finding]:
    if not isinstance(found, Answer):
        return
    yield _baseline(found)
    yield _honest(material, found)
    compared, tied = len(found.compared), len(found.tied)
    if compared < 2:
        text = "Nothing was compared with it."
    elif tied == 1:
        text = f"All {compared - 1} others are called worse, allowing for their number."
    else:
        loss = dict(zip(found.compared, found.recommendation.tukey.loss.tolist(), strict=True))
        others = [number for number in found.tied if number != found.trial.number]
        text = (
            f"{tied - 1} others of {compared} are not separable from the best: "
            f"{numbered(sorted(others, key=loss.__getitem__))}. Any of them could truly be better."
        )
    yield Finding(
        question="Could another of these configurations be better?",
        answer=text,
        is_open=tied > 1 or compared < 2,
    )
    needed = found.recommendation.queries_needed
    enough = needed is not None and needed <= found.search.queries
    if compared > 1:
        yield Finding(
            question="Are there enough queries?",
            answer=f"{power_text(found)}.",
            is_open=not enough,
        )


def _baseline(answer: Answer) -> Finding:
    question = "Is it better than what you have today?"
    base, change = answer.against, answer.difference
    if base is None:
        text = "Unknown: the space file names no baseline."
        return Finding(question=question, answer=text, is_open=True)
    if answer.is_baseline:
        text = "It is what you have today; nothing that was tried is shown to be better."
        return Finding(question=question, answer=text, is_open=False)
    if change is None:
        text = f"{'; '.join(baseline_lines(answer))}."
        return Finding(question=question, answer=text, is_open=True)
    words: dict[Gain | None, str] = {
        "gain": "the interval leaves out 0",
        "loss": "it is worse, and the interval leaves out 0",
        "none": f"{why_open(change).lower()}, so that there may be no gain at all",
    }
    text = f"{with_sign(change)} against {base.full_name}: {words[answer.gain]}."
    return Finding(question=question, answer=text, is_open=answer.gain != "gain")


def _honest(material: Material, answer: Answer) -> Finding:
    question = "Is the score free of the luck of the choice?"
    looks = material.origin.looks
    if answer.confirm is None:
        return Finding(question=question, answer=f"No: {answer.unconfirmed}.", is_open=True)
    gap = plain(answer.search.mean - answer.confirm.mean)
    text = (
        f"Yes: {answer.confirm.how}, {counted(answer.confirm.queries, 'query')}; on the queries "
        f"that chose it, it scores {plain(answer.search.mean)}, a difference of {gap}."
    )
    if answer.confirm.how == CONFIRMED and looks > 1:
        text += f" But the confirm set was looked at {looks} times: each look uses some of it up."
        return Finding(question=question, answer=text, is_open=True)
    return Finding(question=question, answer=text, is_open=False)


def _of_front(found: Answer | Front) -> Iterator[Finding]:
    if isinstance(found, Front):
        yield Finding(
            question="Are the scores free of the luck of the choice?",
            answer="No: with several objectives the trials are compared by the means on the "
            "queries that chose, without a test. Neighbours on the front may differ by chance; "
            "see their intervals.",
            is_open=True,
        )


def _of_labels(found: Answer | Front, trial: TrialRecord) -> Iterator[Finding]:
    objective = found.objective if isinstance(found, Answer) else found.objectives[0]
    question = "Could missing labels change it?"
    holes = found.holes if isinstance(found, Answer) else None
    if isinstance(found, Answer) and holes is not None:
        text = f"{'; '.join(holes_sentences(found))}."
        if not holes.pairs:
            text = "No: every document that any configuration returned has a label."
        yield Finding(question=question, answer=text, is_open=holes.could_change)
        return
    judged = trial.metrics.get("judged@10")
    if judged is None or objective.startswith("span_"):
        return
    text = "No: every document among the first 10 has a label."
    if judged < 1:
        without = trial.metrics.get("holes@10", 0.0)
        text = (
            f"Possibly: judged@10 of #{trial.number} is {judged * 100:.0f} %; {without:.1f} "
            f"documents a query have no label and count as irrelevant."
        )
    yield Finding(question=question, answer=text, is_open=judged < 1)


def _of_completeness(material: Material) -> Iterator[Finding]:
    counts = material.counts
    left = counts.left
    text = f"Yes: {counts}."
    if left > 0:
        text = (
            f"No: {counted(left, 'configuration')} of {counts.planned:,} are not evaluated yet; "
            f"{counts.finish} goes on."
        )
    if counts.failed:
        text += f" {counted(counts.failed, 'configuration')} failed and took no part."
    yield Finding(
        question="Is the study finished?", answer=text, is_open=left > 0 or counts.failed > 0
    )
    kind = material.origin.sampler.get("kind", "grid")
    if kind != "grid":
        yield Finding(
            question="Was everything tried?",
            answer=f"No: {kind} drew {counted(counts.complete, 'configuration')} from the space. "
            f"Better ones may be among those it did not draw.",
            is_open=True,
        )


def _of_measurement(material: Material, trial: TrialRecord) -> Iterator[Finding]:
    latency = trial.facts.get("latency") or {}
    if latency:
        busy = bool(latency.get("busy"))
        text = (
            f"Measured over {latency.get('queries')} queries, while other programs used "
            f"{float(latency.get('others', 0)):.0%} of the processors."
        )
        text += " A quiet machine may be faster; run again when it is quiet." if busy else ""
        question = "Is the latency what production will see?"
        yield Finding(question=question, answer=text, is_open=busy)
    constrained = [text.split()[0] for text in material.origin.constraints]
    timed = [n for n in dict.fromkeys([*material.board.objectives, *constrained]) if n in TIMED]
    if timed:
        text = (
            f"Not surely: measured time decides here ({', '.join(timed)}), and is different on "
            f"another machine or at another time."
        )
        for doubt in (kept_text(trial), doubtful_text(material.counts.doubtful)):
            text += f" {doubt}." if doubt else ""
        yield Finding(question="Would another run choose the same?", answer=text, is_open=True)


def _of_retrieval(trial: TrialRecord) -> Iterator[Finding]:
    cut = int(trial.facts.get("truncated_chunks", 0))
    if cut:
        chunks = counted(int(trial.facts.get("chunks", 0)), "chunk")
        yield Finding(
            question="Does the embedding model read all of the text?",
            answer=f"No: {cut:,} of {chunks} are longer than it reads, and their ends are not "
            f"in the vectors.",
            is_open=True,
        )
    if trial.index_recall is not None:
        recall, depth = trial.index_recall
        yield Finding(
            question="Does the approximate index lose anything?",
            answer=f"It finds {plain(recall)} of the {depth:,} chunks a query that exact search "
            f"finds. The scores hold what that costs; more documents may cost more.",
            is_open=recall < 1 - WORTH,
        )
    empty = int(trial.facts.get("without_results", 0))
    if empty:
        yield Finding(
            question="Does every query get a result?",
            answer=f"No: {counted(empty, 'query')} of the corpus got none, and score 0.",
            is_open=True,
        )
