"""A person's rating of an episode, in the form of a stored judgement.

The grader is `person:SCALE:RATER` and the version that of the scale. A score's value is the mark, or the
level as a share of the highest level, 0 to 1, like a model judge's; `level` is what the person wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pydantic_core import from_json, to_json

from osler.studies.rating.scales import Scale

PREFIX: Final = "person:"
NOT_RATED: Final = "not_rated"
CANNOT_SAY: Final = "cannot_say"


class Rating(NamedTuple):
    """One rater's rating of one row: a level for each item, or the reason why there is none. `quote` is what
    the rater gave as proof, where there is room for one."""

    rater: str
    levels: dict[str, int | str]
    comment: str
    batch: str
    blind_id: str
    quote: str = ""


def grader_of(scale: Scale, rater: str) -> str:
    """Return the grader name under which a rater's ratings on a scale are stored."""
    return f"{PREFIX}{scale.name}:{rater}"


def rater_of(scale: Scale, grader: str) -> str | None:
    """Return the rater behind a grader's name, `None` if it is not a rater on this scale."""
    before = f"{PREFIX}{scale.name}:"
    return grader.removeprefix(before) if grader.startswith(before) else None


def rating_json(scale: Scale, rating: Rating) -> str:
    """Return the rating as the JSON text of a judgement, items in the scale's order."""
    scores: dict[str, Mapping[str, object]] = {}
    for item in scale.items:
        level = rating.levels[item.id]
        if isinstance(level, str):
            scores[item.id] = {"value": None, "level": None, "reason": level}
        else:
            value = level + 1 if item.marked else level / item.top
            scores[item.id] = {"value": value, "level": level + item.first}
    body = {
        "grader": grader_of(scale, rating.rater),
        "version": scale.full_version,
        "scores": scores,
        "comment": rating.comment,
        "batch": rating.batch,
        "blind_id": rating.blind_id,
    }
    return to_json(body).decode()


def levels_of(scale: Scale, body: str) -> dict[str, int | None]:
    """Return each item's level in a stored rating, counted from 0; `None` where the rater gave none."""
    scores = from_json(body)["scores"]
    levels = ((item, scores[item.id]["level"]) for item in scale.items)
    return {item.id: None if level is None else level - item.first for item, level in levels}
