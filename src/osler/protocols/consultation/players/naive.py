"""The naive built-in doctor: no medical knowledge, only the memory cards it is given.

It asks every patient the same plain questions, orders plain examinations first and then the tests that were
informative in the cards (or, without cards, plain tests), and concludes with the diagnosis that its cards
support best; without a card it concludes "unknown". So any skill it shows has been learnt. It reads English,
that is, it knows the names of symptoms and signs, but not what they indicate. It uses no model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Final

from osler.core.contract import OwnReply
from osler.core.events import NOT_VALID, Noticed, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.core.wrapper_events import Corrected, Hint, Recalled, Reconsidered
from osler.knowledge.known_tests import meant_test
from osler.protocols.consultation.events import Presented, WorkingDiagnosis
from osler.protocols.consultation.players.naive_cards import Experience, story_of
from osler.protocols.consultation.seats import Ask, DoctorTurn, Finalize, RequestTest, Wait
from osler.text.topics import canonical_question

Move = Ask | RequestTest | Wait | Finalize
NAME: Final = "baseline-naive"
UNKNOWN: Final = "unknown"
QUESTIONS: Final = (
    f"{canonical_question('course')} {canonical_question('character')}",
    canonical_question("associated"),
    "Anything else that you have noticed along with it?",
)
ORDERS: Final = (
    "vital signs, general examination, respiratory examination, cardiovascular examination, "
    "abdominal examination",
    "full blood count, C-reactive protein, urinalysis, electrocardiogram",
)
WIDER_QUESTIONS: Final = (
    f"{canonical_question('past_medical')} {canonical_question('medications')}",
    canonical_question("systems"),
)
WIDER_ORDERS: Final = (
    "neurological examination, skin examination, ear examination, throat examination",
    "chest X-ray, urea and electrolytes, liver function tests, blood glucose",
)
"""Additional questions and orders for a second attempt at a patient, after a mistake."""
_MOST_ORDERED: Final = 4
_WAITS: Final = 2


class NaiveDoctor:
    """The naive doctor, one move a turn: a pure function of the request, including the cards in it."""

    name: Final = NAME
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Move:
        """Return the next move, in the order questions, examinations, tests, waiting for results,
        conclusion."""
        notes = _Notes(request)
        if not notes.must_end:
            if notes.asked < len(notes.questions):
                return Ask(question=notes.questions[notes.asked])
            if order := _order(notes, request.view.allowed_tests):
                return RequestTest(test_name=order)
            if notes.pending and notes.waits < _WAITS:
                return Wait()
        return _conclusion(notes, request.view.task.options)


class _Notes:
    """Notes taken from a request in one pass."""

    def __init__(self, request: DoctorTurn) -> None:
        told: list[str] = []
        result: dict[str, str] = {}
        hints: list[Hint] = []
        self.asked = self.orders = self.waits = 0
        self.ordered = set[str]()
        self.pending, self.must_end = set[str](), False
        self.tests_left: int | None = None
        self.questions: tuple[str, ...] = QUESTIONS
        self.plain: tuple[str, ...] = ORDERS
        for item in request.feed:
            if type(item) is OwnReply:
                move = type(item.reply)
                self.asked += move is Ask
                self.orders += move is RequestTest
                self.waits += move is Wait
                if isinstance(item.reply, RequestTest):
                    self.ordered.add(item.reply.test_name)
            elif type(item) is Said:
                if item.by == "patient":
                    told.append(item.text)
            elif type(item) is Presented:
                told.append(item.text)
            elif type(item) is Resulted:
                self.pending.discard(item.name)
                if item.returned:
                    result[item.name] = item.text
            elif type(item) is Taken:
                self.pending.add(item.name)
            elif type(item) is Recalled:
                hints += item.cards
            elif type(item) is Corrected:
                self.questions, self.plain = (*QUESTIONS, *WIDER_QUESTIONS), (*ORDERS, *WIDER_ORDERS)
            elif type(item) is Reconsidered:
                self.must_end = True
            elif type(item) is TurnBegan:
                self.must_end = item.last_chance or item.turns_left < 1
                self.tests_left = item.tests_left
            elif type(item) is Noticed:
                self.must_end = self.must_end or item.text.startswith(NOT_VALID)
        self.told, self.found, self._hints = tuple(told), result, hints

    @cached_property
    def experience(self) -> Experience:
        """The comparison of the patient with the cards, computed only if a move depends on it."""
        return Experience(story_of(self.told, self.found), self._hints)


def _order(notes: _Notes, allowed: tuple[str, ...] | None) -> str:
    """The next order, or "" if all is ordered. Tests suggested by the cards replace the plain ones. Where
    only the names of a catalogue are allowed, they are ordered one by one."""
    if allowed is not None:
        return _listed(notes, allowed)
    if notes.orders >= len(notes.plain) or notes.tests_left == 0:
        return ""
    if notes.orders == 1 and (telling := notes.experience.telling(notes.found, _MOST_ORDERED)):
        return ", ".join(telling)[:300]
    return notes.plain[notes.orders]


def _listed(notes: _Notes, allowed: tuple[str, ...]) -> str:
    """The next order by its name in the catalogue, as many as the plain orders name together, or ""."""
    names = {name.casefold(): name for name in allowed}
    plain = [order.split(", ") for order in notes.plain]
    if notes.orders >= sum(map(len, plain)) or notes.tests_left == 0:
        return ""
    if telling := notes.experience.telling(notes.found, _MOST_ORDERED):
        plain[1] = telling
    for said in chain.from_iterable(plain):
        test = meant_test(said)
        name = names.get(said.casefold()) or names.get((test.name if test else said).casefold())
        if name and name not in notes.ordered:
            return name
    return ""


def _conclusion(notes: _Notes, options: Mapping[str, str] | None) -> Finalize:
    ranked = notes.experience.ranked()
    conclusion = ranked[0][0] if ranked else UNKNOWN
    total = sum(support for _, support in ranked)
    working = tuple(
        WorkingDiagnosis(name=name[:300], confidence=round(support / total, 2))
        for name, support in ranked[:5]
    )
    answer = None
    if options:
        answer = notes.experience.option(options)
        conclusion = options[answer]
    return Finalize(
        diagnosis=conclusion,
        answer=answer,
        confidence=working[0].confidence if working else 0.0,
        working_diagnoses=working,
        evidence=notes.experience.evidence(notes.told, notes.found),
    )
