"""What does a longitudinal study cost as it grows? Processor time, as ratios of one size to the next.

`python benchmarks/longitudinal.py [--json] [--sizes 250 500 1000 2000] [--write block]` plays, for each
size, one stream of a whole study over so many generated cases with the doctor that starts from nothing, in a
process of its own pinned to one core: planning, teaching, second attempts, probes after every stage and
within every block, all five conditions, everything stored, judged, audited and reported. Cases taught, probed
and held out are fixed shares of the cases, so a cost that grows linearly doubles with the size.

    cpu_s           processor time, which neighbours do not change much; wall_s is for an idle machine
    per_episode_ms  processor time over the episodes played
    ratio           cpu_s over that of the size before
    cards           in the memory after the last stage
    rss_mb          peak memory

`--whole` instead times the study as it is shipped, on 1,000 generated cases with its own defaults and all
cores, and prints wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.longitudinal.findings import LongitudinalReport
from osler.protocols.consultation.longitudinal.run_study import run_here, sits, studied
from osler.store.store import open_store

SIZES = (250, 500, 1_000, 2_000)
BLOCKS = 5
Json = dict[str, Any]  # the numbers of a size


def design_of(cases: int, write: str) -> Design:
    """One stream that is taught half of the cases, with a twentieth of them as probes."""
    return Design.model_validate(
        {
            "cases": f"generated:{cases}:1",
            "by": "random",
            "blocks": BLOCKS,
            "orders": 1,
            "seeds": 1,
            "taught": cases // 2 // BLOCKS,
            "probes": cases // 20 // BLOCKS,
            "write": write,
        }
    )


def episodes_in(report: LongitudinalReport) -> int:
    """The episodes that were played."""
    rows = [row for one in report.conditions.values() for row in (*one.cost.probing, *one.cost.within)]
    return sum(row["episodes"] or 0 for row in (*rows, *report.conditions["memory"].cost.teaching))


def measure(cases: int, write: str) -> Json:
    """Every figure of one size."""
    began, wall = time.process_time(), time.perf_counter()
    study = studied(design_of(cases, write))
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        report = run_here(study, store, sits(study, store, 16), lambda words: None)
    cpu, episodes = time.process_time() - began, episodes_in(report)
    return {
        "cases": cases,
        "episodes": episodes,
        "cpu_s": round(cpu, 1),
        "wall_s": round(time.perf_counter() - wall, 1),
        "per_episode_ms": round(1_000 * cpu / episodes, 2),
        "cards": report.conditions["memory"].memory_size[-1],
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def apart(cases: int, write: str) -> Json:
    """The figures of one size, measured in a process of its own on one core."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    words = [sys.executable, __file__, "--one", str(cases), "--write", write]
    pinned = (lambda: os.sched_setaffinity(0, {cores[0]})) if cores else None
    done = subprocess.run(words, capture_output=True, text=True, check=True, preexec_fn=pinned)
    found: Json = json.loads(done.stdout)
    return found


def whole() -> Json:
    """The shipped study over 1,000 generated cases, as a user types it."""
    with tempfile.TemporaryDirectory() as folder:
        words = "study run longitudinal --cases generated:1000:1 --doctor baseline-naive --json --store"
        command = [
            sys.executable,
            "-c",
            "from osler.cli.main import app; app()",
            *words.split(),
            f"{folder}/s.db",
        ]
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return {"command": f"osler {words} FILE", "wall_s": round(time.perf_counter() - began, 1)}


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--write", choices=("block", "online"), default="block")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--whole", action="store_true", help="time the shipped study on 1,000 cases instead")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.write)))
        return
    if given.whole:
        print(json.dumps(whole()))
        return
    found: list[Json] = []
    for cases in given.sizes:
        one = apart(cases, given.write)
        if found:
            one["ratio"] = round(one["cpu_s"] / found[-1]["cpu_s"], 2)
        found.append(one)
        if not given.json:
            print(one, flush=True)
    if given.json:
        print(json.dumps({"write": given.write, "sizes": found}))


if __name__ == "__main__":
    main()
