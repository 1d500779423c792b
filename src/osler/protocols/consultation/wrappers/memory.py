"""Retrieval-augmented doctors: cards retrieved from a frozen memory are shown to the wrapped doctor as hints.

Each look (`osler.protocols.consultation.wrappers.looks`) searches with everything the doctor has been told,
shown and thought of so far, and adds the cards that are new. They stay in the feed where they were given, so
a prompt grows only at its end. The cards given are recorded in that exchange (`MEMORY`), and so survive a
resume like the rest of the episode.

With a look at the conclusion, a doctor that is ready to conclude is shown what it then remembers and
concludes again; its first conclusion stands if nothing new comes to mind, or without a valid second one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import NoUsableReply, OwnReply, ReplyWithUsage, Request
from osler.core.events import Event, Said, TurnBegan
from osler.core.order_events import Resulted
from osler.core.pictures import Picture
from osler.core.wrapper_events import Hint, Recalled
from osler.players.model.event_text import PROMPTS
from osler.players.wrappers.asking import fingerprint_around, first_reply
from osler.prompts import prompt
from osler.protocols.consultation.replies import conclusion, form
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.settings import BEFORE_CONCLUDING, Look
from osler.protocols.consultation.wrappers.looks import looks, must_conclude

MEMORY: Final = "memory"
"""The `at` of the entry in an exchange's attempts that records the cards given."""
_MOST_THOUGHTS: Final = 5


class RetrievalQuery(NamedTuple):
    """The retrieval query of a doctor: the patient's words, the results and the pictures so far, and the
    diagnoses that the doctor itself last thought of."""

    told: str
    found: str
    pictures: tuple[Picture, ...] = ()
    thought: str = ""


class RetrievedCard(NamedTuple):
    """A retrieved card and its id."""

    id: str
    hint: Hint


class Recall(Protocol):
    """A retriever: returns cards best first, deterministically. `name` identifies the memory and the search
    method."""

    @property
    def name(self) -> str: ...

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]: ...


class Remembering:
    """A wrapper that adds retrieved cards to the feed of any `doctor` and passes its replies on. `when` says
    at which looks."""

    def __init__(self, doctor: AnyPlayer, recall: Recall, when: Sequence[Look] = BEFORE_CONCLUDING) -> None:
        self._doctor, self._recall, self._when = doctor, recall, tuple(when)
        self.name, self.durable = f"{doctor.name}+memory", doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the memory, the search method, and the doctor's own fingerprint."""
        asked = (prompt(PROMPTS["recall"]).hash,) if "conclusion" in self._when else ()
        return fingerprint_around(self._doctor, self._recall.name, *asked)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the doctor's own reply, together with a record of the cards it was given for it."""
        read = await self._read(request.feed)
        given = request._replace(feed=read.feed)
        noted = () if read.now is None else self._note(read.now)
        try:
            if "conclusion" not in self._when or must_conclude(request.feed):
                return _with_notes(await answer_of(self._doctor, given, inner), noted)
            return await self._concluding(given, read, noted, inner)
        except NoUsableReply as error:
            error.noted = (*noted, *error.noted)
            raise

    async def _concluding(
        self, request: Request[Any], read: _DoctorFeed, noted: Notes, inner: Inner
    ) -> BaseModel | ReplyWithUsage:
        """Return the doctor's reply; a conclusion only after a last look into the memory."""
        said = await self._first(request, inner)
        first = said.reply if isinstance(said, ReplyWithUsage) else said
        if not isinstance(first, Finalize):
            return _with_notes(said, noted)
        read.seen.add(OwnReply(first))
        new = [card for card in await self._recall(read.seen.all()) if card.id not in read.known]
        noted = (*noted, *self._note(new))
        if not new:
            return _with_notes(said, noted)
        cards = Recalled(minute=read.minute, cards=tuple(card.hint for card in new))
        question = conclusion(self._doctor, request, "recall", before=(OwnReply(first), cards))
        if self._doctor.durable:
            (second,) = await inner.ask_all([question])
        else:
            answered = await answer_of(self._doctor, question.request, inner)
            second = answered.reply if isinstance(answered, ReplyWithUsage) else answered
        return _with_notes(second if isinstance(second, Finalize) else said, noted)

    async def _first(self, request: Request[Any], inner: Inner) -> BaseModel | ReplyWithUsage:
        """The reply that the doctor gives by itself; recorded by itself if it costs something."""
        if not self._doctor.durable:
            return await answer_of(self._doctor, request, inner)
        reply: BaseModel = await first_reply(self._doctor, request, form(request.view, False), inner)
        return reply

    async def _read(self, feed: tuple[Event | OwnReply, ...]) -> _DoctorFeed:
        """Read a feed, with all cards given so far in their places."""
        places = dict[int, bool]()
        for at, now in looks(feed, self._when):
            places[at] = places.get(at, False) or now
        read = _DoctorFeed()
        whole: list[Event | OwnReply] = []
        for at, item in enumerate(feed):
            whole.append(item)
            read.seen.add(item)
            if isinstance(item, TurnBegan):
                read.minute = item.minute
            if at in places:
                new = [card for card in await self._recall(read.seen.all()) if card.id not in read.known]
                read.known.update(card.id for card in new)
                if places[at]:
                    read.now = [*(read.now or ()), *new]
                if new:
                    minute = item.minute if isinstance(item, TurnBegan) else read.minute
                    whole.append(Recalled(minute=minute, cards=tuple(card.hint for card in new)))
        read.feed = tuple(whole)
        return read

    def _note(self, cards: Sequence[RetrievedCard]) -> Notes:
        ids = " ".join(card.id for card in cards)
        return ({"at": MEMORY, "memory": self._recall.name, "cards": ids},)


