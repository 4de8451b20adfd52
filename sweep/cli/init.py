"""`sweep init`: a folder of pages and a table of questions as a corpus and a search space."""

import time
from pathlib import Path

import click

from sweep.cli.options import json_option

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
@click.option("--strict", is_flag=True, help="Make any row that is not resolved an error.")
@click.option("--force", is_flag=True, help="Replace what an earlier `sweep init` wrote.")
@json_option()
def command(
    folder: Path,
    questions: Path,
    out: Path,
    space: Path | None,
    columns: tuple[str, ...],
    encoding: str | None,
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
    from sweep.corpus.write import check_target
    from sweep.study.starter.space import check_space_target

    space = space or Path("search_spaces", f"{study_name(out)}.yaml")
    check_target(out, replace=force)
    keep_sources(folder, questions, out, space)
    check_space_target(space, replace=force)
    _make(folder, questions, out, space, columns, encoding, strict, force, as_json)


def _make(
    folder: Path,
    questions: Path,
    out: Path,
    space: Path,
    columns: tuple[str, ...],
    encoding: str | None,
    strict: bool,
    force: bool,
    as_json: bool,
) -> None:
    from sweep.cli.init_view import print_init, summarise, unresolved_error
    from sweep.cli.output import print_json
    from sweep.corpus.asked.columns import parse_asked_columns
    from sweep.corpus.asked.read import read_asked, unresolved_csv
    from sweep.corpus.write import write_corpus
    from sweep.study.starter.space import write_starter

    start = time.perf_counter()
    named = parse_asked_columns(columns)
    asked = read_asked(folder, questions, name=study_name(out), columns=named, encoding=encoding)
    missing = asked.resolved.unresolved
    if strict and missing:
        raise unresolved_error(missing)
    read_s = time.perf_counter() - start
    about = summarise(asked, out=out, space=space)
    table = unresolved_csv(missing) if missing else None
    write_corpus(asked.corpus, out, replace=force, about=about, unresolved=table)
    sizing, count = write_starter(asked.corpus, out, space)
    seconds = {"read": read_s, "total": time.perf_counter() - start}
    if as_json:
        told = {"objective": sizing.objective, "configurations": count, "seconds": seconds}
        print_json({**about, **told})
    else:
        print_init(asked, sizing, space=space, out=out, n_configurations=count, seconds=seconds)


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
