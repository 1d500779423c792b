"""The encounters of one server, in one stored run: opened, moved on, left and taken up again.

Nothing here knows the wire. Encounters have opaque numbers, since a case's id may say what is wrong. Whatever
happens is told in words that hold nothing but the seat's own view and feed; what failed is told to the
operator alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from osler.adapters.mcp import text, tools
from osler.adapters.mcp.text import NamedPicture
from osler.adapters.mcp.tools import Tool
from osler.core.config import Config, Settings
from osler.core.contract import OwnReply
from osler.core.events import NOT_VALID, Event, Noticed, Seat
from osler.core.source import Source
from osler.errors import FAULTS, BadInput, InfrastructureFault, OslerError, Stale, Status
from osler.judging.scores import UNSCORED
from osler.players.external import Pending
from osler.players.seating import forms_of
from osler.runs import run as runs
from osler.runs.batch import stretches
from osler.runs.leased import in_thread
from osler.runs.played import EndedEpisode
from osler.runs.sitting import Sitting
from osler.store.records import RunInfo
from osler.store.store import Store

MOST_OPEN: Final = 16
_PAUSED: Final = (
    "The encounter has paused: something outside it failed, not you. Nothing is lost and nothing is scored."
    " Call open_case with this encounter to go on, or leave it for later."
)
_ENDS: Final[Mapping[str, str]] = {
    Status.COMPLETED: "it came to its end",
    Status.OUT_OF_TURNS: "the turns were used up",
    Status.OUT_OF_BUDGET: "a limit was used up",
    Status.INVALID_PLAY: "no valid move was made in the tries there were",
    Status.DELETED: "its words were deleted",
}
_UNFINISHED: Final = "it could not be finished, and is not scored"


class CallResult(NamedTuple):
    """The result of a call: words, pictures, and for programs where the encounter stands. `refused` says that
    the call did not do what it was meant to do."""

    words: str
    encounter: str = ""
    state: str = "none"
    ticket: str = ""
    tries_left: int | None = None
    left: Mapping[str, int] = {}
    pictures: Sequence[NamedPicture] = ()
    scores: Mapping[str, Any] | None = None
    refused: bool = False

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON, without the pictures' bytes."""
        result: dict[str, Any] = {"encounter": self.encounter, "state": self.state, "text": self.words}
        if self.ticket:
            result |= {"ticket": self.ticket, "tries_left": self.tries_left, "left": dict(self.left)}
        if self.scores is not None:
            result["scores"] = dict(self.scores)
        return result


class _End(NamedTuple):
    """The ending of an encounter, all that stays of it in memory however many a server sees."""

    status: Status
    scores: Mapping[str, Any]


@dataclass
class _Encounter:
    """An encounter of this server: its sitting while it is played, and how it ended. Without either, it has
    paused."""

    number: str
    ordinal: int
    sitting: Sitting | None = None
    ended: _End | None = None


