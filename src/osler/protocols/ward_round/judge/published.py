"""Sessions in the published evaluation format, `{id, case_data, dialogue_history:
[{round, Patient, students{name: text}, Teacher}]}`.

`question` is the vignette with the question at its end. A last round with only the patient's words is the
patient's last answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from osler.protocols.ward_round.judge.session import Round, Session, Spoken


def record_of(session: Session) -> dict[str, Any]:
    """A session as a published record. If a student spoke twice in a round, both are joined into one text."""
    rounds = (*session.rounds, *((Round(patient=session.closing),) if session.closing else ()))
    label = next((letter for letter, text in session.options.items() if text == session.answer), "")
    return {
        "id": session.id,
        "case_data": {
            "id": session.id,
            "question": _vignette(session),
            "options": session.options,
            "label": label or session.answer,
            "question_steps": [
                {"key_question": step.key_question, "step_summary": step.summary} for step in session.steps
            ],
        },
        "dialogue_history": [
            {
                "round": n,
                "Patient": round_.patient,
                "students": _by_student(round_.spoken),
                "Teacher": round_.guidance,
            }
            for n, round_ in enumerate(rounds, 1)
        ],
    }


def _vignette(session: Session) -> str:
    """The vignette, the chart and the question, a line for each part."""
    lines = [f"{line.label}: {line.text}" for line in session.case]
    return "\n".join([*lines, session.question])


def _by_student(spoken: Sequence[Spoken]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for one in spoken:
        texts.setdefault(one.student, []).append(one.text)
    return {name: "\n".join(said) for name, said in texts.items()}
