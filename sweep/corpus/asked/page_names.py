"""Which page a cell names: its path, file name, URL or title, as people write them."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from rapidfuzz import fuzz, process

from sweep.corpus.pages.folder import PAGE_ENDINGS
from sweep.records import Document

NEAREST = 3  # candidates that are named
NEAR = 60  # of 100: what resembles less is no candidate
_INDEX = ("index", "readme", "_index")  # files that stand for their folder


@dataclass(frozen=True, slots=True)
class NamedPage:
    """What a name was found to mean: one page, several (ambiguous) or none."""

    ids: tuple[str, ...]

    @property
    def id(self) -> str | None:
        """Return the page where it is one."""
        return self.ids[0] if len(self.ids) == 1 else None


class PageFinder:
    """Finds pages by name. The first of these rules that some page fits decides.

    The id as it is; the path without regard to case, then without its ending (a page that is
    `.md` here is often `.html` where it is read); the end of a path (`leave.md`, `people/leave`);
    a URL or a longer path that ends in a page's path; the title. Several pages that fit the
    deciding rule are ambiguous.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._ids = {document.id for document in documents}
        self._paths = _index((_path(d.id), d.id) for d in documents)
        self._bare = _index((key, d.id) for d in documents for key in _bare_keys(d.id))
        self._tails = _index(
            (tail, d.id)
            for d in documents
            for key in (_path(d.id), *_bare_keys(d.id))
            for tail in _tails(key)
        )
        self._titles = _index((_title(d.title), d.id) for d in documents if d.title.strip())
        self._names = {d.id: f"{_path(d.id)} {_title(d.title)}" for d in documents}

    def find(self, name: str) -> NamedPage:
        """Return the page or pages that a name fits."""
        if name in self._ids:
            return NamedPage((name,))
        path = _path(_url_path(name))
        rules: list[Callable[[], tuple[str, ...]]] = [
            lambda: self._paths.get(path, ()),
            lambda: self._bare.get(path, ()) or self._bare.get(_without_ending(path), ()),
            lambda: self._tails.get(path, ()) or self._tails.get(_without_ending(path), ()),
            lambda: self._by_longer_path(path),
            lambda: self._titles.get(_title(name), ()),
        ]
        if not path or path.startswith(".."):  # leads out of the folder
            rules = rules[-1:]
        return NamedPage(next((ids for rule in rules if (ids := rule())), ()))

    def nearest(self, name: str) -> list[str]:
        """Return the ids of the pages whose path or title resembles a name most, best first."""
        wanted = f"{_path(_url_path(name))} {_title(name)}"
        found = process.extract(
            wanted, self._names, scorer=fuzz.token_set_ratio, limit=NEAREST, score_cutoff=NEAR
        )
        return [id_ for _, _, id_ in found]

    def _by_longer_path(self, path: str) -> tuple[str, ...]:
        """Return the pages whose whole path is the longest end of a longer path or a URL."""
        for tail in _tails(path):
            for index in (self._paths, self._bare):
                if ids := index.get(tail, ()):
                    return ids
            if ids := self._bare.get(_without_ending(tail), ()):
                return ids
        return ()


def _index(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for key, id_ in pairs:
        if key:
            found[key][id_] = None
    return {key: tuple(ids) for key, ids in found.items()}


def _path(name: str) -> str:
    """Return a path as it is compared: `/` between parts, no outer ones, lower case, NFC."""
    text = unicodedata.normalize("NFC", name).replace("\\", "/").strip().casefold()
    normal = posixpath.normpath(text).strip("/") if text else ""
    return "" if normal == "." else normal


def _url_path(name: str) -> str:
    """Return the path of a URL without query and fragment; of anything else without a fragment."""
    name = name.strip()
    if "://" in name:
        try:
            return unquote(urlsplit(name).path)
        except ValueError:
            return name
    bare, mark, _ = name.partition("#")
    return unquote(bare) if mark and bare else unquote(name) if "%" in name else name


def _without_ending(path: str) -> str:
    return next((path.removesuffix(e) for e in PAGE_ENDINGS if path.endswith(e)), path)


def _bare_keys(id_: str) -> list[str]:
    """Return a page's path without ending, and its folder where it stands for that."""
    bare = _without_ending(_path(id_))
    folder, _, name = bare.rpartition("/")
    return [bare, folder] if name in _INDEX and folder else [bare]


def _tails(path: str) -> list[str]:
    """Return a path, and what is left of it as folders are taken away, the longest first."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _title(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
