"""A part of benchmarks/scale.py: the CPU of a run in two processes over that of the same run in one.

Built-in players by `osler consult --processes N`, on SQLite. The CPU is that of the whole process tree
(wait4), start-up included; that of each worker is read from the system while it plays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from made_up import write_cases
from scale_rules import ratio

EPISODES: Final = 20_000
CASES: Final = 1_000
ROUNDS: Final = 2
_LOOK_S: Final = 0.1
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Took(NamedTuple):
    """CPU and wall seconds of a run, and the CPU seconds of each worker as last seen."""

    cpu_s: float
    wall_s: float
    workers_cpu_s: tuple[float, ...]


def measure(episodes: int = EPISODES, rounds: int = ROUNDS) -> dict[str, object]:
    """Play the run in one process and in two, turn about."""
    took: dict[int, list[Took]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name:
        cases = Path(name, "cases.jsonl")
        different = min(CASES, episodes)
        write_cases(cases, different)
        for turn in range(rounds):
            for processes, before in took.items():
                store = Path(name, f"{processes}-{turn}.db")
                before.append(play(cases, episodes // different, processes, store))
                for file in store.parent.glob(f"{store.name}*"):
                    file.unlink()
    cpu = {n: [one.cpu_s for one in found] for n, found in took.items()}
    return {
        "cpu_two_over_one": ratio(cpu[2], cpu[1]),
        "cpu_s": {str(n): [round(s, 1) for s in found] for n, found in cpu.items()},
        "wall_s": {str(n): round(median(one.wall_s for one in found), 1) for n, found in took.items()},
        "workers_cpu_s": [one.workers_cpu_s for one in took[2]],
        "episodes": episodes,
        "different_cases": different,
    }


def play(cases: Path, repeats: int, processes: int, store: Path) -> Took:
    """Play the run by the command line."""
    command = [sys.executable, "-m", "osler.cli.main", "consult", str(cases), "--repeats", str(repeats)]
    command += ["--limits", "medevoeval", "--unknown", "normal", "--processes", str(processes)]
    command += ["--store", str(store), "--json"]
    began, seen = time.perf_counter(), dict[int, float]()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            seen |= _children(process.pid)
            time.sleep(_LOOK_S)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            words = said.read().decode()[-500:]
            raise SystemExit(f"the run ended with status {process.returncode}: {words}")
    return Took(used.ru_utime + used.ru_stime, wall_s, tuple(round(s, 1) for s in seen.values()))


def _children(parent: int) -> dict[int, float]:
    """The CPU seconds of a process's children that live now, by their id (Linux)."""
    found = {}
    with suppress(OSError):
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            with suppress(OSError):
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                found[int(child)] = (int(fields[11]) + int(fields[12])) / _TICKS
    return found
