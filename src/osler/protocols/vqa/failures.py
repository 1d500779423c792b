"""Why a question went wrong: another option was named, or none."""

from __future__ import annotations

from collections.abc import Iterator

from osler.core.failure import NO_ANSWER, WRONG_ANSWER, Failure, failure
from osler.core.measure import Scored
from osler.protocols.vqa.events import QuestionAnswered
from osler.protocols.vqa.judge import marks_in


def failures(episode: Scored) -> Iterator[Failure]:
    """Yield the first answer that was wrong, and the first that named no option; those without pictures are
    asked to be compared, and do not count."""
    places = [
        (n, event)
        for n, events in episode.trace().told()
        for event in events
        if isinstance(event, QuestionAnswered)
    ]
    asked = [
        (mark, *place)
        for mark, place in zip(marks_in(episode.body or {}), places, strict=False)
        if not mark.blind and not mark.is_right
    ]
    for tag, unread in ((WRONG_ANSWER, False), (NO_ANSWER, True)):
        for _, n, event in [one for one in asked if (one[0].place is None) is unread][:1]:
            yield from failure(tag, n, event.text or event.why)