class Desk:
    """The desk of one seat. `models` are those opened for the other seats. The run begins when somebody first
    sits down, unless one is given to go on with: `more` are the players that it names, `about` goes into its
    manifest.

    With `shared`, several agents use the desk: each opening begins a new encounter, and each call names its
    own. `scores` tells the scores at the end. `log` is told, for the operator, what agents are not told.

    For one event loop. Raises BadInput for a seat that cannot be answered by tools.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        seat: Seat,
        source: Source[Any],
        *,
        run: RunInfo | None = None,
        models: Any = None,
        more: Mapping[str, Any] | None = None,
        about: Mapping[str, object] | None = None,
        name: str | None = None,
        shared: bool = False,
        most: int = MOST_OPEN,
        scores: bool = False,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.run, self._config, self._store, self._seat, self._source = run, config, store, seat, source
        self._models, self._more, self._about, self._name = models, more, about, name
        self._shared, self._most, self._scores, self._log = shared, most, scores, log
        self._protocol = config.plays
        self.tools = tools.tools_for(self._protocol.role(seat), shared=shared)
        self._named = {tool.name: tool for tool in self.tools}
        self._tries = getattr(config, "settings", Settings()).max_attempts
        self._held: dict[str, _Encounter] = {}
        self._opening = asyncio.Lock()
        self._failed = set[str]()
        self._closing = False

    @property
    def failed(self) -> int:
        """The number of encounters that a fault has paused or ended, and of calls that failed here."""
        return len(self._failed)

    @property
    def unfinished(self) -> int:
        """The number of encounters that were begun here and have not ended."""
        return sum(one.ended is None for one in self._held.values())

    async def call(self, name: str, arguments: object) -> CallResult:
        """Do what a tool is for. What goes on does so even if the caller is cancelled, so that a client may
        vanish at any moment."""
        going = asyncio.ensure_future(self._called(name, arguments))
        return await asyncio.shield(going)

    async def close(self) -> None:
        """Leave every encounter: what is recorded is kept and can be continued."""
        self._closing = True
        async with self._opening:
            for one in self._held.values():
                if one.sitting is None:
                    continue
                task = one.sitting.start()
                if not task.done():
                    await one.sitting.leave()
                elif isinstance(error := None if task.cancelled() else task.exception(), OslerError):
                    self._pause(one, error)
                elif not task.cancelled():
                    self._end(one, task.result())
                one.sitting = None

    async def _called(self, name: str, arguments: object) -> CallResult:
        try:
            given = tools.checked(arguments)
            number = str(given.get(tools.ENCOUNTER) or "")
            if name == tools.OPEN:
                return await self._open(number, another=bool(given.get(tools.ANOTHER)))
            if name == tools.STATUS:
                return await self._told(self._of(number), whole=True)
            if name not in self._named:
                return _refused(f"There is no tool {name[:40]!r}; there are {', '.join(self._named)}.")
            return await self._move(self._named[name], given, self._of(number))
        except BadInput as error:
            return _refused(f"Not done: {error}. That was no try; nothing has changed.")
        except Exception as error:  # a fault of this program: an agent is told of no more than that
            self._failed.add(name)
            self._log(f"{name} failed: {type(error).__name__}: {error}")
            return _refused("Not done: the server failed at this call. Call status to see where you stand.")

    async def _open(self, number: str, *, another: bool) -> CallResult:
        async with self._opening:
            one: _Encounter | None = None
            if number:
                one = self._held.get(number) or await in_thread(lambda: self._known(number))
            elif not self._shared and not another and (under_way := self._under_way()):
                one = under_way[-1]
            if one is None or (one.sitting is None and one.ended is None):
                if len(self._under_way()) >= self._most and one not in self._under_way():
                    return _refused(f"{self._most} encounters are open, and no more may be: end one first.")
                result = await self._sat_down(one)
                if isinstance(result, CallResult):
                    return result
                one = result
        return await self._told(one, whole=True, opening=True)

    async def _sat_down(self, one: _Encounter | None) -> _Encounter | CallResult:
        if self.run is None:
            self.run = await in_thread(self._begun)
        run = self.run
        ordinal = one.ordinal if one else None
        try:
            sitting = await runs.sit(run, self._store, ordinal, models=self._models, source=self._source)
        except OslerError as error:
            self._log(str(error))
            if isinstance(error, BadInput):
                now = await in_thread(lambda: self._store.info(run.id))
                if one is None and now.done >= now.planned:
                    return _refused("All encounters have ended: there is none to open, and you are done.")
                what = "no encounter is free" if one is None else "this encounter cannot be opened"
                return _refused(f"Not done: {what}. All may have ended, or somebody else sits there.")
            if one is not None:
                self._pause(one, error)
            self._failed.add(one.number if one else "open")
            return _refused("Not done: the store of encounters cannot be used just now. Try again later.")
        assert sitting.ordinal is not None
        one = one or _Encounter(self._number(sitting.ordinal), sitting.ordinal)
        one.sitting = sitting
        self._failed -= {one.number, "open"}
        self._held[one.number] = one
        return one

    def _begun(self) -> RunInfo:
        run = runs.begin(
            self._config, self._store, self._more, self._source, about=self._about, name=self._name
        )
        self._log(f"run {run.name}, stored in {self._store.label}")
        return run

    async def _move(self, tool: Tool, given: Mapping[str, Any], one: _Encounter) -> CallResult:
        pending = self._pending(one)
        if pending is None:
            return await self._told(one, refused="no question is open; another move may be under way")
        # Without it, the second of two calls made together could pass for an answer to the next question.
        ticket = str(given.get(tools.TICKET) or "")
        if not ticket:
            words = "the call has to name the ticket that was told last"
            return await self._told(one, refused=words, news=False)
        contract, sitting = pending.request.contract, one.sitting
        assert contract is not None
        assert sitting is not None
        fitting = [each.name for each in tools.replies(contract)]
        if tool.name not in fitting:
            text = " or ".join(fitting)
            words = f"{text} is wanted now, not {tool.name}"
            return await self._told(one, refused=words, news=False)
        try:
            reply = tool.reply_of(given)
        except BadInput as error:
            return await self._told(one, refused=str(error), news=False)
        try:
            await sitting.step(self._completed(pending, reply), ticket, self._seat)
        except Stale:
            why = (
                f"question {ticket[:40]} is not open any more: it has been answered, perhaps by a call at the"
            )
            return await self._told(one, refused=f"{why} same time")
        except OslerError as error:
            self._pause(one, error)
        return await self._told(one)

    def _completed(self, pending: Pending, said: Any) -> Any:
        """The reply with what its form adds where whoever sits there does not fill it in."""
        form = forms_of(self._protocol).get(type(pending.view))
        if form is None:
            return said
        fields = said.model_dump(exclude_unset=True)
        return said if (whole := form.completed(pending, fields)) == fields else whole

    async def _told(
        self,
        one: _Encounter,
        *,
        whole: bool = False,
        opening: bool = False,
        refused: str | None = None,
        news: bool = True,
    ) -> CallResult:
        """Return the state of an encounter: everything with `whole`, else only the `news` if wanted."""
        if one.sitting is not None:
            try:
                now = await one.sitting.next()
            except OslerError as error:
                self._pause(one, error)
            else:
                if not isinstance(now, Pending):
                    self._end(one, now)
        pending = self._pending(one)
        if one.ended is not None:
            return self._farewell(one, one.ended, refused is not None)
        if pending is None:
            return CallResult(_PAUSED, one.number, "paused", refused=not whole)
        items = pending.feed if whole else _since_refused(pending) if news else ()
        return await in_thread(lambda: self._question(one, pending, items, whole, opening, refused))

    def _question(
        self,
        one: _Encounter,
        pending: Pending,
        items: Sequence[Event | OwnReply],
        whole: bool,
        opening: bool,
        refused: str | None,
    ) -> CallResult:
        protocol, tries = self._protocol, self._tries - len(pending.refusals)
        lines = [] if refused is None else [f"Not done: {refused}. That was no try; nothing has changed.", ""]
        if opening:
            lines += [text.RULES, "", f"You sit as {self._seat.replace('_', ' ')} in encounter {one.number}."]
        if whole:
            lines += ["What you know:", *text.known(pending, protocol), ""]
            if not pending.is_first:
                lines += ["So far:"]
        lines += text.told(pending, protocol, items)
        lines += ["", *text.turn_lines(pending)]
        if pending.notice:
            after = f"{tries} {'try' if tries == 1 else 'tries'} left for this turn; without a valid move the"
            lines.append(f"Your last move was refused, see above. {after} encounter then ends.")
        assert pending.request.contract is not None
        shut = text.shut(pending, protocol)
        result = tools.replies(pending.request.contract)
        named = ", ".join(tool.name for tool in result if shut.isdisjoint(tool.fixed.values()))
        lines.append(f"Now yours: {named}. Ticket {pending.ticket}, encounter {one.number}.")
        return CallResult(
            "\n".join(lines).strip(),
            one.number,
            "yours",
            pending.ticket,
            tries,
            text.left(pending),
            self._pictures(one, pending, whole) if whole or not (refused or pending.notice) else (),
            refused=refused is not None or (bool(pending.notice) and not whole),
        )

    def _pictures(self, one: _Encounter, pending: Pending, whole: bool) -> Sequence[NamedPicture]:
        try:
            return text.shown(pending, self._protocol, whole=whole)
        except OslerError as error:
            self._failed.add(one.number)
            self._log(f"encounter {one.number}: a picture cannot be shown: {error}")
            return ()

    def _farewell(self, one: _Encounter, ended: _End, refused: bool) -> CallResult:
        status = ended.status
        words = f"Encounter {one.number} has ended: {_ENDS.get(status, _UNFINISHED)}."
        scores = None
        if self._scores and status not in UNSCORED:
            scores = ended.scores
            shown = ", ".join(f"{name} {value}" for name, value in scores.items() if value is not None)
            words += f"\nScores: {shown or 'none'}."
        words += "\nThere is nothing more to do in it. open_case begins the next one, if there is one."
        return CallResult(words, one.number, "ended", scores=scores, refused=refused)

    def _end(self, one: _Encounter, ended: EndedEpisode) -> None:
        outcome = ended.trace.outcome
        one.ended, one.sitting = _End(outcome.status, ended.scores if self._scores else {}), None
        if outcome.status in UNSCORED or outcome.status in FAULTS:
            self._failed.add(one.number)
            self._log(f"encounter {one.number} ended unscored: {outcome.status}: {outcome.reason}")

    def _pause(self, one: _Encounter, error: OslerError) -> None:
        if self._closing and isinstance(error, BadInput):  # it was left, and that is no fault
            return
        one.sitting = None
        self._failed.add(one.number)
        kind = "paused" if isinstance(error, InfrastructureFault) else "stopped"
        self._log(f"encounter {one.number} {kind}: {error}")

    def _pending(self, one: _Encounter) -> Pending | None:
        return one.sitting.pending.get(self._seat) if one.sitting else None

    def _under_way(self) -> list[_Encounter]:
        return [one for one in self._held.values() if one.ended is None]

    def _of(self, number: str) -> _Encounter:
        """The encounter of this number, or the one that there is. Raises BadInput."""
        if not number and not self._shared and self._held:
            under_way = self._under_way()
            if len(under_way) > 1:
                each = ", ".join(one.number for one in under_way)
                raise BadInput("several encounters are open", hint=f"name one: {each}")
            return under_way[0] if under_way else list(self._held.values())[-1]
        if number not in self._held:
            what = f"no encounter {number[:40]!r} is open here" if number else "no encounter is named"
            raise BadInput(what, hint="call open_case, with its number to take it up again")
        return self._held[number]

    def _known(self, number: str) -> _Encounter:
        """An encounter of the run that is not open here. Raises BadInput."""
        if self.run is not None:
            for stretch in stretches(self._source, self._config, self.run.planned):
                for ordinal in stretch:
                    if self._number(ordinal) == number:
                        return _Encounter(number, ordinal)
        raise BadInput(f"there is no encounter {number[:40]!r}", hint="open_case without one begins the next")

    def _number(self, ordinal: int) -> str:
        """The opaque number of an episode, the same in every session of the run."""
        assert self.run is not None
        return blake2b(f"{self.run.name}:{ordinal}".encode(), digest_size=4).hexdigest()


def _since_refused(pending: Pending) -> Sequence[Event | OwnReply]:
    """The part of the feed that was not told yet: after a refused move that is no more than why."""
    new = pending.new
    return new if not pending.notice else new[max(n for n, one in enumerate(new) if _is_refusal(one)) :]


def _is_refusal(item: Event | OwnReply) -> bool:
    return isinstance(item, Noticed) and item.text.startswith(NOT_VALID)


def _refused(words: str) -> CallResult:
    return CallResult(words, refused=True)