Notes = tuple[dict[str, str], ...]


def _with_notes(said: BaseModel | ReplyWithUsage, noted: Notes) -> BaseModel | ReplyWithUsage:
    if not noted:
        return said
    if isinstance(said, ReplyWithUsage):
        return said._replace(noted=(*noted, *said.noted))
    return ReplyWithUsage(said, noted)


def cards_given(attempts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The ids of the cards given at one exchange, read from its attempts."""
    entries = [entry["cards"].split() for entry in attempts if entry["at"] == MEMORY]
    return tuple(dict.fromkeys(name for entry in entries for name in entry))


class _Seeing:
    """An accumulator of everything told, found and thought of up to some point of a feed."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._found: list[str] = []
        self._pictures: list[Picture] = []
        self._thought: tuple[str, ...] = ()

    def add(self, item: Event | OwnReply) -> None:
        if type(item) is Said:
            if item.by == "patient":
                self._told.append(item.text)
        elif type(item) is Resulted and item.returned:
            self._found.append(f"{item.name}: {item.text}")
            if item.picture:
                self._pictures.append(item.picture)
        elif type(item) is OwnReply:
            self._thought = _thought_of(item.reply) or self._thought

    def all(self) -> RetrievalQuery:
        return RetrievalQuery(
            " ".join(self._told), " ".join(self._found), tuple(self._pictures), "; ".join(self._thought)
        )


class _DoctorFeed:
    """A feed as the doctor reads it: what it has seen, the cards it knows, and those given for the reply
    wanted now (`None` if no look was due)."""

    def __init__(self) -> None:
        self.feed: tuple[Event | OwnReply, ...] = ()
        self.seen = _Seeing()
        self.known: set[str] = set()
        self.now: list[RetrievedCard] | None = None
        self.minute = 0


def _thought_of(reply: BaseModel) -> tuple[str, ...]:
    """The diagnoses that a reply names, the conclusion first, each once."""
    named = [reply.diagnosis] if isinstance(reply, Finalize) else []
    named += [line.name for line in getattr(reply, "working_diagnoses", ())]
    return tuple(dict.fromkeys(named))[:_MOST_THOUGHTS]
