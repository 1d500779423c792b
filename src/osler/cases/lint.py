"""What makes a case sound, as rules that say what is wrong and where.

`strict` is for cases written for our library: what an import cannot know (management, a teaching plan, how a
fact is spoken) must then be there. Without it a missing section is only noted, as `not_in_case`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from osler.cases.importers.leaks import plain
from osler.cases.importers.sentences import is_negative, sentences
from osler.cases.model import Case

Level = Literal["error", "warning"]
FIRST_PERSON_FROM_YEARS: Final = 4
_OLDEST_SOURCE, _NEWEST_SOURCE = 1950, 2100
_ICD10: Final = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?")
_LOINC: Final = re.compile(r"\d{1,7}-\d")
_AMOUNTS: Final = r"mg|mcg|microgram|µg|g\b|units?|ml|mL|mmol|%|litres?|puffs?|drops?|tablets?"
_DOSE: Final = re.compile(rf"\d[^\d]*?(?:{_AMOUNTS})")
_NAMES_A_DOSE: Final = re.compile(r"\b\d+(?:\.\d+)?\s?(?:mg|mcg|micrograms?|g|units?|ml)\b", re.IGNORECASE)
_DENIED_BEFORE: Final = re.compile(
    r"\b(?:no|not|without|denies|denied|negative for|excludes?|excluded|rules? out|ruled out|never|nor|"
    r"absent|unlikely|against|rather than)\b[^.;:]{0,60}$",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|my|we|our)\b")
_HINT_WORD_LENGTH: Final = 5
_SIBLINGS: Final = 2


class Problem(NamedTuple):
    """Something that is wrong or missing in a case. `where` reads like `facts[f3].spoken`."""

    code: str
    level: Level
    message: str
    where: str


class Text(NamedTuple):
    """Something a seat can come to see; `ordered` is a name that a doctor has to say first."""

    where: str
    text: str
    denied: bool = False
    ordered: bool = False


def lint(case: Case, *, strict: bool = False) -> tuple[Problem, ...]:
    """Every problem of a case, errors first. `strict` asks what is asked of our own library."""
    found = [problem for rule in _RULES for problem in rule(case, strict)]
    return tuple(sorted(found, key=lambda problem: problem.level))


def answer_names(case: Case) -> tuple[str, ...]:
    """What the answer may be called, longest first: names of the diagnosis and accepted answers."""
    task = case.task
    names = [task.options[task.answer] if task.options and task.kind == "choice" else task.answer]
    names += task.accepts
    if case.diagnosis:
        names += [case.diagnosis.name, *case.diagnosis.synonyms]
    return tuple(sorted({name for name in names if len(name) > 1}, key=lambda name: (-len(name), name)))


def visible(case: Case) -> Iterator[Text]:
    """Every text of a case that a seat can come to see."""
    yield Text("opening.door_note", case.opening.door_note)
    yield Text("opening.words", case.opening.words)
    for fact in case.facts:
        yield Text(f"facts[{fact.id}].text", fact.text, fact.absent)
        if fact.spoken:
            yield Text(f"facts[{fact.id}].spoken", fact.spoken, fact.absent)
    for finding in case.findings:
        yield Text(f"findings[{finding.id}].name", finding.name, ordered=True)
        yield Text(f"findings[{finding.id}].result", finding.result)
        for alias in finding.aliases:
            yield Text(f"findings[{finding.id}].aliases", alias, ordered=True)


def _leaks(case: Case, strict: bool) -> Iterator[Problem]:
    names = answer_names(case)
    for place in visible(case):
        for name in names:
            how = _named(name, place.text)
            if how is None:
                continue
            # A test may be named after what it looks for ("malaria film"): nobody sees a name unordered.
            doubt = "answer-in-name" if place.ordered else "answer-denied"
            only_doubt = place.ordered or place.denied or how == "denied"
            level: Level = "warning" if only_doubt else "error"
            code = doubt if only_doubt else "answer-leak"
            yield Problem(code, level, f"names the answer ({name})", place.where)
            break


def _named(name: str, text: str) -> Literal["named", "denied"] | None:
    """Whether a text names something, and whether only to deny it.

    Short capital names (TIA, MS) are sought as written; all others as plain words.
    """
    if len(name) <= _HINT_WORD_LENGTH and name.isupper():
        pattern = re.compile(rf"\b{re.escape(name)}\b")
        pieces = [piece[: found.start()] for piece in sentences(text) if (found := pattern.search(piece))]
    else:
        wanted = f" {plain(name)} "
        parted = [f" {plain(piece)} ".partition(wanted) for piece in sentences(text) if wanted.strip()]
        pieces = [head for head, middle, _ in parted if middle]
    if not pieces:
        return None
    return "denied" if all(_DENIED_BEFORE.search(head.rstrip()) for head in pieces) else "named"


def _hints(case: Case, strict: bool) -> Iterator[Problem]:
    names = " ".join(plain(name) for name in answer_names(case))
    telling = {word for word in names.split() if len(word) >= _HINT_WORD_LENGTH}
    told = sorted(telling & set(plain(case.id.replace("_", " ").replace("-", " ")).split()))
    if told:
        yield Problem("id-hints", "error", f"the id hints at the answer ({', '.join(told)})", "id")
    if case.title and any(_named(name, case.title) == "named" for name in answer_names(case)):
        # Titles are for educators and no seat sees them, but a list of cases on a screen shows them.
        yield Problem("title-hints", "warning", "the title names the answer", "title")
    if re.search(r"\d{3,}", case.id) and strict:
        yield Problem("id-order", "warning", "a number in the id may hint at an order", "id")


def _opening(case: Case, strict: bool) -> Iterator[Problem]:
    for name, text in (("door_note", case.opening.door_note), ("words", case.opening.words)):
        if not text.strip():
            yield Problem("empty", "error", "says nothing", f"opening.{name}")
    if not case.task.question.strip() or not case.task.answer.strip():
        yield Problem("empty", "error", "a task needs a question and an answer", "task")
    young = case.age_years is not None and case.age_years < FIRST_PERSON_FROM_YEARS
    if young and case.speaker == "patient":
        yield Problem("child-speaks", "error", "a child this young speaks through a carer", "speaker")
    for fact in case.facts:
        if young and fact.known_by == "patient":
            level: Level = "error" if strict else "warning"
            yield Problem("child-knows", level, "a carer must know this", f"facts[{fact.id}].known_by")


def _facts(case: Case, strict: bool) -> Iterator[Problem]:
    asked: Level = "error" if strict else "warning"
    if not any(fact.key for fact in case.facts):
        yield Problem("no-key-facts", asked, "no fact is marked as key", "facts")
    if not any(fact.absent for fact in case.facts):
        yield Problem("no-negatives", asked, "no explicit negative is recorded", "facts")
    doubled = Counter(plain(fact.text) for fact in case.facts)
    for fact in case.facts:
        where = f"facts[{fact.id}]"
        if not fact.text.strip():
            yield Problem("empty", "error", "says nothing", f"{where}.text")
        elif doubled[plain(fact.text)] > 1:
            yield Problem("doubled", "warning", "another fact says the same", f"{where}.text")
        if is_negative(fact.text) and not fact.absent:
            yield Problem(
                "negative-unmarked", "warning", "is a negative that is not marked", f"{where}.absent"
            )
        if strict and not fact.spoken:
            yield Problem("unspoken", "warning", "no words are given for saying it", f"{where}.spoken")
        if strict and _FIRST_PERSON.search(fact.text):
            yield Problem("first-person", "warning", "states a fact in the first person", f"{where}.text")


def _findings(case: Case, strict: bool) -> Iterator[Problem]:
    if not any(finding.key for finding in case.findings):
        level: Level = "error" if strict else "warning"
        yield Problem("no-key-findings", level, "no finding is marked as key", "findings")
    names = Counter(
        name for f in case.findings for name in {plain(called) for called in (f.name, *f.aliases)} if name
    )
    for finding in case.findings:
        where = f"findings[{finding.id}]"
        if not finding.result.strip() or not finding.name.strip():
            yield Problem("empty", "error", "needs a name and a result", where)
        for called in (finding.name, *finding.aliases):
            if _LOINC.fullmatch(called):
                yield Problem("loinc", "error", "codes are not kept as names", f"{where}.aliases")
            if strict and names[plain(called)] > 1:
                yield Problem("ambiguous", "warning", f"{called!r} names more than one finding", where)


def _workup(case: Case, strict: bool) -> Iterator[Problem]:
    if case.workup is None:
        return
    ids = {finding.id for finding in case.findings}
    groups = (*case.workup.required, case.workup.useful)
    for n, group in enumerate(groups):
        where = f"workup.required[{n}]" if n < len(case.workup.required) else "workup.useful"
        if not group and where != "workup.useful":
            yield Problem("empty", "error", "a required group is met by nothing", where)
        for ident in sorted(set(group) - ids):
            yield Problem("not-a-finding", "error", f"{ident} is not a finding", where)
    if not case.workup.required:
        yield Problem("empty", "error", "nothing is required", "workup.required")
    required = {ident for group in case.workup.required for ident in group}
    for finding in case.findings:
        if finding.key and finding.id not in required:
            yield Problem(
                "key-not-required", "warning", "is key but in no required group", f"findings[{finding.id}]"
            )


def _diagnosis(case: Case, strict: bool) -> Iterator[Problem]:
    if case.diagnosis is None:
        return
    code = case.diagnosis.icd10
    if code is not None and not _ICD10.fullmatch(code):
        yield Problem(
            "icd10", "error", f"{code!r} does not have the shape of an ICD-10 code", "diagnosis.icd10"
        )
    if strict and not case.diagnosis.alternatives:
        yield Problem("no-alternatives", "error", "no other diagnosis is weighed", "diagnosis.alternatives")
    for n, other in enumerate(case.diagnosis.alternatives):
        if other.must_not_miss and not other.discriminators:
            message = "must not be missed, but nothing tells it apart"
            yield Problem("no-discriminator", "error", message, f"diagnosis.alternatives[{n}]")


def _management(case: Case, strict: bool) -> Iterator[Problem]:
    plan = case.management
    if plan is None:
        return
    lacking = {
        "key_features": not plan.key_features,
        "disposition": not plan.disposition.strip(),
        "safety_net": not any(line.strip() for line in plan.safety_net),
        "guideline": not plan.guideline.strip(),
        "jurisdiction": not plan.jurisdiction.strip(),
    }
    for name, missing in lacking.items():
        if missing:
            yield Problem("management-incomplete", "error", "is missing", f"management.{name}")
    if not _OLDEST_SOURCE < plan.year < _NEWEST_SOURCE:
        yield Problem("year", "error", f"{plan.year} is not a likely year", "management.year")
    for feature in plan.key_features:
        where = f"management.key_features[{feature.id}]"
        if not any(term.strip() for term in feature.terms):
            yield Problem("management-incomplete", "error", "no words recognise it", f"{where}.terms")
        if feature.dose is not None and not _DOSE.search(feature.dose):
            yield Problem("dose", "warning", f"{feature.dose!r} has no amount and unit", f"{where}.dose")
        if feature.dose is None and _NAMES_A_DOSE.search(feature.what):
            yield Problem("dose", "warning", "names an amount that belongs in dose", f"{where}.what")
    doubled = [ident for ident, times in Counter(f.id for f in plan.key_features).items() if times > 1]
    for ident in doubled:
        yield Problem("doubled", "error", f"the id {ident} is used twice", "management.key_features")


def _teaching(case: Case, strict: bool) -> Iterator[Problem]:
    plan = case.teaching
    if plan is None:
        return
    if not plan.steps or not plan.objectives:
        yield Problem("teaching-incomplete", "error", "needs objectives and steps", "teaching")
    if len(plan.siblings) < _SIBLINGS:
        level: Level = "error" if strict else "warning"
        yield Problem("siblings", level, f"needs at least {_SIBLINGS} sibling items", "teaching.siblings")
    for n, item in enumerate(plan.siblings):
        if len(set(item.options.values())) < max(2, len(item.options)):
            yield Problem("siblings", "error", "needs options that differ", f"teaching.siblings[{n}].options")


def _provenance(case: Case, strict: bool) -> Iterator[Problem]:
    kept = case.provenance
    if strict and not kept.sources:
        yield Problem("no-sources", "error", "names no textbook or guideline", "provenance.sources")
    if strict and not kept.author:
        yield Problem("no-author", "error", "names no author", "provenance.author")
    for n, source in enumerate(kept.sources):
        if not source.title.strip() or not _OLDEST_SOURCE < source.year < _NEWEST_SOURCE:
            yield Problem("no-sources", "error", "needs a title and a year", f"provenance.sources[{n}]")


def _sections(case: Case, strict: bool) -> Iterator[Problem]:
    for name in ("diagnosis", "workup", "management", "teaching", "safety"):
        if getattr(case, name) is None:
            level: Level = "error" if strict and name != "safety" else "warning"
            yield Problem("not_in_case", level, "the case does not have this section", name)
    for name, value in (("age_years", case.age_years), ("sex", case.sex), ("setting", case.setting)):
        if value is None and (strict or name != "setting"):
            yield Problem("not_in_case", "warning", "the case does not say", name)


_RULES: Final[tuple[Callable[[Case, bool], Iterator[Problem]], ...]] = (
    _leaks,
    _hints,
    _opening,
    _facts,
    _findings,
    _workup,
    _diagnosis,
    _management,
    _teaching,
    _provenance,
    _sections,
)
