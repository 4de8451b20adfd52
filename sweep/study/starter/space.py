"""Writing a first search space: whole or not at all, and read to prove that it is one."""

import os
import tempfile
from pathlib import Path

from sweep.errors import SpaceError
from sweep.records import Corpus
from sweep.study.space.read import read_space
from sweep.study.starter.sizing import Sizing, size_space
from sweep.study.starter.text import SIGNATURE, starter_text


def write_starter(corpus: Corpus, folder: Path, space: Path) -> tuple[Sizing, int, Path | None]:
    """Write a space for a corpus.

    Args:
        corpus: what it is sized to.
        folder: where that is (or will be) as a corpus folder.
        space: the file to write. What is there is replaced (see `check_space_target`), and kept
            beside it where it differs, since somebody may have edited it.
    Returns: its sizing, its number of configurations, and where the earlier file was kept.
    Raises: SpaceError if the disk refuses.
    """
    kept: Path | None = None
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
            if kept := space_kept_at(space, temporary.read_bytes()):
                space.replace(kept)
            temporary.replace(space)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SpaceError(
            f"{space}: must be writable, got {error.strerror or error}. Name another by --space."
        ) from error
    return sizing, count, kept


def space_kept_at(space: Path, content: bytes) -> Path | None:
    """Return where a file is kept before another takes its place, None if they are the same.

    Of `mine.yaml` that is `mine.yaml.before`, then `mine.yaml.before-2` ...
    """
    if not space.exists() or space.read_bytes() == content:
        return None
    number, kept = 1, space.with_name(f"{space.name}.before")
    while kept.exists():
        if kept.read_bytes() == space.read_bytes():
            break  # it is kept already
        number += 1
        kept = space.with_name(f"{space.name}.before-{number}")
    return kept


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
