"""Which metrics a study records, and which way its objectives point."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sweep.configuration import Configuration
from sweep.errors import MetricError, SpaceError
from sweep.metrics import Metric, parse_metric
from sweep.records import Corpus
from sweep.study.space.expression import Constraint
from sweep.study.space.must import Must
from sweep.study.space.search_space import Evaluation, SearchSpace
from sweep.winner.preference import TIMED

METRICS_VERSION = 1  # raise it when a metric's definition changes: old studies are not resumed
STANDARD = (
    "ndcg@10 recall@5 recall@10 p@5 hit@5 rr@10 map judged@10 holes@10 holes_ratio fidelity "
    "fidelity@10 xdcg@3 max_relevance@3 context_tokens"
).split()
AZURE = [
    f"document_retrieval.{name}"
    for name in (
        "ndcg@3 xdcg@3 fidelity top1_relevance top3_max_relevance holes holes_ratio "
        "total_retrieved_documents total_ground_truth_documents"
    ).split()
]
SPANS = "span_recall span_precision span_iou span_ndcg@10 span_recall@2000tok".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """An objective with its direction settled."""

    metric: Metric
    maximize: bool

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return str(self.metric)


def goals_of(space: SearchSpace) -> tuple[Goal, ...]:
    """Return the space's objectives; a metric's own direction holds where none is written."""
    goals = []
    for objective in space.objectives:
        metric = parsed(space, "objective", objective.metric)
        maximize = metric.higher_is_better
        if objective.direction is not None:
            maximize = objective.direction == "maximize"
        goals.append(Goal(metric=metric, maximize=maximize))
    return tuple(goals)


def constraints_of(space: SearchSpace) -> tuple[Constraint, ...]:
    """Return the space's constraints, their metrics by the names that trials record."""
    return tuple(
        replace(constraint, metric=str(parsed(space, "constraints", constraint.metric)))
        for constraint in space.constraints
    )


def musts_of(space: SearchSpace) -> tuple[Must, ...]:
    """Return the space's critical slices, their metrics by the names that trials record."""
    return tuple(
        replace(
            must,
            constraint=replace(
                must.constraint, metric=str(parsed(space, "must", must.constraint.metric))
            ),
        )
        for must in space.must
    )


def recorded_metrics(space: SearchSpace, corpus: Corpus) -> tuple[Metric, ...]:
    """Return every metric to compute per trial: objectives first, each once."""
    metrics = with_budgets([goal.metric for goal in goals_of(space)])
    metrics += [parsed(space, "constraints", c.metric) for c in space.constraints]
    metrics += [parsed(space, "must", m.constraint.metric) for m in space.must]
    metrics += [parsed(space, "metrics", name) for name in space.metrics]
    return with_standard(metrics, corpus)


def with_budgets(objectives: Sequence[Metric]) -> list[Metric]:
    """Return objectives, and of those within a token budget the context that fits into it."""
    budgets = [metric.budget_tokens for metric in objectives]
    fits = [Metric("context_tokens", budget_tokens=n) for n in budgets if n is not None]
    return [*objectives, *fits]


def with_standard(metrics: Sequence[Metric], corpus: Corpus) -> tuple[Metric, ...]:
    """Return metrics and those that every study records, each once."""
    standard = [*STANDARD, *AZURE, *(SPANS if corpus.spans else ())]
    return tuple(dict.fromkeys([*metrics, *map(parse_metric, standard)]))


def parsed(space: SearchSpace, key: str, name: str) -> Metric:
    """Return a metric that the space file names.

    Raises: SpaceError that names the file and the key.
    """
    try:
        return parse_metric(name)
    except MetricError as error:
        raise SpaceError(f"{space.path.name}: {key}: {error}") from error


def label_range(evaluation: Evaluation, corpus: Corpus) -> tuple[int, int]:
    """Return the range of labels: as written, or 0..4 widened to what the qrels hold."""
    low, high = evaluation.label_min, evaluation.label_max
    if low is not None and high is not None:
        return low, high
    grades = [grade for judged in corpus.qrels.values() for grade in judged.values()]
    return min([0, *grades]), max([4, *grades])


def check_goals(space: SearchSpace, corpus: Corpus) -> None:
    """Refuse an objective, a constraint or a `must` that the corpus cannot be scored on.

    Raises:
        SpaceError: for a span metric without spans, or for a single objective that is a cost of
            whole configurations.
    """
    goals = goals_of(space)
    if len(goals) == 1 and not goals[0].metric.per_query:
        raise SpaceError(
            f"objective: must have a score for each query where it decides alone, got "
            f"{goals[0].name}. Add an objective of quality, or write it as a constraint."
        )
    used = [("objective", goal.metric) for goal in goals]
    used += [("constraints", parse_metric(c.metric)) for c in constraints_of(space)]
    musts = [("must", parse_metric(m.constraint.metric)) for m in musts_of(space)]
    for key, metric in musts:
        if not metric.per_query:
            raise SpaceError(
                f"{key}: must have a score for each query, got {metric}. Write it as a constraint."
            )
    for key, metric in used + musts:
        if metric.family == "span" and not corpus.spans:
            raise SpaceError(
                f"{key}: {metric} needs answer spans, got a corpus without qrels_spans.jsonl. "
                f"Choose a document metric such as ndcg@10."
            )


def timing_notices(space: SearchSpace) -> list[str]:
    """Return a notice where measured time decides: another run would measure something else."""
    used = [goal.name for goal in goals_of(space)] + [c.metric for c in constraints_of(space)]
    used += space.recommend.timed
    timed = [name for name in dict.fromkeys(used) if name in TIMED]
    if not timed:
        return []
    return [
        f"{_join(timed)}: measured time decides here, so that another machine, or another run on "
        f"this one, may choose differently: this study is not reproducible"
    ]


def depth_notices(space: SearchSpace, configurations: Sequence[Configuration]) -> list[str]:
    """Return a notice for each objective that looks deeper than some top_k can fill."""
    notices = []
    tops = sorted({c.top_k for c in configurations})
    for goal in goals_of(space):
        cutoff = goal.metric.cutoff
        short = [k for k in tops if cutoff is not None and k < cutoff]
        if short:
            notices.append(
                f"objective {goal.name} looks at {cutoff} ranks, top_k {_join(short)} returns "
                f"fewer: those configurations cannot fill it. Compare at one top_k, or at an "
                f"equal budget such as ndcg@2000tok."
            )
        if cutoff is None or goal.metric.family != "document" or short:
            continue
        if any(
            c.top_k_unit == "chunks" and c.chunk.splitter != "document" for c in configurations
        ):
            notices.append(
                f"objective {goal.name} looks at {cutoff} documents, and top_k counts chunks: "
                f"where several come from one document, fewer documents are scored, as the "
                f"generator gets fewer. `top_k_unit: documents` counts documents."
            )
    return notices


def _join(values: Sequence[object]) -> str:
    return ", ".join(str(value) for value in values)
