"""What the dashboard shows of a study beside Optuna's own pages, kept up to date by the run.

While it works: a note that says how far it is, and the plot of quality against cost, so seldom
that it takes at most a fiftieth of the time. At its end: the answer with the commands that come
next, all plots, and tables of the trials that a person will look at. A run never fails for it.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sweep.configuration import Configuration
from sweep.engine.measure.report import Report
from sweep.errors import StorageError, SweepError
from sweep.records import Corpus
from sweep.study.board import board_of
from sweep.study.dashboard.artifacts import Place, publish
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.dashboard.tables import leaderboard_csv, query_texts, trial_tables
from sweep.study.driver.draws import Recorded
from sweep.study.driver.split import StudySplit
from sweep.study.folder import artifact_folder
from sweep.study.metrics import Goal
from sweep.study.space.search_space import SearchSpace
from sweep.study.study import Study
from sweep.study.verdict import Verdict, named_storage, verdict_of

if TYPE_CHECKING:
    from sweep.winner.plots.board import Board
    from sweep.winner.quick_look import QuickLook

SHORTEST_PAUSE_S = 2.0  # between two updates while a run works
SHARE = 50  # of the time, one part at most is spent on them
LEADERS = 5  # of a running note
MOST_SHOWN = 12  # trials that get a note and tables
MOST_RANKED = 3  # of them that get their ranked lists


class Showcase:
    """Keeps the dashboard's pages of a study up to date while a run works.

    Args:
        storage: Optuna's storage object.
        study: the study's name.
        goals: its objectives.
        report: told, once, if the pages could not be written.
        scope: what the study has to do with a quick look, if anything.
    """

    def __init__(
        self,
        storage: Any,
        study: str,
        goals: Sequence[Goal],
        report: Report,
        *,
        scope: "QuickLook | None" = None,
    ) -> None:
        self._scope = "" if scope is None else scope.headline
        self._attributes = DashboardAttributes(storage, study)
        self._study, self._goals, self._report = study, goals, report
        self._next = 0.0

    def introduce(self, space: SearchSpace, split: StudySplit, corpus: Corpus) -> None:
        """Write what the study is about where the dashboard shows it: the study's attributes."""
        baseline = space.baseline
        named = "none"
        if isinstance(baseline, Configuration):
            named = baseline.label()
        elif baseline is not None:
            named = f"{baseline.path.name} (a run file)"
        queries = f"{len(split.search):,} choose"
        if split.confirm:
            queries += f", {len(split.confirm):,} are kept to confirm with"
        facts = {
            "corpus": f"{corpus.name}: {len(corpus.documents):,} documents",
            "queries": queries,
            "constraints": ", ".join(map(str, (*space.constraints, *space.must))) or "none",
            "baseline": named,
            "sampler": space.sampler.kind,
        }
        facts |= {"quick look": self._scope} if self._scope else {}
        with carefully(self._report):
            for name, text in facts.items():
                self._attributes.write_fact(name, text)

    @contextmanager
    def following(self, recorded: Recorded, planned: Callable[[], int]) -> Iterator[None]:
        """Bring the pages up to date now, and from time to time while the block runs.

        Args:
            recorded: the study's trials; the run adds to it.
            planned: tells how many configurations the finished study has.
        """
        tell, show = self._report.on_event, self._report.on_progress

        def event(name: str, fields: dict[str, Any]) -> None:
            tell(name, fields)
            if name == "trial" and time.monotonic() >= self._next:
                self._update(recorded, planned(), storage=False)

        def progress(what: str, done: int, total: int) -> None:
            show(what, done, total)
            if what != "trials" and time.monotonic() >= self._next:  # in a stage of a trial
                self._update(recorded, planned(), doing=f"{what} {done:,} of {total:,}")

        self._update(recorded, planned(), storage=False)
        self._next = time.monotonic() + SHORTEST_PAUSE_S  # the first one loads what all need
        self._report.on_event, self._report.on_progress = event, progress
        try:
            yield
        finally:
            self._report.on_event, self._report.on_progress = tell, show

    def _update(
        self, recorded: Recorded, planned: int, *, doing: str = "", storage: bool = True
    ) -> None:
        start = time.monotonic()
        with carefully(self._report, storage=storage):
            self._write(recorded, planned, doing)
        spent = time.monotonic() - start
        self._next = start + spent + max(SHORTEST_PAUSE_S, SHARE * spent)

    def _write(self, recorded: Recorded, planned: int, doing: str) -> None:
        from sweep.winner.note import Progress, running_note
        from sweep.winner.plots.cost import plot_cost

        board = board_of(recorded.finished(), self._goals, Verdict(note="", roles={}))
        progress = Progress(
            study=self._study,
            tried=len(recorded),
            planned=planned,
            failed=len(recorded) - len(board.trials),
            doing=doing,
            scope=self._scope,
            as_of=f"{_now()}, process {os.getpid()} on {socket.gethostname()}",
        )
        leaders = [trial for trial in board.in_order() if not trial.violated][:LEADERS]
        self._attributes.write_note(running_note(progress, leaders, board.objectives))
        _write_plot(self._attributes, "1-cost", plot_cost(board))


