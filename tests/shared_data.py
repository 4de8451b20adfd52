"""Where the real collections and the collected bug cases lie, when this machine has them.

They are not part of the project: on a user's machine the tests that need them are skipped.
"""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(*parts: str) -> Path:
    """Return a path inside the shared folder, or skip the calling test."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs ../shared/{'/'.join(parts)}, which is not part of the project")
    return path


def bugcase(number: str) -> Path:
    """Return the folder of one collected bug case (`"01"`), or skip the calling test."""
    folder = shared("bugcases")
    for path in sorted(folder.iterdir()):
        if path.name.split("-")[0] == number:
            return path
    pytest.skip(f"needs ../shared/bugcases/{number}-*, which is not part of the project")
