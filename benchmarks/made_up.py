"""Made-up records in the AgentClinic form, consistent with the built-in knowledge, for benchmarks only.

Each draws a condition, then its findings by their probabilities, and writes them in words. Every text carries
something of its own, so that no two records are answered from the same cache entry.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from osler.knowledge.conditions import knowledge
from osler.knowledge.findings import Finding

JOBS = "teacher|driver|nurse|baker|engineer|farmer|student|clerk|carpenter|retired postman".split("|")
TIMES = "in the morning|in the evening|at night|after meals|when busy".split("|")


def write_cases(path: Path, many: int) -> None:
    """Write `many` records, the same ones every time."""
    luck = Random(20261120)
    with path.open("w") as file:
        for number in range(many):
            file.write(json.dumps(record(luck, number)) + "\n")


def record(luck: Random, number: int) -> dict[str, object]:
    """One record."""
    known = knowledge()
    condition = luck.choices(known.conditions, [c.prior for c in known.conditions])[0]
    row = known.present[known.conditions.index(condition)]
    drawn = {item: luck.random() < p for item, p in zip(known.findings, row, strict=True)}
    likely = {item for item in drawn if item.id in condition.findings}
    told = [item for item, there in drawn.items() if there and item.kind == "symptom"]
    first, *others = told or [next(item for item in known.findings if item.kind == "symptom")]
    denied = [item for item, there in drawn.items() if not there and item.kind == "symptom"]
    history = [item for item, there in drawn.items() if there and item.kind == "history"]
    days, number_of_visit = luck.randint(2, 40), number + 1
    sex = "female" if condition.sex.get("male") == 0 else "male" if condition.sex.get("female") == 0 else ""
    return {
        "OSCE_Examination": {
            "Objective_for_Doctor": f"Assess and diagnose the patient presenting with {word(luck, first)}.",
            "Patient_Actor": {
                "Demographics": f"{luck.randint(18, 80)}-year-old {sex or luck.choice(('male', 'female'))}",
                "History": (
                    f"The patient reports {word(luck, first)} for the past {days} days, worse "
                    f"{luck.choice(TIMES)}. It is entry {number_of_visit} in the diary."
                ),
                "Symptoms": {
                    "Primary_Symptom": word(luck, first).capitalize(),
                    "Secondary_Symptoms": [
                        f"{word(luck, item).capitalize()} for {luck.randint(1, days)} days"
                        for item in others[:8]
                    ],
                },
                "Past_Medical_History": "; ".join(word(luck, item) for item in history) or "Nothing of note.",
                "Social_History": f"Works as a {luck.choice(JOBS)} at number {number_of_visit}.",
                "Review_of_Systems": f"Denies {', '.join(word(luck, i) for i in luck.sample(denied, 6))}.",
            },
            "Physical_Examination_Findings": results(luck, drawn, likely, "sign", number),
            "Test_Results": results(luck, drawn, likely, "test", number),
            "Correct_Diagnosis": condition.name,
        }
    }


def word(luck: Random, item: Finding) -> str:
    """One of the ways to say it."""
    return luck.choice(item.forms or item.positive or (item.name,))


def results(
    luck: Random, drawn: dict[Finding, bool], likely: set[Finding], kind: str, number: int
) -> dict[str, str]:
    """What examinations or tests show, by the name they are ordered by."""
    found: dict[str, list[str]] = {}
    for item, there in drawn.items():
        if item.kind == kind and item.order and (there or item in likely):
            words = (item.positive or (item.name,)) if there else (item.negative or ("Unremarkable",))
            found.setdefault(item.order, []).append(luck.choice(words))
    return {order: f"{'. '.join(said).capitalize()}. Report {number}." for order, said in found.items()}
