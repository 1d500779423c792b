"""A panel of experts (`+panel:3`): their comments are synthesized into a reply, which they vote on; after a
lost vote it is revised once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, InnerQuestion
from osler.core.contract import Own, Request, Unanswered
from osler.core.deliberation import APPROVAL, COMMENT, Approval, Comment
from osler.core.events import Event
from osler.players.wrappers.asking import (
    MOST_SHOWN,
    Replies,
    asked,
    fingerprint_of,
    first_reply,
    thinker_of,
)


class ExpertPanel:
    """`n` experts comment concurrently; a reply is synthesized from their comments; they vote on it, each
    seeing their own comment. Without a majority of the votes given, the reply is revised once after their
    objections, and that revision is final.

    Missing comments and votes are not counted.
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
        """Return the panel's reply. Raises Unanswered if none could be made."""
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
        """The objections of the experts against a draft that lost the vote; `None` if it won, or without
        votes."""
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
