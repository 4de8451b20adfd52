"""A recorded study: its trials and what it was begun with, read from the storage."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna

from sweep.errors import StudyError
from sweep.records import Floats
from sweep.study.baseline import baseline_of
from sweep.study.choice import groups_of, preference_of
from sweep.study.driver.budget import Stopped
from sweep.study.driver.confirm import read_confirm, read_confirmed_slices
from sweep.study.folder import StudyFolder, default_storage, study_folder
from sweep.study.metrics import Goal
from sweep.study.ownership import check_tables
from sweep.study.quick_look import FINALS, SEARCHER, quick_look_of
from sweep.study.record import from_optuna
from sweep.study.storage.address import shown
from sweep.study.storage.recency import recency
from sweep.study.storage.storage import open_storage
from sweep.study.tables import read_matrix
from sweep.text_lines import nearest, shorten
from sweep.trials import TrialRecord

if TYPE_CHECKING:  # the winner's statistics load scipy, which listing trials can do without
    import pandas as pd

    from sweep.engine.engine import Engine
    from sweep.records import Corpus
    from sweep.winner.answer import Answer
    from sweep.winner.counts import Counts
    from sweep.winner.figures import Pick, Scored
    from sweep.winner.front import Front
    from sweep.winner.preference import Preference

FEW = 5  # studies that an error still names
ADAPTIVE = ("tpe", "nsga2")  # samplers
ABOUT = "sweep"  # study attribute: identity, axes, corpus, baseline, split, last run


class Study:
    """A study as everything after it sees it.

    Args:
        name: the study's name; None takes the one that was run last.
        storage: where it is recorded; None takes `results/sweep.db`.
        unread: its tables will not be read; they may be another study's.

    Raises: StudyError if there is no such study, or its folder holds another study's tables.
    """

    def __init__(
        self, name: str | None = None, storage: str | None = None, *, unread: bool = False
    ) -> None:
        self.storage = storage or default_storage()
        self.optuna_storage = open_storage(self.storage)
        abouts = abouts_of(self.optuna_storage)
        if not abouts:
            raise StudyError(
                f"storage: must hold a study of sweep, got none in {shown(self.storage)!r}. "
                f"Run one first: sweep run SPACE"
            )
        if name is None:
            name = max(abouts, key=lambda known: recency(abouts[known]))
        if name not in abouts:
            there = (
                f"It has {', '.join(abouts)}." if len(abouts) <= FEW else "See `sweep studies`."
            )
            raise StudyError(
                f"study: must be one in {shown(self.storage)!r}, got {shorten(name)}. "
                f"{nearest(name, abouts, otherwise=there, cutoff=0.4)}"
            )
        self.name = name
        self.stopped: Stopped | None = None  # set by a run that ended before the study was done
        self.about: dict[str, Any] = abouts[name]
        if not unread:
            check_tables(self.folder, name, self.about["identity"])
        self.engine: Engine | None = None  # set where there is one: over the study's corpus
        self.corpus: Corpus | None = None  # read once, by `study_corpus`
        self.keeps = False  # set by a run, which holds the lock: it may write into the folder
        self._answers: dict[tuple[Pick, Preference | None], Answer] = {}
        self._matrices: dict[tuple[str, tuple[int, ...]], tuple[tuple[str, ...], Floats]] = {}

    @property
    def folder(self) -> StudyFolder:
        """Return the study's folder."""
        return study_folder(self.name)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Return the objectives."""
        from sweep.metrics import parse_metric

        return tuple(
            Goal(metric=parse_metric(o["metric"]), maximize=o["direction"] == "maximize")
            for o in self.about["identity"]["objectives"]
        )

    @property
    def adaptive(self) -> str | None:
        """Return what chose what to try by results: a sampler, or a quick look's search."""
        if FINALS in self.about:
            return SEARCHER
        kind = str(self.about["identity"]["sampler"]["kind"])
        return kind if kind in ADAPTIVE else None

    @property
    def corpus_folder(self) -> Path:
        """Return where the corpus was when the study ran last."""
        return Path(self.about["corpus_folder"])

    @property
    def baseline(self) -> str | None:
        """Return the fingerprint of the baseline configuration, if there is one."""
        found = self.about.get("baseline")
        return None if found is None else str(found)

    @property
    def baseline_run(self) -> dict[str, Any] | None:
        """Return name, sha256, counts, metrics and intervals of a baseline that is a run file."""
        found: dict[str, Any] | None = self.about.get("baseline_run")
        return found

    @cached_property
    def trials(self) -> tuple[TrialRecord, ...]:
        """Return the finished and failed trials, by number."""
        study = optuna.load_study(study_name=self.name, storage=self.optuna_storage)
        records = (from_optuna(trial) for trial in study.get_trials(deepcopy=False))
        return tuple(record for record in records if record is not None)

    @property
    def complete(self) -> tuple[TrialRecord, ...]:
        """Return the finished trials."""
        return tuple(trial for trial in self.trials if trial.state == "COMPLETE")

    @property
    def feasible(self) -> tuple[TrialRecord, ...]:
        """Return the finished trials that violate no constraint."""
        return tuple(trial for trial in self.complete if not trial.violated)

    def trial(self, number: int) -> TrialRecord:
        """Return one trial.

        Raises: StudyError if the study has no trial of that number.
        """
        if number in self._by_number:
            return self._by_number[number]
        last = max(self._by_number, default=None)
        known = "one that it has, none yet" if last is None else f"between 0 and {last}"
        raise StudyError(
            f"study {self.name!r}: trial must be {known}, got {number}. See "
            f"`sweep trials {self.name}`."
        )

    @cached_property
    def _by_number(self) -> dict[int, TrialRecord]:
        return {trial.number: trial for trial in self.trials}

    def frame(self) -> "pd.DataFrame":
        """Return the trials as a pandas table: number, state, parameters, values, metrics."""
        import pandas as pd

        rows = [
            {
                "number": trial.number,
                "state": trial.state,
                **{f"params.{name}": value for name, value in trial.configuration.flat().items()},
                **trial.numbers,
            }
            for trial in self.trials
        ]
        return pd.DataFrame(rows)

    def scored(self, preference: "Preference | None" = None) -> "Scored":
        """Return the feasible trials with their scores of the first objective.

        Args:
            preference: what quality is given away for; None = as the study says.

        Raises: StudyError if the study has several objectives: none of them decides alone.
        """
        from sweep.winner.figures import Scored

        if len(self.goals) > 1:
            names = ", ".join(goal.name for goal in self.goals)
            raise StudyError(
                f"study {self.name!r}: one objective is needed to pick a winner, got {names}. "
                f"See `sweep best {self.name}` for the trials to choose from, and name one with "
                f"--trial."
            )
        trials = self._choosable()
        query_ids, matrix = self.score_matrix(trials, self.goals[0].name)
        return Scored(
            trials=trials,
            scores=matrix,
            maximize=self.goals[0].maximize,
            scale=self.goals[0].metric.scale or 1.0,
            confirm=read_confirm(self.folder.confirm, self.goals[0].name, self.complete),
            adaptive=self.adaptive,
            groups=groups_of(self, query_ids),
            preference=preference or preference_of(self),
            budget=self.goals[0].metric.budget_tokens,
            baseline=baseline_of(self, query_ids),
        )

    def _choosable(self) -> tuple[TrialRecord, ...]:
        from sweep.study.labels.added_labels import finishing
        from sweep.winner.feasible import no_feasible

        if not self.complete:
            raise StudyError(
                f"study {self.name!r}: must have a finished trial, got none yet. Let "
                f"{finishing(self)} go on, or see `sweep trials {self.name}` for what failed."
            )
        if not self.feasible:
            raise no_feasible(self.name, self.complete, sample=quick_look_of(self))
        return self.feasible

    def front(self) -> "Front":
        """Return the trials that no other beats in all objectives at once.

        Raises: StudyError if no trial is finished; WinnerError if none is feasible.
        """
        from sweep.winner.front import make_front

        return make_front(
            self.name,
            [goal.name for goal in self.goals],
            [goal.maximize for goal in self.goals],
            self._choosable(),
            baseline=baseline_of(self),
            counts=self.counts(),
            sample=quick_look_of(self),
        )

    def counts(self) -> "Counts":
        """Return how many configurations ended how."""
        from sweep.study.labels.added_labels import finishing
        from sweep.winner.counts import count_trials

        return count_trials(
            self.trials,
            infeasible=len(self.complete) - len(self.feasible),
            planned=int(self.about["planned"]),
            finish=finishing(self),
        )

    def answer(
        self, pick: "Pick" = "recommended", *, look: "Preference | None" = None
    ) -> "Answer":
        """Return which configuration to use, its honest score, and the baseline beside it.

        Args:
            pick: which one is asked for.
            look: what quality would be given away for, in place of what the study says.
        """
        from sweep.study.labels.holes import answer_holes
        from sweep.winner.answer import make_answer

        key = (pick, look)
        if key not in self._answers:  # worked out once: the resampling takes seconds
            scored = self.scored(look)
            answer = make_answer(
                self.name,
                self.goals[0].name,
                scored,
                pick=pick,
                counts=self.counts(),
                must=read_confirmed_slices(self.folder.confirm, self.complete),
                look=look is not None,
            )
            answer = replace(answer, holes=answer_holes(self, answer, scored.scores))
            self._answers[key] = answer.within(quick_look_of(self))
        return self._answers[key]

    def score_matrix(
        self, trials: tuple[TrialRecord, ...], metric: str
    ) -> tuple[tuple[str, ...], Floats]:
        """Return query ids (Q,) and one metric's scores (N, Q) of some trials.

        Queries that the metric is not defined for (NaN in every trial) are left out.
        """
        key = (metric, tuple(trial.number for trial in trials))
        if key not in self._matrices:
            paths = [self.folder.path / trial.files["scores"] for trial in trials]
            self._matrices[key] = read_matrix(paths, metric)
        return self._matrices[key]


def abouts_of(storage: Any) -> dict[str, dict[str, Any]]:
    """Return what every study of sweep in a storage remembers, by name."""
    found = {}
    for frozen in storage.get_all_studies():
        about = frozen.user_attrs.get(ABOUT)
        if isinstance(about, dict):
            found[frozen.study_name] = about
    return found
