"""Folders of Markdown, HTML and text: what is a page, its text, its title, its metadata."""

import json
from pathlib import Path

import pytest

from sweep.corpus import read_sources
from sweep.corpus.found import Found, ReadOptions, Source
from sweep.corpus.pages.front_matter import split_front_matter
from sweep.corpus.pages.html import TooDeep, declared_encoding, read_html
from sweep.corpus.pages.markdown import split_heading
from sweep.corpus.pages.repeated import drop_repeated, repeated_lines, repeated_notice
from sweep.corpus.readers import pages
from sweep.errors import CorpusError
from sweep.records import Document, Notice


def read(folder: Path, encoding: str | None = None) -> tuple[dict[str, Document], str]:
    """Return the pages of a folder by id, and all notices as one text."""
    found = list(pages.read(Source(folder), ReadOptions(encoding=encoding)))
    documents = [one.item for one in found if isinstance(one, Found)]
    notices = [str(one) for one in found if isinstance(one, Notice)]
    return {d.id: d for d in documents if isinstance(d, Document)}, "\n".join(notices)


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_front_matter_becomes_metadata_and_leaves_the_text() -> None:
    text = "---\ntitle: Leave\nreviewed: 2026-03-01\ntags: [a, b]\n---\nBody.\n"
    metadata, rest, fault = split_front_matter(text)
    assert metadata == {"title": "Leave", "reviewed": "2026-03-01", "tags": ["a", "b"]}
    assert (rest, fault) == ("Body.\n", None)


def test_metadata_is_what_json_can_hold() -> None:
    text = f'---\na: .nan\nb: "\\ud800"\nc: 0x{"f" * 5000}\n1: yes\n---\n'
    metadata, _, fault = split_front_matter(text)
    assert fault is None
    assert (metadata["a"], metadata["b"], metadata["1"]) == (None, "\ufffd", True)
    assert json.dumps(metadata)[:1] == "{"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("---\nA rule above, not a mapping\n---\nBody", None),
        ("No front matter\n---\na: 1\n---\n", None),
        ("---\na: [1\n---\nBody", "front matter that is not YAML"),
        ("---\na: &x [1]\nb: *x\n---\nBody", "front matter that is not YAML (aliases"),
        (f"---\na: {'x' * 30_000}\n---\nBody", "front matter of more than 20,000 characters"),
    ],
    ids=["a sentence", "not first", "broken", "aliases", "huge"],
)
def test_what_is_no_front_matter_stays_in_the_text(text: str, fault: str | None) -> None:
    metadata, rest, told = split_front_matter(text)
    assert (metadata, rest) == ({}, text)
    assert (told or "").startswith(fault or "")
    assert (told is None) == (fault is None)


@pytest.mark.parametrize(
    ("text", "title", "rest"),
    [
        ("# Annual *leave* #\n\nBody", "Annual leave", "Body"),
        ("Leave\n=====\nBody", "Leave", "Body"),
        ("Intro\n\n## The `sweep` [tool](x.md)\nBody", "The sweep tool", None),
        ("```\n# not a heading\n```\n# Heading\nBody", "Heading", None),
        ("- item\n---\nBody", "", None),
        ("# Only a heading", "Only a heading", None),
        ("#hashtag\nBody", "", None),
    ],
    ids=["atx", "underlined", "later", "after code", "a list", "alone", "hashtag"],
)
def test_the_first_heading_is_the_title(text: str, title: str, rest: str | None) -> None:
    assert split_heading(text) == (title, text if rest is None else rest)


PAGE = """<!doctype html><html><head><title>Leave | Intranet</title><style>p{}</style></head><body>
<header><a href="/">Home</a></header><nav>Menu</nav><div role="navigation">Crumbs</div>
<main><h1>Annual <em>leave</em></h1><p>You get <b>25&nbsp;days</b> a year,<br>in
<a href="x.html">full</a> &amp; snake_case*.</p><ul><li>one<ul><li>two</li></ul></li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code>x = 1
  y = 2</code></pre><p hidden>secret</p><script>bad()</script>
<article><header>Kept line</header></article><img src="m.png" alt="a map"></main>
<footer>Imprint</footer></body></html>"""


