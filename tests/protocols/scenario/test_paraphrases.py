"""What doctors may write and say, in other words than the scenario's: understood as what its author meant.

`paraphrases/<case_id>.yaml`: `acts` by the actions that they are (joined by +; `none`), `said` by the item of
the rubric that they show, `nothing` earns no item. Wordings that are known to be misread are not listed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.text.act_recognition import Act, Recognizer
from osler.text.said_rules import says

FOLDER = Path(__file__).parent / "paraphrases"
LIBRARY = {scenario.case_id: scenario for scenario in open_scenarios("library")}


@pytest.fixture(params=sorted(LIBRARY))
def listed(request: pytest.FixtureRequest) -> tuple[Scenario, dict[str, Any]]:
    text = (FOLDER / f"{request.param}.yaml").read_text("utf-8")
    return LIBRARY[request.param], yaml.load(text, Loader=yaml.CSafeLoader)


def test_acts_are_recognized_in_other_words(listed: tuple[Scenario, dict[str, Any]]) -> None:
    scenario, wordings = listed
    recognizer = Recognizer(Act(action.id, action.terms) for action in scenario.actions)
    for wanted, texts in wordings["acts"].items():
        for text in texts:
            done = [read.act for read in recognizer.read(text) if read.how == "done" and read.act]
            assert ("+".join(done) or "none") == wanted, text


def test_items_are_shown_in_other_words(listed: tuple[Scenario, dict[str, Any]]) -> None:
    scenario, wordings = listed
    rules = {line.text: [shown.said for shown in line.shown_by if shown.said] for line in scenario.rubric}
    for item, texts in wordings["said"].items():
        for text in texts:
            assert any(says(text, said) for said in rules[item]), (item, text)


def test_empty_phrases_earn_nothing(listed: tuple[Scenario, dict[str, Any]]) -> None:
    scenario, wordings = listed
    earning = [shown.said for line in scenario.rubric for shown in line.shown_by if not shown.did]
    for text in wordings["nothing"]:
        assert not any(says(text, said) for said in earning), text
