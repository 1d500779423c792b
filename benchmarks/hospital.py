"""The cost of a painted frame of the hospital: the whole floor with many people who all walk, without a GPU.

A stored consultation is served by `osler serve` and its floor is opened in headless Chromium; in place of
its people the browser is given so many others, who walk from room to room all the time. The processor time is
that of the browser's processes which draw (renderer and GPU process), by the frames that were painted.

    python benchmarks/hospital.py --json [--figures 17] [--seconds 15] [--chromium PATH]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, Route, sync_playwright

from osler.choreography.paths import paths_of
from osler.choreography.plan import our_plan
from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import open_store
from web import served

TARGET_MS: Final = 20
STEP_MS: Final = 220
"""The time of a walk for one tile."""
WARMS_UP_S: Final = 3.0
NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
DRAWS: Final = ("--type=renderer", "--type=gpu-process")
COUNTS_FRAMES: Final = """
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    let frame = -1;
    window.painted = 0;
    CanvasRenderingContext2D.prototype.drawImage = function (...given) {
        const now = document.timeline.currentTime;
        if (this.canvas.isConnected && now !== frame) { frame = now; window.painted += 1; }
        return draw.apply(this, given);
    };
"""


def crowd(made: dict[str, Any], count: int, lasts_ms: int) -> dict[str, Any]:
    """The choreography with so many people in place of its own, who walk all the time from 0 on."""
    plan, drawn = our_plan(), random.Random(0)
    ways, tiles = paths_of(plan), sorted(plan.room_at)
    figure = next(iter(made["actors"].values()))["figure"]
    actors = {}
    for k in range(count):
        here = start = drawn.choice(tiles)
        walks, t = [], 0
        while t < lasts_ms:
            goal = drawn.choice([tile for tile in tiles if tile != here])
            points = ways.path(here, goal)
            end = t + STEP_MS * (len(points) - 1)
            walks.append({"t0": t, "t1": end, "points": points})
            here, t = goal, end
        looks = {**figure, "skin": k % 6, "hair": k % 7, "cut": k % 4, "clothes": k % 8}
        pose = {"t": 0, "pose": "stand", "slot": ""}
        actors[f"person_{k}"] = {
            **{"name": f"Person {k + 1}", "role": "student", "figure": looks, "t0": 0, "start": start},
            **{"walks": walks, "poses": [pose]},
        }
    nothing: dict[str, Any] = {name: [] for name in made if isinstance(made[name], list)}
    scene = {**made["scenes"][0], "t0": 0, "t1": lasts_ms, "who": []}
    return {**made, **nothing, "end": lasts_ms, "actors": actors, "scenes": [scene]}


def crowded(page: Page, count: int, lasts_ms: int) -> None:
    """Let the page have a crowd on every floor that it asks for."""

    def answer(route: Route) -> None:
        found = route.fetch().json()
        for episode in found["episodes"]:
            episode["choreography"] = crowd(episode["choreography"], count, lasts_ms)
        route.fulfill(json=found)

    page.route("**/floors/0*", answer)


def drawing(parent: int) -> Iterator[int]:
    """Yield the processes below this one that draw a page."""
    below = {parent}
    for entry in sorted(int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()):
        try:
            command = Path(f"/proc/{entry}/cmdline").read_text()
            if int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]) not in below:
                continue
        except OSError:
            continue
        below.add(entry)
        if any(kind in command for kind in DRAWS):
            yield entry


def cpu_ms(pids: list[int]) -> dict[int, float]:
    """The processor time that each process has used so far."""
    found = {}
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        found[pid] = 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def measure(address: str, figures: int, seconds: float, chromium: str) -> dict[str, Any]:
    """Watch the floor at an address for so long."""
    with sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=chromium, args=[*arguments, "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="no-preference")
        page.add_init_script(COUNTS_FRAMES)
        crowded(page, figures, round(1000 * (seconds + WARMS_UP_S + 60)))
        page.goto(address)
        page.locator(".h-person").nth(figures - 1).wait_for(state="attached")
        time.sleep(WARMS_UP_S)
        pids = list(drawing(os.getpid()))
        before, first, began = cpu_ms(pids), page.evaluate("painted"), time.monotonic()
        time.sleep(seconds)
        frames, took, after = page.evaluate("painted") - first, time.monotonic() - began, cpu_ms(pids)
        browser.close()
    used = sum(after.values()) - sum(before.values())
    return {
        "cpu_ms_a_frame": round(used / max(1, frames), 1),
        "frames": frames,
        "frames_a_second": round(frames / took, 1),
        "figures": figures,
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure and print; exit 1 where a frame costs more than the target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--figures", type=int, default=17)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--chromium", default=next(filter(None, map(shutil.which, NAMES)), ""))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = f"sqlite:///{Path(folder) / 'osler.db'}"
        with open_store(address) as store:
            config = protocol_named("consultation").config(limit=1)
            source = runs.opened(config)
            run = runs.play(runs.begin(config, store, source=source), store, source=source).run.name
        with served(address) as server:
            found = measure(f"{server.url}/watch/{run}", given.figures, given.seconds, given.chromium)
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        for name, value in found.items():
            sys.stdout.write(f"{name:16} {value}\n")
    sys.exit(0 if found["cpu_ms_a_frame"] <= TARGET_MS else 1)


if __name__ == "__main__":
    main()
