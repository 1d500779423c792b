"""One chain, by the commands that a lab runs: rounds, data set, SFT, GRPO that is killed and goes on,
merging, serving, and rounds on cases that no row holds."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.attempts import REFUSED
from osler.store.store import open_store

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


def of_page(begins: str, option: str) -> tuple[str, ...]:
    """The options of a command as the tutorial prints it, from one of them on."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    words = next(shlex.split(line, comments=True) for line in lines if line.startswith(begins))
    return tuple(words[words.index(option) :])


ROUND = of_page("osler round generated:220:1", "--students")
SFT = of_page("osler train sft data", "--profile")
GRPO = (*of_page("osler train grpo data", "--profile"), "--set", "save_every=5")
MOST = 64
"""The tokens of an answer: the longest turn of these rounds takes 43."""


class Played(NamedTuple):
    """By case, whether the first answer to each turn parsed (1 or 0), and how the rounds ended."""

    valid: dict[str, list[float]]
    ended: dict[str, int]

    @property
    def share(self) -> float:
        """The share of turns whose first answer parsed."""
        return fmean(chain.from_iterable(self.valid.values()))


class Trained(NamedTuple):
    """The turns at the bedside before and after, and where the killed training went on."""

    seed: int
    before: Played
    sft: Played
    grpo: Played
    resumed_from: int
    reward: tuple[float, float]


def osler(*words: str) -> dict[str, Any]:
    """Call a command; its one JSON object."""
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def prepared(folder: Path, cases: int, held_out: int) -> dict[str, Any]:
    """Rounds of built-in players as an audited data set, and cases that are kept out of it."""
    store = ("--store", f"sqlite:///{folder}/rounds.db")
    kept = str(folder / "held-out.jsonl")
    osler("cases", "generate", "--n", str(held_out), "--seed", "7", "--out", kept)
    run = osler("round", f"generated:{cases}:1", *ROUND, *store)["run"]
    data = str(folder / "data")
    shares = ("--kind", "single", "--validation", "0.05", "--test", "0", "--hold-out", kept)
    built = osler("dataset", "build", run, "--out", data, *shares, *store)
    assert osler("dataset", "audit", data)["clean"]
    return built


def trained(folder: Path, seed: int, steps: int) -> Trained:
    """Train a tiny tutor with a seed, from random weights to the bedside."""
    room, data = folder / f"seed-{seed}", str(folder / "data")
    base, sft, policy = (str(room / name) for name in ("base", "sft", "policy"))
    osler("train", "tiny", base, "--data", data, "--seed", str(seed))
    osler("train", "sft", data, "--base", base, "--out", sft, *SFT, "--set", f"seed={seed}")
    grpo = ("train", "grpo", data, "--base", sft, "--out", policy, *GRPO)
    settings = ("--set", f"steps={steps}", "--set", f"seed={seed}")
    killed([*grpo, *settings], Path(policy) / "log.jsonl", after=7)
    found = osler(*grpo, *settings)
    osler("train", "merge", policy)
    before, after, rewarded = (at_the_bedside(folder, room, Path(out)) for out in (base, sft, policy))
    reward = found["reward_first"], found["reward_last"]
    return Trained(seed, before, after, rewarded, found["resumed_from"], reward)


def killed(words: Sequence[str], log: Path, after: int) -> None:
    """Run a command in a process of its own, and kill it once its log has so many lines."""
    if (child := os.fork()) == 0:
        CliRunner().invoke(app, list(words))
        os._exit(0)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if log.is_file() and log.read_bytes().count(b"\n") >= after:
            os.kill(child, signal.SIGKILL)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
            return
        time.sleep(0.05)
    raise AssertionError("it ended before it was killed")


def at_the_bedside(folder: Path, room: Path, out: Path) -> Played:
    """Serve a model, and play the cases that were held out with it as the tutor."""
    store = f"sqlite:///{room}/{out.name}.db"
    toml = room / f"{out.name}.toml"
    with served(out, toml):
        tutor = ("--tutor", "model:trained", "--moves", "text", "--config", str(toml), "--temperature", "1")
        played = osler("round", str(folder / "held-out.jsonl"), *ROUND, *tutor, "--store", store)
    valid = defaultdict[str, list[float]](list)
    with open_store(store) as opened:
        for episode, trace in opened.traces(opened.run(played["run"]).id):
            for row in trace.rows:
                if row.seat == "tutor":
                    refused = any(one["at"] == REFUSED for one in json.loads(row.attempts))
                    valid[episode.case_id].append(float(not refused))
    return Played(dict(valid), played["ended"])


@contextmanager
def served(out: Path, toml: Path, most: int = MOST) -> Iterator[None]:
    """A model served on a free port, its lines for osler.toml written to a file, with the most tokens of an
    answer."""
    from osler.training.backend.serve import endpoint, serve

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    toml.write_text(endpoint(out, port, most))
    server = serve(out, port, device="cpu", behind=True)
    try:
        while not server.server.started:
            time.sleep(0.05)
        yield
    finally:
        server.kill_server()
