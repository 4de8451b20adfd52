"""What the tests of the command line's parts share."""

import pytest

from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
