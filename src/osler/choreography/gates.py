"""The gates of what a patient keeps back, read off the words: shut when asked in vain, open once assured.

Only for views that hold the patient's own view. A lock tells of the gate alone, never of what is behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from osler.choreography.cues import Gate, ViewedEvent
from osler.text.disclosure_conditions import conditions_met
from osler.text.topics import topics_touched

WORDS: Final[Mapping[str, str]] = {
    "in_private": "told only in private",
    "normalized": "told only once it is called normal",
    "confidential": "told only in confidence",
}
"""The gates in words."""


class KeptBack(NamedTuple):
    """A fact that is kept back: its id, the subject it is of, and its gate."""

    id: str
    topic: str
    gate: str


def kept_back(view: Mapping[str, Any]) -> tuple[KeptBack, ...]:
    """The facts that a patient's view (as JSON) keeps back."""
    facts = (one.get("fact", one) for one in view.get("facts", ()) if isinstance(one, Mapping))
    read = (KeptBack(str(one.get("id")), str(one.get("topic")), str(one.get("told"))) for one in facts)
    return tuple(one for one in read if one.gate in WORDS)


def with_gates(
    items: Iterable[ViewedEvent], kept: Iterable[KeptBack], doctor: str, patient: str
) -> Iterator[ViewedEvent]:
    """Yield the items, each with the gates that show in it: one shuts when the `patient` says nothing of a
    subject on which something is kept back, and opens when the `doctor` has met its condition."""
    behind, heard, latest = tuple(kept), list[str](), ""
    shut: dict[str, None] = {}
    for item in items:
        gates: tuple[Gate, ...] = ()
        if item.text("by") == doctor and (words := item.text("text")):
            heard.append(words)
            latest = words
            met = conditions_met(heard)
            gates = tuple(Gate(WORDS[gate], False) for gate in shut if gate in met)
            shut = {gate: None for gate in shut if gate not in met}
        elif item.seat == patient and _says_nothing(item.reply or {}):
            touched, met = topics_touched(latest), conditions_met(heard)
            wanted = dict.fromkeys(one.gate for one in behind if one.topic in touched)
            result = [gate for gate in wanted if gate not in met and gate not in shut]
            shut |= dict.fromkeys(result)
            gates = tuple(Gate(WORDS[gate], True) for gate in result)
        yield item._replace(gates=gates) if gates else item


def _says_nothing(reply: Mapping[str, Any]) -> bool:
    return not reply.get("revealed_facts") and reply.get("unanswered_reason") == "not_in_patient_view"
