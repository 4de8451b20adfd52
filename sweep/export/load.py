"""Opens a production bundle and answers queries; needs no optuna, no corpus folder, no store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from sweep.configuration import Configuration, from_flat
from sweep.engine.hits import ChunkTexts, Hit
from sweep.engine.retriever import (
    CrossEncoderReranker,
    MaxSimReranker,
    Reranker,
    Retriever,
)
from sweep.errors import ExportError
from sweep.export.layout import FORMAT, BundleFolder, file_checksum
from sweep.index.analyzer import make_analyzer
from sweep.index.bm25 import from_arrays
from sweep.index.embed import Encoder
from sweep.index.passages import passage_text, title_cutter
from sweep.index.vectors import load_index
from sweep.models import ModelFiles, find_model
from sweep.parquet import read_parquet
from sweep.rankings.rerank import CrossEncoderScorer
from sweep.records import RankedLists

NEEDED = ("files", "configuration", "models", "machine")  # of a manifest, to open the bundle


class Bundle:
    """A loaded bundle.

    Attributes:
        manifest: what the bundle says of itself.
        configuration: what it retrieves.
    """

    def __init__(
        self, manifest: Mapping[str, Any], retriever: Retriever, texts: ChunkTexts
    ) -> None:
        self.manifest = manifest
        self.configuration = retriever.configuration
        self._retriever = retriever
        self._texts = texts

    def search(self, text: str, top_k: int | None = None) -> list[Hit]:
        """Return the best chunks for one query, best first.

        Args:
            text: the query.
            top_k: how many; None = as configured.
        """
        return self.search_many([text], top_k)[0]

    def search_many(self, texts: Sequence[str], top_k: int | None = None) -> list[list[Hit]]:
        """Return the best chunks for each query; each is run alone, as `search` does."""
        lists = self.rank(texts, top_k)
        return [
            self._texts.hits(items, scores)
            for items, scores in zip(lists.items, lists.scores, strict=True)
        ]

    def warm(self) -> None:
        """Load the models now, so that the first query does not wait for them."""
        self.rank(["warm up"])

    def __repr__(self) -> str:
        """Return what is retrieved, and how many chunks there are."""
        return f"Bundle({self.configuration.label()}; {len(self._texts.document):,} chunks)"

    def rank(self, texts: Sequence[str], top_k: int | None = None) -> RankedLists:
        """Return ranked chunk rows and scores, shape (Q, k)."""
        if any(not text.strip() for text in texts):
            raise ExportError("query: must have some text, got none. Ask something.")
        if top_k is not None and top_k < 1:
            raise ExportError(f"top_k: must be >= 1, got {top_k}. Leave it out for the default.")
        wanted = self.configuration
        if top_k is not None:
            wanted = replace(wanted, top_k=top_k)
        self._retriever.configuration = wanted
        try:
            return self._retriever.rank(texts)
        finally:
            self._retriever.configuration = self.configuration


def load(path: Path | str, *, threads: int = 1) -> Bundle:
    """Open the bundle in a folder; checksums and model fingerprints are verified.

    Args:
        path: the folder that `sweep export` wrote.
        threads: threads of models; changes no result.

    Raises: ExportError if it is no bundle, a file was changed, or a model is another one;
        IndexingError if a library that its analyzer needs is not installed.
    """
    folder = BundleFolder(Path(path))
    manifest = read_manifest(folder)
    for name, expected in manifest["files"].items():
        file = folder.path / name
        if not file.is_file():
            raise ExportError(f"{path}: must hold {name}, got nothing. Export it again.")
        if file_checksum(file) != expected:
            raise ExportError(
                f"{path}: {name} must have the checksum in manifest.json, got another: the file "
                f"was changed. Export it again."
            )
    table = read_parquet(folder.chunks)
    chunks = {name: table[name].to_pylist() for name in table.column_names if name != "document"}
    document = table["document"].to_numpy()
    retriever = _retriever(folder, manifest, chunks, document, threads)
    return Bundle(manifest, retriever, _texts(document.tolist(), chunks))


def _texts(document: list[int], chunks: Mapping[str, list[Any]]) -> ChunkTexts:
    metadata = dict(zip(document, chunks["metadata"], strict=True))
    return ChunkTexts(
        document=document,
        start=chunks["start"],
        end=chunks["end"],
        ids=dict(zip(document, chunks["document_id"], strict=True)),
        titles=dict(zip(document, chunks["title"], strict=True)),
        metadata={number: json.loads(text) for number, text in metadata.items()},
        text=chunks["text"].__getitem__,
    )


def read_manifest(folder: BundleFolder) -> dict[str, Any]:
    """Return a bundle's manifest.

    Raises: ExportError if there is none, or it is of a newer format.
    """
    try:
        manifest: Any = json.loads(folder.manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(
            f"{folder.path}: must be a bundle with a manifest.json, got none that can be read "
            f"({error}). Make one with `sweep export`."
        ) from error
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise ExportError(
            f"{folder.path}: manifest.json must be that of a bundle, got something else. Export "
            f"it again."
        )
    if manifest["format"] != FORMAT:
        raise ExportError(
            f"{folder.path}: must be of format {FORMAT}, got {manifest['format']}. Open it "
            f"with the version of sweep that made it ({manifest.get('made_by')})."
        )
    if missing := [name for name in NEEDED if name not in manifest]:
        raise ExportError(
            f"{folder.path}: manifest.json must hold {', '.join(NEEDED)}, got none of "
            f"{', '.join(missing)}. Export it again."
        )
    checked: dict[str, Any] = manifest
    return checked


def _retriever(
    folder: BundleFolder,
    manifest: Mapping[str, Any],
    chunks: Mapping[str, list[Any]],
    document: np.ndarray,
    threads: int,
) -> Retriever:
    configuration = from_flat(manifest["configuration"])
    if configuration.bm25 is not None:
        make_analyzer(configuration.bm25.analyzer)  # says now, not at a query, what it lacks
    encoder = None
    if configuration.vector is not None:
        files = _model_files(folder, manifest, "encoder")
        encoder = Encoder(files, precision=manifest["precision"], threads=threads)
    index = None
    if folder.vectors.is_file() and configuration.vector is not None:
        index = load_index(folder.vectors, configuration.vector)
    terms = from_arrays(load_file(folder.terms)) if folder.terms.is_file() else None
    return Retriever(
        configuration,
        document,
        terms=terms,
        index=index,
        rows=np.flatnonzero(np.array(chunks["embedded"], dtype=np.bool_)),
        encoder=encoder,
        reranker=_reranker(folder, manifest, configuration, encoder, chunks, threads),
    )


def _reranker(
    folder: BundleFolder,
    manifest: Mapping[str, Any],
    configuration: Configuration,
    encoder: Encoder | None,
    chunks: Mapping[str, list[Any]],
    threads: int,
) -> Reranker | None:
    if configuration.rerank is None:
        return None
    if configuration.rerank.kind == "maxsim":
        assert encoder is not None
        assert configuration.vector is not None
        passages = _LazyInputs(encoder, configuration, chunks)
        return MaxSimReranker(encoder, configuration.vector, passages)
    files = _model_files(folder, manifest, "reranker")
    scorer = CrossEncoderScorer(
        files, precision=manifest.get("rerank_precision") or "fp32", threads=threads
    )
    prepend = configuration.chunk.prepend_title
    texts = [
        f"{title}\n{text}" if prepend and title.strip() else text
        for title, text in zip(chunks["title"], chunks["text"], strict=True)
    ]
    return CrossEncoderReranker(scorer, texts)


class _LazyInputs(Sequence[np.ndarray]):
    """What the encoder sees of a chunk, made when the chunk is first a candidate."""

    def __init__(
        self, encoder: Encoder, configuration: Configuration, chunks: Mapping[str, list[Any]]
    ) -> None:
        assert configuration.vector is not None
        self._encoder = encoder
        self._prefix = configuration.vector.passage_prefix
        self._prepend = configuration.chunk.prepend_title
        self._chunks = chunks
        self._cut = title_cutter(encoder)
        self._made: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._chunks["text"])

    def __getitem__(self, row: Any) -> Any:
        if row not in self._made:
            title = self._chunks["title"][row] if self._prepend else ""
            text = passage_text(
                title, self._chunks["text"][row], prefix=self._prefix, cut_title=self._cut
            )
            self._made[row] = self._encoder.inputs([text])[0][0]
        return self._made[row]


def _model_files(folder: BundleFolder, manifest: Mapping[str, Any], role: str) -> ModelFiles:
    expected = manifest["models"][role]
    name = str(folder.model(role)) if expected.get("bundled") else expected["name"]
    files = find_model(name)
    if files.fingerprint != expected["fingerprint"]:
        raise ExportError(
            f"{folder.path}: the {role} must be {expected['name']!r} with fingerprint "
            f"{expected['fingerprint'][:12]} and dimension {expected['dimension']}, got "
            f"{files.fingerprint[:12]} and dimension {files.dimension}. Install the model the "
            f"bundle was made with, or export it again."
        )
    return files
