"""A search-space file -> the configurations that a study tries."""
