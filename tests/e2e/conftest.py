"""What the end-to-end tests share: one small study over all four modes, and one store."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browser import CHROMIUM, FLAGS
from tests.e2e.command import read_json, succeed, write_space
from tests.e2e.eventful import Eventful, Events, make_eventful
from tests.e2e.grid import RUN, begin
from tests.e2e.in_process import call_well
from tests.e2e.island import MODES, Island, write_island
from tests.e2e.quick import begin as begin_quick_look


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one store for all tests that need a model's vectors."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="session")
def island(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Island:
    """Return the shared study."""
    folder = tmp_path_factory.mktemp("Käthe's sweep")
    write_island(folder / "island corpus")
    write_space(folder / "island.yaml", MODES)
    env = {"SWEEP_STORE": str(store)}
    done = succeed("run", "island.yaml", "--threads", 1, cwd=folder, env=env)
    trials = read_json("trials", cwd=folder, env=env)
    return Island(folder, store, done, trials)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the small grid, run to its end."""
    folder = begin(tmp_path_factory.mktemp("undisturbed"))
    call_well(*RUN, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a quick look that was run to its end, its answer beside it."""
    folder = begin_quick_look(tmp_path_factory.mktemp("quick look"))
    (folder / "answer.json").write_text(call_well(*RUN, "--json", cwd=folder).stdout)
    return folder


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Events:
    """Return what happens during the n-th evaluation of runs in this process, to be filled."""
    happening: Events = {}
    monkeypatch.setattr(Eventful, "events", happening)
    monkeypatch.setattr(Eventful, "count", 0)
    monkeypatch.setattr("sweep.study.driver.run.make_scorer", make_eventful)
    return happening


@pytest.fixture(scope="module")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where screenshots go: SWEEP_SCREENSHOTS, or a folder of pytest's."""
    chosen = os.environ.get("SWEEP_SCREENSHOTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()
