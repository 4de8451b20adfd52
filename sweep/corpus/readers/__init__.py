"""Readers of people's own files, one a form; each says what it recognises and yields findings.

A reader is a module with

* `NAME`: what `--format` calls it;
* `recognises(source, options)`: whether an existing file (or folder) is in its form;
* `read(source, options)`: yields documents, queries, judgements, spans, answers and notices,
  each with its place; raises CorpusError, naming the place, for what it cannot read.

What holds for every form (repeated ids, unknown ids, spans outside ...) is in `assemble`.
"""
