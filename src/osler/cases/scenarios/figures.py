"""Distribution figures of scenarios: counts by sex, age, specialty, urgency, shape, body part and modality.

Counts are of scenarios. A scenario may have several modalities; of everything else it has one value, or none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from osler.cases.modality import modality_of
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.packet_text import LEFT_OUT

NOT_STATED: Final = "not stated"
_AGES: Final = ((1, "under 1"), (5, "1-4"), (18, "5-17"), (40, "18-39"), (65, "40-64"), (80, "65-79"))
_OLDEST: Final = "80 and over"
_LEFT_OUT: Final = re.compile(rf"^note: (.+) {re.escape(LEFT_OUT)}$")
FIGURES: Final = ("sex", "age", "specialty", "urgency", "case_shape", "body_part", "modality")
"""The figures, in the order of a table; `specialty` is what the published triage calls the department."""


def distribution(scenarios: Iterable[Scenario]) -> dict[str, dict[str, int]]:
    """For each of `FIGURES`, the number of scenarios by value: ages in order, all else the commonest first,
    `not stated` last. Values that differ only in their letters' case are one."""
    result: dict[str, Counter[str]] = {name: Counter() for name in FIGURES}
    written: dict[str, str] = {}
    for scenario in scenarios:
        for name, value in _values(scenario):
            plain = " ".join(value.split())
            result[name][written.setdefault(plain.casefold(), plain)] += 1
    return {name: dict(sorted(counts.items(), key=_place)) for name, counts in result.items()}


def _values(scenario: Scenario) -> Iterator[tuple[str, str]]:
    yield "sex", scenario.sex or NOT_STATED
    yield "age", _band(scenario.age_years)
    yield "specialty", scenario.specialty or NOT_STATED
    yield "urgency", scenario.urgency or NOT_STATED
    yield "case_shape", scenario.case_shape or NOT_STATED
    yield "body_part", scenario.body_part or NOT_STATED
    yield from (("modality", each) for each in dict.fromkeys(_modalities(scenario)))


def _band(age: float | None) -> str:
    if age is None:
        return NOT_STATED
    return next((band for below, band in _AGES if age < below), _OLDEST)


def _modalities(scenario: Scenario) -> Iterator[str]:
    """The modalities of a packet's files, also those left out; of explicit states, text and pictures."""
    if scenario.packet is None:
        yield "text"
        yield from ("image" for action in scenario.actions if action.picture is not None)
        return
    yield from (modality_of(file.name) for file in scenario.packet.files)
    if not scenario.packet.files:
        yield "text"
    for flag in scenario.provenance.flags:
        if hit := _LEFT_OUT.match(flag):
            yield modality_of(hit[1])


def _place(counted: tuple[str, int]) -> tuple[bool, int, int, str]:
    value, count = counted
    bands = [band for _, band in _AGES] + [_OLDEST]
    band = bands.index(value) if value in bands else -1
    return value == NOT_STATED, band, -count, value
