"""A plan of a fine-tuning: what it will take here, measured on three updates of the very training."""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from osler.training.backend.sft import Update, prepare, run_updates
from osler.training.config import SftConfig

MEASURED: Final = 3
_KB, _MB = 1024, 1024**2


class Plan(NamedTuple):
    """An estimate of a fine-tuning: its rows and those left out, its tokens in all and of a row at most, its
    updates, the tokens a second measured here, the seconds of an update and the minutes of all at that speed,
    and the most memory taken so far in MB. Validation and saving come on top."""

    rows: int
    left_out: dict[str, int]
    tokens: int
    tokens_row: float
    tokens_most: float
    updates: int
    tokens_second: float
    seconds_update: float
    minutes: float
    memory_mb: int
    device: str


def plan_of(data: Path, base: str, config: SftConfig) -> Plan:
    """Measure three updates of as many rows as the device holds at once, in a folder that is then removed.
    Raises BadInput as a training would."""
    short = config.model_copy(
        update={
            "steps": MEASURED,
            "batch": config.per_device,
            "validated": 0,
            "answered": 0,
            "kept_by": "last",
            "save_every": MEASURED + 1,
        }
    )
    ends = [monotonic()]

    def made(update: Update) -> None:
        ends.append(monotonic())

    with tempfile.TemporaryDirectory(prefix="osler-plan-") as folder:
        ready = prepare(data, base, Path(folder) / "plan", short, made)
        assert not isinstance(ready, dict)
        ends[0] = monotonic()
        run_updates(ready)
        log = [line for line in ready.folder.log() if "loss" in line]
        device = str(ready.model.device)
    seconds, tokens = ends[-1] - ends[0], sum(line["tokens"] for line in log)
    rate = tokens / seconds
    updates = config.updates(len(ready.kept))
    mean = float(ready.tokens["mean"])
    each = mean * config.batch / rate
    return Plan(
        rows=len(ready.kept),
        left_out={name: count for name, count in ready.left_out.items() if count},
        tokens=round(mean * config.batch * updates),
        tokens_row=mean,
        tokens_most=float(ready.tokens["most"]),
        updates=updates,
        tokens_second=round(rate, 1),
        seconds_update=round(each, 2),
        minutes=round(each * updates / 60, 1),
        memory_mb=_memory_mb(device),
        device=device,
    )


def _memory_mb(device: str) -> int:
    """The most memory that this process, or its device, has held."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.max_memory_allocated() / _MB)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (_MB if sys.platform == "darwin" else _KB))
