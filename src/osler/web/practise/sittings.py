"""Sittings: people in seats, played on a loop of their own, left and taken up again at any instant.

A sitting is a seat of a run of one encounter (`osler.runs.run.sit`), in which several people may sit. What
is said is recorded before the encounter goes on, and a stopped server asks the same turns again. Here stands
only what lives while it is played.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from osler.core.config import Config
from osler.core.events import Seat, View
from osler.core.pace import PACE
from osler.core.source import Source
from osler.errors import BadInput, InfrastructureFault, OslerError, Stale
from osler.models.budget import Ledger
from osler.players.admission import check_config
from osler.runs import run as runs
from osler.runs.rebuilt import requests_of
from osler.runs.seating import ModelOptions, open_cast
from osler.runs.sitting import Sitting
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.records import KeptPart, RunInfo
from osler.store.writer import Committed
from osler.web.house import House
from osler.web.naming import PLAYED_HERE
from osler.web.play_loop import PlayLoop
from osler.web.practise import clocks
from osler.web.practise.beginning import NOWHERE, Label, begun_run, moved, seated
from osler.web.practise.clocks import HELD_SINCE
from osler.web.practise.encounter import Encounter, Playing, Sitter
from osler.web.practise.turns import MovePace, TooSlow, Turns
from osler.web.problems import Gone

T = TypeVar("T")
IDLE_S: Final = 15 * 60.0
"""A sitting that nobody has looked at for this long is left; it goes on when it is opened again."""

_LOOK_S: Final = 30.0


class Funds(NamedTuple):
    """The options for the models of a sitting. A `ledger` is shared by all that live on the same budget."""

    options: ModelOptions
    ledger: Ledger | None = None


class Sittings:
    """All sittings of one house. Its methods may be awaited from the server's loop."""

    def __init__(
        self, house: House, loop: PlayLoop, changed: Callable[[PersonSitting], None] = lambda taken: None
    ) -> None:
        self._house, self._loop, self._changed = house, loop, changed
        self.funds: Callable[[str], Funds] = lambda room: Funds(house.models)
        """What the models of a room's sittings may use; without a room, what those of the house may."""
        self.ended: Callable[[PersonSitting], None] = lambda taken: None
        """Told of every encounter that has ended, in the play loop: it must return at once."""
        self._turns = Turns()
        self._playing: dict[int, Encounter] = {}
        self._opening: dict[int, asyncio.Lock] = {}
        self._sweeping: asyncio.Task[None] | None = None
        self._started: asyncio.Future[None] | None = None
        self._unheard: Callable[[], None] = lambda: None

    async def begin(
        self,
        config: Config,
        people: Sequence[Sitter],
        label: Label,
        *,
        source: Source[Any] | None = None,
        kept: Any = None,
        about: Mapping[str, Any] | None = None,
        consent: str | None = None,
    ) -> list[PersonSitting]:
        """Begin an encounter with these people in their seats, and open it. `kept` is the beginning of
        another one; `consent` is the text they agreed to (without it, ours); `about` is added to the run's
        manifest.

        Raises BadInput before anything is written.
        """

        def begun() -> list[PersonSitting]:
            written = begun_run(self._house, config, [one.seat for one in people], source, kept, about or {})
            return seated(self._house, written, config.plays.name, people, label, consent)

        if source is None:  # read here the first time, which takes too long for a turn
            await asyncio.to_thread(self._house.source, config)
        sittings = await self.in_turn([one.owner for one in people], begun)
        await self.open(sittings[0])
        return sittings

    async def go_on_as(
        self,
        taken: PersonSitting,
        config: Config,
        source: Source[Any],
        kept: KeptPart,
        about: Mapping[str, Any],
        more: Mapping[str, Any],
        consent: str | None = None,
    ) -> None:
        """Let an encounter go on in a run of another configuration, which keeps what was played so far and
        what was permitted. The run that it leaves stays as it is, and so do the sittings of those whose seats
        are another's from here."""

        async def gone_on() -> list[PersonSitting]:
            async with self._one_at_a_time(taken.run):
                await self._close(taken.run)
                changed, given = await asyncio.to_thread(
                    moved, self._house, taken, config, source, kept, about, more, consent
                )
            now = next(one for one in changed if one.run != taken.run)
            await self._given_again(now, given)
            return changed

        for one in await self._loop.call(gone_on()):
            self._changed(one)

    async def in_turn(self, visitors: Sequence[str], work: Callable[[], T]) -> T:
        """Run `work`, which computes for these visitors, in a thread once it is their turn."""
        return (await self._loop.call(self._turns.compute(visitors, work))).value

    def now(self, id: str) -> Playing | None:
        """A sitting as it is being played at this moment; `None` if nobody has its encounter open."""
        for encounter in tuple(self._playing.values()):
            for value in encounter.people.values():
                if value.id == id:
                    return Playing(encounter, value)
        return None

    async def open(self, taken: PersonSitting) -> Playing:
        """Return a sitting, continued if it is not being played. Raises BadInput if it cannot be."""
        return await self._loop.call(self._open(taken))

    async def again(self, taken: PersonSitting) -> Playing:
        """Try a paused sitting again; one that is not paused goes on, and nobody in it is disturbed."""

        async def reopened() -> Playing:
            await self._close_if(taken.run, lambda encounter: encounter.fault is not None)
            return await self._open(taken)

        return await self._loop.call(reopened())

    async def answer(self, taken: PersonSitting, ticket: str, reply: object) -> None:
        """Give the reply to the question with this ticket; it is recorded when this returns. Raises Stale if
        the question is not open."""

        async def given() -> None:
            playing = await self._open(taken)
            encounter, pending = playing.encounter, playing.pending
            if encounter.sitting is None or pending is None:
                raise Stale("no question is open", where=playing.seat, hint="load the sitting again")
            if pending.ticket != ticket:
                raise Stale(f"question {ticket} is not open", hint=f"now {pending.ticket} is")
            encounter.sitting.answer(reply, ticket, playing.seat)
            await encounter.sitting.recorded()
            self._tell(encounter)

        await self._loop.call(given())

    async def leave(self, taken: PersonSitting) -> None:
        """Look no longer from a seat; the encounter is left once nobody does, and goes on when it is opened
        again."""

        def is_empty(encounter: Encounter) -> bool:
            encounter.seen.pop(taken.seat, None)
            return not encounter.seen

        async def left() -> None:
            if not await self._close_if(taken.run, is_empty) and (there := self._playing.get(taken.run)):
                self._tell(there)

        await self._loop.call(left())

    async def put_down(self, taken: PersonSitting) -> None:
        """Stop playing an encounter, whoever looks; it goes on when it is opened again."""

        await self._loop.call(self._close_if(taken.run))

    async def stop(self, taken: PersonSitting, why: str) -> None:
        """Stop an encounter, as a teacher may; it cannot be opened before `release`."""
        since = taken.more.get(HELD_SINCE) or time.time()
        await self._change_all(taken, lambda one: {"stopped": why, "more": {HELD_SINCE: since}})

    async def release(self, taken: PersonSitting) -> PersonSitting:
        """Let a stopped encounter go on; its clock has stood still meanwhile. Returns the sitting as it is
        now."""
        now = time.time()
        return await self._change_all(
            taken, lambda one: {"stopped": "", "more": clocks.gone_on(one.more, now)}
        )

    async def end(self, taken: PersonSitting, why: str) -> None:
        """End the encounter now, as a clock does: it is judged by what it holds."""

        async def ended() -> None:
            playing = await self._open(taken)
            sitting, pending = playing.encounter.sitting, playing.pending
            if sitting is not None and pending is not None:
                with suppress(OslerError):  # whoever follows the encounter is told
                    await sitting.time_up(why, pending.ticket, playing.seat)

        await self._loop.call(ended())

    def tell(self, taken: PersonSitting) -> None:
        """Tell whoever looks at a sitting that something about it has changed."""
        self._changed(taken)

    def start(self) -> None:
        """Begin to tell of what is committed, and to leave sittings that nobody looks at."""
        self._unheard = self._house.store.listen(self._committed)

        async def begin() -> None:
            self._sweeping = asyncio.ensure_future(self._sweep())

        self._started = asyncio.ensure_future(self._loop.call(begin()))

    async def close(self) -> None:
        """Leave every sitting: what is recorded is kept, and can be continued."""

        async def all_left() -> None:
            if self._sweeping:
                self._sweeping.cancel()
            await asyncio.gather(
                *(self._close_if(run) for run in list(self._playing)), return_exceptions=True
            )

        self._unheard()
        await self._loop.call(all_left())
        self._turns.close()

    async def _change_all(
        self, sitting: PersonSitting, to: Callable[[PersonSitting], Mapping[str, Any]]
    ) -> PersonSitting:
        """Change every sitting of an encounter, put it down, and tell. Returns this sitting as it is now."""

        def changed() -> list[PersonSitting]:
            there = practice.sittings_of_run(self._house.store, sitting.run)
            return practice.change_all(self._house.store, {one.id: to(one) for one in there})

        there = await asyncio.to_thread(changed)
        await self.put_down(sitting)  # where it stands still; it goes on when it is opened again
        for one in there:
            self._changed(one)
        return next(one for one in there if one.id == sitting.id)

    def _tell(self, encounter: Encounter) -> None:
        for sitting in tuple(encounter.people.values()):
            self._changed(sitting)

    def _committed(self, done: Committed) -> None:
        """Tell whoever looks at a sitting what its other seats have said meanwhile. Called in any thread."""
        for encounter in tuple(self._playing.values()):
            if encounter.run.id == done.run:
                self._tell(encounter)

    # In the play loop

    async def _open(self, sitting: PersonSitting) -> Playing:
        async with self._one_at_a_time(sitting.run):
            encounter = self._playing.get(sitting.run)
            if encounter is None:
                run, now = (
                    sitting.run,
                    await asyncio.to_thread(practice.sitting, self._house.store, sitting.id),
                )
                sitting = now or sitting
                if sitting.more.get(practice.DELETED):
                    raise Gone("its words and marks were deleted for good", hint="choose another")
                if sitting.run == run:
                    encounter = await self._opened(sitting)
        if encounter is None:  # it has moved on to another run meanwhile
            return await self._open(sitting)
        encounter.people[sitting.seat], encounter.seen[sitting.seat] = sitting, time.monotonic()
        playing = Playing(encounter, sitting)
        if playing.pending is not None:
            encounter.views[sitting.seat] = playing.pending.view
        elif sitting.seat not in encounter.views and playing.doing != "starting":
            encounter.views[sitting.seat] = await self._view_made_anew(sitting, encounter.run)
        return playing

    def _one_at_a_time(self, run: int) -> asyncio.Lock:
        return self._opening.setdefault(run, asyncio.Lock())

    async def _opened(self, sitting: PersonSitting) -> Encounter:
        run = await asyncio.to_thread(self._house.store.info, sitting.run)
        there = await asyncio.to_thread(practice.sittings_of_run, self._house.store, sitting.run)
        encounter = Encounter(run, {one.seat: one for one in there} or {sitting.seat: sitting})
        self._playing[sitting.run] = encounter
        try:
            if sitting.stopped:
                raise InfrastructureFault(sitting.stopped)
            await self._sit(encounter)
        except OslerError as error:
            encounter.fault = error
            await encounter.held.aclose()
        return encounter

    async def _sit(self, encounter: Encounter) -> None:
        store, person_sitting = self._house.store, encounter.taken

        def opened() -> Any:
            config, funds = runs.config_of(encounter.run), self.funds(person_sitting.room)
            check_config(config, PLAYED_HERE)
            resumed = (encounter.run, store)
            return open_cast(config, funds.options, channel=NOWHERE, resumed=resumed, ledger=funds.ledger)

        pace = MovePace(self._turns, lambda: [one.owner for one in encounter.people.values()])
        result = await pace.work(opened)
        if result.around is not None:
            await encounter.held.enter_async_context(result.around)
        source = None if result.config.branch else await asyncio.to_thread(self._house.source, result.config)
        before = PACE.set(pace)
        try:
            sitting = await runs.sit(
                encounter.run, store, person_sitting.ordinal, models=result.around, source=source
            )
        finally:
            PACE.reset(before)
        encounter.sitting = sitting
        encounter.watching = asyncio.ensure_future(self._follow(encounter, sitting))
        with suppress(TimeoutError):
            await asyncio.wait_for(encounter.stirred.wait(), 1.0)

    async def _follow(self, encounter: Encounter, sitting: Sitting) -> None:
        """Tell of every change of the open questions, until the encounter has ended or stands still."""
        known: dict[Seat, str] = {}
        while True:
            try:
                ended = await sitting.other(known)
            except OslerError as error:
                encounter.fault, encounter.sitting = error, None
                break
            for seat, pending in sitting.pending.items():
                encounter.views[seat] = pending.view
            if ended is not None:
                for value in encounter.people.values():
                    if encounter.views.get(value.seat) is None:
                        encounter.views[value.seat] = await self._view_made_anew(value, encounter.run)
                encounter.ended = ended
                break
            known = sitting.tickets
            encounter.stirred.set()
            self._tell(encounter)
        await encounter.held.aclose()
        encounter.stirred.set()
        if encounter.ended is not None:
            self.ended(encounter.taken)
        self._tell(encounter)

    async def _given_again(self, sitting: PersonSitting, given: Mapping[Seat, Any]) -> None:
        """Open an encounter that was moved, and answer for those who had answered already."""
        encounter = (await self._open(sitting)).encounter
        for seat, reply in given.items():
            if encounter.sitting is not None and (pending := encounter.pending.get(seat)) is not None:
                encounter.sitting.answer(reply, pending.ticket, seat)
                await encounter.sitting.recorded()

    async def _view_made_anew(self, sitting: PersonSitting, run: RunInfo) -> View | None:
        """The view of a seat that has no open question here: it ended, stands still, or waits for others."""
        try:
            requests = await asyncio.to_thread(requests_of, run, self._house.store, sitting.ordinal)
        except BadInput:  # nothing was asked yet
            return None
        return next((one.view for one in requests if one.seat == sitting.seat), None)

    async def _close_if(self, run: int, wanted: Callable[[Encounter], bool] = lambda encounter: True) -> bool:
        """Close an encounter if it is as wanted, but not while it is being opened: else its sitting would
        play on, known to nobody, and keep everybody else out. Returns whether it was closed."""
        async with self._one_at_a_time(run):
            encounter = self._playing.get(run)
            if encounter is None or not wanted(encounter):
                return False
            await self._close(run)
            return True

    async def _close(self, run: int) -> None:
        encounter = self._playing.pop(run, None)
        if encounter is None:
            return
        if encounter.sitting is not None:
            await encounter.sitting.leave()
        if encounter.watching is not None:
            encounter.watching.cancel()
            with suppress(asyncio.CancelledError):
                await encounter.watching
        await encounter.held.aclose()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            for run, encounter in list(self._playing.items()):
                with suppress(BadInput):  # it was deleted meanwhile
                    if await self._close_if(run, self._is_idle):
                        continue
                    if await self._close_if(run, self._is_tried_again):
                        await self._open(encounter.taken)
                        self._tell(encounter)

    @staticmethod
    def _is_idle(encounter: Encounter) -> bool:
        last = max(encounter.seen.values(), default=0.0)
        return encounter.is_at_rest and last < time.monotonic() - IDLE_S

    @staticmethod
    def _is_tried_again(encounter: Encounter) -> bool:
        """Whether a paused encounter goes on by itself: what failed may be back, what took too long is not
        quicker now."""
        fault = encounter.fault
        return fault is not None and not isinstance(fault, TooSlow) and not encounter.taken.stopped
