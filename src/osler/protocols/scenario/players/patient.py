"""The built-in patient seat, without a model: each person answers from their own facts.

Each answers as the built-in patient of a consultation does. A person addressed by name or role ("Mrs Hale,
...", "..., mum?") answers; else the usual speaker, or a carer if the patient is referred to ("does he ...");
if they are absent or cannot speak, someone present who can. Words to the team are left for the team to
answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said
from osler.knowledge.vocabulary import PATIENT_ID
from osler.protocols.scenario.events import Cue, Moment, Present, Spoke
from osler.protocols.scenario.seats import PatientSeatReply, PatientSeatView, PersonView, Spoken, alone
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView
from osler.protocols.shared.players.patient import answer

_FEW: Final = 2  # words
_TEAM: Final = "team"
"""Whoever of the team an order is for; what follows is for them, too, unless it asks "you" something."""
_OPENING: Final = "I don't feel well."
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
_TITLES: Final = frozenset("mr mrs ms miss dr professor prof the his her a an".split())
_OF_THE_PATIENT: Final = re.compile(r"\b(?:he|she|him|his|her|they|their)\b", re.IGNORECASE)
_TO_ONE: Final = re.compile(r"\b(?:you|your|i|my)\b", re.IGNORECASE)
_LEAD: Final = (
    r"(?:(?:hello|hi|hey|good (?:morning|afternoon|evening)|thank you|thanks|and|so|now|right|okay|ok|well"
    r"|please|sorry|to)\W+)*(?:(?:the|your|his|her)\s+)?"
)


class BaselinePatientSeat:
    """The built-in patient with companions. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[PatientSeatView]) -> PatientSeatReply:
        """Answer the examinee's latest words."""
        return scene_of(request).answer(request.world)


def scene_of(request: Request[PatientSeatView]) -> Scene:
    """The scene as the seat knows it at a request."""
    scene = Scene(request.view)
    for item in request.feed:
        scene.take(item)
    return scene


@dataclass(slots=True)
class Scene:
    """The seat's current knowledge: the people present, the facts that hold, and the conversation of each."""

    view: PatientSeatView
    here: dict[str, None] = field(default_factory=dict)
    holds: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    said: list[str] = field(default_factory=list)
    asked: bool = False
    orders: tuple[str, ...] = ()
    team: dict[str, str] = field(default_factory=dict)
    feeds: dict[str, list[Event | OwnReply]] = field(default_factory=dict)

    def take(self, item: Event | OwnReply) -> None:
        """Process the next feed item."""
        match item:
            case Present():
                self._present(item)
            case Cue():
                self.holds, self.silent = frozenset(item.holds), frozenset(item.silent)
            case Spoke() if item.by == "examinee":
                self.said.append(item.text)
                self.asked = True
                self.orders = item.orders
                for person in self.view.people:
                    self.feeds.setdefault(person.id, []).append(_heard(item.minute, item.text))
            case Moment():
                self.asked = False
            case OwnReply(reply=PatientSeatReply() as reply):
                for person in self.view.people:
                    self._answered(person, reply)

    def answer(self, world: str) -> PatientSeatReply:
        """Answer the latest words, each part by the person addressed; nobody speaks unasked."""
        if not self.asked:
            return PatientSeatReply()
        spoken: list[Spoken] = []
        revealed: dict[str, None] = {}
        for person, words in self.addressed():
            reply = answer(self.consultation_with(person, words, world))
            if reply.unanswered_reason == "unclear_question" and "?" not in words:
                continue  # a remark needs no answer
            spoken.append(Spoken(who=person.id, words=reply.answer[:4000]))
            revealed |= dict.fromkeys(reply.revealed_facts)
        return PatientSeatReply(speak=tuple(spoken), revealed_facts=tuple(revealed))

    def consultation_with(self, person: PersonView, words: str, world: str) -> Request[PatientView]:
        """The latest `words` to a person, and all that went before, as a request of a consultation with
        them."""
        *before, latest = self.feeds[person.id]
        assert type(latest) is Said
        view = self._view_of(person)
        now = {fact.id for fact in view.facts}
        # Everyone hears questions put to others: an assurance given to any of them counts. An answer that no
        # longer holds is not repeated.
        so_far = (item for item in before if type(item) is not OwnReply or _is_so(item, now))
        return Request(view, (*so_far, latest.model_copy(update={"text": words})), world)

    def _view_of(self, person: PersonView) -> PatientView:
        view = self.view
        roles = [(one.id, one.role) for one in view.people]
        private = alone(person.id, self.here, roles)
        facts = tuple(
            _in_private(each.fact) if private and each.fact.told == "in_private" else each.fact
            for each in view.facts
            if each.who == person.id and (not each.at_times or each.fact.id in self.holds)
        )
        return _patient_view(view, person, facts)

    def addressed(self) -> Iterator[tuple[PersonView, str]]:
        """Assign the latest sentences to the people who answer them, in the order in which they are
        addressed."""
        to: dict[str, list[str]] = {}
        now = self.view.speaker
        for sentence in filter(None, _SENTENCE.split(self.said[-1])):
            if _only_orders(sentence, self.orders):
                now = self._named(sentence) or _TEAM
                continue
            if now == _TEAM and "?" in sentence and _TO_ONE.search(sentence):
                now = self.view.speaker
            now = self._named(sentence) or self._carer(sentence, now) or now
            if now not in self.team and now != _TEAM:
                to.setdefault(self._voice(now), []).append(sentence)
        by_id = {person.id: person for person in self.view.people}
        return ((by_id[who], " ".join(sentences)) for who, sentences in to.items() if who)

    def _named(self, sentence: str) -> str:
        """The id of the person a sentence addresses by name, or ""."""
        people = [*((one.id, one.name) for one in self.view.people), *self.team.items()]
        return next((ident for ident, name in people if _address(ident, name).search(sentence)), "")

    def _carer(self, sentence: str, now: str) -> str:
        """The carer who is asked about the patient, if a sentence speaks of the patient and addresses no one;
        else ""."""
        if now != PATIENT_ID or _TO_ONE.search(sentence) or not _OF_THE_PATIENT.search(sentence):
            return ""
        return next((one.id for one in self.view.people if one.id in self.here and one.id != PATIENT_ID), "")

    def _voice(self, wanted: str) -> str:
        """The person who answers for `wanted`: they themselves, or someone present who can speak."""
        order = (wanted, self.view.speaker, *(person.id for person in self.view.people))
        able = {person.id for person in self.view.people if person.speaks and person.id in self.here}
        return next((one for one in order if one in able - self.silent), "")

    def _present(self, item: Present) -> None:
        ident = next((person.id for person in self.view.people if person.name == item.who), None)
        if ident is None:
            self.team[f"team:{item.who}"] = item.who
        elif item.here:
            self.here[ident] = None
        else:
            self.here.pop(ident, None)

    def _answered(self, person: PersonView, reply: PatientSeatReply) -> None:
        own = [each.fact.id for each in self.view.facts if each.who == person.id]
        words = " ".join(each.words for each in reply.speak if each.who == person.id)
        if words:
            items = tuple(item for item in reply.revealed_facts if item in own)
            self.feeds[person.id].append(OwnReply(PatientReply(answer=words, revealed_facts=items)))


