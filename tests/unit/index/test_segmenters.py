"""Words found with a dictionary: by the real libraries where they are installed."""

import importlib.util
import sys

import pytest

from sweep.errors import IndexingError
from sweep.index import segmenters
from sweep.index.analyzer import analyze, make_analyzer
from sweep.index.segmenters import DICTIONARIES


def needs(name: str) -> None:
    """Skip the calling test where a library or its dictionary is not installed."""
    packages = (name, DICTIONARIES[name].replace("-", "_"))
    if missing := [p for p in packages if p and importlib.util.find_spec(p) is None]:
        pytest.skip(f"needs {' and '.join(missing)}: pip install 'retrieval-sweep[{name}]'")


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("jieba", "混合检索系统", ["混合", "检索", "系统", "检索系统"]),
        ("jieba", "iPhone手机 E-1042", ["iphone", "手机", "e", "1042", "e-1042"]),
        ("jieba", "カタカナ", ["カタ", "タカ", "カナ"]),  # not its script
        ("sudachipy", "国家公務員は打込む", ["国家", "公務", "員", "打つ", "込む"]),
        ("sudachipy", "API v2.1を見る", ["api", "v2", "1", "v2.1", "見る"]),
        ("kiwipiepy", "검색 시스템을 평가했습니다", ["검색", "시스템", "평가"]),
        ("kiwipiepy", "API는 E-1042는 茶道", ["api", "e", "1042", "e-1042", "茶道"]),
        ("kiwipiepy+identifiers", "getX검색을", ["get", "x", "getx", "검색"]),
        ("jieba+identifiers", "检索getX", ["检索", "get", "x", "getx"]),
    ],
)
def test_words(name: str, text: str, terms: list[str]) -> None:
    needs(name.partition("+")[0])
    assert analyze(text, analyzer=name) == terms


def test_a_run_of_any_length_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("sudachipy")
    assert len(analyze("東京都" * 10_000, analyzer="sudachipy")) == 20_000


@pytest.mark.parametrize("name", DICTIONARIES)
@pytest.mark.parametrize("suffix", ["", "+identifiers"])
def test_a_library_that_is_missing_is_named(
    name: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loader in (segmenters._jieba, segmenters._sudachi, segmenters._kiwi):
        loader.cache_clear()
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(IndexingError) as caught:
        make_analyzer(name + suffix)
    assert str(caught.value).startswith(f"bm25.analyzer: {name!r} needs the library")
    assert f"Run: pip install 'retrieval-sweep[{name}]'" in str(caught.value)
