"""The stage graph: what to compute, in which order, where it is stored, who executes it."""
