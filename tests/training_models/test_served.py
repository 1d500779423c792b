"""A trained model served on this machine, and back at the bedside."""

from __future__ import annotations

import json
import socket
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.models.config import Endpoint
from osler.models.weights import weights_hash
from osler.store.store import open_store
from osler.training.harvest import episodes
from osler.training.samples import sample_of
from osler.training.task import Replayed, trained_seat
from tests.training_models.conftest import saying, trained

ROUND = "round generated:1:3 --students 1 --max-rounds 1 --json".split()


def osler(*words: str) -> dict[str, Any]:
    """Call a command; its one JSON object."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def round_(room: Path) -> Path:
    """A data set of the one tutor's turn of a ward round that the built-in players played."""
    store = ("--store", f"sqlite:///{room}/rounds.db")
    run = osler(*ROUND, *store)["run"]
    shares = ("--kind", "single", "--validation", "0", "--test", "0")
    built = osler("dataset", "build", run, "--out", str(room / "round"), *shares, *store, "--json")
    assert built["samples"]["single"] == 1
    return room / "round"


@pytest.fixture(scope="module")
def tutor(room: Path, round_: Path) -> Path:
    """A tiny model that has learnt that turn."""
    from osler.training.backend.tiny_models import tiny

    tiny(room / "tutor-base", data=round_)
    changes = ("steps=100", "batch=1", "per_device=1", "learning_rate=0.003")
    found = trained(round_, room / "tutor-base", room / "tutor", *changes)
    assert found["loss_last"] < 0.05
    return room / "tutor"


class Served:
    """A server on a port of its own, and what it was asked."""

    def __init__(self, out: Path) -> None:
        from osler.training.backend.serve import endpoint, serve

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.config = endpoint(out, self.port, 200)
        self.server = serve(out, self.port, device="cpu", behind=True)
        self.model = str((out / "merged").resolve())
        while not self.server.server.started:
            time.sleep(0.05)

    def answer(self, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """The answer to a chat, as the server sends it."""
        body = {"model": self.model, "messages": messages, "max_tokens": 100, "temperature": 0, **more}
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=120) as got:
            found: dict[str, Any] = json.loads(got.read())
            return found


@pytest.fixture(scope="module")
def served(learnt: Path) -> Iterator[Served]:
    found = Served(learnt)
    yield found
    found.server.kill_server()


@pytest.fixture(scope="module")
def served_tutor(tutor: Path) -> Iterator[Served]:
    found = Served(tutor)
    yield found
    found.server.kill_server()


def test_the_server_says_what_the_model_says_here(served: Served, learnt: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    chats, model = Chats(models.processor_of(learnt / "merged")), models.load(learnt / "merged", "fp32")
    for n in (1, 2, 4, 17):
        messages = saying(n)["messages"][:2]
        (ids,) = models.generate(model, chats.prompts([messages]), 100)
        sent = [{"role": one["role"], "content": one["content"][0]["text"]} for one in messages]
        answer = served.answer(sent)["choices"][0]
        assert answer["message"]["content"] == chats.said(ids)
        assert answer["finish_reason"] == "stop"


def test_a_history_is_served_as_it_was_trained(served: Served, learnt: Path) -> None:
    """The prompt of a second turn has as many tokens at the server as it had in training."""
    from osler.training.backend import models
    from osler.training.backend.chats import Chats
    from osler.training.backend.rows import row_of

    row = row_of(saying(4), Path("nowhere"))
    _, spans = Chats(models.processor_of(learnt / "merged")).row(row)
    sent = [{"role": one["role"], "content": one["content"][0]["text"]} for one in row.messages[:4]]
    assert served.answer(sent)["usage"]["prompt_tokens"] == spans[1].start


def test_the_server_is_pinned_to_its_model_and_to_this_machine(served: Served, base: Path) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        served.answer([{"role": "user", "content": "Hello."}], model=str(base))
    assert refused.value.code == 400
    assert served.server.server.config.host == "127.0.0.1"


def test_the_weights_that_a_study_records_are_those_by_which_a_training_knows_its_base(
    served: Served, learnt: Path
) -> None:
    from osler.training.backend import models

    table = tomllib.loads(served.config)["endpoints"]["trained"]
    assert weights_hash(Endpoint.model_validate(table)) == models.files_hash(learnt / "merged")


def test_a_tutor_that_learnt_one_turn_gives_it_at_the_bedside(
    served_tutor: Served, round_: Path, tmp_path: Path
) -> None:
    """Its turn parses, both reviewers approve, and the student hears the question that was learnt."""
    toml = tmp_path / "osler.toml"
    toml.write_text(served_tutor.config)
    store = f"sqlite:///{tmp_path}/played.db"
    found = osler(
        *ROUND, "--tutor", "model:trained", "--moves", "text", "--config", str(toml), "--store", store
    )
    assert found["ended"] == {"completed": 1}
    from pyarrow import parquet

    (row,) = parquet.read_table(round_ / "data" / "train-00000-of-00001.parquet").to_pylist()
    with open_store(store) as opened:
        run = opened.run(found["run"])
        seat = trained_seat("ward_round")
        (played,) = episodes(run, opened, seat.seat)
        assert isinstance(played, Replayed), played
        (turn,) = seat.turns(played)
        assert turn.accepted
        assert seat.target(turn) == row["target"]
        sample = sample_of(turn, seat, seat.state(turn))
        assert list(sample.chat) == [json.loads(one) for one in row["messages"]], "asked as it had learnt"
