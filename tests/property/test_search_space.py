"""Properties of search spaces: configurations are distinct, complete, and order-independent."""

import random
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.configuration import from_flat
from sweep.study.space.domains import Choices, Domain
from sweep.study.space.read import SearchSpace, read_space


def some(*values: Any) -> st.SearchStrategy[Any]:
    """Return a value, or a list of values that may repeat."""
    return st.sampled_from(values) | st.lists(st.sampled_from(values), min_size=1, max_size=2)


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


STEPS = st.fixed_dictionaries({"low": st.just(0.1), "high": st.just(0.45), "step": st.just(0.2)})
SPACES = st.fixed_dictionaries(
    {"mode": some("bm25", "vector", "hybrid", "rerank")},
    optional={
        "top_k": some(1, 5),
        "top_k_unit": some("chunks", "documents"),
        "chunk": maybe(
            splitter=some(
                "tokens", "sentences", "recursive", "markdown", "characters", "document"
            ),
            size=some(64, 128),
            overlap=some(0, 0.0, 0.5) | STEPS,
            unit=some("tokens", "words"),
            prepend_title=some(True, False),
        ),
        "bm25": maybe(variant=some("lucene", "okapi", "l", "plus"), delta=some(0.5, 1, 1.0)),
        "vector": maybe(
            model=some("a", "b", {"name": "a"}, {"name": "a", "query_prefix": "q: "}),
            query_prefix=some("", "q: "),
            index=some("Flat", "HNSW8", {"factory": "HNSW8", "ef_search": [8, 16]}),
            similarity=some("cosine", "ip"),
        ),
        "hybrid": maybe(
            fusion=some("rrf", "weighted", "zscore"), rrf_k=some(1, 60), weight=some(0, 1) | STEPS
        ),
        "rerank": st.fixed_dictionaries(
            {"model": some("x", "y")},
            optional={
                "kind": some("maxsim", "cross-encoder"),
                "candidates": some("bm25", "vector", "hybrid"),
                "blend": some(0, 0.5, 1),
            },
        ),
    },
)
FEW = settings(max_examples=60, deadline=None)


def read(space: Any, **keys: Any) -> SearchSpace:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.yaml"
        path.write_text(
            yaml.safe_dump({"objective": "map", "space": space, **keys}, sort_keys=False)
        )
        return read_space(path)


def reordered(value: Any) -> Any:
    """Return the same mapping with the keys of every level the other way round."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@FEW
@given(SPACES)
def test_configurations_are_distinct_and_survive_the_flat_form(space: Any) -> None:
    configurations = read(space).configurations
    assert configurations
    prints = {configuration.fingerprint() for configuration in configurations}
    assert len(prints) == len(configurations) == len(set(configurations))
    assert all(from_flat(c.flat()) == c for c in configurations)


@FEW
@given(SPACES)
def test_the_order_of_keys_changes_nothing(space: Any) -> None:
    one, other = read(space), read(reordered(space))
    assert one.configurations == other.configurations
    assert one.identity() == other.identity()
    assert list(one.axes().items()) == list(other.axes().items())


@FEW
@given(SPACES, SPACES)
def test_a_list_of_spaces_is_their_union(first: Any, second: Any) -> None:
    union = read([first, second]).configurations
    assert union == tuple(
        dict.fromkeys([*read(first).configurations, *read(second).configurations])
    )


@FEW
@given(SPACES, SPACES, st.integers(0, 10**6))
def test_what_a_sampler_reaches_is_what_the_grid_lists(first: Any, second: Any, seed: int) -> None:
    space = read([first, second], sampler={"kind": "random"})
    listed, chance = set(space.configurations), random.Random(seed)
    domains: dict[str, Domain] = {}

    def choose(name: str, domain: Domain) -> Any:
        assert domains.setdefault(name, domain) == domain
        assert domain.count() != 1
        labels = [option.label for option in domain.listed()]
        assert len(set(labels)) == len(labels)
        label = chance.choice(labels)
        return label if isinstance(domain, Choices) else label + 1e-12  # type: ignore[operator]

    reached = {space.suggest(choose) for _ in range(30)}
    assert reached <= listed


@FEW
@given(SPACES)
def test_the_axes_are_the_values_of_the_configurations(space: Any) -> None:
    read_back = read(space)
    expected: dict[str, set[Any]] = {}
    for configuration in read_back.configurations:
        for name, value in configuration.flat().items():
            expected.setdefault(name, set()).add(value)
    assert {name: set(values) for name, values in read_back.axes().items()} == expected
