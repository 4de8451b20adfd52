"""What can change a bit, and work side by side."""

import platform
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import threadpoolctl

from sweep import machine
from sweep.machine import has_bf16, machine_name, processor_features, version_of
from sweep.parallel import AHEAD, side_by_side, single_threaded_blas


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Processor and versions are looked up once; these tests change what is found."""
    yield
    for cached in (processor_features, version_of, machine_name):
        cached.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, cpuinfo: str | None) -> None:
    path = folder / "cpuinfo"
    if cpuinfo is not None:
        path.write_text(cpuinfo, encoding="utf-8")
    monkeypatch.setattr(machine, "Path", lambda name: path)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "processor", lambda: "Some CPU")
    for cached in (processor_features, machine_name):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("cpuinfo", "features", "bf16"),
    [
        ("model: x\nflags\t\t: fpu avx2 sse fma\n", ("x86_64", "avx2", "fma"), False),
        ("flags : avx512_bf16 avx512f\n", ("x86_64", "avx512f", "avx512_bf16"), True),
        ("Features : asimd bf16 i8mm\n", ("x86_64", "asimd", "bf16", "i8mm"), True),
        ("model: x\n", ("x86_64",), False),
        (None, ("x86_64", "Some CPU"), False),
    ],
)
def test_features_are_those_that_change_a_result(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    cpuinfo: str | None,
    features: tuple[str, ...],
    bf16: bool,
) -> None:
    pretend(monkeypatch, tmp_path, cpuinfo)
    assert processor_features() == features
    assert has_bf16() is bf16
    assert re.fullmatch(r"[0-9a-f]{12}", machine_name())


def test_order_of_flags_does_not_name_another_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = []
    for flags in ("avx2 fma sse", "sse fma avx2", "avx2"):
        pretend(monkeypatch, tmp_path, f"flags : {flags}\n")
        names.append(machine_name())
    assert names[0] == names[1] != names[2]


def test_versions() -> None:
    assert re.match(r"\d+\.\d+", version_of("numpy"))
    assert version_of("no-such-distribution") == "none"


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order_whoever_is_first(threads: int) -> None:
    """Of each pair of items the second is ready first, where two threads run."""
    passed = threading.Semaphore(0)

    def work(number: int) -> int:
        if threads > 1 and number % 2 == 0:
            assert passed.acquire(timeout=30)
        elif threads > 1:
            passed.release()
        return number * number

    assert list(side_by_side(work, range(40), threads=threads)) == [n * n for n in range(40)]


def test_one_thread_is_the_callers_own() -> None:
    caller = threading.get_ident()
    idents = set(side_by_side(lambda _: threading.get_ident(), range(3), threads=1))
    assert idents == {caller}
    assert list(side_by_side(lambda n: n, [], threads=4)) == []


def test_results_do_not_pile_up() -> None:
    started: list[int] = []
    results = side_by_side(started.append, range(100), threads=2)
    next(results)
    assert len(started) <= 2 * AHEAD
    results.close()  # type: ignore[attr-defined]
    assert len(started) <= 2 * AHEAD


def test_error_of_a_piece_of_work_is_the_callers() -> None:
    def fail(number: int) -> int:
        if number == 3:
            raise ValueError("third")
        return number

    with pytest.raises(ValueError, match="third"):
        list(side_by_side(fail, range(10), threads=2))


def test_numpy_multiplies_on_the_calling_thread() -> None:
    def threads() -> set[int]:
        libraries = threadpoolctl.threadpool_info()
        return {lib["num_threads"] for lib in libraries if "numpy" in lib["filepath"]}

    before = threads()
    with single_threaded_blas():
        assert threads() <= {1}
    assert threads() == before
