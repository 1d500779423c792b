"""The oracle doctor: given the answer by the build layer, it shows that a case can be solved.

It is privileged: its plan comes from the case, so comparisons refuse it. It asks until every expected text
has been said, orders everything planned, waits for the results and concludes.
"""

from __future__ import annotations

import re
from typing import Final

from osler.core.contract import OwnReply
from osler.core.events import Frozen, Said
from osler.core.order_events import Resulted, Taken
from osler.protocols.consultation.seats import Ask, DoctorTurn, Finalize, RequestTest, Wait, this_turn
from osler.text.findings_in_text import finding, mentions

_BREAK: Final = re.compile(r"\W+")
_WHEN: Final = ("onset_minutes_hours", "onset_weeks_months", "pain_sudden")
_MORE: Final = "Is there anything else about that?"


class OraclePlan(Frozen):
    """The questions, each with the text it should elicit from the patient, the orders, each by its own name
    and by one of the catalogue, and the conclusion."""

    asks: tuple[tuple[str, str], ...] = ()
    orders: tuple[tuple[str, str], ...] = ()
    final: Finalize


class Oracle:
    """A doctor that is handed the answer and plays the plan that proves a case playable. Stateless."""

    name: Final = "oracle"
    durable: Final = False
    privileged: Final = True

    def __init__(self, plan: OraclePlan) -> None:
        self._plan = plan
        self._expected = tuple(_plain(text) for _, text in plan.asks)
        self._wordings = _wordings(plan.asks)

    async def reply(self, request: DoctorTurn) -> Ask | RequestTest | Wait | Finalize:
        """Return the next order, question or wait; the conclusion when all is done or on the last turn."""
        plan, turn = self._plan, this_turn(request)
        if turn.last_chance or turn.turns_left < 1:
            return plan.final
        own = [item.reply for item in request.feed if isinstance(item, OwnReply)]
        ordered = {reply.test_name for reply in own if isinstance(reply, RequestTest)}
        by_catalogue = request.view.allowed_tests is not None
        for own_name, listed in plan.orders:
            name = listed if by_catalogue else own_name
            if name not in ordered:
                return RequestTest(test_name=name)
        if question := self._question(request, [reply.question for reply in own if isinstance(reply, Ask)]):
            return Ask(question=question)
        return Wait() if _pending(request) else plan.final

    def _question(self, request: DoctorTurn, asked: list[str]) -> str | None:
        """The next unused wording of the first question whose expected text has not been heard yet."""
        texts = [item.text for item in request.feed if isinstance(item, Said) and item.by == "patient"]
        heard = _plain(" ".join(texts))
        for expected, wordings in zip(self._expected, self._wordings, strict=True):
            # A fact whose words are contained in another's must be heard once more than that one.
            others = (other for other in self._expected if other != expected and expected in other)
            inside = sum(other in heard for other in others)
            if heard.count(expected) <= inside:
                for question, times in wordings:
                    if asked.count(question) < times:
                        return question
        return None


def _wordings(asks: tuple[tuple[str, str], ...]) -> tuple[tuple[tuple[str, int], ...], ...]:
    """The wordings of each ask, with the number of times each may be used: the question as planned, which
    several asks may share; then the same naming the main finding of the expected text, or else asking for
    more."""
    wordings = []
    for i, (question, text) in enumerate(asks):
        shared = sum(earlier == question for earlier, _ in asks[: i + 1])
        named = [ask for name in mentions(text) if name not in _WHEN and (ask := finding(name).ask)]
        again = f"{question} {named[0]}" if named else f"{question} {_MORE}"
        wordings.append(((question, shared), (again, 1)))
    return tuple(wordings)


def _plain(text: str) -> str:
    return _BREAK.sub(" ", text.lower()).strip()


def _pending(request: DoctorTurn) -> bool:
    """Whether a result is still pending."""
    expected = {(item.order, item.name) for item in request.feed if isinstance(item, Taken)}
    return bool(expected - {(item.order, item.name) for item in request.feed if isinstance(item, Resulted)})
