"""Ten thousand questions with pictures take hardly more memory than a thousand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endpoints import running
from tests.pictures.images import png
from tests.vqa.made_up import medxpertqa, write
from tests.vqa.test_asking import config

SIDE = 100  # 30 kB of noise; ten thousand of them are 300 MB
FILES = 40
PEAK = """
import json, re, sys
from pathlib import Path
from osler.cli.main import app
try:
    app(sys.argv[1:])
finally:
    # Of this program alone: what getrusage tells begins with the memory of the process that forked it.
    told = Path("/proc/self/status").read_text()
    print(json.dumps({"peak_kb": int(re.search(r"VmHWM:\\s+(\\d+) kB", told)[1])}))
"""


def peak_mb(folder: Path, url: str, n: int) -> float:
    """The peak memory of a process that asks so many questions, in MB."""
    rows = [{**row, "images": [f"{at % FILES}.png"]} for at, row in enumerate(medxpertqa(n))]
    path = write(folder, rows, f"{n}.jsonl")
    words = ["vqa", str(path), "--format", "medxpertqa", "--images", str(folder), "--model", "tiny", "--json"]
    words += ["--config", str(config(folder, url)), "--out", str(folder / f"kept-{n}")]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    figures, peak = map(json.loads, done.stdout.splitlines())
    assert figures["accuracy"]["n"] == n
    return float(peak["peak_kb"]) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is not told here")
@pytest.mark.slow
def test_memory_is_flat(tmp_path: Path) -> None:
    for at in range(FILES):
        (tmp_path / f"{at}.png").write_bytes(png(at, (SIDE, SIDE)))
    with running(script=[{"reply": "Weighing them all, the second fits best.\n\nAnswer: B"}]) as url:
        few, many = (peak_mb(tmp_path, url, n) for n in (1000, 10_000))
    print(f"peak memory: {few:.1f} MB for 1,000 questions, {many:.1f} MB for 10,000")
    assert many - few < 25, "of 270 MB more pictures, and 7 MB more of their text"
