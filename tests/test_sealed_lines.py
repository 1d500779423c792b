"""Lines that nothing was learned from: how patient, orders and marks read words of people they never met.

`tests/fixtures/sealed` was written in five Englishes by language models that had seen neither the rules
nor the other lines, and opened once. The figures are in docs/decisions.md; the floors here lie a little
below them, so that a change which reads strangers worse is seen. Never learn from these files: mend what they
show in general, or write new ones and keep these as examples.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from osler.cases.personas import persona
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.sources import open_source
from osler.protocols.scenario.one_line import one_line
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view

SEALED = Path(__file__).parent / "fixtures/sealed"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SEALED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def answered() -> list[tuple[dict[str, Any], str, set[str]]]:
    """Every line to a patient, with the kind of its answer and the facts told."""
    views = {
        case.id: patient_view(case, persona=persona("plain"), unknown="standard")
        for case in open_source("library")
    }
    said: dict[str, list[str]] = defaultdict(list)
    found: list[tuple[dict[str, Any], str, set[str]]] = []
    for line in lines("patient"):
        history = line.get("history")
        before = list(said[history]) if history else line.get("before", [])
        kind, reply = replayed(views[line["case"]], before, line["say"])
        said[history or ""].append(line["say"])
        found.append((line, kind, set(reply.revealed_facts)))
    return found


def test_a_stranger_is_seldom_answered_with_what_was_not_asked_for(
    answered: list[tuple[dict[str, Any], str, set[str]]],
) -> None:
    """2.0 % of 540 (1.1 to 3.6 %)."""
    wrong = [
        line["say"]
        for line, kind, told in answered
        if told and not told & set(line.get("facts", ())) and kind not in line.get("kinds", ())
    ]
    assert len(wrong) <= 0.03 * len(answered), wrong


def test_four_of_five_questions_of_strangers_are_answered(
    answered: list[tuple[dict[str, Any], str, set[str]]],
) -> None:
    """82 % of 342 (77 to 85 %)."""
    asked = [(line, told) for line, _, told in answered if line["expect"] == "fact"]
    assert sum(bool(told & set(line["facts"])) for line, told in asked) >= 0.77 * len(asked)


def test_what_is_no_question_is_answered_in_kind(
    answered: list[tuple[dict[str, Any], str, set[str]]],
) -> None:
    """85 % of 136 (78 to 90 %)."""
    others = [(line, kind) for line, kind, _ in answered if line["expect"] == "other"]
    assert sum(kind in line["kinds"] for line, kind in others) >= 0.8 * len(others)


def test_orders_of_strangers_act_and_what_is_no_order_does_not() -> None:
    """84 % of 294 orders exactly (79 to 88 %); 0.8 % of 126 other sentences act."""
    library = {scenario.case_id: scenario for scenario in open_scenarios("library")}
    exact = orders = acted = others = 0
    for line in lines("orders"):
        found = one_line(library[line["scenario"]], line["state"], say=line["say"])
        if not line["order"]:
            others += 1
            acted += bool(found.acts)
            continue
        orders += 1
        asked_back = found.read_back is not None
        half = asked_back or any("unclear" in act for act in found.acts)
        fits = set(found.acts) in [set(acts) for acts in line["acts"] or [[]]]
        wanted = {"must": half, "never": not asked_back}.get(line["read_back"], True)
        exact += fits and wanted
    assert exact >= 0.82 * orders
    assert acted <= 0.02 * others


def test_marks_for_words_of_strangers() -> None:
    """82 % of 311 items met (77 to 86 %); 3.8 % of 131 lines that meet none get a tick (1.6 to 8.6 %)."""
    library = {scenario.case_id: scenario for scenario in open_scenarios("library")}
    wanted = met = none = false = 0
    for line in lines("marks"):
        found = set(one_line(library[line["scenario"]], line["state"], say=line["say"]).met)
        wanted += len(line["met"])
        met += len(found & set(line["met"]))
        none += not line["met"]
        false += not line["met"] and bool(found - set(line["may"]))
    assert met >= 0.79 * wanted
    assert false <= 0.06 * none
