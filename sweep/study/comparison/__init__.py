"""Two trials side by side, of one study or of two, or a trial and a run file, query by query."""
