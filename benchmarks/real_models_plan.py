"""The runs that `real_models.py` plays: a model in one seat at a time, and what is scripted beside it.

Where a seat only answers, whoever asks is scripted, so that it is asked the same whatever its form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.settings import ScenarioSettings
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.settings import RoundSettings

QUESTIONS: Final = (
    "What brings you in today?",
    "When did it start, and how has it changed since then?",
    "Where do you feel it, and how bad is it?",
    "Have you noticed anything else that is unusual for you?",
    "Does anything make it better or worse?",
    "What illnesses or operations have you had in the past?",
    "Do you take any medicines, and are you allergic to anything?",
    "Do you smoke, drink alcohol or use drugs?",
)
ORDERS: Final = ("Physical examination", "Complete blood count")
"""What the scripted doctor asks and orders of every case, here and in AgentClinic's loop."""
MORE_ORDERS: Final = (*ORDERS, "Vital signs", "Electrocardiogram", "Chest X-ray", "Urinalysis")
CONCLUSION: Final = "Unclear illness"
CALLS: Final = ("What would you ask next?", "What is the most likely diagnosis?")
SCENARIOS: Final = ("st01", "st03")
DOCTORS_TURNS: Final = 12
EXAMINEES_TURNS: Final = 6
LIBRARY: Final = "library"
IMPORTED: Final = "imported"
LOOP: Final = "beside the loop"
DOCTOR: Final = "consultation/doctor"


class Part(NamedTuple):
    """A run of the plan: the seat that the model has, the source of its cases in a word, and the run."""

    seat: str
    source: str
    config: Config

    @property
    def name(self) -> str:
        """Its name, one of its kind in a plan."""
        return f"{self.seat}, {self.source}"


def scripts(folder: Path) -> dict[str, str]:
    """Write the scripted doctors into a folder; their players' names."""
    asked: dict[str, Sequence[Mapping[str, str]]] = {
        "history": [_ask(line) for line in QUESTIONS],
        "orders": [_order(name) for name in MORE_ORDERS],
        "calls": [_ask(QUESTIONS[0]), *({"action": "CALL_MDT", "question": line} for line in CALLS)],
        "loop": [*map(_ask, QUESTIONS), *map(_order, ORDERS)],
    }
    found = {}
    for name, moves in asked.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps([*moves, {"action": "FINALIZE", "diagnosis": CONCLUSION}]))
        found[name] = f"scripted:{path}"
    return found


def loop_script() -> list[str]:
    """The same doctor's lines as AgentClinic's loop writes them."""
    orders = [f"REQUEST TEST: {name.replace(' ', '_')}" for name in ORDERS]
    return [*QUESTIONS, *orders, f"DIAGNOSIS READY: {CONCLUSION}"]


def plan(model: str, doctors: Mapping[str, str], cases: int, imported: str | None) -> Iterator[Part]:
    """A part for every seat and source: `cases` of each, a ward round of the library's first."""
    sources = {LIBRARY: "library", **({IMPORTED: imported} if imported else {})}
    for seat, more in _consultations(model, doctors).items():
        for source, named in sources.items():
            yield Part(f"consultation/{seat}", source, RunConfig(cases=named, limit=cases, **more))
    turns = ScenarioSettings(max_turns=EXAMINEES_TURNS)
    for seat in ("examinee", "patient", "controller"):
        for named in SCENARIOS:
            config = ScenarioConfig(cases=named, settings=turns, **{seat: model})
            yield Part(f"scenario/{seat}", named, config)
    short = RoundSettings(max_rounds=2, max_drafts=2)
    for seat in ("tutor", "student", "patient", "specialist", "supervisor", "expert"):
        own: dict[str, Any] = {seat: (model,) if seat == "student" else model}
        # A tutor of two beginners; the patient and the expert are asked by students.
        round_ = RoundConfig(limit=max(1, cases // 2), students=2, settings=short, **own)
        yield Part(f"ward round/{seat}", LIBRARY, round_)


def beside_the_loop(model: str, doctors: Mapping[str, str], cases: int, records: Path) -> Part:
    """Patient and examination service by the model, the doctor scripted as in AgentClinic's loop."""
    config = RunConfig(
        cases=str(records), limit=cases, doctor=doctors["loop"], patient=model, examination=model
    )
    return Part("consultation/patient and examination", LOOP, config)


def _consultations(model: str, doctors: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    short = Settings(limits=Limits(max_turns=DOCTORS_TURNS))
    return {
        "doctor": {"doctor": model, "settings": short},
        "patient": {"doctor": doctors["history"], "patient": model},
        "examination": {"doctor": doctors["orders"], "examination": model},
        "consultant": {"doctor": doctors["calls"], "consultant": model},
    }


def _ask(question: str) -> dict[str, str]:
    return {"action": "ASK", "question": question}


def _order(name: str) -> dict[str, str]:
    return {"action": "REQUEST_TEST", "test_name": name}
