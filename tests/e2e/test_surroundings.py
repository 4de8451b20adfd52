"""The command in the places that people run it: other locales, pipes, odd folder names."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sweep.cli import COMMANDS
from tests.corpus_files import write_corpus
from tests.e2e.command import (
    DONE,
    ROOT,
    USER_INPUT,
    comparable,
    environment,
    read_json,
    succeed,
    sweep,
    trials_of,
    write_space,
)
from tests.e2e.island import Island, write_island

pytestmark = pytest.mark.slow

BARE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SPACE = {
    "name": "пробный",
    "corpus": "Ünïcode corpus",
    "objective": "ndcg@5",
    "space": {"mode": "bm25", "chunk": {"splitter": "words", "size": 12}},
}


def begin(folder: Path) -> None:
    write_island(folder / "Ünïcode corpus")
    write_space(folder / "my spaces" / "mein räum.yaml", {**SPACE, "corpus": "../Ünïcode corpus"})


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run's folder, in a UTF-8 locale; blanks and letters beyond ASCII in every name."""
    folder = tmp_path_factory.mktemp("Mes études") / "日本 語"
    begin(folder)
    arguments = ("run", "my spaces/mein räum.yaml", "--threads", 1)
    succeed(*arguments, "--store", "wärehouse", cwd=folder, env={"PYTHONUTF8": "1"})
    return folder


def test_paths_with_blanks_and_letters_beyond_ascii(usual: Path) -> None:
    assert (usual / "results" / "пробный" / "space.yaml").is_file()
    assert (usual / "wärehouse").is_dir()
    arguments = ("export", "пробный", "--out", "büro 1", "--store", "wärehouse")
    succeed(*arguments, cwd=usual)
    hits = read_json("query", "büro 1", "Crêpes, naïve?", cwd=usual)
    assert hits[0]["document_id"] == "café"
    assert "passed: 9 of 9" in succeed("verify", "büro 1", cwd=usual).stdout
    database = "results/sweep.db"
    moved = usual / "データ {1}.db"  # braces are Optuna's template signs
    moved.write_bytes((usual / database).read_bytes())
    assert read_json("studies", "--storage", moved.name, cwd=usual)[0]["name"] == "пробный"


def test_bugcase_14_a_bare_locale_gives_the_same_numbers(usual: Path, tmp_path: Path) -> None:
    """Python takes ASCII for everything that names no encoding of its own."""
    write_island(tmp_path / "corpus")
    write_space(tmp_path / "plain.yaml", {**SPACE, "name": "plain", "corpus": "corpus"})
    trials = trials_of(usual, "пробный")
    commands = [("run", "plain.yaml", "--threads", 1), ("trials",), ("show", 0), ("best",),
                ("studies",), ("query", "plain", "café"), ("export", "--out", "out"),
                ("query", "out", "crêpes")]  # fmt: skip
    for arguments in commands:
        done = sweep(*arguments, cwd=tmp_path, env=BARE)
        assert done.returncode == DONE, done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout.isascii()
    assert comparable(trials_of(tmp_path, "plain")) == comparable(trials)


def test_bugcase_14_a_name_that_the_locale_cannot_write_is_told(tmp_path: Path) -> None:
    write_island(tmp_path / "corpus")
    write_space(tmp_path / "plain.yaml", {**SPACE, "corpus": "corpus"})
    done = sweep("run", "plain.yaml", cwd=tmp_path, env=BARE)
    assert done.returncode == USER_INPUT
    assert "PYTHONUTF8=1" in done.stderr
    assert "Traceback" not in done.stderr


def test_bugcase_14_no_file_is_opened_in_the_locales_encoding(tmp_path: Path) -> None:
    """Python itself warns of each open() without an encoding; ours must not be among them."""
    begin(tmp_path)
    write_space(tmp_path / "space.yaml", SPACE)
    env = {"PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "always::EncodingWarning"}
    for arguments in (("run", "space.yaml", "--threads", 1), ("best",), ("export", "--out", "out"),
                      ("verify", "out"), ("doctor",)):  # fmt: skip
        done = succeed(*arguments, cwd=tmp_path, env=env)
        warned = [line for line in done.stderr.splitlines() if "EncodingWarning" in line]
        assert not [line for line in warned if line.startswith(str(ROOT / "sweep"))]


@pytest.mark.parametrize("arguments", [("trials", "--csv"), ("schema",), ("trials", "--json")])
def test_a_reader_that_goes_away_is_no_error(island: Island, arguments: tuple[str, ...]) -> None:
    """As in `sweep trials --json | head -1`."""
    command = [sys.executable, "-m", "sweep", *arguments]
    with subprocess.Popen(
        command, cwd=island.folder, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == DONE
    assert errors == b""


def test_a_closed_output_is_no_error(island: Island) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "sweep", "trials"]
    try:
        done = subprocess.run(
            command, cwd=island.folder, env=environment(), stdout=writer, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    finally:
        os.close(writer)
    assert done.returncode == DONE
    assert done.stderr == b""


def test_a_slip_in_a_commands_name_is_met_with_a_suggestion(tmp_path: Path) -> None:
    for typed, meant in (("trails", "trials"), ("exprot", "export"), ("rum", "run")):
        done = sweep(typed, cwd=tmp_path)
        assert done.returncode == USER_INPUT
        assert f"Did you mean `sweep {meant}`?" in done.stderr
    done = sweep("nonsense", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "sweep --help" in done.stderr


def test_every_command_explains_itself(tmp_path: Path) -> None:
    asked = [(), *((name,) for name in COMMANDS), ("corpus", "inspect")]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda words: sweep(*words, "--help", cwd=tmp_path), asked))
    for words, done in zip(asked, outcomes, strict=True):
        assert done.returncode == DONE
        assert done.stdout.startswith("Usage: ")
        assert done.stderr == ""
        if words:
            assert "--help" in done.stdout
    for name in COMMANDS:
        assert f"\n  {name}" in outcomes[0].stdout
    assert list(tmp_path.iterdir()) == []


def test_the_installed_script_is_the_same_command(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("sweep")
    if not script.exists():
        pytest.skip("the package is not installed here, only importable")
    done = subprocess.run(
        [script, "--version"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == DONE
    assert done.stdout == sweep("--version", cwd=tmp_path).stdout


def test_help_and_version_load_no_heavy_library(tmp_path: Path) -> None:
    script = """
import runpy, sys
sys.argv = ["sweep", "run", "--help"]
try:
    runpy.run_module("sweep", run_name="__main__")
except SystemExit:
    pass
heavy = {"torch", "faiss", "pandas", "optuna", "scipy", "pydantic", "sentence_transformers"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"


def test_a_study_beside_another_one_in_a_new_folder(tmp_path: Path) -> None:
    """Bug case 95: several processes make one new database at the same moment."""
    write_corpus(tmp_path / "Ünïcode corpus", corpus=[{"_id": "d1", "text": "which one"}])
    write_space(tmp_path / "space.yaml", SPACE)

    def run(number: int) -> int:
        arguments = ("run", "space.yaml", "--threads", 1, "--study", f"study {number}")
        done = sweep(*arguments, cwd=tmp_path)
        assert done.returncode == DONE, done.stderr
        return number

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(run, range(4))) == [0, 1, 2, 3]
    assert len(read_json("studies", cwd=tmp_path)) == 4
