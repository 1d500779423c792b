"""The view of a candidate, and the question as it is asked: options in the order shown, pictures numbered.

Pictures are attached and cannot be named there, so they are numbered by their place among those attached:
what the source calls `<image 3>` is "picture 1" if the shown text names it first.
"""

from __future__ import annotations

from typing import Any

from osler.protocols.vqa.item import IMAGE
from osler.protocols.vqa.order import Asking, letters_of
from osler.protocols.vqa.question import Question
from osler.protocols.vqa.seats import CandidateView


def view_of(case: Question, asking: Asking) -> CandidateView:
    """The view: the pictures in the order in which the shown text names them, or none if it is blind."""
    if asking.blind:
        return CandidateView(withheld=len(case.pictures))
    return CandidateView(pictures=tuple(case.pictures[number - 1] for number in _places(case, asking)))


def question_of(case: Question, asking: Asking) -> dict[str, Any]:
    """The fields of a `QuestionAsked`."""
    place = _places(case, asking)

    def numbered(text: str) -> str:
        return IMAGE.sub(lambda match: f"[picture {place[int(match[1])]}]", text)

    options = (numbered(case.options[at]) for at in asking.order)
    return {
        "question": numbered(case.question),
        "options": dict(zip(letters_of(case), options, strict=True)),
        **asking._asdict(),
    }


def _places(case: Question, asking: Asking) -> dict[int, int]:
    """The place of each picture among those attached, from 1, by its number, in order: as the shown text
    names them, then those it does not name."""
    text = "\n".join((case.question, *(case.options[at] for at in asking.order)))
    in_text = map(int, IMAGE.findall(text))
    numbers = dict.fromkeys((*in_text, *range(1, len(case.pictures) + 1)))
    return {number: at for at, number in enumerate(numbers, 1)}
