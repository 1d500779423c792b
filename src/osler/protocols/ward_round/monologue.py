"""The text format of the tutor's turn: a private thought in tags, then one guiding statement.

    <think_history>...</think_history>
    <think_question>...</think_question>
    <think_student student_id="Ann">...</think_student>     one for each student, in the order of the view
    <think_group>...</think_group>
    <think_image>...</think_image>                          if, and only if, the case has images

    The guiding statement, one paragraph without tags.

Blocks are separated by optional white space. A breach gives its position, what was expected and what was
found. The table, players and training all use this one parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

_TAG: Final = re.compile(r"</?\s*think\w*[^<>\n]{0,200}>?", re.IGNORECASE)
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n")
_SHOWN: Final = 60


class Thought(NamedTuple):
    """A private thought. `students` are (name, words) in the order of the view; `image` is `None` without
    images."""

    history: str
    question: str
    students: tuple[tuple[str, str], ...]
    group: str
    image: str | None = None


class Turn(NamedTuple):
    """A whole turn of the tutor."""

    thought: Thought
    guidance: str


class Breach(ValueError):
    """Raised when the text breaks the contract: `position` is a 0-based character index."""

    def __init__(self, position: int, expected: str, found: str) -> None:
        self.position, self.expected, self.found = position, expected, found
        super().__init__(f"at character {position}: expected {expected}, found {found}")


def parse(text: str, students: Sequence[str], *, has_images: bool) -> Turn:
    """Parse a turn. Raises `Breach`."""
    thought, end = _thought(text, students, has_images)
    return Turn(thought, _statement(text, end))


def parse_thought(text: str, students: Sequence[str], *, has_images: bool) -> Thought:
    """Parse a monologue, with nothing after it. Raises `Breach`."""
    thought, end = _thought(text, students, has_images)
    rest = _skip(text, end)
    if rest < len(text):
        raise Breach(rest, "the end of the monologue", _excerpt(text, rest))
    return thought


def parse_statement(text: str) -> str:
    """Parse a guiding statement: one paragraph without tags. Raises `Breach`."""
    return _statement(text, 0)


def render(turn: Turn) -> str:
    """Render the canonical text of a turn, the inverse of `parse`."""
    return f"{render_thought(turn.thought)}\n\n{turn.guidance}"


def render_thought(thought: Thought) -> str:
    """Render the canonical text of a monologue."""
    words = (
        thought.history,
        thought.question,
        *(said for _, said in thought.students),
        thought.group,
        *(() if thought.image is None else (thought.image,)),
    )
    tags = _tags([name for name, _ in thought.students], thought.image is not None)
    return "\n".join(
        f"{opening}{said}{closing}" for (opening, closing), said in zip(tags, words, strict=True)
    )


def inert(text: str) -> str:
    """Escape others' words for quoting in a thought or a statement: on one line, without tags."""
    return " ".join(text.replace("<", "‹").replace(">", "›").split())


def _tags(students: Iterable[str], has_images: bool) -> Iterator[tuple[str, str]]:
    """The opening and closing tags in their order."""
    yield "<think_history>", "</think_history>"
    yield "<think_question>", "</think_question>"
    for name in students:
        yield f'<think_student student_id="{name}">', "</think_student>"
    yield "<think_group>", "</think_group>"
    if has_images:
        yield "<think_image>", "</think_image>"


def _thought(text: str, students: Sequence[str], has_images: bool) -> tuple[Thought, int]:
    """Parse the thought at the beginning of a text; return it and the index of its end."""
    said: list[str] = []
    at = 0
    for opening, closing in _tags(students, has_images):
        words, at = _block(text, at, opening, closing)
        said.append(words)
    history, question, *rest = said
    image = rest.pop() if has_images else None
    group = rest.pop()
    return Thought(history, question, tuple(zip(students, rest, strict=True)), group, image), at


def _block(text: str, at: int, opening: str, closing: str) -> tuple[str, int]:
    """Parse one block; return the words between its tags and the index of the closing tag's end."""
    start = _skip(text, at)
    if not text.startswith(opening, start):
        raise Breach(start, opening, _excerpt(text, start))
    begin = start + len(opening)
    tag = _TAG.search(text, begin)
    end = tag.start() if tag else len(text)
    if not text.startswith(closing, end):
        raise Breach(end, closing, _excerpt(text, end))
    words = text[begin:end]
    if not words.strip():
        raise Breach(begin, f"words after {opening}", "nothing")
    return words, end + len(closing)


def _statement(text: str, at: int) -> str:
    start = _skip(text, at)
    words = text[start:].rstrip()
    if not words:
        raise Breach(start, "a guiding statement", "the end")
    if tag := _TAG.search(words):
        raise Breach(start + tag.start(), "a guiding statement without tags", repr(tag[0]))
    if second := _BLANK_LINE.search(words):
        where = _skip(text, start + second.end())
        raise Breach(where, "one guiding statement", f"a second paragraph, {_excerpt(text, where)}")
    return words


def _skip(text: str, at: int) -> int:
    """The index of the first character from `at` on that is not white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _excerpt(text: str, at: int) -> str:
    if at >= len(text):
        return "the end"
    return repr(text[at : at + _SHOWN]) + ("..." if len(text) > at + _SHOWN else "")
