"""Amounts as people write them: bytes (`5GB`) and ages (`30d`)."""

import re

from sweep.errors import StoreError

# Decimal and binary units of bytes.
UNITS = {"B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    UNITS |= {f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}
AGES = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}  # seconds
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*")


def parse_size(text: str) -> int:
    """Return the bytes that a text such as `5GB`, `1.5 GiB`, `800kb` or `1000` names.

    Raises: StoreError if it names none.
    """
    match = _AMOUNT.fullmatch(text)
    unit = (match[2].upper() or "B") if match else ""
    if match is None or unit not in UNITS:
        raise StoreError(
            f"size: must be a number with B, KB, MB, GB, TB or KiB, MiB, GiB, TiB, got {text!r}. "
            f"Write for example 5GB."
        )
    return int(float(match[1]) * UNITS[unit])


def parse_age(text: str) -> float:
    """Return the seconds that a text such as `30d`, `12h`, `90m` or `2w` names.

    Raises: StoreError if it names none.
    """
    match = _AMOUNT.fullmatch(text)
    if match is None or match[2].lower() not in AGES:
        raise StoreError(
            f"age: must be a number with m, h, d or w (minutes, hours, days, weeks), got "
            f"{text!r}. Write for example 30d."
        )
    return float(match[1]) * AGES[match[2].lower()]


def format_size(size: float) -> str:
    """Return bytes in the largest decimal unit that they fill, for example `1.5 GB`."""
    unit = next((u for u in ("TB", "GB", "MB", "KB") if UNITS[u] <= size), "B")
    return f"{size / UNITS[unit]:,.{0 if unit == 'B' else 1}f} {unit}"
