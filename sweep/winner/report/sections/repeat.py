"""Everything needed to repeat the study: commands, inputs, versions, machine, seeds."""

from sweep.text_lines import counted
from sweep.winner.message import precisions_text
from sweep.winner.report.content import Block, Commands, Fact, Facts, Paragraph, Section, Verbatim
from sweep.winner.report.material import Material, Origin


def repeat_section(material: Material) -> Section:
    """Return what another person needs to get the same figures."""
    origin = material.origin
    words = ["run", origin.space_path, "--corpus", origin.corpus_folder, "--study", material.study]
    if origin.precision != "auto":
        words += ["--precision", origin.precision]
    blocks: list[Block] = [
        Paragraph(
            text="The same corpus, space file, versions, precision and type of processor give the "
            "same trials, id for id; the number of threads changes nothing. Latency is measured "
            "and will differ. Elsewhere give the run another storage or another name."
        ),
        Commands(
            lines=(
                material.command(*words),
                material.command("report", material.study),
            )
        ),
        Facts(items=tuple(_inputs(material))),
        Facts(items=tuple(_environment(material))),
    ]
    if origin.space is not None:
        blocks.append(Verbatim(title="The search space file", text=origin.space))
    else:
        missing = f"The search space file is no longer at {origin.space_path}."
        blocks.append(Paragraph(text=missing, tone="caution", quote=True))
    return Section(title="To repeat this", blocks=tuple(blocks), data=_data(origin))


def _data(origin: Origin) -> dict[str, object]:
    return {
        "corpus": {
            "name": origin.corpus,
            "hash": origin.corpus_hash,
            "folder": origin.corpus_folder,
        },
        "split": dict(origin.split),
        "sampler": dict(origin.sampler),
        "constraints": list(origin.constraints),
        "evaluation": dict(origin.evaluation),
        "metrics_version": origin.metrics_version,
        "tokenizer": origin.tokenizer,
        "precision": origin.precision,
        "precisions": dict(origin.made_with.get("precisions") or {}),
        "made_with": dict(origin.made_with),
        "last_run": origin.last_run,
        "space": origin.space,
    }


def _inputs(material: Material) -> list[Fact]:
    origin, made = material.origin, material.origin.made_with
    split = origin.split
    sizes = [
        counted(int(made[name]), noun)
        for name, noun in (("documents", "document"), ("queries", "query"))
        if name in made
    ]
    kept = int(split.get("confirm", 0))
    divided = f"{split.get('search')} choose, {kept} confirm; seed {split.get('seed')}"
    if kept:
        divided += f", share {split.get('share')}, by {split.get('group')}"
    kind = origin.sampler.get("kind", "grid")
    seed = "" if kind == "grid" else f", seed {origin.sampler.get('seed')}"
    facts = [
        Fact(name="corpus", value=origin.corpus, note=", ".join(sizes), kind="quote"),
        Fact(name="corpus SHA-256", value=origin.corpus_hash, kind="code"),
        Fact(name="split", value=divided),
        Fact(name="sampler", value=f"{kind}{seed}"),
        Fact(name="objectives", value=", ".join(material.board.objectives)),
        Fact(name="tokenizer of lengths", value=origin.tokenizer, kind="name"),
        _precision(origin),
        Fact(name="version of the metrics", value=str(origin.metrics_version)),
    ]
    for name, fingerprint in dict(made.get("models", {})).items():
        known = f"SHA-256 {fingerprint}" if fingerprint else "its files were not found"
        facts.append(Fact(name="model", value=name, note=known, kind="name"))
    return facts


def _precision(origin: Origin) -> Fact:
    """Return what models ran in; of a study that did not record it, what was asked for."""
    found: dict[str, str] = origin.made_with.get("precisions") or {}
    name = "precision of models"
    if not found:
        note = "as asked for" if origin.precision == "auto" else ""
        return Fact(name=name, value=origin.precision, note=note)
    note = "chosen by a sample of the corpus" if origin.precision == "auto" else "as asked for"
    return Fact(name=name, value=precisions_text(found), note=note, kind="name")


def _environment(material: Material) -> list[Fact]:
    origin, made = material.origin, material.origin.made_with
    if not made:
        text = "not recorded: the study was run by an earlier version"
        return [Fact(name="versions and machine", value=text, tone="caution")]
    used = f"{counted(made['processors'], 'processor')}, {counted(made['threads'], 'thread')} used"
    libraries = ", ".join(f"{name} {version}" for name, version in made["libraries"].items())
    return [
        Fact(name="sweep", value=str(made["sweep"]), note=f"report by {origin.version}"),
        Fact(name="last run", value=origin.last_run),
        Fact(name="Python", value=str(made["python"])),
        Fact(name="system", value=str(made["system"])),
        Fact(
            name="processor",
            value=str(made["processor"]),
            note=f"{used}; {' '.join(made['features'])}",
        ),
        Fact(name="libraries", value=libraries),
    ]
