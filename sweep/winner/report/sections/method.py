"""How the figures were made, in plain words."""

from sweep.text_lines import counted
from sweep.winner.answer import Answer
from sweep.winner.report.content import Block, Fact, Facts, Paragraph, Section
from sweep.winner.report.material import Material
from sweep.winner.rounding import plain
from sweep.winner.trial_costs import TITLES

EXPLAINED = {
    "ndcg_exp": "as ndcg, with a steeper reward for high labels",
    "ndcg": "1 where the most relevant documents stand first, 0 where none is found",
    "recall": "the share of the relevant documents that is found",
    "p": "the share of what is found that is relevant",
    "hit": "whether anything relevant is found",
    "rr": "1 divided by the rank of the first relevant document",
    "map": "precision at the rank of each relevant document, averaged",
    "span_recall": "the share of the answer's characters that the retrieved chunks cover",
    "span_precision": "the share of the retrieved characters that belong to the answer",
    "span_iou": "answer and retrieved characters: what they share, of what they cover together",
    "span_ndcg": "1 where the chunks with the answer stand first, 0 where none is found",
    "context_tokens": "tokens that the model gets for a query, on average",
    "work": "what a query costs in tokens encoded, vectors and postings scanned, pairs reranked",
    "index_bytes": "size of the index",
    "latency_p95_ms": "95th percentile of the time a query takes, one at a time",
}


def method_section(material: Material) -> Section:
    """Return how configurations were tried, scored, compared and chosen."""
    facts = [
        Fact(name="What was tried", value=_tried(material)),
        Fact(name="How it was scored", value=_scored(material)),
        Fact(name="Which queries", value=_queries(material)),
    ]
    if isinstance(material.found, Answer):
        facts += _test(material.found)
    facts += [
        Fact(
            name="Intervals",
            value="95 % intervals: other queries of the same kind would move the mean about that "
            "much. They say nothing of queries of another kind. Those of scores come from "
            "resampling the queries, those of effects and curves are t intervals.",
        ),
        Fact(
            name="Costs",
            value="Context tokens, work and index size are counted and repeat exactly. Latency is "
            "measured: whole searches, one query at a time on one thread, models loaded, each "
            "query with its fastest round.",
        ),
    ]
    blocks: tuple[Block, ...] = (
        Facts(items=tuple(facts)),
        Paragraph(
            text="The formulas of all metrics are in docs/metrics.md of the program's sources."
        ),
    )
    return Section(title="How this was found out", blocks=blocks)


def _tried(material: Material) -> str:
    kind, counts = material.origin.sampler.get("kind", "grid"), material.counts
    if kind == "grid":
        text = "Every configuration of the search space"
    else:
        text = f"What the sampler {kind} drew from the search space"
    if material.sample is not None and not material.sample.is_search:
        text = f"Of the search space the {material.sample.headline}"
    text += f": {counts}. Chunks, vectors and lists that several of them need are made once"
    if material.origin.constraints:
        text += f". Constraints: {', '.join(material.origin.constraints)}"
    return f"{text}."


def _scored(material: Material) -> str:
    told = [_explained(name) for name in material.board.objectives]
    return (
        f"{'; '.join(told)}. Scored is what a configuration hands to the model, by query; a "
        f"document or a span without a label counts as irrelevant."
    )


def _explained(name: str) -> str:
    family = name.removeprefix("document_retrieval.").partition("@")[0].partition("(")[0]
    meaning = EXPLAINED.get(family)
    cut = name.partition("@")[2].partition("(")[0]
    if meaning is None:
        return name
    if cut.endswith("tok"):
        return f"{name}: {meaning}, within {cut.removesuffix('tok')} tokens of context"
    return f"{name}: {meaning}, among the first {cut}" if cut else f"{name}: {meaning}"


def _queries(material: Material) -> str:
    split = material.origin.split
    search, kept = int(split.get("search", 0)), int(split.get("confirm", 0))
    if kept:
        group = "query" if split.get("group") == "query" else "the document they are about"
        return (
            f"{counted(search, 'query')} chose, {counted(kept, 'query')} were kept to confirm "
            f"with (divided by {group}, seed {split.get('seed')}); nothing was chosen by those."
        )
    if not isinstance(material.found, Answer) or material.found.confirm is None:
        return f"All {search:,} judged queries chose; there is no honest score."
    return (
        f"All {search:,} judged queries chose. Too few to keep some apart by themselves, or not "
        f"asked to: the honest score repeats the choice on four fifths of them and scores it on "
        f"the rest."
    )


def _test(answer: Answer) -> list[Fact]:
    tukey = answer.recommendation.tukey
    all_of_them = counted(len(answer.compared), "configuration")
    preference = answer.preference
    costs = [TITLES.get(name, name).replace(" MB", " size") for name in preference.costs]
    by = f": by {', then '.join(costs)}" if costs else ", where no cost counts: the best itself"
    return [
        Fact(
            name="Which are worse than the best",
            value=f"Tukey's honest significant difference, by sign flips. If two configurations "
            f"were equally good, the sign of their difference on a query would be chance; so the "
            f"signs are flipped at random, for all {all_of_them} at once, and what is seen is "
            f"compared with what chance makes of it. That allows for their number and for the "
            f"best being chosen by the same queries: at most {tukey.alpha:.0%} of such sweeps "
            f"would call an equal one worse. What is not called worse is tied: not separable, "
            f"which is not the same as equal.",
        ),
        Fact(
            name="Which of the tied",
            value=f"The cheapest that is at most {plain(preference.max_loss)} of the metric's "
            f"scale behind the best{by}. Beside it stands what it may truly lose.",
        ),
    ]
