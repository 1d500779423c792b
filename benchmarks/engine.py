"""What orchestration costs: whole consultations with models in two seats, against the same bytes sent bare.

Against a fake endpoint in a process of its own that answers after 200 ms. The same consultations are played
by the engine (prompts, client, parsing, grounding, SQLite, judging) and replayed by bare aiohttp, the same
bodies in the same chains with as many in flight and as many chains open, turn about; every measurement runs
in a fresh process (engine_load.py). A call's CPU is compared with that of the bare `openai` SDK.

    python benchmarks/engine.py --json [--quick] [--endpoint http://127.0.0.1:8099/v1]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from engine_load import OPEN_PER_SLOT, WARM_UP, Chain, Took, read_chains
from made_up import write_cases
from prefixes import shares

from osler.cases.sources import open_source
from osler.testing.endpoint import running

LATENCY_MS = 200


class Plan(NamedTuple):
    """How much is measured: rounds by requests in flight; consultations for the SDK, one at a
    time, and with a model in every seat."""

    consultations: int
    rounds: dict[int, int]
    sdk: int
    sequential: int
    prefix: int


FULL = Plan(1_000, {64: 2, 256: 3}, sdk=160, sequential=4, prefix=50)
QUICK = Plan(100, {64: 1, 256: 1}, sdk=20, sequential=1, prefix=20)


ROUND: Final = (
    {"action": "ASK", "question": "How has it been since it began, and what makes it better or worse?"},
    {"action": "REQUEST_TEST", "test_name": "Full blood count"},
    {"action": "CALL_MDT", "question": "What should be ruled out first?"},
)
TESTS: Final = ("Chest X-ray", "ECG", "Urinalysis", "Liver function tests", "Abdominal ultrasound")
MOVES: Final = [
    move | ({"test_name": test} if "test_name" in move else {}) for test in TESTS for move in ROUND
]
MOVES.append({"action": "FINALIZE", "diagnosis": "Community-acquired pneumonia"})


class Bench:
    """Runs measurements one after another in fresh processes. `folder` holds the cases and the recordings."""

    def __init__(self, endpoint: str, folder: Path) -> None:
        self.endpoint, self.folder = endpoint, folder
        self.cases, self.chains = folder / "cases.jsonl", folder / "chains"

    def __call__(self, what: str, in_flight: int, *more: str, chains: Path | None = None) -> Took:
        command = self.command(what, in_flight, *more, chains=chains)
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return Took(**json.loads(done.stdout))

    def command(self, what: str, in_flight: int, *more: str, chains: Path | None = None) -> list[str]:
        """The command line of one measurement."""
        command = [sys.executable, str(Path(__file__).with_name("engine_load.py")), what]
        command += [f"--endpoint={self.endpoint}", f"--in-flight={in_flight}", f"--cases={self.cases}"]
        return [*command, f"--chains={chains or self.chains}", *more]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--endpoint", help="base URL of an endpoint that is up, instead of one of our own")
    parser.add_argument("--quick", action="store_true", help="a smaller run, to see that all works")
    given = parser.parse_args()
    began = time.monotonic()
    with endpoint(given.endpoint) as url, tempfile.TemporaryDirectory() as folder:
        found = measure(Bench(url, Path(folder)), QUICK if given.quick else FULL)
    found |= {"quick": given.quick, "latency_ms": LATENCY_MS if given.endpoint is None else None}
    found["whole_s"] = round(time.monotonic() - began, 1)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:28} {value}")


@contextmanager
def endpoint(given: str | None) -> Iterator[str]:
    """The endpoint asked for, or one of our own."""
    if given:
        yield given.rstrip("/")
        return
    with running(latency_ms=LATENCY_MS) as url:
        yield url


def measure(bench: Bench, plan: Plan) -> dict[str, object]:
    """Record the chains once, then play and replay them turn about, and put the figures together."""
    write(bench.cases, plan.consultations)
    widest = max(plan.rounds)
    recorded = bench("record", widest)
    every_seat, orders = bench.folder / "every-seat", bench.folder / "orders"
    bench("record", widest, "--all-seats", f"--limit={plan.prefix}", chains=every_seat)
    script = bench.folder / "script.json"
    script.write_text(json.dumps(MOVES))
    bench("record", widest, "--all-seats", f"--limit={plan.prefix}", f"--script={script}", chains=orders)
    one_by_one = bench("engine", 1, "--open=1", f"--limit={plan.sequential}")
    engine: dict[int, list[Took]] = {n: [] for n in plan.rounds}
    bare: dict[int, list[Took]] = {n: [] for n in plan.rounds}
    sdk: list[Took] = []
    for turn in range(max(plan.rounds.values())):
        for n, rounds in plan.rounds.items():
            if turn < rounds:
                takers = [("engine", engine[n]), ("bare", bare[n])]
                for what, into in takers if turn % 2 == 0 else reversed(takers):
                    into.append(same_calls(recorded, bench(what, n)))
        if find_spec("openai"):
            sdk.append(bench("sdk", min(plan.rounds), f"--limit={plan.sdk}"))
    return {
        **figures(engine, bare, sdk, one_by_one),
        **prefix_figures([*read_chains(every_seat), *read_chains(orders)]),
        "prefix_consultations": plan.prefix,
        "consultations": plan.consultations,
        "exchanges": recorded.exchanges,
        "calls": recorded.calls,
        "prompt_bytes_per_call": round(bench.chains.stat().st_size / recorded.calls),
        "open_per_request_in_flight": OPEN_PER_SLOT,
    }


def write(cases: Path, consultations: int) -> None:
    """Made-up cases, all different, and a few others to warm up on. They are imported beforehand, as a
    study's cases would be: what importing costs is not a matter of models."""
    records = cases.with_name("records.jsonl")
    write_cases(records, consultations + WARM_UP)
    lines = [f"{case.model_dump_json()}\n" for case in open_source(str(records), "auto")]
    cases.write_text("".join(lines[:consultations]))
    cases.with_name("warm-up.jsonl").write_text("".join(lines[consultations:]))


