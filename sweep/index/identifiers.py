r"""Names as machines write them, whole and in parts: `getHTTPResponse`, `src/main.py`, `E1042`.

What stands without spaces is taken apart step by step: at what separates the parts of an address
(`:`, `@`), of a path (`/`, `\`), of a name (`-`, `.`, `_`), then where case or kind of character
changes. The smallest parts come first; what has parts follows whole:

* `getHTTPResponse` gives `get`, `http`, `response`, `gethttpresponse`;
* `state-of-the-art` gives its words and `state-of-the-art`;
* `src/app/main.py` gives `src`, `app`, `main`, `py`, `main.py`, `src/app/main.py`;
* `E-1042` gives `e`, `1042`, `e-1042`, and `E1042` gives `e`, `1042`, `e1042`.
"""

import regex

from sweep.index.words import fold

JOINT = r"[-./\\:@_]+"
LONGEST = 128  # characters; what is longer is data, not a name that anybody asks for
_STEPS = [regex.compile(pattern) for pattern in ("[:@]+", "/+", "[-._]+")]
# Plurals of initials; initials before a word; a word; initials; a number.
_CHANGES = regex.compile(
    r"(?V1)\p{Lu}{2,}s(?!\p{L})|(?:\p{Lu}\p{M}*)+(?=\p{Lu}\p{M}*[\p{L}--\p{Lu}])"
    r"|(?:\p{Lu}\p{M}*)?(?:[\p{L}--\p{Lu}]\p{M}*)+|(?:\p{Lu}\p{M}*)+|\p{N}+"
)


def split_identifier(text: str) -> list[str]:
    """Return the terms of words that are joined without spaces; their case must be as written."""
    return _split(text.replace("\\", "/"), 0)


def _split(text: str, step: int) -> list[str]:
    if step == len(_STEPS):
        return _split_word(text)
    parts = [part for part in (p.strip("/-._") for p in _STEPS[step].split(text)) if part]
    terms = [term for part in parts for term in _split(part, step + 1)]
    return terms if len(parts) == 1 else [*terms, *_whole(text)]


def _split_word(word: str) -> list[str]:
    parts = _CHANGES.findall(word)
    if "".join(parts) != word:  # signs that are neither letter nor number, such as circled digits
        parts = [word]
    terms = [fold(part) for part in parts]
    return terms if len(parts) == 1 else [*terms, *_whole(word)]


def _whole(text: str) -> list[str]:
    return [fold(text)] if len(text) <= LONGEST else []
