"""The scorecard of a scenario's patient seat: each of its people is read as the patient of a consultation.

A question is put to those whom the built-in seat hears addressed; others who speak are read as well, without
having been asked. Facts that hold in some states alone are told early before they first hold. A scenario
marks no fact as key. Its diagnosis is the illness that its title names, unless somebody in it knows of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from osler.cases.scenarios.model import Scenario
from osler.core.contract import Request
from osler.protocols.scenario.events import Cue, Spoke
from osler.protocols.scenario.players.patient import scene_of
from osler.protocols.scenario.seats import PatientSeatReply, PatientSeatView, PersonView
from osler.protocols.shared.model.claims import illnesses
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.patient_score import Part, Reading, Truth, patient_scores
from osler.reports.scorecard import Scorecard
from osler.store.records import RunInfo
from osler.store.store import Store

PACKET: Final = "a packet of prose holds no facts to read the answers by"


def scored(run: RunInfo, store: Store) -> Scorecard:
    """Score the patient's seat of a run of scenarios. Raises BadInput as `patient_scores` does."""
    return patient_scores(run, store, SCENARIO)


def _unread(view: PatientSeatView) -> str:
    return "" if view.packet is None else PACKET


def _parts(request: Request[PatientSeatView], replies: Sequence[PatientSeatReply]) -> Iterator[Part]:
    """The part of everybody who was addressed or spoke; none where the examinee said nothing."""
    scene = scene_of(request)
    if not scene.asked:
        return
    addressed = {person.id: words for person, words in scene.addressed()}
    for person in request.view.people:
        words = tuple(_words_of(person, reply) for reply in replies)
        if person.id in addressed or any(words):
            put = addressed.get(person.id, scene.said[-1])
            yield Part(
                scene.consultation_with(person, put, request.world),
                words,
                person.id in addressed,
                _not_yet(request, person),
                tuple(_given(request, person)),
            )


def _words_of(person: PersonView, reply: PatientSeatReply) -> str:
    return " ".join(each.words for each in reply.speak if each.who == person.id)


def _not_yet(request: Request[PatientSeatView], person: PersonView) -> tuple[PatientFact, ...]:
    """The facts of a person that have not held so far."""
    held = {item for cue in request.feed if isinstance(cue, Cue) for item in cue.holds}
    return tuple(
        each.fact
        for each in request.view.facts
        if each.who == person.id and each.at_times and each.fact.id not in held
    )


def _given(request: Request[PatientSeatView], person: PersonView) -> Iterator[str]:
    """Yield the words that the script gives a person: their cues, and the lines that everybody heard."""
    for item in request.feed:
        if isinstance(item, Cue):
            yield from filter(None, (item.text,))
        elif isinstance(item, Spoke) and (item.by, item.who) == ("patient", person.name):
            yield item.text


def _truth(scenario: Scenario) -> Truth:
    known = [f"{each.text} {each.spoken or ''}" for each in scenario.knows]
    named = illnesses(scenario.title or "").difference(*map(illnesses, known))
    return Truth(named_in=partial(_names, named) if named else None)


def _names(illness: frozenset[str], text: str) -> bool:
    return not illness.isdisjoint(illnesses(text))


SCENARIO: Final = Reading(_parts, _truth, _unread)
