"""The general wrappers, available to any seat: `+cot`, `+best-of:N`, `+panel:N` and `+self-consistency:N`.

The role under test of every protocol gets them by default. They show replies as JSON and compare them by
their words; a protocol that does either differently passes its own `Replies`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, InnerQuestion
from osler.core.contract import Contract, NoUsableReply, OwnReply, Request, rng
from osler.core.deliberation import (
    APPROVAL,
    COMMENT,
    Approval,
    Choice,
    Comment,
    Recruits,
    choice_of,
    recruits_of,
)
from osler.core.events import Event
from osler.core.role import Wrapper
from osler.players.model.event_text import PROMPTS
from osler.players.wrappers.asking import (
    MOST_SHOWN,
    Expert,
    Replies,
    as_json,
    asked,
    candidates,
    fingerprint_of,
    first_reply,
    replies_of,
    thinker_of,
)
from osler.prompts import prompt

R = TypeVar("R")


def general_wrappers(of: Replies | Contract[Any, Any]) -> tuple[Wrapper, ...]:
    """Build the wrappers of a seat, from how its replies are requested, shown and compared.

    For a bare contract, replies are shown as JSON and compared by their words.

        >>> contract = osler.configure().plays.role("doctor").contracts[0]
        >>> [wrapper.name for wrapper in osler.general_wrappers(contract)]
        ['+cot', '+best-of', '+panel', '+self-consistency']
    """
    replies = replies_of(of) if isinstance(of, Contract) else of
    twice = Wrapper("+cot", lambda player, _: StepByStep(player, replies), opinions=True)
    return (twice, *candidate_wrappers(replies))


def candidate_wrappers(replies: Replies) -> tuple[Wrapper, ...]:
    """The wrappers that choose among candidate replies or merge several opinions."""
    return (
        Wrapper(
            "+best-of",
            lambda player, n: BestOf(player, n, replies),
            counted=True,
            opinions=True,
            unweighed="the critic's call in each turn whose candidates differ",
        ),
        Wrapper(
            "+panel",
            lambda player, n: ExpertPanel(player, n, replies),
            counted=True,
            opinions=True,
            unweighed="the second move in each turn whose first one is voted down",
        ),
        Wrapper("+self-consistency", lambda player, n: SelfConsistency(player, n, replies), counted=True),
    )


class StepByStep:
    """Chain-of-thought reconsideration (`+cot`): before a reply becomes final, the player goes through
    everything again, as in MedAgentSim's replay phase. The second reply is final, or the first without a
    valid second.

    The seat's `Replies` decide which replies are reconsidered: a doctor's conclusion, every turn of a tutor.
    """

    def __init__(self, player: AnyPlayer, replies: Replies) -> None:
        self._player, self._replies, self.thinker = player, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+cot", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, self._replies.again, "cot")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the player's reply, reconsidered if the seat's `Replies` ask for that."""
        replies, view = self._replies, request.view
        first: BaseModel = await first_reply(self._player, request, replies.form(view, False), inner)
        if not replies.weighty(first):
            return first
        form = replies.form(view, True)
        question = asked(
            self._player, request, replies.seat, replies.again, (), form, before=(OwnReply(first),)
        )
        (second,) = await inner.ask_all([question])
        return first if isinstance(second, NoUsableReply) else second


class BestOf:
    """Best-of-n sampling (`+best-of:3`): `n` candidates are sampled concurrently, each in a different world;
    the wrapped player, as a critic that sees the same encounter, chooses among the distinct ones, shown in
    random order.

    Without a valid choice the first candidate is taken.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._n, self._replies, self.thinker = player, n, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+best-of:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, "choose", f"best-of {self._n}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the candidate that the critic chooses."""
        replies, form = self._replies, self._replies.form(request.view, False)
        result = await candidates(self._player, request, form, inner, self._n)
        moves: list[BaseModel] = list({(type(one), as_json(one)): one for one in result}.values())
        if len(moves) == 1:
            return moves[0]
        order = list(range(len(moves)))
        rng(request.world, replies.seat, f"candidates after {len(request.feed)}").shuffle(order)
        texts = [replies.shown(moves[at])[:MOST_SHOWN] for at in order]
        question = asked(self.thinker, request, replies.seat, "choose", texts, choice_of(len(moves)))
        (choice,) = await inner.ask_all([question])
        return moves[order[choice.chosen - 1]] if isinstance(choice, Choice) else moves[0]


