"""Numbers as files write them: what is one, and which are whole.

pandas writes a column of whole numbers with a gap as `2.0`, and others write `1e0`: a label is
whole by its value, not by its spelling. `1.5`, `nan`, `inf`, `true` and `1_000` are no labels.
"""

import re
from decimal import Decimal

LIMIT = 10**9  # any grade, and every offset, is below it; an id or a time is not
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,9}\s*", re.A)
_DIGITS = r"(?:\d+\.?\d*|\.\d+)"
_DECIMAL = re.compile(rf"\s*[+-]?{_DIGITS}(?:e[+-]?\d{{1,3}})?\s*", re.A | re.I)
_NUMBER = re.compile(rf"\s*[+-]?(?:{_DIGITS}(?:e[+-]?\d+)?|inf(?:inity)?|nan)\s*", re.A | re.I)


def is_numeral(text: str) -> bool:
    """Return whether a text is a number: `2`, `-0.5`, `1e-3`, `inf`, `nan`; not `1_000`."""
    return _NUMBER.fullmatch(text) is not None


def whole_number(value: object) -> int | None:
    """Return a number whose value is whole and below 10^9: of `2`, `"2"`, `2.0`, `"2.0"`, `"2e0"`.

    Returns: None for anything else: `1.5`, NaN, infinity, a truth value, a text that is no number.
    """
    if isinstance(value, str):
        if _WHOLE.fullmatch(value):
            return int(value)
        number = Decimal(value.strip()) if _DECIMAL.fullmatch(value) else None
        if number is None or abs(number) >= LIMIT or number != number.to_integral_value():
            return None
        return int(number)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -LIMIT < value < LIMIT or value != int(value):  # NaN is not between two numbers
        return None
    return int(value)


def whole_rule(value: object) -> str:
    """Return what a value must be that `whole_number` refuses: the limit is told beyond it."""
    number: object = value
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        number = Decimal(value.strip())
    if isinstance(number, int | float | Decimal) and not isinstance(number, bool):
        infinite = not Decimal(number).is_finite()  # NaN, too
        if not infinite and abs(Decimal(number)) >= LIMIT:
            return "a whole number of at most 9 digits"
    return "a whole number"
