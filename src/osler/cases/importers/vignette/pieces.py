"""Partitioning a prose vignette: every piece of it has one holder, and code proves that none is lost.

A `Vignette` is a record as an importer read it. Its prose is split into units, each unit is given a role (by
`roles`, or by a model in `osler.authoring.converting`), and units of one sentence with one role are joined
into pieces. `partition_fault` checks the pieces against the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from osler.cases.importers.json_paths import Leaf, leaves_of, words_of
from osler.cases.importers.leaks import plain
from osler.cases.importers.vignette.clauses import Unit, cut
from osler.cases.importers.vignette.orderable import (
    ResultName,
    examination_named,
    heading_of,
    result_named,
    under_heading,
)
from osler.cases.importers.vignette.question import Question
from osler.cases.importers.vignette.roles import Role, roles_of
from osler.cases.model import TeachingPlan
from osler.core.pictures import ImageFile
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic

MAX_UNITS: Final = 2000
MAX_CHARACTERS: Final = 100_000
_BLANKS: Final = re.compile(r"\s+")
_SHORTEST_ANSWER: Final = 4
# A clause that names its own test, or gives a number.
_RESULT: Final = re.compile(
    r"\d|\b(?:shows?|showed|reveals?|revealed|is|are|was|were|positive|negative)\b", re.I
)
_NOBODYS: Final[frozenset[Role]] = frozenset(("management", "question", "withheld"))
_NAMELESS: Final = re.compile(r"[\W_]*")


class Spoken(NamedTuple):
    """A statement that a source gives in the patient's own words."""

    text: str
    topic: Topic
    path: str


class Image(NamedTuple):
    """An image of the source, under its neutral `label` and what it can be ordered by; it is never fetched.

    `picture` is `None` where the file is not at hand and the case is imported without it.
    """

    label: str
    name: str
    path: str
    picture: ImageFile | None


@dataclass(frozen=True)
class Vignette:
    """A record: `prose` is to be split, `leaves` are all it holds, `about` may add age and sex.

    `words` are the patient's first words where the source has them, else empty. `whole` is the prose as it
    stands, if it is to be written out again.
    """

    record: int
    prose: tuple[Leaf, ...]
    leaves: tuple[Leaf, ...]
    asked: Question
    about: str = ""
    words: str = ""
    words_source: str = ""
    spoken: tuple[Spoken, ...] = ()
    images: tuple[Image, ...] = ()
    title: str | None = None
    specialty: str | None = None
    persona_tags: tuple[str, ...] = ()
    teaching: TeachingPlan | None = None
    whole: str = ""
    remarks: tuple[str, ...] = field(default=())


class UnitRole(NamedTuple):
    """The role a unit is given. `topic` is `None` where its words are to decide."""

    role: Role
    topic: Topic | None = None


class Piece(NamedTuple):
    """A slice of the prose with its one holder. `named` is set where it can be ordered."""

    path: str
    text: str
    given: UnitRole
    named: ResultName | None = None


def prose_of(value: object, path: str) -> tuple[Leaf, ...]:
    """The non-empty leaves of a prose part, as text. Raises BadCase for more text than any case has."""
    leaves = tuple(
        Leaf(leaf.path, leaf.value if isinstance(leaf.value, str) else words_of(leaf.value))
        for leaf in leaves_of(value, path)
        if words_of(leaf.value)
    )
    if sum(len(str(leaf.value)) for leaf in leaves) > MAX_CHARACTERS:
        raise BadCase(f"its text is longer than {MAX_CHARACTERS} characters")
    return leaves


def units_of(vignette: Vignette) -> tuple[tuple[Leaf, tuple[Unit, ...]], ...]:
    """The units of each leaf of the prose. Raises BadCase for more units than any case has."""
    pairs = tuple((leaf, cut(str(leaf.value))) for leaf in vignette.prose)
    if sum(len(units) for _, units in pairs) > MAX_UNITS:
        raise BadCase(f"its text has more than {MAX_UNITS} sentences and clauses")
    return pairs


def numbered(vignette: Vignette) -> tuple[Unit, ...]:
    """All units in order, their sentences numbered through the whole prose."""
    result: list[Unit] = []
    for _, units in units_of(vignette):
        offset = result[-1].sentence + 1 if result else 0
        result += [unit._replace(sentence=offset + unit.sentence) for unit in units]
    return tuple(result)


def by_rules(vignette: Vignette) -> tuple[UnitRole, ...]:
    """The role of each unit, assigned by rules."""
    return tuple(UnitRole(role) for role in roles_of(numbered(vignette)))


