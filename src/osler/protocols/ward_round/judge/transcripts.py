"""Conversion of a ward round's trace to a session for judges and to a published transcript.

A transcript is `{simulation_setup{selected_case, patient_persona, selected_students},
dialogue_history{round_N: [{speaker, content, visibility}]}}`; it contains every line, drafts and reviews
included, each with its visibility, in the round in which it was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.cases.answers import answer_of
from osler.cases.case_lines import case_lines
from osler.cases.model import Case, TeachingPlan
from osler.core.events import Event
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.core.wording import wordings
from osler.judging.lines import JudgedLine as Said
from osler.protocols.ward_round.events import ROUND_WORDS, Reviewed, RoundBegan, RoundLine, Unguided
from osler.protocols.ward_round.judge.session import CaseLine, Round, Session, Spoken, Step, lines_of
from osler.protocols.ward_round.views import teaching_plan

_SAID: Final = {"analysis": "students", "question": "asked"}


def session_of_trace(case: Case, trace: Trace, plan: TeachingPlan | None = None) -> Session:
    """The session that judges of a round see. `plan` is the tutor's teaching plan, if not the case's own."""
    steps = (plan or teaching_plan(case)).steps
    rounds, closing = _rounds(trace)
    return Session(
        id=case.id,
        case=tuple(
            CaseLine(label=line.label, text=line.text, picture=line.picture) for line in case_lines(case)
        ),
        question=case.task.question,
        options=dict(case.task.options or {}) if case.task.kind == "choice" else {},
        answer=answer_of(case),
        steps=tuple(Step(key_question=step.key_question, summary=step.summary) for step in steps),
        rounds=tuple(rounds),
        closing=closing,
    )


def _rounds(trace: Trace) -> tuple[list[Round], str]:
    rounds: list[Round] = []
    patient = ""
    for event in trace.events:
        if isinstance(event, RoundBegan):
            rounds.append(Round(patient=patient))
            patient = ""
        elif isinstance(event, RoundLine) and rounds:
            now = rounds[-1]
            if event.part == "statement" and len(rounds) == 1 and not now.students:
                rounds[-1] = now.model_copy(update={"patient": event.text})
            elif event.part == "statement":
                patient = event.text
            elif (place := _SAID.get(event.part)) is not None:
                spoken = Spoken(student=event.speaker, text=event.text)
                rounds[-1] = now.model_copy(update={place: (*getattr(now, place), spoken)})
            elif event.part == "guidance":
                rounds[-1] = now.model_copy(update={"guidance": event.text})
    return rounds, patient


def lines_said_aloud(trace: Trace, protocol: Protocol) -> tuple[Said, ...]:
    """A ward round as its judges and raters read it: `Protocol.transcript`."""
    rounds, closing = _rounds(trace)
    return lines_of(Session(id="", question="", answer="", rounds=tuple(rounds), closing=closing))


def transcript_of(
    trace: Trace,
    *,
    case: Mapping[str, Any],
    persona: Mapping[str, Any],
    students: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """A trace as a published transcript, without exams; case, persona and students in the published form."""
    history: dict[str, list[dict[str, str]]] = {}
    for event in trace.events:
        if isinstance(event, RoundBegan):
            history[f"round_{event.round}"] = []
        elif history and (line := _published(event)):
            history[next(reversed(history))].append(line)
    setup = {
        "selected_case": dict(case),
        "patient_persona": dict(persona),
        "selected_students": [*students],
    }
    return {"simulation_setup": setup, "dialogue_history": history}


def _published(event: Event) -> dict[str, str] | None:
    if not isinstance(event, RoundLine | Reviewed | Unguided):
        return None
    (wording,) = wordings(event, ROUND_WORDS)
    return {"speaker": wording.speaker, "content": wording.text, "visibility": event.visibility}