def _only_orders(sentence: str, orders: Collection[str]) -> bool:
    """Whether a sentence holds little but orders to the team."""
    rest = sentence
    for order in orders:
        rest = rest.replace(order, " ")
    return rest != sentence and len(re.findall(r"\w+", rest)) <= _FEW


def _is_so(own: OwnReply, now: Collection[str]) -> bool:
    """Whether all facts told in an earlier answer still hold."""
    return type(own.reply) is PatientReply and set(own.reply.revealed_facts) <= set(now)


def _heard(minute: int, text: str) -> Said:
    return Said(minute=minute, by="doctor", text=text)


def _in_private(fact: PatientFact) -> PatientFact:
    """A fact reserved for private talk, opened because no one else is present."""
    return fact.model_copy(update={"told": "asked"})


def _patient_view(view: PatientSeatView, person: PersonView, facts: tuple[PatientFact, ...]) -> PatientView:
    """Build a consultation's patient view for one person."""
    own = person.id == PATIENT_ID
    complaint = next((fact for fact in facts if fact.told == "volunteered"), None)
    known = view.identities.get(PATIENT_ID)
    return PatientView(
        speaker="patient" if own else person.name,
        persona=view.persona,
        age_years=view.age_years,
        sex=view.sex,
        opening=(complaint.spoken or complaint.text) if complaint else _OPENING,
        facts=facts,
        unknown=view.unknown,
        identity=known if own or known is None else known.model_copy(update={"speaker": person.name}),
    )


@lru_cache(maxsize=4096)
def _address(ident: str, name: str) -> re.Pattern[str]:
    """A pattern for sentences that begin or end with a person's name or role as a form of address."""
    words = [word for word in re.findall(r"[\w'-]+", name) if word.lower() not in _TITLES]
    ways = {name, *words, *(() if ident.startswith("team:") else (ident.replace("_", " "),))}
    any_way = "|".join(sorted(map(re.escape, ways), key=lambda way: (-len(way), way)))
    return re.compile(
        rf"^\W*{_LEAD}(?:{any_way})\)?\s*(?:[,:;.!?–-]|$)|,\s*(?:{any_way})\s*[.?!]*$", re.IGNORECASE
    )
