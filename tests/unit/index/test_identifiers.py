"""Names as machines write them are found whole and in parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.index.analyzer import analyze


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getHTTPResponse", ["get", "http", "response", "gethttpresponse"]),
        ("XMLHttpRequest", ["xml", "http", "request", "xmlhttprequest"]),
        ("snake_case", ["snake", "case", "snake_case"]),
        ("MAX_RETRY", ["max", "retry", "max_retry"]),
        ("kebab-case", ["kebab", "case", "kebab-case"]),
        ("v1.2.3", ["v", "1", "v1", "2", "3", "v1.2.3"]),
        ("1.2.3", ["1", "2", "3", "1.2.3"]),
        ("E-1042", ["e", "1042", "e-1042"]),
        ("E\u20111042.", ["e", "1042", "e-1042"]),  # the non-breaking hyphen; a full stop
        ("E1042", ["e", "1042", "e1042"]),
        ("/src/app/main.py", ["src", "app", "main", "py", "main.py", "src/app/main.py"]),
        ("C:\\x\\y.txt", ["c", "x", "y", "txt", "y.txt", "x/y.txt", "c:/x/y.txt"]),
        ("std::vector", ["std", "vector", "std::vector"]),
        ("a.b@host.org", ["a", "b", "a.b", "host", "org", "host.org", "a.b@host.org"]),
        ("APIs URL", ["apis", "url"]),
        ("ПриветМир", ["привет", "мир", "приветмир"]),
        ("naïveBayes", ["naïve", "bayes", "naïvebayes"]),
        ("हिन्दी Straße", ["हिन्दी", "strasse"]),
        ("手机getX检索系统", ["手机", "get", "x", "getx", "检索", "索系", "系统"]),
        ("", []),
        (" ... ", []),
    ],
)
def test_identifiers(text: str, terms: list[str]) -> None:
    assert analyze(text, analyzer="auto+identifiers") == terms


def test_stop_words_and_stems_come_after() -> None:
    terms = analyze("The isValidToken of requests", analyzer="english+identifiers")
    assert terms == ["valid", "token", "isvalidtoken", "request"]


def test_what_is_too_long_for_a_name_is_found_in_parts_only() -> None:
    blob = "/".join(["part"] * 40)
    assert analyze(blob, analyzer="auto+identifiers") == ["part"] * 40


@given(st.from_regex(r"[A-Za-zé0-9]{1,8}([-._/:@][A-Za-zé0-9]{1,6}){0,3}", fullmatch=True))
def test_a_name_is_found_by_itself_and_by_each_of_its_words(name: str) -> None:
    terms = analyze(name, analyzer="auto+identifiers")
    assert name.casefold() in terms
    for word in analyze(name, analyzer="auto"):
        assert word in terms


@given(st.text())
def test_terms_are_never_empty_and_never_capital(text: str) -> None:
    for term in analyze(text, analyzer="auto+identifiers"):
        assert term
        assert term == term.casefold() or not term.isascii()
