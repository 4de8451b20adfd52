"""`sweep init`: a folder of pages and a table of questions as a corpus and a search space."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option

if TYPE_CHECKING:
    from sweep.corpus.asked.read import AskedCorpus
    from sweep.study.listing import EarlierStudies

FIELDS = "question, page, quote, id, grade, kind"


@click.command(name="init", short_help="Begin: your pages and questions as corpus and space.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Table of questions: .csv, .tsv, .xlsx, .jsonl, .parquet.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Corpus folder to make."
)
@click.option(
    "--space",
    type=click.Path(path_type=Path),
    help="Search space to write.  [default: search_spaces/NAME.yaml, NAME as --out's]",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help=f"Say which column holds {FIELDS}; page and quote may be given several times.",
)
@click.option("--encoding", metavar="NAME", help="Of text files that are not UTF-8.")
@click.option(
    "--drop-repeated",
    is_flag=True,
    help="Take lines out of the pages that stand on most of them: menus, banners, footers.",
)
@click.option("--strict", is_flag=True, help="Make any row that is not resolved an error.")
@click.option(
    "--force",
    is_flag=True,
    help="Take the place of an earlier `sweep init`; what differs is kept beside.",
)
@json_option()
def command(
    folder: Path,
    questions: Path,
    out: Path,
    space: Path | None,
    columns: tuple[str, ...],
    encoding: str | None,
    drop_repeated: bool,
    strict: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make a corpus and a search space of a FOLDER of pages and a table of questions.

    FOLDER holds Markdown, HTML or text, in folders of folders. Each row of the table asks a
    question and names the right page (path, file name, URL or title; several between ; or |), or
    quotes the sentence that answers, or both. Columns are guessed and told. What cannot be
    resolved is written to unresolved.csv in the corpus folder, with the reason; nothing is
    guessed.
    """
    from sweep.cli.init_view import unresolved_error
    from sweep.corpus.asked.columns import parse_asked_columns
    from sweep.corpus.asked.read import read_asked
    from sweep.corpus.write import check_target
    from sweep.study.starter.space import check_space_target

    space = space or Path("search_spaces", f"{study_name(out)}.yaml")
    check_target(out, replace=force)
    keep_sources(folder, questions, out, space)
    check_space_target(space, replace=force)
    start = time.perf_counter()
    asked = read_asked(
        folder,
        questions,
        name=study_name(out),
        columns=parse_asked_columns(columns),
        encoding=encoding,
        drop_repeated=drop_repeated,
    )
    if strict and asked.resolved.unresolved:
        raise unresolved_error(asked.resolved.unresolved)
    _write(asked, out, space, start=start, force=force, as_json=as_json)


def _write(
    asked: "AskedCorpus", out: Path, space: Path, *, start: float, force: bool, as_json: bool
) -> None:
    """Write corpus and space, and print what came of it; `start`: when reading began."""
    from sweep.cli.init_view import print_init, print_kept, print_next, summarise
    from sweep.cli.output import print_json
    from sweep.corpus.asked.read import unresolved_csv
    from sweep.corpus.write import kept_at, write_corpus
    from sweep.study.starter.space import write_starter

    seconds: dict[str, float] = {"read": time.perf_counter() - start}
    about = summarise(asked, out=out, space=space)
    missing = asked.resolved.unresolved
    table = unresolved_csv(missing) if missing else None
    kept = kept_at(out, asked.corpus.hash)
    write_corpus(asked.corpus, out, replace=force, about=about, unresolved=table)
    sizing, count, kept_space = write_starter(asked.corpus, out, space)
    earlier = _earlier(out, asked.corpus.hash) if force else None
    seconds["total"] = time.perf_counter() - start
    if as_json:
        told: dict[str, Any] = {
            "objective": sizing.objective,
            "configurations": count,
            "seconds": seconds,
        }
        told |= {"kept_corpus": kept and str(kept), "kept_space": kept_space and str(kept_space)}
        print_json({**about, **told, "earlier_studies": list(earlier.names) if earlier else []})
        return
    print_kept(kept, kept_space)
    print_init(asked, sizing, space=space, out=out, n_configurations=count, seconds=seconds)
    print_next(asked, space, earlier)


def _earlier(out: Path, content: str) -> "EarlierStudies | None":
    """Return the studies over what the folder held; a storage that fails is no matter here."""
    from sweep.errors import SweepError
    from sweep.study.listing import earlier_studies

    try:
        return earlier_studies(out, content, name=study_name(out))
    except SweepError:
        return None


def study_name(out: Path) -> str:
    """Return a name for corpus and study: the folder's, without what names may not begin with."""
    name = out.resolve().name.lstrip("-._: ").replace(":", "-").replace("@", "-")
    return name[:100].replace("\\", "-") or "mine"


def keep_sources(folder: Path, questions: Path, out: Path, space: Path) -> None:
    """Refuse to write over what is read.

    Raises: CorpusError.
    """
    from sweep.errors import CorpusError

    target, read = out.resolve(), [folder.resolve(), questions.resolve()]
    inside = folder.resolve() in target.parents
    if inside or any(target == path or target in path.parents for path in read):
        where = "lie in" if inside else "hold"
        raise CorpusError(
            f"--out: must not {where} what is read, got {str(out)!r} for {folder} and {questions}."
            " Choose another folder."
        )
    if space.resolve() in (questions.resolve(), target) or target in space.resolve().parents:
        raise CorpusError(
            f"--space: must lie beside the corpus, got {str(space)!r}. Choose another name."
        )
