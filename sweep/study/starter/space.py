"""Writing a first search space: whole or not at all, and read to prove that it is one."""

import os
import tempfile
from pathlib import Path

from sweep.errors import SpaceError
from sweep.records import Corpus
from sweep.study.space.read import read_space
from sweep.study.starter.sizing import Sizing, size_space
from sweep.study.starter.text import SIGNATURE, starter_text


def write_starter(corpus: Corpus, folder: Path, space: Path) -> tuple[Sizing, int]:
    """Write a space for a corpus; return its sizing and its number of configurations.

    Args:
        corpus: what it is sized to.
        folder: where that is (or will be) as a corpus folder.
        space: the file to write; what is there is replaced (see `check_space_target`).
    Raises: SpaceError if the disk refuses.
    """
    sizing = size_space(corpus)
    relative = Path(os.path.relpath(folder.resolve(), space.parent.resolve())).as_posix()

    def text(count: int) -> str:
        return starter_text(sizing, name=corpus.name, corpus=relative, space=space, count=count)

    try:
        space.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".yaml", dir=space.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            temporary.write_text(text(0), encoding="utf-8", newline="\n")
            count = len(read_space(temporary).configurations)
            temporary.write_text(text(count), encoding="utf-8", newline="\n")
            temporary.chmod(0o644)
            temporary.replace(space)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SpaceError(
            f"{space}: must be writable, got {error.strerror or error}. Name another by --space."
        ) from error
    return sizing, count


def check_space_target(space: Path, *, replace: bool) -> None:
    """Refuse a file that is there, unless `sweep init` wrote it and it may be replaced.

    Raises: SpaceError.
    """
    if not space.exists():
        return
    ours = space.is_file() and space.read_bytes().startswith(SIGNATURE.encode())
    if not ours or not replace:
        what = "a space that `sweep init` wrote" if ours else "something else"
        advice = "Give --force to replace it" if ours else "It is left alone"
        raise SpaceError(
            f"--space: must be a new file, got {str(space)!r}, which holds {what}. {advice}, or "
            "name another by --space."
        )
