"""Scores of query-passage pairs: late interaction and cross-encoders.

The only file of this stage that loads torch. A pair's score never depends on which pairs share its
batch: late interaction is a product per pair, a cross-encoder runs in fixed shapes. Nor does it
depend on the thread count: each batch runs on one thread, several run several side by side.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from sweep.errors import RankingError
from sweep.machine import machine_name, version_of
from sweep.models import MODEL_ERRORS, ModelFiles, trusts_code, untrusted_code_advice
from sweep.parallel import side_by_side, single_threaded_blas
from sweep.records import Floats, Ints, Vectors

BATCH_TOKENS = 1024
STEP = 16  # bucket lengths are multiples of this
LONGEST = 1_000_000  # tokens; a tokenizer without a limit says 1e30
ADVICE = "Take a ranking cross-encoder, for example cross-encoder/ms-marco-MiniLM-L6-v2."


def maxsim_scores(pairs: Sequence[tuple[Vectors, Vectors]]) -> Floats:
    """Return the late-interaction score of each (query, passage) pair, shape (N,).

    Score = mean over query tokens of the largest cosine with a passage token; special tokens left
    out; in [-1, 1]; 0 where query or passage has no token.

    Args:
        pairs: unit token vectors, shapes (q, d) and (t, d).

    Source: Khattab & Zaharia 2020 (ColBERT), doi:10.1145/3397271.3401075, divided by q.
    """
    scores = np.zeros(len(pairs), dtype=np.float64)
    with single_threaded_blas():  # one thread: one order of summation
        for row, (query, passage) in enumerate(pairs):
            if len(query) and len(passage):
                scores[row] = (query @ passage.T).max(axis=1).mean(dtype=np.float64)
    return scores


class CrossEncoderScorer:
    """A sentence-transformers cross-encoder; loads its weights when the first pair is scored.

    Scores are raw logits (no sigmoid): a sigmoid in low precision rounds strong hits to 1.0.

    Raises: RankingError if the model says that it is something else.
    """

    def __init__(
        self, files: ModelFiles, *, precision: Literal["fp32", "bf16"], threads: int
    ) -> None:
        _check_head(files)
        self.files = files
        self.precision = precision
        self.threads = threads
        self._model: Any = None

    @property
    def key(self) -> str:
        """Return everything that can change a bit of a score, as text for store keys."""
        versions = [version_of(p) for p in ("torch", "transformers", "sentence-transformers")]
        parts = [self.files.fingerprint, self.precision, *versions, machine_name()]
        return "|".join([*parts, f"shape={BATCH_TOKENS}/{STEP}"])

    def score(self, pairs: Sequence[tuple[str, str]], *, threads: int | None = None) -> Floats:
        """Return the logit of each (query, passage) pair, shape (N,).

        Args:
            pairs: N pairs of texts.
            threads: None = those of the scorer.
        """
        if not pairs:
            return np.empty(0, dtype=np.float64)
        encoded = self._encode(self.load(), pairs)
        lengths = np.array([len(ids) for ids in encoded["input_ids"]])
        buckets = bucket_lengths(lengths, _window(self._model))
        batches: list[tuple[np.ndarray, tuple[int, int]]] = []
        for length in sorted(set(buckets.tolist()), reverse=True):
            rows = np.flatnonzero(buckets == length)
            size = batch_size(length)
            for start in range(0, len(rows), size):
                batches.append((rows[start : start + size], (size, length)))
        scores = np.empty(len(pairs), dtype=np.float64)
        run = partial(self._forward, encoded)
        for (rows, _), part in zip(
            batches, side_by_side(run, batches, threads=threads or self.threads), strict=True
        ):
            scores[rows] = part
        return scores

    @property
    def loaded(self) -> bool:
        """Return whether the weights are in memory."""
        return self._model is not None

    def load(self) -> Any:
        """Return the model, loaded at the first call."""
        if self._model is None:
            self._model = _load_cross_encoder(self.files, self.precision)
        return self._model

    def _encode(self, model: Any, pairs: Sequence[tuple[str, str]]) -> dict[str, list[list[int]]]:
        encoded = model.tokenizer(
            [query for query, _ in pairs],
            [passage for _, passage in pairs],
            truncation="longest_first",
            max_length=_window(model),
            padding=False,
        )
        names = ("input_ids", "attention_mask", "token_type_ids")
        return {name: encoded[name] for name in names if name in encoded}

    def _forward(
        self, encoded: dict[str, Any], batch: tuple[np.ndarray, tuple[int, int]]
    ) -> Floats:
        """Return the logits of one batch: its rows, run in its fixed shape."""
        import torch

        rows, shape = batch
        pad_token = int(self._model.tokenizer.pad_token_id or 0)
        features = {}
        for name, lists in encoded.items():
            array = np.full(shape, pad_token if name == "input_ids" else 0, dtype=np.int64)
            for slot in range(len(array)):  # dummy rows repeat the last real one
                values = lists[rows[min(slot, len(rows) - 1)]]
                array[slot, : len(values)] = values
            features[name] = torch.from_numpy(array)
        torch.set_num_threads(1)
        with torch.inference_mode():
            logits = self._model.model(**features).logits.float().numpy()
        return np.asarray(logits[: len(rows), 0], dtype=np.float64)


def bucket_lengths(tokens: Ints, window: int) -> Ints:
    """Return the length, shape (N,), that each pair of so many tokens is filled up to."""
    return np.minimum(-(-tokens // STEP) * STEP, window)


def batch_size(length: int) -> int:
    """Return how many pairs of a bucket's length run together."""
    return max(1, BATCH_TOKENS // length)


def _check_head(files: ModelFiles) -> None:
    """Refuse a model without a scoring head: the library would put a random one on top of it."""
    kinds = files.read_json("config.json").get("architectures") or []
    if kinds and not any(str(kind).endswith("ForSequenceClassification") for kind in kinds):
        raise RankingError(
            f"rerank.model: must be a cross-encoder (...ForSequenceClassification), got "
            f"{', '.join(map(str, kinds))} in {files.name!r}. {ADVICE}"
        )


def _window(model: Any) -> int:
    """Return the longest pair the model takes, in tokens, special ones included."""
    limit = model.max_seq_length or model.config.max_position_embeddings
    return min(int(limit), LONGEST)


def _load_cross_encoder(files: ModelFiles, precision: Literal["fp32", "bf16"]) -> Any:
    import torch
    import transformers
    from sentence_transformers import CrossEncoder

    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    trusted = trusts_code(files.name)
    try:
        model = CrossEncoder(
            str(files.folder),
            device="cpu",
            model_kwargs={"dtype": dtype},
            local_files_only=not trusted,  # code may lie in another repository
            trust_remote_code=trusted,
        )
    except MODEL_ERRORS as error:
        advice = f"Check that {files.name!r} is a cross-encoder"
        raise RankingError(
            f"rerank.model: must load as a sentence-transformers CrossEncoder, got {error}. "
            f"{untrusted_code_advice(files.name, error) or advice}."
        ) from error
    if model.num_labels != 1:
        raise RankingError(
            f"rerank.model: must have one label (a relevance score), got {model.num_labels} in "
            f"{files.name!r}. {ADVICE}"
        )
    return model.eval()
