"""Stage 8 of 8, recommendation -> a folder that answers queries without optuna."""
