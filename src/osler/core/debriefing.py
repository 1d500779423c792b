"""The feedback to a person who has played a case, as records: sections of entries that name their items, with
the person's own words and the exchange they were said in.

Words come second. What a section is to the person stands in its `kind`, and whether an item can be contested
in `contestable`, so a heading can be reworded without changing a mark. Whether a reader is "you" or hears of
"the doctor" is chosen where a record is shown: texts that address the person are a `Phrase`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Generic, Literal, NamedTuple, TypeVar

from pydantic import JsonValue

from osler.core.events import Seat
from osler.core.judge import Verdict
from osler.core.trace import Trace

C = TypeVar("C")
Kind = Literal["score", "good", "missed", "unsafe", "talk", "lesson", "other"]


class Person(NamedTuple):
    """The words for the person who played ("you", "your"), which fill the places in a `Phrase`."""

    you: str = "you"
    your: str = "your"
    You: str = "You"
    Your: str = "Your"


YOU = Person()


def third(seat: Seat) -> Person:
    """The forms for a reader who did not play: "the doctor", "the doctor's"."""
    return Person(f"the {seat}", f"the {seat}'s", f"The {seat}", f"The {seat}'s")


class Phrase(NamedTuple):
    """Words with places in braces: `{you}`, `{your}`, `{You}` and `{Your}` for the person, `{}` for `values`
    in order, which are never read for places.

    >>> Phrase("{You} found out that {}", ("{it} hurts",)).to(third("doctor"))
    'The doctor found out that {it} hurts'
    """

    words: str
    values: tuple[str, ...] = ()

    def to(self, person: Person) -> str:
        """Return the words with the person's forms and the values in their places."""
        return self.words.format(*self.values, **person._asdict())


Words = str | Phrase
"""A text; a plain one addresses nobody."""


class Quote(NamedTuple):
    """The person's own words, and the turn they were said in: 0 for the conclusion, `None` if it is not
    known."""

    text: str
    turn: int | None = None


class Entry(NamedTuple):
    """One entry of a debriefing.

    `mark` is the verdict in a word or two, `note` a remark on it, `details` are further lines. `item` is the
    id of the item it is about ("" if none), which can be contested if `contestable`. It is about the exchange
    number `exchange` (0 if none); `keep` exchanges are kept to try again there (`None` if it cannot be).
    """

    text: Words = ""
    quotes: tuple[Quote, ...] = ()
    note: Words = ""
    mark: Words = ""
    details: tuple[Words, ...] = ()
    item: str = ""
    contestable: bool = False
    exchange: int = 0
    keep: int | None = None


class Section(NamedTuple):
    """The entries under one heading. `name` is the same in every episode; `kind` says what the entries are to
    the person."""

    name: str
    kind: Kind
    heading: Words
    entries: tuple[Entry, ...]


class Retry(NamedTuple):
    """The point to try again from first: the item that was due there, and the number of exchanges to keep."""

    item: str
    keep: int


class Debriefing(NamedTuple):
    """The feedback on one episode.

    about, reader   the seat whose play it is about, and the seat of the reader
    sentence        sums it up
    examiner        who marked, and what the marks may be used for
    grader          the grader of the judgement it is made from
    moments         entries to look back on, in order
    next_time       advice
    sections        everything else, item by item
    retry           where to try again first
    brief           whether sentence, moments and advice are shown first, and the sections on request
    scores          by name, `None` where there is none
    accepted        those that a teacher's answers change, with what was accepted
    more            what a command adds to its JSON
    """

    about: Seat
    reader: Seat
    sentence: Words
    examiner: Words
    grader: str
    moments: tuple[Entry, ...] = ()
    next_time: tuple[Words, ...] = ()
    sections: tuple[Section, ...] = ()
    retry: Retry | None = None
    brief: bool = False
    scores: Mapping[str, float | None] = MappingProxyType({})
    accepted: Mapping[str, float | None] = MappingProxyType({})
    more: Mapping[str, JsonValue] = MappingProxyType({})

    @property
    def person(self) -> Person:
        """The words for the person who played: "you" if that is the reader, else the third person."""
        return YOU if self.reader == self.about else third(self.about)

    @property
    def contestable(self) -> frozenset[str]:
        """The ids of the items that the reader can contest."""
        return frozenset(one.item for part in self.sections for one in part.entries if one.contestable)


class Ended(NamedTuple, Generic[C]):
    """An ended episode to debrief from: its case and trace, its stored judgements, the ids of the contested
    items that a teacher accepted, and the seat of the reader."""

    case: C
    trace: Trace
    judgements: tuple[Verdict, ...]
    accepted: frozenset[str]
    reader: Seat

    def by(self, grader: str) -> str | None:
        """Return the body of the first judgement by a grader, `None` without one."""
        return next((one.body for one in self.judgements if one.grader == grader), None)


def missed_lines(missed: Sequence[str]) -> tuple[str, ...]:
    """The details of a score: the items that keep it from its full value, on a line; none if there are none.

    >>> missed_lines(["aspirin", "a chaperone"])
    ('missed: aspirin; a chaperone',)
    """
    return (f"missed: {'; '.join(one.rstrip('.') for one in missed)}",) if missed else ()


def sections(
    headings: Mapping[str, tuple[Kind, str]], entries: Mapping[str, Sequence[Entry]]
) -> tuple[Section, ...]:
    """The sections that have entries, in the order of `headings`, which holds the kind and the words of each
    by its name."""
    return tuple(
        Section(name, kind, Phrase(words), tuple(entries[name]))
        for name, (kind, words) in headings.items()
        if entries.get(name)
    )
