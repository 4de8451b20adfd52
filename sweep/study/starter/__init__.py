"""A first search space for a corpus of one's own: sized to it, commented, ready to run."""
