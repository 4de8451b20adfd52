"""Run a quick look: search a reduced corpus as `NAME@sample`, then the finalists as `NAME`.

They are two studies, so that scores on the two corpora never meet. Both are run as any study is;
the confirm set is looked at in the second one only.
"""

from dataclasses import replace

import optuna

from sweep.configuration import Configuration
from sweep.corpus.sample import judged_documents, sample_documents
from sweep.engine.measure.report import Report
from sweep.study.driver.baseline import baseline_notices
from sweep.study.driver.budget import Deadline
from sweep.study.driver.finals import Finals, finals_ranking
from sweep.study.driver.identity import check_folder, study_identity
from sweep.study.driver.inputs import Inputs, Part, RunOptions, make_engine
from sweep.study.driver.opening import existing_storage, find_study, read_recorded
from sweep.study.driver.queue import axes_of, planned
from sweep.study.driver.run import begin, draws_of, run_study
from sweep.study.folder import default_storage, study_folder
from sweep.study.quick_look import FINALS, SAMPLE, sample_facts, search_name
from sweep.study.space.search_space import SearchSpace
from sweep.study.study import ABOUT, Study

MIXED = 2  # times the judged documents, below which a sample has hardly any wrong ones


def run_quick_look(
    inputs: Inputs, options: RunOptions, report: Report, deadline: Deadline
) -> Study:
    """Search on the sample; when the search is finished, evaluate its finalists on all documents.

    Args:
        inputs: over the whole corpus.
        options: `trials` counts configurations of the search; the finalists come beside them.
        report: told about progress.
        deadline: of both together.

    Returns: the study over the whole corpus; the search, if that was stopped, or has no
        configuration that keeps every constraint.
    """
    check_finals(inputs, options)
    search = search_inputs(inputs)
    told = (extent(search), *baseline_notices(inputs.space, inputs.baseline))
    found = run_study(*begin(search, options, report, *told), options, deadline)
    if found.stopped is not None or not found.feasible:
        return found
    finals = finals_inputs(inputs, found, options)
    found.engine = None  # its indexes need not wait in memory
    return run_study(finals, make_engine(finals, options, report), options, deadline)


def planned_part(inputs: Inputs, options: RunOptions) -> tuple[Inputs, dict[str, int] | None]:
    """Return what a run would begin with now, and of a search how much it leaves out.

    That is the search until it is finished, then the finalists; any other study is as it is.

    Args:
        inputs: over the whole corpus.
        options: name the storage, and how many trials are asked for.

    Raises: StudyError if one of the two began with something else.
    """
    sample = inputs.space.sample
    if sample is None:
        return inputs, None
    check_finals(inputs, options)
    search = search_inputs(inputs)
    finished = _finished_search(search, options)
    if finished is not None:
        return finals_inputs(inputs, finished, options), None
    facts = sample_facts(inputs.corpus, sample)
    kept = {name: facts[name] for name in ("documents", "of", "judged")}
    return search, kept | {"finalists": most_finalists(inputs.space)}


def _finished_search(search: Inputs, options: RunOptions) -> Study | None:
    """Return the search where a run would find nothing left of it to do, else None."""
    study = _find(search, options)
    if study is None:
        return None
    draws, _ = draws_of(search, read_recorded(study), options, study.user_attrs.get(ABOUT, {}))
    found = Study(search.study, options.storage)
    done = len(found.complete) >= draws.planned
    return found if done and found.feasible else None


def search_inputs(inputs: Inputs) -> Inputs:
    """Return what the search begins with.

    A baseline that is a run file takes no part: it was made on all documents.
    """
    sample, whole = inputs.space.sample, inputs.corpus
    assert sample is not None, "asked for of quick looks only"
    facts = sample_facts(whole, sample)
    return replace(
        inputs,
        study=search_name(inputs.study),
        corpus=sample_documents(whole, documents=sample.documents, seed=sample.seed),
        baseline=None,
        whole=whole,
        part=Part(about={SAMPLE: facts | {"whole": inputs.study}}),
    )


def extent(search: Inputs) -> str:
    """Return how many documents a search keeps, and which; that they are too few, too."""
    assert search.whole is not None, "a search is over a sample"
    count, of = len(search.corpus.documents), len(search.whole.documents)
    judged = len(judged_documents(search.whole))
    told = (
        f"quick look: the search runs on {count:,} of {of:,} documents, {judged:,} judged ones "
        f"and {count - judged:,} others, which flatters every score of it"
    )
    if count >= MIXED * judged:
        return told
    return f"{told}. So few others make configurations look alike: raise sample.documents"


def check_finals(inputs: Inputs, options: RunOptions) -> None:
    """Refuse a name whose study began with something else before the search takes its time.

    Raises: StudyError as the second half of the run would.
    """
    _recorded_finals(inputs, options)


def finals_inputs(inputs: Inputs, search: Study, options: RunOptions) -> Inputs:
    """Return what the study over the whole corpus begins with.

    Args:
        inputs: over the whole corpus.
        search: finished, with a feasible trial.
        options: name the storage.
    """
    sample = inputs.space.sample
    assert sample is not None, "asked for of quick looks only"
    baseline = inputs.space.baseline
    finals = Finals(
        ranking=tuple(finals_ranking(search, sample.finalists)),
        count=sample.finalists,
        others=(
            *_recorded_finals(inputs, options),  # a search that went on adds finalists
            *([baseline] if isinstance(baseline, Configuration) else []),
        ),
    )
    facts = sample_facts(inputs.corpus, sample) | {
        "search": search.name,
        "configurations": len(search.complete),
    }
    return replace(inputs, part=Part(about={FINALS: facts}, finals=finals))


def most_finalists(space: SearchSpace) -> int:
    """Return how many configurations are evaluated on the whole corpus at first, at most.

    Beside the finalists there may be the baseline; more follow while none keeps every constraint.
    """
    assert space.sample is not None, "asked for of quick looks only"
    most = space.sample.finalists + isinstance(space.baseline, Configuration)
    return min(most, len(planned(space))) if space.configurations else most


def _recorded_finals(inputs: Inputs, options: RunOptions) -> list[Configuration]:
    """Return the configurations that the study over the whole corpus has tried so far."""
    study = _find(inputs, options)
    return [] if study is None else read_recorded(study).configurations()


def _find(inputs: Inputs, options: RunOptions) -> optuna.Study | None:
    """Return the study that inputs are of, None if there is none yet.

    Raises: StudyError if it began with something else.
    """
    space, name = inputs.space, inputs.study
    axes = axes_of(space) if space.sampler.kind == "grid" else space.axes()
    identity = study_identity(space, inputs.corpus, options.precision)
    storage = existing_storage(options.storage or default_storage())
    study = find_study(name, storage, space, identity, axes) if storage else None
    if study is None:
        check_folder(study_folder(name), name, identity)
    elif ABOUT not in study.user_attrs:  # a process was killed while it began the study
        return None
    return study
