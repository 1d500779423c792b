"""What a stored run costs to read as it grows: its export, its summary, and its resumption when it is done.

Consultations of built-in players over 1,000 made-up records, repeated as often as needed. Each figure is the
CPU time, and the peak memory, of a process of its own that does nothing else; the CPU time of one that only
opens the store is taken off, since what grows with episodes is asked for.

    python benchmarks/scale_store.py [--sizes 10000 100000] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from baseline import CONCURRENCY, SETTINGS
from made_up import write_cases

from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.export import export_run
from osler.store.store import Store, open_store

SIZES: Final = (10_000, 100_000)
CASES: Final = 1000


class Took(NamedTuple):
    """CPU seconds (user and system) and peak memory in MB of a process."""

    cpu: float
    rss: float


def measure(sizes: Sequence[int] = SIZES) -> dict[str, object]:
    """`export_over_summary`, at the largest size; `ten_times`: by task, CPU at the largest size over that at
    the smallest (`rss`: the export's peak memory likewise); and what each took, by size."""
    with tempfile.TemporaryDirectory() as name:
        took = {size: _one_size(Path(name), size) for size in sizes}
    least, most = (
        {task: _net(each, task) for task in TASKS} for each in (took[min(sizes)], took[max(sizes)])
    )
    memory = [took[size]["export"].rss for size in (min(sizes), max(sizes))]
    return {
        "export_over_summary": round(most["export"] / most["summary"], 2),
        "ten_times": {
            **{task: round(most[task] / least[task], 2) for task in TASKS},
            "rss": round(memory[1] / memory[0], 3),
        },
        "took": {
            str(size): {task: one._asdict() for task, one in each.items()} for size, each in took.items()
        },
        "load": os.getloadavg()[0],
    }


def _net(took: dict[str, Took], task: str) -> float:
    """The CPU seconds of a task beyond opening the store."""
    return max(took[task].cpu - took[OPEN].cpu, 0.01)


def _one_size(folder: Path, size: int) -> dict[str, Took]:
    write_cases(folder / "cases.jsonl", min(size, CASES))
    found = {task: _in_a_process(task, folder, size) for task in ("play", OPEN, *TASKS)}
    for file in folder.glob(f"{size}.*"):
        file.unlink()
    return found


def _in_a_process(task: str, folder: Path, size: int) -> Took:
    command = [sys.executable, __file__, "--task", task, "--folder", str(folder), "--sizes", str(size)]
    child = os.posix_spawn(sys.executable, command, os.environ)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{task} of {size} episodes failed")
    return Took(round(used.ru_utime + used.ru_stime, 2), round(used.ru_maxrss / 1024, 1))


def _play(store: Store, folder: Path, size: int) -> None:
    repeats = max(1, size // CASES)
    config = RunConfig(cases=str(folder / "cases.jsonl"), settings=SETTINGS, repeats=repeats)
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)
    runs.play(run, store, concurrency=CONCURRENCY, source=source)


def _export(store: Store, folder: Path, size: int) -> None:
    written = export_run(store, store.run("last").id, folder / f"{size}.jsonl")
    if written != size:
        raise SystemExit(f"{written} of {size} episodes exported")


def _summary(store: Store, folder: Path, size: int) -> None:
    totals(store.run("last"), store)


def _resume(store: Store, folder: Path, size: int) -> None:
    runs.play(store.run("last"), store, concurrency=CONCURRENCY)


def _open(store: Store, folder: Path, size: int) -> None:
    """Do nothing more."""


OPEN: Final = "open"
TASKS: Final[dict[str, Callable[[Store, Path, int], None]]] = {
    "export": _export,
    "summary": _summary,
    "resume": _resume,
}


def main() -> None:
    """Print the figures, or do one task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="episodes a run")
    parser.add_argument("--task", choices=("play", OPEN, *TASKS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        (size,) = given.sizes
        with open_store(given.folder / f"{size}.db") as store:
            {"play": _play, OPEN: _open, **TASKS}[given.task](store, given.folder, size)
        return
    found = measure(given.sizes)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:22} {value}")


if __name__ == "__main__":
    main()
