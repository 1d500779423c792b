"""The coherence linter: whether what a case holds goes together, and with its answer.

It is for generated cases: it knows only the conditions and findings of the built-in knowledge, and reads the
facts and results as the built-in players do. A richer case, written by a person, may break a rule rightly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.generator.wording import wording
from osler.cases.lint_problem import Problem
from osler.cases.model import Case
from osler.knowledge.coherence import Coherent, anyone, cleared, coherent, entailed, no_idea, units
from osler.knowledge.conditions import Condition, condition, factor_of_age, knowledge
from osler.knowledge.findings import Finding, finding, findings
from osler.text.findings_in_text import mentions

MOST_NEGATIONS: Final = 3
"""A report lists no more things that are not there."""
MOST_HELD: Final = 60
"""A case holds no more facts and results together."""
UNUSUAL: Final = 0.1
"""Below this share of its weight a disease is all but unknown at an age."""
WORKS_FROM, WORKS_UNDER = 16, 70
"""Ages, in years, between which a person goes to work."""
_TOLD: Final = frozenset({"symptom", "history"})
_NEGATION: Final = re.compile(r"(?:^|[.;!?])\s*(?:No|Not|Neither|Absent)\b")
_BEGAN: Final = re.compile(
    r"\b(minute|hour|day|week|month|year|this morning|today|last night)", re.IGNORECASE
)
_SHORTEST: Final = {
    "minute": "hours", "hour": "hours", "this morning": "hours", "today": "hours", "last night": "hours",
    "day": "days", "week": "weeks", "month": "months", "year": "years",
}  # fmt: skip
_NUMBER_AND_UNIT: Final = re.compile(
    r"[^.;,\d]{0,30}?\d+(?:\.\d+)?(?:\s*[-–/]\s*\d+(?:\.\d+)?)?\s*(?P<unit>%|°[CF]|[×x]?10[⁹^9]+/L|[A-Za-zµμ]+(?:/[A-Za-zµμ]+)?)"
)
_RETIRED: Final = re.compile(r"\b(?:retired|used to|pension|no longer works?)\b", re.IGNORECASE)


class _Statements(NamedTuple):
    """The findings that a case affirms and denies, by id, each with the first place that says so."""

    there: dict[str, str]
    denied: dict[str, str]

    @property
    def present(self) -> frozenset[str]:
        return frozenset(self.there)


def incoherent(case: Case) -> tuple[Problem, ...]:
    """Every contradiction in a case, in the order of the rules.

    Codes: `foreign` (a finding of another disease), `lacking` (what the answer is not seen without),
    `atypical` (too little of what is typical), `contradiction` (a thing said and its opposite), `apart` (two
    findings that exclude each other), `age`, `onset`, `normal-picture`, `unit`, `idea`, `occupation`,
    `negations`, `too-many`. Where the answer is not in the knowledge, only what does not depend on it.
    """
    known = condition(case.diagnosis.name if case.diagnosis else case.task.answer)
    statements = _read(case)
    result = [*_form(case), *_units(case), *_person(case), *_opposites(statements), *_apart(statements)]
    if known is not None:
        with_it = coherent(known.id)
        result += [
            *_foreign(case, statements, with_it),
            *_lacking(case, statements, with_it),
            *_onset(case, with_it),
            *_age(case, known),
            *_pictures(case, statements, with_it),
        ]
    return tuple(result)


def _read(case: Case) -> _Statements:
    there, denied = dict[str, str](), dict[str, str]()
    texts = [("opening.door_note", case.opening.door_note, True), ("opening.words", case.opening.words, True)]
    texts += [(f"facts[{fact.id}]", fact.text, True) for fact in case.facts]
    texts += [(f"findings[{held.id}]", held.result, False) for held in case.findings]
    for where, text, told in texts:
        for name, present in mentions(text).items():
            # A result may imply a symptom, a history name what a test shows: each counts for its kind.
            if (finding(name).kind in _TOLD) == told:
                (there if present else denied).setdefault(name, where)
    for name in tuple(there):
        denied.pop(name, None)
    return _Statements(there, denied)


def _error(code: str, message: str, where: str) -> Problem:
    return Problem(code, "error", message, where)


def _names(ids: frozenset[str] | tuple[str, ...]) -> str:
    return " or ".join(sorted(finding(name).name.lower() for name in ids))


def _foreign(case: Case, statements: _Statements, with_it: Coherent) -> Iterator[Problem]:
    """Findings that the answer does not bring and that not anyone has."""
    usual = anyone(case.age_years)
    for name, where in statements.there.items():
        if name in with_it.own or (name in with_it.may and name in usual):
            continue
        others = [item.name for item in knowledge().conditions if item.findings.get(name, 0) >= 0.5][:3]
        of = f"; it is found in {', '.join(others)}" if others else ""
        yield _error("foreign", f"the answer does not bring it: {finding(name).name.lower()}{of}", where)


def _lacking(case: Case, statements: _Statements, with_it: Coherent) -> Iterator[Problem]:
    """Report what the answer needs but the case denies or omits, and too few of its typical findings."""
    for group in with_it.needs:
        can = frozenset(name for name in group if _can(case, name))
        if not can or can & statements.present:
            continue
        where = next((statements.denied[name] for name in sorted(can) if name in statements.denied), "facts")
        yield _error("lacking", f"the answer is not seen without it: {_names(can)}", where)
    typical = {name for name in with_it.typical if _can(case, name)}
    if 2 * len(typical & statements.present) < len(typical):
        few = f"{len(typical & statements.present)} of {len(typical)}"
        yield _error("atypical", f"only {few} complaints typical of the answer", "facts")


def _can(case: Case, name: str) -> bool:
    if case.age_years is None or case.sex is None:
        return True
    return wording(name).can_occur(case.age_years, case.sex)


def _opposites(statements: _Statements) -> Iterator[Problem]:
    for name, where in statements.there.items():
        for other in sorted(entailed(name) & statements.denied.keys()):
            message = f"denied, though there is {finding(name).name.lower()} ({where}): {finding(other).name}"
            yield _error("contradiction", message, statements.denied[other])


def _apart(statements: _Statements) -> Iterator[Problem]:
    for name, where in statements.there.items():
        for other in sorted(set(wording(name).excludes) & statements.present):
            if name < other:
                message = f"{_names((name, other))}: both cannot be"
                yield _error("apart", message, where)


def _onset(case: Case, with_it: Coherent) -> Iterator[Problem]:
    """A beginning that the answer does not have: a heart attack for months, an ulcer disease for an hour."""
    for fact in case.facts:
        began = _BEGAN.search(fact.text)
        if (
            fact.topic != "course"
            or fact.absent
            or not began
            or not re.search(r"\b(?:beg[au]n|started|going on)\b", fact.text)
        ):
            continue
        if _SHORTEST[began[1].lower()] not in with_it.when:
            usual = ", ".join(with_it.when)
            yield _error("onset", f"the answer begins {usual} before; not so", f"facts[{fact.id}]")


def _age(case: Case, known: Condition) -> Iterator[Problem]:
    """A person in whom the answer is all but unknown."""
    if case.age_years is not None and factor_of_age(known, case.age_years) < UNUSUAL:
        yield _error("age", f"the answer is all but unknown at the age of {case.age_years:g}", "age_years")
    if case.sex is not None and known.sex.get(case.sex, 1.0) == 0:
        yield _error("age", f"the answer does not occur in a {case.sex} patient", "sex")


def _pictures(case: Case, statements: _Statements, with_it: Coherent) -> Iterator[Problem]:
    """Reports that show nothing where the disease, or what another result shows, is seen."""
    for held in case.findings:
        if held.abnormal or any(mentions(held.result).values()):
            continue
        if held.name in with_it.seen_on:
            yield _error("normal-picture", "the answer is seen on it", f"findings[{held.id}]")
        for name in sorted(cleared(held.name) & statements.present):
            message = (
                f"shows nothing, though there is {finding(name).name.lower()} ({statements.there[name]})"
            )
            yield _error("normal-picture", message, f"findings[{held.id}]")


def _units(case: Case) -> Iterator[Problem]:
    """Results in a unit that is not used for what is measured."""
    for held in case.findings:
        for item in _measured():
            for name in item.analytes:
                hit = re.search(rf"\b{re.escape(name)}\b", held.result, re.IGNORECASE)
                value = _NUMBER_AND_UNIT.match(held.result, hit.end()) if hit else None
                if (
                    value
                    and value["unit"] not in units(item.id)
                    and value["unit"] not in ("at", "a", "on", "and")
                ):
                    message = f"{name} is not given in {value['unit']} but in {' or '.join(units(item.id))}"
                    yield _error("unit", message, f"findings[{held.id}]")
                    break


def _measured() -> tuple[Finding, ...]:
    return tuple(item for item in findings() if item.analytes and units(item.id))


def _person(case: Case) -> Iterator[Problem]:
    """Ideas that no patient has, and work at an age at which nobody works."""
    for fact in case.facts:
        where = f"facts[{fact.id}]"
        said = f"{fact.text} {fact.spoken or ''}".lower()
        if fact.topic == "ideas" and (words := [word for word in no_idea() if word in said]):
            yield _error("idea", f"no patient says so: {words[0]}", where)
        age = case.age_years
        if fact.topic != "occupation" or fact.absent or age is None or _RETIRED.search(fact.text):
            continue
        if not WORKS_FROM <= age < WORKS_UNDER:
            yield _error("occupation", f"no work at the age of {age:g}", where)


def _form(case: Case) -> Iterator[Problem]:
    """Reports that list what is not there, and cases of too many pieces."""
    for held in case.findings:
        if (listed := len(_NEGATION.findall(held.result))) > MOST_NEGATIONS:
            yield _error("negations", f"{listed} things that are not there", f"findings[{held.id}].result")
    if (pieces := len(case.facts) + len(case.findings)) > MOST_HELD:
        yield _error("too-many", f"{pieces} facts and results", "findings")
