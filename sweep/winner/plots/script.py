"""Plotly's own script, which draws the figures in a browser."""


def plotly_script() -> str:
    """Return plotly.js as the installed package carries it: 4.8 MB, licence in its first lines.

    The package carries no smaller bundle. It asks no host for anything, for the kinds of plot
    that are used here.
    """
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script
