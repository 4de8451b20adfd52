"""What a first search space for a corpus should hold: sizes, splitters, budget, objective."""

import math
import re
from dataclasses import dataclass

import numpy as np

from sweep.configuration import DEFAULT_MODEL
from sweep.corpus.scripts import script_shares
from sweep.index.embed import input_window
from sweep.models import find_model
from sweep.records import Corpus, Ints
from sweep.study.driver.forewarnings import ENGLISH_SHARE
from sweep.study.starter.language import guess_language
from sweep.tokenizer import count_tokens, load_tokenizer

SPECIAL = 2  # tokens that the model puts around a text
FULL = 150_000  # tokens of a corpus whose 12 chunkings take some minutes to embed
LARGE = 600_000  # tokens, from which on even 6 chunkings take more than ten minutes
CUT = 0.1  # share of documents that a chunk size must cut to be worth trying
SPANNED = 0.8  # share of judged queries with passages, from which on passages decide
RESOLUTION = 1.8  # times 1 / sqrt(n)
PARTS = (1 / 4, 1 / 2, 7 / 8)  # of the window: what chunk sizes are tried
ROOM = 1.5  # top_k fills the token budget this many times
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6} \S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """What is proposed for a corpus, and the facts that it follows from.

    Attributes:
        documents, judged, spanned: documents; judged queries; those of them with passages.
        tokens, median, longest: of the corpus, of its documents (the model's tokens).
        window: tokens that the model reads, special ones left out.
        sizes: chunk sizes in tokens; none where documents are shorter than any chunk.
        splitters, overlaps: to try with each size.
        whole: whether documents are also tried whole.
        budget: tokens of context that are compared; None where nothing is cut.
        cutoff: of ndcg@k where nothing is cut.
        language: an analyzer.
        english: whether the letters are such that the English model can do something.
    """

    documents: int
    judged: int
    spanned: int
    tokens: int
    median: int
    longest: int
    window: int
    sizes: tuple[int, ...]
    splitters: tuple[str, ...]
    overlaps: tuple[float, ...]
    whole: bool
    budget: int | None
    cutoff: int
    language: str
    english: bool

    @property
    def objective(self) -> str:
        """Return the metric that decides."""
        if self.budget is None:
            return f"ndcg@{self.cutoff}"
        name = "span_ndcg" if self.by_spans else "ndcg"
        return f"{name}@{self.budget}tok"

    @property
    def by_spans(self) -> bool:
        """Return whether enough queries have passages to decide by them."""
        return self.spanned >= SPANNED * self.judged

    @property
    def middle_size(self) -> int:
        """Return the chunk size in the middle; there must be one."""
        return self.sizes[len(self.sizes) // 2]

    @property
    def resolution(self) -> float:
        """Return about which difference so many queries can show.

        A rule of thumb for some fifty configurations (measured: 70 questions, .22).
        """
        return min(1.0, RESOLUTION / math.sqrt(max(1, self.judged)))

    def top_k(self, size: int) -> int:
        """Return how many chunks of a size fill the budget one and a half times."""
        return max(2, math.ceil(ROOM * (self.budget or 1) / max(1, size)))


def size_space(corpus: Corpus) -> Sizing:
    """Return what a first search space for a corpus should hold."""
    files = find_model(DEFAULT_MODEL)
    window = input_window(files) - SPECIAL
    texts = [document.text for document in corpus.documents]
    lengths = count_tokens(load_tokenizer(files), texts)
    sizes = _sizes(lengths, window)
    total, spanned = int(lengths.sum()), {span.query_id for span in corpus.spans}
    judged = [query.id for query in corpus.queries if corpus.qrels.get(query.id)]
    has_headings = sum(_HEADING.search(text) is not None for text in texts) >= len(texts) / 2
    splitters = ("tokens", "markdown" if has_headings else "sentences")
    scripts = script_shares(texts)
    return Sizing(
        documents=len(texts),
        judged=len(judged),
        spanned=sum(id_ in spanned for id_ in judged),
        tokens=total,
        median=int(np.median(lengths)),
        longest=int(lengths.max()),
        window=window,
        sizes=sizes if total <= LARGE else sizes[-2:],
        splitters=splitters if total <= FULL else splitters[1:],
        overlaps=(0, 0.2) if total <= LARGE else (0,),
        whole=bool(sizes) and float(np.quantile(lengths, 0.95)) <= window,
        budget=_budget(total) if sizes else None,
        cutoff=10 if len(texts) >= 40 else 5 if len(texts) >= 20 else 3,
        language=guess_language(texts),
        english=scripts.get("Latin", 0.0) >= ENGLISH_SHARE if scripts else True,
    )


def _sizes(lengths: Ints, window: int) -> tuple[int, ...]:
    """Return a quarter, a half and most of the window, title left room, if they cut enough."""
    candidates = [min(window, max(1, round(window * part / 32)) * 32) for part in PARTS]
    return tuple(c for c in dict.fromkeys(candidates) if float((lengths > c).mean()) >= CUT)


def _budget(total: int) -> int:
    """Return the tokens of context to compare at: never more than a twentieth of the corpus."""
    return next((b for b in (1000, 500) if total >= 20 * b), 250)
