"""A folder that is written whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(out: Path, *, keep: Path | None = None) -> Iterator[Path]:
    """Give a new folder to fill, which takes the place of `out` when the block ends well.

    What is in `out` is removed then, or moved to `keep`, which must be free. After
    an error, Ctrl-C too, `out` is as it was.

    Raises: OSError if the disk refuses.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        if out.exists():
            old = keep or temporary.with_name(temporary.name + "-old")
            out.rename(old)
            temporary.rename(out)
            if keep is None:
                shutil.rmtree(old)
        else:
            temporary.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
