"""Models that several test files share, loaded once per session."""

from pathlib import Path

import pytest

from sweep.index.embed import Encoder
from sweep.models import find_model
from tests.toy_models import tiny_cross_encoder


@pytest.fixture(scope="session")
def minilm() -> Encoder:
    return Encoder(find_model("all-MiniLM-L6-v2"), precision="fp32", threads=1)


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny cross-encoder, as a model name."""
    folder: Path = tmp_path_factory.mktemp("cross-encoder")
    return tiny_cross_encoder(folder)
