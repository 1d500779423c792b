"""The form of a model judge's answer: exactly one verdict for each item of a portion, or it is asked again.

Everything in it is bounded, so that the limit of an answer follows from it. The items of a portion go by the
constant names I01, I02 ..., so that one schema serves all cases, portions and judges with the same verdicts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from osler.core.events import Frozen
from osler.core.judge import PORTION
from osler.models.types import Output, encodable

MOST_QUOTES: Final = 2
LONGEST: Final = 160
"""The longest quote and the longest reason, in characters: less than what is kept of them, and about twice
the fifteen words that prompts ask for."""
EACH: Final = 150
"""The tokens of the longest verdict: its texts at four characters a token, and 30 for names and signs."""
_NAMED: Final = 10
_AN_ID: Final = re.compile(r"I\d{2,4}")


def _id(text: str) -> str:
    return encodable(text).strip().upper()


def _whole(text: str) -> str:
    """A quote within its bound and of whole words, since a schema's bound may cut a word in two."""
    text = encodable(text)
    return text if len(text) < LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


Quoted = Annotated[str, AfterValidator(_whole)]
"""A quote as a model gives it."""


class Verdict(Frozen):
    """One verdict as given by the model, its quotes not yet checked."""

    id: Annotated[str, AfterValidator(_id)]
    quotes: Annotated[tuple[Quoted, ...], Field(max_length=MOST_QUOTES)]
    why: Annotated[str, AfterValidator(encodable)]
    verdict: int = Field(strict=True, ge=0)


class _Answer(Frozen):
    verdicts: tuple[Verdict, ...]


def answer_json(verdicts: Iterable[Verdict]) -> str:
    """Verdicts serialized as a model's answer."""
    return _Answer(verdicts=tuple(verdicts)).model_dump_json()


def ids_of(count: int) -> tuple[str, ...]:
    """The names of a portion's items: I01, I02 ..."""
    return tuple(f"I{n:02}" for n in range(1, count + 1))


def portion_within(most: int | None) -> int:
    """The number of items that an answer of `most` tokens has room for: never more than usual, and one at
    least."""
    return PORTION if most is None else max(1, min(PORTION, most // EACH))


@lru_cache(maxsize=64)
def output_of(count: int, top: int) -> Output:
    """The output type for `count` items with verdicts from 0 to `top`."""
    quote = {"type": "string", "maxLength": LONGEST}
    fields = {
        "id": {"type": "string", "enum": list(ids_of(count))},
        "quotes": {"type": "array", "items": quote, "maxItems": MOST_QUOTES},
        "why": {"type": "string", "maxLength": LONGEST},
        "verdict": {"type": "integer", "enum": list(range(top + 1))},
    }
    entry = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    entries = {"type": "array", "items": entry, "minItems": count, "maxItems": count}
    schema = {
        "type": "object",
        "properties": {"verdicts": entries},
        "required": ["verdicts"],
        "additionalProperties": False,
    }
    return Output(name="verdicts", json_schema=schema)


def complete_set(ids: Sequence[str], top: int) -> Callable[[object], dict[str, Verdict]]:
    """A validator that accepts only the complete set: a dict from id to `Verdict`, in the order of `ids`."""

    def check(value: object) -> dict[str, Verdict]:
        verdicts = _Answer.model_validate(value).verdicts
        times = Counter(verdict.id for verdict in verdicts)
        wrong = {
            "missing": [key for key in ids if key not in times],
            "unknown": sorted(set(times) - set(ids)),
            "given twice": [key for key in ids if times[key] > 1],
            "out of range": [verdict.id for verdict in verdicts if verdict.verdict > top],
        }
        lines = [f"{what}: {_listed(keys)}" for what, keys in wrong.items() if keys]
        if lines:
            raise ValueError(f"the set of verdicts is not complete; {'; '.join(lines)}")
        by_id = {verdict.id: verdict for verdict in verdicts}
        return {key: by_id[key] for key in ids}

    return check


def _listed(keys: Sequence[str]) -> str:
    """The valid ids, joined; anything else in their place is not repeated."""
    text = ", ".join(key if _AN_ID.fullmatch(key) else "(no id)" for key in keys[:_NAMED])
    return f"{text} and others" if len(keys) > _NAMED else text
