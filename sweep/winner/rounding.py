"""How many digits of a number people are told: those that say something."""


def compact(value: float) -> str:
    """Return a score in three decimals, or a number from 100 on without any."""
    return plain(value) if abs(value) < 100 else f"{value:,.0f}"


def plain(value: float) -> str:
    """Return three decimals without the zero in front; no minus before what is rounded to 0."""
    return without_zero(f"{value:z.3f}")


def signed(value: float) -> str:
    """Return three decimals with their sign; of what is rounded to zero, a plus."""
    text = plain(value)
    return text if text.startswith(("-", "nan")) else f"+{text}"


def figure(value: float, magnitude: float) -> str:
    """Return a signed figure with as many decimals as tell something among such values.

    Args:
        value: finite.
        magnitude: what is large for such a figure; up to 10 it has three decimals, above 1,000
            none.
    """
    decimals = 3 - sum(abs(magnitude) > limit for limit in (10, 100, 1000))
    return without_zero(f"{value:+z,.{decimals}f}")


def without_zero(text: str) -> str:
    """Return a number as papers print it where it is below 1: without the zero in front."""
    return text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text


def milliseconds(value: float) -> str:
    """Return a latency with about two significant digits, without unit."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def megabytes(size: float) -> str:
    """Return a number of bytes in MB, with about two significant digits, without unit."""
    return milliseconds(size / 1e6) if size >= 1e4 else f"{size / 1e6:.1g}"
