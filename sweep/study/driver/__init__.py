"""The sweep driver: what to evaluate next, evaluate, record; resume where a run stopped."""
