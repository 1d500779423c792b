"""Reading and writing sessions in the published evaluation format, `{id, case_data, dialogue_history:
[{round, Patient, students{name: text}, Teacher}]}`.

The steps are under `question_steps` or `model_response`, or under `socratic_steps` next to the case;
`question` is the vignette with the question at its end, and may repeat the options. A last round with only
the patient's words is the patient's last answer. A damaged record is rejected with its number and a reason;
none is skipped silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.errors import BadCase
from osler.protocols.ward_round.judge.session import Round, Session, Spoken, Step

_STEPS: Final = ("question_steps", "model_response", "socratic_steps")


def read_sessions(path: Path) -> Iterator[Session | Rejected]:
    """Read each session of a JSON or JSON-lines file, or why it is none. BadInput for an unreadable file."""
    return each_record(path, lambda record: session_of(record.value, record.number))


def session_of(record: Mapping[str, Any], number: int) -> Session:
    """Parse one record. Raises BadCase with the reason if it is invalid."""
    case, history = record.get("case_data"), record.get("dialogue_history")
    if not isinstance(case, Mapping):
        raise BadCase("it has no case_data")
    if not isinstance(history, list) or not history:
        raise BadCase("it has no dialogue_history")
    options = _options(case.get("options"))
    label = _text(case.get("label") or case.get("answer"))
    answer = options.get(label, label)
    if not answer:
        raise BadCase("its case_data has no label")
    rounds = [_round(entry, n) for n, entry in enumerate(history, 1)]
    last = rounds[-1]
    closing = last.patient if len(rounds) > 1 and not (last.spoken or last.guidance) else ""
    return Session(
        id=_text(record.get("id") or case.get("id")) or f"record-{number}",
        question=_text(case.get("question")),
        options=options,
        answer=answer,
        steps=tuple(_steps(record, case)),
        rounds=tuple(rounds[:-1] if closing else rounds),
        closing=closing,
    )


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


def _steps(record: Mapping[str, Any], case: Mapping[str, Any]) -> Iterator[Step]:
    places = [(holder.get(name)) for holder in (case, record) for name in _STEPS]
    result = next((place for place in places if isinstance(place, list) and place), [])
    for step in result:
        if isinstance(step, Mapping) and _text(step.get("key_question")):
            yield Step(key_question=_text(step["key_question"]), summary=_text(step.get("step_summary")))


def _round(entry: object, n: int) -> Round:
    if not isinstance(entry, Mapping):
        raise BadCase(f"round {n} of its dialogue_history is not an object")
    students = entry.get("students") or {}
    if not isinstance(students, Mapping):
        raise BadCase(f"students of round {n} are not an object of names and texts")
    spoken = (
        Spoken(student=_text(name)[:100] or "student", text=_text(text)) for name, text in students.items()
    )
    return Round(
        patient=_text(entry.get("Patient")), students=tuple(spoken), guidance=_text(entry.get("Teacher"))
    )


def _options(found: object) -> dict[str, str]:
    if not isinstance(found, Mapping):
        return {}
    return {str(letter): _text(text) for letter, text in found.items()}


def _by_student(spoken: Sequence[Spoken]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for one in spoken:
        texts.setdefault(one.student, []).append(one.text)
    return {name: "\n".join(said) for name, said in texts.items()}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else "" if value is None else str(value)