def test_html_becomes_readable_text_without_its_surroundings() -> None:
    page = read_html(PAGE)
    assert page.title == "Annual leave"
    assert page.text == (
        "You get 25\u00a0days a year,\nin\nfull & snake_case*.\n\n- one\n  - two\n\n| A | B |\n"
        "| --- | --- |\n| 1 | 2 |\n\n```\nx = 1\n  y = 2\n```\n\nKept line\n\na map"
    )
    for gone in ("Home", "Menu", "Crumbs", "bad()", "secret", "Imprint", "Intranet"):
        assert gone not in page.text


def test_title_of_html_falls_back_to_the_title_element_then_to_a_heading() -> None:
    assert read_html("<title>T</title><h2>Part</h2><p>x</p>").title == "T"
    assert read_html("<h2>Part</h2><p>x</p>").title == "Part"
    assert read_html("<p>x</p>").title == ""


def test_elements_that_are_not_closed_end_where_a_browser_ends_them() -> None:
    page = read_html(
        "<title>T</title><p>one<p>two<ul><li>a<li>b</ul><table><tr><td>1<td>2</table>"
    )
    assert page.text == "one\n\ntwo\n\n- a\n- b\n\n| 1 | 2 |\n| --- | --- |"
    assert read_html("<p>x" * 3_000).text.count("x") == 3_000
    assert read_html('<?xml version="1.0"?><html><body><p>x</p></body></html>').text == "x"


@pytest.mark.parametrize("depth", [260, 330, 5_000])
def test_html_nested_beyond_measure_is_refused_without_recursion(depth: int) -> None:
    with pytest.raises(TooDeep):
        read_html("<div>" * depth + "x")


def test_html_that_the_stack_has_no_room_for_is_refused() -> None:
    markup = "<div>" * 200 + "x"
    assert read_html(markup).text == "x"

    def deeper(levels: int) -> str:
        return deeper(levels - 1) if levels else read_html(markup).text

    with pytest.raises(TooDeep):
        deeper(500)


def test_declared_encoding_is_what_browsers_make_of_it() -> None:
    assert declared_encoding(b'<meta charset="ISO-8859-1">') == "cp1252"
    assert declared_encoding(b'<meta content="text/html; charset=shift_jis">') == "shift_jis"
    assert declared_encoding(b"<meta charset=utf-8>") is None
    assert declared_encoding(b"<p>charset=latin-1</p>") is None


def test_a_folder_is_read_with_its_folders(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        people__leave_md="---\ntitle: Time off\nowner: HR\n---\n# Leave\r\n\r\n25 days",
        ops__site_html=PAGE,
        plain_txt="Just text",
        notes_docx=b"PK\x03\x04",
        blank_md=" \n",
        picture_md=b"\x89PNG\0\0",
        onlyscript_html="<script>x</script>",
    )
    (folder / ".git").mkdir()
    (folder / ".git" / "x.md").write_text("hidden")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    found, notices = read(folder)
    assert list(found) == ["ops/site.html", "people/leave.md", "plain.txt"]
    leave = found["people/leave.md"]
    assert (leave.title, dict(leave.metadata)) == ("Time off", {"owner": "HR"})
    assert leave.text == "25 days"
    assert found["plain.txt"].title == "plain"
    for reason in (
        "(not a page (.docx)): notes.docx",
        "(empty): blank.md",
        "(binary): picture.md",
        "(no text in it): onlyscript.html",
        "(hidden): .git",
        "(a link to nothing): gone.md",
    ):
        assert reason in notices


def test_encodings_follow_the_rule_of_all_texts(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", x_md="Grüße".encode("utf-16"), y_md=b"\xef\xbb\xbfBOM")
    assert [d.text for d in read(folder)[0].values()] == ["Grüße", "BOM"]
    latin = write(tmp_path / "b", x_md="Grüße".encode("latin-1"))
    with pytest.raises(CorpusError, match=r"x\.md:1: must be UTF-8, got byte 0xfc"):
        read(latin)
    assert read(latin, "latin-1")[0]["x.md"].text == "Grüße"
    both = write(tmp_path / "d", x_md="Grüße".encode("latin-1"), y_md="Grüße", z_md="Gr")
    assert [d.text for d in read(both, "latin-1")[0].values()] == ["Grüße", "Grüße", "Gr"]
    page = '<meta charset="iso-8859-1"><p>Grüße</p>'.encode("latin-1")
    assert read(write(tmp_path / "c", x_html=page))[0]["x.html"].text == "Grüße"


def test_a_folder_without_pages_says_what_is_in_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"got 1 empty, 1 not a page \(\.pdf\)"):
        read(write(tmp_path, x_pdf="x", y_md=""))
    with pytest.raises(CorpusError, match="got nothing there"):
        read(tmp_path / "nowhere")


