"""A bundle's folder: every file in it is named here, and nowhere else."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

FORMAT = 1  # of the folder; a reader refuses a newer one


@dataclass(frozen=True, slots=True)
class BundleFolder:
    """The files of one production bundle; what a configuration does not use is not there."""

    path: Path

    @property
    def config(self) -> Path:
        """Return the configuration, for people."""
        return self.path / "config.yaml"

    @property
    def manifest(self) -> Path:
        """Return versions, hashes, figures and checksums."""
        return self.path / "manifest.json"

    @property
    def chunks(self) -> Path:
        """Return the chunks with their texts."""
        return self.path / "chunks.parquet"

    @property
    def vectors(self) -> Path:
        """Return the faiss index."""
        return self.path / "vectors.faiss"

    @property
    def terms(self) -> Path:
        """Return the term matrix."""
        return self.path / "terms.safetensors"

    @property
    def expected(self) -> Path:
        """Return the trial's queries and ranked chunks, for `sweep verify`."""
        return self.path / "expected.parquet"

    @property
    def readme(self) -> Path:
        """Return the page for people."""
        return self.path / "README.md"

    def model(self, role: str) -> Path:
        """Return the folder of a model that travels with the bundle (`encoder`, `reranker`)."""
        return self.path / "models" / role

    def checked(self) -> list[Path]:
        """Return the files whose checksums the manifest holds, sorted."""
        skip = {self.manifest.name, self.readme.name}
        return sorted(p for p in self.path.rglob("*") if p.is_file() and p.name not in skip)


def file_checksum(path: Path) -> str:
    """Return a file's SHA-256 (hex)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
