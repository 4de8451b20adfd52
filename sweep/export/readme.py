"""The README of a bundle: how to use it, what it scored, how to rebuild it, what is unproven."""

import json
from collections.abc import Mapping
from typing import Any

TEMPLATE = """# Retrieval bundle: {label}

Made by {made_by} on {made_at} from the study `{study}`, trial {trial}.

```python
import sweep
retriever = sweep.load("{folder}")           # the folder of this file
for hit in retriever.search("your question"):
    print(hit.score, hit.document_id, hit.text)
```

From a shell: `sweep query {folder} "your question"`. `sweep verify {folder}` proves that this
folder returns what the trial returned. Needs `retrieval-sweep`; Optuna is not used.

## What it scored

{figures}

## Settings

Everything that decides what is retrieved, to rebuild it elsewhere:

| parameter | value |
|---|---|
{settings}

Corpus `{corpus}` ({documents:,} documents, SHA-256 {corpus_hash}...), cut into {chunks:,} chunks.
{models}

## Unproven

- The scores hold for the judged queries of that corpus; other queries and changed documents are
  not covered. Evaluate again when the corpus changes.
- Rankings are equal id for id on the same kind of machine and precision
  ({machine}); elsewhere neighbours whose scores nearly agree may swap: `sweep verify` counts them.
- {times}
{scope}"""

PRECISIONS = {"encoder": "precision", "reranker": "rerank_precision"}  # in the manifest, by role


def readme_text(manifest: Mapping[str, Any]) -> str:
    """Return the page for people, from the manifest's own figures."""
    settings = "\n".join(
        f"| `{name}` | `{_shown(value)}` |" for name, value in _portable_settings(manifest).items()
    )
    models = [
        f"The {role} is `{model['name']}` (fingerprint {model['fingerprint'][:12]}...), "
        + ("in this folder" if model.get("bundled") else "loaded by name")
        + (f", in {precision}." if (precision := manifest.get(PRECISIONS[role])) else ".")
        for role, model in manifest["models"].items()
        if model
    ]
    models += _prefixes(manifest["configuration"])
    return TEMPLATE.format(
        label=manifest["label"],
        made_by=manifest["made_by"],
        made_at=manifest["made_at"],
        study=manifest["study"],
        trial=manifest["trial"],
        folder="DIR",
        figures="\n".join(_figures(manifest)),
        settings=settings,
        corpus=manifest["corpus"]["name"],
        documents=manifest["corpus"]["documents"],
        corpus_hash=manifest["corpus"]["hash"][:16],
        chunks=manifest["chunks"],
        models="\n".join(models),
        machine=" ".join(manifest["machine"]["features"]),
        times=_times(manifest.get("latency") or {}),
        scope=_scope(manifest.get("sample") or {}),
    )


def _prefixes(configuration: Mapping[str, Any]) -> list[str]:
    """Return what is put before queries and passages, as a line for people."""
    prefixes = (("query", "queries"), ("passage", "passages"))
    told = [
        f"`{json.dumps(text, ensure_ascii=False)}` is put before {which}"
        for name, which in prefixes
        if (text := configuration.get(f"vector.{name}_prefix"))
    ]
    return [f"{', '.join(told)}; the bundle does it itself."] if told else []


def _scope(sample: Mapping[str, Any]) -> str:
    """Return what a quick look left open, as one more item; nothing for most bundles."""
    return f"- {sample['text']}\n" if sample else ""


def _times(conditions: Mapping[str, Any]) -> str:
    """Return under which conditions the latency was measured."""
    where = "Times were measured where the study ran, one query at a time on one thread"
    if not conditions:
        return f"{where}."
    how = f"{conditions['queries']} queries, the fastest of {conditions['rounds']} rounds each"
    if not conditions["busy"]:
        return f"{where} ({how})."
    return (
        f"{where} ({how}), while other programs used {conditions['others']:.0%} of its "
        f"processors: a quiet machine may be faster."
    )


def _portable_settings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    settings = dict(manifest["configuration"])
    for name, role in (("vector.model", "encoder"), ("rerank.model", "reranker")):
        if name in settings and manifest["models"].get(role):
            settings[name] = manifest["models"][role]["name"]
    return settings


def _shown(value: Any) -> str:
    """Return a setting on one line."""
    return json.dumps(value, ensure_ascii=False) if "\n" in str(value) else str(value)


def _figures(manifest: Mapping[str, Any]) -> list[str]:
    lines = []
    if manifest.get("message"):
        told = [line for line in manifest["message"].splitlines() if not line.startswith("NEXT")]
        lines += ["What the study said when this was exported:", "", "```text", *told, "```", ""]
    lines += [
        "On the queries that chose:",
        "",
        "| metric | mean | 95 % interval |",
        "|---|---|---|",
    ]
    shown = ("ndcg@10", "recall@10", "rr@10", "judged@10", "context_tokens", "latency_p95_ms")
    for name in shown:
        if name in manifest["metrics"]:
            pair = manifest["intervals"].get(name)
            interval = f"{pair[0]:.4g} to {pair[1]:.4g}" if pair else "-"
            lines.append(f"| {name} | {manifest['metrics'][name]:.4g} | {interval} |")
    if known := manifest.get("index_recall"):
        name = f"index recall@{known['depth']} of exact search"
        lines.append(f"| {name} | {known['recall']:.4g} | - |")
    for critical in manifest.get("must", ()):
        name = f"{critical['metric']} where {critical['where']} ({critical['queries']} queries)"
        low, high = critical["interval"]
        cell = name.replace("|", "\\|")
        lines.append(f"| {cell} | {critical['value']:.4g} | {low:.4g} to {high:.4g} |")
    return lines
