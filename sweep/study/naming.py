"""A name for another study beside those that there are."""

import re
from collections.abc import Collection


def next_name(name: str, taken: Collection[str]) -> str:
    """Return a free name for another study: `mine-2` after `mine`, `mine-3` after `mine-2`.

    Args:
        name: of the study that stays as it is.
        taken: names that studies have.
    """
    numbered = re.fullmatch(r"(.+)-([0-9]{1,4})", name)
    base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
    while (found := f"{base}-{number + 1}") in taken:
        number += 1
    return found
