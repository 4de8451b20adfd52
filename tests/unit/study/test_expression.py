"""The exclusion language: what it accepts, what it means, what it refuses. Constraints too."""

import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, HybridConfig, VectorConfig
from sweep.errors import SpaceError
from sweep.study.space.expression import Constraint, parse_constraint, parse_exclusion

BM25 = Configuration(
    mode="bm25", top_k=3, chunk=ChunkConfig(size=96, overlap=0.2), bm25=Bm25Config()
).flat()
HYBRID = Configuration(
    mode="hybrid",
    bm25=Bm25Config(),
    vector=VectorConfig(),
    hybrid=HybridConfig(fusion="weighted", rrf_k=None, weight=0.3),
).flat()


@pytest.mark.parametrize(
    ("text", "bm25", "hybrid"),
    [
        ("chunk.size == 96 and top_k == 3", True, False),
        ("chunk.size == 96 and top_k == 5", False, False),
        ("mode == 'bm25' or hybrid.weight <= 0.3", True, True),
        ('not mode == "bm25"', False, True),
        ("not (mode == 'bm25' and top_k > 2)", False, True),
        ("mode in ['bm25', 'vector']", True, False),
        ("mode not in ('bm25', 'vector')", False, True),
        ("top_k in [3, 5]", True, False),
        ("0.1 < chunk.overlap <= 0.2", True, False),
        ("96 >= chunk.size", True, False),
        ("chunk.size != 96", False, True),
        ("chunk.prepend_title", True, True),
        ("chunk.prepend_title == true and top_k == 3", True, False),
        ("chunk.prepend_title != True", False, False),
        ("top_k > -1", True, True),
        ("top_k < hybrid.depth", False, True),
        # a parameter that does not apply makes its comparison false, whatever the comparison
        ("hybrid.weight != 0.9", False, True),
        ("hybrid.weight not in [0.9]", False, True),
        ("not hybrid.weight == 0.3", True, False),
        ("  top_k == 3  ", True, False),
        ("top_k == 3 or (chunk.size > 100 and not (mode == 'vector'))", True, True),
    ],
)
def test_meaning(text: str, bm25: bool, hybrid: bool) -> None:
    holds = parse_exclusion(text)
    assert (holds(BM25), holds(HYBRID)) == (bm25, hybrid)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chunk.siez == 3", "unknown 'chunk.siez'. Did you mean chunk.size"),
        ("size == 3", "Did you mean chunk.size"),
        ("mode == bm25", "Texts are quoted: 'bm25'"),
        (
            "mode == 'bm52'",
            "mode is one of bm25, vector, hybrid, rerank, got 'bm52'. Did you mean",
        ),
        ("mode in ['bm25', 'x']", "mode is one of"),
        ("chunk.size == '96'", "chunk.size is a number"),
        ("top_k == true", "top_k is a number"),
        ("chunk.prepend_title == 1", "chunk.prepend_title is true or false"),
        ("mode < 'b'", "must order numbers only"),
        ("mode in 'bm25'", "must have a list after `in`"),
        ("mode == ['bm25']", "must have a list after `in`"),
        ("['bm25'] == mode", "must have a list after `in`"),
        ("top_k in [top_k]", "plain values in a list"),
        ("top_k is 3", "must use =="),
        ("top_k", "must be made of comparisons"),
        ("true", "must be made of comparisons"),
        ("top_k + 1 == 3", "must compare names with plain values"),
        ("top_k == None", "must compare names with plain values"),
        ("top_k == b'x'", "must compare names with plain values"),
        ("top_k == -mode", "must compare names with plain values"),
        ("a.b.c == 3", "must compare names with plain values"),
        ("top_k = 3", "must be an expression"),
        ("top_k == 3 && mode == 'bm25'", "must be an expression"),
        ("", "must be an expression"),
        ("\0", "must be an expression"),
        ("top_k == 3; import os", "must be an expression"),
        ("__import__('os').system('x')", "must be made of comparisons"),
        ("().__class__ == 3", "must compare names with plain values"),
        ("(lambda: 1)() == 1", "must compare names with plain values"),
        ("[x for x in mode] == 1", "must compare names with plain values"),
        ("f'{mode}' == 'bm25'", "must compare names with plain values"),
        ("(top_k := 3) == 3", "must compare names with plain values"),
        ("9 ** 9 ** 9 == top_k", "must compare names with plain values"),
        ("(" * 900 + "top_k" + ")" * 900, "must be an expression"),
        ("not " * 300 + "top_k == 3", "nested levels"),
        ("top_k == 3" + " " * 2000, "at most 2000 characters"),
        ("mode == '\\d'", "mode is one of"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        parse_exclusion(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected", "printed"),
    [
        ("context_tokens <= 2000", ("context_tokens", "<=", 2000.0), "context_tokens <= 2000"),
        ("ndcg(rel=2)@10>=.5", ("ndcg(rel=2)@10", ">=", 0.5), "ndcg(rel=2)@10 >= 0.5"),
        ("  work <= 1e7 ", ("work", "<=", 1e7), "work <= 10000000"),
    ],
)
def test_constraint(text: str, expected: tuple[str, str, float], printed: str) -> None:
    constraint = parse_constraint(text)
    assert (constraint.metric, constraint.op, constraint.bound) == expected
    assert str(constraint) == printed
    assert parse_constraint(str(constraint)) == constraint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a < 3",
        "a == 3",
        "a <= ",
        "<= 3",
        "a <= b",
        "3 <= a",
        "a <= nan",
        "a <= b <= 3",
        "a >== 3",
        "a <= 3 tokens",
        "a <= inf",
    ],
)
def test_constraint_refused(text: str) -> None:
    with pytest.raises(SpaceError, match="Write for example: context_tokens <= 2000"):
        parse_constraint(text)


def test_constraint_is_a_plain_record() -> None:
    assert Constraint(metric="a", op="<=", bound=1.0) == parse_constraint("a<=1")
