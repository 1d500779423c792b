"""How fast a base is trained on one device, and in how much memory: steps of SFT and GRPO, in one table.

    python benchmarks/train_gpu.py --base FOLDER --out FILE.json
    python benchmarks/train_gpu.py --dry-run

FOLDER is any base of `osler train sft`, or a GGUF file, which `osler train base` unpacks first; the rows are
turns of built-in players. Each part is a process of its own, so that its peak of memory is its own, and ends
in time: all together take at most `--minutes`. A dry run plays every part with a tiny base of random weights
on whatever is there: it shows that the script runs, and its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from osler.errors import OslerError
from osler.files import write_whole
from osler.training.backend import grpo, models, sft
from osler.training.config import grpo_config, sft_config
from osler.training.reward.opening import open_reward
from osler.training.rewarding import always
from osler.training.task import trained_seat

GGUF: Final = ".gguf"
GRACE_S: Final = 30.0
"""The time that a part may take to end once it is past its limit."""
STORE: Final = "sqlite:///{}/rounds.db"
SFT: Final = ("steps=12", "batch=16", "per_device=4", "save_every=1000")
GRPO: Final = (
    *("steps=4", "prompts=8", "mini_batch=8", "group=8", "per_device=8", "save_every=1000"),
    *("max_answer=256", "max_prompt=2048"),
)
DRY: Final = {
    "sft": ("steps=3", "batch=4", "per_device=4"),
    "grpo": (
        "steps=3",
        "prompts=2",
        "mini_batch=2",
        "group=4",
        "per_device=8",
        "max_answer=16",
        "save_every=3",
    ),
}


class Part(NamedTuple):
    """A training that is timed: its name, its kind, and its settings over the profile's."""

    name: str
    kind: str
    changes: tuple[str, ...]


PARTS: Final = (
    Part("SFT, adapters", "sft", ('weights="lora"',)),
    Part("SFT, all weights", "sft", ('weights="all"',)),
    Part("GRPO, answers by transformers", "grpo", ('weights="lora"',)),
    Part("GRPO, answers by vLLM", "grpo", ('weights="lora"', "vllm=true")),
)


@dataclass
class Watch:
    """A clock of updates that ends a training which is past its time."""

    until: float
    at: list[float]

    def __call__(self, step: Any) -> None:
        self.at.append(time.monotonic())
        if self.at[-1] > self.until:
            raise OutOfTime

    @property
    def steps(self) -> list[float]:
        """The seconds of each update but the first, which also warms up."""
        return [after - before for before, after in zip(self.at, self.at[1:], strict=False)]


class OutOfTime(Exception):
    """Ends a training at its limit; what it measured so far counts."""


def main() -> None:
    """Time every part, write the figures, and print them."""
    options = _options()
    if options.part is not None:
        _child(options)
        return
    until = time.monotonic() + 60 * options.minutes - GRACE_S
    with tempfile.TemporaryDirectory() as folder:
        place = Path(options.folder or folder)
        data, base = _prepared(place, options)
        rows = []
        for at, part in enumerate(PARTS):
            if part.changes[-1] == "vllm=true" and find_spec("vllm") is None:
                rows.append({"part": part.name, "status": "not run: vllm is not installed"})
                continue
            left_s = (until - time.monotonic()) / (len(PARTS) - at)
            rows.append(_row(part, at, left_s, place, [str(data), base], dry=options.dry_run))
        figures = {"device": _device(), "base": base, "dry_run": options.dry_run, "parts": rows}
    if options.out:
        write_whole(Path(options.out), json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures) if options.json else table(figures))


