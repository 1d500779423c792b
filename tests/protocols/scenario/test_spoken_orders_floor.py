"""How many natural lines of doctors in five Englishes are heard as their writers labelled them.

The lines were written to a brief by writers who had not seen the rules; the rules were then mended on all
of them, so that the floors hold what is reached in sample. Half of the lines had not been looked at until
late: of their orders 0.80 were heard exactly then, which is the better guess for new speech. More lines
were written later by somebody who knew the acts and not the rules; 0.83 of their orders were heard
exactly at once, and three general forms of speech were mended by them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from osler.cases.scenarios.sources import open_scenarios
from osler.cli.reading_sets import hasty
from osler.protocols.scenario.one_line import OneLine, one_line

FIXTURES = Path(__file__).parents[2] / "fixtures"
LINES, UNREAD = FIXTURES / "spoken_orders.jsonl", FIXTURES / "spoken_orders_unread.jsonl"
"""`acts`: the acceptable sets of acts; `read_back`: whether the team must, may or must not ask back;
`order`: false for what only mentions, asks, rejects, quotes or leaves to later."""


@cache
def heard(file: Path = LINES) -> list[tuple[dict[str, Any], OneLine]]:
    """Every labelled line with what it does on entering its state."""
    library = {scenario.case_id: scenario for scenario in open_scenarios("library")}
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [(line, one_line(library[line["scenario"]], line["state"], say=line["say"])) for line in lines]


def exactly(line: dict[str, Any], found: OneLine) -> bool:
    """Whether the acts are one of the acceptable sets, and a half order, and no other, is asked back."""
    asked = found.read_back is not None or any("unclear" in act for act in found.acts)
    wanted = {"must": asked, "may": True, "never": found.read_back is None}[line["read_back"]]
    return wanted and set(found.acts) in [set(acts) for acts in line["acts"]]


def share(lines: list[bool]) -> float:
    return sum(lines) / len(lines)


def test_orders_in_five_englishes_are_heard_exactly() -> None:
    by_english: dict[str, list[bool]] = {}
    for line, found in heard():
        if line["order"]:
            by_english.setdefault(line["english"], []).append(exactly(line, found))
    assert len(by_english) == 5
    assert share([each for lines in by_english.values() for each in lines]) >= 0.95
    assert {english: share(lines) for english, lines in by_english.items() if share(lines) < 0.89} == {}


def test_half_orders_are_asked_back() -> None:
    assert share([exactly(*each) for each in heard() if each[0]["read_back"] == "must"]) >= 0.96


def test_what_is_no_order_does_nothing() -> None:
    acting = {line["say"]: found.acts for line, found in heard() if not line["order"] and found.acts}
    assert len(acting) <= 1, acting


def test_lines_by_somebody_who_knew_only_the_acts_are_heard_too() -> None:
    assert share([exactly(*each) for each in heard(UNREAD) if each[0]["order"]]) >= 0.84
    assert not [line["say"] for line, found in heard(UNREAD) if not line["order"] and found.acts]


def test_speech_without_marks_is_heard_and_talk_in_it_does_nothing() -> None:
    library = {scenario.case_id: scenario for scenario in open_scenarios("library")}
    said = [
        (line, one_line(library[line["scenario"]], line["state"], say=hasty(line["say"])))
        for line, _ in heard()
    ]
    assert share([exactly(*each) for each in said if each[0]["order"]]) >= 0.79
    assert not [line["say"] for line, found in said if not line["order"] and found.acts]
