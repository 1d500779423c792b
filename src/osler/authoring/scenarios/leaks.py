"""Leaks in the examinee's material: the diagnosis, the assessment, the findings, ids. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from osler.authoring.scenarios.audit_finding import Finding, finding
from osler.authoring.scenarios.consistency import around, vital_signs
from osler.authoring.scenarios.layout import Material
from osler.authoring.scenarios.markdown import plain_text, units
from osler.authoring.scenarios.verbatim import Document, words
from osler.cases.importers.leaks import nearly, plain, plain_names
from osler.cases.importers.vignette.roles import measured

FEWEST_WORDS: Final = 4
_RUN: Final = 8
_STATED: Final = re.compile(
    r"^(?:(?:final|primary|working|principal|correct|underlying|most likely|the)\s+)*diagnosis\b"
    r"(?:\s+is)?\s*[:–—-]?\s+(?P<name>[A-Za-z][^.;:\n]{2,80})",
    re.IGNORECASE,
)
_MEND: Final = "take it out of the examinee's material, or give it to the role that reveals it"


def hidden_names(declared: Sequence[str], material: Material) -> tuple[str, ...]:
    """Names of what the examinee must find out: as declared, and the diagnosis as other roles state it."""
    stated = (
        match["name"].strip()
        for role in ("environment_controller", "evaluator")
        for text in material[role].values()
        for line in plain_text(text).splitlines()
        if (match := _STATED.match(line))
    )
    return tuple(name for name in dict.fromkeys([*declared, *stated]) if plain(name))


def leaks(
    material: Material, hidden: Sequence[str], items: Sequence[str], ids: Sequence[str]
) -> Iterator[Finding]:
    """All leaks in the examinee's material. `items` are the rubric's texts."""
    for name, text in material["examinee"].items():
        yield from _diagnosis(name, text, hidden)
        yield from _assessment(name, text, material["evaluator"], items)
        yield from _findings(name, text, material["environment_controller"])
        for one in ids:
            if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", f"{name}\n{text}", re.IGNORECASE):
                what = "the case's id stands in what the examinee reads"
                yield finding("id_leak", "moderate", "examinee", name, one, what, "take the id out")


def _diagnosis(name: str, text: str, hidden: Sequence[str]) -> Iterator[Finding]:
    for line in (name, *plain_text(text).splitlines()):
        for one in hidden:
            seen = f" {plain(line)} "
            if any(f" {known} " in seen for known in plain_names(one)):
                what = f"names what is to be found out ({one})"
                yield finding("diagnosis_leak", "serious", "examinee", name, line, what, _MEND)
            elif word := nearly(one, line):
                what = f"nearly names what is to be found out ({one}): {word}"
                yield finding("diagnosis_leak", "moderate", "examinee", name, line, what, _MEND)


def _assessment(
    name: str, text: str, evaluator: Mapping[str, str], items: Sequence[str]
) -> Iterator[Finding]:
    document = Document(text)
    for item in items:
        if len(words(item)) >= FEWEST_WORDS and document.find(item):
            what = "an item of the rubric stands in what the examinee reads"
            yield finding("evaluation_leak", "serious", "examinee", name, item, what, _MEND)
    mine = [unit.text for unit in units(text)]
    runs = {run for other in evaluator.values() for unit in units(other) for run in _runs(unit.text)}
    for line in mine:
        if any(run in runs for run in _runs(line)) and not any(words(line) == words(i) for i in items):
            what = f"shares {_RUN} words or more with the evaluator's material"
            yield finding("evaluation_leak", "moderate", "examinee", name, line, what, _MEND)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    held = words(text)
    return (tuple(held[at : at + _RUN]) for at in range(len(held) - _RUN + 1))


def _findings(name: str, text: str, controller: Mapping[str, str]) -> Iterator[Finding]:
    """Measured results that only the controller may reveal; vital signs on a door note may be intended."""
    theirs = [line for other in controller.values() for line in plain_text(other).splitlines()]
    results = {run: line for line in theirs if measured(line) for run in _short_runs(line)}
    for line in plain_text(text).splitlines():
        if not measured(line):
            continue
        run = next((run for run in _short_runs(line) if run in results), None)
        if run is None:
            continue
        vital = next(vital_signs(line), None) is not None
        what = "a vital sign" if vital else "a result"
        yield finding(
            "finding_leak",
            "minor" if vital else "moderate",
            "examinee",
            name,
            around(line, 0, len(line), 200),
            f"{what} of the controller's material stands in what the examinee reads",
            "leave it out unless the examinee is meant to have it from the start",
        )


def _short_runs(line: str) -> Iterator[tuple[str, ...]]:
    """Runs of three words that include a number."""
    held = words(line)
    for at in range(len(held) - 2):
        run = held[at : at + 3]
        if any(word.isdecimal() for word in run) and any(word.isalpha() for word in run):
            yield tuple(run)
