"""The browser that some tests look through: where it is, how it is started, who needs it."""

import importlib.util
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
NEEDS_BROWSER = [
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="needs Playwright (extra dev)"
    ),
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]