def test_repeated_lines_are_told_with_their_pages() -> None:
    documents = [
        Document(id=str(n), text=f"Home | About\n---\nText {n}\n" + "Footer line\n" * (n < 5))
        for n in range(8)
    ]
    assert repeated_lines(documents) == [("Home | About", 8), ("Footer line", 5)]
    assert "'Home | About' on 8; 'Footer line' on 5" in (repeated_notice(documents) or "")
    assert repeated_notice(documents[:4]) is None


def test_lines_on_most_pages_are_taken_out_where_that_is_asked_for() -> None:
    code = "\n```bash\nrun\n```"
    texts = [f"Home | About\n\nText {n}\n\n Home  |  About {code}" for n in range(5)]
    documents = [Document(id=str(n), text=text) for n, text in enumerate(texts)]
    documents += [Document(id="menu", text="Home | About"), Document(id="x", text="a\n\n\nb")]
    found = drop_repeated(documents)
    assert [d.text for d in found.documents] == [
        *(f"Text {n}\n{code}" for n in range(5)),
        "Home | About",
        "a\n\n\nb",
    ]
    assert (found.lines, found.n_lines, found.n_pages) == ((("Home | About", 5),), 10, 5)
    left = sum(len(document.text) for document in found.documents[:5])
    assert found.n_characters == sum(map(len, texts)) - left
    assert "10 lines (" in found.text()
    assert "taken out of 5 pages" in found.text()
    third = [Document(id=str(n), text="often here\n" * (n < 6) + f"{n}") for n in range(13)]
    assert drop_repeated(third).documents == tuple(third)
    assert "nothing was taken out" in drop_repeated(third).text()


def test_code_between_fences_and_tables_are_neither_counted_nor_taken_out() -> None:
    parts = "```bash\nmake install\n```\n\n| Name | Value |\n|------|-------|\n| size | large |"
    texts = [f"Text {n}\n\n{parts}\n\nOwned by the team | page" for n in range(6)]
    documents = [Document(id=str(n), text=text) for n, text in enumerate(texts)]
    found = drop_repeated(documents)
    assert found.lines == (("Owned by the team | page", 6),)
    assert [d.text for d in found.documents] == [f"Text {n}\n\n{parts}" for n in range(6)]
    both = [Document(id=str(n), text=f"make install\n{t}") for n, t in enumerate(texts)]
    assert [d.text for d in drop_repeated(both).documents] == [d.text for d in found.documents]


def test_the_option_is_not_advised_where_it_was_given_or_would_do_nothing() -> None:
    third = [Document(id=str(n), text="often here\n" * (n < 6) + f"{n}") for n in range(13)]
    half = [Document(id=str(n), text=f"often here\n{n}") for n in range(13)]
    assert "'often here' on 6" in (repeated_notice(third) or "")
    assert "--drop-repeated" not in (repeated_notice(third) or "")
    assert "--drop-repeated" in (repeated_notice(half) or "")
    assert "--drop-repeated" not in (repeated_notice(half, dropped=True) or "")


def test_a_heading_below_a_menu_opens_the_page_without_it(tmp_path: Path) -> None:
    texts = {f"p{n}_md": f"Home | Help\n\n# Title {n}\n\nText {n}\n" for n in range(5)}
    folder = write(tmp_path, **texts)
    options = ReadOptions(drop_repeated=True)
    found = [one for one in pages.read(Source(folder), options) if isinstance(one, Found)]
    documents = [one.item for one in found if isinstance(one.item, Document)]
    assert [(d.title, d.text) for d in documents] == [
        (f"Title {n}", f"Text {n}") for n in range(5)
    ]


def test_convert_reads_a_folder_of_pages_beside_a_table(tmp_path: Path) -> None:
    folder = write(tmp_path, docs__a_md="# A\nant", docs__deep__b_txt="bee")
    (tmp_path / "q.csv").write_text("qid,question,gold\n1,which?,deep/b.txt\n")
    corpus = read_sources([str(folder / "docs"), str(tmp_path / "q.csv")]).corpus
    assert [d.id for d in corpus.documents] == ["a.md", "deep/b.txt"]
    assert corpus.qrels == {"1": {"deep/b.txt": 1}}
