"""Models that several test files share, loaded once per session; and no test has a deadline."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from sweep.index.embed import Encoder
from sweep.models import find_model
from tests.toy_models import tiny_cross_encoder

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # before any library loads numba, or ranx fails
settings.register_profile("busy machines", deadline=None)
settings.load_profile("busy machines")


@pytest.fixture(scope="session")
def minilm() -> Encoder:
    return Encoder(find_model("all-MiniLM-L6-v2"), precision="fp32", threads=1)


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny cross-encoder, as a model name."""
    folder: Path = tmp_path_factory.mktemp("cross-encoder")
    return tiny_cross_encoder(folder)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[PostgresServer]":
    """A real PostgreSQL server; each test makes its own database on it."""
    from tests.postgres_server import start_server

    server = start_server()
    yield server
    server.remove()
