"""Writes a production bundle: whole or not at all, without pickle or a path of this machine."""

import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import yaml
from safetensors.numpy import save

import sweep
from sweep.configuration import GROUPS, Configuration
from sweep.errors import ExportError
from sweep.export.contents import BundleContents
from sweep.export.layout import FORMAT, BundleFolder, file_checksum
from sweep.export.readme import readme_text
from sweep.index.analyzer import analyzer_libraries
from sweep.index.bm25 import to_arrays
from sweep.index.vectors import save_index
from sweep.machine import machine_name, processor_features, version_of
from sweep.models import ModelFiles
from sweep.parquet import to_parquet
from sweep.trials import json_ready
from sweep.whole_folder import whole_folder

LIBRARIES = (
    "numpy",
    "scipy",
    "faiss-cpu",
    "torch",
    "transformers",
    "sentence-transformers",
    "tokenizers",
    "rank-bm25",
    "pystemmer",
)


def write_bundle(contents: BundleContents, out: Path, *, replace: bool = False) -> Path:
    """Write a bundle and return its folder.

    Args:
        contents: what to write.
        out: the folder to make.
        replace: take the place of a bundle that is there already; anything else is left alone.

    Raises: ExportError if `out` holds something, or the disk refuses.
    """
    check_target(out, replace=replace)
    try:
        with whole_folder(out) as folder:
            _fill(contents, BundleFolder(folder))
    except OSError as error:
        raise ExportError(
            f"{out}: must be writable, got {error.strerror or error}. Free some space, or choose "
            f"another folder."
        ) from error
    return out


def check_target(out: Path, *, replace: bool) -> None:
    """Refuse a folder that holds something, unless it is a bundle that may be replaced.

    Raises: ExportError.
    """
    if not out.exists():
        return
    is_bundle = out.is_dir() and BundleFolder(out).manifest.is_file()
    is_empty = out.is_dir() and not any(out.iterdir())
    if not (is_empty or (is_bundle and replace)):
        advice = "Give --force to replace it" if is_bundle else "It is left alone"
        holds = (
            f"holds a bundle{_owner(BundleFolder(out))}" if is_bundle else "holds something else"
        )
        raise ExportError(
            f"--out: must be a new folder, got {str(out)!r}, which {holds}. {advice}, or choose "
            f"another folder."
        )


def _owner(folder: BundleFolder) -> str:
    """Return which study and trial a bundle comes from, in words; nothing if it does not say."""
    try:
        manifest = json.loads(folder.manifest.read_text(encoding="utf-8"))
        return f" of the study {manifest['study']!r}, trial #{manifest['trial']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _fill(contents: BundleContents, folder: BundleFolder) -> None:
    folder.config.write_text(_config_text(contents.configuration), encoding="utf-8")
    _write_chunks(contents, folder.chunks)
    _write_expected(contents, folder.expected)
    if contents.terms is not None:
        folder.terms.write_bytes(save(to_arrays(contents.terms)))
    if contents.index is not None:
        save_index(contents.index, folder.vectors)
    models = {
        "encoder": _model(contents.encoder, folder, "encoder"),
        "reranker": _model(contents.reranker, folder, "reranker"),
    }
    manifest = {
        "format": FORMAT,
        "made_by": f"retrieval-sweep {sweep.__version__}",
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"name": machine_name(), "features": list(processor_features())},
        "libraries": {name: version_of(name) for name in _libraries(contents.configuration)},
        "configuration": contents.configuration.flat(),
        "fingerprint": contents.configuration.fingerprint(),
        "corpus": {
            "name": contents.corpus.name,
            "hash": contents.corpus.hash,
            "documents": len(contents.corpus.documents),
        },
        "chunks": len(contents.chunks),
        "dimension": int(contents.index.vectors.shape[1]) if contents.index else None,
        "precision": contents.precision,
        "rerank_precision": contents.rerank_precision,
        "tokenizer": contents.tokenizer if "/" not in contents.tokenizer else None,
        "models": models,
        **json_ready(contents.about),
    }
    manifest["files"] = {
        path.relative_to(folder.path).as_posix(): file_checksum(path) for path in folder.checked()
    }
    folder.readme.write_text(readme_text(manifest), encoding="utf-8")
    text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
    folder.manifest.write_text(text + "\n", encoding="utf-8")


def _libraries(configuration: Configuration) -> tuple[str, ...]:
    """Return the packages that can change what the bundle retrieves."""
    if configuration.bm25 is None:
        return LIBRARIES
    return (*LIBRARIES, *analyzer_libraries(configuration.bm25.analyzer))


def _config_text(configuration: Configuration) -> str:
    nested: dict[str, Any] = {}
    for name, value in configuration.flat().items():
        group, _, inner = name.partition(".")
        if group in GROUPS:
            nested.setdefault(group, {})[inner] = value
        else:
            nested[name] = value
    head = "# What this bundle retrieves; for people. The program reads manifest.json.\n"
    text: str = yaml.safe_dump(_portable(nested), sort_keys=False, allow_unicode=True)
    return head + text


def _portable(nested: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with a model's folder cut to its last name."""
    for group in ("vector", "rerank"):
        model = nested.get(group, {}).get("model")
        if isinstance(model, str) and Path(model).is_dir():
            nested[group]["model"] = Path(model).name
    return nested


def _model(files: ModelFiles | None, folder: BundleFolder, role: str) -> dict[str, Any] | None:
    """Return how a model is found again; one that was named by its folder travels along."""
    if files is None:
        return None
    found: dict[str, Any] = {"name": files.name, "fingerprint": files.fingerprint}
    if Path(files.name).expanduser().is_dir():
        shutil.copytree(files.folder, folder.model(role))
        found |= {"name": files.folder.name, "bundled": True}
    found["dimension"] = files.dimension
    return found


def _write_chunks(contents: BundleContents, path: Path) -> None:
    chunks, documents = contents.chunks, contents.corpus.documents
    embedded = np.zeros(len(chunks), dtype=np.bool_)
    if contents.rows is not None:
        embedded[contents.rows] = True
    owners = [documents[row] for row in chunks.document.tolist()]
    spans = zip(chunks.start.tolist(), chunks.end.tolist(), strict=True)
    table = pa.table(
        {
            "document": chunks.document,
            "document_id": [owner.id for owner in owners],
            "title": [owner.title for owner in owners],
            "start": chunks.start,
            "end": chunks.end,
            "tokens": chunks.tokens,
            "embedded": embedded,
            "text": [o.text[start:end] for o, (start, end) in zip(owners, spans, strict=True)],
            "metadata": [_metadata(owner.metadata) for owner in owners],
        }
    )
    path.write_bytes(to_parquet(table))


def _metadata(metadata: Mapping[str, Any]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True)


def _write_expected(contents: BundleContents, path: Path) -> None:
    rows = [row[row >= 0].tolist() for row in contents.output.items]
    scores = [row[~np.isnan(row)].tolist() for row in contents.output.scores]
    table = pa.table(
        {
            "query_id": [query.id for query in contents.corpus.queries],
            "query": [query.text for query in contents.corpus.queries],
            "chunks": pa.array(rows, type=pa.list_(pa.int64())),
            "scores": pa.array(scores, type=pa.list_(pa.float64())),
        }
    )
    path.write_bytes(to_parquet(table))
