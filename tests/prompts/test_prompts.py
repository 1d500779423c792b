"""The packaged prompts: what they say of themselves, what they render to; text in them stays text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import osler
from osler.cases.personas import persona
from osler.core.events import View
from osler.errors import BadInput
from osler.players.model.seat import Moves
from osler.prompts import prompt
from osler.protocols.consultation import views
from osler.protocols.consultation.seats import DoctorView
from osler.protocols.scenario import views as scenario_views
from osler.protocols.shared.views import patient_view
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.seats import StudentProfile
from osler.testing.cases import small_case
from tests.prompts.seats import opening
from tests.protocols.scenario.playing import small
from tests.protocols.ward_round.conftest import taught_case

GOLDEN = Path(__file__).parent / "golden"
SOURCE = Path(osler.__file__).parent
FILES = {
    file.stem: f"{'.'.join(('osler', *file.parts[:-2]))}:prompts/{file.name}"
    for file in sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.jinja"))
}
"""Every packaged prompt by its name."""
OF_JUDGES = {name for name in FILES if name.startswith("judge_")}
"""Approved in `tests/judging` and `tests/protocols`."""
OF_AUTHORS = {"case", "convert", "prepare"}
"""Rendered in `tests/authoring`."""
SEATS = sorted(FILES.keys() - OF_JUDGES - OF_AUTHORS)
REWRITE = os.environ.get("OSLER_GOLDEN") == "write"


def view_with_cards() -> View:
    view = views.doctor_view(
        small_case(),
        options_shown=True,
        max_turns=20,
        max_tests_per_visit=3,
        max_visits=1,
        has_consultant=True,
    )
    cards = ("Cough with fever: listen to the chest before the picture.",)
    return DoctorView.model_validate({**view.model_dump(), "memory_cards": cards})


def rendered(name: str) -> str:
    case = small_case()
    moves: Moves = "text" if name == "doctor.text-moves" else "json"
    match name:
        case "doctor.json" | "doctor.text-moves":
            view = view_with_cards()
        case "patient":
            view = patient_view(case, persona=persona("anxious"), unknown="standard")
        case "examination":
            view = views.examination_view(case)
        case "doctor.told":
            vignette, summary = (
                views.told_view(case, options_shown=True, told=how) for how in ("vignette", "summary")
            )
            return f"{opening(vignette, 'json').text}\n\n{opening(summary, 'text').text}"
        case "summarizer":
            view = views.summarizer_view(case)
        case "synthesizer":
            view = views.synthesizer_view(case)
        case "consultant":
            view = views.consultant_view(case, options_shown=False)
        case "tutor" | "student" | "specialist" | "supervisor" | "expert":
            view = round_view(name)
        case "examinee" | "standardized_patient" | "controller":
            view = scenario_view(name)
        case "deliberation":
            ways = ("choose", "advise", "synthesize", "revise")
            return "\n\n".join(
                prompt(FILES[name]).render({"how": how, "texts": ("One.", "Two.")}) for how in ways
            )
        case "listen":
            return prompt(FILES[name]).render({"texts": ("Since Monday.", "(none of these)")})
        case "panel":
            return prompt(FILES[name]).render(
                {"how": "recruit", "texts": ("2", "the one: a", "the other: b")}
            )
        case "reconsider":
            how = ("step by step", "vote", "conclude", "discuss")
            return "\n\n".join(
                prompt(FILES[name]).render({"how": each, "texts": ("Gout", "Sprain")}) for each in how
            )
        case "second_attempt":
            return "\n\n".join(
                prompt(FILES[name]).render({"wrong": "Sprain", "right": "Gout", "anew": anew})
                for anew in (True, False)
            )
        case "question":
            arms = ((0, 0), (1, 0), (2, 0), (0, 1), (0, 3))
            return "\n\n".join(
                prompt(FILES[name]).render({"pictures": ("one",) * attached, "withheld": withheld})
                for attached, withheld in arms
            )
        case "told_elsewhere":
            return prompt(FILES[name]).render({"seat": "doctor"})
        case _:
            return prompt(FILES[name]).render({"denials": True})
    return opening(view, moves).text


def scenario_view(name: str) -> View:
    scenario = small()
    match name:
        case "examinee":
            return scenario_views.examinee_view(scenario, max_turns=8)
        case "standardized_patient":
            return scenario_views.patient_seat_view(scenario, persona("anxious"), "standard")
    return scenario_views.controller_view(scenario)


def round_view(name: str) -> View:
    case = taught_case()
    cohort = (
        StudentProfile(name="Ann", level="beginner", strengths=("anatomy",), weaknesses=("drugs",)),
        StudentProfile(name="Ben", level="advanced", manner="Speaks before thinking."),
    )
    plan = teaching.teaching_plan(case)
    match name:
        case "tutor":
            return teaching.tutor_view(case, plan, cohort, max_rounds=3, max_drafts=2, private_thought=True)
        case "student":
            return teaching.student_view(case, cohort, 0, max_rounds=3, patient=True, expert=True)
        case "specialist":
            return teaching.specialist_view(case)
        case "supervisor":
            return teaching.supervisor_view(cohort)
    return teaching.expert_view()


@pytest.mark.parametrize("name", SEATS)
def test_a_prompt_renders_to_what_was_last_approved(name: str) -> None:
    """After a change that is meant: OSLER_GOLDEN=write pytest tests/prompts, and read the difference."""
    file = GOLDEN / f"{name}.txt"
    if REWRITE:
        file.parent.mkdir(exist_ok=True)
        file.write_text(rendered(name) + "\n", encoding="utf-8")
    assert rendered(name) + "\n" == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_prompt_says_why_its_rules_are_as_they_are(name: str) -> None:
    found = prompt(FILES[name])
    assert found.why.startswith("Why these rules")
    assert len(found.why) > 200
    assert "Why these rules" not in found.text


@pytest.mark.parametrize("name", SEATS)
def test_a_prompt_is_rendered_whole(name: str) -> None:
    assert "{{" not in rendered(name)
    assert "{%" not in rendered(name)


def test_prompts_differ_in_their_hash() -> None:
    hashes = {prompt(FILES[name]).hash for name in FILES}
    assert len(hashes) == len(FILES) == len(list(SOURCE.rglob("*.jinja"))), "no two prompts share a name"
    assert all(re.fullmatch(r"[0-9a-f]{16}", found) for found in hashes)


def test_a_value_that_is_missing_is_refused_and_not_rendered_as_nothing() -> None:
    with pytest.raises(BadInput, match=r"consultant\.jinja.*(?:door_note|specialty)"):
        prompt(FILES["consultant"]).render({})
    with pytest.raises(BadInput, match="names no prompt"):
        prompt("../../secret")


def test_a_template_inside_a_text_is_only_text() -> None:
    case = small_case(
        opening=small_case().opening.model_copy(update={"door_note": "{{ 7 * 7 }} {% include 'x' %}"})
    )
    shown = opening(views.consultant_view(case, options_shown=False)).text
    assert "{{ 7 * 7 }}" in shown
    assert "49" not in shown