def show_ended(study: Study, corpus: Corpus, report: Report, *, ending: str = "") -> None:
    """Fill the pages of a study at the end of a run.

    Args:
        study: the study.
        corpus: the study's.
        report: told if the pages could not be written.
        ending: why the run ended before the study was finished.
    """
    with carefully(report):
        attributes = DashboardAttributes(study.optuna_storage, study.name)
        verdict = verdict_of(study, ending=ending)
        attributes.write_note(verdict.note)
        numbers = list(verdict.roles)[:MOST_SHOWN]
        for number in {*numbers, *attributes.noted_trials()}:  # a former leader's note is stale
            attributes.write_note(_trial_note(study, number, verdict), number=number)
        board = board_of(study.complete, study.goals, verdict)
        for name, figure in _figures(study, board).items():
            _write_plot(attributes, name, figure)
        files = _files(study, corpus, board, verdict, numbers)
        publish(attributes, artifact_folder(), study.name, files)


@contextmanager
def carefully(report: Report, *, storage: bool = True) -> Iterator[None]:
    """Tell of an error in place of raising it: no page is worth a run.

    Args:
        report: told.
        storage: also of an error of the storage. Where a trial has just been written, such an
            error is to stop the run; within a trial it would make the trial fail.
    """
    try:
        yield
    except StorageError as error:
        if not storage:
            raise
        report.notice(f"the dashboard's pages are not up to date: {error}")
    except Exception as error:
        kind = "" if isinstance(error, SweepError) else f"{type(error).__name__}: "
        report.notice(f"the dashboard's pages are not up to date: {kind}{error}")


def _trial_note(study: Study, number: int, verdict: Verdict) -> str:
    from sweep.winner.note import trial_note

    return trial_note(
        study.trial(number),
        study=study.name,
        objectives=[goal.name for goal in study.goals],
        roles=verdict.roles.get(number, ()),
        storage=named_storage(study),
    )


def _figures(study: Study, board: "Board") -> dict[str, Any]:
    """Return the plots by name; the dashboard shows them in the order of their names."""
    from sweep.study.insight.insight import metric_scores, top_k_effects
    from sweep.winner.insight.effects import main_effects
    from sweep.winner.plots.cost import plot_cost
    from sweep.winner.plots.effects import plot_effects, plot_top_k
    from sweep.winner.plots.leaders import plot_leaders

    first, trials = board.objectives[0], study.complete
    scores = metric_scores(study, trials, first)
    effects = main_effects([trial.configuration.flat() for trial in trials], scores)
    return {
        "1-cost": plot_cost(board),
        "2-leaders": plot_leaders(board),
        "3-effects": plot_effects(effects, first, maximize=board.maximize[0]),
        "4-top-k": plot_top_k(top_k_effects(trials, scores), first),
    }


def _files(
    study: Study, corpus: Corpus, board: "Board", verdict: Verdict, numbers: Sequence[int]
) -> dict[Place, bytes]:
    if not board.trials:
        return {}
    table = leaderboard_csv(
        board.in_order(),
        study.goals,
        roles=verdict.roles,
        losses=verdict.losses,
        baseline=board.line,
    )
    files: dict[Place, bytes] = {(None, "trials.csv"): table}
    texts = query_texts(corpus)
    for place, number in enumerate(numbers):
        ranked = place < MOST_RANKED
        tables = trial_tables(study, study.trial(number), corpus, ranked=ranked, texts=texts)
        files |= {(number, name): content for name, content in tables.items()}
    return files


def _write_plot(attributes: DashboardAttributes, name: str, figure: Any) -> None:
    if figure is not None:
        attributes.write_plot(name, figure.to_json())


def _now() -> str:
    return datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
