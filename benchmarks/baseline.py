"""How fast, how large, how flat: consultations with built-in players, everything stored and judged.

Pinned to one core. The workload is a file of made-up AgentClinic records, all different, imported like any
other file; each consultation must have at least 12 exchanges on average. Every size runs in a process of its
own, so that peak memory is that size's.

    python benchmarks/baseline.py --json
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from osler.store.store import open_store
from osler.studies import runs
from osler.studies.build import RunConfig

SIZES = (1_000, 10_000, 100_000)
CASES = 1_000
CONCURRENCY = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="episodes a run")
    parser.add_argument("--profile", action="store_true", help="say where the time of 1,000 episodes goes")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run_one(given.folder, given.one)))
    elif given.profile:
        profile()
    else:
        report(measure(tuple(given.sizes)), as_json=given.json)


def measure(sizes: tuple[int, ...]) -> dict[str, object]:
    """Run every size, then resume the largest, which is done already."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cases(folder / "cases.jsonl", min(CASES, min(sizes)))
        sittings = {size: in_a_process(folder, size) for size in sizes}
    largest = sittings[max(sizes)]
    exchanges = largest["exchanges"] / max(sizes)
    if exchanges < 12:
        raise SystemExit(f"only {exchanges:.1f} exchanges a consultation: the workload proves nothing")
    return {
        "consultations_per_s_per_core": round(largest["per_s"], 1),
        "consultations_per_s_by_size": {str(n): round(found["per_s"], 1) for n, found in sittings.items()},
        "exchanges_per_consultation": round(exchanges, 1),
        "peak_rss_mb": {str(n): round(found["rss_mb"], 1) for n, found in sittings.items()},
        "resume_100k_s": round(largest["resume_s"], 2),
        "resumed_episodes": max(sizes),
        "bytes_per_episode": round(largest["bytes"] / max(sizes)),
        "different_cases": min(CASES, min(sizes)),
    }


def in_a_process(folder: Path, episodes: int) -> dict[str, float]:
    """Play `episodes` in a fresh process on one core, and resume them in another."""
    command = [sys.executable, __file__, "--folder", str(folder), "--one", str(episodes)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    store = folder / f"{episodes}.db"
    began = time.perf_counter()
    resume = [str(Path(sys.executable).with_name("osler")), "resume", "last", "--store", str(store), "--json"]
    subprocess.run(resume, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found["resume_s"] = time.perf_counter() - began
    for file in folder.glob(f"{episodes}.db*"):
        file.unlink()
    return found


def run_one(folder: Path, episodes: int) -> dict[str, float]:
    """One run in this process: rate, peak memory, bytes stored."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cases = folder / "cases.jsonl"
    many = sum(1 for _ in cases.open())
    config = RunConfig(cases=str(cases), repeats=max(1, episodes // many))
    path = folder / f"{episodes}.db"
    with open_store(path) as store:
        run = runs.begin(config, store)
        sitting = runs.play(run, store, concurrency=CONCURRENCY)
        summary = runs.summarize(sitting.run, store, sitting.seconds)
    size = sum(file.stat().st_size for file in folder.glob(f"{episodes}.db*"))
    return {
        "per_s": summary.episodes / sitting.seconds,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "bytes": size,
        "exchanges": summary.exchanges,
    }


def report(found: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:32} {value}")


def profile() -> None:
    """Print where the time of 1,000 consultations goes, by function."""
    with tempfile.TemporaryDirectory() as name:
        write_cases(Path(name) / "cases.jsonl", 1_000)
        profiler = cProfile.Profile()
        profiler.runcall(run_one, Path(name), 1_000)
        pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def write_cases(path: Path, many: int) -> None:
    """Made-up records in the AgentClinic form: the shape of real ones, the content drawn at random."""
    luck = Random(20261120)
    with path.open("w") as file:
        for number in range(many):
            file.write(json.dumps(record(luck, number)) + "\n")


SYMPTOMS = (
    "cough|fever|headache|nausea|vomiting|fatigue|chest pain|shortness of breath|abdominal pain|dizziness|"
    "weight loss|night sweats|palpitations|joint pain|rash|sore throat|diarrhoea|constipation|back pain|"
    "blurred vision|leg swelling|loss of appetite|numbness in the hands|difficulty swallowing"
).split("|")
DIAGNOSES = (
    "Pneumonia|Migraine|Acute appendicitis|Malaria|Hypothyroidism|Acute pancreatitis|Asthma|Gout|"
    "Pulmonary embolism|Ulcerative colitis|Iron deficiency anaemia|Multiple sclerosis"
).split("|")
JOBS = "teacher|driver|nurse|baker|engineer|farmer|student|clerk|carpenter|retired postman".split("|")
PAST = "hypertension|type 2 diabetes|asthma as a child|no serious illness|a broken wrist|eczema".split("|")
DRUGS = "amlodipine|metformin|no regular medicines|paracetamol now and then|an inhaler".split("|")


def record(luck: Random, number: int) -> dict[str, object]:
    """One record. `number` makes every text its own, so that nothing is answered from a cache by accident."""
    first, *others = luck.sample(SYMPTOMS, 6)
    sex, days = luck.choice(("male", "female")), luck.randint(2, 40)
    denied = ", ".join(luck.sample([s for s in SYMPTOMS if s != first and s not in others], 3))
    history = (
        f"The patient reports {first} for the past {days} days. It began while at work on day {number}. "
        f"It is worse in the {luck.choice(('morning', 'evening', 'night'))} and came with {others[0]}."
    )
    bloods = {
        "Hemoglobin": f"{luck.uniform(9, 16):.1f} g/dL",
        "White_Blood_Cells": f"{luck.uniform(3, 18):.1f} x10^9/L",
        "Platelets": f"{luck.randint(90, 420)} x10^9/L",
    }
    return {
        "OSCE_Examination": {
            "Objective_for_Doctor": f"Assess and diagnose the patient presenting with {first}.",
            "Patient_Actor": {
                "Demographics": f"{luck.randint(18, 88)}-year-old {sex}",
                "History": history,
                "Symptoms": {
                    "Primary_Symptom": first.capitalize(),
                    "Secondary_Symptoms": [
                        f"{s.capitalize()} for {luck.randint(1, days)} days" for s in others
                    ],
                },
                "Past_Medical_History": f"Had {luck.choice(PAST)}. Takes {luck.choice(DRUGS)}.",
                "Social_History": f"Works as a {luck.choice(JOBS)}. Smokes {luck.randint(0, 30)} a day.",
                "Review_of_Systems": f"Denies {denied}.",
            },
            "Physical_Examination_Findings": {
                "Vital_Signs": {
                    "Temperature": f"{luck.uniform(36, 39.8):.1f}°C",
                    "Blood_Pressure": f"{luck.randint(95, 170)}/{luck.randint(55, 100)} mmHg",
                    "Heart_Rate": f"{luck.randint(55, 130)} bpm",
                },
                "Abdominal_Examination": {
                    "Palpation": luck.choice(("Soft, not tender.", "Tender throughout."))
                },
                "Respiratory_Examination": luck.choice(("Clear.", "Crackles at the right base.", "Wheeze.")),
            },
            "Test_Results": {
                "Complete_Blood_Count": bloods,
                "Imaging": {"Chest_X-ray": luck.choice(("Clear lungs.", "Shadow at the right base."))},
                "Urinalysis": {"Appearance": "Clear", "pH": f"{luck.uniform(5, 8):.1f}"},
            },
            "Correct_Diagnosis": luck.choice(DIAGNOSES),
        }
    }


if __name__ == "__main__":
    main()
