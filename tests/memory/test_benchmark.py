"""The benchmark runs, and its search is the brute-force one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory.py"


def test_the_benchmark_finds_what_brute_force_finds() -> None:
    command = [sys.executable, str(BENCHMARK), "--json", "--sizes", "500", "--queries", "40"]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=120).stdout)
    assert found["500"]["recall_at_k"] == 1.0
    assert found["500"]["same_order"]
    assert {"p50_ms", "p99_ms", "rss_mb", "over_numpy_scan"} <= found["500"].keys()
