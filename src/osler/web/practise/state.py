"""The state of a sitting as its seat may know it, made from the record and the open question."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.core.config import Config
from osler.core.events import TurnBegan
from osler.core.names import Kind, PlayerName
from osler.core.permitted import CONSENT, Use
from osler.core.trace import AskedRow
from osler.errors import OslerError
from osler.players.external import Pending
from osler.runs.endpoints import ENDPOINTS
from osler.store.practice import PersonSitting
from osler.store.records import RunInfo
from osler.web.practise.beginning import LEFT
from osler.web.practise.clocks import standing_at
from osler.web.practise.encounter import BLINDED, Playing
from osler.web.practise.schemas import Clock, Disclosure, RemainingLimits, SittingState, WantedAct
from osler.web.practise.turns import TooSlow
from osler.web.schemas import LogItem, Problem

READINGS: Final = "readings"
ENDED: Final[Mapping[str, str]] = {
    "completed": "",
    "out_of_turns": "All turns are used.",
    "out_of_budget": "Time, or another limit, has run out.",
    "invalid_play": "It ended because no valid move was made.",
    "simulator_fault": "It ended because another player failed. It is not your fault, and it is not scored.",
    "endpoint_fault": "It ended because a language model could not answer. It is not scored.",
    "player_fault": "It ended because another player failed. It is not scored.",
    "cancelled": "It was stopped.",
    "deleted": "Its words were deleted at your wish.",
    "diverged": "This version of Osler can no longer continue it. The record is kept.",
}
_MARKED_BY_RULE: Final = "a built-in examiner, which reads words and not meaning; marks are formative"


def state_of(
    playing: Playing,
    config: Config,
    log: Sequence[LogItem],
    rows: Sequence[AskedRow],
    uses: Sequence[Use],
) -> SittingState:
    """The whole state. `log` is what the seat was told and said, `rows` the questions that are open."""
    sitting, pending = playing.taken, playing.pending
    readings = readings_of(sitting)
    feed, unread = _with_reports_held_back(log, readings)
    fault = playing.fault
    ended = playing.ended
    doing = playing.doing
    return SittingState(
        id=sitting.id,
        code=sitting.code,
        protocol=sitting.protocol,
        seat=sitting.seat,
        title=sitting.title,
        status=doing,
        turn=_turn(pending),
        ticket=pending.ticket if pending else None,
        notice=pending.notice if pending else "",
        wanted=_wanted(pending) if pending else None,
        view=json.loads(playing.view.text) if playing.view else {},
        feed=feed,
        left=_left(pending),
        thinking=[row.seat for row in rows if row.seat != sitting.seat] if doing == "thinking" else [],
        clock=clock_of(sitting),
        pause=_problem(fault, sitting) if fault else None,
        disclosure=disclosure(config, playing.run, sitting, uses),
        distressing=sitting.distressing,
        room=sitting.room or None,
        changed=str(sitting.more.get("changed", "")),
        ending=ENDED.get(str(ended.trace.outcome.status), "It has ended.") if ended else "",
        unread=unread,
        readings=readings,
    )


def readings_of(sitting: PersonSitting) -> dict[str, str]:
    """The person's own readings of pictures, by log item."""
    return {str(item): str(words) for item, words in sitting.more.get(READINGS, {}).items()}


def _with_reports_held_back(
    log: Sequence[LogItem], readings: Mapping[str, str]
) -> tuple[list[LogItem], list[str]]:
    """The feed, in which the report of a picture is left out until the person has written a reading."""
    feed, unread = [], []
    for item in log:
        event = item.event or {}
        if item.picture and event.get("kind") == "result" and item.id not in readings:
            unread.append(item.id)
            lines = [line.model_copy(update={"text": str(event.get("name", ""))}) for line in item.lines]
            item = item.model_copy(update={"event": {**event, "text": ""}, "lines": lines})
        feed.append(item)
    return feed, unread


def _turn(pending: Pending | None) -> int:
    """The number of the seat's turn: its replies so far, and the one it is asked for."""
    return int(pending.ticket.partition(".")[0]) + 1 if pending else 0


def _wanted(pending: Pending) -> WantedAct:
    turn = _last_turn(pending)
    acts = (getattr(item, "act", None) for item in reversed(pending.feed))
    act = next((one for one in acts if isinstance(one, str)), pending.seat)
    return WantedAct(
        act=act, reply=dict(pending.schema), differential=bool(turn and turn.differential_wanted)
    )


def _last_turn(pending: Pending) -> TurnBegan | None:
    return next((item for item in reversed(pending.feed) if isinstance(item, TurnBegan)), None)


def _left(pending: Pending | None) -> RemainingLimits:
    turn = _last_turn(pending) if pending else None
    if turn is None:
        return RemainingLimits()
    return RemainingLimits(
        turns=turn.turns_left,
        tests=turn.tests_left,
        minutes=turn.minutes_left,
        cost=turn.cost_left,
        last_chance=turn.last_chance,
    )


def clock_of(sitting: PersonSitting) -> Clock | None:
    """The station clock of a sitting, if its teacher set one."""
    now = time.time()
    result = standing_at(sitting.more, now)
    return Clock(**result, now=now) if result else None


def disclosure(config: Config, run: RunInfo, sitting: PersonSitting, uses: Sequence[Use]) -> Disclosure:
    """The disclosure that a person reads before the first word."""
    told = {seat: in_words(name, own=seat == sitting.seat) for seat, name in config.names().items()}
    plays = {**told, **sitting.more.get(BLINDED, {})}
    served: Mapping[str, Mapping[str, Any]] = run.manifest.get(ENDPOINTS, {})
    hosts = {str(one["host"]) for one in served.values()}
    marks = str(sitting.more.get("marks", _MARKED_BY_RULE))
    return Disclosure(
        plays=plays,
        marks=marks,
        hosts=sorted({*hosts, *sitting.more.get("hosts", ())}),
        uses=list(uses),
        consent=str(sitting.more.get("consent", CONSENT)),
    )


def in_words(name: PlayerName, *, own: bool = False) -> str:
    """The players in a name in words, as its person, or another, is told."""
    return ", with ".join(dict.fromkeys(_in_words(player, own) for player in name.everyone()))


def _in_words(player: PlayerName, own: bool) -> str:
    match player.kind:
        case Kind.PERSON | Kind.EXTERNAL:
            return "you" if own else "another person"
        case Kind.MODEL:
            return f"a language model ({player.argument})"
        case Kind.BUILT_IN | Kind.NOBODY:
            return "a built-in player (rules, no language model)"
    return f"a player of its own ({player.name}), which may be anything"


def _problem(fault: OslerError, sitting: PersonSitting) -> Problem:
    """Describe the pause. In a room the details are for the teacher: the learner cannot mend an endpoint."""
    if sitting.stopped == LEFT:
        return Problem(what=LEFT)
    if sitting.stopped:
        return Problem(what=sitting.stopped, where="your teacher")
    if sitting.room and not isinstance(fault, TooSlow):
        return Problem(
            what="Another player of this encounter does not answer.",
            mend="It is tried again by itself, and your teacher sees it too.",
        )
    return Problem(what=fault.what, where=fault.where, mend=fault.hint)
