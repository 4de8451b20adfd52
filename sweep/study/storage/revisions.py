"""Which layout of its tables the installed Optuna reads."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import optuna

# For Optuna's storage, where the layout has been compared already: its own check is slow.
CHECKED: dict[str, Any] = {"skip_compatibility_check": True, "skip_table_creation": True}


@cache
def newest_revision() -> str:
    """Return the name of the newest layout, as `alembic_version` holds it: `v3.2.0.a`."""
    folder = Path(optuna.storages.__file__).parent / "_rdb" / "alembic" / "versions"
    names = [file.stem.rstrip("_") for file in folder.glob("v*.py")]
    return max(names, key=_in_order)


def _in_order(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split("[.v]", name)]
