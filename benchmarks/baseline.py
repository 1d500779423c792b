"""How fast, how large, how flat: consultations with built-in players, everything stored and judged.

Pinned to one core. The workload is a file of made-up AgentClinic records (see made_up.py), all different,
imported like any other file; each consultation must have at least 12 exchanges on average. Every size runs
in a process of its own, so that peak memory is that size's.

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

from made_up import write_cases

from osler.cli.collector import collect_seldom
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.store import open_store

SIZES = (1_000, 10_000, 100_000)
CASES = 1_000
CONCURRENCY = 16
SETTINGS = Settings(limits=Limits(max_turns=10, max_tests_per_visit=3), unknown="normal")
"""MedEvoEval's limits; what a made-up record does not hold is normal, as it is where it was drawn."""


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
    config = RunConfig(cases=str(cases), repeats=max(1, episodes // many), settings=SETTINGS)
    path = folder / f"{episodes}.db"
    with open_store(path) as store:
        source = runs.opened(config)
        run = runs.begin(config, store, source=source)
        collect_seldom()
        sitting = runs.play(run, store, concurrency=CONCURRENCY, source=source)
        summary = totals(sitting.run, store)
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


if __name__ == "__main__":
    main()
