"""Sittings: people in seats, played on a loop of their own, left and taken up again at any instant.

A sitting is a run of one encounter (`osler.runs.run.sit`), so what is said is recorded before the encounter
goes on, and a stopped server asks the same turn again. Here stands only what lives while it is played.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from osler.core.config import Config
from osler.core.events import View
from osler.core.permitted import Permission
from osler.core.role import PERSON
from osler.core.source import Source
from osler.errors import BadInput, InfrastructureFault, OslerError, Stale
from osler.models.budget import Ledger
from osler.players.external import Desk, Pending
from osler.runs import run as runs
from osler.runs.batch import chosen
from osler.runs.cached_source import placed
from osler.runs.played import Played
from osler.runs.rebuilt import requests_of
from osler.runs.seating import ModelOptions, open_cast
from osler.runs.sitting import Sitting
from osler.store import practice
from osler.store.permissions import grant, permissions_of
from osler.store.practice import Taken
from osler.store.records import RunInfo
from osler.store.writer import Committed
from osler.web.house import House
from osler.web.play_loop import PlayLoop
from osler.web.practise import clocks
from osler.web.practise.clocks import HELD_SINCE

IDLE_S: Final = 15 * 60.0
"""A sitting that nobody has looked at for this long is left; it goes on when it is opened again."""

_LOOK_S: Final = 30.0
_NOWHERE: Final[Any] = Desk()
"""The channel for checking a cast; `runs.sit` seats the person at a desk of its own."""
Doing = Literal["starting", "yours", "thinking", "paused", "ended"]


class Funds(NamedTuple):
    """The options for the models of a sitting. A `ledger` is shared by all that live on the same budget."""

    options: ModelOptions
    ledger: Ledger | None = None


@dataclass
class Playing:
    """One sitting while it is played. `view` is what the seat knew before the first word; `fault` is why it
    paused; `seen` is when somebody last looked."""

    taken: Taken
    run: RunInfo
    seat: str
    sitting: Sitting | None = None
    ended: Played | None = None
    view: View | None = None
    fault: OslerError | None = None
    seen: float = field(default_factory=time.monotonic)
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    watching: asyncio.Task[None] | None = None

    @property
    def pending(self) -> Pending | None:
        """The question that waits for this seat."""
        return self.sitting.pending.get(self.seat) if self.sitting else None

    @property
    def ticket(self) -> str | None:
        """The ticket of that question."""
        return self.pending.ticket if self.pending else None

    @property
    def doing(self) -> Doing:
        """The stage it is at."""
        if self.ended is not None:
            return "ended"
        if self.fault is not None:
            return "paused"
        if self.sitting is None:
            return "starting"
        return "yours" if self.pending else "thinking"


class Sittings:
    """All sittings of one house. Its methods may be awaited from the server's loop."""

    def __init__(
        self, house: House, loop: PlayLoop, changed: Callable[[Taken], None] = lambda taken: None
    ) -> None:
        self._house, self._loop, self._changed = house, loop, changed
        self.funds: Callable[[str], Funds] = lambda room: Funds(house.models)
        """What the models of a room's sittings may use; without a room, what those of the house may."""
        self.ended: Callable[[Taken], None] = lambda taken: None
        """Told of every sitting that has ended, in the play loop: it must return at once."""
        self._playing: dict[str, Playing] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._sweeping: asyncio.Task[None] | None = None
        self._started: asyncio.Future[None] | None = None
        self._unheard: Callable[[], None] = lambda: None

    async def begin(
        self,
        config: Config,
        seat: str,
        title: str,
        *,
        owner: str,
        room: str = "",
        distressing: bool = False,
        source: Source[Any] | None = None,
        kept: Any = None,
        about: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] | None = None,
        permits: Permission = Permission(),  # noqa: B008 - a tuple
        consent: str | None = None,
    ) -> Taken:
        """Begin an encounter with a person in `seat`, and open it. `kept` is the beginning of another one,
        `permits` what the person permits, who agreed to the text `consent` (without it, to ours); `about` is
        added to the run's manifest.

        Raises BadInput before anything is written.
        """

        def written() -> Taken:
            run, ordinal = self._written(config, seat, source, kept, about or {})
            taken = Taken(
                practice.new_id(),
                practice.new_code(),
                run.id,
                ordinal,
                owner,
                room,
                config.plays.name,
                seat,
                title,
                distressing,
                "",
                dict(more or {}),
            )
            practice.put(self._house.store, taken)
            grant(
                self._house.store,
                run.id,
                [taken.ordinal],
                permits.uses,
                expires=permits.expires,
                pseudonym=permits.pseudonym,
                consent=consent,
            )
            return taken

        taken = await asyncio.to_thread(written)
        await self.open(taken)
        return taken

    async def go_on_as(
        self,
        taken: Taken,
        config: Config,
        source: Source[Any],
        kept: Any,
        about: Mapping[str, Any],
        more: Mapping[str, Any],
        consent: str | None = None,
    ) -> Taken:
        """Let a sitting go on in a run of another configuration, which keeps what was played so far and what
        was permitted. The run that it leaves stays as it is."""

        def moved() -> Taken:
            store = self._house.store
            permits = permissions_of(store, taken.run, taken.ordinal).get(taken.seat, Permission())
            run, ordinal = self._written(config, taken.seat, source, kept, about)
            grant(
                store,
                run.id,
                [ordinal],
                permits.uses,
                expires=permits.expires,
                pseudonym=permits.pseudonym,
                consent=consent,
            )
            return practice.change(store, taken.id, run=run.id, ordinal=ordinal, stopped="", more=more)

        await self.leave(taken.id)
        changed = await asyncio.to_thread(moved)
        await self.open(changed)
        self._changed(changed)
        return changed

    def now(self, id: str) -> Playing | None:
        """A sitting as it is being played at this moment; `None` if nobody has it open."""
        return self._playing.get(id)

    async def open(self, taken: Taken) -> Playing:
        """Return a sitting, continued if it is not being played. Raises BadInput if it cannot be."""
        return await self._loop.call(self._open(taken))

    async def again(self, taken: Taken) -> Playing:
        """Try a paused sitting again."""

        async def reopened() -> Playing:
            await self._close(taken.id)
            return await self._open(taken)

        return await self._loop.call(reopened())

    async def answer(self, taken: Taken, ticket: str, reply: object) -> None:
        """Give the reply to the question with this ticket; it is recorded when this returns. Raises Stale if
        the question is not open."""

        async def given() -> None:
            playing = await self._open(taken)
            pending = playing.pending
            if playing.sitting is None or pending is None:
                raise Stale("no question is open", where=playing.seat, hint="load the sitting again")
            if pending.ticket != ticket:
                raise Stale(f"question {ticket} is not open", hint=f"now {pending.ticket} is")
            playing.sitting.answer(reply, ticket, playing.seat)
            task = asyncio.ensure_future(playing.sitting.next())
            playing.watching = asyncio.ensure_future(self._watch(playing, task))
            await playing.sitting.recorded()
            self._changed(playing.taken)

        await self._loop.call(given())

    async def leave(self, id: str) -> None:
        """Stop playing a sitting; it goes on when it is opened again."""
        await self._loop.call(self._close(id))

    async def stop(self, taken: Taken, why: str) -> Taken:
        """Stop a sitting, as a teacher may; it cannot be opened before `release`."""
        more = {HELD_SINCE: taken.more.get(HELD_SINCE) or time.time()}
        changed = await asyncio.to_thread(
            practice.change, self._house.store, taken.id, stopped=why, more=more
        )
        await self.leave(taken.id)
        self._changed(changed)
        return changed

    async def release(self, taken: Taken) -> Taken:
        """Let a stopped sitting go on; its clock has stood still meanwhile."""
        more = clocks.gone_on(taken.more, time.time())
        changed = await asyncio.to_thread(practice.change, self._house.store, taken.id, stopped="", more=more)
        await self.leave(taken.id)  # where it stands still; it goes on when it is opened again
        self._changed(changed)
        return changed

    async def end(self, taken: Taken, why: str) -> None:
        """End the encounter now, as a clock does: it is judged by what it holds."""

        async def ended() -> None:
            playing = await self._open(taken)
            if playing.sitting is not None and (pending := playing.pending) is not None:
                task = asyncio.ensure_future(playing.sitting.time_up(why, pending.ticket, playing.seat))
                playing.watching = asyncio.ensure_future(self._watch(playing, task))

        await self._loop.call(ended())

    def tell(self, taken: Taken) -> None:
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
            await asyncio.gather(*(self._close(id) for id in list(self._playing)), return_exceptions=True)

        self._unheard()
        await self._loop.call(all_left())

    def _written(
        self, config: Config, seat: str, source: Source[Any] | None, kept: Any, about: Mapping[str, Any]
    ) -> tuple[RunInfo, int]:
        """A new run for one sitting, and the number of its episode."""
        seated = open_cast(config.seated({seat: PERSON}), self._house.models, channel=_NOWHERE)
        cases = source or self._house.source(seated.config)
        noted = {**seated.about, "practice": {"seat": seat}, **about}
        run = runs.begin(seated.config, self._house.store, seated.more, cases, kept, noted)
        index, _ = next(chosen(placed(cases, seated.config), seated.config))
        return run, index * seated.config.repeats

    def _committed(self, done: Committed) -> None:
        """Tell whoever looks at a sitting what its other seats have said meanwhile. Called in any thread."""
        for playing in tuple(self._playing.values()):
            if playing.run.id == done.run:
                self._changed(playing.taken)

    # In the play loop

    async def _open(self, taken: Taken) -> Playing:
        lock = self._opening.setdefault(taken.id, asyncio.Lock())
        async with lock:
            playing = self._playing.get(taken.id)
            if playing is None:
                playing = await self._opened(taken)
            playing.seen, playing.taken = time.monotonic(), taken
            return playing

    async def _opened(self, taken: Taken) -> Playing:
        run = await asyncio.to_thread(self._house.store.info, taken.run)
        playing = Playing(taken, run, taken.seat)
        self._playing[taken.id] = playing
        try:
            if taken.stopped:
                raise InfrastructureFault(taken.stopped)
            await self._sit(playing)
        except OslerError as error:
            playing.fault = error
            await playing.held.aclose()
        if playing.view is None and playing.doing in ("paused", "thinking"):
            playing.view = await self._view_made_anew(playing)
        return playing

    async def _sit(self, playing: Playing) -> None:
        store = self._house.store

        def seated() -> Any:
            config, funds = runs.config_of(playing.run), self.funds(playing.taken.room)
            resumed = (playing.run, store)
            return open_cast(config, funds.options, channel=_NOWHERE, resumed=resumed, ledger=funds.ledger)

        found = await asyncio.to_thread(seated)
        if found.around is not None:
            await playing.held.enter_async_context(found.around)
        source = None if found.config.branch else await asyncio.to_thread(self._house.source, found.config)
        playing.sitting = await runs.sit(
            playing.run, store, playing.taken.ordinal, models=found.around, source=source
        )
        task = asyncio.ensure_future(playing.sitting.next())
        playing.watching = asyncio.ensure_future(self._watch(playing, task))
        await asyncio.wait([task], timeout=1.0)

    async def _watch(self, playing: Playing, step: asyncio.Task[Pending | Played]) -> None:
        """Wait for what a step leads to, and tell that the state has changed."""
        try:
            now = await step
        except asyncio.CancelledError:
            return
        except Stale:
            return
        except OslerError as error:
            playing.fault = error
            playing.sitting = None
            await playing.held.aclose()
        else:
            if isinstance(now, Played):
                playing.view = playing.view or await self._view_made_anew(playing)
                playing.ended = now
                await playing.held.aclose()
                self.ended(playing.taken)
            elif playing.pending is not None:
                playing.view = playing.pending.view
        self._changed(playing.taken)

    async def _view_made_anew(self, playing: Playing) -> View | None:
        """The view of a seat that has no open question here: it ended, stands still, or waits for others."""
        taken = playing.taken
        try:
            seen = await asyncio.to_thread(requests_of, playing.run, self._house.store, taken.ordinal)
        except BadInput:  # nothing was asked yet
            return None
        return next((one.view for one in seen if one.seat == playing.seat), None)

    async def _close(self, id: str) -> None:
        playing = self._playing.pop(id, None)
        if playing is None:
            return
        if playing.sitting is not None:
            await playing.sitting.leave()
        if playing.watching is not None:
            playing.watching.cancel()
            with suppress(asyncio.CancelledError):
                await playing.watching
        await playing.held.aclose()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            before = time.monotonic() - IDLE_S
            for id, playing in list(self._playing.items()):
                if playing.seen < before and playing.doing != "thinking":
                    with suppress(BadInput):
                        await self._close(id)
                elif playing.fault is not None and not playing.taken.stopped:  # what failed may be back
                    await self._close(id)
                    await self._open(playing.taken)
                    self._changed(playing.taken)
