"""Rows for rating by rubric items, and one rater's ratings of an episode as a rubric's judgement."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from osler.cases.rubrics.model import Rubric
from osler.judging.lines import Quote
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import QUOTE
from osler.studies.rating.ratings import NOT_RATED, Rating
from osler.studies.rating.sheet import SheetRow
from osler.text.hostile import inert

LONGEST_COMMENT: Final = 600
_PLACE: Final = re.compile(r"(?:lines? |l)?(\d{1,4})\.?", re.IGNORECASE)


def item_rows(rubric: Rubric, whole: SheetRow) -> dict[str, SheetRow]:
    """Return a row for each item of a rubric, by the item's id, in order; the first row has the transcript,
    its lines numbered."""
    lines = whole.transcript.split("\n")
    numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    first = whole._replace(transcript=numbered)
    return {
        item.id: (SheetRow("", "", "") if place else first)._replace(item=inert(item.text))
        for place, item in enumerate(rubric.items)
    }


def line_named(quote: str, transcript: str) -> str | None:
    """Return what a rater quoted: the line of that number, or the words as they are. `None` if the
    transcript has no such line."""
    match = _PLACE.fullmatch(quote)
    if match is None:
        return quote
    lines = transcript.split("\n")
    at = int(match[1])
    return lines[at - 1] if 1 <= at <= len(lines) else None


def judgement_of(
    rubric: Rubric, grader: str, version: str, ratings: Mapping[str, Rating], asked: str
) -> RubricJudgement:
    """Return one rater's ratings of an episode, by item id, as a judgement by the episode's rubric. `asked`
    is the scale's only item; what was not rated, or could not be said, is unscored with that reason."""
    verdicts = [_verdict(item.id, ratings.get(item.id), asked) for item in rubric.items]
    return RubricJudgement(grader, version, rubric, tuple(verdicts))


def verdicts_in(
    body: Mapping[str, Any], digests: Collection[str]
) -> Sequence[tuple[str, str, str, bool | None]]:
    """Return (id, competency, text, whether it holds) of each item in a stored judgement; none if it is not
    by a rubric with one of these digests. What no rule can tell is left open; what a rule did not see is not
    met."""
    by = body.get("rubric")
    if not isinstance(by, Mapping) or by.get("digest") not in digests:
        return ()
    return [
        (
            str(one["id"]),
            str(one["competency"]),
            str(one["text"]),
            None if one.get("open") == "not_by_rule" else one["holds"],
        )
        for one in body["items"]
    ]


def _verdict(item: str, rating: Rating | None, asked: str) -> Verdict:
    level = rating.levels[asked] if rating else NOT_RATED
    why = inert(rating.comment, LONGEST_COMMENT) if rating else ""
    quotes = (Quote(0, inert(rating.quote, QUOTE)),) if rating and rating.quote else ()
    if isinstance(level, str):
        return Verdict(item, None, level, quotes, why, (None,))
    return Verdict(item, bool(level), "", quotes, why, (bool(level),))
