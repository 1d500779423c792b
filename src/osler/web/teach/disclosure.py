"""The disclosure, read before the first word: who plays, who marks, which hosts get the words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from osler.core.events import Seat
from osler.core.names import Kind, PlayerName, player_name
from osler.core.permitted import CONSENT, MEANING, Use
from osler.core.registry import protocol_named
from osler.core.role import PERSON
from osler.models.config import Config as Endpoints
from osler.runs.endpoints import record_of, words
from osler.web.practise.schemas import Disclosure
from osler.web.teach.schemas import RoomPlan, Sees

MODEL: Final = "model:"
TUTOR: Final = "tutor"
"""The seat that a room may compare, and the key under which a sitting keeps who had it."""
_BUILT_IN: Final = "a built-in player, which follows rules and is no language model"
HOW_FAR: Final = (
    "your teacher sees that you take part and how far you are (your cases, whether you are at work, paused or"
    " done, your time and the number of your turns), no words and no marks"
)
TOGETHER: Final = (
    "You share a round with others. Each hears of it what their seat hears, and your pseudonym stands at your"
    " seat. If one of you deletes it, it is deleted for all; it may be used only as all of you permit.",
    "If all of you permit the teacher to read, the teacher and whoever the teacher names as an assessor see"
    " everything in it: private thoughts, drafts and reviews too.",
    "After each round you are asked a few questions; your teacher sees your answers under your pseudonym.",
)
WATCHED: Final = "Learners of this room may follow what is said openly, if all of you permit sharing."
_SEES: Final[Mapping[Sees, str]] = {
    "live": "your teacher may read your words while you play",
    "after": "your teacher may read your words once the encounter has ended, not before",
    "results": "your teacher may see your results, not your words",
}


def disclosure(plan: RoomPlan, endpoints: Endpoints, seats: Mapping[str, Mapping[str, str]]) -> Disclosure:
    """The disclosure of a room. `seats` are the players by seat of each protocol in it, the learner's own
    among them as `person`."""
    plays = {}
    names = {protocol: names_of(protocol, players) for protocol, players in seats.items()}
    for protocol, cast in names.items():
        for seat, name in cast.items():
            if name.kind is Kind.NOBODY or (name.kind is Kind.PERSON and plan.group is None):
                continue
            place = f"{seat} ({protocol_named(protocol).one})" if len(seats) > 1 else seat
            plays[place] = _players(name, endpoints)
    tutors = tutors_of(plan, seats)
    if tutors:
        plays[TUTOR] = blinded(tutors, endpoints)
    everyone = [*(name for cast in names.values() for name in cast.values()), *tutors]
    return Disclosure(
        plays=plays,
        marks="; ".join([*_marks(plan.marks, endpoints), *_not_of_the_learner(seats)]),
        hosts=hosts([*(model for name in everyone for model in name.models), *plan.marks], endpoints),
        uses=plan.asks,
        consent=plan.consent or CONSENT,
    )


def names_of(protocol: str, players: Mapping[Seat, str]) -> dict[Seat, PlayerName]:
    """The parsed names of a protocol's players by seat."""
    plays = protocol_named(protocol)
    return {seat: player_name(plays.role(seat), full) for seat, full in players.items()}


def tutors_of(plan: RoomPlan, protocols: Iterable[str]) -> list[PlayerName]:
    """The parsed names of the tutors that a room compares; all its cases have that seat then."""
    tutors, protocol = plan.group.tutors if plan.group else [], next(iter(protocols), "")
    return [name for full in tutors for name in names_of(protocol, {TUTOR: full}).values()]


def blinded(tutors: Iterable[PlayerName], endpoints: Endpoints) -> str:
    """The tutors that are compared, one of whom has the seat in each round, in words."""
    words = dict.fromkeys(sorted(_players(name, endpoints) for name in tutors))
    return f"one of those who are compared, and you are not told which: {'; '.join(words)}"


def hosts(models: Iterable[str], endpoints: Endpoints) -> list[str]:
    """The hosts of the models (`model:NAME`) among players or marks, each once."""
    named = (name.removeprefix(MODEL) for name in models if name.startswith(MODEL))
    return list(dict.fromkeys(endpoints.endpoint(name).host for name in named))


def kept(plan: RoomPlan, expires: float | None) -> list[str]:
    """Say what is kept, how long and who sees it, in sentences for a learner."""
    sentences = [
        "What you say and do is kept on the computer that runs this server, with the marks you get, until "
        "you or whoever runs it delete it.",
        "You are known by the pseudonym you choose: no account, and please no real name.",
    ]
    if "teacher" in plan.asks:
        sentences.append(f"If you permit it, {_SEES[plan.sees]}. If you do not, {HOW_FAR}.")
    else:
        sentences.append(f"{HOW_FAR[:1].upper()}{HOW_FAR[1:]}.")
    sentences.append("If you delete an encounter, your teacher sees only that you deleted one.")
    if plan.group is not None:
        sentences += [*TOGETHER, *([WATCHED] if plan.group.watch else [])]
    asked = [use for use in plan.asks if use not in ("practice", "teacher")]
    sentences += [
        f"You are also asked whether your words may be {_meaning(use, plan)}. You may say no."
        for use in asked
    ]
    if expires is not None:
        day = datetime.fromtimestamp(expires, UTC)
        sentences.append(f"The room closes on {day:%d %B %Y, %H:%M} UTC; what you said stays kept.")
    return sentences


def _meaning(use: Use, plan: RoomPlan) -> str:
    if use == "share" and plan.share_until is not None:
        return f"shown to others, until {datetime.fromtimestamp(plan.share_until, UTC):%d %B %Y}"
    return MEANING[use]


def _players(name: PlayerName, endpoints: Endpoints) -> str:
    return ", with ".join(dict.fromkeys(_player(player, endpoints) for player in name.everyone()))


def _player(player: PlayerName, endpoints: Endpoints) -> str:
    match player.kind:
        case Kind.PERSON:
            return "a person of this room, or a built-in player where nobody sits"
        case Kind.MODEL:
            return f"the language model {_model(player.inside, endpoints)}"
        case Kind.BUILT_IN | Kind.NOBODY:
            return _BUILT_IN
    return f"a player of its own ({player.name}), which may be anything"


def _model(name: str, endpoints: Endpoints) -> str:
    return words(record_of(endpoints.endpoint(name.removeprefix(MODEL)), {}))


def _not_of_the_learner(seats: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Say of which protocols' marks the learner is not the one who is marked."""
    for name, players in seats.items():
        protocol = protocol_named(name)
        if PERSON in players.values() and players.get(protocol.under_test) != PERSON:
            yield f"in the {protocol.one} it is the {protocol.under_test} who is marked, not you"


def _marks(marks: Iterable[str], endpoints: Endpoints) -> Iterator[str]:
    for mark in marks:
        if mark == "rules":
            yield "a built-in examiner, which reads words and not meaning"
        elif mark == "person":
            yield "your teacher, with a marking sheet"
        else:
            yield f"the language model {_model(mark, endpoints)}"
