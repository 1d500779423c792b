"""A case and traces for the tests of judging and reports, written by us."""

from __future__ import annotations

from typing import Any

from osler.cases.model import (
    Alternative,
    Case,
    Contraindicated,
    Diagnosis,
    Fact,
    Finding,
    KeyFeature,
    Management,
    Opening,
    Provenance,
    SafetyAction,
    Task,
    Workup,
)
from osler.core.events import Event, Released, Said, Seat, TurnBegan
from osler.core.order_events import Ordered, Resulted
from osler.core.trace import ExchangeRow, Outcome, Trace
from osler.errors import Status
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.seats import Ask, CallMdt, ExaminationReply, Finalize, RequestTest

DIAGNOSIS = Diagnosis(
    name="Pulmonary embolism",
    synonyms=("clot in the lung",),
    alternatives=(
        Alternative(
            name="Aortic dissection",
            why_less_likely="equal pulses",
            must_not_miss=True,
            discriminators=("tearing",),
        ),
        Alternative(name="Pneumonia", why_less_likely="no fever", discriminators=("fever",)),
    ),
)


def case_of(**changes: Any) -> Case:
    """A woman with a pulmonary embolism; `changes` replace whole sections."""
    sections: dict[str, Any] = {
        "id": "clot",
        "task": Task(kind="diagnosis", question="What is it?", answer="Pulmonary embolism"),
        "opening": Opening(door_note="Chest pain", words="It hurts when I breathe."),
        "facts": (
            Fact(id="flight", topic="travel", text="Flew for eleven hours last week.", key=True),
            Fact(id="tearing", topic="character", text="The pain is not tearing.", absent=True, key=True),
            Fact(id="fever", topic="associated", text="No fever.", absent=True),
        ),
        "findings": (
            Finding(id="ctpa", kind="image", name="CT pulmonary angiogram", result="A clot.", key=True),
            Finding(id="ecg", kind="test", name="ECG", result="Sinus tachycardia."),
            Finding(id="rate", kind="examination", name="Heart rate", result="118 a minute", key=True),
        ),
        "diagnosis": DIAGNOSIS,
        "workup": Workup(
            required=(("ctpa",), ("rate",)),
            useful=("ecg",),
            contraindicated=(
                Contraindicated(name="exercise test", terms=("treadmill",), why="may cause collapse"),
            ),
        ),
        "management": Management(
            key_features=(
                KeyFeature(
                    id="anticoagulate",
                    what="Anticoagulate",
                    terms=("anticoagulation", "apixaban", "low molecular weight heparin"),
                    critical=True,
                ),
                KeyFeature(id="oxygen", what="Oxygen if hypoxic", terms=("oxygen",)),
            ),
            contraindicated=(
                Contraindicated(name="nitrate", terms=("glyceryl trinitrate",), why="drops preload"),
            ),
            disposition="admit",
            safety_net=("breathlessness",),
            guideline="A guideline",
            year=2019,
            jurisdiction="UK",
        ),
        "safety": (
            SafetyAction(id="chaperone", what="Offer a chaperone", terms=("chaperone",), why="intimate"),
        ),
        "provenance": Provenance(origin="test", record="1"),
    }
    return Case.model_validate({**sections, **changes})


def _listed(events: list[Event]) -> str:
    return f"[{','.join(event.line for event in events)}]"


def trace_with(
    *exchanges: tuple[list[Event], Seat, Any],
    final: Finalize | None = None,
    status: Status = Status.COMPLETED,
    turns: int = 4,
) -> Trace:
    """A trace of (events before, seat, reply) exchanges, then the conclusion."""
    steps = list(exchanges)
    if final is not None:
        steps.append(([turn(turns, left=5)], "doctor", final))
    rows = tuple(
        ExchangeRow(n, seat, "hash", _listed(events), reply.model_dump_json(), "[]")
        for n, (events, seat, reply) in enumerate(steps)
    )
    return Trace(rows, Outcome(status, "", 30, len(rows), {"turns": turns, "tests": 2, "cost": 250}, "[]"))


def turn(number: int, left: int = 5, tests_left: int | None = 3) -> Event:
    """The doctor's turn `number`."""
    return TurnBegan(
        minute=number, turn=number, turns_left=left, tests_left=tests_left, minutes_left=60, cost_left=None
    )


def asked(question: str, *released: str) -> tuple[list[Event], Seat, Any]:
    """A question that released facts."""
    told = [Released(minute=1, item=item, provenance="case", gate="asked") for item in released]
    return [Said(minute=1, by="doctor", text=question), *told], "doctor", Ask(question=question)


def ordered(name: str, *findings: str, working: tuple[str, ...] = ()) -> tuple[list[Event], Seat, Any]:
    """An order that returned these findings at once, or none."""
    told: list[Event] = [Ordered(minute=2, order=1, name=name)]
    for item in findings:
        told.append(Released(minute=2, item=item, provenance="case", gate="ordered"))
        told.append(Resulted(minute=2, order=1, name=name, returned=True, text="as the case says"))
    reply = ExaminationReply(match_type="exact" if findings else "none", findings=findings)
    return told, "examination", reply


def thought(*names: str) -> tuple[list[Event], Seat, Any]:
    """A move that carries a differential."""
    working = [{"name": name, "confidence": None} for name in names]
    move = RequestTest.model_validate({"test_name": "ECG", "working_diagnoses": working})
    return [], "doctor", move


def advised(note: str) -> tuple[list[Event], Seat, Any]:
    """A call to the consultant that was answered."""
    return [Advised(minute=3, note=note)], "doctor", CallMdt()
