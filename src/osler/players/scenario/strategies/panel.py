"""A panel of experts (`+panel:3`): they comment, one move is made of that, they vote on it, and a lost vote
means one more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from osler.players.scenario.strategies.asking import asked, fingerprint_of, shown, thinker_of
from osler.seats.composite import AnyPlayer, Inner, InnerQuestion
from osler.seats.contract import Own, Request, Unanswered
from osler.seats.deliberation import APPROVAL, COMMENT, Approval, Comment
from osler.seats.events import Event
from osler.seats.scenario import EXAMINEE, ExamineeMove

_MOST_SHOWN: Final = 4000


class Expert(NamedTuple):
    """Who sits on the panel, and what they look at."""

    name: str
    looks_at: str


EXPERTS: Final = (
    Expert("the acute care physician", "what is dangerous now and what has to be done first, and how soon"),
    Expert("the communicator", "what the patient and the family need to hear, be asked and consent to"),
    Expert("the diagnostician", "what else it could be, and what would tell it apart"),
    Expert("the pharmacist", "drugs, doses, routes, allergies and interactions"),
    Expert("the team leader", "whom to call, what to hand over and who does what"),
    Expert("the safety officer", "what could go wrong, what was left undone, and what must be written down"),
    Expert(
        "the general practitioner", "the whole person: past illnesses, home, wishes, and what comes after"
    ),
    Expert("the ethicist", "consent, confidentiality, honesty and fairness"),
    Expert("the teacher", "what a careful examiner would still expect to see"),
)


class ExpertPanel:
    """`n` experts comment at once; a move is made of their comments; they vote on it, each with their own
    comment before them. Without a majority of the votes given, one more move is made of their objections and
    stands.

    Who gives no comment or vote is not counted.
    """

    def __init__(self, examinee: AnyPlayer, n: int) -> None:
        self._examinee, self.thinker = examinee, thinker_of(examinee)
        self._experts = EXPERTS[:n]
        self.name, self.durable = f"{examinee.name}+panel:{n}", examinee.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._examinee, "panel", *(part for each in self._experts for part in each))

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The move that the panel has come to. Raises Unanswered where none could be made."""
        advice = [
            asked(self.thinker, request, "advise", expert, COMMENT, number=number)
            for number, expert in enumerate(self._experts, start=1)
        ]
        comments = await inner.ask_all(advice)
        texts = [
            f"{expert.name}: {each.comment}"[:_MOST_SHOWN]
            for expert, each in zip(self._experts, comments, strict=True)
            if isinstance(each, Comment)
        ]
        question = asked(self._examinee, request, "synthesize", texts, EXAMINEE.reply)
        draft = await self._move(question, inner)
        objections = await self._objections(request, inner, draft, advice, comments)
        if objections is None:
            return draft
        said = (*question.request.feed[len(request.feed) :], Own(draft))
        again = asked(self._examinee, request, "revise", objections, EXAMINEE.reply, before=said)
        (second,) = await inner.ask_all([again])
        return draft if isinstance(second, Unanswered) else second

    async def _move(self, question: InnerQuestion, inner: Inner) -> ExamineeMove:
        (said,) = await inner.ask_all([question])
        if not isinstance(said, ExamineeMove):
            raise Unanswered(str(said), again=False)  # it has been asked again already
        return said

    async def _objections(
        self,
        request: Request[Any],
        inner: Inner,
        draft: ExamineeMove,
        advice: Sequence[InnerQuestion],
        comments: Sequence[BaseModel | Unanswered],
    ) -> list[str] | None:
        """Why the vote is lost, in the words of those who object; `None` where it is won or nobody votes."""
        ballot = []
        for number, (expert, first, comment) in enumerate(
            zip(self._experts, advice, comments, strict=True), start=1
        ):
            before: list[Event | Own] = []
            if isinstance(comment, Comment):
                before = [*first.request.feed[len(request.feed) :], Own(comment)]
            told = (*expert, shown(draft))
            ballot.append(
                asked(self.thinker, request, "approve", told, APPROVAL, before=before, number=number)
            )
        votes = [
            (expert, vote)
            for expert, vote in zip(self._experts, await inner.ask_all(ballot), strict=True)
            if isinstance(vote, Approval)
        ]
        against = [
            f"{expert.name}: {vote.reason}"[:_MOST_SHOWN] for expert, vote in votes if not vote.approve
        ]
        return against if 2 * len(against) >= len(votes) > 0 else None
