"""Whether the main job has become slower since an earlier commit: both play it in turn, on one machine.

A worktree of COMMIT is made in a temporary folder. Then `osler consult` plays the same made-up records with
built-in players, once by the earlier source and once by this one, and so on, each time in a fresh process.
The start is the processor time of a run over one record; the rate is that of the others, per consultation.
Ratios are this commit over the earlier one (above 1: slower), with the 95 % interval of their mean over the
pairs. Both run with the packages of this environment. What is played may differ, since built-in players do:
turns are counted beside.

    python benchmarks/against.py 5ddea1c8 --cases 100 --pairs 5 --json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Final, NamedTuple

from made_up import write_cases

from osler.stats.distributions import t_quantile

HERE: Final = Path(__file__).resolve().parents[1]
CONSULT: Final = ("-c", "from osler.cli.main import main; main()", "consult", "--max-turns", "10", "--json")


class Cost(NamedTuple):
    """The processor time of one run, in seconds, and the mean turns of its consultations."""

    cpu_s: float
    turns: float | None


class Pair(NamedTuple):
    """What a run over one record and one over all cost in seconds of processor time."""

    start_s: float
    all_s: float
    turns: float | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("commit", help="the earlier commit")
    parser.add_argument("--cases", type=int, default=100, help="records that are played")
    parser.add_argument("--pairs", type=int, default=5, help="how often each commit plays them")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args()
    if given.cases < 2 or given.pairs < 2:
        parser.error("--cases and --pairs must be at least 2")
    found = measure(given.commit, given.cases, given.pairs)
    print(
        json.dumps(found) if given.json else "\n".join(f"{name:28} {value}" for name, value in found.items())
    )


def measure(commit: str, cases: int, pairs: int) -> dict[str, object]:
    """Play by both commits in turn, the first of a pair by turns too, and compare."""
    with tempfile.TemporaryDirectory() as name, worktree(commit, Path(name) / "earlier") as earlier:
        folder = Path(name)
        write_cases(folder / "one.jsonl", 1)
        write_cases(folder / "all.jsonl", cases)
        costs: dict[Path, list[Pair]] = {earlier: [], HERE: []}
        for at in range(pairs):
            for tree in (earlier, HERE) if at % 2 == 0 else (HERE, earlier):
                costs[tree].append(played(tree, folder))
    before, now = costs[earlier], costs[HERE]
    rates = each_s(before, cases), each_s(now, cases)
    return {
        "earlier": commit,
        "cases": cases,
        "pairs": pairs,
        "start_ratio": ratio([one.start_s for one in before], [one.start_s for one in now]),
        "consultation_ratio": ratio(*rates),
        "start_cpu_s": [round(fmean(one.start_s for one in each), 3) for each in (before, now)],
        "consultation_cpu_ms": [round(1000 * fmean(each), 2) for each in rates],
        "turns": [before[0].turns, now[0].turns],
    }


@contextmanager
def worktree(commit: str, at: Path) -> Iterator[Path]:
    """The files of a commit in a folder, meanwhile."""
    git = ("git", "-C", str(HERE), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(at), commit], check=True)
    try:
        yield at
    finally:
        subprocess.run([*git, "remove", "--force", str(at)], check=True)


def played(tree: Path, folder: Path) -> Pair:
    """Play one record, then all, by the source of a folder, each in a process and a store of its own."""
    one, every = (consulted(tree, folder / f"{name}.jsonl", folder / "s.db") for name in ("one", "all"))
    return Pair(one.cpu_s, every.cpu_s, every.turns)


def each_s(pairs: list[Pair], cases: int) -> list[float]:
    """The processor time of a further consultation in each run over all records, by the median start."""
    start = median(one.start_s for one in pairs)
    found = [(one.all_s - start) / (cases - 1) for one in pairs]
    if min(found) <= 0:
        raise SystemExit(f"{cases} records take no longer than one: give more --cases")
    return found


def consulted(tree: Path, file: Path, store: Path) -> Cost:
    """Play the records of a file."""
    command = [sys.executable, *CONSULT, str(file), "--store", str(store)]
    where = {**os.environ, "PYTHONPATH": str(tree / "src")}
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, cwd=file.parent, env=where, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode} in {tree}")
        out.seek(0)
        told = json.loads(out.read())
    for each in store.parent.glob("s.db*"):
        each.unlink()
    return Cost(used.ru_utime + used.ru_stime, turns_of(told))


def turns_of(told: dict[str, object]) -> float | None:
    """The mean turns in a run's JSON, by whichever name a commit gives them; None where it has none."""
    for group in ("measures", "process"):
        figure = told.get(group)
        turns = figure.get("turns") if isinstance(figure, dict) else None
        value = turns.get("value") if isinstance(turns, dict) else turns
        if isinstance(value, int | float):
            return float(value)
    return None


def ratio(before: list[float], now: list[float]) -> dict[str, float]:
    """The geometric mean of the ratios of pairs, with its 95 % interval by the logarithms' t."""
    logs = [log(new / old) for old, new in zip(before, now, strict=True)]
    middle, error = fmean(logs), stdev(logs) / sqrt(len(logs))
    arm = t_quantile(len(logs) - 1) * error
    return {
        "value": round(exp(middle), 3),
        "low": round(exp(middle - arm), 3),
        "high": round(exp(middle + arm), 3),
        "n": len(logs),
    }


if __name__ == "__main__":
    main()
