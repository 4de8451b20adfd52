"""What Optuna's dashboard shows of a study: note, tables, artifacts, plots."""
