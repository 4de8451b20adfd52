"""Scoring speed: 128 configurations x 225 queries x 10 metrics, with pytrec_eval beside it.

python tests/benchmarks/bench_metrics.py [depth]    (depth of the lists, default 50)
"""

import sys
import time

import numpy as np
import pytrec_eval

from sweep.metrics import judgements_from_qrels, parse_metric, score_lists
from sweep.records import RankedLists

CONFIGURATIONS, QUERIES, DOCUMENTS, JUDGED = 128, 225, 1398, 8
NAMES = {
    "ndcg@10": "ndcg_cut.10",
    "ndcg": "ndcg",
    "p@5": "P.5",
    "recall@10": "recall.10",
    "hit@10": "success.10",
    "rr": "recip_rank",
    "map": "map",
    "map@10": "map_cut.10",
    "rprec": "Rprec",
    "bpref": "bpref",
}


def main() -> None:
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    rng = np.random.default_rng(7)
    document_ids = [f"d{i:04d}" for i in range(DOCUMENTS)]
    qrels = {
        f"q{row}": {
            document_ids[document]: int(rng.integers(0, 4))
            for document in rng.choice(DOCUMENTS, JUDGED, replace=False)
        }
        for row in range(QUERIES)
    }
    runs = [
        np.array([rng.choice(DOCUMENTS, depth, replace=False) for _ in range(QUERIES)])
        for _ in range(CONFIGURATIONS)
    ]
    falling = np.tile(-np.arange(depth, dtype=np.float64), (QUERIES, 1))
    metrics = [parse_metric(name) for name in NAMES]

    start = time.perf_counter()
    judgements = judgements_from_qrels(qrels, document_ids)
    prepared = time.perf_counter() - start
    start = time.perf_counter()
    tables = [
        score_lists(metrics, judgements, RankedLists(items=items, scores=falling))
        for items in runs
    ]
    ours = time.perf_counter() - start

    start = time.perf_counter()
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))
    theirs_results = []
    for items in runs:
        run = {
            f"q{row}": {document_ids[d]: -float(rank) for rank, d in enumerate(ranked)}
            for row, ranked in enumerate(items.tolist())
        }
        theirs_results.append(evaluator.evaluate(run))
    theirs = time.perf_counter() - start

    worst = max(
        abs(result[query][measure.replace(".", "_")] - value)
        for table, result in zip(tables, theirs_results, strict=True)
        for query, row in zip(table.query_ids, table.values.tolist(), strict=True)
        for measure, value in zip(NAMES.values(), row, strict=True)
    )
    print(f"{CONFIGURATIONS} configurations x {QUERIES} queries x 10 metrics, depth {depth}")
    print(f"sweep        {ours:.3f} s (and {prepared:.3f} s once, for the judgements)")
    print(f"pytrec_eval  {theirs:.3f} s, {theirs / ours:.1f} times as long")
    print(f"largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
