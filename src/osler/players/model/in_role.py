"""The words of a model's reply that are spoken aloud, read for a refusal and for faults of the role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from osler.core.events import Seat
from osler.core.wording import SAID, ReplyWords, reply_wordings
from osler.text.in_role.faults import Fault, Part, fault_in

_PARTS: Final[Mapping[Seat, Part]] = {"patient": "patient", "doctor": "clinician", "examinee": "clinician"}
"""The seats that face each other across an illness; in others only what is no speech at all is a fault."""
_PRIVATE: Final = frozenset({"reason", "rationale", "note", "internal_monologue"})


class _Speech(NamedTuple):
    text: str
    part: Part


def fault_of(reply: BaseModel, seat: Seat, words: ReplyWords) -> Fault | None:
    """The fault of what a reply says aloud in a seat, or `None`. `words` are the protocol's wordings of
    replies; of a type they do not know, every text is read but the reasons."""
    faults = (fault_in(one.text, one.part) for one in _speeches(reply, seat, words))
    return next((fault for fault in faults if fault), None)


def _speeches(reply: BaseModel, seat: Seat, words: ReplyWords) -> Iterator[_Speech]:
    part = _PARTS.get(seat, "other")
    if type(reply) not in words:
        yield from (_Speech(text, "other") for text in _texts(reply.model_dump()))
        return
    for one in reply_wordings(reply, seat, words):
        if one.kind == SAID:
            accompanies = part == "patient" and one.who not in ("", "patient")
            yield _Speech(one.text, "companion" if accompanies else part)
        elif one.kind != "reasons" and not one.kind.startswith("thinks"):
            yield _Speech(one.text, "other")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if not value.isidentifier():  # a name out of a list is nobody's words
            yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if name not in _PRIVATE:
                yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def told_so(fault: Fault, seat: Seat) -> str:
    """The notice to a seat whose answer has a fault."""
    return f"{fault.what}. You play the {seat.replace('_', ' ')}: answer in that role, in its own words"