def same_calls(recorded: Took, took: Took) -> Took:
    """Refuse to compare what did not ask the same."""
    if took.calls != recorded.calls:
        raise SystemExit(f"{took.calls} calls where {recorded.calls} were recorded")
    return took


def figures(
    engine: dict[int, list[Took]], bare: dict[int, list[Took]], sdk: list[Took], one_by_one: Took
) -> dict[str, object]:
    """Each ratio is of medians over rounds, with what every round gave beside it."""
    walls, of_rounds = dict[str, float](), dict[str, list[float]]()
    for n in engine:
        walls[str(n)] = wall(engine[n]) / wall(bare[n])
        of_rounds[str(n)] = [e.wall_s / b.wall_s for e, b in zip(engine[n], bare[n], strict=True)]
    ours = [took for rounds in engine.values() for took in rounds]
    sequential_s = one_by_one.wall_s / one_by_one.calls * ours[0].calls
    return {
        "wall_over_bare": rounded(walls),
        "cpu_per_call_over_sdk": round(cpu_ms(ours) / cpu_ms(sdk), 3) if sdk else None,
        "speedup_over_sequential": round(sequential_s / wall(engine[max(engine)]), 1),
        "wall_over_bare_by_round": {n: [round(x, 3) for x in found] for n, found in of_rounds.items()},
        "wall_s": {str(n): [round(took.wall_s, 2) for took in engine[n]] for n in engine},
        "bare_wall_s": {str(n): [round(took.wall_s, 2) for took in bare[n]] for n in bare},
        "cpu_ms_per_call": {str(n): each_cpu_ms(engine[n]) for n in engine},
        "bare_cpu_ms_per_call": {str(n): each_cpu_ms(bare[n]) for n in bare},
        "sdk_cpu_ms_per_call": each_cpu_ms(sdk) if sdk else "openai is not installed",
        "speedup_by_in_flight": rounded({str(n): sequential_s / wall(engine[n]) for n in engine}),
    }


def prefix_figures(chains: list[Chain]) -> dict[str, object]:
    """What of each seat's prompts its previous prompt had already: with a model in every seat, and with a
    scripted doctor who orders and consults as often as the fake endpoint's never does."""
    found = shares(chains)
    return {
        "prefix_share": rounded(found.by_seat),
        "fresh_over_sent": round(found.fresh_over_sent, 3),
        "prefix_requests": found.requests,
    }


def wall(rounds: list[Took]) -> float:
    """The median wall time, in seconds."""
    return median(took.wall_s for took in rounds)


def cpu_ms(rounds: list[Took]) -> float:
    """The median CPU a call, in milliseconds."""
    return median(took.cpu_s / took.calls * 1000 for took in rounds)


def each_cpu_ms(rounds: list[Took]) -> list[float]:
    """CPU a call in each round, in milliseconds."""
    return [round(took.cpu_s / took.calls * 1000, 3) for took in rounds]


def rounded(values: dict[str, float]) -> dict[str, float]:
    """Three digits are more than the spread allows."""
    return {name: round(value, 3) for name, value in values.items()}


if __name__ == "__main__":
    main()
