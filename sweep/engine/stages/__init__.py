"""The stages: chunks, model inputs, vectors, pair scores, ranked lists, output, score tables."""
