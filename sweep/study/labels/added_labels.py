"""A study's corpus: its folder, and for a study `NAME@HASH` the labels that were added to it.

Of a study `NAME@sample` it is a sample of the folder's documents (see `sweep.study.quick_look`).

A study keeps those labels in its own folder (`labels.jsonl`), and remembers of which corpus they
are: neither the corpus's files nor the study they come from are ever changed.
"""

import glob
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sweep.corpus import read_corpus, read_jsonl
from sweep.corpus.labels import Pair
from sweep.corpus.write import BEFORE
from sweep.errors import CorpusError, StudyError
from sweep.records import Corpus
from sweep.study.quick_look import searched_corpus

if TYPE_CHECKING:
    from sweep.study.study import Study

LABELS = "labels"  # in what a study remembers: `of` which study, `corpus` hash, `count`
MARK = "@"  # between a study's name and the hash of the labels it was scored again under


def corpus_in_folder(study: "Study") -> Corpus:
    """Return the corpus as its folder has it, or its sample, without added labels.

    Where the folder holds another corpus by now, it is what `sweep init --force` has kept beside.

    Raises: StudyError if it has moved away or changed.
    """
    folder = study.corpus_folder
    kept = sorted(folder.parent.glob(f"{glob.escape(folder.name)}{BEFORE}*"))
    if not folder.is_dir() and not kept:
        raise StudyError(
            f"study {study.name!r}: its corpus must still be at {folder}, got nothing there. Put "
            f"it back, or run the sweep again with --corpus: what is computed is reused."
        )
    remembered: dict[str, Any] = study.about.get(LABELS, {})
    for place in (folder, *kept):
        try:
            corpus = searched_corpus(read_corpus(place), study.about)
        except CorpusError:
            if not kept:
                raise
            continue
        if corpus.hash == remembered.get("corpus", study.about["identity"]["corpus"]):
            return replace(corpus, name=folder.name)
    raise StudyError(
        f"study {study.name!r}: its corpus must be unchanged, got other content in {folder}. Put "
        f"what it held there, or beside it as {folder.name}{BEFORE}1; or run the sweep again "
        "under another name with --study."
    )


def added_labels(study: "Study") -> dict[Pair, int]:
    """Return the labels that were added to the corpus's own; empty for most studies.

    Raises: StudyError if their file is gone.
    """
    if LABELS not in study.about:
        return {}
    path = study.folder.labels
    if not path.is_file():
        raise StudyError(
            f"study {study.name!r}: the labels it was scored under must be in {path}, got no such "
            f"file. {again(study)}"
        )
    return {
        (str(row["query_id"]), str(row["document_id"])): int(row["label"])
        for _, row in read_jsonl(path)
    }


def root_name(study: "Study") -> str:
    """Return the name of the study that was run, of which others are scored again."""
    return str(study.about.get(LABELS, {}).get("of", study.name))


def finishing(study: "Study") -> str:
    """Return the command that goes on with a study which is not finished, as a sentence has it.

    That of a study `NAME@HASH` applies the labels which its folder keeps: they make that hash.
    """
    from sweep.study.verdict import named_storage  # imports the study itself

    if LABELS not in study.about:
        return "the same `sweep run` command"
    words = ["sweep", "pool", root_name(study), "--apply", study.folder.labels.as_posix()]
    storage = named_storage(study)
    words += [] if storage is None else ["--storage", storage]
    return f"`{shlex.join(words)}`"


def again(study: "Study") -> str:
    """Return how to get the labels of a study back that were added to its corpus's."""
    return f"Apply the same labels again: sweep pool {root_name(study)} --apply FILE"
