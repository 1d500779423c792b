"""What the patient's seat and the controller claim, beside what the words tell: no claim is believed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.players.checked import Checked
from osler.protocols.scenario.events import Acted, Spoke, StateEntered
from osler.protocols.scenario.model.undisclosed_facts import open_now
from osler.protocols.scenario.players.controller import assessments_of
from osler.protocols.scenario.seats import (
    CONTROLLER,
    PATIENT_SEAT,
    Assessment,
    ControllerReply,
    ControllerView,
    PatientSeatReply,
    PatientSeatView,
)
from osler.protocols.shared.claimed_facts import facts_told
from osler.text.phrases import words

_ANY: Final = frozenset(
    "give start do take put get have be check call ask tell look make use the of to in on".split()
)


def checked_patient_seat(player: AnyPlayer) -> AnyPlayer:
    """A patient's seat whose words are read: `revealed_facts` are those that their knowers' words tell."""
    return Checked(player, PATIENT_SEAT, as_told)


def as_told(request: Request[PatientSeatView], reply: PatientSeatReply) -> PatientSeatReply:
    """A reply with the facts that its words tell. Raises ValueError for one that contradicts a fact."""
    if request.view.packet is not None:
        return reply
    question = next(
        (item.text for item in reversed(request.feed) if type(item) is Spoke and item.by == "examinee"), ""
    )
    told = tuple(dict.fromkeys(_told(request, reply, question)))
    return reply.model_copy(update={"revealed_facts": told, "claimed": reply.revealed_facts})


def _told(request: Request[PatientSeatView], reply: PatientSeatReply, question: str) -> Iterator[str]:
    may = open_now(request)
    ids = {each.fact.id for each in request.view.facts}
    for who in dict.fromkeys(spoken.who for spoken in reply.speak):
        text = " ".join(spoken.words for spoken in reply.speak if spoken.who == who)
        facts = [each.fact for each in request.view.facts if each.who == who and each.fact.id in may]
        own = {fact.id for fact in facts}
        yield from facts_told(text, question, facts, [item for item in reply.revealed_facts if item in own])
    # What may not be told, or is unknown, is for the rules to refuse.
    yield from (item for item in reply.revealed_facts if item not in ids or item not in may)


def checked_controller(player: AnyPlayer) -> AnyPlayer:
    """A controller whose reading of acts is read: an act is carried out if its words can mean it."""
    return Checked(player, CONTROLLER, as_possible)


def as_possible(request: Request[ControllerView], reply: ControllerReply) -> ControllerReply:
    """A reply whose executed acts are those that the words can mean; the others become unsupported."""
    if request.view.packet is not None:
        return reply
    latest = next((item for item in reversed(request.feed) if type(item) is Acted), None)
    heard = dict(zip(latest.actions, latest.spoken, strict=False)) if latest else {}
    entered = (item.state for item in reversed(request.feed) if type(item) is StateEntered)
    state = next(entered, "")
    read = tuple(_read(one, request.view, state, heard.get(one.raw)) for one in reply.action_assessments)
    wrong = tuple(
        before.interpreted_action
        for before, after in zip(reply.action_assessments, read, strict=True)
        if before.status != after.status
    )
    return reply.model_copy(update={"action_assessments": read, "refused": wrong})


def _read(one: Assessment, view: ControllerView, state: str, spoken: str | None) -> Assessment:
    if one.status != "executed" or one.interpreted_action in (None, "", spoken):
        return one
    if can_mean(one.raw, one.interpreted_action, view, state):
        return one
    return one.model_copy(update={"status": "unsupported", "interpreted_action": ""})


def can_mean(said: str, act: str, view: ControllerView, state: str) -> bool:
    """Whether the words of an act can mean a declared action: the reader takes them so, or they share a
    telling word with what it is."""
    if any(one.interpreted_action == act for one in assessments_of(view, [said], state)):
        return True
    what = next((action.what for action in view.actions if action.id == act), "")
    return bool(_telling(said) & _telling(what))


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _ANY
