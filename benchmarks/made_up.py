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
    rng = Random(20261120)
    with path.open("w") as file:
        for number in range(many):
            file.write(json.dumps(record(rng, number)) + "\n")


def record(rng: Random, number: int) -> dict[str, object]:
    """One record."""
    known = knowledge()
    condition = rng.choices(known.conditions, [c.prior for c in known.conditions])[0]
    row = known.present[known.conditions.index(condition)]
    drawn = {item: rng.random() < p for item, p in zip(known.findings, row, strict=True)}
    likely = {item for item in drawn if item.id in condition.findings}
    told = [item for item, there in drawn.items() if there and item.kind == "symptom"]
    first, *others = told or [next(item for item in known.findings if item.kind == "symptom")]
    denied = [item for item, there in drawn.items() if not there and item.kind == "symptom"]
    history = [item for item, there in drawn.items() if there and item.kind == "history"]
    days, number_of_visit = rng.randint(2, 40), number + 1
    sex = "female" if condition.sex.get("male") == 0 else "male" if condition.sex.get("female") == 0 else ""
    return {
        "OSCE_Examination": {
            "Objective_for_Doctor": f"Assess and diagnose the patient presenting with {word(rng, first)}.",
            "Patient_Actor": {
                "Demographics": f"{rng.randint(18, 80)}-year-old {sex or rng.choice(('male', 'female'))}",
                "History": (
                    f"The patient reports {word(rng, first)} for the past {days} days, worse "
                    f"{rng.choice(TIMES)}. It is entry {number_of_visit} in the diary."
                ),
                "Symptoms": {
                    "Primary_Symptom": word(rng, first).capitalize(),
                    "Secondary_Symptoms": [
                        f"{word(rng, item).capitalize()} for {rng.randint(1, days)} days"
                        for item in others[:8]
                    ],
                },
                "Past_Medical_History": "; ".join(word(rng, item) for item in history) or "Nothing of note.",
                "Social_History": f"Works as a {rng.choice(JOBS)} at number {number_of_visit}.",
                "Review_of_Systems": f"Denies {', '.join(word(rng, i) for i in rng.sample(denied, 6))}.",
            },
            "Physical_Examination_Findings": results(rng, drawn, likely, "sign", number),
            "Test_Results": results(rng, drawn, likely, "test", number),
            "Correct_Diagnosis": condition.name,
        }
    }


def word(rng: Random, item: Finding) -> str:
    """One of the ways to say it."""
    return rng.choice(item.forms or item.positive or (item.name,))


def results(
    rng: Random, drawn: dict[Finding, bool], likely: set[Finding], kind: str, number: int
) -> dict[str, str]:
    """What examinations or tests show, by the name they are ordered by."""
    found: dict[str, list[str]] = {}
    for item, there in drawn.items():
        if item.kind == kind and item.order and (there or item in likely):
            words = (item.positive or (item.name,)) if there else (item.negative or ("Unremarkable",))
            found.setdefault(item.order, []).append(rng.choice(words))
    return {order: f"{'. '.join(said).capitalize()}. Report {number}." for order, said in found.items()}
