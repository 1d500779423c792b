"""The scenario linter: one function for all kinds of scenarios.

Errors keep a scenario from being played or judged soundly; warnings call for a look. A scenario of our own
library is held strictly to all rules. Those of the course and of the items are in `lint_course` and
`lint_items`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from osler.cases.importers.leaks import plain
from osler.cases.lint_problem import Level, Problem
from osler.cases.lint_shelf import label, sources
from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.lint import lint as lint_rubrics
from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.lint_course import course, names_shown, pieces, seen
from osler.cases.scenarios.lint_items import items_shown
from osler.cases.scenarios.model import Packet, Scenario
from osler.reading.declared_acts import DeclaredActs
from osler.text.act_rules import meets
from osler.text.said_rules import says

VAGUE: Final = (
    "Hello.",
    "How are you?",
    "Can you tell me more?",
    "I see.",
    "I am going to examine you.",
    "We will do some tests.",
    "I will give you some treatment.",
    "Do you have any questions?",
    "I will help you.",
    "Thank you.",
)
"""Utterances that show nothing in particular. Items that one of these earns need a look."""


def words(scenario: Scenario) -> Iterator[Problem]:
    """Problems of the terms of actions and of the rules for what is said."""
    for action in scenario.actions:
        where = f"actions[{action.id}]"
        if action.terms and meets(action.what, action.terms) is None:
            yield Problem("not-recognized", "error", "no term of its own recognizes `what`", f"{where}.terms")
        for other in scenario.actions:
            if other.id != action.id and (by := meets(action.what, other.terms)) is not None:
                message = f"`what` is recognized as {other.id} too, by {by!r}"
                yield Problem("ambiguous", "error", message, f"{where}.what")
    yield from _by_sentences(scenario)
    yield from _vague(scenario)


def _by_sentences(scenario: Scenario) -> Iterator[Problem]:
    """Sentences of an act that are read as another one."""
    given = {one.id: (one.what, *one.says) for one in scenario.actions if not one.terms}
    reader = DeclaredActs(given)
    for ident, sentences in given.items():
        for sentence in sentences:
            if (result := reader.meant(sentence)) not in (ident, ""):
                message = f"{sentence!r} is recognized as {result}"
                yield Problem("ambiguous", "error", message, f"actions[{ident}].says")


def _vague(scenario: Scenario) -> Iterator[Problem]:
    for number, item in enumerate(scenario.rubric, start=1):
        for evidence in item.shown_by:
            if evidence.did or not evidence.said:
                continue
            earned = [one for one in VAGUE if says(one, evidence.said)]
            if earned:
                message = f"is earned by saying no more than {earned[0]!r}"
                yield Problem("vague", "warning", message, f"rubric[{number}].shown_by")


LONGEST: Final = 100_000
SHORTEST: Final = 40
_MOST_SHOWN: Final = 5
_DIAGNOSIS: Final = re.compile(
    r"^[ \t>*_#|-]{0,12}(?:final |correct |primary |principal |main |working |underlying )?diagnos[ie]s"
    r"[ \t*_|]{0,8}[:=–-][ \t*_|]{0,8}([^\n|.;]{3,120})",
    re.IGNORECASE | re.MULTILINE,
)
_SOURCE: Final = re.compile(r"\bmededportal\b|\bmep[-_]\d", re.IGNORECASE)


def packet(scenario: Scenario) -> Iterator[Problem]:
    """Problems of a packet's texts."""
    held = scenario.packet
    if held is None:
        return
    for remark in scenario.provenance.flags:
        yield Problem("note", "warning", remark.removeprefix("note: "), "provenance.flags")
    for role in ("examinee", "sp_actor", "environment_controller", "evaluator"):
        length = len(getattr(held, role))
        if length > LONGEST:
            message = f"{length:,} characters; every model's call begins with them"
            yield Problem("long", "warning", message, f"packet.{role}")
        elif length < SHORTEST:
            yield Problem("short", "warning", f"only {length} characters", f"packet.{role}")
    where = "packet.examinee"
    yield from names_shown(scenario, {where: held.examinee})
    if _SOURCE.search(held.examinee):
        yield Problem("visible-id", "error", "names the source", where)
    yield from _given_away(scenario, held, where)


