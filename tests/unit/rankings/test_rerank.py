"""Pair scores: late interaction by hand, and the cross-encoder path on a tiny real model."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from sweep.errors import RankingError
from sweep.models import find_model
from sweep.rankings.fuse import blend_lists
from sweep.rankings.rerank import CrossEncoderScorer, maxsim_scores
from sweep.records import RankedLists
from tests.shared_data import bugcase
from tests.toy_models import POSITIONS

PAIRS = [
    ("how long is probation", "Probation lasts three months."),
    ("how long is probation", "Bicycles may be parked in the yard behind the canteen."),
    ("bicycles", "Bicycles may be parked in the yard behind the canteen."),
    ("", "Only a passage."),
    ("only a query", ""),
    ("long", "one two three four five six seven eight nine ten " * 10),
    ("名前は何ですか", "お名前をご記入ください。"),
]


def scorer_of(name: str, *, threads: int = 1) -> CrossEncoderScorer:
    return CrossEncoderScorer(find_model(name), precision="fp32", threads=threads)


def test_maxsim_by_hand() -> None:
    """Each query token takes its best passage token: (0.8 + 0) / 2 and (0.6 + 0.8) / 2."""
    query = np.array([[1, 0], [0, 1]], dtype=np.float32)
    near = np.array([[0.8, -0.6], [-1, 0]], dtype=np.float32)
    both = np.array([[0.6, 0.8]], dtype=np.float32)
    scores = maxsim_scores([(query, near), (query, both), (query, query)])
    assert scores == pytest.approx([0.4, 0.7, 1.0], abs=1e-7)


def test_maxsim_of_nothing_is_zero() -> None:
    token = np.array([[1, 0]], dtype=np.float32)
    nothing = np.empty((0, 2), dtype=np.float32)
    assert maxsim_scores([(token, nothing), (nothing, token)]).tolist() == [0, 0]
    assert maxsim_scores([]).shape == (0,)


def test_maxsim_pair_does_not_depend_on_the_others() -> None:
    rng = np.random.default_rng(0)
    pairs = [
        (rng.normal(size=(q, 384)).astype(np.float32), rng.normal(size=(t, 384)).astype("f4"))
        for q, t in ((1, 1), (3, 40), (12, 7), (5, 130), (1, 64))
    ]
    together = maxsim_scores(pairs)
    assert together.tolist() == [maxsim_scores([pair])[0] for pair in pairs]
    assert together.tolist() == maxsim_scores(pairs[::-1])[::-1].tolist()


def test_cross_encoder_equals_the_library(cross_encoder: str) -> None:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    oracle = CrossEncoder(cross_encoder, device="cpu", local_files_only=True)
    expected = oracle.predict(PAIRS, activation_fn=Identity(), show_progress_bar=False)
    found = scorer_of(cross_encoder).score(PAIRS)
    assert found.dtype == np.float64
    assert np.ptp(found) > 0.05  # the logits say something
    assert found == pytest.approx(np.asarray(expected, dtype=np.float64), abs=1e-6)


def test_cross_encoder_pair_never_depends_on_its_neighbours(cross_encoder: str) -> None:
    one = scorer_of(cross_encoder)
    together = one.score(PAIRS)
    assert [one.score([pair])[0] for pair in PAIRS] == together.tolist()
    assert one.score(PAIRS[::-1])[::-1].tolist() == together.tolist()
    assert one.score(PAIRS * 9).reshape(9, -1).tolist() == [together.tolist()] * 9
    two = scorer_of(cross_encoder, threads=2)
    assert two.score(PAIRS).tolist() == together.tolist()
    assert one.score([]).shape == (0,)


def test_cross_encoder_cuts_the_longer_text_at_the_window(cross_encoder: str) -> None:
    """A window that is no multiple of the bucket step: the last bucket ends with the window."""
    assert POSITIONS % 16
    scorer = scorer_of(cross_encoder)
    long = " ".join(["harbour"] * 200)
    cut, same = scorer.score([("cranes", long), ("cranes", long + " and more")])
    assert cut == same


def test_cross_encoder_loads_nothing_before_it_scores(cross_encoder: str) -> None:
    scorer = scorer_of(cross_encoder)
    assert scorer.key
    assert scorer._model is None


def test_key_tells_models_and_precisions_apart(cross_encoder: str) -> None:
    files = find_model(cross_encoder)
    keys = {CrossEncoderScorer(files, precision=p, threads=1).key for p in ("fp32", "bf16")}
    assert len(keys) == 2
    assert files.fingerprint in scorer_of(cross_encoder, threads=2).key
    assert scorer_of(cross_encoder, threads=2).key == scorer_of(cross_encoder).key


def test_model_without_a_scoring_head_is_refused() -> None:
    """The library would load it under a random head: other scores in every process."""
    with pytest.raises(RankingError, match="must be a cross-encoder .* got BertModel in"):
        scorer_of("all-MiniLM-L6-v2")


def test_model_with_several_labels_is_refused(cross_encoder: str, tmp_path: Path) -> None:
    from torch.nn import Linear
    from transformers import AutoTokenizer, BertForSequenceClassification

    model = BertForSequenceClassification.from_pretrained(cross_encoder)
    model.num_labels = model.config.num_labels = 3
    model.classifier = Linear(32, 3)
    model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(cross_encoder).save_pretrained(tmp_path)
    with pytest.raises(RankingError, match=r"must have one label .* got 3 in"):
        scorer_of(str(tmp_path)).score([("a", "b")])


def test_model_that_does_not_load_is_refused(cross_encoder: str, tmp_path: Path) -> None:
    shutil.copytree(cross_encoder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(RankingError, match="must load as a sentence-transformers CrossEncoder"):
        scorer_of(str(tmp_path)).score([("a", "b")])


def test_case_74_order_of_logits_that_a_sigmoid_would_make_equal() -> None:
    case = bugcase("74")
    lists = json.loads((case / "lists.json").read_text(encoding="utf-8"))
    names = lists["first_stage"]
    first = RankedLists(
        items=np.arange(4)[None, :], scores=np.array([[0.9, 0.8, 0.7, 0.6]], dtype=np.float64)
    )
    logits = np.array([[lists["logits"][name] for name in names]])
    ranked = blend_lists(first, logits, depth=4, blend=1.0)
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    assert [names[item] for item in ranked.items[0]] == expected["expect"]["order"]
