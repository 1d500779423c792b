"""The measures of questions, and the subjects by which accuracy is parted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from osler.core.measure import NOTHING, Grouping, Measure, Missed, Reading, Scored, Value, score, share_of
from osler.protocols.vqa.judge import Mark, marks_in

SUBJECTS: Final = ("medical_task", "body_system", "question_type", "subject", "subfield")
"""The kinds of subject that the published sets name."""


def _where_asked(name: str) -> Reading:
    """A reader of a score that only some questions have: those asked in several orders, or blind."""
    read = score(name)

    def reading(episode: Scored) -> Value:
        absent = episode.body is not None and name not in episode.body.get("scores", {})
        return NOTHING if absent else read(episode)

    return reading


def _wrong(*, of: Callable[[Mark], bool]) -> Missed:
    """A reader of the askings that count against a measure: what was chosen, and the right option."""

    def read(episode: Scored) -> Iterator[str]:
        options = episode.case().options
        for one in marks_in(episode.body or {}):
            if of(one):
                chosen = one.why or f"chose {options[one.option or 0]!r}"
                how = "blind, " if one.blind else ""
                yield f"{how}order {one.rotation + 1}: {chosen}, not {options[episode.case().right]!r}"

    return read


def _subject(kind: str) -> Grouping:
    def of(episode: Scored) -> str:
        return str((episode.body or {}).get("subjects", {}).get(kind, "")).replace("_", " ")

    return Grouping(kind, of, score("chance"))


MEASURES: Final[tuple[Measure, ...]] = (
    share_of(
        "accuracy",
        "right answers",
        "share of the answers that name the right option; unanswered counts as wrong",
        missed=_wrong(of=lambda one: not one.blind and not one.is_right),
    ),
    share_of(
        "unanswered",
        "unanswered",
        "share of the answers in which no option could be read",
        "less",
        missed=_wrong(of=lambda one: not one.blind and one.place is None),
    ),
    share_of("chance", "by chance", "share that a guess would have right", "neither", estimated="mean"),
    share_of(
        "seeing",
        "with pictures",
        "share right in the first order, of the questions that were also asked blind",
        of=_where_asked("seeing"),
        missed=_wrong(of=lambda one: not one.blind and not one.rotation and not one.is_right),
    ),
    share_of(
        "blind",
        "the same, blind",
        "share of these right without their pictures",
        "neither",
        of=_where_asked("blind"),
    ),
    share_of(
        "same",
        "same option in every order",
        "share of the questions asked in several orders that were answered with one option in all",
        of=_where_asked("same"),
        missed=_wrong(of=lambda one: not one.blind and not one.is_right),
    ),
    share_of(
        "right_in_every_order",
        "right in every order",
        "share of the questions asked in several orders that were right in all",
        of=_where_asked("right_in_every_order"),
        missed=_wrong(of=lambda one: not one.blind and not one.is_right),
    ),
)
GROUPS: Final = tuple(map(_subject, SUBJECTS))
