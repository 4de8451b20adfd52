"""`sweep init`: from a folder and a spreadsheet to a winner, as a person does it."""

import csv
from pathlib import Path

import openpyxl
import pytest

from sweep.corpus import read_corpus
from tests.e2e.command import USER_INPUT
from tests.e2e.in_process import call, call_json, call_well

TOPICS = {
    "people/leave": ("Annual leave", "Everybody has 25 days of leave a year."),
    "people/sick": ("Sick leave", "Ring the duty desk before nine when you are ill."),
    "ops/forklift": ("Forklifts", "Nobody drives a forklift without a licence."),
    "ops/cold": ("Cold room", "The cold room is kept at four degrees."),
    "it/passwords": ("Passwords", "Passwords have at least twelve characters."),
    "it/cards": ("Access cards", "A lost card is blocked by the doorman."),
}
INIT = ("init", "pages", "--questions", "questions.xlsx", "--out", "corpora/mine")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with pages in two forms and a spreadsheet of questions."""
    for number, (name, (title, sentence)) in enumerate(TOPICS.items()):
        path = tmp_path / "pages" / f"{name}.{'md' if number % 2 else 'html'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (
            f"---\nowner: x\n---\n# {title}\n\n{sentence}\n"
            if number % 2
            else f"<title>x</title><nav>Menu</nav><h1>{title}</h1><p>{sentence}</p>"
        )
        path.write_text(text, encoding="utf-8")
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Question", "Page", "Quote", "Type"])
    for name, (title, sentence) in TOPICS.items():
        sheet.append([f"What about {title.lower()}?", name, sentence.upper(), "fact"])
    sheet.append(["And the canteen?", "people/canteen", None, None])
    book.save(tmp_path / "questions.xlsx")
    return tmp_path


def test_from_a_folder_and_a_spreadsheet_to_a_winner(place: Path) -> None:
    done = call_well(*INIT, cwd=place)
    assert "question = 'Question' (guessed), page = 'Page' (guessed)" in done.stdout
    assert "6  tolerant" in done.stdout
    assert "row 8: names the page 'people/canteen', which is not there" in done.stdout
    assert "sweep query winner/mine 'What about annual leave?'" in done.stdout
    assert "few judged questions (6)" in done.stderr
    corpus = read_corpus(place / "corpora" / "mine")
    assert corpus.name == "mine"
    assert {d.id: d.title for d in corpus.documents}["people/leave.html"] == "Annual leave"
    assert len(corpus.spans) == 6
    with (place / "corpora" / "mine" / "unresolved.csv").open(encoding="utf-8") as file:
        assert [row["row"] for row in csv.DictReader(file)] == ["row 8"]
    shrunk = place / "search_spaces" / "mine.yaml"
    text = shrunk.read_text(encoding="utf-8")
    bm25 = text.partition("  - mode: rerank")[0].replace("[bm25, vector, hybrid]", "bm25")
    kept = [line for line in bm25.splitlines() if "hybrid" not in line]
    shrunk.write_text("\n".join(kept).replace("mode: vector", "mode: bm25"), encoding="utf-8")
    plan = call_json("run", "search_spaces/mine.yaml", "--dry-run", "--threads", 1, cwd=place)
    assert plan["trials"]["planned"] == 2
    call_well("run", "search_spaces/mine.yaml", "--threads", 1, cwd=place)
    assert call_json("best", cwd=place)["params"]["mode"] == "bm25"
    second = (*INIT, "--force", "--space", "search_spaces/second.yaml")
    assert call_json(*second, cwd=place)["earlier_studies"] == []
    (place / "pages" / "people" / "leave.html").write_text("<p>26 days now.</p>", encoding="utf-8")
    told = call_well(*second, cwd=place)
    assert "1 study over the earlier corpus stays as it is (mine)" in told.stderr
    assert "sweep run search_spaces/second.yaml --study mine-2\n" in told.stdout
    refused = call("run", "search_spaces/mine.yaml", "--threads", 1, cwd=place)
    assert "the corpus differs" in refused.stderr
    call_well("run", "search_spaces/mine.yaml", "--threads", 1, "--study", "mine-2", cwd=place)
    before = call_json("compare", "--studies", "mine", "mine-2", cwd=place)
    assert len(before["queries"]) == 6
    assert call_json("diagnose", "mine", cwd=place)
    call_well("export", "mine", "--out", "bundle", cwd=place)
    assert "sweep run search_spaces/mine.yaml --study mine-2 (what is" in refused.stderr
    again = call_well(*second, cwd=place)
    assert "sweep run search_spaces/second.yaml --study mine-2\n" in again.stdout


def test_json_holds_all_that_is_told(place: Path) -> None:
    told = call_json(*INIT, cwd=place)
    assert (told["documents"], told["queries"], told["spans"]) == (6, 6, 6)
    assert told["rows"]["tolerant"] == 6
    assert told["unresolved"][0]["row"] == "row 8"
    assert told["columns"][0]["columns"]["kind"] == ["Type"]
    assert told["configurations"] <= 100


def test_what_is_there_is_replaced_only_by_force(place: Path) -> None:
    call_well(*INIT, cwd=place)
    again = call(*INIT, cwd=place)
    assert again.returncode == USER_INPUT
    assert "--force" in again.stderr
    call_well(*INIT, "--force", cwd=place)
    assert not list(place.rglob("*before*"))
    space, corpus = place / "search_spaces" / "mine.yaml", place / "corpora" / "mine"
    edited = space.read_text(encoding="utf-8") + "# my own remark\n"
    space.write_text(edited, encoding="utf-8")
    with (corpus / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q001\tpeople/sick.md\t1\n")
    labelled = read_corpus(corpus)
    told = call_well(*INIT, "--force", cwd=place)
    assert "the earlier corpus differs and is kept as corpora/mine.before-" in told.stderr
    assert "the earlier space differs and is kept as search_spaces/mine.yaml.before" in told.stderr
    assert space.with_name("mine.yaml.before").read_text(encoding="utf-8") == edited
    (kept,) = corpus.parent.glob("mine.before-*")
    assert read_corpus(kept).hash == labelled.hash != read_corpus(corpus).hash
    (place / "search_spaces" / "mine.yaml").write_text("name: own\n", encoding="utf-8")
    kept = call(*INIT, "--force", cwd=place)
    assert kept.returncode == USER_INPUT
    assert "It is left alone" in kept.stderr


def test_strict_refuses_unresolved_rows_and_writes_nothing(place: Path) -> None:
    done = call(*INIT, "--strict", cwd=place)
    assert done.returncode == USER_INPUT
    assert "--strict: every row must be resolved, got 1" in done.stderr
    assert not (place / "corpora").exists()
    assert not (place / "search_spaces").exists()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--column", "question=Frage"), "must name a column of the questions, got 'Frage'"),
        (("--out", "pages/corpus"), "--out: must not lie in what is read"),
        (("--out", "."), "which holds other files"),
        (("--questions", "nowhere.csv"), "must be a table of questions"),
        (("--space", "corpora/mine/space.yaml"), "--space: must lie beside the corpus"),
        (("--encoding", "klingon"), "--encoding: must name an encoding"),
    ],
    ids=["column", "inside", "here", "no questions", "space inside", "encoding"],
)
def test_bad_input_is_told_and_nothing_is_written(
    place: Path, options: tuple[str, ...], error: str
) -> None:
    done = call(*INIT, *options, cwd=place)
    assert done.returncode == USER_INPUT
    assert error in done.stderr
    assert "Traceback" not in done.stderr
    assert not (place / "corpora").exists()
    assert not (place / "search_spaces").exists()
