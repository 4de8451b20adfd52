"""A study's folder, `results/<study>/`: every path in it is named here, and nowhere else.

results/
  sweep.db              the default storage of all studies (Optuna, SQLite)
  .sweep.db.*.lock      one a study: held by the process that runs it, from whatever folder
  .store/               the default store of stage outputs
  .artifacts/<id>       tables that the dashboard shows, of all studies
  <study>/
    .lock               held by the process that runs the study; says who
    space.yaml          the search space, as it was when the study ran last
    identity.json       what the study was begun with
    storage.txt         which storages record the study, one a line
    confirm.json        scores on the confirm set, and how often it was looked at
    baseline.run        the baseline where it is a run file, byte for byte
    baseline.parquet    scores of a baseline that is a run file: query_id, one column per metric
    report.html         the report, where no other place is named; also .md, .json
    holes.json          what unjudged documents leave open of the answer
    labels.jsonl        labels beside the corpus's own; only of a study NAME@HASH (`sweep pool`)
    trials/<fingerprint>/
      scores.parquet    query_id, one column per metric
      ranking.parquet   query_id, rank, chunk, document_id, start, end, score
"""

from dataclasses import dataclass
from pathlib import Path

RESULTS = Path("results")


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """The files of one study."""

    path: Path

    @property
    def lock(self) -> Path:
        """Return the lock file."""
        return self.path / ".lock"

    @property
    def space(self) -> Path:
        """Return the copy of the search-space file."""
        return self.path / "space.yaml"

    @property
    def identity(self) -> Path:
        """Return what the study was begun with."""
        return self.path / "identity.json"

    @property
    def owner(self) -> Path:
        """Return which storages record the study."""
        return self.path / "storage.txt"

    @property
    def confirm(self) -> Path:
        """Return the confirm scores."""
        return self.path / "confirm.json"

    def report(self, suffix: str) -> Path:
        """Return where a report goes when no place is named."""
        return self.path / f"report.{suffix}"

    @property
    def baseline_run(self) -> Path:
        """Return a copy of the baseline where it is a run file."""
        return self.path / "baseline.run"

    @property
    def baseline_scores(self) -> Path:
        """Return the per-query scores of a baseline that is a run file."""
        return self.path / "baseline.parquet"

    @property
    def holes(self) -> Path:
        """Return what unjudged documents leave open of the answer."""
        return self.path / "holes.json"

    @property
    def labels(self) -> Path:
        """Return the labels that were added to the corpus's own."""
        return self.path / "labels.jsonl"

    @property
    def trials(self) -> Path:
        """Return the folder of the trials' files."""
        return self.path / "trials"

    def trial(self, fingerprint: str) -> Path:
        """Return the folder of one configuration's files."""
        return self.trials / fingerprint

    def scores(self, fingerprint: str) -> Path:
        """Return the per-query scores of one configuration."""
        return self.trial(fingerprint) / "scores.parquet"

    def ranking(self, fingerprint: str) -> Path:
        """Return the ranked chunks of one configuration."""
        return self.trial(fingerprint) / "ranking.parquet"


def default_storage() -> str:
    """Return the storage that is used when none is named."""
    return str(RESULTS / "sweep.db")


def default_store() -> Path:
    """Return the store that is used when none is named."""
    return RESULTS / ".store"


def artifact_folder() -> Path:
    """Return where the files lie that the dashboard shows with a study or a trial."""
    return RESULTS / ".artifacts"


def study_folder(name: str) -> StudyFolder:
    """Return the folder of a study."""
    return StudyFolder(RESULTS / name)
