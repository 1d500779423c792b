"""`python -m tests.golden_runs [NAME...]` plays anew and overwrites what is recorded: all, or these plays."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from tests.golden_runs.playing import FOLDER, VERSIONS, made_by, packed
from tests.golden_runs.plays import PLAYS, SAMPLES


def main(names: list[str]) -> None:
    """Play and write."""
    FOLDER.mkdir(exist_ok=True)
    versions = json.loads(VERSIONS.read_text()) if VERSIONS.exists() else {}
    for name in names or PLAYS:
        began, cpu = time.monotonic(), time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            made = made_by(PLAYS[name], Path(folder))
        for path, data in packed(name, made).items():
            path.write_bytes(data)
        if name in SAMPLES:
            (FOLDER / f"{name}.sample.jsonl").write_text(made.runs[SAMPLES[name]])
        versions[name] = made.versions
        size = sum(path.stat().st_size for path in FOLDER.glob(f"{name}.*"))
        print(
            f"{name}: {len(made.runs)} runs, {len(made.requests)} requests, {size} bytes,",
            f"{time.monotonic() - began:.1f} s, {time.process_time() - cpu:.1f} s of CPU",
        )
    VERSIONS.write_text(json.dumps(dict(sorted(versions.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
