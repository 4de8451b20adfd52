"""The import graph of `sweep` points one way, heavy libraries have one home, files stay small."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
ROOT = PROJECT / "sweep"
FILES = sorted(ROOT.rglob("*.py"))
ANY = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES}

FOUNDATION = {"errors", "records", "configuration", "trials", "models", "tokenizer", "machine"}
FOUNDATION |= {"parallel", "parquet", "prompts", "text_lines", "trec", "whole_folder"}
FOUNDATION |= {"csv_text", "json_keys", "numerals"}
STAGES = {"corpus", "chunks", "index", "rankings", "metrics"}
MAY_IMPORT = {
    "errors": set(),
    "records": set(),
    "configuration": set(),
    "machine": set(),
    "parallel": set(),
    "parquet": set(),
    "text_lines": {"errors"},
    "numerals": set(),
    "csv_text": {"numerals"},
    "json_keys": {"text_lines"},
    "trec": {"errors", "numerals", "text_lines"},
    "whole_folder": set(),
    "trials": {"configuration"},
    "models": {"configuration", "errors"},
    "tokenizer": {"errors", "models", "records"},
    "prompts": {"errors", "models"},
    **{stage: FOUNDATION | {stage} for stage in STAGES},  # a stage never sees another stage
    "engine": FOUNDATION | STAGES | {"engine"},
    "evaluators": FOUNDATION | {"evaluators", "metrics"},
    "winner": FOUNDATION | {"winner"},  # records in, records out: no Optuna object
    "export": FOUNDATION | {"export", "engine", "index", "rankings"},  # a bundle needs no optuna
    "study": FOUNDATION | STAGES | {"study", "engine", "winner", "export"},
    "cli": ANY,
    "__main__": {"cli"},
    "__init__": ANY - {"cli", "__main__", "__init__"},  # public names, loaded on first use
}
TRANSFORMERS = ("index/embed.py", "rankings/rerank.py")
HOME = {  # library -> where it may be imported: files, or folders that end with a slash
    "optuna": ("study/",),
    "optuna_dashboard": ("study/dashboard/app.py",),
    "bottle": ("study/dashboard/app.py",),
    "jinja2": ("winner/report/html.py",),
    "markupsafe": ("winner/report/html.py",),
    "plotly": ("winner/plots/",),
    "sqlalchemy": tuple(
        f"study/storage/{name}.py" for name in ("faults", "patient", "server", "storage")
    ),
    "faiss": ("index/vectors.py",),
    "torch": TRANSFORMERS,
    "sentence_transformers": TRANSFORMERS,
    "transformers": (*TRANSFORMERS, "tokenizer.py"),
    "tokenizers": ("tokenizer.py",),
    "huggingface_hub": ("models.py",),
    "rank_bm25": ("index/bm25.py",),
    "bm25s": ("index/analyzer.py",),
    "Stemmer": ("index/analyzer.py",),
    "scipy": ("index/bm25.py", "engine/retriever.py", "engine/traces.py", "winner/"),
    "regex": (
        *("chunks/", "index/words.py", "index/identifiers.py", "corpus/asked/plain_text.py"),
    ),
    "rapidfuzz": ("corpus/asked/",),
    "bs4": ("corpus/pages/html.py",),
    "markdownify": ("corpus/pages/html.py",),
    "jieba": ("index/segmenters.py",),
    "sudachipy": ("index/segmenters.py",),
    "sudachidict_core": ("index/segmenters.py",),
    "kiwipiepy": ("index/segmenters.py",),
    "kiwipiepy_model": ("index/segmenters.py",),
    "sentencex": ("chunks/sentences.py",),
    "markdown_it": ("chunks/markdown.py",),
    "threadpoolctl": ("parallel.py",),
    "safetensors": ("export/", "models.py"),
    "pyarrow": ("parquet.py", "corpus/compressed.py", "study/tables.py", "export/"),
    "openpyxl": ("corpus/tables/workbook.py",),
    "ir_datasets": ("corpus/readers/ir_datasets.py",),
    "pandas": ("study/study.py",),
    "pydantic": ("study/",),
    "pydantic_core": ("study/",),
    "yaml": (
        *("study/space/yaml_file.py", "export/write.py", "evaluators/criteria.py"),
        "corpus/pages/front_matter.py",
    ),
    "filelock": ("study/storage/lock.py",),
    "psutil": ("study/driver/inputs.py", "study/storage/open_files.py", "engine/measure/load.py"),
    "click": ("cli/",),
    "rich": ("cli/",),
    "numpy": ("",),
}
STAGE_NUMBERS = ["corpus", "chunks", "index", "rankings", "metrics", "study", "winner", "export"]
HEAVY = ["torch", "faiss", "pandas", "optuna", "scipy", "pydantic", "sentence_transformers"]
MOST_LINES, LONGEST_FUNCTION = 300, 40
MOST_TEST_LINES = 350


def imported(path: Path) -> Iterator[str]:
    """Yield every module named by an import anywhere in a file, in functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: use absolute imports"
            module = node.module or ""
            yield from (f"{module}.{a.name}" if module == "sweep" else module for a in node.names)


