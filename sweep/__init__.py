"""sweep: find the retrieval configuration for RAG on your own documents, prove it, ship it.

The names below are loaded on first use, so that `import sweep` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sweep.corpus import read_corpus
    from sweep.errors import SweepError
    from sweep.export.load import load
    from sweep.study.driver.run import run
    from sweep.study.study import Study

__version__ = "0.1.0"
__all__ = ["Study", "SweepError", "__version__", "load", "read_corpus", "run"]

_HOME = {
    "Study": "sweep.study.study",
    "SweepError": "sweep.errors",
    "load": "sweep.export.load",
    "read_corpus": "sweep.corpus",
    "run": "sweep.study.driver.run",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its home (PEP 562)."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'sweep' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
