"""The models of one process: each is found once, and loaded only when it has work to do."""

from collections.abc import Sequence
from typing import Literal

from sweep.engine.measure.report import Report
from sweep.engine.store.keys import stage_key
from sweep.engine.store.store import Store
from sweep.index.embed import Encoder, Precision
from sweep.index.precision import safe_precision
from sweep.machine import has_bf16, machine_name, version_of
from sweep.models import ModelFiles, find_model
from sweep.rankings.rerank import CrossEncoderScorer

SAMPLE_TEXTS = 16  # on which bf16 must hold before it is used


class ModelPool:
    """Bi-encoders and cross-encoders by name.

    Args:
        store: remembers which precision a model may use on this machine.
        precision: `auto` takes bf16 where the processor has it and a sample of the corpus holds;
            cross-encoders stay in fp32 unless bf16 is asked for by name.
        threads: batches that run side by side; no result depends on it.
        sample: texts of the corpus for that check.
    """

    def __init__(
        self,
        store: Store,
        *,
        precision: Literal["auto", "fp32", "bf16"],
        threads: int,
        sample: Sequence[str] = (),
    ) -> None:
        self.store = store
        self.precision = precision
        self.threads = threads
        self.sample = [text for text in sample if text.strip()][:SAMPLE_TEXTS]
        self._encoders: dict[str, Encoder] = {}
        self._cross_encoders: dict[str, CrossEncoderScorer] = {}

    @property
    def report(self) -> Report:
        """Return where progress is told."""
        return self.store.report

    def encoder(self, name: str) -> Encoder:
        """Return the bi-encoder of that name."""
        if name not in self._encoders:
            files = find_model(name)
            self._encoders[name] = Encoder(
                files, precision=self._precision_of(files), threads=self.threads
            )
        return self._encoders[name]

    def cross_encoder(self, name: str) -> CrossEncoderScorer:
        """Return the cross-encoder of that name."""
        if name not in self._cross_encoders:
            precision: Precision = "bf16" if self.precision == "bf16" else "fp32"
            self._cross_encoders[name] = CrossEncoderScorer(
                find_model(name), precision=precision, threads=self.threads
            )
        return self._cross_encoders[name]

    def warm(self, model: Encoder | CrossEncoderScorer) -> None:
        """Load a model's weights, if that is still to do."""
        if not model.loaded:
            with self.report.stage("load"):
                model.load()

    def _precision_of(self, files: ModelFiles) -> Precision:
        if self.precision != "auto":
            return self.precision
        if not has_bf16() or not self.sample:
            return "fp32"
        versions = [version_of(p) for p in ("torch", "transformers", "sentence-transformers")]
        key = stage_key(
            "precision", {"sample": self.sample}, (files.fingerprint, machine_name(), *versions)
        )
        known = self.store.read_json("precision", key)
        if known is not None and known.get("precision") in ("fp32", "bf16"):
            return "bf16" if known["precision"] == "bf16" else "fp32"
        with self.report.stage("load"):
            found = safe_precision(files, self.sample, threads=self.threads)
        self.store.write_json("precision", key, {"precision": found})
        return found
