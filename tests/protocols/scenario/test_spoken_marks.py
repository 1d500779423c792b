"""Marks for spoken lines in five Englishes: how many items are heard, and how many lines earn a false one.

`tests/fixtures/spoken_marks.jsonl` holds lines that were written for the library's scenarios by authors who
did not know the rules: `met` are the items that a fair examiner ticks on this line alone, `may` those on
which examiners would differ; a line without `met` speaks of the same thing without doing it. The rules were
then mended by these lines. The figures are therefore of a sample that was learned from, and better than those
of lines nobody has seen: of the half that was kept back at first, 84 % of the items were met (75 % before),
and 14 % of the near misses earned a tick (21 % before). The floors keep what was reached from being lost.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from osler.cases.scenarios.sources import open_scenarios
from osler.protocols.scenario.one_line import one_line

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures" / "spoken_marks.jsonl")
    .read_text("utf-8")
    .splitlines()
]
LIBRARY = {scenario.case_id: scenario for scenario in open_scenarios("library")}


@pytest.fixture(scope="module")
def ticked() -> list[tuple[dict[str, Any], set[int]]]:
    """Every line with the numbers of the items that it was found to meet."""
    return [
        (line, set(one_line(LIBRARY[line["scenario"]], line["state"], say=line["say"]).met)) for line in LINES
    ]


def test_most_items_are_heard_in_every_english(ticked: list[tuple[dict[str, Any], set[int]]]) -> None:
    wanted, heard = Counter[str](), Counter[str]()
    for line, met in ticked:
        wanted[line["english"]] += len(line["met"])
        heard[line["english"]] += len(met.intersection(line["met"]))
    assert heard.total() >= 0.95 * wanted.total()
    assert {english for english in wanted if heard[english] < 0.9 * wanted[english]} == set()


def test_hardly_a_line_that_meets_nothing_earns_a_tick(ticked: list[tuple[dict[str, Any], set[int]]]) -> None:
    misses = [(line, met) for line, met in ticked if not line["met"]]
    false = [line["say"] for line, met in misses if met.difference(line["may"])]
    assert len(false) <= 0.04 * len(misses), false


def test_few_ticks_are_false(ticked: list[tuple[dict[str, Any], set[int]]]) -> None:
    false = sum(len(met.difference(line["met"], line["may"])) for line, met in ticked)
    assert false <= 0.05 * sum(len(met) for _, met in ticked)
