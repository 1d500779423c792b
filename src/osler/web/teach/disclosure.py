"""The disclosure, read before the first word: who plays, who marks, which hosts get the words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from osler.core.permitted import CONSENT, MEANING, Use
from osler.core.registry import protocol_named
from osler.core.role import NOBODY, PERSON
from osler.models.config import Config as Endpoints
from osler.runs.endpoints import record_of, words
from osler.web.practise.schemas import Disclosure
from osler.web.teach.schemas import RoomPlan, Sees

MODEL: Final = "model:"
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
    for protocol, players in seats.items():
        many = len(seats) > 1
        for seat, player in players.items():
            if player == NOBODY or (player == PERSON and plan.group is None):
                continue
            name = f"{seat} ({protocol_named(protocol).one})" if many else seat
            plays[name] = _player(player, endpoints)
    named = [player for players in seats.values() for player in players.values()]
    if plan.group and plan.group.tutors:
        plays["tutor"] = blinded(plan.group.tutors, endpoints)
        named += plan.group.tutors
    return Disclosure(
        plays=plays,
        marks="; ".join([*_marks(plan.marks, endpoints), *_not_of_the_learner(seats)]),
        hosts=hosts([*named, *plan.marks], endpoints),
        uses=plan.asks,
        consent=plan.consent or CONSENT,
    )


def blinded(tutors: Iterable[str], endpoints: Endpoints) -> str:
    """The tutors that are compared, one of whom has the seat in each round, in words."""
    words = dict.fromkeys(_player(name, endpoints) for name in sorted(tutors))
    return f"one of those who are compared, and you are not told which: {'; '.join(words)}"


def hosts(names: Iterable[str], endpoints: Endpoints) -> list[str]:
    """The hosts of the models among some players' names, each once."""
    models = (name.partition("+")[0] for name in names if name.startswith(MODEL))
    found = (endpoints.endpoint(name.removeprefix(MODEL)).host for name in models)
    return list(dict.fromkeys(found))


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


def _player(name: str, endpoints: Endpoints) -> str:
    inside = name.partition("+")[0]
    if inside == PERSON:
        return "a person of this room, or a built-in player where nobody sits"
    if not inside.startswith(MODEL):
        return _BUILT_IN
    return f"the language model {_model(inside, endpoints)}"


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
