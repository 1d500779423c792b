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


class Marked(NamedTuple):
    """An answer as it was read: the place of the right option as shown, from 0, and that of the option given,
    `None` with the reason `why`; `option` is the given option's index in the file."""

    rotation: int
    blind: bool
    right: int
    given: int | None
    option: int | None
    how: str
    why: str

    @property
    def is_right(self) -> bool:
        """Whether it is the right option."""
        return self.given == self.right


def judged(episode: Episode, trace: Trace) -> Verdict:
    """Judge the answers to one question."""
    case = episode.case
    asked, answered = trace.of(QuestionAsked), trace.of(QuestionAnswered)
    marks = [_marked(one, answer, case.right) for one, answer in zip(asked, answered, strict=False)]
    version = version_of(reading.VERSION)
    return verdict(
        GRADER,
        version,
        _scores(marks, 1 / len(case.options), [answer.text[-_KEPT:] for answer in answered]),
        subjects=case.subjects,
        answers=[one._asdict() for one in marks],
    )


def marks_in(body: Mapping[str, Any]) -> list[Marked]:
    """The answers in a stored judgement."""
    return [Marked(**one) for one in body.get("answers", ())]


def _marked(asked: QuestionAsked, answered: QuestionAnswered, right: int) -> Marked:
    if answered.why:
        found = reading.Reading(None, why=answered.why)
    else:
        found = reading.read(answered.text, list(asked.options.values()), "".join(asked.options))
    given = found.place
    option = None if given is None else asked.order[given]
    place = asked.order.index(right)
    return Marked(asked.rotation, asked.blind, place, given, option, found.how, found.why)


def _scores(marks: list[Marked], chance: float, evidence: list[str]) -> dict[str, Any]:
    seeing, blind = ([one for one in marks if one.blind is arm] for arm in (False, True))
    if not seeing:
        return {"accuracy": {"value": None, "reason": "nothing was asked", "evidence": []}}
    right = [float(one.is_right) for one in seeing]
    unread = [one.why for one in seeing if one.given is None]
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
