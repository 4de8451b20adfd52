"""Plots of a study, for its dashboard and its report: trials and verdicts -> Plotly figures."""
