"""What trials take beside retrieval: scoring, their tables, their records.

It is measured on pretended trials, scored and written like real ones, into a temporary folder and
a temporary database that are removed again.
"""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import optuna
from optuna.study import StudyDirection

from sweep.configuration import Configuration
from sweep.engine.measure.account import STAGES, StageUse
from sweep.records import RankedLists
from sweep.study.driver.evaluate import Evaluation, intervals_of, write_tables
from sweep.study.folder import StudyFolder
from sweep.study.record import distributions, to_optuna
from sweep.study.storage.storage import open_storage
from sweep.trials import TrialRecord

RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCost:
    """What trials take beside retrieval.

    Attributes:
        score_s, write_s: of all trials.
        table_bytes: of all trials' files.
        record_bytes: of all trials in the storage.
        new_storage_bytes: of a storage without trials.
    """

    score_s: float = 0.0
    write_s: float = 0.0
    table_bytes: int = 0
    record_bytes: int = 0
    new_storage_bytes: int = 0

    def share(self, part: float) -> "TrialCost":
        """Return what a part of the trials takes, a share of all in [0, 1]."""
        return TrialCost(
            score_s=part * self.score_s,
            write_s=part * self.write_s,
            table_bytes=round(part * self.table_bytes),
            record_bytes=round(part * self.record_bytes),
            new_storage_bytes=self.new_storage_bytes,
        )


def trial_cost(
    evaluation: Evaluation,
    configurations: Sequence[Configuration],
    axes: dict[str, list[Any]],
) -> TrialCost:
    """Return what the trials of some configurations take.

    What depends on `top_k` is tried at its smallest and largest value, and reckoned between.

    Args:
        evaluation: as of the study.
        configurations: those that are to be evaluated.
        axes: every value of every parameter in the study.
    """
    if not configurations:
        return TrialCost()
    lengths = [c.top_k for c in configurations]
    ends = sorted({min(lengths), max(lengths)})
    example = max(configurations, key=lambda c: len(c.flat()))
    with tempfile.TemporaryDirectory(prefix="sweep-plan-") as folder:
        pretended = _Pretended(evaluation, Path(folder), axes)
        tried = np.array([pretended.measure(replace(example, top_k=k)) for k in ends])
        of_all = [float(np.interp(lengths, ends, column).sum()) for column in tried.T]
        store_s, record_bytes, new_bytes = pretended.measure_storage(example)
    return TrialCost(
        score_s=of_all[0],
        write_s=of_all[1] + store_s * len(configurations),
        table_bytes=round(of_all[2]),
        record_bytes=round(record_bytes * len(configurations)),
        new_storage_bytes=new_bytes,
    )


class _Pretended:
    """Scores and writes pretended trials.

    Args:
        evaluation: of the study; another folder takes the place of its own.
        folder: a temporary one.
        axes: see `trial_cost`.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        folder: Path,
        axes: dict[str, list[Any]],
    ) -> None:
        self.evaluation = replace(evaluation, folder=StudyFolder(folder / "study"))
        self.space = distributions(axes)
        self.database = folder / "sweep.db"

    def measure(self, configuration: Configuration) -> tuple[float, float, float]:
        """Return the seconds to score and to write a trial's tables, and their bytes."""
        scorer, output = self.evaluation.scorer, self._output(configuration)
        scoring, writing, files = [], [], {}
        for _ in range(RUNS):
            start = time.perf_counter()
            table = scorer.score(configuration, output)
            intervals_of(scorer, table)
            scored = time.perf_counter()
            files = write_tables(self.evaluation, configuration, output, table)
            scoring.append(scored - start)
            writing.append(time.perf_counter() - scored)
        sizes = [(self.evaluation.folder.path / name).stat().st_size for name in files.values()]
        return median(scoring), median(writing), float(sum(sizes))

    def measure_storage(self, configuration: Configuration) -> tuple[float, float, int]:
        """Return seconds and bytes of one record, and the bytes of a storage without any."""
        storage = open_storage(str(self.database), create=True)
        directions = [
            StudyDirection.MAXIMIZE if goal.maximize else StudyDirection.MINIMIZE
            for goal in self.evaluation.goals
        ]
        study = optuna.create_study(study_name="plan", storage=storage, directions=directions)
        storage.engine.dispose()  # the last connection writes what is in the log to the file
        new_bytes, taken = self.database.stat().st_size, []
        for number in range(2 * RUNS):
            record = self._record(configuration, number)
            start = time.perf_counter()
            study.add_trial(to_optuna(record, self.space))
            taken.append(time.perf_counter() - start)
        storage.engine.dispose()
        return median(taken), (self.database.stat().st_size - new_bytes) / len(taken), new_bytes

    def _output(self, configuration: Configuration) -> RankedLists:
        """Return lists of as many chunks as the configuration gives, anywhere in the corpus."""
        engine = self.evaluation.engine
        queries = len(engine.corpus.queries)
        chunks = len(engine.texts.chunks(configuration.chunk))
        depth = min(configuration.top_k, chunks)
        rng = np.random.default_rng(0)
        start = rng.integers(0, max(1, chunks), (queries, 1))
        items = (start + np.arange(depth) * max(1, chunks // max(1, depth))) % max(1, chunks)
        return RankedLists(items=items, scores=-np.sort(-rng.random(items.shape), axis=1))

    def _record(self, configuration: Configuration, number: int) -> TrialRecord:
        """Return a record as long as a real one."""
        names = [str(metric) for metric in self.evaluation.scorer.metrics]
        costs = ["work", "index_bytes", "latency_p50_ms", "latency_p95_ms"]
        figure = 0.123456789012345 + number
        return TrialRecord(
            number=number,
            state="COMPLETE",
            configuration=configuration,
            values=(figure,) * len(self.evaluation.goals),
            metrics=dict.fromkeys(names + costs, figure),
            intervals=dict.fromkeys(names + costs[2:], (figure, figure)),
            timings={"stages": {name: StageUse().to_json() for name in STAGES}},
            facts={"chunks": number, "queries": number},
            files={"scores": configuration.fingerprint(), "ranking": configuration.fingerprint()},
        )
