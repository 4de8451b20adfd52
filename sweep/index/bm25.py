"""Chunk texts -> term matrix -> ranked lists of chunks: BM25 in four variants.

The term frequencies do not depend on the variant, k1 or b: one `TermMatrix` serves a whole sweep.
`search_bm25` does all at once, from `make_postings`, `encode_queries` and `search_postings`.

`lucene` is BM25 with Lucene's idf, which is never negative. `okapi`, `l` and `plus` are the models
of the rank_bm25 library: idf from its own classes, term weights from its formulas.
"""

import math
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import rank_bm25
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sweep.configuration import Bm25Config
from sweep.errors import IndexingError
from sweep.index.analyzer import make_analyzer
from sweep.records import Floats, Ints, RankedLists

# rank_bm25's class of each variant, with the class's own default of its third parameter.
_RANK_BM25 = {
    "okapi": (rank_bm25.BM25Okapi, "epsilon", 0.25),
    "l": (rank_bm25.BM25L, "delta", 0.5),
    "plus": (rank_bm25.BM25Plus, "delta", 1.0),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermMatrix:
    """How often each term occurs in each chunk: a sparse matrix of C rows and V columns.

    Attributes:
        indptr: shape (C + 1,); the terms of chunk `c` are entries `indptr[c]:indptr[c + 1]`.
        indices: shape (nnz,), term numbers; rising within a chunk.
        counts: shape (nnz,), occurrences, >= 1.
        lengths: shape (C,), terms in each chunk, repeats included.
        vocabulary: the V terms in code point order; a term's number is its place here.
    """

    indptr: Ints
    indices: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: Ints
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.lengths)


def build_terms(texts: Sequence[str], *, analyzer: str) -> TermMatrix:
    """Count the terms of every text; equal texts are analysed once.

    Args:
        texts: C chunk texts, titles already put before them where wanted.
        analyzer: `auto`, a language or a library, see `sweep.index.analyzer`.

    Raises:
        IndexingError: if no text has any term, or the analyzer is unknown.
    """
    split = make_analyzer(analyzer)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new term gets the next number
    distinct = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    found, ends = array("i"), array("q", [0])
    for text in distinct:
        found.extend(map(numbers.__getitem__, split(text)))
        ends.append(len(found))
    if not numbers:
        raise IndexingError(
            "index.bm25: no document has indexable text, "
            f"got {len(texts)} chunks without a letter or digit. "
            "Look at the corpus files, or leave BM25 out of the modes."
        )
    vocabulary = sorted(numbers)
    place = np.empty(len(vocabulary), dtype=np.int32)
    place[[numbers[term] for term in vocabulary]] = np.arange(len(vocabulary), dtype=np.int32)
    lengths = np.diff(np.asarray(ends))  # before `sum_duplicates`, which moves the ends in place
    ones = np.ones(len(found), dtype=np.int32)
    shape = (len(distinct), len(vocabulary))
    matrix = csr_array((ones, place[np.asarray(found)], np.asarray(ends)), shape=shape)
    matrix.sum_duplicates()
    rows = np.fromiter((distinct[text] for text in texts), dtype=np.int64, count=len(texts))
    if len(distinct) < len(texts):
        matrix = matrix[rows]
    return TermMatrix(
        indptr=matrix.indptr.astype(np.int64),
        indices=matrix.indices.astype(np.int32),
        counts=matrix.data.astype(np.int32),
        lengths=lengths[rows],
        vocabulary=tuple(vocabulary),
    )


