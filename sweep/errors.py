"""Errors of `sweep`: one base class, one subclass per stage.

Every message reads `<where>: <rule>, got <value>. <what to do>`. A `SweepError` is the user's
input (exit code 2, no traceback); any other exception is a bug of ours (exit code 1).
"""


class SweepError(Exception):
    """Base of every error that the user can mend; the command line exits with code 2."""


class CorpusError(SweepError):
    """A corpus file is missing, malformed, or contradicts another one."""


class ChunkError(SweepError):
    """Documents cannot be cut as asked."""


class IndexingError(SweepError):
    """An index cannot be built, or a model cannot be loaded."""


class RankingError(SweepError):
    """Ranked lists cannot be made, fused or reranked as asked."""


class MetricError(SweepError):
    """A metric name does not parse, or a ranking or a judgement cannot be scored."""


class SpaceError(SweepError):
    """A search-space file is not valid."""


class StoreError(SweepError):
    """The store of stage outputs cannot be read or written."""


class StudyError(SweepError):
    """A study does not exist, is in use, or does not fit what it is asked to do."""


class StorageError(StudyError):
    """The database of studies cannot be reached, read or written."""


class WinnerError(SweepError):
    """No configuration can be recommended from the trials at hand."""


class ExportError(SweepError):
    """A production bundle cannot be written, opened or verified."""
