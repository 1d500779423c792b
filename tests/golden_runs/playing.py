"""Plays the goldens' commands and says what came of them, as texts that are compared byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import threading
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from typer.testing import CliRunner

from osler.cli.main import app
from osler.testing.endpoint import FakeEndpoint
from osler.testing.endpoint_http import HttpReply, HttpRequest
from tests.golden_runs.plays import BIAS_STUDY, MEMORY_STUDY, Play

FOLDER: Final = Path(__file__).parent / "recorded"
VERSIONS: Final = FOLDER / "versions.json"
FAULTS: Final = {
    "seed": 5,
    "rate": 0.2,
    "kinds": dict.fromkeys(("empty", "refused", "filtered", "bad-json", "schema-violation"), 1.0)
    | {"other-model": 0.5, "429-retry-after": 0.5},
    "retry_after_s": 0,
}
SCRIPT: Final = [
    {
        "match": {"anywhere": 'student_id="', "format": "text"},
        "reply": "<think_history>They begin.</think_history><think_question>The first.</think_question>"
        '<think_student student_id="Harriet">Quiet.</think_student><think_group>A test.</think_group>'
        "<think_image>The lines.</think_image>\n\nHarriet, what would you rule out first, and why?",
    }
]
"""What a tutor says in tags, which the endpoint does not know by itself."""
ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class Made(NamedTuple):
    """What a play left behind.

    `runs` are the canonical exports in the order of the runs, judgements without their versions. `versions`
    are those, by grader. `requests` are the lines of what models were asked, in alphabetical order: which of
    two asked at once comes first is nobody's promise. A line names texts by hash; `texts` holds them.
    """

    runs: tuple[str, ...]
    versions: dict[str, list[str]]
    requests: tuple[str, ...] = ()
    texts: dict[str, str] = {}  # noqa: RUF012 - never changed


def made_by(play: Play, folder: Path) -> Made:
    """Run the commands in an empty `folder` of their own. Raises AssertionError where one fails."""
    store = folder / "golden.db"
    env = {"OSLER_STORE": str(store), "OSLER_CONFIG": "", "COLUMNS": "200"}
    bodies: list[bytes] = []
    with contextlib.chdir(folder), patch.dict(os.environ, env):
        del os.environ["OSLER_CONFIG"]
        Path("biases.yaml").write_text(BIAS_STUDY)
        Path("memory.yaml").write_text(MEMORY_STUDY)
        with _endpoint(bodies) if play.asks_models else contextlib.nullcontext():
            for step in play.steps:
                _osler(*step)
        names = [run["run"] for run in json.loads(_osler("runs", "--json"))["runs"]][::-1]
        for n, name in enumerate(names):
            _osler("export", name, f"--out={n}.jsonl")
        whole = [Path(f"{n}.jsonl").read_text("ascii") for n in range(len(names))]
    versions: dict[str, set[str]] = {}
    # The second attempts of a study name the run of the first, which no export should.
    for n, name in enumerate(names):
        whole = [text.replace(name, f"run-{n}") for text in whole]
    runs = tuple(_without_versions(text, versions) for text in whole)
    asked, texts = _asked(bodies)
    return Made(runs, {name: sorted(found) for name, found in sorted(versions.items())}, asked, texts)


def _osler(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, f"osler {' '.join(words)}: {done.stderr}"
    return done.stdout


def _without_versions(export: str, versions: dict[str, set[str]]) -> str:
    lines = []
    for line in export.splitlines():
        value = json.loads(line)
        assert ENCODER.encode(value) == line, "an export is canonical"
        judged = [(grader, body) for grader, body in value.get("judgements", {}).items()]
        judged += [(body["grader"], body) for body in value.get("earlier_judgements", ())]
        for grader, body in judged:
            versions.setdefault(grader, set()).add(body.pop("version"))
        lines.append(ENCODER.encode(value) + "\n")
    return "".join(lines)


@contextlib.contextmanager
def _endpoint(bodies: list[bytes]) -> Iterator[None]:
    """A fake endpoint under two names, in a thread; what it is asked is appended to `bodies`."""
    fake = FakeEndpoint(faults=FAULTS, script=SCRIPT)
    answer = fake._endpoint.handle

    def noted(request: HttpRequest) -> HttpReply:
        bodies.append(request.body)
        return answer(request)

    fake._wire.handler = noted
    up, loop, over = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with fake:
            up.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert up.wait(30)
        table = f'base_url = "{fake.base_url}"\n'
        Path("osler.toml").write_text(
            f'[endpoints.fake]\nmodel = "player"\n{table}[endpoints.other]\nmodel = "judge"\n{table}'
        )
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _asked(bodies: list[bytes]) -> tuple[tuple[str, ...], dict[str, str]]:
    texts: dict[str, str] = {}
    lines = []
    for body in bodies:
        request = json.loads(body)
        messages = request.pop("messages")
        told = [_named(one, texts) for one in messages]
        lines.append(f"{_named(request, texts)}: {' '.join(told)}")
    return tuple(sorted(lines)), dict(sorted(texts.items()))


def _named(value: Any, texts: dict[str, str]) -> str:
    text = ENCODER.encode(value)
    name = blake2b(text.encode(), digest_size=5).hexdigest()
    texts[name] = text
    return name


def packed(name: str, made: Made) -> dict[Path, bytes]:
    """The files of a play: its exports, and what its models were asked."""
    files = {FOLDER / f"{name}.jsonl.gz": "".join(made.runs)}
    if made.requests:
        asked = {"requests": made.requests, "texts": made.texts}
        files[FOLDER / f"{name}.requests.json.gz"] = json.dumps(asked, indent=0)
    return {path: gzip.compress(text.encode(), 9, mtime=0) for path, text in files.items()}


def recorded(name: str) -> tuple[list[str], Mapping[str, Any]]:
    """The recorded lines of a play's exports, and its requests."""
    lines = gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    asked = FOLDER / f"{name}.requests.json.gz"
    if not asked.exists():
        return lines, {"requests": [], "texts": {}}
    found: Mapping[str, Any] = json.loads(gzip.decompress(asked.read_bytes()))
    return lines, found