def weights(terms: TermMatrix, config: Bm25Config) -> csr_array:
    """Return what each occurrence is worth, for one variant, k1 and b.

    With `f` the term's count and `n = 1 - b + b * length / mean length` of the chunk:

    * `lucene`, `okapi`, `plus`: `idf * f * (k1 + 1) / (f + k1 * n)`
    * `l`: `idf * f * (k1 + 1) * (f / n + delta) / (k1 + f / n + delta)`

    rank_bm25's `plus` adds `idf * delta` to *every* chunk, with or without the term. That constant
    is left out here: scores are `get_scores` minus it, and `delta` cannot change a ranking.

    Returns: shape (C, V), float64, stored exactly where `terms` counts something, zeros included.

    Source: Robertson & Zaragoza 2009, doi:10.1561/1500000019, for BM25; Lucene's BM25Similarity
        for its idf; rank_bm25's `get_scores` for the others.
    """
    frequency = terms.counts.astype(np.float64)
    norm = 1 - config.b + config.b * terms.lengths / terms.lengths.mean()
    norm = np.repeat(norm, np.diff(terms.indptr))
    if config.variant == "l":
        delta = _third_parameter(config)
        shifted = frequency / norm + delta
        data = frequency * (config.k1 + 1) * shifted / (config.k1 + shifted)
    else:
        data = frequency * (config.k1 + 1) / (frequency + config.k1 * norm)
    data *= _idf(terms, config)[terms.indices]
    return csr_array(
        (data, terms.indices, terms.indptr), shape=(len(terms), len(terms.vocabulary))
    )


def make_postings(terms: TermMatrix, config: Bm25Config) -> csr_array:
    """Return `weights` turned round, ready to be searched: shape (V, C)."""
    return weights(terms, config).T.tocsr()


def encode_queries(terms: TermMatrix, texts: Sequence[str], *, analyzer: str) -> csr_array:
    """Count the known terms of each query; a term said twice counts twice.

    Args:
        terms: the matrix whose vocabulary to use.
        texts: Q queries.
        analyzer: the one the matrix was built with.

    Returns: shape (Q, V), float64; a row is empty when the query has no term that any chunk has.

    Raises:
        IndexingError: if the analyzer is unknown.
    """
    split = make_analyzer(analyzer)
    indices, counts, ends = array("q"), array("d"), array("q", [0])
    for text in texts:
        numbers = (
            (_number(terms.vocabulary, term), n) for term, n in Counter(split(text)).items()
        )
        for number, count in sorted(pair for pair in numbers if pair[0] >= 0):
            indices.append(number)
            counts.append(count)
        ends.append(len(indices))
    arrays = (np.asarray(counts), np.asarray(indices), np.asarray(ends))
    return csr_array(arrays, shape=(len(texts), len(terms.vocabulary)))


def search_bm25(
    terms: TermMatrix, config: Bm25Config, queries: Sequence[str], *, depth: int
) -> RankedLists:
    """Rank the chunks that share a term with each query.

    Args:
        terms: the term matrix of the chunks, built with `config.analyzer`.
        config: variant, k1, b and analyzer.
        queries: Q query texts.
        depth: longest list, >= 1.

    Returns: chunk rows, shape (Q, min(depth, C)), as `search_postings` orders them.
    """
    encoded = encode_queries(terms, queries, analyzer=config.analyzer)
    return search_postings(make_postings(terms, config), encoded, depth=depth)


