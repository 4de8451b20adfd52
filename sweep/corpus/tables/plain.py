"""Values of other libraries as JSON's: a date becomes its ISO text, a decimal its digits."""

import base64
import datetime
import decimal
import math
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Return a value as JSON can hold it; NaN and infinity become None, bytes base64 text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [to_plain(inner) for inner in value]
    if isinstance(value, datetime.date | datetime.time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    return str(value)
