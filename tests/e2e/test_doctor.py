"""`sweep doctor`: what is installed, and what models really run in."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.in_process import call_json


def facts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = call_json("doctor", cwd=folder)["facts"]
    return found


@pytest.mark.parametrize(
    ("version", "module", "told"),
    [
        ("none", None, "not installed; needed only for studies on PostgreSQL: pip install"),
        ("3.2", None, "3.2, which does not load (import of psycopg halted"),
        ("3.2", sys, "3.2"),
    ],
    ids=["absent", "broken", "there"],
)
def test_the_driver_of_postgresql(
    version: str, module: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.machine.version_of", lambda package: version)
    monkeypatch.setattr("sweep.cli.doctor.PACKAGES", ())
    monkeypatch.setitem(sys.modules, "psycopg", module)
    found = facts(tmp_path)
    assert found["psycopg"].startswith(told)
    assert ("retrieval-sweep[postgres]" in found["psycopg"]) is (module is None)
    assert found["precision of models"].startswith("auto: decided by the first run")
