"""Lint rules for management, safety actions and the teaching plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from osler.cases.importers.leaks import plain
from osler.cases.lint_problem import NEWEST_SOURCE, OLDEST_SOURCE, Level, Problem, of_our_own
from osler.cases.model import Case, KeyFeature, SafetyAction

_AMOUNTS: Final = r"mg|mcg|microgram|µg|g\b|units?|ml|mL|mmol|%|litres?|puffs?|drops?|tablets?"
_DOSE: Final = re.compile(rf"\d[^\d]*?(?:{_AMOUNTS})")
_NAMES_A_DOSE: Final = re.compile(r"\b\d+(?:\.\d+)?\s?(?:mg|mcg|micrograms?|g|units?|ml)\b", re.IGNORECASE)
_REFUSES: Final = re.compile(
    r"\b(?:stop|avoid|not?|with(?:out|hold)|hold|omit|discontinue|pause|never)\b", re.IGNORECASE
)
_SIBLINGS: Final = 2


def _key_feature(case: Case, feature: KeyFeature, strict: bool) -> Iterator[Problem]:
    """A key feature: words recognize it and each of its parts, and an amount stands in its dose."""
    where = f"management.key_features[{feature.id}]"
    if not any(term.strip() for term in feature.terms):
        yield Problem("management-incomplete", "error", "no words recognise it", f"{where}.terms")
    for part in feature.parts:
        if strict and not any(_names(feature.what, term) for term in part.terms):
            message = f"its part {part.what!r} would not be recognised in its own words"
            yield Problem("unrecognised", of_our_own(case), message, f"{where}.what")
    if feature.dose is not None and not _DOSE.search(feature.dose):
        yield Problem("dose", "warning", f"{feature.dose!r} has no amount and unit", f"{where}.dose")
    if feature.dose is None and _NAMES_A_DOSE.search(feature.what):
        yield Problem("dose", "warning", "names an amount that belongs in dose", f"{where}.what")


def management(case: Case, strict: bool) -> Iterator[Problem]:
    """Management: required steps are complete and recognizable, and none contradicts a prohibition."""
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
    if not OLDEST_SOURCE < plan.year < NEWEST_SOURCE:
        yield Problem("year", "error", f"{plan.year} is not a likely year", "management.year")
    for feature in plan.key_features:
        yield from _key_feature(case, feature, strict)
    doubled = [ident for ident, times in Counter(f.id for f in plan.key_features).items() if times > 1]
    for ident in doubled:
        yield Problem("doubled", "error", f"the id {ident} is used twice", "management.key_features")
    if strict:
        yield from _unrecognised(plan.key_features, "management.key_features", of_our_own(case))
        yield from _contradictions(case)


def safety(case: Case, strict: bool) -> Iterator[Problem]:
    """Each safety action is recognized in its own words."""
    if strict and case.safety:
        yield from _unrecognised(case.safety, "safety", of_our_own(case))


def _unrecognised(steps: Iterable[KeyFeature | SafetyAction], where: str, level: Level) -> Iterator[Problem]:
    """Steps that would not be recognized even in the case's own words for them."""
    for step in steps:
        if step.terms and not any(_names(step.what, term) for term in step.terms):
            message = "none of its terms stands in its own words"
            yield Problem("unrecognised", level, message, f"{where}[{step.id}].what")


def _contradictions(case: Case) -> Iterator[Problem]:
    """Steps that require what the case forbids."""
    plan, work = case.management, case.workup
    both = (*(plan.contraindicated if plan else ()), *(work.contraindicated if work else ()))
    forbidden = [(other.name, [found for term in other.terms if (found := plain(term))]) for other in both]
    for feature in plan.key_features if plan else ():
        asked = [term for term in feature.terms if not _REFUSES.search(term)]
        for other in _forbidding(forbidden, asked):
            where = f"management.key_features[{feature.id}].terms"
            yield Problem("contradiction", "error", f"asks for what is contraindicated: {other}", where)
    required = {ident for group in (work.required if work else ()) for ident in group}
    for finding in case.findings:
        if finding.id in required:
            for other in _forbidding(forbidden, (finding.name, *finding.aliases)):
                where = f"findings[{finding.id}]"
                yield Problem("contradiction", "error", f"required, and contraindicated: {other}", where)


def _forbidding(forbidden: Iterable[tuple[str, list[str]]], asked: Iterable[str]) -> Iterator[str]:
    lines = [f" {plain(words)} " for words in asked]
    for name, terms in forbidden:
        if any(_stands(wanted, words) for words in lines for wanted in terms):
            yield name


def _names(text: str, term: str) -> bool:
    """Whether a text contains the words of a term, the last of them perhaps in the plural."""
    wanted = plain(term)
    return bool(wanted) and _stands(wanted, f" {plain(text)} ")


def _stands(wanted: str, told: str) -> bool:
    return any(f" {wanted}{end} " in told for end in ("", "s", "es"))


def teaching(case: Case, strict: bool) -> Iterator[Problem]:
    """The teaching plan: objectives, steps, and sibling items that measure something."""
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
    letters = [item.answer for item in plan.siblings]
    if strict and len(letters) > 1 and len(set(letters)) == 1:
        message = f"the right answer is {letters[0]} every time"
        yield Problem("siblings", "warning", message, "teaching.siblings")
