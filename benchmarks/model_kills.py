"""Killed with models in every seat: `osler run` and `osler resume` die by SIGKILL, and no byte changes.

For each protocol a run with models in its seats is played against the fake endpoint, of which a share of
requests fails. Its process is killed at random instants, counted in requests, and resumed, until it is done;
then its export must be that of the same run left alone.

    python benchmarks/model_kills.py --json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from random import Random

from osler.store.export import export_lines
from osler.store.store import open_store
from osler.testing.endpoint import running

OSLER = [sys.executable, "-m", "osler.cli.main"]
FAULTS = {"seed": 3, "rate": 0.1, "kinds": {"reset": 1.0, "429": 1.0, "500": 1.0, "truncated": 1.0}}
RUNS = {
    "consultation": "consultation library --limit 6 --seat doctor=model:fake+cot+ensemble:3"
    " --seat patient=model:fake --seat examination=model:fake --set settings.limits.max_turns=6",
    "ward_round": "ward_round library --limit 4 --seat tutor=model:fake --seat patient=model:fake"
    " --seat specialist=model:fake --seat supervisor=model:fake --seat expert=model:fake",
    "scenario": "scenario library --limit 4 --seat examinee=model:fake+best-of:2 --seat patient=model:fake"
    " --seat controller=model:fake",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--kills", type=int, default=10, help="of each protocol's run, at most")
    parser.add_argument("--seed", type=int, default=1, help="of when they are killed")
    parser.add_argument("--protocol", choices=RUNS, action="append", help="only these protocols")
    given = parser.parse_args()
    found = {name: campaign(name, given.kills, Random(given.seed)) for name in given.protocol or RUNS}
    print(json.dumps(found) if given.json else json.dumps(found, indent=2))
    sys.exit(any(row["exports_differ"] or row["ended_badly"] for row in found.values()))


def campaign(name: str, kills: int, rng: Random) -> dict[str, object]:
    """Play a run twice: left alone, and killed up to `kills` times."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        calm, _, calm_asked, badly = played(here / "calm", RUNS[name], 0, rng)
        killed, times, asked, more = played(here / "killed", RUNS[name], kills, rng)
    return {
        "kills": times,
        "episodes": len(calm),
        "requests": {"left alone": calm_asked, "killed": asked},
        "exports_differ": int(calm != killed),
        "ended_badly": [*badly, *more],
        "wall_s": round(time.monotonic() - began, 1),
    }


def played(folder: Path, line: str, kills: int, rng: Random) -> tuple[list[str], int, int, list[str]]:
    """(export, kills, requests, what ended otherwise than it should) of one run."""
    folder.mkdir()
    store = folder / "osler.db"
    command, done, badly = [*OSLER, "run", *line.split()], 0, list[str]()
    with running(latency_ms=20, jitter_ms=10, faults=FAULTS) as address:
        (folder / "osler.toml").write_text(
            f'[endpoints.fake]\nbase_url = "{address}"\nmodel = "fake-model"\n'
        )
        more = ["--concurrency", "4", "--store", str(store), "--config", str(folder / "osler.toml")]
        while True:
            wanted = requests(address) + rng.randint(5, 60) if done < kills else sys.maxsize
            process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            while process.poll() is None and requests(address) < wanted:
                time.sleep(0.02)
            killed = process.poll() is None
            process.kill()
            said = process.communicate()[0].decode()
            done += killed
            if not killed:
                badly += [] if process.returncode == 0 else [said[-300:]]
                break
            command = [*OSLER, "resume", "last"] if store.exists() and began(store) else command
        asked = requests(address)
    with open_store(store) as opened:
        # The first line holds the configuration, and with it the endpoint's address.
        return list(export_lines(opened, opened.run("last").id))[1:], done, asked, badly


def began(store: Path) -> bool:
    """Whether the run was written before its process was killed."""
    with open_store(store) as opened:
        return bool(opened.runs())


def requests(address: str) -> int:
    with urllib.request.urlopen(f"{address.removesuffix('/v1')}/stats") as response:
        return int(json.load(response)["requests"])


if __name__ == "__main__":
    os.environ.pop("OSLER_STORE", None)
    main()
