"""A person's marking sheet: the items of a case, and a person's verdicts on them as a judgement.

A scenario has a rubric of its own. For any other case the sheet is made of what the case calls decisive: key
facts and findings, the steps of management, the safety acts, the points of its teaching plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.cases.rubrics.model import Competency, Rubric, RubricItem, Traits
from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_in
from osler.judging.rubric.scores import Verdict
from osler.text.hostile import inert

PREFIX: Final = "person:sheet:"
VERSION: Final = "1"
NOT_MARKED: Final = "not_marked"
LONGEST_NAME: Final = 60
LONGEST_COMMENT: Final = 600


class Mark(NamedTuple):
    """A person's mark of one item; `met` is `None` if it was left open."""

    met: bool | None
    comment: str = ""


def sheet_of(case: Case | Scenario) -> Rubric:
    """The items by which a person marks an encounter with a case."""
    if isinstance(case, Scenario):
        if case.items is None:
            raise BadInput("this scenario has no rubric to mark by", where=case.case_id)
        return case.items
    items = tuple(
        RubricItem(id=key, competency=competency, text=text, traits=Traits(critical=critical))
        for key, competency, text, critical in _lines(case)
    )
    return Rubric(case_id=case.id, scenario="sheet", version=None, items=items, layout=())


def grader_of(by: str) -> str:
    """The grader under which a person's marks are stored. Raises BadInput without a name."""
    name = inert(by, LONGEST_NAME).strip()
    if not name:
        raise BadInput("say who marks", where="by", hint="give a name or initials")
    return f"{PREFIX}{name}"


def marker(grader: str) -> str:
    """The person behind a grader's name, "" if it is no person's sheet."""
    return grader.removeprefix(PREFIX) if grader.startswith(PREFIX) else ""


def marked(sheet: Rubric, by: str, marks: Mapping[str, Mark]) -> RubricJudgement:
    """A person's marks as a judgement; an item left open is unscored. Raises BadInput for another item, and
    if every item was left open."""
    if strange := marks.keys() - {item.id for item in sheet.items}:
        raise BadInput(f"the sheet has no item {min(strange)[:40]!r}", where="items")
    if all(mark.met is None for mark in marks.values()):
        raise BadInput("no item is marked yet", where="items", hint="mark at least one, then keep the sheet")
    verdicts = []
    for item in sheet.items:
        met, comment = marks.get(item.id, Mark(None))
        why = inert(comment, LONGEST_COMMENT).strip()
        verdicts.append(Verdict(item.id, met, NOT_MARKED if met is None else "", (), why, (met,)))
    return RubricJudgement(grader_of(by), VERSION, sheet, tuple(verdicts))


def marks_in(bodies: Iterable[str], sheet: Rubric) -> dict[str, RubricJudgement]:
    """The persons' judgements by this sheet among the bodies of stored judgements, by the person's name."""
    marks = {}
    for body in bodies:
        value: Any = from_json(body)
        if by := marker(str(value.get("grader", ""))):
            try:
                marks[by] = rubric_judgement_in(value, sheet)
            except ValueError:  # by a sheet of an earlier version of the case
                continue
    return marks


def _lines(case: Case) -> Iterator[tuple[str, Competency, str, bool]]:
    for fact in case.facts:
        if fact.key:
            yield fact.id, "PC", f"Finds out: {fact.text}", False
    for finding in case.findings:
        if finding.key:
            yield finding.id, "PC", f"Obtains: {finding.name} ({finding.result})", False
    if case.diagnosis:
        yield "diagnosis", "MK", f"Concludes: {case.diagnosis.name}", True
    for step in case.management.key_features if case.management else ():
        yield step.id, "PC", step.what, step.critical
    for act in case.safety or ():
        yield act.id, "PROF", act.what, False
    yield "introduction", "ICS", "Says who they are and asks for consent", False
    yield "listening", "ICS", "Listens: open questions, one at a time, no jargon", False
    yield (
        "explaining",
        "ICS",
        "Explains what is thought and what comes next, and checks it was understood",
        False,
    )
