"""Plots of a study for its dashboard: finished trials and verdicts -> Plotly figures."""
