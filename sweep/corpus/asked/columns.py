"""Which columns of a table of questions hold what: named, or guessed in four languages.

A name is compared without case, accents, blanks and marks; numbers at its end are left out, so
that `Page 1` and `Page 2` are both columns of pages.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from sweep.corpus.columns import find_column, there_are
from sweep.corpus.tables import Table
from sweep.errors import CorpusError
from sweep.text_lines import nearest, shorten

SEVERAL = ("page", "quote")  # fields that may have more than one column
# English, German, French, Spanish; the first that is there counts, of pages and quotes all are
NAMES: dict[str, tuple[str, ...]] = {
    "question": (
        *("question", "questions", "query", "queries", "user question", "user query"),
        *("frage", "fragen", "fragestellung", "suchanfrage", "anfrage", "requête", "demande"),
        *("pregunta", "preguntas", "consulta", "user input", "prompt"),
    ),
    "page": (
        *("page", "pages", "right page", "correct page", "expected page", "page name"),
        *("page title", "document", "documents", "doc", "docs", "file", "files", "file name"),
        *("path", "file path", "url", "urls", "link", "links", "source", "sources", "gold"),
        *("gold doc id", "gold doc ids", "gold id", "doc id", "document id", "corpus id"),
        *("relevant docs", "relevant documents", "expected document", "source page"),
        *("seite", "seiten", "richtige seite", "dokument", "dokumente", "datei", "dateien"),
        *("dateiname", "dateipfad", "pfad", "quelle", "quellen", "fundstelle"),
        *("page correcte", "bonne page", "fichier", "fichiers", "nom du fichier", "chemin"),
        *("lien", "liens"),
        *("página", "páginas", "documento", "documentos", "archivo", "archivos", "fichero"),
        *("nombre del archivo", "ruta", "enlace", "fuente", "fuentes"),
    ),
    "quote": (
        *("quote", "quotes", "answer quote", "quotation", "evidence", "passage", "sentence"),
        *("answer sentence", "answer passage", "excerpt", "snippet", "answer substring"),
        *("gold answer substring", "supporting text", "answer text"),
        *("zitat", "beleg", "textstelle", "belegstelle", "satz", "auszug"),
        *("citation", "extrait", "phrase", "passage de la réponse"),
        *("cita", "fragmento", "frase", "extracto", "pasaje"),
    ),
    "id": (
        *("id", "qid", "query id", "question id", "nr", "no", "number", "num", "key"),
        *("nummer", "fragen id", "frage id", "frage nr", "numéro", "numero", "número"),
    ),
    "grade": (
        *("grade", "score", "relevance", "label", "rating", "relevance label", "judgement"),
        *("bewertung", "relevanz", "note", "pertinence", "relevancia", "puntuación", "nota"),
    ),
    "kind": (
        *("kind", "type", "category", "question type", "query type"),
        *("art", "typ", "kategorie", "fragetyp", "genre", "catégorie", "tipo", "categoría"),
    ),
}
ANSWERS = ("answer", "antwort", "réponse", "reponse", "respuesta")  # quotes, where nothing else is
AskedColumns = dict[str, tuple[str, ...]]  # columns by field


def parse_asked_columns(texts: Iterable[str]) -> AskedColumns:
    """Return columns by field from texts like `question=Frage`; pages and quotes may repeat.

    Raises: CorpusError for another form or an unknown field, or a field given twice.
    """
    columns: AskedColumns = {}
    for text in texts:
        field, equals, column = text.partition("=")
        twice = field in columns and field not in SEVERAL
        if not equals or field not in NAMES or not column or twice:
            rule = "one column a field" if twice else "FIELD=COLUMN"
            raise CorpusError(
                f"--column: must be {rule}, got {shorten(text)}. Write for example "
                f"question=Frage; fields are {', '.join(NAMES)}."
            )
        columns[field] = (*columns.get(field, ()), column)
    return columns


def guess_asked_columns(
    columns: Iterable[str], given: Mapping[str, tuple[str, ...]]
) -> AskedColumns:
    """Return columns by field: those given and there, then those with usual names."""
    free = list(columns)
    chosen: AskedColumns = {}
    for field, names in given.items():
        if there := tuple(c for name in names if (c := find_column(name, free)) is not None):
            chosen[field] = there
            free = [column for column in free if column not in there]
    for field, names in NAMES.items():
        if field in chosen:
            continue
        found = _named(free, names, several=field in SEVERAL)
        if not found and field == "quote":
            found = _named(free, ANSWERS, several=True)
        if found:
            chosen[field] = found
            free = [column for column in free if column not in found]
    return chosen


def find_asked_header(rows: Sequence[Sequence[str]], given: Mapping[str, tuple[str, ...]]) -> int:
    """Return which of a sheet's first rows names the columns; others above it are a title.

    That is the first that names questions and pages or quotes, else the first with two cells of
    which one names questions, else the first.
    """
    found = [guess_asked_columns(filter(None, cells), given) for cells in rows]
    for number, columns in enumerate(found):
        if "question" in columns and ("page" in columns or "quote" in columns):
            return number
    for number, columns in enumerate(found):
        if "question" in columns and sum(map(bool, rows[number])) > 1:
            return number
    return 0


def check_asked_columns(given: Mapping[str, tuple[str, ...]], tables: Iterable[Table]) -> None:
    """Refuse a column that no table has.

    Raises: CorpusError.
    """
    tables = list(tables)
    there = dict.fromkeys(column for table in tables for column in table.columns)
    for field, names in given.items():
        for name in names:
            if all(find_column(name, table.columns) is None for table in tables):
                hint = " ".join([nearest(name, there), there_are(there)]).strip()
                raise CorpusError(
                    f"--column {field}: must name a column of the questions, got "
                    f"{shorten(name)}. {hint}"
                )


def _named(columns: list[str], names: Iterable[str], *, several: bool) -> tuple[str, ...]:
    keys = {column: _key(column) for column in columns}
    wanted = list(dict.fromkeys(_key(name) for name in names))
    if several:
        return tuple(column for column in columns if keys[column] in wanted)
    return next(((c,) for name in wanted for c in columns if keys[c] == name), ())


def _key(name: str) -> str:
    """Return a name as it is compared: `Numéro_2` and `numero` are one; `#` is a number."""
    plain = unicodedata.normalize("NFKD", "nr" if name.strip() == "#" else name).casefold()
    letters = "".join(c for c in plain if c.isalnum() and not unicodedata.combining(c))
    return letters.rstrip("0123456789") or letters
