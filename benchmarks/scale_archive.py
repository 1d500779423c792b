"""How small an archived run is, and what archiving and restoring cost, every case different.

The workload is baseline.py's: made-up records, imported like any other file, MedEvoEval's limits. Each step
runs in a process of its own, so that peak memory is that step's.

    python benchmarks/scale_archive.py --episodes 2000 --json
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from baseline import CONCURRENCY, SETTINGS
from made_up import write_cases

from osler.cli.collector import collect_seldom
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.archive import archive_run, restore_run
from osler.store.store import open_store


def measure(episodes: int) -> dict[str, float]:
    """Play `episodes` different cases, archive the run, restore it into another store.

    `archive_over_live` is the bytes of the archive over those of the SQLite file; `*_cpu_us` are microseconds
    of processor time an episode, start-up left out; `*_rss_mb` the peak memory of the process.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cases(folder / "cases.jsonl", episodes)
        found = {step: _in_a_process(folder, step) for step in STEPS}
        live = sum(file.stat().st_size for file in folder.glob("live.db*"))
        archived = sum(file.stat().st_size for file in (folder / "archive").iterdir())
    per_episode = 1e6 / episodes
    return {
        "episodes": episodes,
        "archive_over_live": round(archived / live, 4),
        "live_bytes_per_episode": round(live / episodes),
        "archive_bytes_per_episode": round(archived / episodes),
        "archive_cpu_us": round(found["archive"]["cpu_s"] * per_episode),
        "restore_cpu_us": round(found["restore"]["cpu_s"] * per_episode),
        "archive_rss_mb": round(found["archive"]["rss_mb"], 1),
        "restore_rss_mb": round(found["restore"]["rss_mb"], 1),
    }


def _in_a_process(folder: Path, step: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--folder", str(folder), "--step", step]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _play(folder: Path) -> None:
    config = RunConfig(cases=str(folder / "cases.jsonl"), settings=SETTINGS)
    with open_store(folder / "live.db") as store:
        source = runs.opened(config)
        run = runs.begin(config, store, source=source)
        collect_seldom()
        runs.play(run, store, concurrency=CONCURRENCY, source=source)


def _archive(folder: Path) -> None:
    with open_store(folder / "live.db") as store:
        archive_run(store, "last", folder / "archive", keep=True)


def _restore(folder: Path) -> None:
    with open_store(folder / "restored.db") as store:
        restore_run(store, folder / "archive")


STEPS: Final[dict[str, Callable[[Path], None]]] = {"play": _play, "archive": _archive, "restore": _restore}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--episodes", type=int, default=2_000)
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        began = time.process_time()
        STEPS[given.step](given.folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"cpu_s": time.process_time() - began, "rss_mb": used.ru_maxrss / 1024}))
        return
    found = measure(given.episodes)
    print(
        json.dumps(found) if given.json else "\n".join(f"{name:28} {value}" for name, value in found.items())
    )


if __name__ == "__main__":
    main()
