"""What a report is made of: the study's answer, its trials, and where all of it comes from."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, Counts
from sweep.winner.front import Front
from sweep.winner.insight.effects import Effect
from sweep.winner.plots.board import Board


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
        effects: of each parameter, see `winner.insight.effects`.
        origin: where all of it comes from.
    """

    study: str
    found: Answer | Front | None
    reason: str
    board: Board
    failed: Sequence[TrialRecord]
    counts: Counts
    losses: Mapping[int, tuple[float, float]]
    effects: Mapping[str, Sequence[Effect]] = field(default_factory=dict)
    origin: Origin

    @property
    def unfinished(self) -> bool:
        """Return whether some planned configuration has not been tried."""
        return self.counts.complete + self.counts.failed < self.counts.planned

    @property
    def maximize(self) -> bool:
        """Return whether more of the first objective is better."""
        return self.board.maximize[0]

    def command(self, *words: str) -> str:
        """Return a command to copy; it names the storage where that is not the default."""
        place = [] if self.origin.storage is None else ["--storage", self.origin.storage]
        return shlex.join(["sweep", *words, *place])
