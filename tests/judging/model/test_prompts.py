"""The judges' prompts, word for word, and what must never stand in them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from osler.cases.model import Case
from osler.core.events import Noticed
from osler.core.trace import Trace
from osler.judging.model.diagnosis import TEMPLATE as EQUIVALENCE
from osler.judging.model.diagnosis import DiagnosisJudge
from osler.judging.model.template import template
from osler.models.types import Message
from osler.prompts import prompt
from osler.protocols.consultation.events import ConsultAsked, WorkingDiagnosis
from osler.protocols.consultation.judge.manager import TEMPLATE as MANAGER
from osler.protocols.consultation.judge.manager import ManagerJudge
from osler.protocols.consultation.seats import CallMdt
from osler.testing.cases import canary_case
from tests.judging.episodes import case_of, thought, trace_with
from tests.judging.model.judges import ENDPOINT, GOOD, Scripted, careful, episode, strictly_read

GOLDEN = Path(__file__).with_name("golden")
PROMPTS = {"judge_manager": MANAGER, "judge_diagnosis": EQUIVALENCE}


def rendered(name: str) -> str:
    """The whole prompt as it is sent."""
    if name == "judge_diagnosis":
        client = Scripted(careful)
        comparison = DiagnosisJudge(client, ENDPOINT).same(
            "A clot in the lung", "Pulmonary embolism", ("PE", "lung embolism")
        )
        asyncio.run(comparison)
        messages = client.asked[0].messages
    else:
        messages = prompts(case_of(), episode())[0]
    return written((*messages, template(PROMPTS[name]).mending(("I02", "I05"))))


def prompts(case: Case, trace: Trace) -> list[tuple[Message, ...]]:
    """The manager's prompts about one episode, portion by portion."""
    client = Scripted(careful)
    asyncio.run(ManagerJudge(client, ENDPOINT).judged(case, trace, False))
    return [request.messages for request in client.asked if "<<<BEGIN items>>>" in request.messages[-1].text]


def written(*prompts: tuple[Message, ...]) -> str:
    """Messages as text to compare."""
    return "\n\n".join(f"[{one.role}]\n{one.text}" for messages in prompts for one in messages) + "\n"


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompt_is_as_reviewed(name: str) -> None:
    """If this fails because a template changed, read the new prompt whole before renewing the golden file."""
    assert rendered(name) == GOLDEN.joinpath(f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROMPTS)
def test_a_template_says_first_why_its_rules_are_so(name: str) -> None:
    assert prompt(PROMPTS[name]).why.startswith("Why these rules")
    shown = template(PROMPTS[name])
    assert "Why these rules" not in shown.system + shown.user + shown.asked


def test_a_slot_named_in_a_text_stays_text() -> None:
    filled = template(EQUIVALENCE).shared({"reference": "{{answer}}", "answer": "x", "case": ""})
    assert "{{answer}}" in filled[1].text


def test_private_thought_and_machinery_are_hidden() -> None:
    noticed = Noticed(minute=1, to=("doctor",), text="zq-notice")
    asked = ConsultAsked(
        minute=1, question="What next?", working_diagnoses=(WorkingDiagnosis(name="zq-own"),)
    )
    trace = trace_with(thought("zq-differential"), ([noticed, asked], "doctor", CallMdt()), final=GOOD)
    text = written(*prompts(case_of(), trace))
    for hidden in ("zq-", "private-note", "0.875"):
        assert hidden not in text
    assert "What next?" in text


def test_of_the_case_only_what_a_judge_needs_is_shown() -> None:
    text = written(*prompts(canary_case(), episode()))
    shown = ("diagnosis", "synonym", "feature", "harm", "harm-why", "disposition", "net", "asked", "tested")
    hidden = (
        "id",
        "title",
        "withheld",
        "author",
        "origin",
        "book",
        "objective",
        "stem",
        "fact-source",
        "record-number",
    )
    assert [part for part in shown if f"zq-{part}-qz" not in text] == []
    assert [part for part in hidden if f"zq-{part}-qz" in text] == []


def test_what_one_cases_episodes_share_stands_first() -> None:
    one, other = (prompts(case_of(), episode(patient=words))[0] for words in ("Yes.", "Never."))
    assert one[0] == other[0]
    until = one[1].text.index("<<<BEGIN transcript>>>")
    assert one[1].text[:until] == other[1].text[:until]


def test_portions_of_one_episode_differ_only_in_their_last_message() -> None:
    first, second = prompts(case_of(), episode())
    assert first[:-1] == second[:-1]
    assert first[-1] != second[-1]


def test_every_line_says_where_it_comes_from() -> None:
    read = strictly_read(prompts(case_of(), episode())[0])
    sources = [label.split()[1] for label, _ in read.blocks["transcript"]]
    assert sources == [
        *("doctor", "patient", "order", "result", "diagnosis"),
        *("evidence", "evidence", "plan", "plan", "follow_up"),
    ]
