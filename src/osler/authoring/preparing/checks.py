"""Checks on a teaching plan and a patient's script, whether written by a model or by rules.

They allow nothing that is not in the source, no answer before the end, no jargon in a patient's mouth, no
trace of the steps in the script. Each fault is one line; none means that all checks pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from osler.authoring.preparing.script import Script
from osler.cases.answers import names_the_answer
from osler.cases.importers.leaks import plain
from osler.cases.importers.vignette.roles import measured
from osler.cases.model import Case, TeachingPlan
from osler.text.findings_in_text import mentions
from osler.text.jargon import unexplained

FEWEST_STEPS, MOST_STEPS = 2, 12
_SHARED_WORDS: Final = 6
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?(?![\w])")


def source_of(case: Case) -> str:
    """All text of a case that teaching may rely on."""
    diagnosis = case.diagnosis
    others = diagnosis.alternatives if diagnosis else ()
    parts = (
        case.opening.door_note,
        case.opening.words,
        f"{case.age_years:g}" if case.age_years is not None else "",
        *(f"{fact.text} {fact.spoken or ''}" for fact in case.facts),
        *(f"{finding.name}: {finding.result}" for finding in case.findings),
        *(f"{other.name}: {other.why_less_likely}" for other in others),
        case.task.question,
        *(case.task.options or {}).values(),
        *(leaf.text for leaf in case.withheld),
    )
    return "\n".join(filter(None, parts))


def wrong_with_plan(plan: TeachingPlan, case: Case) -> tuple[str, ...]:
    """The faults in a plan's steps and siblings; places count from 1."""
    return tuple(_of_plan(plan, case))


def wrong_with_script(script: Script, plan: TeachingPlan, case: Case) -> tuple[str, ...]:
    """The faults in a script."""
    return tuple(_of_script(script, plan, case))


def _of_plan(plan: TeachingPlan, case: Case) -> Iterator[str]:
    if not FEWEST_STEPS <= len(plan.steps) <= MOST_STEPS:
        yield f"steps: {len(plan.steps)} of them; {FEWEST_STEPS} to {MOST_STEPS} are wanted"
    asked = [plain(step.key_question) for step in plan.steps]
    for n, step in enumerate(plan.steps, 1):
        if "?" not in step.key_question or not step.summary.strip():
            yield f"step {n}: a step is a question and a summary"
        if names_the_answer(case, step.key_question):
            yield f"step {n}: its question names the answer"
        if asked.index(asked[n - 1]) < n - 1:
            yield f"step {n}: asks what step {asked.index(asked[n - 1]) + 1} asks"
        if strange := _not_in(_numbers((step.key_question, step.summary)), case):
            yield f"step {n}: the case does not hold {', '.join(strange[:3])}"
    for n, sibling in enumerate(plan.siblings, 1):
        if names_the_answer(case, " ".join((sibling.stem, *sibling.options.values()))):
            yield f"sibling {n}: names the answer, so no student would ever be asked it"
    if plan.steps and not names_the_answer(case, " ".join(step.summary for step in plan.steps)):
        yield "steps: no summary reaches the answer"


def _of_script(script: Script, plan: TeachingPlan, case: Case) -> Iterator[str]:
    steps = [plain(f"{step.key_question} {step.summary}") for step in plan.steps]
    lines = (f"{fact.text} {fact.spoken or ''}" for fact in case.facts)
    own = plain(" ".join((case.opening.words, *lines)))
    held = affirmed(source_of(case))
    for text in script.facts.texts:
        shown = text if len(text) <= 60 else f"{text[:59]}…"
        if names_the_answer(case, text):
            yield f"script: names the answer ({shown})"
        if measured(text):
            yield f"script: recites a measured value ({shown})"
        if words := unexplained(text, ()):
            yield f"script: {', '.join(words[:3])} is no patient's word ({shown})"
        if strange := _not_in(_numbers((text,)), case):
            yield f"script: the case does not hold {', '.join(strange[:3])} ({shown})"
        if strange := sorted(affirmed(text) - held):
            yield f"script: the case does not say so: {', '.join(strange[:3])} ({shown})"
        if any(_shares(plain(text), step, own) for step in steps):
            yield f"script: repeats a step ({shown})"
    about = (script.age_years, case.age_years), (script.sex, case.sex)
    if any(here is not None and here != there for here, there in about):
        yield "script: its demographics are not the case's"


def affirmed(text: str) -> set[str]:
    """The findings that a text says are there."""
    return {name for name, there in mentions(text).items() if there}


def _numbers(texts: Iterable[str]) -> list[str]:
    return [number for text in texts for number in _NUMBER.findall(text)]


def _not_in(numbers: Iterable[str], case: Case) -> list[str]:
    held = set(_NUMBER.findall(source_of(case)))
    return [number for number in dict.fromkeys(numbers) if number not in held]


def _shares(one: str, other: str, own: str) -> bool:
    """Whether two texts in plain words share a run of words that is no coincidence.

    Runs in the patient's own facts do not count: a step may say what the patient says, but the patient may
    not say what only a step says.
    """
    words = one.split()
    runs = (" ".join(words[at : at + _SHARED_WORDS]) for at in range(len(words) - _SHARED_WORDS + 1))
    return any(f" {run} " in f" {other} " and f" {run} " not in f" {own} " for run in runs)
