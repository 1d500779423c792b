"""The rounds of a group: which case it meets with which tutor, and what has been begun. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from osler.core.role import PERSON
from osler.stats.latin_square import latin_square
from osler.store.practice import PersonSitting
from osler.web.practise.encounter import GROUP
from osler.web.teach.disclosure import TUTOR
from osler.web.teach.room import KeptCase, Opened

ROUND: Final = "round"
"""The key under which a sitting keeps which of its group's rounds it is, from 1."""


class Round(NamedTuple):
    """A round planned for a group: its case, and the player of the tutor's seat ("" for the plan's own)."""

    case: KeptCase
    tutor: str = ""


def rounds_of(room: Opened, group: int) -> list[Round]:
    """The rounds of a group, in order: every case of the room; or, where tutors are compared, each of them
    once in the order of the group's row of the square, with cases that move on after each whole square."""
    plan, cases = room.plan.group, room.kept.cases
    if plan is None or not plan.tutors:
        return [Round(case) for case in cases]
    square = latin_square(len(plan.tutors), room.row.id)
    times, row = divmod(group - 1, len(square))
    return [
        Round(cases[(at + times) % len(cases)], plan.tutors[tutor]) for at, tutor in enumerate(square[row])
    ]


def latest(sittings: Sequence[PersonSitting], group: int) -> list[PersonSitting]:
    """The sittings of the latest round that a group has begun, of those who still sit in it."""
    own = [one for one in sittings if one.more.get(GROUP) == group]
    number = max((round_of(one.more) for one in own), default=0)
    there = [one for one in own if round_of(one.more) == number]
    run = max((one.run for one in there), default=0)  # an encounter that moved has left others behind
    return [one for one in there if one.run == run]


def round_of(more: Mapping[str, Any]) -> int:
    """Return the number of a sitting's round in its group, from 1."""
    return int(more.get(ROUND, 0))


def people_in(room: Opened, one: Round, taken: Mapping[str, str]) -> dict[str, str]:
    """The people who sit down in a round, of those who have `taken` seats: a tutor only where a person is
    to be it."""
    return {seat: member for seat, member in taken.items() if seat != TUTOR or one.tutor in ("", PERSON)}