def search_postings(postings: csr_array, queries: csr_array, *, depth: int) -> RankedLists:
    """Rank the chunks that share a term with each query: score descending, ties by row.

    Chunks that share no term are never in a list; one that does is, whatever its score (`okapi`
    gives 0 or less to terms in half of the chunks and more). Each query is summed on its own, in
    float64 and in the order of its terms: a score does not depend on the other queries.

    Args:
        postings: shape (V, C), from `make_postings`.
        queries: shape (Q, V), from `encode_queries`.
        depth: longest list, >= 1.

    Returns: chunk rows, shape (Q, min(depth, C)).
    """
    assert depth >= 1, depth
    n_queries, n_chunks = queries.shape[0], postings.shape[1]
    items = np.full((n_queries, min(depth, n_chunks)), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    for row, (start, end) in enumerate(zip(queries.indptr, queries.indptr[1:], strict=False)):
        rows, values = _score(postings, queries.indices[start:end], queries.data[start:end])
        best = _best(values, depth)
        items[row, : len(best)] = rows[best]
        scores[row, : len(best)] = values[best]
    return RankedLists(items=items, scores=scores)


def postings_scanned(terms: TermMatrix, queries: csr_array) -> Ints:
    """Return how many postings each query visits, shape (Q,): its terms' chunk counts, summed."""
    rows = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
    visited = _document_frequency(terms)[queries.indices]
    return np.bincount(rows, weights=visited, minlength=queries.shape[0]).astype(np.int64)


def to_arrays(terms: TermMatrix) -> dict[str, NDArray[Any]]:
    """Return the matrix as plain arrays, for storing without pickle; undone by `from_arrays`.

    The vocabulary is one run of UTF-8 bytes, `vocabulary_offsets` (V + 1,) its borders.
    """
    encoded = [term.encode() for term in terms.vocabulary]
    return {
        "indptr": terms.indptr,
        "indices": terms.indices,
        "counts": terms.counts,
        "lengths": terms.lengths,
        "vocabulary": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "vocabulary_offsets": np.cumsum([0, *map(len, encoded)], dtype=np.int64),
    }


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> TermMatrix:
    """Return the matrix that `to_arrays` took apart."""
    text, borders = arrays["vocabulary"].tobytes(), arrays["vocabulary_offsets"].tolist()
    return TermMatrix(
        indptr=arrays["indptr"],
        indices=arrays["indices"],
        counts=arrays["counts"],
        lengths=arrays["lengths"],
        vocabulary=tuple(
            text[start:end].decode() for start, end in zip(borders, borders[1:], strict=False)
        ),
    )


def _document_frequency(terms: TermMatrix) -> Ints:
    """Return how many chunks hold each term, shape (V,)."""
    return np.bincount(terms.indices, minlength=len(terms.vocabulary))


def _idf(terms: TermMatrix, config: Bm25Config) -> Floats:
    """Return each term's inverse document frequency, shape (V,)."""
    frequency = _document_frequency(terms)
    if config.variant == "lucene":
        known, place = np.unique(frequency, return_inverse=True)  # numpy's log1p varies by machine
        idf = [math.log1p((len(terms) - n + 0.5) / (n + 0.5)) for n in known.tolist()]
        return cast(Floats, np.array(idf)[place])
    model_class, name, _ = _RANK_BM25[config.variant]
    # Without `__init__`: it would read the texts into one dictionary per chunk (1.8 kB each).
    model = model_class.__new__(model_class)
    model.corpus_size, model.idf = len(terms), {}
    setattr(model, name, _third_parameter(config))
    model._calc_idf(dict(enumerate(frequency.tolist())))
    return np.array([model.idf[number] for number in range(len(frequency))])


def _third_parameter(config: Bm25Config) -> float:
    """Return epsilon (`okapi`) or delta (`l`, `plus`): as configured, or rank_bm25's default."""
    _, name, default = _RANK_BM25[config.variant]
    value = getattr(config, name)
    return default if value is None else value


def _number(vocabulary: tuple[str, ...], term: str) -> int:
    """Return a term's number, or -1: by bisection, so that a search needs no dictionary."""
    place = bisect_left(vocabulary, term)
    return place if place < len(vocabulary) and vocabulary[place] == term else -1


def _score(postings: csr_array, numbers: Ints, counts: Floats) -> tuple[Ints, Floats]:
    """Return the rows that hold any of the terms, rising, and their scores."""
    spans = [slice(postings.indptr[number], postings.indptr[number + 1]) for number in numbers]
    if not spans:
        return np.empty(0, dtype=np.int64), np.empty(0)
    hits = np.concatenate([postings.indices[span] for span in spans])
    parts = [n * postings.data[span] for n, span in zip(counts, spans, strict=True)]
    totals = cast(Floats, np.bincount(hits, weights=np.concatenate(parts)))  # in the order given
    held = np.zeros(len(totals), dtype=np.bool_)
    held[hits] = True
    return np.flatnonzero(held), totals[held]


def _best(scores: Floats, depth: int) -> Ints:
    """Return the places of the `depth` highest scores, best first; of equal ones, the earlier."""
    places = np.arange(len(scores))
    if len(scores) > depth:
        lowest = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        places = np.flatnonzero(scores >= lowest)
    order = np.argsort(-scores[places], kind="stable")[:depth]
    return places[order]
