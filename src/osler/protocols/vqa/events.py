"""The events of a question: it is asked, and answered; and their wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from osler.core.events import Event
from osler.core.wording import Wording, Words, noted, said


class QuestionAsked(Event):
    """A question is put to the candidate with its options by letter, as they are shown. `order` are the
    options' indices in the file; `blind`: without the pictures that belong to it."""

    kind: Literal["question"] = "question"
    question: str
    options: dict[str, str]
    order: tuple[int, ...]
    rotation: int = 0
    blind: bool = False


class QuestionAnswered(Event):
    """The candidate's answer; without one, `why` is the cause."""

    kind: Literal["answer"] = "answer"
    text: str = ""
    why: str = ""


def _asked(event: QuestionAsked) -> Iterator[Wording]:
    yield Wording("", "question, its pictures withheld" if event.blind else "question", event.question)
    for letter, text in event.options.items():
        yield Wording("", letter, text)


VQA_WORDS: Final[Words] = {
    QuestionAsked: _asked,
    QuestionAnswered: lambda event: (
        noted("unanswered", event.why) if event.why else said("candidate", event.text)
    ),
}
