"""What playing our scenarios costs: ten scenarios, five seeds, four built-in examinees, in one command.

`wall_s` is the wall time of that command in a process of its own, from start to exit: read, played, judged,
stored and reported. What else is printed says whether the figures are what they should be: the oracle at
100 % net, null at most 2 %, repeat-everything below the baseline, the baseline at least 20 %. What model
seats are sent is counted by `scenario_tokens.py`.

    python benchmarks/scenario.py --json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from scenario_tokens import measured

EXAMINEES: Final = ("baseline", "null", "oracle", "repeat-everything")
SEEDS: Final = 5
AIM_S: Final = 15.0


def played_and_judged(scenarios: str = "library") -> dict[str, Any]:
    """Run the command once: its wall time, how many episodes it played, and each examinee's net score."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["scenario", "play", scenarios, f"--examinee={','.join(EXAMINEES)}", f"--repeats={SEEDS}"]
        store = f"--store={Path(folder) / 'runs.db'}"
        command = [sys.executable, "-c", "from osler.cli.main import main; main()", *words, store, "--json"]
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        wall_s = time.perf_counter() - began
    found = json.loads(done.stdout)["examinees"]
    return {
        "wall_s": round(wall_s, 3),
        "wall_aim_s": AIM_S,
        "episodes": sum(one["episodes"] for one in found.values()),
        "net": {name: found[name]["measures"]["net"] for name in EXAMINEES},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    found = {**played_and_judged(), **measured()}
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['episodes']} episodes in {found['wall_s']:.1f} s (aim: {found['wall_aim_s']:.0f} s)")
    for name, net in found["net"].items():
        reach = "no interval" if net["low"] is None else f"{net['low']:.1%} to {net['high']:.1%}"
        print(f"{name:18} net {net['value']:.1%} ({reach}), {net['n']} episodes")
    for turns, sent in found["by_turns"].items():
        print(
            f"{turns:>2} turns: fresh over sent {sent['fresh_over_sent']:.3f}, sent over the original's "
            f"{sent['sent_over_original']:.3f} ({sent['states_over_original']:.3f} from explicit states), "
            f"{sent['calls_per_turn']:.1f} calls a turn"
        )


if __name__ == "__main__":
    main()
