"""What a bi-encoder is given of a chunk: its text, after its document's title."""

from collections.abc import Callable
from functools import lru_cache

from sweep.index.embed import Encoder

TITLES = 50_000  # that are remembered, cut: a few MB


def passage_text(title: str, text: str, *, prefix: str, cut_title: Callable[[str], str]) -> str:
    """Return what is embedded for a chunk: prefix, cut title, line break, chunk text."""
    if not title.strip():
        return prefix + text
    return f"{prefix}{cut_title(title)}\n{text}"


def title_cutter(encoder: Encoder) -> Callable[[str], str]:
    """Return a function that cuts a title to a quarter of the model's window, at a token's end.

    A long title can so never crowd the chunk's own text out of the window.
    """
    limit = max(1, encoder.window // 4)
    tokenizer = encoder.tokenizer

    @lru_cache(maxsize=TITLES)
    def cut(title: str) -> str:
        offsets = tokenizer.encode(title, add_special_tokens=False).offsets
        return title if len(offsets) <= limit else title[: offsets[limit - 1][1]]

    return cut
