"""Stage 6 of 8, search space + stages 1-5 -> finished trials in an Optuna study."""
