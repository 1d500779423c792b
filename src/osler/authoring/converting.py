"""Vignettes converted by a language model, which assigns each numbered clause to a holder and nothing more.

The same checks apply as to the rules: every clause once, no value in the patient's mouth, no answer shown.
Faults go back to the model a bounded number of times; after that the rules convert the vignette, and a flag
says so.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from osler.cases.importers import craftmd, mediq, medtutor
from osler.cases.importers.detect import format_named
from osler.cases.importers.images import Images
from osler.cases.importers.report import Rejected
from osler.cases.importers.vignette.case import case_of
from osler.cases.importers.vignette.clauses import Unit
from osler.cases.importers.vignette.pieces import UnitRole, Vignette, by_rules, numbered
from osler.cases.importers.vignette.roles import asks, measured
from osler.cases.model import Case
from osler.errors import BadCase, BadInput, in_words
from osler.knowledge.vocabulary import Topic
from osler.models.ask_until_valid import ask_until_valid
from osler.models.secret import sanitized
from osler.models.types import Completion, CompletionRequest, Message, ModelClient, Output
from osler.prompts import prompt

SEAT: Final = "converter"
TEMPLATE: Final = "osler.authoring:prompts/convert.jinja"
MAX_ATTEMPTS: Final = 3
AT_ONCE: Final = 8
_MOST_TOLD: Final = 20
_AGAIN: Final = "This cannot be used yet:\n{}\nSort all clauses again."
_SHOWN: Final = 60
_PROSE: Final[dict[str, Callable[[Path], Iterator[Vignette | Rejected]]]] = {
    module.NAME: module.vignettes for module in (craftmd, mediq, medtutor)
}


class Sorted(BaseModel):
    """One clause, by its number from 1, and who holds it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int
    holder: Literal["opening", "history", "examination", "test", "management", "question"]
    topic: Topic


class Sorting(BaseModel):
    """What a model answers: every clause once."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    clauses: list[Sorted]


OUTPUT: Final = Output.of(TypeAdapter(Sorting), "clauses")


async def convert_file(
    client: ModelClient,
    path: Path,
    format: str = "auto",
    *,
    images: Images | None = None,
) -> AsyncIterator[Case | Rejected]:
    """The cases of a file of prose vignettes, in order, each converted by a model, several concurrently.

    Ids are those of `import_file` (`images` as there). Raises BadInput where the file cannot be
    read or its format is not prose, and InfrastructureFault where the endpoint cannot be used.
    """
    name = format if format in _PROSE else format_named(format, path).NAME
    if name not in _PROSE:
        text = ", ".join(_PROSE)
        raise BadInput(f"a {name} file is not prose", where=path.name, hint=f"a model converts {text}")
    items = medtutor.vignettes(path, images) if name == medtutor.NAME else _PROSE[name](path)
    while batch := list(islice(items, AT_ONCE)):
        batches = (_converted(client, item, path.name, name) for item in batch)
        for case in await asyncio.gather(*batches):
            yield case


async def _converted(
    client: ModelClient, item: Vignette | Rejected, origin: str, prefix: str
) -> Case | Rejected:
    if isinstance(item, Rejected):
        return item
    try:
        return await convert(client, item, origin, prefix)
    except BadCase as error:
        return Rejected(item.record, error.what)


async def convert(client: ModelClient, vignette: Vignette, origin: str, prefix: str) -> Case:
    """Convert one vignette to a case by the model, or by the rules where that fails; a flag says which.

    Raises BadCase where neither yields a case, and InfrastructureFault from the endpoint.
    """
    units = numbered(vignette)
    request = CompletionRequest(messages=messages_of(units), seed=0, output=OUTPUT, seat=SEAT)

    def check(answer: Completion) -> tuple[tuple[tuple[UnitRole, ...], str] | None, tuple[str, ...]]:
        roles, wrong = sorted_by(answer.parsed, units)
        return (roles, sanitized(answer.model or "without a name", limit=100)), wrong

    attempts = await ask_until_valid(client, request, check, most=MAX_ATTEMPTS, again=_AGAIN)
    if attempts.sound is not None:
        roles, model = attempts.sound
        return case_of(_noted(vignette, f"sorted by the model {model}"), roles, origin, prefix)
    noted = _noted(vignette, "sorted by the rules; the model gave no usable answer")
    return case_of(noted, by_rules(vignette), origin, prefix)


def _noted(vignette: Vignette, remark: str) -> Vignette:
    return replace(vignette, remarks=(*vignette.remarks, f"note: {remark}"))


def messages_of(units: Sequence[Unit]) -> tuple[Message, ...]:
    """The initial messages: the same for the same vignette."""
    clauses = "\n".join(f"{n}. {' '.join(unit.text.split())}" for n, unit in enumerate(units, start=1))
    rules, _, last = prompt(TEMPLATE).render({"clauses": clauses}).partition("\n\n<vignette>")
    return Message(role="system", text=rules), Message(role="user", text=f"<vignette>{last}")


def sorted_by(parsed: object, units: Sequence[Unit]) -> tuple[tuple[UnitRole, ...], tuple[str, ...]]:
    """The role an answer gives each clause, and the faults in it, one line each."""
    try:
        clauses = Sorting.model_validate(parsed).clauses
    except ValidationError as error:
        return (), (in_words(error, "answer"),)
    by_number = {one.number: one for one in clauses}
    wrong = [*_not_once(clauses, len(units))]
    if not wrong:
        wrong += [
            f"{n}: {fault} ({' '.join(unit.text.split())[:_SHOWN]})"
            for n, unit in enumerate(units, start=1)
            if (fault := _fault(by_number[n], unit))
        ]
        if all(one.holder != "opening" for one in clauses):
            wrong.append("no clause is the opening")
    if wrong:
        return (), tuple(wrong)
    return tuple(_given(by_number[n]) for n in range(1, len(units) + 1)), ()


def _given(one: Sorted) -> UnitRole:
    return UnitRole(one.holder, one.topic if one.holder == "history" else None)


def _not_once(clauses: Sequence[Sorted], size: int) -> Iterator[str]:
    times = Counter(one.number for one in clauses)
    wanted = range(1, size + 1)
    if missing := [n for n in wanted if n not in times]:
        yield f"left out: {', '.join(map(str, missing[:_MOST_TOLD]))}"
    if doubled := [n for n, count in times.items() if count > 1]:
        yield f"given twice: {', '.join(map(str, doubled[:_MOST_TOLD]))}"
    if unknown := [n for n in times if n not in wanted]:
        yield f"there are no clauses {', '.join(map(str, unknown[:_MOST_TOLD]))}"


def _fault(one: Sorted, unit: Unit) -> str:
    """The fault in one clause's role; empty where there is none."""
    if one.holder == "history" and measured(unit.text):
        return "no patient recites a measured value"
    if one.holder != "question" and asks(unit.text):
        return "this is the question"
    return ""
