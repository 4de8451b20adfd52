"""What a run begins with: its options, the search space, the corpus, an engine over it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.measure.report import Report
from sweep.engine.store.store import make_folder
from sweep.errors import SpaceError
from sweep.records import Corpus
from sweep.study.driver.baseline import read_baseline
from sweep.study.driver.finals import Finals
from sweep.study.driver.identity import check_name
from sweep.study.driver.preflight import forewarn, preflight
from sweep.study.folder import default_store
from sweep.study.quick_look import without_idle_sample
from sweep.study.run_file import RunFile
from sweep.study.space.read import read_space
from sweep.study.space.search_space import SearchSpace

MANY = 2000  # configurations above which a grid asks for confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run a study.

    Attributes:
        store_max: bytes that the store may take, but for what the run itself uses.
        trials: configurations to try in this run, beyond those that have been; None = as many as
            the space file says, or the whole grid.
        timeout: seconds after which the run stops between two units of work.
        seed: of the sampler, in place of the file's.
        max_failures: share of failed trials that stops the run.
    """

    corpus: Path | None = None
    study: str | None = None
    storage: str | None = None
    store: Path | None = None
    store_max: int | None = None
    threads: int | None = None
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    trials: int | None = None
    timeout: float | None = None
    seed: int | None = None
    max_failures: float = 0.2
    yes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which half of a quick look a study is.

    Attributes:
        about: what the study remembers of it.
        finals: the finalists, and what follows if they will not do; None = the search.
    """

    about: Mapping[str, Any]
    finals: Finals | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a study is made from: name, space, corpus and its folder, a baseline that is a run.

    `whole` is the whole corpus where `corpus` is a sample of it, `part` what of a quick look the
    study is.
    `notes` is what was told of them before the first trial.
    """

    study: str
    space: SearchSpace
    corpus: Corpus
    folder: Path
    baseline: RunFile | None = None
    whole: Corpus | None = None
    part: Part | None = None
    notes: tuple[str, ...] = ()


def read_inputs(
    space: Path | str, corpus: Path | str | None, options: RunOptions, report: Report
) -> Inputs:
    """Read the space and the corpus; see `run`.

    Raises: SweepError if one of them, or the study's name, is not valid.
    """
    loaded = _with_options(read_space(Path(space), download=True), options, report)
    folder = Path(corpus) if corpus else options.corpus or loaded.corpus
    if folder is None:
        raise SpaceError(
            f"{space}: must name a corpus, got none. Add `corpus: FOLDER`, or give --corpus."
        )
    read = read_corpus(folder)
    name = options.study or loaded.name
    check_name(name)
    loaded = without_idle_sample(loaded, read, report)
    baseline = read_baseline(loaded, read)
    return Inputs(study=name, space=loaded, corpus=read, folder=folder, baseline=baseline)


def start_engine(inputs: Inputs, options: RunOptions, report: Report) -> Engine:
    """Return an engine over the corpus, all that can be checked beforehand checked.

    Raises: SweepError for what no trial could do anything about.
    """
    engine = make_engine(inputs, options, report)
    whole = inputs.whole
    for notice in (*(whole or inputs.corpus).notices, *inputs.space.notices):
        report.notice(str(notice))
    preflight(inputs.space, engine, inputs.baseline)
    make_folder(engine.options.store)
    if whole is None:
        forewarn(inputs.space, engine)
    else:  # what is odd about a sample need not be about the corpus
        forewarn(inputs.space, make_engine(replace(inputs, corpus=whole), options, report))
    return engine


def _with_options(space: SearchSpace, options: RunOptions, report: Report) -> SearchSpace:
    kind = space.sampler.kind
    if kind != "grid" and space.trials is None and options.trials is None:
        raise SpaceError(
            f"{space.path.name}: sampler.trials: must say how many configurations {kind} tries, "
            f"got nothing. Write for example trials: 60 there, or give --trials 60."
        )
    if options.seed is None:
        return space
    if kind == "grid":
        report.notice("--seed is not used: a grid runs everything")
    return replace(space, sampler=replace(space.sampler, seed=options.seed))


def make_engine(inputs: Inputs, options: RunOptions, report: Report) -> Engine:
    """Return an engine over the corpus, nothing checked."""
    return Engine(
        inputs.corpus,
        EngineOptions(
            store=options.store or default_store(),
            store_max=options.store_max,
            tokenizer=inputs.space.tokenizer,
            precision=options.precision,
            threads=options.threads or _processors(),
        ),
        report,
    )


def _processors() -> int:
    import psutil

    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def check_size(space: SearchSpace, options: RunOptions) -> None:
    """Ask for a yes to a large grid.

    Raises: SpaceError if there was none.
    """
    count = len(space.configurations) if space.sampler.kind == "grid" else 0
    if count > MANY and not options.yes:
        raise SpaceError(
            f"{space.path.name}: a grid of more than {MANY:,} configurations needs a yes, got "
            f"{count:,}. Give --yes, or narrow the space."
        )
