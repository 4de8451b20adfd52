"""What takes a look at every text: near duplicates, scripts, how much of a corpus is labelled.

Nothing here is wrong with a corpus; it changes what scores on it mean.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from sweep.corpus.near_duplicates import near_duplicates
from sweep.corpus.scripts import script_shares
from sweep.records import Corpus
from sweep.text_lines import counted

ALL_LABELLED = 0.95  # share of documents with a label from which a corpus looks cut down
FEW_DOCUMENTS = 20  # below which nobody takes a corpus for all there is
SECOND_SCRIPT = 0.05  # share of letters from which a further script is told
KEPT_GROUPS = 100  # of near duplicates, that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Facts about the texts of a corpus.

    Attributes:
        near_duplicates: ids of documents that are nearly the same, some groups of all.
        near_duplicate_groups, near_duplicate_documents: how many there are.
        scripts: share of all letters by script.
    """

    near_duplicates: tuple[tuple[str, ...], ...]
    near_duplicate_groups: int
    near_duplicate_documents: int
    scripts: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the facts, JSON-ready."""
        facts = asdict(self)
        facts["near_duplicates"] = [list(group) for group in self.near_duplicates]
        return facts


def examine(corpus: Corpus) -> Examination:
    """Return facts about the texts of a corpus; takes some seconds for 100,000 documents."""
    groups = near_duplicates(corpus.documents)
    texts = chain.from_iterable((d.title, d.text) for d in corpus.documents)
    return Examination(
        near_duplicates=tuple(groups[:KEPT_GROUPS]),
        near_duplicate_groups=len(groups),
        near_duplicate_documents=sum(map(len, groups)),
        scripts=script_shares(texts),
    )


def examination_from(facts: Mapping[str, Any]) -> Examination:
    """Return what `Examination.to_json` took apart.

    Raises: KeyError or TypeError for anything else.
    """
    groups = tuple(tuple(group) for group in facts["near_duplicates"])
    return Examination(
        near_duplicates=groups,
        near_duplicate_groups=int(facts["near_duplicate_groups"]),
        near_duplicate_documents=int(facts["near_duplicate_documents"]),
        scripts=dict(facts["scripts"]),
    )


def examination_notices(corpus: Corpus, found: Examination) -> Iterator[str]:
    """Yield what should be known before scores on a corpus are believed."""
    yield from _labelled(corpus)
    if found.near_duplicates:
        example = ", ".join(map(repr, found.near_duplicates[0][:2]))
        yield (
            f"{found.near_duplicate_documents:,} documents nearly repeat each other, in "
            f"{counted(found.near_duplicate_groups, 'group')} (e.g. {example}): a hit on the copy "
            f"that has no label counts as a miss. Label all of a group, or keep one"
        )
    scripts = [name for name, share in found.scripts.items() if share >= SECOND_SCRIPT]
    if len(scripts) > 1:
        shares = ", ".join(f"{name} {found.scripts[name]:.0%}" for name in scripts)
        yield f"several scripts ({shares} of all letters): choose models that know them all"


def labelled_share(corpus: Corpus) -> float:
    """Return the share of documents that have a label for some query."""
    labelled = {id_ for judged in corpus.qrels.values() for id_ in judged}
    return len(labelled) / len(corpus.documents)


def _labelled(corpus: Corpus) -> Iterator[str]:
    share = labelled_share(corpus)
    if share < ALL_LABELLED or len(corpus.documents) < FEW_DOCUMENTS:
        return
    yield (
        f"{share:.0%} of {len(corpus.documents):,} documents have a label: if the corpus was cut "
        f"down to them, scores are flattered, since in production more documents compete"
    )
