"""The rubric items of the manager judge: one per element of the case's gold standard, under neutral ids.

Ids reveal nothing about the item, so that a player cannot name one and a judge cannot answer by its title.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.answers import reference_of
from osler.cases.model import Case
from osler.judging.model.items import Item, Part
from osler.judging.model.transcript import Line
from osler.text.hostile import quoted_block, quoted_line

_LONGEST: Final = 1000


def items_of(case: Case) -> tuple[Item, ...]:
    """The items of a case, in a fixed order. A section that the case lacks has no items."""
    found = (*_answer(case), *_grounds(case), *_management(case), *_harm(case))
    return tuple(Item(f"i{n}", part, what) for n, (part, what) in enumerate(found, start=1))


def items_block(items: tuple[Item, ...]) -> str:
    """The items as a block of the prompt."""
    return quoted_block(
        "items", (quoted_line(f"{item.id} {item.part}", item.what, _LONGEST) for item in items)
    )


def transcript_block(lines: tuple[Line, ...]) -> str:
    """The transcript as a block of the prompt."""
    numbered = enumerate(lines, start=1)
    return quoted_block("transcript", (quoted_line(f"t{n} {said.source}", said.text) for n, said in numbered))


def case_block(case: Case) -> str:
    """The ground truth about the patient, as a block of the prompt."""
    return quoted_block("case", (quoted_line(label, text, _LONGEST) for label, text in _truth(case)))


def _answer(case: Case) -> Iterator[tuple[Part, str]]:
    if case.diagnosis is not None:
        yield "diagnosis", _named(case.diagnosis.name, case.diagnosis.synonyms)
    elif case.task.kind == "diagnosis":
        yield "diagnosis", _named(*reference_of(case))


def _named(name: str, others: tuple[str, ...]) -> str:
    return f"{name} (other right names: {'; '.join(others)})" if others else name


def _grounds(case: Case) -> Iterator[tuple[Part, str]]:
    yield from (("supporting_evidence", fact.text) for fact in case.facts if fact.key)
    for finding in case.findings:
        if finding.key:
            yield "supporting_evidence", f"{finding.name}: {finding.result}"


def _management(case: Case) -> Iterator[tuple[Part, str]]:
    management = case.management
    if management is None:
        return
    for feature in management.key_features:
        yield "plan", f"{feature.what} (dose: {feature.dose})" if feature.dose else feature.what
    yield "follow_up", f"Says where the patient goes: {management.disposition}"
    yield from (("follow_up", f"Tells the patient to watch for: {sign}") for sign in management.safety_net)


def _harm(case: Case) -> Iterator[tuple[Part, str]]:
    named = {
        harm.name: harm.why
        for section in (case.workup, case.management)
        if section is not None
        for harm in section.contraindicated
    }
    yield from (("unsafe", f"{name} (harmful here: {why})") for name, why in named.items())
    yield "unsafe", "Anything else, ordered or advised, that would plainly harm this patient"
    yield "unsupported", "States as true of this patient what nobody said and no result showed"


def _truth(case: Case) -> Iterator[tuple[str, str]]:
    if case.age_years is not None:
        yield "age in years", f"{case.age_years:g}"
    if case.sex is not None:
        yield "sex", case.sex
    yield "note on the door", case.opening.door_note
    yield "first words", case.opening.words
    if case.diagnosis is not None:
        yield "diagnosis", case.diagnosis.name
    yield "question", case.task.question
    yield "right answer", reference_of(case)[0]
    yield from (("history", fact.text) for fact in case.facts)
    yield from (("finding", f"{finding.name}: {finding.result}") for finding in case.findings)
