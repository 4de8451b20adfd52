"""Which language a corpus is in, by its function words: only to propose an analyzer."""

from collections import Counter
from collections.abc import Iterable

from sweep.index.analyzer import AUTO, STOP_LISTS, stop_words
from sweep.index.stop_lists import FUNCTION_WORDS
from sweep.index.words import split_words

SAMPLE = 200_000  # characters
LEAST_SHARE = 0.2  # of all words that must be function words of the language
LEAD = 1.2  # times the share of the next language: neighbours share many words
_VARIANTS = ("porter", "dutch_porter")


def guess_language(texts: Iterable[str]) -> str:
    """Return a Snowball language, or `auto` where no language is clearly ahead.

    Args:
        texts: the first 200,000 characters are looked at.
    """
    sample: list[str] = []
    size = 0
    for text in texts:
        sample.append(text[: SAMPLE - size])
        size += len(sample[-1])
        if size >= SAMPLE:
            break
    words = Counter(word for text in sample for word in split_words(text))
    total = words.total()
    if not total:
        return AUTO
    languages = [name for name in (*STOP_LISTS, *FUNCTION_WORDS) if name not in _VARIANTS]
    shares = {
        name: sum(count for word, count in words.items() if word in stop_words(name)) / total
        for name in languages
    }
    first, second = sorted(shares, key=lambda name: (-shares[name], name))[:2]
    clear = shares[first] >= LEAST_SHARE and shares[first] >= LEAD * shares[second]
    return first if clear else AUTO
