"""Texts -> vectors of a bi-encoder; the only file that loads sentence-transformers for it.

**A vector never depends on its neighbours in the batch.** Texts are bucketed by length and run in
fixed shapes: passages as (batch, bucket) with `batch * bucket` of about 1,024 tokens, short ones
filled up with dummy rows; queries always as (1, bucket), in a sweep and in production alike.

Nor does it depend on the thread count: several threads inside torch split sums in other ways, with
other last bits. Each batch runs on one thread; several threads run several batches side by side.

What the model sees of a text is its *input*: the token ids after prefix and truncation. Inputs are
made without loading the model, so that a warm store needs no torch at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sweep.errors import IndexingError
from sweep.machine import machine_name, version_of
from sweep.models import MODEL_ERRORS, ModelFiles, trusts_code, untrusted_code_advice
from sweep.parallel import side_by_side
from sweep.records import Ints, Vectors
from sweep.tokenizer import load_tokenizer, special_ends, without_nul

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Role = Literal["query", "passage"]
Precision = Literal["fp32", "bf16"]
BATCH_TOKENS = 1024
PASSAGE_STEP, QUERY_STEP = 16, 8  # bucket lengths are so many tokens apart
SPECIAL = 2  # tokens that most models add: a chunk of 64 fills its bucket, and needs no mask


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """Some rows of a block of `of` inputs, as the model takes them."""

    rows: list[int]
    of: int
    features: dict[str, Any]


class Encoder:
    """A bi-encoder; loads its weights when the first vector is asked for.

    Args:
        files: where the model lies.
        precision: of the transformer's weights; pooling is always done in fp32.
        threads: batches run side by side; changes speed, never a bit of a vector (tested).
    """

    def __init__(self, files: ModelFiles, *, precision: Precision, threads: int) -> None:
        self.files = files
        self.precision = precision
        self.threads = threads
        self.window = input_window(files)
        self.tokenizer = load_tokenizer(files)
        self._model: SentenceTransformer | None = None

    @property
    def key(self) -> str:
        """Return everything that can change a bit of a vector, as text for store keys."""
        versions = [version_of(p) for p in ("torch", "transformers", "sentence-transformers")]
        parts = [self.files.fingerprint, self.precision, f"window={self.window}"]
        return "|".join(
            [
                *parts,
                *versions,
                machine_name(),
                f"shape={BATCH_TOKENS}/{PASSAGE_STEP}/{QUERY_STEP}/{SPECIAL}",
            ]
        )

    @cached_property
    def largest_id(self) -> int:
        """Return the largest token id there is."""
        return max(self.tokenizer.get_vocab().values(), default=0)

    def inputs(self, texts: Sequence[str]) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the token ids the model sees of each text, and the length before truncation.

        Returns: N arrays (int32, special tokens included, at most `window` long), and shape (N,).
        """
        encodings = self.tokenizer.encode_batch_fast([without_nul(text) for text in texts])
        full = np.array([len(encoding) for encoding in encodings], dtype=np.int64)
        ids = [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]
        return [self.truncate(row) for row in ids], full

    def truncate(self, ids: np.ndarray) -> np.ndarray:
        """Return the ids of a text, cut to the window; special tokens at the end are kept."""
        if len(ids) <= self.window:
            return ids
        tail = self._special_tail
        return np.concatenate([ids[: self.window - tail], ids[len(ids) - tail :]])

    def seen(self, text: str) -> int:
        """Return how many characters of a text, from its beginning, the model sees."""
        encoding = self.tokenizer.encode(without_nul(text))
        if len(encoding) <= self.window:
            return len(text)
        kept = encoding.offsets[: self.window - self._special_tail]
        return max((int(end) for _, end in kept), default=0)

    def embed(self, inputs: Sequence[np.ndarray], *, role: Role) -> Vectors:
        """Return the (N, d) vectors of N inputs, as the model gives them (not normalised here)."""
        if not len(inputs):
            return np.empty((0, 0), dtype=np.float32)
        return next(self._vectors(list(self._batches(inputs, role=role))))

    def embed_blocks(
        self, blocks: Iterable[Sequence[np.ndarray]], *, role: Role
    ) -> Iterator[Vectors]:
        """Yield the vectors of each block of inputs; the next one begins while one ends."""
        yield from self._vectors(
            batch for inputs in blocks for batch in self._batches(inputs, role=role)
        )

    def _vectors(self, batches: Iterable["_Batch"]) -> Iterator[Vectors]:
        """Yield the vectors of each block that the batches are of, when its last one has run."""
        vectors, missing = np.empty((0, 0), dtype=np.float32), 0
        for batch, part in self._run(batches, output="sentence_embedding"):
            if not missing:
                missing = batch.of
                vectors = np.empty((missing, part.shape[1]), dtype=np.float32)
            vectors[batch.rows] = part[: len(batch.rows)]
            missing -= len(batch.rows)
            if not missing:
                yield vectors

    def token_vectors(
        self, inputs: Sequence[np.ndarray], *, role: Role, threads: int | None = None
    ) -> list[Vectors]:
        """Return unit vectors of each input's tokens, special tokens left out: N arrays (t, d).

        Args:
            inputs: N arrays of token ids.
            role: of the texts.
            threads: None = those of the encoder.
        """
        found = dict(self.stream_token_vectors(inputs, role=role, threads=threads))
        return [found[row] for row in range(len(inputs))]

    def stream_token_vectors(
        self, inputs: Sequence[np.ndarray], *, role: Role, threads: int | None = None
    ) -> Iterator[tuple[int, Vectors]]:
        """Yield `token_vectors` one by one, each with its place in `inputs`, a batch at a time."""
        special = np.array(sorted(self._special_ids), dtype=np.int32)
        batches = list(self._batches(inputs, role=role))
        for batch, part in self._run(batches, output="token_embeddings", threads=threads):
            for slot, row in enumerate(batch.rows):
                ids = inputs[row]
                vectors = part[slot, : len(ids)][~np.isin(ids, special)]
                norms = np.linalg.norm(vectors, axis=1, keepdims=True)
                yield row, np.ascontiguousarray(vectors / np.maximum(norms, 1e-12))

    def _run(
        self, batches: Iterable["_Batch"], *, output: str, threads: int | None = None
    ) -> Iterator[tuple["_Batch", Vectors]]:
        """Run the model over every batch: gives it, and one of its outputs."""

        def run(batch: _Batch) -> tuple[_Batch, Vectors]:
            return batch, self._forward(batch.features)[output].float().numpy()

        if batches:  # a list may be empty; blocks are asked for only where there are some
            self.load()  # before there are threads
        return side_by_side(run, batches, threads=threads or self.threads)

    def _batches(self, inputs: Sequence[np.ndarray], *, role: Role) -> Iterator["_Batch"]:
        lengths = np.array([len(ids) for ids in inputs], dtype=np.int64)
        buckets: dict[int, list[int]] = {}
        for row, length in enumerate(bucket_lengths(lengths, self.window, role=role).tolist()):
            buckets.setdefault(length, []).append(row)
        for length in sorted(buckets, reverse=True):
            size = batch_size(length, role=role)
            rows = buckets[length]
            for start in range(0, len(rows), size):
                part = rows[start : start + size]
                features = self._features([inputs[row] for row in part], size, length)
                yield _Batch(rows=part, of=len(inputs), features=features)

    def _features(self, ids: Sequence[np.ndarray], size: int, length: int) -> dict[str, Any]:
        import torch

        shape = (size, length)
        tokens = np.full(shape, self._pad_id(), dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for slot in range(size):  # dummy rows repeat the last real one
            row = ids[min(slot, len(ids) - 1)]
            tokens[slot, : len(row)] = row
            mask[slot, : len(row)] = 1
        return {"input_ids": torch.from_numpy(tokens), "attention_mask": torch.from_numpy(mask)}

    def _forward(self, features: dict[str, Any]) -> dict[str, Any]:
        import torch

        model = self.load()
        features = dict(features)  # modules add to it; what they add must not stay with the batch
        torch.set_num_threads(1)
        with torch.inference_mode():
            for position, module in enumerate(model):
                features = module(features)
                if position == 0:  # pool in fp32 whatever the transformer's precision
                    features["token_embeddings"] = features["token_embeddings"].float()
        return features

    @property
    def loaded(self) -> bool:
        """Return whether the weights are in memory."""
        return self._model is not None

    def load(self) -> "SentenceTransformer":
        """Return the model, loaded at the first call."""
        if self._model is None:
            self._model = load_model(self.files, precision=self.precision)
        return self._model

    @cached_property
    def _special_tail(self) -> int:
        """Return how many special tokens end every input (BERT: 1, [SEP])."""
        return len(special_ends(self.tokenizer)[1])

    @cached_property
    def _special_ids(self) -> set[int]:
        return {
            i for i, token in self.tokenizer.get_added_tokens_decoder().items() if token.special
        }

    def _pad_id(self) -> int:
        pad = self.files.read_json("config.json").get("pad_token_id")
        return pad if isinstance(pad, int) else 0


def bucket_lengths(tokens: Ints, window: int, *, role: Role) -> Ints:
    """Return the length, shape (N,), that each input of so many tokens is filled up to."""
    step = QUERY_STEP if role == "query" else PASSAGE_STEP
    steps = np.maximum(1, -(-(tokens - SPECIAL) // step))  # a text can be without a token
    return np.asarray(np.minimum(window, SPECIAL + steps * step))


def batch_size(length: int, *, role: Role) -> int:
    """Return how many inputs of a bucket's length run together."""
    return 1 if role == "query" else max(1, round(BATCH_TOKENS / length))


def input_window(files: ModelFiles) -> int:
    """Return the longest input the model takes, in tokens, special ones included."""
    own = files.read_json("sentence_bert_config.json").get("max_seq_length")
    limits = [
        own,
        files.read_json("tokenizer_config.json").get("model_max_length") if own is None else None,
        files.read_json("config.json").get("max_position_embeddings"),
    ]
    sane = [int(v) for v in limits if isinstance(v, int | float) and 0 < v < 1_000_000]
    return min(sane, default=512)


def load_model(files: ModelFiles, *, precision: Precision) -> "SentenceTransformer":
    """Return the model on the CPU, ready for inference.

    Raises: IndexingError if sentence-transformers cannot load it.
    """
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    trusted = trusts_code(files.name)
    try:
        model = SentenceTransformer(
            str(files.folder),
            device="cpu",
            model_kwargs={"dtype": dtype},
            local_files_only=not trusted,  # code may lie in another repository
            trust_remote_code=trusted,
        )
    except MODEL_ERRORS as error:
        advice = "Check that the folder is a complete sentence-transformers model"
        raise IndexingError(
            f"model {files.name!r}: must load with sentence-transformers, got {error}. "
            f"{untrusted_code_advice(files.name, error) or advice}."
        ) from error
    if isinstance(model[0], StaticEmbedding):
        raise IndexingError(
            f"model {files.name!r}: must give vectors of tokens, got a static embedding, which "
            f"this version cannot run. Take a transformer model."
        )
    return model.eval()
