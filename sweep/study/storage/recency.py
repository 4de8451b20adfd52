"""Which study was run last: told by a count, since clocks are set back and zones change."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

LAST_RUN, TURN = "last_run", "turn"


def stamp(abouts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what marks a study as the one that was run last.

    Args:
        abouts: what the studies of the storage remember, this one's former stamp among them.
    """
    turn = 1 + max((int(about.get(TURN, 0)) for about in abouts), default=0)
    return {LAST_RUN: datetime.now().astimezone().isoformat(timespec="seconds"), TURN: turn}


def recency(about: Mapping[str, Any]) -> tuple[int, datetime]:
    """Return a sort key: the greatest is the study that was run last."""
    try:
        time = datetime.fromisoformat(str(about.get(LAST_RUN))).astimezone(UTC)
    except ValueError:
        time = datetime.fromtimestamp(0, UTC)
    return int(about.get(TURN, 0)), time
