"""A case written by a language model: generated, converted, linted, and corrected by the model itself.

Faults go back to the model as messages at the end, a bounded number of times; earlier messages never change,
so an endpoint's prompt cache holds. A case that never passes is refused with the reasons and not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from pydantic import Field, ValidationError, field_validator

from osler.authoring.draft import OUTPUT, Draft, case_of
from osler.cases.importers.leaks import plain
from osler.cases.lint import FIRST_PERSON_FROM_YEARS, Problem
from osler.cases.model import Case, Sex
from osler.core.events import Frozen
from osler.errors import BadCase
from osler.judging.case_lint import lint
from osler.models.ask_until_valid import ask_until_valid
from osler.models.secret import sanitized
from osler.models.types import Completion, CompletionRequest, Message, ModelClient
from osler.prompts import prompt

SEAT: Final = "author"
TEMPLATE: Final = "osler.authoring:prompts/case.jinja"
MAX_ATTEMPTS: Final = 4
FEWEST_FACTS, FEWEST_FINDINGS = 8, 5
_AGAIN: Final = "This case cannot be used yet:\n{}\nWrite the whole case again."
_WISH_CHARS: Final = 200
# The linter asks this of our own library but not of a model: sources, which it would have to make up, and a
# teaching plan, which such a case does without.
_NOT_ASKED: Final = frozenset({("no-sources", "provenance.sources"), ("not_in_case", "teaching")})
# Places in the linter's reports, mapped to places in a draft; items count from 1.
_PLACES: Final = (
    (re.compile(r"^facts\[f(\d+)\]"), r"history[\1]"),
    (re.compile(r"^findings\[x(\d+)\]"), r"findings[\1]"),
    (re.compile(r"^management\.key_features\[k(\d+)\]"), r"management[\1]"),
    (re.compile(r"^management\.key_features"), "management"),
    (re.compile(r"^management\.year"), "guideline_year"),
    (re.compile(r"^(?:task\.accepts|diagnosis\.synonyms)\[\d+\]"), "synonyms"),
    (re.compile(r"^workup\.required.*"), "findings"),
    (re.compile(r"^opening\.words"), "first_words"),
    (re.compile(r"^(?:opening|management|diagnosis)\."), ""),
    (re.compile(r"^facts\b"), "history"),
    (re.compile(r"^task\b"), "diagnosis"),
    (re.compile(r"\.text$"), ".fact"),
    (re.compile(r"\.terms$"), ".words"),
)
_ALTERNATIVE: Final = re.compile(r"^diagnosis\.alternatives\[(\d+)\]")


class Wish(Frozen):
    """The requirements on the case; a field that is `None` is left to the model."""

    specialty: str = Field(default="general practice", max_length=_WISH_CHARS)
    diagnosis: str | None = Field(default=None, max_length=_WISH_CHARS)
    age: float | None = Field(default=None, ge=0, le=130)
    sex: Sex | None = None
    setting: str | None = Field(default=None, max_length=_WISH_CHARS)
    difficulty: Literal["easy", "ordinary", "hard"] = "ordinary"

    @field_validator("specialty", "diagnosis", "setting")
    @classmethod
    def _one_line(cls, text: str | None) -> str | None:
        if text is None:
            return None
        bare = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if not any(c.isalnum() for c in bare):
            raise ValueError("says nothing")
        return bare


class Written(NamedTuple):
    """A sound case; `problems` are the linter's remaining warnings.

    `attempts` lists each attempt's faults; the last list is empty.
    """

    case: Case
    problems: tuple[Problem, ...]
    attempts: tuple[tuple[str, ...], ...]


@cache
def prompt_hash() -> str:
    """A hash, 16 hex digits, over the prompt and the schema of the answer."""
    return blake2b(f"{prompt(TEMPLATE).hash}\x1f{OUTPUT.digest}".encode(), digest_size=8).hexdigest()


def messages_of(wish: Wish) -> tuple[Message, ...]:
    """The initial messages: the same for the same wish."""
    told = json.dumps(wish.model_dump(exclude_none=True), ensure_ascii=False)
    values = {
        "wish": told,
        "fewest_facts": FEWEST_FACTS,
        "fewest_findings": FEWEST_FINDINGS,
        "carer_under": FIRST_PERSON_FROM_YEARS,
    }
    rules, _, last = prompt(TEMPLATE).render(values).rpartition("\n\n")
    return Message(role="system", text=rules), Message(role="user", text=last)


async def write_case(
    client: ModelClient, wish: Wish, id: str, seed: int, *, max_attempts: int = MAX_ATTEMPTS
) -> Written:
    """Write a case for `wish` under the neutral `id`. `seed` goes to the endpoint and into the record.

    Raises BadCase where no attempt of `max_attempts` gives a sound case, and InfrastructureFault where the
    endpoint cannot be used.
    """
    request = CompletionRequest(messages=messages_of(wish), seed=seed, output=OUTPUT, seat=SEAT)
    attempts = await ask_until_valid(
        client, request, lambda answer: _judged(answer, wish, id, seed), most=max_attempts, again=_AGAIN
    )
    if attempts.failed:
        raise BadCase(
            f"the model gave no case: {attempts.failed}", where=id, hint="try again, or another model"
        )
    if attempts.sound is None:
        raise BadCase(
            f"no sound case in {max_attempts} attempts; the last: {'; '.join(attempts.wrong[-1][:3])}",
            where=id,
            hint="try another seed or another model",
        )
    return Written(attempts.sound, lint(attempts.sound, strict=True), attempts.wrong)


def _judged(answer: Completion, wish: Wish, id: str, seed: int) -> tuple[Case | None, tuple[str, ...]]:
    """The case in an answer, if any, and its faults, one line each."""
    model = _line(sanitized(answer.model or "a model without a name", limit=100))
    record = f"model {model}; prompt {prompt_hash()}; seed {seed}"
    try:
        draft = Draft.model_validate(answer.parsed)
        case = case_of(
            draft, id=id, specialty=wish.specialty, record=record, author=f"language model {model}"
        )
    except ValidationError as error:
        return None, tuple(_misshapen(error))
    unsound = (
        f"{_place(problem.where)}: {problem.message}"
        for problem in lint(case, strict=True)
        if problem.level == "error" and (problem.code, problem.where) not in _NOT_ASKED
    )
    return case, tuple(_line(line) for line in (*_beside_the_wish(draft, wish), *_thin(draft), *unsound))


def _misshapen(error: ValidationError) -> Iterator[str]:
    """Schema violations; items count from 1, as in everything else shown to the model."""
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        place = "".join(f"[{at + 1}]" if isinstance(at, int) else f".{at}" for at in one["loc"])
        yield _line(f"{place.removeprefix('.') or 'answer'}: {one['msg'].removeprefix('Value error, ')}")


def _beside_the_wish(draft: Draft, wish: Wish) -> Iterator[str]:
    if wish.age is not None and abs(draft.age_years - wish.age) >= 1:
        yield f"age_years: {wish.age:g} was asked for, not {draft.age_years:g}"
    if wish.sex is not None and draft.sex != wish.sex:
        yield f"sex: {wish.sex} was asked for, not {draft.sex}"
    if wish.diagnosis is not None:
        names = {plain(name) for name in (draft.diagnosis, *draft.synonyms)}
        if plain(wish.diagnosis) not in names:
            yield f"diagnosis: {wish.diagnosis} was asked for; it must stand in diagnosis or synonyms"


def _thin(draft: Draft) -> Iterator[str]:
    if len(draft.history) < FEWEST_FACTS:
        yield f"history: has {len(draft.history)} items and needs {FEWEST_FACTS} or more"
    if len(draft.findings) < FEWEST_FINDINGS:
        yield f"findings: has {len(draft.findings)} items and needs {FEWEST_FINDINGS} or more"


def _place(where: str) -> str:
    """A place in a case, in the terms of the draft: `facts[f3].text` is `history[3].fact`."""
    place = _ALTERNATIVE.sub(lambda match: f"alternatives[{int(match[1]) + 1}]", where)
    for theirs, ours in _PLACES:
        place = theirs.sub(ours, place)
    return place


def _line(text: str, most: int = 200) -> str:
    """One short line of printable text."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
