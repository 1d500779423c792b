"""The built-in patient of each of our own cases: a doctor's plain question reaches the fact it asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.protocols.shared.views import patient_view
from tests.protocols.shared.test_patient import conversation

QUESTIONS_OF_CASES = Path(__file__).parents[2] / "fixtures/questions"
ASSURANCES = {
    "in_private": "May I speak with you alone for a moment?",
    "normalized": "I ask everyone these questions.",
    "confidential": "What you tell me is confidential.",
}


@pytest.mark.slow
def test_a_doctors_question_reaches_its_fact_in_nearly_all_of_the_library() -> None:
    """Each fact of our cases was given one question, written before it was tried."""
    missed, told, asked = [], 0, 0
    for case in open_source("library"):
        file = QUESTIONS_OF_CASES / f"{case.id}.yaml"
        if not file.exists():
            continue
        seen = patient_view(case, persona=persona("plain"), unknown="standard")
        facts = {fact.id: fact for fact in seen.facts}
        for item in yaml.safe_load(file.read_text(encoding="utf-8")):
            if item["fact"] not in facts:  # it stands only in the record
                continue
            assurance = ASSURANCES.get(facts[item["fact"]].told)
            reply = conversation([assurance, item["question"]] if assurance else [item["question"]], seen)[-1]
            asked += 1
            told += len(reply.revealed_facts)
            if item["fact"] not in reply.revealed_facts:
                missed.append((case.id, item["fact"], item["question"], reply.revealed_facts))
    assert asked >= 150
    assert len(missed) <= 0.05 * asked, missed
    assert told <= 1.4 * asked
