"""Commands as a user meets them: run in a folder of their own, with the fake endpoint in `osler.toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from tests.endpoints import running

KEY: Final = "Zq7-recognizable-9Xw4-key"
FIVE: Final = "--limit=5"
SHORT: Final = (FIVE, "--max-turns", "6")
MODELS: Final = (FIVE, *(f"--{seat}=model:fake" for seat in ("doctor", "patient", "examination")))
UNCACHED: Final[list[dict[str, Any]]] = [{"usage": {"prompt_tokens_details": {}}}]
ERROR_TEXT: Final = re.compile(r"Traceback|\b[A-Z]\w*(?:Error|Exception|Fault)\b")
Osler = Callable[..., Result]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An endpoint for every test that needs no faults; its counts are set back by the tests."""
    with running(script=UNCACHED) as base_url:
        yield base_url


@pytest.fixture
def osler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`osler("consult", "library")` runs a command in a folder of its own, with retries that do not wait."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    monkeypatch.setenv("MY_KEY", KEY)
    usual: Any = Models.__init__.__kwdefaults__
    swift = {**usual, "manners": Manners(retry=Retry(base_s=0.001, cap_s=0.01))}
    monkeypatch.setattr(Models.__init__, "__kwdefaults__", swift)
    return lambda *words, **more: CliRunner().invoke(app, list(words), catch_exceptions=False, **more)


def configure(url: str, **more: Any) -> None:
    """Write an `osler.toml` with the endpoint `fake` here."""
    table = {"base_url": url, "model": "fake-model", "key_env": "MY_KEY", **more}
    lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
    Path("osler.toml").write_text("\n".join(["[endpoints.fake]", *lines, ""]))


def value(done: Result) -> dict[str, Any]:
    """The one JSON object on standard output."""
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def said(done: Result) -> str:
    """What was shown on standard error, without the terminal's line breaks."""
    assert KEY not in done.output
    assert not ERROR_TEXT.search(done.output), done.output
    return " ".join(done.stderr.split())


def stats(url: str) -> dict[str, Any]:
    """What the endpoint counted."""
    with urlopen(f"{url.removesuffix('/v1')}/stats") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def reset(url: str) -> None:
    """Set the endpoint's counts back."""
    with urlopen(Request(f"{url.removesuffix('/v1')}/reset", method="POST")) as answer:
        answer.read()


def episodes(osler: Osler, run: str = "last") -> list[dict[str, Any]]:
    """The episodes of a run as they are exported, what its replies used left out."""
    value(osler("export", run, "--out", "out.jsonl", "--json"))
    found = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()[1:]]
    for episode in found:
        for exchange in episode["exchanges"]:
            exchange["attempts"] = [taken for taken in exchange["attempts"] if taken["at"] != "used"]
    return found
