"""What a report is made of: the study's answer, its trials, and where all of it comes from."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sweep.trials import TrialRecord
from sweep.winner.answer import Answer
from sweep.winner.counts import Counts
from sweep.winner.diagnosis.diagnosis import Diagnosis
from sweep.winner.front import Front
from sweep.winner.insight.curves import Curve
from sweep.winner.insight.effects import MainEffect
from sweep.winner.insight.effort import SearchEffort
from sweep.winner.insight.interactions import Interactions
from sweep.winner.insight.slices import StudySlices
from sweep.winner.plots.board import Board
from sweep.winner.quick_look import QuickLook


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a study was made from, as far as it is recorded.

    Attributes:
        corpus: the corpus's name.
        corpus_hash: SHA-256 of what it holds.
        corpus_folder: where it was.
        split: how the judged queries were divided (`search`, `confirm`, `share`, `seed`, `group`).
        sampler: `kind` and `seed`.
        constraints: as written.
        evaluation: what scores are measured against.
        metrics_version: of the metrics' definitions.
        tokenizer: the model whose tokens lengths are counted in.
        precision: of the models.
        space: the search-space file, None if it is gone.
        space_path: where the study keeps it.
        made_with: versions, machine and models of the last run; empty if not recorded.
        last_run: when that was.
        looks: how often the confirm set was looked at.
        storage: as commands must name it; None = the default.
        version: of the program that makes the report.
    """

    corpus: str
    corpus_hash: str
    corpus_folder: str
    split: Mapping[str, Any]
    sampler: Mapping[str, Any]
    constraints: tuple[str, ...]
    evaluation: Mapping[str, Any]
    metrics_version: int
    tokenizer: str
    precision: str
    space: str | None
    space_path: str
    made_with: Mapping[str, Any]
    last_run: str
    looks: int
    storage: str | None
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """What a study says about its parameters; see `sweep.winner.insight`.

    Attributes:
        effects: of each parameter on the first objective, those to be read first come first.
        top_k: the effects of top_k within each mode that has several.
        interactions: where an effect depends on another parameter.
        effort: how much of the grid would have been enough.
        importance: Optuna's, by parameter; may be empty.
        importance_method: how that was found.
        curves: of the leading trials, the most important trial first.
        no_curves: why there are none.
    """

    effects: Sequence[MainEffect]
    top_k: Mapping[str, MainEffect] = field(default_factory=dict)
    interactions: Interactions | None = None
    effort: SearchEffort | None = None
    importance: Mapping[str, float] = field(default_factory=dict)
    importance_method: str = ""
    curves: Sequence[Curve] = ()
    no_curves: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything that the sections are made of.

    Attributes:
        study: its name.
        found: what the study says; None where it cannot say what to use.
        reason: why it cannot.
        board: the finished trials with objectives and roles.
        failed: the trials of configurations that have no finished one.
        counts: how many configurations ended how.
        losses: observed loss to the best and the most it may be, by number.
        explanation: what parameters do; None without a finished trial.
        slices: scores on parts of the queries; None where nothing is recommended.
        diagnosis: of the recommended trial, or of the first of the front.
        no_diagnosis: why there is none; empty where nothing could be asked for.
        origin: where all of it comes from.
        sample: what the study has to do with a quick look, if anything.
    """

    study: str
    found: Answer | Front | None
    reason: str
    board: Board
    failed: Sequence[TrialRecord]
    counts: Counts
    losses: Mapping[int, tuple[float, float]]
    explanation: Insights | None = None
    slices: StudySlices | None = None
    diagnosis: Diagnosis | None = None
    no_diagnosis: str = ""
    origin: Origin
    sample: QuickLook | None = None

    @property
    def unfinished(self) -> bool:
        """Return whether some planned configuration has not been tried."""
        return self.counts.left > 0

    @property
    def maximize(self) -> bool:
        """Return whether more of the first objective is better."""
        return self.board.maximize[0]

    def command(self, *words: str) -> str:
        """Return a command to copy; it names the storage where that is not the default."""
        place = [] if self.origin.storage is None else ["--storage", self.origin.storage]
        return shlex.join(["sweep", *words, *place])
