"""Where an answer's text stands in its document."""

from collections.abc import Mapping

from sweep.corpus.found import Answer, Dropped, Place
from sweep.records import Notice
from sweep.text_lines import shorten


def find_answer(
    answer: Answer,
    place: Place,
    texts: Mapping[str, str],
    notices: list[Notice],
    dropped: list[Dropped],
) -> int | None:
    """Return where an answer starts in its document (code points), None if it does not.

    Where its place is given, the occurrence nearest to it counts; otherwise the first one. What
    stands elsewhere than it is said to, or more than once without a place, is noted; what stands
    nowhere is dropped.
    """
    text = texts.get(answer.document_id)
    if text is None or not answer.text.strip():
        why = "a blank answer" if text is not None else "an answer in an unknown document"
        dropped.append(Dropped(place, answer.query_id, f"has {why}; no span is made"))
        return None
    said_start = answer.start
    if said_start is not None and said_start >= 0 and text.startswith(answer.text, said_start):
        return said_start
    starts = _occurrences(text, answer.text)
    if not starts:
        why = f"an answer {shorten(answer.text)} that is not in {answer.document_id!r}"
        dropped.append(Dropped(place, answer.query_id, f"has {why}; no span is made"))
        return None
    if said_start is None:
        if len(starts) > 1:
            said = f"stands {len(starts)} times in {answer.document_id!r}; the first one is taken"
            _note(answer, place, notices, said)
        return starts[0]
    start = min(starts, key=lambda one: (abs(one - said_start), one))
    said = f"of {answer.document_id!r} starts at {start}, not at {said_start}; taken from there"
    _note(answer, place, notices, said)
    return start


def _occurrences(text: str, part: str) -> list[int]:
    starts = []
    start = text.find(part)
    while start >= 0:
        starts.append(start)
        start = text.find(part, start + 1)
    return starts


def _note(answer: Answer, place: Place, notices: list[Notice], said: str) -> None:
    text = f"answer {shorten(answer.text)} to {answer.query_id!r} {said}"
    notices.append(Notice(where=f"{place.name}:{place.at}", text=text))
