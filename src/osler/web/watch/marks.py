"""The moments that a scrubber marks, by the kind of event, and by the lines of a reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from osler.core.events import NOT_VALID, Event
from osler.core.wording import DONE, Wording
from osler.web.schemas import Mark

MARKS: Final[Mapping[str, Mark]] = {
    "released": "evidence",
    "result": "evidence",
    "picture": "evidence",
    "observed": "evidence",
    "happened": "evidence",
    "order": "order",
    "acted": "order",
    "consult": "consult",
    "query": "consult",
    "recalled": "thought",
    "corrected": "thought",
    "reconsider": "thought",
    "leaning": "thought",
    "unguided": "refusal",
    "ended": "end",
}
"""The mark of each kind of event; a kind that is not here, such as a plug-in's, has none."""
_BY_LINE: Final[Mapping[str, Mark]] = {
    "order": "order",
    DONE: "order",
    "concludes": "end",
    "reasons": "thought",
}
_CONSULTED: Final = frozenset({"the consultant", "the expert"})
_IDLE: Final = frozenset({"waits", "asks nothing"})
_FIRST: Final[tuple[Mark, ...]] = ("end", "order", "consult", "thought")


def mark_of_reply(lines: Iterable[Wording], *, ends: bool = True) -> Mark | None:
    """The mark of a seat's reply. Without `ends` a conclusion has none, since the end itself follows."""
    acts = (one for one in lines if one.text not in _IDLE)
    found = {"consult" if one.to in _CONSULTED else _of_line(one.kind) for one in acts}
    mark = next((one for one in _FIRST if one in found), None)
    return mark if ends or mark != "end" else None


def _of_line(kind: str) -> Mark | None:
    return "thought" if kind.startswith("thinks") else _BY_LINE.get(kind)


def mark_of(event: Event) -> Mark | None:
    """The mark of an event, if it has one."""
    if getattr(event, "returned", True) is False or _refuses(event):
        return "refusal"
    if getattr(event, "actions", None) == ():  # a turn in which nothing was done
        return None
    return MARKS.get(getattr(event, "part", event.kind))


def _refuses(event: Event) -> bool:
    if event.kind == "notice":
        return bool(getattr(event, "said", "")) or getattr(event, "text", "").startswith(NOT_VALID)
    return getattr(event, "approved", True) is False
