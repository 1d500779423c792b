"""Retrieval-augmented doctors: cards retrieved from a frozen memory are shown to the wrapped doctor as hints.

Retrieval takes place before the first move and again after 2, 4, 8, 16 ... moves of the doctor, each time
with everything it has been told and shown so far as the query, and adds the cards that are new. They stay in
the feed where they were given, so a prompt grows only at its end. The cards given are recorded in that
exchange (`MEMORY`), and so survive a resume like the rest of the episode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import NoUsableReply, OwnReply, ReplyWithUsage, Request
from osler.core.events import Event, Said, TurnBegan
from osler.core.order_events import Resulted
from osler.core.pictures import Picture
from osler.core.wrapper_events import Hint, Recalled
from osler.players.wrappers.asking import fingerprint_around

MEMORY: Final = "memory"
"""The `at` of the entry in an exchange's attempts that records the cards given."""


class Seen(NamedTuple):
    """The retrieval query of a doctor: the patient's words, the results, and the pictures so far."""

    told: str
    found: str
    pictures: tuple[Picture, ...] = ()


class Found(NamedTuple):
    """A retrieved card and its id."""

    id: str
    hint: Hint


class Recall(Protocol):
    """A retriever: returns cards best first, deterministically. `name` identifies the memory and the search
    method."""

    @property
    def name(self) -> str: ...

    async def __call__(self, seen: Seen, /) -> Sequence[Found]: ...


class Remembering:
    """A wrapper that adds retrieved cards to the feed of any `doctor` and passes its replies on."""

    def __init__(self, doctor: AnyPlayer, recall: Recall) -> None:
        self._doctor, self._recall = doctor, recall
        self.name, self.durable = f"{doctor.name}+memory", doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the memory, the search method, and the doctor's own fingerprint."""
        return fingerprint_around(self._doctor, self._recall.name)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the doctor's own reply, together with a record of the cards it was given for it."""
        feed, given = await self._with_cards(request.feed)
        noted = () if given is None else ({"at": MEMORY, "memory": self._recall.name, "cards": given},)
        try:
            said = await answer_of(self._doctor, request._replace(feed=feed), inner)
        except NoUsableReply as error:
            error.noted = (*noted, *error.noted)
            raise
        if not noted:
            return said
        if isinstance(said, ReplyWithUsage):
            return said._replace(noted=(*noted, *said.noted))
        return ReplyWithUsage(said, noted)

    async def _with_cards(
        self, feed: tuple[Event | OwnReply, ...]
    ) -> tuple[tuple[Event | OwnReply, ...], str | None]:
        """Return the feed with all cards given so far in their places, and the ids of those given for this
        very reply, or `None` if no retrieval is due."""
        places = dict(looks(feed))
        whole: list[Event | OwnReply] = []
        known: set[str] = set()
        seen = _Seeing()
        now: str | None = None
        for at, item in enumerate(feed):
            whole.append(item)
            seen.add(item)
            if at in places:
                new = [card for card in await self._recall(seen.all()) if card.id not in known]
                known.update(card.id for card in new)
                if places[at]:
                    now = " ".join(card.id for card in new)
                if new:
                    minute = item.minute if isinstance(item, TurnBegan) else 0
                    whole.append(Recalled(minute=minute, cards=tuple(card.hint for card in new)))
        return tuple(whole), now


def looks(feed: Sequence[Event | OwnReply]) -> Iterator[tuple[int, bool]]:
    """Yield the index of each feed item after which retrieval takes place, and whether that is for the reply
    wanted now.

    Retrieval comes right after the announcement of its turn, and stays there whatever comes later.
    """
    moves, announced = 0, -1
    for at, item in enumerate(feed):
        if isinstance(item, OwnReply):
            if is_time(moves) and announced >= 0:
                yield announced, False
            moves, announced = moves + 1, -1
        elif isinstance(item, TurnBegan):
            announced = at
    if is_time(moves) and announced >= 0:
        yield announced, True


def is_time(moves: int) -> bool:
    """Whether retrieval is due after this number of moves: 0, and every power of two from 2."""
    return moves == 0 or (moves >= 2 and moves & (moves - 1) == 0)


def cards_given(attempts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The ids of the cards given at one exchange, read from its attempts."""
    entries = [entry["cards"].split() for entry in attempts if entry["at"] == MEMORY]
    return tuple(dict.fromkeys(name for entry in entries for name in entry))


class _Seeing:
    """An accumulator of everything told and found up to some point of a feed."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._found: list[str] = []
        self._pictures: list[Picture] = []

    def add(self, item: Event | OwnReply) -> None:
        if type(item) is Said:
            if item.by == "patient":
                self._told.append(item.text)
        elif type(item) is Resulted and item.returned:
            self._found.append(f"{item.name}: {item.text}")
            if item.picture:
                self._pictures.append(item.picture)

    def all(self) -> Seen:
        return Seen(" ".join(self._told), " ".join(self._found), tuple(self._pictures))
