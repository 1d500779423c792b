"""The scenario linter: one function for all kinds of scenarios; the rules are in the modules beside this one.

Errors keep a scenario from being played or judged soundly; warnings call for a look. A scenario of our own
library is held strictly to all rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from osler.cases.lint_problem import NEWEST_SOURCE, OLDEST_SOURCE, Level, Problem
from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.lint import lint as lint_rubrics
from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.lint_course import course
from osler.cases.scenarios.lint_items import items_shown
from osler.cases.scenarios.lint_packet import packet
from osler.cases.scenarios.lint_seen import seen
from osler.cases.scenarios.lint_words import words
from osler.cases.scenarios.model import Scenario

FEWEST_ITEMS: Final = 12
MOST_ITEMS: Final = 40
FEWEST_COMPETENCIES: Final = 3
_OF_READERS: Final = ("negative", "level", "unsure", "finding")
"""Rubric remarks that do not apply where the traits are written by the author rather than inferred."""
_BETWEEN: Final = ("shared", "same_case")


def lint(scenario: Scenario, *, strict: bool = False) -> Iterator[Problem]:
    """The problems of one scenario, in a fixed order."""
    yield from _rubric(scenario, strict)
    if scenario.packet:
        yield from packet(scenario)
        return
    for rule in (course, words, items_shown, seen):
        yield from rule(scenario)
    yield from _provenance(scenario, strict)


def lint_together(rubrics: Mapping[str, Rubric]) -> Iterator[tuple[str, Problem]]:
    """Remarks on several rubrics compared with one another, with the name each is given under."""
    for remark in lint_rubrics(rubrics):
        if remark.kind in _BETWEEN:
            yield remark.file, Problem(remark.kind, "warning", remark.what, "rubric")


def _rubric(scenario: Scenario, strict: bool) -> Iterator[Problem]:
    rubric = scenario.items
    if rubric is None:
        yield Problem("no-rubric", "error", "has no rubric, so it cannot be judged", "rubric")
        return
    places = {item.id: f"rubric[{number}]" for number, item in enumerate(rubric.items, start=1)}
    for remark in lint_rubrics({"": rubric}):
        if remark.kind in _BETWEEN or (scenario.rubric and remark.kind in _OF_READERS):
            continue
        level: Level = "error" if remark.kind == "empty" else "warning"
        yield Problem(remark.kind, level, _short(remark.what), places.get(remark.item, "rubric"))
    if scenario.rubric:
        yield from _own(rubric, "error" if strict else "warning")


def _own(rubric: Rubric, level: Level) -> Iterator[Problem]:
    count = len(rubric.items)
    if not FEWEST_ITEMS <= count <= MOST_ITEMS:
        message = f"{count} items; {FEWEST_ITEMS} to {MOST_ITEMS} are wanted"
        yield Problem("items", level, message, "rubric")
    if not any(item.traits.critical and not item.traits.negative for item in rubric.items):
        yield Problem("no-critical", level, "nothing that must be done is critical", "rubric")
    named = {item.competency for item in rubric.items if not item.traits.negative}
    if len(named) < FEWEST_COMPETENCIES:
        message = f"only {', '.join(sorted(named))} is judged; {FEWEST_COMPETENCIES} competencies are wanted"
        yield Problem("competencies", level, message, "rubric")
    for number, (item, by_rule) in enumerate(zip(rubric.items, infer(rubric).items, strict=True), start=1):
        if by_rule.traits.by_absence:
            message = f"is phrased as something left undone: {_short(item.text)}"
            yield Problem("left-undone", level, message, f"rubric[{number}]")
        elif by_rule.traits.finding:
            message = f"reads like a finding, not like an act: {_short(item.text)}"
            yield Problem("finding", "warning", message, f"rubric[{number}]")


def _provenance(scenario: Scenario, strict: bool) -> Iterator[Problem]:
    kept = scenario.provenance
    level: Level = "error" if strict else "warning"
    if not kept.sources:
        yield Problem("no-sources", level, "names no textbook or guideline", "provenance.sources")
    for number, source in enumerate(kept.sources):
        if not source.title.strip() or not OLDEST_SOURCE < source.year < NEWEST_SOURCE:
            yield Problem("no-sources", level, "needs a title and a year", f"provenance.sources[{number}]")
    if not kept.written:
        yield Problem("no-date", level, "does not say when it was written", "provenance.written")
    if not kept.author:
        yield Problem("no-author", level, "names no author", "provenance.author")
    if not scenario.debrief:
        yield Problem("no-debrief", level, "has no notes for the debrief", "debrief")
    for name in ("title", "specialty", "urgency", "case_shape", "age_years", "sex", "setting", "opening"):
        if getattr(scenario, name) in (None, ""):
            yield Problem("not-said", "warning", "the scenario does not say", name)


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 100 else f"{shown[:100]}…"
