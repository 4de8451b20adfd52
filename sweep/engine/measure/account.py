"""Where the time of one piece of work went, stage by stage, and what its outputs weigh."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

import numpy as np

Source = Literal["memory", "store", "computed"]
SOURCES: tuple[Source, ...] = ("memory", "store", "computed")  # the dearest last

# What stages do, in the order of the flow; outputs of the store are named otherwise.
STAGES = (
    "tokenise",  # offsets of the study tokenizer; a model's inputs
    "chunk",
    "terms",
    "load",  # a model's weights, once per process
    "embed",
    "index",
    "lists",
    "fuse",
    "rerank",
    "score",
    "costs",  # work and index size
    "latency",
    "write",
)
SMALL = frozenset({"fuse", "score", "costs", "write"})  # too short to tell events of

_MAKER = {  # of outputs that are not named as the stage that makes them
    "offsets": "tokenise",
    "inputs": "tokenise",
    "query_inputs": "tokenise",
    "pair_tokens": "tokenise",
    "chunks": "chunk",
    "bm25_list": "lists",
    "vector_list": "lists",
}


def stage_of(output: str) -> str:
    """Return the stage that makes an output, by the store's name for it."""
    return _MAKER.get(output, output)


def size_of(value: Any) -> int:
    """Return the bytes of the arrays that a stage output holds; texts and numbers are left out."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list | tuple):
        return sum(map(size_of, value)) if value and not isinstance(value[0], str) else 0
    if is_dataclass(value):
        return sum(size_of(getattr(value, inner.name)) for inner in fields(value))
    return 0


@dataclass(slots=True)
class StageUse:
    """What one stage took.

    Attributes:
        seconds: wall time, that of stages inside it left out.
        outputs: how many outputs came from memory, from the store, or were computed.
        bytes: size of those outputs, each counted once.
        peak_rise_bytes: by how much the stage raised the process's peak resident memory.
    """

    seconds: float = 0.0
    outputs: dict[Source, int] = field(default_factory=dict)
    bytes: int = 0
    peak_rise_bytes: int = 0

    @property
    def source(self) -> Source:
        """Return the dearest source of any output; what has no output is computed."""
        return max(self.outputs, key=SOURCES.index, default="computed")

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "seconds": round(self.seconds, 6),
            "source": self.source,
            "outputs": {name: self.outputs[name] for name in SOURCES if name in self.outputs},
            "bytes": self.bytes,
            "peak_rise_bytes": self.peak_rise_bytes,
        }


@dataclass(slots=True)
class Account:
    """The stages of one piece of work: a trial, or what many trials share."""

    stages: dict[str, StageUse] = field(default_factory=dict)
    _counted: set[str] = field(default_factory=set)

    def add(self, stage: str, use: StageUse, sizes: Mapping[str, int]) -> None:
        """Add what a stage took.

        Args:
            stage: one of `STAGES`.
            use: without bytes.
            sizes: bytes of each output, by what identifies it.
        """
        mine = self.stages.setdefault(stage, StageUse())
        mine.seconds += use.seconds
        mine.peak_rise_bytes += use.peak_rise_bytes
        for source, count in use.outputs.items():
            mine.outputs[source] = mine.outputs.get(source, 0) + count
        for key, size in sizes.items():
            if key not in self._counted:
                self._counted.add(key)
                mine.bytes += size

    def to_json(self) -> dict[str, Any]:
        """Return the stages in the order of the flow, JSON-ready."""
        names = [*STAGES, *sorted(set(self.stages).difference(STAGES))]
        return {name: self.stages[name].to_json() for name in names if name in self.stages}


@dataclass(slots=True)
class StageRun:
    """One stage while it runs; stages inside it take their own time."""

    use: StageUse = field(default_factory=StageUse)
    sizes: dict[str, int] = field(default_factory=dict)
    counts: list[tuple[str, Source, int]] = field(default_factory=list)
    inside_s: float = 0.0
    inside_rise: int = 0

    def got(
        self, name: str, source: Source, *, key: str = "", size: int = 0, count: int = 1
    ) -> None:
        """Say where outputs came from.

        Args:
            name: of the kind of output, as the store names it.
            source: memory, store, or computed.
            key: what identifies them.
            size: in bytes.
            count: how many.
        """
        if count:
            self.use.outputs[source] = self.use.outputs.get(source, 0) + count
            self.counts.append((name, source, count))
        if size:
            self.sizes[f"{name}/{key}"] = size
