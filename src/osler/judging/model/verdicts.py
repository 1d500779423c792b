"""The output schema of a model judge: exactly one verdict for each item, or it is asked again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from osler.core.events import Frozen
from osler.models.types import Output, encodable

MOST_QUOTES: Final = 5
_NAMED: Final = 10
_AN_ID: Final = re.compile(r"i\d{1,4}")


_Words = Annotated[str, AfterValidator(encodable)]


class Verdict(Frozen):
    """One verdict as given by the model, its quotes not yet checked."""

    id: _Words
    quotes: Annotated[tuple[_Words, ...], Field(max_length=MOST_QUOTES)]
    why: _Words
    verdict: int = Field(strict=True, ge=0)


class _Answer(Frozen):
    verdicts: tuple[Verdict, ...]


def answer_json(verdicts: Iterable[Verdict]) -> str:
    """Verdicts serialized as a model's answer."""
    return _Answer(verdicts=tuple(verdicts)).model_dump_json()


@lru_cache(maxsize=64)
def output_of(count: int, top: int) -> Output:
    """The output type for `count` items with verdicts from 0 to `top`."""
    fields = {
        "id": {"type": "string", "enum": [f"i{n}" for n in range(1, count + 1)]},
        "quotes": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_QUOTES},
        "why": {"type": "string"},
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
        given = _Answer.model_validate(value).verdicts
        times = Counter(verdict.id for verdict in given)
        wrong = {
            "missing": [key for key in ids if key not in times],
            "unknown": sorted(set(times) - set(ids)),
            "given twice": [key for key in ids if times[key] > 1],
            "out of range": [verdict.id for verdict in given if verdict.verdict > top],
        }
        said = [f"{what}: {_listed(keys)}" for what, keys in wrong.items() if keys]
        if said:
            raise ValueError(f"the set of verdicts is not complete; {'; '.join(said)}")
        by_id = {verdict.id: verdict for verdict in given}
        return {key: by_id[key] for key in ids}

    return check


def _listed(keys: Sequence[str]) -> str:
    """The valid ids, joined; anything else in their place is not repeated."""
    named = ", ".join(key if _AN_ID.fullmatch(key) else "(no id)" for key in keys[:_NAMED])
    return f"{named} and others" if len(keys) > _NAMED else named