def _given_away(scenario: Scenario, held: Packet, where: str) -> Iterator[Problem]:
    read = f" {plain(held.examinee)} "
    for number, item in enumerate(scenario.items.items if scenario.items else (), start=1):
        words = plain(item.text)
        if len(words.split()) > 3 and f" {words} " in read:
            yield Problem("given-away", "error", f"holds item {number} of the rubric, word for word", where)
    for name in diagnoses(held):
        if f" {plain(name)} " in read:
            yield Problem("given-away", "error", f"names the diagnosis: {name}", where)
    shared = [
        one for one in dict.fromkeys(pieces(held.evaluator)) if len(one.split()) > 7 and f" {one} " in read
    ]
    for one in shared[:_MOST_SHOWN]:
        shown = one if len(one) <= 80 else f"{one[:80]}…"
        yield Problem("as-evaluator", "warning", f"says what the evaluator reads: {shown}", where)


def diagnoses(held: Packet) -> list[str]:
    """The names of the diagnosis in the parts that the examinee does not read."""
    texts = (held.sp_actor, held.environment_controller, held.evaluator)
    result = (match[1].strip(" *_`#") for text in texts for match in _DIAGNOSIS.finditer(text))
    return [name for name in dict.fromkeys(result) if len(plain(name)) > 3]


CHECK: Final = "check: "
"""The mark, among a scenario's flags, of a place that a draft leaves to its author: where, what, source."""


def to_check(scenario: Scenario) -> Iterator[Problem]:
    """The places of a draft that its author has still to check, in the draft's own words."""
    for flag in scenario.provenance.flags:
        if flag.startswith(CHECK):
            where, _, what = flag.removeprefix(CHECK).partition(": ")
            yield Problem("to-check", "warning", what or where, where)


FEWEST_ITEMS: Final = 12
MOST_ITEMS: Final = 40
FEWEST_COMPETENCIES: Final = 3
_OF_READERS: Final = ("negative", "level", "unsure", "finding", "points")
"""Rubric remarks that do not apply where the traits are written by the author rather than inferred."""
_BETWEEN: Final = ("shared", "same_case")


def lint(scenario: Scenario, *, strict: bool = False) -> Iterator[Problem]:
    """The problems of one scenario, in a fixed order."""
    yield from _rubric(scenario, strict)
    if scenario.packet:
        yield from packet(scenario)
        return
    for rule in (course, words, items_shown, seen, to_check):
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
    competencies = {item.competency for item in rubric.items if not item.traits.negative}
    if len(competencies) < FEWEST_COMPETENCIES:
        message = (
            f"only {', '.join(sorted(competencies))} is judged; {FEWEST_COMPETENCIES} competencies are wanted"
        )
        yield Problem("competencies", level, message, "rubric")
    for number, (item, by_rule) in enumerate(zip(rubric.items, infer(rubric).items, strict=True), start=1):
        if by_rule.traits.by_absence:
            message = f"is phrased as something left undone: {_short(item.text)}"
            yield Problem("left-undone", level, message, f"rubric[{number}]")
        elif by_rule.traits.finding:
            message = f"reads like a finding, not like an act: {_short(item.text)}"
            yield Problem("finding", "warning", message, f"rubric[{number}]")


def _provenance(scenario: Scenario, strict: bool) -> Iterator[Problem]:
    provenance = scenario.provenance
    level: Level = "error" if strict else "warning"
    if not provenance.sources:
        yield Problem("no-sources", level, "names no textbook or guideline", "provenance.sources")
    yield from sources(provenance.sources, level)
    if scenario.shelf is not None:
        # A scenario has no answer of its own; what happens in it stands in the educators' title.
        text = f"{scenario.opening} {scenario.instructions}"
        yield from label(scenario.shelf, [scenario.title] if scenario.title else (), (), text)
    elif strict:
        yield Problem("no-shelf", "error", "learners cannot choose it from a list", "shelf")
    if not provenance.written:
        yield Problem("no-date", level, "does not say when it was written", "provenance.written")
    if not provenance.author:
        yield Problem("no-author", level, "names no author", "provenance.author")
    if not scenario.debrief:
        yield Problem("no-debrief", level, "has no notes for the debrief", "debrief")
    for name in ("title", "specialty", "urgency", "case_shape", "age_years", "sex", "setting", "opening"):
        if getattr(scenario, name) in (None, ""):
            yield Problem("not-said", "warning", "the scenario does not say", name)


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 100 else f"{shown[:100]}…"