def pieces_of(vignette: Vignette, given: Sequence[UnitRole]) -> tuple[Piece, ...]:
    """The pieces of the prose, in order. Raises BadCase unless they cover the whole prose exactly once."""
    roles = iter(given)
    pieces: list[Piece] = []
    for leaf, units in units_of(vignette):
        pairs = [(unit, next(roles)) for unit in units]
        joined = [_piece(given, group) for (_, given, _), group in _grouped(pairs)]
        several = len(joined) > 1
        pieces += [
            piece._replace(path=f"{leaf.path}[{n}]" if several else leaf.path)
            for n, piece in enumerate(joined)
        ]
    kept = tuple(_withheld_where_told(_under_headings(pieces), vignette.asked))
    if fault := partition_fault(vignette.prose, kept):
        raise BadCase(fault)
    return kept


def _piece(role: UnitRole, group: list[tuple[Unit, UnitRole]]) -> Piece:
    text = "".join(unit.text for unit, _ in group)
    named = None
    if role.role == "examination":
        named = examination_named(text)
    elif role.role == "test":
        named = result_named(text, row=group[0][0].row)
    return Piece("", text, role, named)


def _grouped(
    told: list[tuple[Unit, UnitRole]],
) -> Iterable[tuple[tuple[int, UnitRole, str], list[tuple[Unit, UnitRole]]]]:
    """Group units: those of one sentence with one role and, where they are tests, one name."""
    current = ""

    def key(item: tuple[Unit, UnitRole]) -> tuple[int, UnitRole, str]:
        nonlocal current
        unit, role = item
        if role.role != "test":
            current = ""
        elif unit.row or not current or _RESULT.search(unit.text):
            current = result_named(unit.text, row=unit.row).name
        return unit.sentence, role, current

    return ((same, list(group)) for same, group in groupby(_with_neighbours(told), key))


def _under_headings(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Name rows of a table after the specimen above them: glucose of a fluid is not blood glucose."""
    heading: ResultName | None = None
    for piece in pieces:
        if piece.named is None or piece.given.role != "test":
            heading = None
            yield piece
        elif "|" in piece.text:
            name, heading = under_heading(piece.named, piece.text, heading)
            yield piece._replace(named=name)
        else:
            heading = heading_of(piece.text)
            yield piece


def _with_neighbours(told: list[tuple[Unit, UnitRole]]) -> list[tuple[Unit, UnitRole]]:
    """Join units without a letter or digit (a rule of a table, a blank) to the unit before them."""
    pairs: list[tuple[Unit, UnitRole]] = []
    for unit, role in told:
        if pairs and _NAMELESS.fullmatch(unit.text):
            last, its = pairs[-1]
            pairs[-1] = last._replace(text=last.text + unit.text), its
        else:
            pairs.append((unit, role))
    return pairs


def _withheld_where_told(found: Iterable[Piece], question: Question) -> Iterable[Piece]:
    """Withhold pieces that name the diagnosis asked for, but never the whole opening."""
    pieces = list(found)
    openings = [piece for piece in pieces if piece.given.role == "opening"]
    spared = openings and all(names(question, piece.text) for piece in openings)
    for piece in pieces:
        opens = piece.given.role == "opening"
        shown = piece.given.role not in _NOBODYS and not (opens and spared)
        if shown and question.for_diagnosis and names(question, piece.text):
            yield piece._replace(given=UnitRole("withheld"), named=None)
        else:
            yield piece


def names(question: Question, text: str) -> bool:
    """Whether a text names the right answer, compared in plain words."""
    answer = plain(question.words)
    return len(answer) >= _SHORTEST_ANSWER and f" {answer} " in f" {plain(text)} "


def partition_fault(prose: Sequence[Leaf], pieces: Sequence[Piece]) -> str:
    """The first fault in the pieces as a partition of the prose, ignoring whitespace; empty if there is none.

    They must cover all of it, in order, nothing twice, and no two under one path.
    """
    if len({piece.path for piece in pieces}) != len(pieces):
        return "two pieces of its text have the same place"
    for leaf in prose:
        own = [
            piece.text
            for piece in pieces
            if piece.path == leaf.path or piece.path.startswith(f"{leaf.path}[")
        ]
        if _bare("".join(own)) != _bare(str(leaf.value)):
            return f"the pieces of {leaf.path} are not the whole of it, each part once"
    return ""


def _bare(text: str) -> str:
    return _BLANKS.sub("", text)
