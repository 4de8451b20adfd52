"""What a study remembers of a quick look: `NAME@sample` searches, `NAME` evaluates finalists."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sweep.corpus.sample import judged_documents, sample_documents
from sweep.errors import SpaceError, StudyError
from sweep.records import Corpus

if TYPE_CHECKING:
    from sweep.engine.measure.report import Report
    from sweep.study.space.sample import Sample
    from sweep.study.space.search_space import SearchSpace
    from sweep.study.study import Study
    from sweep.winner.quick_look import FinalistScores, QuickLook

# What a study remembers. Of a search: `documents`, `of`, `judged`, `seed`, `whole` (a study). Of
# finals: the search's facts but for the last, `search` (a study), `configurations` and
# `finalists`: of those that were picked, number and values in the search by fingerprint.
SAMPLE, FINALS = "sample", "finals"
SUFFIX = "@sample"  # of a search's name
SEARCHER = "the search on a sample"  # what chose the finalists, in place of a sampler


def without_idle_sample(space: "SearchSpace", corpus: Corpus, report: "Report") -> "SearchSpace":
    """Return the space without a sample that reduces nothing, which is told.

    Raises: SpaceError if the judged documents alone are more than the sample may hold.
    """
    sample = space.sample
    if sample is None:
        return space
    count = len(corpus.documents)
    if count <= sample.documents:
        report.notice(
            f"{space.path.name}: sample is not used: the corpus has {count:,} documents, and "
            f"{sample.documents:,} may be taken"
        )
        return replace(space, sample=None)
    judged = len(judged_documents(corpus))
    if judged > sample.documents:
        raise SpaceError(
            f"{space.path.name}: sample.documents: must be at least {judged}, the documents that "
            f"have a label, got {sample.documents}. Raise it, to some times as many, so that "
            f"there are wrong documents to find; or leave `sample` out."
        )
    return space


def search_name(name: str) -> str:
    """Return the name of the study that searches on a sample for a study."""
    return f"{name}{SUFFIX}"


def sample_facts(corpus: Corpus, sample: "Sample") -> dict[str, Any]:
    """Return what is remembered of how a corpus is reduced, JSON-ready."""
    return {
        "documents": sample.documents,
        "of": len(corpus.documents),
        "judged": len(judged_documents(corpus)),
        "seed": sample.seed,
    }


def searched_corpus(corpus: Corpus, about: Mapping[str, Any]) -> Corpus:
    """Return the corpus that a study ran on: of a search the sample, else the whole corpus."""
    facts = about.get(SAMPLE)
    if facts is None:
        return corpus
    return sample_documents(corpus, documents=facts["documents"], seed=facts["seed"])


def quick_look_of(study: "Study") -> "QuickLook | None":
    """Return what a study has to do with a quick look, None for most studies."""
    from sweep.winner.quick_look import QuickLook

    facts = study.about.get(SAMPLE) or study.about.get(FINALS)
    if facts is None:
        return None
    searched = SAMPLE in study.about
    found = QuickLook(
        documents=int(facts["documents"]),
        of=int(facts["of"]),
        judged=int(facts["judged"]),
        search=study.name if searched else facts["search"],
        whole=facts["whole"] if searched else study.name,
    )
    if searched:
        return found
    return replace(
        found,
        is_search_deleted=search_of(study) is None,
        configurations=int(facts["configurations"]),
        finalists=len(facts["finalists"]),
        infeasible=sum(
            trial.fingerprint in facts["finalists"] and bool(trial.violated)
            for trial in study.complete
        ),
        confirm=bool(study.about["split"]["confirm"]) and len(study.goals) == 1,
        objectives=tuple(goal.name for goal in study.goals),
        maximize=study.goals[0].maximize,
        places=_places(study, facts["finalists"]),
    )


def _places(study: "Study", searched: Mapping[str, Any]) -> "tuple[FinalistScores, ...]":
    """Return the feasible finalists on both corpora; none where labels were added since."""
    from sweep.study.labels.added_labels import LABELS
    from sweep.winner.quick_look import FinalistScores, best_first

    if LABELS in study.about:
        return ()
    places = [
        FinalistScores(
            trial=trial.number,
            searched_as=int(found["number"]),
            label=trial.configuration.label(),
            sample=float(found["values"][0]),
            whole=trial.values[0],
        )
        for trial in study.feasible
        if (found := searched.get(trial.fingerprint)) is not None
    ]
    return best_first(places, maximize=study.goals[0].maximize)


def search_of(study: "Study") -> str | None:
    """Return the name of the search that a study's finalists come from, if it is recorded."""
    from sweep.study.study import abouts_of

    name = study.about.get(FINALS, {}).get("search")
    return name if name in abouts_of(study.optuna_storage) else None


def check_exportable(study: "Study") -> None:
    """Refuse to make a bundle of a search: its index would hold a part of the documents.

    Raises: StudyError that names the study to export.
    """
    found = quick_look_of(study)
    if found is not None and found.is_search:
        raise StudyError(
            f"study {study.name!r}: a bundle must hold the whole corpus, got a search on "
            f"{found.extent}. Export the study over all of them, once `sweep run` has evaluated "
            f"the finalists: sweep export {found.whole} --out DIR"
        )


def sample_key(study: "Study") -> dict[str, Any]:
    """Return the entry `sample` of a study's JSON outputs; nothing for most studies."""
    found = quick_look_of(study)
    return {} if found is None else {"sample": found.to_json()}
