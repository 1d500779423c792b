"""Two parts of benchmarks/scale.py: instructions a call and wall time, of the engine over bare aiohttp.

Both play and replay the chains of `engine.py`, each measurement in a fresh process against an endpoint in
another. Instructions are those of user space, by `perf stat` where the machine has hardware counters, else by
callgrind, under which all takes about fifty times as long.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from engine import LATENCY_MS, Bench, write
from engine_load import Took, read_chains
from scale_rules import Count, ratio, slope

from osler.testing.endpoint import running

Counter = Literal["perf", "callgrind"]
IN_FLIGHT: Final = 64
SIZES: Final = (50, 250)
"""The two sizes between which a slope is taken, in consultations."""
WALLS: Final = {64: 1_000, 256: 1_000, 1024: 2_048}
"""The consultations by requests in flight."""
ROUNDS: Final = 3
_PERF: Final = ("perf", "stat", "-x", ",", "-e", "instructions:u")
_CALLGRIND: Final = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null")


class Instructions(NamedTuple):
    """Instructions a call, in thousands, and how they were counted."""

    over_bare: float
    engine_k: float
    bare_k: float
    counter: Counter
    consultations: tuple[int, int]


def instructions() -> Instructions:
    """Count both sides. Raises SystemExit if there is nothing to count with."""
    counter = counter_here()
    with _recorded(max(SIZES), IN_FLIGHT) as bench:
        engine, bare = (
            slope(*(counted(bench, counter, what, limit) for limit in SIZES)) / 1000
            for what in ("engine", "bare")
        )
    return Instructions(round(engine / bare, 3), round(engine, 1), round(bare, 1), counter, SIZES)


def counter_here() -> Counter:
    """What can count instructions on this machine."""
    if shutil.which("perf"):
        tried = subprocess.run([*_PERF, "true"], capture_output=True, text=True, check=False)
        if re.search(r"^\d+,", tried.stderr, re.MULTILINE):
            return "perf"
    if shutil.which("valgrind"):
        return "callgrind"
    raise SystemExit("neither hardware counters (perf) nor valgrind are here to count instructions with")


def counted(bench: Bench, counter: Counter, what: str, limit: int) -> Count:
    """The calls and instructions of one measurement in a fresh process."""
    before = _PERF if counter == "perf" else _CALLGRIND
    command = [*before, *bench.command(what, IN_FLIGHT, f"--limit={limit}")]
    if counter == "callgrind":
        command.append("--callgrind")
    environ = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environ)
    found = re.search(r"^(\d+),|Collected : (\d+)", done.stderr, re.MULTILINE)
    if found is None:
        raise SystemExit(f"no count in what {before[0]} said: {done.stderr[-500:]}")
    return Count(json.loads(done.stdout)["calls"], int(found[1] or found[2]))


def wall(rounds: int = ROUNDS) -> dict[str, object]:
    """Wall time over bare by requests in flight: medians of rounds in which engine and bare take turns."""
    ratios, seconds = dict[str, float](), dict[str, dict[str, list[float]]]()
    with _recorded(max(WALLS.values()), max(WALLS)) as bench:
        for in_flight, consultations in WALLS.items():
            took: dict[str, list[Took]] = {"engine": [], "bare": []}
            for _ in range(rounds):
                for what, before in took.items():
                    before.append(bench(what, in_flight, f"--limit={consultations}"))
            _same_calls([*took["engine"], *took["bare"]])
            walls = {what: [one.wall_s for one in found] for what, found in took.items()}
            ratios[str(in_flight)] = ratio(walls["engine"], walls["bare"])
            seconds[str(in_flight)] = {what: [round(s, 2) for s in found] for what, found in walls.items()}
    return {"wall_over_bare": ratios, "wall_s": seconds}


def _same_calls(rounds: Sequence[Took]) -> None:
    if len({one.calls for one in rounds}) > 1:
        raise SystemExit(f"the sides made different numbers of calls: {[one.calls for one in rounds]}")


@contextmanager
def _recorded(consultations: int, in_flight: int) -> Iterator[Bench]:
    """The endpoint, and the chains of so many consultations recorded against it."""
    with running(latency_ms=LATENCY_MS) as url, tempfile.TemporaryDirectory() as folder:
        bench = Bench(url, Path(folder))
        write(bench.cases, consultations)
        bench("record", in_flight)
        if len(read_chains(bench.chains)) != consultations:
            raise SystemExit("not every consultation was recorded")
        yield bench
