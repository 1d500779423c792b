"""A row of a published set of questions as it is read: its texts, its options, and its pictures by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final, NamedTuple

from osler.text.tokens import lowered

LETTERS: Final = ascii_uppercase
"""The letters of options, in order; an item has at most so many."""
MOST_PICTURES: Final = 20
IMAGE: Final = re.compile(r"<\s*image\s*[_ ]?\s*(\d{1,3})\s*>", re.IGNORECASE)
"""The place of a picture in a text, with its number from 1."""


class BadRow(ValueError):
    """A row that is no sound question; the message says why."""


class Pictured(NamedTuple):
    """A picture of an item: the number by which texts name it, from 1, and its file or its bytes."""

    number: int
    name: str
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class VqaItem:
    """A question with one right option. `row` is its number in the file, from 1; `right` is the index of the
    right option as the file orders them; `subjects` are (kind, name), such as ("body_system", "Skeletal")."""

    row: int
    id: str
    question: str
    options: tuple[str, ...]
    right: int
    pictures: tuple[Pictured, ...] = ()
    subjects: tuple[tuple[str, str], ...] = ()


class LeftOut(NamedTuple):
    """A sound row that is not asked, and why: an open question, another subject."""

    row: int
    why: str


def plain(text: str) -> str:
    """A text as options and replies are compared by: letter case, spaces, quotes around it and stops at its
    end do not count."""
    return " ".join(lowered(text).split()).strip(" \"'").rstrip(" .,;:!\"'")


def check_options(count: int) -> None:
    """Raise BadRow for too few options or too many."""
    if not 2 <= count <= len(LETTERS):
        raise BadRow(f"it has {count} option{'' if count == 1 else 's'}, not 2 to {len(LETTERS)}")


def check_sense(question: str, options: Sequence[str], right: int, pictures: Collection[int]) -> None:
    """Raise BadRow, saying why, for a question without sense; `pictures` are the numbers of those it has."""
    if not question.strip():
        raise BadRow("the question is empty")
    check_options(len(options))
    for letter, option in zip(LETTERS, options, strict=False):
        if not option.strip():
            raise BadRow(f"option {letter} is empty")
    if not 0 <= right < len(options):
        raise BadRow(f"its answer is none of its {len(options)} options")
    answer = options[right].strip()
    twins = [at for at, one in enumerate(options) if one.strip() == answer and at != right]
    if twins:
        raise BadRow(f"options {LETTERS[right]} and {LETTERS[twins[0]]} are the same, and one is right")
    if len(pictures) > MOST_PICTURES:
        raise BadRow(f"it has {len(pictures)} pictures, more than {MOST_PICTURES}")
    for number in map(int, IMAGE.findall("\n".join((question, *options)))):
        if number not in pictures:
            raise BadRow(f"its text names <image {number}>, which it does not have")
