"""Words of languages written without spaces between them, or with endings, by a dictionary.

Each library is an extra of its own, loaded when it is first asked for; where it is not installed,
`auto` does with pairs of characters (Korean: with words as written).

* `jieba`, Chinese: words, and the shorter words inside long ones.
* `sudachipy`, Japanese: short units (mode A) in their normalised form, without particles and
  auxiliaries.
* `kiwipiepy`, Korean: stems of words, without particles and endings.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from sweep.errors import IndexingError
from sweep.index.words import Segmenter

LONGEST_RUN = 8_000  # characters that sudachipy is given at once; it refuses 49,149 bytes
# What is left out, by the first part of speech (sudachipy) or the first letter of the tag (kiwi).
_JAPANESE_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_KOREAN_FUNCTION = ("J", "E", "XS", "XP", "VCP", "VX", "SF", "SP", "SS", "SE", "SO", "SW")
_NAME = "A"  # stands for the Latin name or number that a particle follows
# Package whose version counts, beside the library's own.
DICTIONARIES = {"jieba": "", "sudachipy": "sudachidict-core", "kiwipiepy": "kiwipiepy-model"}


def make_segmenter(name: str) -> Segmenter:
    """Return the segmenter of a library.

    Args:
        name: a key of `DICTIONARIES`.

    Raises: IndexingError if the library or its dictionary is not installed.
    """
    try:
        return _MAKERS[name]()
    except ImportError as error:
        raise IndexingError(
            f"bm25.analyzer: {name!r} needs the library of that name and its dictionary, got none "
            f"({error}). Run: pip install 'retrieval-sweep[{name}]', or take 'auto'."
        ) from error


def _chinese() -> Segmenter:
    cut = _jieba()
    return Segmenter(
        letters=r"\p{Han}&&[\p{L}\p{Nl}]",
        run=r"(?:[\p{Han}&&[\p{L}\p{Nl}]]\p{M}*)+",
        cut=lambda run, _: list(cut(run)),
    )


def _japanese() -> Segmenter:
    tokenizer = _sudachi().tokenizer(mode=_sudachi_mode())
    letters = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc]&&[\p{L}\p{Nl}]"

    def cut(run: str) -> Iterator[str]:
        for start in range(0, len(run), LONGEST_RUN):
            for unit in tokenizer.tokenize(run[start : start + LONGEST_RUN]):
                if unit.part_of_speech()[0] not in _JAPANESE_FUNCTION:
                    yield unit.normalized_form().casefold()

    return Segmenter(
        letters=letters, run=rf"(?:[{letters}]\p{{M}}*)+", cut=lambda run, _: list(cut(run))
    )


def _korean() -> Segmenter:
    kiwi = _kiwi()
    letter = r"\p{Hangul}&&\p{L}"

    def cut(run: str, is_suffix: bool) -> list[str]:
        found = kiwi.tokenize(_NAME + run)[1:] if is_suffix else kiwi.tokenize(run)
        return [unit.form for unit in found if not unit.tag.startswith(_KOREAN_FUNCTION)]

    return Segmenter(letters=letter, run=rf"[{letter}]+(?:\x20[{letter}]+)*", cut=cut)


@cache
def _jieba() -> Callable[[str], Iterator[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its age: escapes in patterns, pkg_resources
        import jieba
    tokenizer: Any = jieba.Tokenizer()
    # Its own way to load leaves a file in the temporary folder and trusts one that lies there.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return lambda run: tokenizer.cut_for_search(run, HMM=True)


@cache
def _sudachi() -> Any:
    import sudachidict_core  # noqa: F401  sudachipy itself says too late that it is missing
    from sudachipy import Dictionary

    return Dictionary(dict="core")


def _sudachi_mode() -> Any:
    from sudachipy import SplitMode

    return SplitMode.A


@cache
def _kiwi() -> Any:
    import kiwipiepy_model  # noqa: F401
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


_MAKERS = {"jieba": _chinese, "sudachipy": _japanese, "kiwipiepy": _korean}
