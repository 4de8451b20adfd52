"""Inference over queries: intervals, tests, who is tied with the best, honest scores."""