def table(figures: dict[str, Any]) -> str:
    """Format the figures as one table."""
    caution = ", a dry run: these figures mean nothing" if figures["dry_run"] else ""
    lines = [
        f"{figures['base']} on {figures['device']}{caution}",
        "",
        "| part | steps timed | s a step (range) | tokens a second | peak memory, GB | ended |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in figures["parts"]:
        seconds = f"{row['step_s']} ({row['least_s']} to {row['most_s']})" if row.get("steps") else "-"
        cells = (row.get("steps", 0), seconds, row.get("tokens_per_s", "-"), row.get("peak_gb", "-"))
        lines.append(f"| {row['part']} | {' | '.join(map(str, cells))} | {row['status']} |")
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--base", default="", help="a folder of a base, a GGUF file, or OWNER/NAME")
    parser.add_argument("--minutes", type=float, default=10.0, help="the most that all parts take together")
    parser.add_argument(
        "--rounds", type=int, default=60, help="rounds of built-in players that give the rows"
    )
    parser.add_argument("--out", default="", help="a file for the figures as JSON")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--dry-run", action="store_true", help="a tiny base, a few steps")
    parser.add_argument("--folder", default="", help="where everything is kept; else it is removed")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--data", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not (options.base or options.dry_run):
        parser.error("name a base with --base, or see the form with --dry-run")
    if options.base and options.part is None and not options.base.endswith(GGUF):
        try:
            models.base_at(options.base)
        except OslerError as error:
            parser.error(f"--base {options.base}: {error}")
    return options


def _osler(*words: str) -> None:
    """Run a command of Osler; its output is told of only if it fails."""
    done = subprocess.run([sys.executable, "-m", "osler.cli.main", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"osler {' '.join(words)}: {done.stderr[-2000:]}")


def _prepared(place: Path, options: argparse.Namespace) -> tuple[Path, str]:
    """The data set of built-in players' turns, and the base."""
    data, store = place / "data", ("--store", STORE.format(place))
    rounds = min(options.rounds, 8) if options.dry_run else options.rounds
    _osler("round", f"generated:{rounds}:1", "--students", "1", "--max-rounds", "2", *store)
    _osler("dataset", "build", "last", "--out", str(data), "--validation", "0", "--test", "0", *store)
    if options.base.endswith(GGUF):
        _osler("train", "base", options.base, "--out", str(place / "base"))
        return data, str(place / "base")
    if not options.dry_run:
        return data, options.base
    _osler("train", "tiny", str(place / "tiny"), "--data", str(data))
    return data, str(place / "tiny")


def _row(
    part: Part, at: int, left_s: float, place: Path, given: Sequence[str], *, dry: bool
) -> dict[str, Any]:
    """The figures of a part, from a process of its own; how it ended, if it gave none."""
    out, (data, base) = place / f"part-{at}", given
    words = [
        "--part",
        str(at),
        "--seconds",
        str(left_s),
        "--folder",
        str(out),
        "--data",
        data,
        "--base",
        base,
    ]
    command = [sys.executable, __file__, *words, *(["--dry-run"] if dry else [])]
    row: dict[str, Any] = {"part": part.name}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(left_s, 0) + GRACE_S)
    except subprocess.TimeoutExpired:
        return {**row, "status": f"killed at its limit of {left_s:.0f} s"}
    try:
        return {**row, **json.loads(done.stdout.splitlines()[-1])}
    except (IndexError, ValueError):
        why = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        return {**row, "status": f"failed: {why[:200]}"}


def _child(options: argparse.Namespace) -> None:
    """Train one part, and print its figures as a line of JSON."""
    part, out = PARTS[options.part], Path(options.folder)
    watch = Watch(time.monotonic() + options.seconds, [])
    dry = DRY[part.kind] if options.dry_run else {"sft": SFT, "grpo": GRPO}[part.kind]
    profile, changes = "tiny" if options.dry_run else "paper", [*dry, *part.changes]
    status = "done"
    try:
        _trained(part.kind, Path(options.data), options.base, out, profile, changes, watch)
    except OutOfTime:
        status = "at its limit"
    except OslerError as error:
        status = f"failed: {' '.join(str(error).split())[:200]}"
    print(json.dumps({**_figures(part.kind, out, watch), "status": status}))


def _trained(
    kind: str, data: Path, base: str, out: Path, profile: str, changes: Sequence[str], watch: Watch
) -> None:
    """Train as the commands do, with the watch told of every update."""
    if kind == "sft":
        sft.sft(data, base, out, sft_config(profile, changes), watch)
        return
    reward = open_reward(trained_seat("ward_round"), "rule")
    rewards = grpo.Rewards(always(reward), reward.name, reward.version)
    grpo.grpo(data, base, out, grpo_config(profile, changes), rewards, made=watch)


def _figures(kind: str, out: Path, watch: Watch) -> dict[str, Any]:
    """What a part measured: its steps, the tokens that they took or gave, and its peak of memory."""
    steps, each = watch.steps, _tokens(kind, out)
    figures: dict[str, Any] = {"steps": len(steps), "peak_gb": _peak_gb()}
    if steps:
        figures |= {
            "step_s": _short(median(steps)),
            "least_s": _short(min(steps)),
            "most_s": _short(max(steps)),
        }
        timed = each[1 : len(steps) + 1]
        figures["tokens_per_s"] = round(sum(timed) / sum(steps), 1) if len(timed) == len(steps) else None
    return figures


def _tokens(kind: str, out: Path) -> list[float]:
    """The tokens of each step: of SFT those read, by the mean of the rows; of GRPO those of the answers."""
    try:
        if kind == "sft":
            stamp, kept = (json.loads((out / name).read_text()) for name in ("stamp.json", "kept.json"))
            return [kept["tokens"]["mean"] * stamp["config"]["batch"]] * stamp["config"]["steps"]
        tokens: dict[int, float] = {}
        for line in (out / "samples.jsonl").read_text().splitlines():
            one = json.loads(line)
            tokens[one["step"]] = tokens.get(one["step"], 0) + one["tokens"]
        return [tokens[step] for step in sorted(tokens)]
    except OSError:
        return []


def _peak_gb() -> float:
    """The most memory that was taken: of the GPU where there is one, else of the process."""
    torch = import_module("torch")
    if torch.cuda.is_available():
        return _short(torch.cuda.max_memory_reserved() / 1e9)
    return _short(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)


def _device() -> str:
    torch = import_module("torch")
    if not torch.cuda.is_available():
        return f"a CPU, torch {torch.__version__}"
    return f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}"


def _short(value: float) -> float:
    return float(f"{value:.3g}")


if __name__ == "__main__":
    main()
