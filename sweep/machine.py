"""What of this machine and its libraries can change a bit of a result; loads no library."""

import functools
import hashlib
import importlib.metadata
import platform
from pathlib import Path

# Instruction sets that change which kernels run, and so the last bits of a vector.
_FEATURES = [
    "avx2",
    "fma",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_bf16",
    "amx_tile",
    "avx_vnni",
    "asimd",
    "asimddp",
    "bf16",
    "sve",
    "i8mm",
]
BF16_FEATURES = frozenset({"avx512_bf16", "amx_bf16", "bf16"})


@functools.cache
def processor_features() -> tuple[str, ...]:
    """Return the instruction sets of this processor that can change a result, sorted."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return (platform.machine(), platform.processor())
    for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() in {"flags", "features"}:
            present = set(value.split())
            return (platform.machine(), *(flag for flag in _FEATURES if flag in present))
    return (platform.machine(),)


@functools.cache
def processor_name() -> str:
    """Return the processor's model name; it changes no result, but every measured time."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip().lower() in {"model name", "cpu model"}:
                return value.strip()
    return platform.processor() or platform.machine()


def has_bf16() -> bool:
    """Return whether the processor multiplies bfloat16 natively (elsewhere it is slower)."""
    return not BF16_FEATURES.isdisjoint(processor_features())


@functools.cache
def version_of(package: str) -> str:
    """Return the installed version of a distribution, `none` if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


@functools.cache
def machine_name() -> str:
    """Return a short hash that is equal on machines whose results are equal to the last bit."""
    return hashlib.sha256(" ".join(processor_features()).encode()).hexdigest()[:12]