class SelfConsistency:
    """Self-consistency (`+self-consistency:5`): of `n` candidates sampled concurrently, each in a different
    world, the one that most others agree with, without further questions.

    Ties go to the candidate most similar to all others, then to the earliest. Agreement is defined by the
    seat's `Replies`.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._n, self._replies, self.thinker = player, n, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+self-consistency:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, "choose", f"self-consistency {self._n} {self._replies.limits}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the candidate that most others agree with."""
        form = self._replies.form(request.view, False)
        result: list[BaseModel] = await candidates(self._player, request, form, inner, self._n)
        return most_agreed(result, self._replies.alike)


def most_agreed(replies: Sequence[R], alike: Callable[[R, R], tuple[bool, float]]) -> R:
    """Return the reply that most of the others agree with; see `SelfConsistency`."""

    def support(at: int) -> tuple[int, float]:
        result = [alike(replies[at], reply) for other, reply in enumerate(replies) if other != at]
        return sum(agree for agree, _ in result), sum(share for _, share in result)

    return replies[max(range(len(replies)), key=support)]  # of equals, the earliest


class ExpertPanel:
    """A panel of experts (`+panel:3`): once an episode the player chooses `n` for the case from a list; they
    comment concurrently; a reply is synthesized from their comments; they vote on it, each seeing their
    own comment. Without a majority of the votes given, the reply is revised once after their objections, and
    that revision is final.

    Without a valid choice the first of the list are asked. Missing comments and votes are not counted.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._replies, self.thinker = player, replies, thinker_of(player)
        self._n = min(n, len(replies.experts))
        self.name, self.durable = f"{player.name}+panel:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        parts = (part for each in self._replies.experts for part in each)
        chosen = prompt(PROMPTS["recruit"]).hash
        return fingerprint_of(self._player, "advise", f"panel {self._n}", chosen, *parts)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the panel's reply. Raises NoUsableReply if none could be made."""
        seat, form = self._replies.seat, self._replies.form(request.view, False)
        experts = await self._recruited(request, inner)
        advice = [
            asked(self.thinker, request, seat, "advise", expert, COMMENT, number=number)
            for number, expert in enumerate(experts, start=1)
        ]
        comments = await inner.ask_all(advice)
        texts = [
            f"{expert.name}: {each.comment}"[:MOST_SHOWN]
            for expert, each in zip(experts, comments, strict=True)
            if isinstance(each, Comment)
        ]
        question = asked(self._player, request, seat, "synthesize", texts, form)
        draft: BaseModel = await first_reply(question.player, question.request, form, inner)
        objections = await self._objections(request, inner, draft, experts, advice, comments)
        if objections is None:
            return draft
        said = (*question.request.feed[len(request.feed) :], OwnReply(draft))
        again = asked(self._player, request, seat, "revise", objections, form, before=said)
        (second,) = await inner.ask_all([again])
        return draft if isinstance(second, NoUsableReply) else second

    async def _recruited(self, request: Request[Any], inner: Inner) -> tuple[Expert, ...]:
        """The experts of this episode's panel, in the order of the list."""
        listed, n = self._replies.experts, self._n
        if n == len(listed):
            return listed
        texts = (str(n), *(f"{each.name}: {each.looks_at}" for each in listed))
        form = recruits_of(n, len(listed))
        question = asked(self.thinker, request, self._replies.seat, "recruit", texts, form)
        result = await inner.ask_once(question)
        chosen = result.experts if isinstance(result, Recruits) else range(1, n + 1)
        return tuple(listed[number - 1] for number in sorted(chosen))

    async def _objections(
        self,
        request: Request[Any],
        inner: Inner,
        draft: BaseModel,
        experts: Sequence[Expert],
        advice: Sequence[InnerQuestion],
        comments: Sequence[BaseModel | NoUsableReply],
    ) -> list[str] | None:
        """The objections of the experts against a draft that lost the vote; `None` if it won, or without
        votes."""
        ballot = []
        for number, (expert, first, comment) in enumerate(
            zip(experts, advice, comments, strict=True), start=1
        ):
            before: list[Event | OwnReply] = []
            if isinstance(comment, Comment):
                before = [*first.request.feed[len(request.feed) :], OwnReply(comment)]
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
            for expert, vote in zip(experts, await inner.ask_all(ballot), strict=True)
            if isinstance(vote, Approval)
        ]
        against = [f"{expert.name}: {vote.reason}"[:MOST_SHOWN] for expert, vote in votes if not vote.approve]
        return against if 2 * len(against) >= len(votes) > 0 else None
