"""Material of a report, from toy trials: what tests of its sections and its pages start from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, make_answer
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.figures import Scored
from sweep.winner.front import make_front
from sweep.winner.insight.curves import make_curve
from sweep.winner.insight.effects import main_effects
from sweep.winner.plots.board import Board
from sweep.winner.report.build import build_report
from sweep.winner.report.content import (
    Column,
    Example,
    Fact,
    Facts,
    Paragraph,
    Plot,
    Report,
    Section,
    Table,
    Verbatim,
)
from sweep.winner.report.material import Insights, Material, Origin

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (
    SCRIPT,
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "</style><svg onload=alert(4)>",
    "{{ 7 * 7 }} {% raw %}",
    "שלום \u202e`x` <b>bold</b> &lt;i&gt;",
)
SCORES = np.random.default_rng(5).random((4, 40)) * 0.2 + np.array([[0.2], [0.5], [0.7], [0.69]])
COUNTS = Counts(complete=4, failed=0, infeasible=0, planned=4)
LATENCY = {"busy": False, "queries": 30, "rounds": 5, "others": 0.031}


def trial(number: int, **keys: Any) -> TrialRecord:
    """Return a finished trial; its score is the mean of its row of `SCORES`."""
    value = float(SCORES[number].mean())
    given: dict[str, Any] = {
        "number": number,
        "state": "COMPLETE",
        "configuration": Configuration(
            mode="bm25", chunk=ChunkConfig(size=10 + number), bm25=Bm25Config()
        ),
        "values": (value,),
        "metrics": {
            "ndcg@10": value,
            "context_tokens": 1234.4 + 100 * number,
            "latency_p95_ms": 0.123,
            "index_bytes": 2_345_678.0,
            "judged@10": 0.84,
            "holes@10": 1.1,
        },
        "intervals": {"ndcg@10": (value - 0.1, value + 0.1), "latency_p95_ms": (0.1, 0.2)},
        "facts": {"latency": LATENCY, "chunks": 7},
        **keys,
    }
    return TrialRecord(**given)


def failed(number: int, message: str) -> TrialRecord:
    """Return a trial that failed."""
    error = {"type": "IndexingError", "message": message, "traceback": "..."}
    return trial(number, state="FAIL", values=(), metrics={}, intervals={}, error=error)


def make_toy_answer(
    trials: Sequence[TrialRecord],
    *,
    baseline: int | None = 0,
    against: Baseline | None = None,
    counts: Counts = COUNTS,
    **keys: Any,
) -> Answer:
    """Return what a study of these trials says; `keys` are those of `Scored`."""
    scores = SCORES[[t.number for t in trials]]
    given = {"maximize": True, "scale": 1.0, "confirm": {}, **keys}
    found = against
    if found is None and baseline is not None:
        own = next(t for t in trials if t.number == baseline)
        found = Baseline(
            trial=own,
            values=own.values,
            search=SCORES[baseline],
            confirm=given["confirm"].get(baseline),
        )
    given = {"baseline": found, **given}
    scored = Scored(trials=tuple(trials), scores=scores, **given)
    return make_answer("mine", "ndcg@10", scored, pick="recommended", counts=counts)


def origin(**keys: Any) -> Origin:
    """Return where a toy study comes from."""
    made_with = {
        "sweep": "0.1.0",
        "python": "3.11.7",
        "system": "Linux",
        "processor": "Toy 9000",
        "features": ["avx2"],
        "processors": 2,
        "threads": 1,
        "libraries": {"numpy": "2.0"},
        "models": {"toy-model": "ab" * 32, "gone": None},
        "documents": 10,
        "queries": 41,
    }
    given: dict[str, Any] = {
        "corpus": "papers",
        "corpus_hash": "c0ffee" * 10,
        "corpus_folder": "corpora/papers",
        "split": {"search": 40, "confirm": 0, "share": 0.0, "seed": 7, "group": "query"},
        "sampler": {"kind": "grid"},
        "constraints": (),
        "evaluation": {"relevance": 1},
        "metrics_version": 1,
        "tokenizer": "toy-model",
        "precision": "fp32",
        "space": "name: mine\n",
        "space_path": "results/mine/space.yaml",
        "made_with": made_with,
        "last_run": "2026-11-30T12:00:00+00:00",
        "looks": 0,
        "storage": None,
        "version": "0.1.0",
        **keys,
    }
    return Origin(**given)


def material(found: Any = None, *, trials: Sequence[TrialRecord] = (), **keys: Any) -> Material:
    """Return the material of a study of one objective; `trials` are all that are finished."""
    losses, roles, tied = {}, {}, frozenset[int]()
    if isinstance(found, Answer):
        tukey = found.recommendation.tukey
        pairs = zip(tukey.loss.tolist(), tukey.loss_bound.tolist(), strict=True)
        losses = dict(zip(found.compared, pairs, strict=True))
        roles = {found.trial.number: ["recommended"]}
        if found.baseline is not None:
            roles.setdefault(found.baseline.number, []).append("baseline")
        tied = frozenset(found.tied)
    board = Board(trials=trials, objectives=["ndcg@10"], maximize=[True], roles=roles, tied=tied)
    numbers = [t.number for t in trials]
    effects = main_effects([t.configuration.flat() for t in trials], SCORES[numbers])
    curve = make_curve([1, 5], SCORES[:2], trial=2, metric="ndcg@10", by="top_k")
    explanation = Insights(effects=effects, curves=(curve,))
    given: dict[str, Any] = {
        "study": "mine",
        "found": found,
        "reason": "" if found else "study 'mine': must have a finished trial, got none yet.",
        "board": board,
        "failed": (),
        "counts": COUNTS,
        "losses": losses,
        "explanation": explanation if trials else None,
        "origin": origin(),
        **keys,
    }
    return Material(**given)


def usual(**keys: Any) -> Material:
    """Return the material of a finished study with a baseline."""
    trials = [trial(number) for number in range(4)]
    return material(make_toy_answer(trials), trials=trials, **keys)


def of_two_objectives(**keys: Any) -> Material:
    """Return the material of a study of two objectives."""
    names, maximize = ["ndcg@10", "context_tokens"], [True, False]
    trials = [
        trial(n, values=(float(SCORES[n].mean()), 1234.4 + 100 * n), metrics={}) for n in range(4)
    ]
    front = make_front("mine", names, maximize, trials, baseline=None, counts=COUNTS)
    roles = {t.number: ["front"] for t in front.trials}
    board = Board(trials=trials, objectives=names, maximize=maximize, roles=roles)
    return material(front, trials=trials, **{"board": board, **keys})


def hostile_report(text: str) -> Report:
    """Return a report that shows a text wherever a text can stand."""
    odd = Configuration(
        mode="vector", chunk=ChunkConfig(size=10), vector=VectorConfig(model=text.split("/")[0])
    )
    trials = [trial(0, configuration=odd), *(trial(n) for n in range(1, 4))]
    made = material(
        make_toy_answer(trials, baseline=None),
        trials=trials,
        study=text,
        origin=origin(corpus=text, space=text, corpus_folder=text, tokenizer=text),
    )
    table = Table(caption=text, columns=(Column(text, "quote"),), rows=((text,),))
    figure = go.Figure(
        data=[go.Scatter(x=[1], y=[1], name=text, hovertext=[text])],
        layout={
            "xaxis": {"title": {"text": text}},
            "yaxis": {"tickvals": [1], "ticktext": [text]},
        },
    )
    blocks = (
        Paragraph(text=text, quote=True),
        Paragraph(text=text, tone="caution"),
        Facts(items=(Fact(name=text, value=text, note=text, kind="code"),), large=True),
        Verbatim(title=text, text=text, folded=False),
        Plot(title=text, alt=text, table=table, draw=lambda: figure),
        Example(query=text, note=text, tables=(table,)),
    )
    return replace(build_report(made), diagnosis=Section(title=text, blocks=blocks))
