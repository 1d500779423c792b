"""A fault is never a reward: dead, wrong and half-dead endpoints in another seat, and policies that are."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from osler.adapters.openenv import OslerEnv, OslerObservation
from osler.protocols.consultation.config import RunConfig
from osler.runs.seating import ModelOptions, with_models
from osler.testing.endpoint import running
from tests.adapter_tools.openenv.serving import in_order, served, to_the_end

DOCTOR = in_order("When did it start?", "Where exactly does it hurt?", "DIAGNOSIS READY: [migraine]")
PROSE = {"reply": "I would rather not fill in any form."}
HALF: list[dict[str, Any]] = [{"match": {"nth": 1}}, {"reply": "boom", "status": 500}]
"""The first answer is as usual, all others are errors."""


@contextmanager
def endpoint(kind: str, folder: Path) -> Iterator[Path]:
    """An osler.toml whose endpoint `patient` is dead in this way, or `alive`."""
    file = folder / "osler.toml"

    def at(url: str) -> Path:
        file.write_text(f'[endpoints.patient]\nbase_url = "{url}"\nmodel = "fake"\n')
        return file

    match kind:
        case "refused":
            with socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
            yield at(f"http://127.0.0.1:{port}/v1")
        case "404":
            with running() as url:
                yield at(url.replace("/v1", "/nothing/here"))
        case "500":
            with running(faults={"kinds": {"500": 1}}) as url:
                yield at(url)
        case "half":
            with running(script=HALF) as url:
                yield at(url)
        case "truncated":
            with running(faults={"kinds": {"truncated": 1}}) as url:
                yield at(url)
        case "prose":
            with running(script=[PROSE]) as url:
                yield at(url)
        case _:
            with running() as url:
                yield at(url)


def config_of(file: Path) -> tuple[Any, Any]:
    """A configuration with a patient of an osler.toml, and the opened models."""
    return with_models(RunConfig(cases="library", limit=2, patient="model:patient"), ModelOptions(file))


def health(url: str) -> tuple[int, dict[str, Any]]:
    """The answer of /health."""
    try:
        with urllib.request.urlopen(f"{url}/health") as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def ended_or_words(env: Any) -> OslerObservation | str:
    """The end of an encounter, or the words of the error that stopped it."""
    try:
        return to_the_end(env, DOCTOR, row=0)
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("kind", ["refused", "404", "500", "truncated", "half", "prose"])
def test_a_dead_endpoint_in_another_seat_is_never_a_reward(kind: str, tmp_path: Path) -> None:
    with endpoint(kind, tmp_path) as file:
        config, models = config_of(file)
        with served(config, models=models, scores=("turns",)) as server, server.client() as env:
            ended = ended_or_words(env)
            if isinstance(ended, str):
                assert "endpoint patient" in ended
                assert "Traceback" not in ended
                with pytest.raises(RuntimeError, match="was stopped"):
                    env.step("When did it start?")
            else:
                assert (ended.done, ended.reward, ended.scores) == (True, None, {})
                assert ended.unscored
            assert env.state().status in ("fault", "simulator_fault", "endpoint_fault")
            status, said = health(server.url)
            assert (status, said["status"]) == (503, "unhealthy")
            assert server.encounters.tally.scored == 0
            assert env.reset(row=0).observation.ticket == "2.0"


def test_a_living_endpoint_gives_turns_and_a_reward(tmp_path: Path) -> None:
    with endpoint("alive", tmp_path) as file:
        config, models = config_of(file)
        with served(config, models=models, scores=("turns",)) as server, server.client() as env:
            seen = to_the_end(env, DOCTOR, row=0)
            assert health(server.url) == (200, {"status": "healthy"})
    assert (seen.scores["turns"] or 0) > 1
    assert seen.reward is not None
    assert [row.seat for row in server.played[0][1].trace.rows].count("patient") >= 2


@pytest.mark.parametrize("answer", ["", "   ", "<html>502 Bad Gateway</html>", "All seems well to me."])
def test_answers_of_which_none_can_be_read_are_unscored(answer: str) -> None:
    config = RunConfig(cases="library", limit=1, moves="json")
    with served(config) as server, server.client() as env:
        seen = to_the_end(env, in_order(answer))
    assert (seen.done, seen.reward, seen.status) == (True, None, "invalid_play")
    assert "unreadable" in seen.unscored
    assert (server.encounters.tally.scored, server.encounters.tally.unscored) == (0, 1)


@pytest.mark.parametrize(("kind", "code"), [("alive", 0), ("500", 3), ("refused", 3)])
def test_the_command_ends_with_the_code_of_what_was_played(kind: str, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "osler.cli.main", "openenv", "consultation", "library", "--limit=1"]
    with endpoint(kind, tmp_path) as file:
        command += ["--seat=patient=model:patient", f"--config={file}", "--port=0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            with OslerEnv(base_url=url).sync() as env:
                if code:
                    with pytest.raises(RuntimeError, match="endpoint patient"):
                        to_the_end(env, DOCTOR)
                else:
                    assert to_the_end(env, DOCTOR).reward is not None
            process.send_signal(signal.SIGTERM)
            said = process.communicate()[1]
    assert process.returncode == code, said
    assert ("faults stopped 1 encounters (0 were scored)" in said) is (code == 3)
    assert "Traceback" not in said
