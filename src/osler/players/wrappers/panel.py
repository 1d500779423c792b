"""A panel of experts (`+panel:3`): they comment, one reply is made of that, they vote on it, and a lost vote
means one more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from osler.players.wrappers.asking import (
    MOST_SHOWN,
    Replies,
    asked,
    fingerprint_of,
    first_reply,
    thinker_of,
)
from osler.seats.composite import AnyPlayer, Inner, InnerQuestion
from osler.seats.contract import Own, Request, Unanswered
from osler.seats.deliberation import APPROVAL, COMMENT, Approval, Comment
from osler.seats.events import Event


class ExpertPanel:
    """`n` experts comment at once; a reply is made of their comments; they vote on it, each with their own
    comment before them. Without a majority of the votes given, one more reply is made of their objections and
    stands.

    Who gives no comment or vote is not counted.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._replies, self.thinker = player, replies, thinker_of(player)
        self._experts = replies.experts[:n]
        self.name, self.durable = f"{player.name}+panel:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        parts = (part for each in self._experts for part in each)
        return fingerprint_of(self._player, "advise", "panel", *parts)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The reply that the panel has come to. Raises Unanswered where none could be made."""
        seat, form = self._replies.seat, self._replies.form(request.view, False)
        advice = [
            asked(self.thinker, request, seat, "advise", expert, COMMENT, number=number)
            for number, expert in enumerate(self._experts, start=1)
        ]
        comments = await inner.ask_all(advice)
        texts = [
            f"{expert.name}: {each.comment}"[:MOST_SHOWN]
            for expert, each in zip(self._experts, comments, strict=True)
            if isinstance(each, Comment)
        ]
        question = asked(self._player, request, seat, "synthesize", texts, form)
        draft: BaseModel = await first_reply(question.player, question.request, form, inner)
        objections = await self._objections(request, inner, draft, advice, comments)
        if objections is None:
            return draft
        said = (*question.request.feed[len(request.feed) :], Own(draft))
        again = asked(self._player, request, seat, "revise", objections, form, before=said)
        (second,) = await inner.ask_all([again])
        return draft if isinstance(second, Unanswered) else second

    async def _objections(
        self,
        request: Request[Any],
        inner: Inner,
        draft: BaseModel,
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
            told = (*expert, self._replies.shown(draft)[:MOST_SHOWN])
            ballot.append(
                asked(
                    self.thinker,
                    request,
                    self._replies.seat,
                    "approve",
                    told,
                    APPROVAL,
                    before=before,
                    number=number,
                )
            )
        votes = [
            (expert, vote)
            for expert, vote in zip(self._experts, await inner.ask_all(ballot), strict=True)
            if isinstance(vote, Approval)
        ]
        against = [f"{expert.name}: {vote.reason}"[:MOST_SHOWN] for expert, vote in votes if not vote.approve]
        return against if 2 * len(against) >= len(votes) > 0 else None
