"""Which reader reads which file: by the user's word, or by content and name."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, get_args

from sweep.corpus.compressed import bare_name
from sweep.corpus.found import Finding, ReadOptions, Role, Source
from sweep.corpus.readers import (
    autorag,
    azure,
    beir,
    gold,
    ir_datasets,
    pages,
    squad,
    table,
    trec,
)
from sweep.corpus.tables import FORMATS, format_of
from sweep.errors import CorpusError
from sweep.records import Notice
from sweep.text_lines import nearest, shorten

EXAMPLES = 8


class Reader(Protocol):
    """What a module in this folder is."""

    @property
    def NAME(self) -> str: ...  # noqa: D102

    @property
    def recognises(self) -> Callable[[Source, ReadOptions], bool]: ...  # noqa: D102

    @property
    def read(self) -> Callable[[Source, ReadOptions], Iterator[Finding]]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class TableReader:
    """The reader of tables, for one of their forms."""

    NAME: str

    def recognises(self, source: Source, options: ReadOptions) -> bool:
        """Return whether a file's name is that of a table."""
        return table.recognises(source, options)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Finding]:
        """Yield what a file holds, read in this form."""
        return table.read_as(source, options, form=self.NAME)


# the first that recognises a file reads it: those of one tool before those of any table
READERS: tuple[Reader, ...] = (ir_datasets, beir, squad, azure, gold, autorag, trec, table)
BY_NAME: dict[str, Reader] = {
    **{reader.NAME: reader for reader in READERS if reader is not table},
    **{form: TableReader(form) for form in FORMATS},
    pages.NAME: pages,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The readers to call, in order, and what is not read."""

    readers: tuple[tuple[Reader, Source], ...]
    notices: tuple[Notice, ...]


def choose_readers(sources: Sequence[str], *, format: str | None, options: ReadOptions) -> Chosen:
    """Return which reader reads each file of some sources.

    A folder in BEIR's form is one source; of any other folder the files in it (and in `qrels/`)
    are read that some reader recognises; where there is none, all its pages.

    Raises: CorpusError if a source does not exist, is in no form that is known, or a folder holds
        one file in two forms.
    """
    if not sources:
        raise CorpusError("SOURCE: must name files, got none. Give a folder, or files.")
    chosen: list[tuple[Reader, Source]] = []
    notices: list[Notice] = []
    forced = reader_named(format) if format else None
    for text in sources:
        source = parse_source(text)
        if ir_datasets.recognises(source, options):
            chosen.append((ir_datasets, source))
        elif source.path.is_dir() and forced not in (beir, pages):
            chosen += _in_folder(source, forced, options, notices)
        elif forced is not None:
            chosen.append((forced, source))
        else:
            chosen.append((_reader_of(source, options), source))
    return Chosen(readers=tuple(chosen), notices=tuple(notices))


def reader_named(name: str) -> Reader:
    """Return a reader by its name.

    Raises: CorpusError if there is none.
    """
    if name not in BY_NAME:
        hint = nearest(name, BY_NAME, otherwise=f"There are: {', '.join(BY_NAME)}.")
        raise CorpusError(f"--format: must name a form, got {shorten(name)}. {hint}")
    return BY_NAME[name]


def parse_source(text: str) -> Source:
    """Return a source from `PATH` or `ROLE=PATH`.

    Raises: CorpusError if there is no such file or folder.
    """
    role, equals, rest = text.partition("=")
    roles: dict[str, Role] = {name: name for name in get_args(Role)}
    source = Source(Path(text))
    if equals and role in roles and not Path(text).exists():
        source = Source(Path(rest), roles[role])
    is_name = str(source.path).startswith(ir_datasets.PREFIX)
    if not is_name and not (source.path.is_file() or source.path.is_dir()):
        raise CorpusError(
            f"{source.path}: must be a file or a folder, got nothing there. Check the path."
        )
    return source


def name_of(sources: Sequence[str]) -> str:
    """Return what a corpus from these sources is called: after the first one."""
    path = parse_source(sources[0]).path
    if str(path).startswith(ir_datasets.PREFIX):
        return str(path).removeprefix(ir_datasets.PREFIX).replace("/", "-")
    return path.resolve().name if path.is_dir() else path.name.split(".")[0]


def _reader_of(source: Source, options: ReadOptions) -> Reader:
    reader = _recognising(source, READERS, options)
    if reader is None:
        raise CorpusError(
            f"{source.path}: must be in a form that is known ({', '.join(BY_NAME)}), got a file "
            "that none of them recognises. Name the form by --format."
        )
    return reader


def _recognising(source: Source, readers: Sequence[Reader], options: ReadOptions) -> Reader | None:
    reader = next((one for one in readers if one.recognises(source, options)), None)
    return BY_NAME[format_of(source.path) or ""] if reader is table else reader


def _in_folder(
    source: Source, forced: Reader | None, options: ReadOptions, notices: list[Notice]
) -> list[tuple[Reader, Source]]:
    folder = source.path
    if forced is None and beir.recognises(source, options):
        return [(beir, source)]
    files = [
        path
        for place in (folder, folder / beir.QRELS_FOLDER)
        for path in (sorted(place.iterdir()) if place.is_dir() else ())
        if path.is_file() and not path.name.startswith(".")
    ]
    readers = [forced] if forced else READERS
    chosen: list[tuple[Reader, Source]] = []
    skipped = []
    for path in files:
        part = Source(path, source.role)
        reader = _recognising(part, readers, options)
        if reader is None:
            skipped.append(path.name)
        else:
            chosen.append((reader, part))
    if not chosen and forced is None and pages.recognises(source, options):
        return [(pages, source)]
    if not chosen:
        found = ", ".join(path.name for path in files[:EXAMPLES]) or "nothing"
        raise CorpusError(
            f"{folder}: must hold files in a form that is known ({', '.join(BY_NAME)}), got "
            f"{found}. Name the files, and their form by --format."
        )
    _refuse_twins(folder, [one.path for _, one in chosen])
    if skipped:
        notices.append(Notice(where=str(folder), text=f"not read: {', '.join(skipped)}"))
    return chosen


def _refuse_twins(folder: Path, paths: Sequence[Path]) -> None:
    """Refuse `corpus.csv` beside `corpus.jsonl`: one is likely the other in another form."""
    stems: dict[str, Path] = {}
    for path in paths:
        first = stems.setdefault(f"{path.parent}/{Path(bare_name(path)).stem}", path)
        if first is not path:
            raise CorpusError(
                f"{folder}: a file must be there in one form, got {first.name} and {path.name}. "
                "Name the files to read."
            )
