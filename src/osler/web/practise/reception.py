"""The reception answers what a person who practises asks: for a case, a seat, a move, a debriefing."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from osler.core.permitted import USES, Permission, Use, end_of, permission
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named, protocols
from osler.errors import BadInput, NotAllowed, Stale
from osler.judging.contests import contested, contests_in, stored
from osler.pictures import draw, media_type
from osler.players.admission import check_names
from osler.players.external import Pending
from osler.players.person import Form
from osler.players.seating import forms_of
from osler.reading.meanings import bank
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.debriefing import items_of
from osler.runs.first_requests import play_first
from osler.store import practice
from osler.store.permissions import grant, permissions_of
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.web.house import House
from osler.web.naming import admission_of
from osler.web.paths import without_folders
from osler.web.play_loop import PlayLoop
from osler.web.practise import clocks
from osler.web.practise.beginning import Label
from osler.web.practise.concerns import concerns_of, sendable
from osler.web.practise.debriefing import debriefing
from osler.web.practise.encounter import GROUP, Playing, Sitter
from osler.web.practise.feed import picture_of, without_pictures
from osler.web.practise.forgetting import forget
from osler.web.practise.schemas import (
    Concern,
    Debriefing,
    SatDown,
    Shelf,
    ShelfCase,
    SitDown,
    SittingLine,
    SittingState,
    Status,
)
from osler.web.practise.shelf import ShelfOf, Shelved, configured, plain_config, seats_of
from osler.web.practise.sittings import Sittings
from osler.web.practise.state import READINGS, state_of
from osler.web.problems import Gone, NotFound, TooMany, Unusable
from osler.web.rights import Visitor
from osler.web.schemas import LogItem
from osler.web.watch.hub import hub_of
from osler.web.watch.log import Recorded, View, items, recorded

MOST_ENDED = 20
TOGETHER = "an encounter of several people is not begun again by one of them"
RESERVED = "your teacher keeps this case for a room until its debriefs are released"
MOST_UNFINISHED = 10
"""Encounters that one visitor of a shared server may have begun and not ended, outside rooms."""
_KEPT = ("case", "consent", "room_case", "marks", "hosts")
"""The entries beside a sitting that one begun again from an earlier moment of it takes over."""


class Reception:
    """Everything that a person who practises asks the server for."""

    def __init__(self, house: House, loop: PlayLoop, sittings: Sittings) -> None:
        self._house, self._store, self._loop, self.sittings = house, house.store, loop, sittings
        self.shelf = ShelfOf(house)
        self.withheld: Callable[[PersonSitting], str] = lambda taken: ""
        """Why the debrief of an ended sitting cannot be read yet, "" if it can. Called in a thread."""
        self.reserved: Callable[[Visitor], Collection[str]] = lambda asking: ()
        """The ids of the cases that a visitor cannot choose for now. Called in a thread."""
        self.check_room: Callable[[PersonSitting], None] = lambda taken: None
        """Raises BadInput if whoever has a sitting may not sit down in its room now. Called in a thread."""

    def warm_up(self) -> None:
        """Read the cases and the knowledge of the built-in players before anybody waits for them."""
        self.shelf.all()
        bank()
        for protocol in protocols():
            with suppress(BadInput, ValueError):
                play_first(plain_config(protocol).model_copy(update={"limit": 1}))
        gc.freeze()  # it lives as long as the server: looking through it again would halt everybody for 0.5 s

    # Choosing

    async def whole_shelf(self, asking: Visitor) -> Shelf:
        """The shelf, with what the visitor has begun and not ended."""
        shelved = await asyncio.to_thread(self.shelf.all)
        unfinished = await asyncio.to_thread(self._unfinished, asking.id)
        sitting_of = {str(one.more.get("case", "")): one.id for one in unfinished}
        reserved = await self._reserved(asking)
        free = (one for one in shelved.values() if one.case.id not in reserved)
        return Shelf(
            cases=[_on_shelf(one, sitting_of.get(one.id)) for one in free if one.label],
            going_on=[await asyncio.to_thread(self._line, one) for one in unfinished],
            ended=await asyncio.to_thread(self._ended, asking),
        )

    async def sit_down(self, wanted: SitDown, asking: Visitor) -> SatDown:
        """Begin an encounter. Raises BadInput for a case, seat or player that there is not, or that this
        visitor may not name, and NotAllowed for a case that is kept for a room."""
        check_names(protocol_named(wanted.protocol), wanted.players, admission_of(asking))
        await asyncio.to_thread(self.check_number, asking.id)
        shelved = await asyncio.to_thread(self.shelf.find, wanted.protocol, wanted.case)
        if shelved.case.id in await self._reserved(asking):
            raise NotAllowed(RESERVED, where="case", hint="sit down with it in that room")
        protocol = shelved.protocol
        seat = wanted.seat or seats_of(protocol)[0]
        if seat not in seats_of(protocol):
            raise BadInput(
                f"nobody can sit as {seat!r} here",
                where="seat",
                hint=f"known: {', '.join(seats_of(protocol))}",
            )
        config = configured(protocol, shelved, wanted)
        permits = _permits(wanted.uses, wanted.until, wanted.pseudonym)
        (taken,) = await self.sittings.begin(
            config,
            [Sitter(seat, asking.id, permits)],
            Label(shelved.title, distressing=shelved.distressing, more={"case": shelved.id}),
        )
        return SatDown(id=taken.id, turn=1, code=taken.code)

    async def resume(self, code: str, asking: Visitor) -> SatDown:
        """Take a sitting over to this visitor by its code. Raises NotFound."""
        taken = await asyncio.to_thread(practice.sitting_by_code, self._store, code)
        if taken is None or taken.more.get(practice.DELETED):
            raise NotFound("no sitting has this code", hint="check it on the device you began with")
        if asking.owns(taken.owner):
            return SatDown(id=taken.id, turn=0, code=taken.code)
        if not taken.room:
            await asyncio.to_thread(practice.change, self._store, taken.id, owner=asking.id)
        elif not await asyncio.to_thread(Rooms(self._store).hand_over, taken.room, taken.owner, asking.id):
            raise BadInput("you have sat down in this room as somebody else", hint="use another browser")
        return SatDown(id=taken.id, turn=0, code=taken.code)

    def check_number(self, visitor: str) -> None:
        """Raise TooMany for a visitor of a shared server who has not ended enough of what was begun."""
        if self._house.door.shared and len(self._unfinished(visitor)) >= MOST_UNFINISHED:
            raise TooMany(f"you have begun {MOST_UNFINISHED} already", hint="end one of them first")

    # In the encounter

    async def taken(self, id: str, asking: Visitor) -> PersonSitting:
        """The visitor's own sitting. Raises NotFound for any other, and Gone for one that was deleted."""
        taken = await asyncio.to_thread(practice.sitting, self._store, id)
        if taken is not None and taken.more.get(practice.DELETED):
            raise Gone("its words and marks were deleted for good", hint="choose another")
        if taken is None or not asking.owns(taken.owner):
            raise NotFound("there is no such sitting of yours", hint="go on with its code, or begin another")
        return taken

    async def state(self, taken: PersonSitting) -> SittingState:
        """The whole state of a sitting; one that was left goes on."""
        playing = await self._mind_the_clock(await self.sittings.open(taken))
        config = runs.config_of(playing.run)
        permits = await asyncio.to_thread(self._permits, taken)
        uses = [use for use in USES if permits.allows(use, time.time())]

        def read() -> SittingState:
            record = self._record(taken)
            return state_of(playing, config, self._log(taken, config.plays, record), record.asked, uses)

        before = None
        while before != (playing.doing, playing.ticket):  # it may go on while its record is being read
            before = playing.doing, playing.ticket
            state = await asyncio.to_thread(read)
        room = await asyncio.to_thread(Rooms(self._store).room, taken.room) if taken.room else None
        changes: dict[str, Any] = {
            "view": without_pictures(state.view, _pictures(taken)),
            "withheld": await asyncio.to_thread(self.withheld, taken) if state.status == "ended" else "",
            "door": room.code if room else "",
        }
        if state.pause and self._house.door.shared:  # nobody here sits at this machine
            words = {name: without_folders(text) for name, text in state.pause.model_dump().items()}
            changes["pause"] = state.pause.model_copy(update=words)
        return state.model_copy(update=changes)

    async def move(self, taken: PersonSitting, ticket: str, fields: Mapping[str, Any]) -> str:
        """Give a reply. Raises Stale, without effect, if its question is not open, and Unusable if it is no
        reply of this seat."""
        pending, form = await self._question(taken, ticket)
        if clocks.is_reading(taken.more, time.time()):
            raise Unusable("it is still the time to read", where="clock", hint="begin when it is over")
        reply = await asyncio.to_thread(sendable, pending, form, fields)
        await self.sittings.answer(taken, ticket, reply)
        return ticket

    async def check(self, taken: PersonSitting, ticket: str, fields: Mapping[str, Any]) -> list[Concern]:
        """List what is to be confirmed before a reply is given."""
        pending, form = await self._question(taken, ticket)
        return await asyncio.to_thread(concerns_of, pending, form, fields)

    async def read_picture(self, taken: PersonSitting, item: str, words: str) -> None:
        """Keep a person's own reading of a picture; its report may then be seen."""
        record = await asyncio.to_thread(self._record, taken)
        if picture_of(record, taken.seat, item) is None:
            raise NotFound("no picture was shown to you there", where=item)
        readings = {**taken.more.get(READINGS, {}), item: words}
        await asyncio.to_thread(practice.change, self._store, taken.id, more={READINGS: readings})

    async def picture(self, taken: PersonSitting, item: str) -> tuple[bytes, str]:
        """A picture that this seat was shown, and its media type. Raises NotFound."""
        record = await asyncio.to_thread(self._record, taken)
        picture = picture_of(record, taken.seat, item)
        if picture is None and item.startswith("view-"):
            playing = await self.sittings.open(taken)
            images = getattr(playing.view, "images", ())
            number = item.removeprefix("view-")
            if number.isascii() and number.isdigit() and int(number) < len(images):
                picture = images[int(number)].picture
        if picture is None:
            raise NotFound("no picture was shown to you there", where=item[:20])
        return await asyncio.to_thread(draw, picture, self._store.picture), media_type(picture)

    # Afterwards

    async def debrief(self, taken: PersonSitting) -> Debriefing:
        """The debriefing. Raises Stale before the encounter has ended, NotAllowed while it is held back."""
        await self._check_released(taken)

        def read() -> Debriefing:
            if self._store.ended(taken.run, taken.ordinal) is None:
                raise Stale("the encounter has not ended yet", hint="conclude it first")
            run = self._store.info(taken.run)
            log = self._log(taken, runs.protocol_of(run), self._record(taken))
            return debriefing(taken, run, self._store, log)

        return await self._house.debriefs.run(taken.owner, read)

    async def contest(self, taken: PersonSitting, item: str, words: str) -> None:
        """Keep "I did that" beside the verdict. Raises NotFound for an item that cannot be contested."""
        await self._check_released(taken)

        def keep() -> None:
            _, _, judgements = self._store.record(taken.run, taken.ordinal)
            bodies = [one.body for one in judgements]
            items = items_of(self._store.info(taken.run), self._store, taken.ordinal, taken.seat)
            if item not in items:
                raise NotFound("there is no such item in this debriefing", where=item[:60])
            contests = contested(contests_in(bodies), item, items[item], words)
            self._store.put_judgements(taken.run, [(taken.ordinal, *stored(contests))])

        await asyncio.to_thread(keep)

    async def again(self, taken: PersonSitting, keep: int) -> SatDown:
        """Begin again in the same encounter, keeping its first `keep` exchanges. Raises BadInput as for
        sitting down, and for a station with a clock: it is taken once."""
        if taken.stopped:
            raise BadInput(taken.stopped, where="your teacher", hint="wait for the word")
        if clocks.CLOCK in taken.more:
            raise BadInput(clocks.TAKEN_ONCE, hint=clocks.ASK)
        there = await asyncio.to_thread(practice.sittings_of_run, self._store, taken.run)
        if len(there) > 1 or GROUP in taken.more:
            raise BadInput(TOGETHER, hint="ask your teacher for another round")
        await self._check_released(taken)
        await asyncio.to_thread(self.check_room, taken)
        await asyncio.to_thread(self.check_number, taken.owner)

        def branched() -> branching.Branch:
            return branching.branch(self._store, taken.run, taken.ordinal, keep)

        branch = await self.sittings.in_turn([taken.owner], branched)
        permits = await asyncio.to_thread(self._permits, taken)
        (fresh,) = await self.sittings.begin(
            branch.config,
            [Sitter(taken.seat, taken.owner, permits)],
            Label(
                taken.title,
                taken.room,
                taken.distressing,
                {name: taken.more[name] for name in _KEPT if name in taken.more},
            ),
            source=branch.source,
            kept=branch.kept,
        )
        return SatDown(id=fresh.id, turn=0, code=fresh.code)

    async def permit(self, taken: PersonSitting, uses: Sequence[Use], until: str) -> None:
        """Permit uses of the person's words, in place of those permitted before. Raises BadInput."""
        permits = _permits(uses, until, "")
        at, seats = [taken.ordinal], [taken.seat]
        await asyncio.to_thread(
            grant, self._store, taken.run, at, permits.uses, seats=seats, expires=permits.expires
        )
        hub_of(self._house).ask_again()  # less may be permitted than before

    async def forget(self, taken: PersonSitting) -> None:
        """Delete the encounter of this sitting, wherever the store holds it (`practise.forgetting`)."""
        await forget(self._house, self.sittings, taken)

    # Helpers

    async def _check_released(self, taken: PersonSitting) -> None:
        if why := await asyncio.to_thread(self.withheld, taken):
            raise NotAllowed(why, where="debrief", hint="come back when your teacher says so")

    async def _reserved(self, asking: Visitor) -> Collection[str]:
        return () if asking.here else await asyncio.to_thread(self.reserved, asking)

    def _permits(self, taken: PersonSitting) -> Permission:
        return permissions_of(self._store, taken.run, taken.ordinal).get(taken.seat, Permission())

    async def _question(self, taken: PersonSitting, ticket: str) -> tuple[Pending, Form | None]:
        playing = await self._mind_the_clock(await self.sittings.open(taken))
        pending = playing.pending
        if pending is None or pending.ticket != ticket:
            now = f"now {pending.ticket} is" if pending else "none is"
            raise Stale(f"question {ticket} is not open", hint=now)
        forms = forms_of(runs.protocol_of(playing.run))
        return pending, forms.get(type(pending.view))

    async def _mind_the_clock(self, playing: Playing) -> Playing:
        """End an encounter whose station clock has run out."""
        if playing.doing == "yours" and clocks.is_over(playing.taken.more, time.time()):
            await self.sittings.end(playing.taken, "the station's clock has run out")
            return await self.sittings.open(playing.taken)
        return playing

    def _record(self, taken: PersonSitting) -> Recorded:
        return recorded(self._store, taken.run, taken.ordinal)

    def _log(self, taken: PersonSitting, protocol: Protocol, record: Recorded) -> list[LogItem]:
        eyes, pictures = View(taken.seat, taken.seat), _pictures(taken)
        return items(record, eyes, protocol, lambda id_: f"{pictures}/{id_}.png")

    def _unfinished(self, visitor: str) -> list[PersonSitting]:
        own = practice.sittings_of(self._store, visitor)
        return [one for one in own if not self._store.done(one.run)]

    def _ended(self, asking: Visitor) -> list[SittingLine]:
        own = practice.sittings_of(self._store, asking.id)
        ended = [one for one in own if self._store.done(one.run)]
        return [self._line(one, "ended") for one in ended[:MOST_ENDED]]

    def _line(self, taken: PersonSitting, status: Status | None = None) -> SittingLine:
        """A sitting as a line of the shelf; without a `status` it is unfinished, and its next turn counts."""
        rows = self._store.recorded(taken.run, taken.ordinal)
        replies = sum(row.seat == taken.seat for row in rows)
        return SittingLine(
            id=taken.id,
            title=taken.title,
            protocol=taken.protocol,
            seat=taken.seat,
            status=status or ("paused" if taken.stopped else "yours"),
            turn=replies + (status is None),
        )


def _permits(uses: Sequence[Use], until: str, pseudonym: str) -> Permission:
    expires = end_of(until) if until else None
    return permission(uses, now=time.time(), expires=expires, pseudonym=pseudonym)


def _on_shelf(one: Shelved, sitting: str | None) -> ShelfCase:
    """A case as the shelf shows it, with the visitor's unfinished `sitting` of it."""
    label = one.label
    return ShelfCase(
        id=one.id,
        protocol=one.protocol.name,
        title=label.title,
        complaint=label.complaint,
        system=label.system,
        level=label.level,
        minutes=label.minutes,
        skills=list(label.skills),
        seats=seats_of(one.protocol),
        distressing=one.distressing,
        in_progress=sitting,
    )


def _pictures(taken: PersonSitting) -> str:
    return f"/api/sittings/{taken.id}/pictures"