def long_functions(path: Path) -> Iterator[str]:
    """Yield name and length of the functions that are too long, docstrings not counted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                lines -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
            if lines > LONGEST_FUNCTION:
                yield f"{node.name}: {lines}"


def tracked() -> list[Path]:
    """Return the files under version control, or skip the calling test."""
    if not (PROJECT / ".git").exists():
        pytest.skip("needs a git checkout")
    command = ["git", "-C", str(PROJECT), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return [path for name in listed.split("\0") if name and (path := PROJECT / name).is_file()]


def inside(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_imports_point_down(path: Path) -> None:
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for module in imported(path):
        top, _, rest = module.partition(".")
        target = rest.partition(".")[0]
        if top == "sweep" and target in ANY:
            assert target in MAY_IMPORT[part], f"{inside(path)} may not import {module}"


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_every_library_stays_at_home(path: Path) -> None:
    for module in imported(path):
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or top == "sweep":
            continue
        assert top in HOME, f"{inside(path)}: {top} has no home yet; give it one in this test"
        homes = HOME[top]
        at_home = any(h in ("", inside(path)) or inside(path).startswith(h) for h in homes)
        assert at_home, f"{inside(path)}: {top} belongs in {', '.join(homes)}"


def test_every_package_has_its_place_in_the_graph() -> None:
    assert set(MAY_IMPORT) == ANY


def test_a_planted_violation_is_found(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(
        "def f():\n    from sweep import study\n    import sweep.cli.run, optuna.trial\n",
        encoding="utf-8",
    )
    assert list(imported(path)) == ["sweep.study", "sweep.cli.run", "optuna.trial"]


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_file_and_functions_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    assert list(long_functions(path)) == []


def test_test_files_are_short_too() -> None:
    lengths = {
        path.relative_to(PROJECT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((PROJECT / "tests").rglob("*.py"))
    }
    assert {name: length for name, length in lengths.items() if length > MOST_TEST_LINES} == {}


@pytest.mark.parametrize("number", range(1, 9))
def test_stage_says_which_one_it_is(number: int) -> None:
    init = ROOT / STAGE_NUMBERS[number - 1] / "__init__.py"
    first = init.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f'"""Stage {number} of 8, ')
    assert " -> " in first


@pytest.mark.parametrize(
    "code",
    [
        "import sweep",
        "import sweep.cli",
        "import sys; sys.argv = ['sweep', '--help']; from sweep.cli import main; main()",
        "import sys; sys.argv = ['sweep', 'run', '--help']; from sweep.cli import main; main()",
    ],
    ids=["import sweep", "import sweep.cli", "sweep --help", "sweep run --help"],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    loaded = f"sorted(set({HEAVY}) & set(sys.modules))"
    at_exit = f"import atexit, sys; atexit.register(lambda: print({loaded}, file=sys.stderr))"
    command = [sys.executable, "-c", f"{at_exit}; {code}"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    assert (result.returncode, result.stderr.strip()) == (0, "[]")


def test_no_unfinished_business() -> None:
    marks = re.compile(rb"\b(TO" + rb"DO|FIX" + rb"ME|X" + rb"XX)\b")
    assert [str(p) for p in tracked() if marks.search(p.read_bytes())] == []


def test_no_path_of_one_machine() -> None:
    """A path under somebody's home, a checkout or a virtual environment works nowhere else."""
    places = re.compile(rb"(?<![\w.])/(?:home|root|Users|work|tmp|venv|mnt)/\w|[A-Z]:\\Users")
    found = [
        f"{path.relative_to(PROJECT)}: {match[0].decode()}"
        for path in tracked()
        for match in places.finditer(path.read_bytes())
    ]
    assert found == []
