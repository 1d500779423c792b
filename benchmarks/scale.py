"""What Osler needs as it grows, as ratios within one run: engine over bare calls, two processes over one,
export over summary, ten times the episodes over once, archive over live.

    python benchmarks/scale.py --json [--only instructions,wall,...] [--episodes 20000] [--force]

Every figure stands with the load average before it. Instructions are counted on any machine; wall times are
refused on a busy one (`null`, and why), since neighbours move them more than any change of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import scale_engine
import scale_processes
from scale_rules import busy, load_now

EPISODES: Final = 20_000
LIMITS_S: Final = 60.0
Found = Mapping[str, Any]
FIGURES: Final[dict[str, tuple[str, ...]]] = {
    "instructions": ("instructions_over_bare",),
    "wall": ("wall_over_bare",),
    "cpu": ("cpu_two_over_one",),
    "store": ("export_over_summary", "ten_times"),
    "archive": ("archive_over_live",),
    "limits": ("limits",),
}
"""The figures of each part."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--only", default=",".join(FIGURES), help=f"parts to take: {', '.join(FIGURES)}")
    parser.add_argument("--episodes", type=int, default=EPISODES, help="episodes a run (20000)")
    parser.add_argument("--force", action="store_true", help="measure wall times on a busy machine, too")
    given = parser.parse_args()
    wanted = given.only.split(",")
    if strange := set(wanted) - set(FIGURES):
        parser.error(f"no part {sorted(strange)[0]!r}; there are: {', '.join(FIGURES)}")
    found = measure(wanted, given.episodes, force=given.force)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:24} {value}")


def measure(wanted: list[str], episodes: int, *, force: bool = False) -> dict[str, Any]:
    """Take the parts wanted, one after another; what was not taken is `None`, and `notes` say why."""
    takers = parts(episodes)
    found: dict[str, Any] = {name: None for part in FIGURES if part != "limits" for name in FIGURES[part]}
    notes, load, details = dict[str, str](), dict[str, float](), dict[str, Any]()
    began = time.monotonic()
    for part, names in FIGURES.items():
        if part not in wanted:
            notes[part] = "not asked for"
            continue
        load[part] = load_now()
        why = busy(load[part], os.cpu_count() or 1) if part == "wall" and not force else ""
        took = why or takers[part]()
        if isinstance(took, str):
            notes[part], took = took, {}
        figures: Found = {"limits": took} if part == "limits" and took else took
        found |= {name: figures[name] for name in names if name in figures}
        if more := {name: value for name, value in figures.items() if name not in names}:
            details[part] = more
        said = notes.get(part) or [found.get(name) for name in names]
        print(f"{part}: {said}, load {load[part]}", file=sys.stderr)
    sizes = {"episodes": episodes, "cores": os.cpu_count(), "whole_s": round(time.monotonic() - began, 1)}
    return {**found, "load": load, "sizes": sizes, "notes": notes, "details": details}


def parts(episodes: int) -> dict[str, Callable[[], Found | str]]:
    """What measures each part; it returns its figures, or in words why there are none."""
    tenth = max(1, episodes // 10)
    return {
        "instructions": instructions,
        "wall": scale_engine.wall,
        "cpu": lambda: scale_processes.measure(episodes),
        "store": lambda: of_module("scale_store", (tenth, 10 * tenth)),
        "archive": lambda: of_module("scale_archive", episodes),
        "limits": lambda: of_module("scale_limits", LIMITS_S),
    }


def instructions() -> Found:
    """Instructions a call over those of a bare one."""
    found = scale_engine.instructions()._asdict()
    return {"instructions_over_bare": found.pop("over_bare"), **found}


def of_module(name: str, size: object) -> Found | str:
    """The figures of a module beside this one, which is imported only when they are asked for."""
    if find_spec(name) is None:
        return f"not measured: benchmarks/{name}.py is not there"
    figures: Found = import_module(name).measure(size)
    return figures


if __name__ == "__main__":
    main()
