"""Which scripts a corpus is written in: the share of its letters that belongs to each."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

import numpy as np

BLOCK_CHARACTERS = 1_000_000  # counted at once
LEAST_SHARE = 0.0005  # of a script that is told
# First words of Unicode's character names that are not what people call the script.
_NAMES = {"Cjk": "Han", "Fullwidth": "Latin", "Halfwidth": "Katakana", "Masculine": "Latin"}
_NAMES |= {"Feminine": "Latin", "Micro": "Greek", "Modifier": "", "Mathematical": "Latin"}
_NAMES |= {"Ideographic": "Han", "Kangxi": "Han", "Katakana-hiragana": "Katakana"}


def script_shares(texts: Iterable[str]) -> dict[str, float]:
    """Return the share of all letters by script, the largest first: `{"Latin": 0.97, "Han": ...}`.

    A script is what a letter's Unicode name begins with; combining marks belong to no script.
    """
    letters: Counter[str] = Counter()
    block: list[str] = []
    size = 0
    for text in texts:
        block.append(text)
        size += len(text)
        if size >= BLOCK_CHARACTERS:
            letters.update(_count("".join(block)))
            block, size = [], 0
    letters.update(_count("".join(block)))
    scripts: Counter[str] = Counter()
    for character, count in letters.items():
        if name := _script(character):
            scripts[name] += count
    total = scripts.total()
    shares = ((name, count / total) for name, count in scripts.most_common())
    return {name: share for name, share in shares if share >= LEAST_SHARE}


def _count(text: str) -> dict[str, int]:
    """Return how often each letter occurs."""
    if text.isascii():
        codes = np.frombuffer(text.encode(), dtype=np.uint8)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    counts = np.bincount(codes)
    found = ((chr(code), int(counts[code])) for code in np.flatnonzero(counts).tolist())
    return {character: count for character, count in found if character.isalpha()}


def _script(letter: str) -> str:
    first = unicodedata.name(letter, "").partition(" ")[0].capitalize()
    return _NAMES.get(first, first)
