"""Batches are counted as models run them: per block, short ones filled up."""

import numpy as np
import pytest

from sweep.engine.plan.batches import add_batches, count_batches, spread, usual_rows
from sweep.index.embed import Encoder, batch_size, bucket_lengths


def fours(length: int) -> int:
    return 4


def test_short_batches_count_as_full_ones() -> None:
    buckets = np.array([16] * 5 + [32] * 3)
    assert count_batches(buckets, fours, block=100) == {16: 2, 32: 1}


def test_every_block_runs_for_itself() -> None:
    buckets = np.array([16] * 5 + [32] * 3)
    # [16 16 16] [16 16 32] [32 32]
    assert count_batches(buckets, fours, block=3) == {16: 2, 32: 2}


def test_nothing_to_do_is_no_batch() -> None:
    assert count_batches(np.empty(0, dtype=np.int64), fours, block=3) == {}
    assert add_batches([]) == {}


def test_work_adds_up() -> None:
    assert add_batches([{16: 1.0, 32: 2.0}, {16: 0.5}]) == {16: 1.5, 32: 2.0}


def test_some_values_stand_for_all() -> None:
    values = np.array([9, 1, 5, 3, 7])
    assert spread(3, values).tolist() == [1, 5, 9]
    assert spread(5, values).tolist() == [1, 3, 5, 7, 9]
    assert spread(0.2, values).tolist() == [1]
    assert spread(2, np.empty(0, dtype=np.int64)).tolist() == []


def test_a_bucket_is_tried_at_its_usual_length() -> None:
    lengths = np.array([16, 9, 16, 32, 10])
    assert usual_rows(np.array([16, 16, 16, 32, 16]), lengths) == {16: 0, 32: 3}  # 9 10 [16] 16


@pytest.mark.parametrize("role", ["passage", "query"])
def test_what_is_counted_is_what_an_encoder_runs(
    minilm: Encoder, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The encoder's own batches, of inputs of many lengths, none of them and some beyond."""
    lengths = np.array([1, 8, 9, 15, 16, 17, 33, 64, 100, 255, 256] * 7)
    inputs = [np.full(length, 1037, dtype=np.int32) for length in lengths]
    batches = minilm._batches(inputs, role=role)  # type: ignore[arg-type]
    ran = [len(batch.features["input_ids"][0]) for batch in batches]
    buckets = bucket_lengths(lengths, minilm.window, role=role)  # type: ignore[arg-type]
    counted = count_batches(buckets, lambda n: batch_size(n, role=role), block=1000)  # type: ignore[arg-type]
    assert {length: ran.count(length) for length in set(ran)} == counted
