"""The lint of a case with what the judge of diagnoses adds to it.

The judge refuses an answer that says less than the reference, so a case that accepts such a name is marked by
another rule than every other case. It may be right to: then its author says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases import lint as cases
from osler.cases.lint_problem import Level, Problem
from osler.cases.made_up import made_up
from osler.cases.model import Case
from osler.judging.diagnosis.judged import judged

BROADER: Final = "accepted-broader"


def lint(case: Case, *, strict: bool = False) -> tuple[Problem, ...]:
    """Every problem of a case, errors first, among them the accepted names that say less than its answer."""
    result = (*cases.lint(case, strict=strict), *accepted_broader(case))
    return tuple(sorted(result, key=lambda problem: problem.level))


def accepted_broader(case: Case) -> Iterator[Problem]:
    """The accepted names that are broader than the diagnosis by the judge, and for which nobody says why.

    In a made-up case, whose names are those of the packaged knowledge, that is only a warning.
    """
    level: Level = "warning" if made_up(case) else "error"
    seen = set[str]()
    for name, reference, where in _accepted(case):
        if name in seen or case.task.accepted_why.get(name, "").strip():
            continue
        if judged(name, reference).verdict == "broader":
            seen.add(name)
            message = (
                f"accepts {name!r}, which says less than {reference!r}: take it out, or say why in"
                " task.accepted_why"
            )
            yield Problem(BROADER, level, message, where)


def import_flags(case: object) -> Iterator[str]:
    """The flags that the report of an import gives a case for what it accepts."""
    if isinstance(case, Case):
        yield from (f"{problem.code}: {problem.message}" for problem in accepted_broader(case))


def _accepted(case: Case) -> Iterator[tuple[str, str, str]]:
    """The accepted names with what each stands for and its place; none of an open question, which is answered
    in the accepted words alone."""
    task, diagnosis = case.task, case.diagnosis
    if task.kind == "open":
        return
    answer = task.options[task.answer] if task.kind == "choice" and task.options else task.answer
    for number, name in enumerate(task.accepts):
        yield name, answer, f"task.accepts[{number}]"
    for number, name in enumerate(diagnosis.synonyms if diagnosis else ()):
        yield name, diagnosis.name if diagnosis else "", f"diagnosis.synonyms[{number}]"
