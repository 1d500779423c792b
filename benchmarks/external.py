"""What a seat answered from outside costs: microseconds of CPU a step beside direct play, in one process.

The built-in doctor replies both times, once inside and once from outside; everything else is the same. They
take turns, so that what slows the machine slows both.

    python benchmarks/external.py --json [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from typing import Any

from osler.players.external import Pending
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.runs.world import World

CASES = 10


async def inside(world: World, doctor: Any) -> int:
    """Direct play; how many replies the doctor gave."""
    steps = 0
    for row in range(len(world)):
        played = await world.play(row, doctor)
        steps += sum(each.seat == "doctor" for each in played.trace.rows)
    return steps


async def outside(world: World, doctor: Any) -> int:
    """The same replies, from outside."""
    steps = 0
    for row in range(len(world)):
        sitting = world.sit(row)
        now = await sitting.next()
        while isinstance(now, Pending):
            steps += 1
            now = await sitting.step(await doctor.reply(now.request), now.ticket)
    return steps


async def measure(rounds: int) -> dict[str, float]:
    """CPU seconds of each, the difference by step, and the ratio; medians over rounds."""
    world, doctor = World(RunConfig(limit=CASES)), BaselineDoctor()
    steps = await inside(world, doctor)
    await outside(world, doctor)
    took: dict[str, list[float]] = {"inside": [], "outside": []}
    for _ in range(rounds):
        for name, play in (("inside", inside), ("outside", outside)):
            began = time.process_time()
            if await play(world, doctor) != steps:
                raise SystemExit("not the same play")
            took[name].append((time.process_time() - began) / steps * 1e6)
    within, without = statistics.median(took["inside"]), statistics.median(took["outside"])
    return {
        "steps": steps,
        "inside_us_per_step": round(within, 1),
        "outside_us_per_step": round(without, 1),
        "more_us_per_step": round(without - within, 1),
        "ratio": round(without / within, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    found = asyncio.run(measure(given.rounds))
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
