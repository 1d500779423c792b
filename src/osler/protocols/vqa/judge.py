"""The judge: it reads the option that each answer names, and compares it with the right one.

Unanswered counts as wrong, and is counted apart. The figures of a question with several orders are shares of
its askings; those without its pictures use the first order alone, so that each question is one pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from osler.core.episode import Episode
from osler.core.judge import Verdict, verdict, version_of
from osler.core.trace import Trace
from osler.protocols.vqa import reading
from osler.protocols.vqa.events import QuestionAnswered, QuestionAsked

GRADER: Final = "vqa"
_KEPT: Final = 400
"""Characters of an answer that are kept as evidence: its end, where the option stands."""


class Mark(NamedTuple):
    """An answer as it was read: the places, from 0, of the right option as shown and of the one that it names
    (`place`), which is `None` with the reason `why`; `option` is its index in the file."""

    rotation: int
    blind: bool
    right_place: int
    place: int | None
    option: int | None
    how: str
    why: str

    @property
    def is_right(self) -> bool:
        """Whether it is the right option."""
        return self.place == self.right_place


def judged(episode: Episode, trace: Trace) -> Verdict:
    """Judge the answers to one question."""
    case = episode.case
    questions, answers = trace.of(QuestionAsked), trace.of(QuestionAnswered)
    marks = [_mark(one, answer, case.right) for one, answer in zip(questions, answers, strict=False)]
    version = version_of(reading.VERSION)
    return verdict(
        GRADER,
        version,
        _scores(marks, 1 / len(case.options), [answer.text[-_KEPT:] for answer in answers]),
        subjects=case.subjects,
        answers=[one._asdict() for one in marks],
    )


def marks_in(body: Mapping[str, Any]) -> list[Mark]:
    """The answers in a stored judgement."""
    return [Mark(**one) for one in body.get("answers", ())]


def _mark(question: QuestionAsked, answer: QuestionAnswered, right: int) -> Mark:
    if answer.why:
        place, how, why = None, "", answer.why
    else:
        texts, letters = list(question.options.values()), "".join(question.options)
        place, how, why = reading.read(answer.text, texts, letters)
    option = None if place is None else question.order[place]
    right_place = question.order.index(right)
    return Mark(question.rotation, question.blind, right_place, place, option, how, why)


def _scores(marks: list[Mark], chance: float, evidence: list[str]) -> dict[str, Any]:
    seeing, blind = ([one for one in marks if one.blind is arm] for arm in (False, True))
    if not seeing:
        return {"accuracy": {"value": None, "reason": "nothing was asked", "evidence": []}}
    right = [float(one.is_right) for one in seeing]
    unread = [one.why for one in seeing if one.place is None]
    values = {
        "accuracy": sum(right) / len(right),
        "unanswered": len(unread) / len(right),
        "chance": chance,
    }
    if len(seeing) > 1:
        options = {one.option for one in seeing}
        values |= {
            "same": float(len(options) == 1 and None not in options),
            "right_in_every_order": min(right),
        }
    if blind:
        values |= {"seeing": right[0], "blind": float(blind[0].is_right)}
    return {
        name: {"value": value, "reason": ", ".join(dict.fromkeys(unread)), "evidence": evidence}
        if name == "accuracy"
        else {"value": value, "reason": "", "evidence": []}
        for name, value in values.items()
    }
