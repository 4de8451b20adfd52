"""What a trial misses, which stage lost it, and what happened to one query."""
