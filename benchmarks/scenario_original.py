"""Prompting as the source's code does it, rebuilt as a test double from the description of it that we have.

From the description (MedSP1000's released code): three calls a turn, examinee, then patient, then
environment, and one judge's call at the end over everything. Every call stands alone and sends the role's
whole packet with its rules again, and the form of the answer. The patient's sends the last four turns, with
what the physician did, what it showed and what the state is called; the environment's the whole action log
with each assessment, all feedback, and the state. Replies have the fields listed there (assessments with the
raw words and a rationale, who is present with evidence).

Ours, because the description does not say it: the rules of each role are the words of our own prompts, so
that the figure depends on what is sent again and not on whose rules are longer; the examinee is sent the
whole conversation, without which it could not play; logs are written as compact JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scenario_script import Turn

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.judging.model.template import template
from osler.judging.rubric.by_model import TEMPLATE
from osler.players.model.messages import opening
from osler.protocols.scenario import views
from osler.protocols.scenario.model import prompts as lines

WINDOW: Final = 4
FORMS: Final = {
    "examinee": "speak, actions[], eos",
    "patient": "speak[], actors_present{role: evidence}",
    "environment": (
        "feedback[], events[], actors_present{role: evidence}, action_assessments[{raw, interpreted_action, "
        "status: executed|pending|unsupported, rationale}], patient_status, progress_index, state_label, "
        "should_end, completion_reason"
    ),
    "judge": "reasoning, PC{item: bool}, MK{item: bool}, SBP{item: bool}, ICS{item: bool}, PBLI{item: bool}, "
    "PROF{item: bool}",
}


def original_prompts(packet: Scenario, turns: Sequence[Turn]) -> list[str]:
    """Every prompt that is sent over these turns, in order."""
    return list(_prompts(packet, turns))


def _prompts(packet: Scenario, turns: Sequence[Turn]) -> Iterator[str]:
    examinee, patient, environment = _rules(packet, len(turns))
    log: list[dict[str, Any]] = []
    feedback: list[str] = []
    transcript: list[dict[str, str]] = []
    began: list[int] = []
    state: dict[str, Any] = {"progress_index": 0, "state_label": "", "patient_status": ""}
    for turn in turns:
        began.append(len(transcript))
        said, did = _line("examinee", turn.speak), [act for act, _, _ in turn.acts]
        yield _prompt(examinee, "examinee", conversation=transcript)
        window = transcript[began[max(0, len(began) - 1 - WINDOW)] :]
        yield _prompt(patient, "patient", turns=window, state=state, examinee=said, actions=did)
        answers = [_line("sp", f"{who}: {words}") for who, words in turn.answers]
        now = {"examinee": said, "sp": answers, "actions": did, "eos": turn.eos}
        yield _prompt(environment, "environment", state=state, action_log=log, feedback=feedback, now=now)
        ruling = turn.controller(packet=True)
        state = {name: ruling[name] for name in state}
        log += [
            {**{k: each[k] for k in ("interpreted_action", "status", "rationale")}, "raw": act}
            for each, act in zip(ruling["assessments"], did, strict=True)
        ]
        feedback += ruling["feedback"]
        shown = [_line("environment", text) for text in (*ruling["feedback"], turn.status)]
        transcript += [said, *(_line("examinee_actions", act) for act in did), *answers, *shown]
        transcript.append(_line("system_event", json.dumps(state)))
    yield _judge(packet, transcript, log, feedback)


def _rules(packet: Scenario, turns: int) -> tuple[str, str, str]:
    examinee = opening(views.examinee_view(packet, max_turns=turns), lines.EXAMINEE)
    patient = opening(views.patient_seat_view(packet, persona("plain"), "standard"), lines.PATIENT)
    environment = opening(views.controller_view(packet), lines.CONTROLLER)
    return examinee.text, patient.text, environment.text


def _judge(
    packet: Scenario, transcript: list[dict[str, str]], log: list[dict[str, Any]], feedback: list[str]
) -> str:
    items = packet.items.items if packet.items else ()
    rules = template(TEMPLATE).system
    rubric = [item.text for item in items]
    return _prompt(rules, "judge", rubric=rubric, transcript=transcript, action_log=log, feedback=feedback)


def _line(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _prompt(rules: str, role: str, **sent: Any) -> str:
    shown = "\n".join(f"{name}: {_json(value)}" for name, value in sent.items())
    return f"<|system|>\n{rules}\n<|user|>\n{shown}\nAnswer with one JSON object: {FORMS[role]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
