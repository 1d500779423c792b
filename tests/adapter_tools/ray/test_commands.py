"""Commands on Ray: the exports of one process, and one budget for all workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.store.export import export_lines
from osler.store.store import open_store
from osler.testing.endpoint import running
from tests.adapter_tools.ray.conftest import osler
from tests.runs.test_model_faults import UNCACHED, stats

COMMANDS = {
    "round": ("round", "library", "--limit", "3"),
    "study": ("study", "run", "main", "--condition", "socratic", "--condition", "lecturer", "--limit", "3"),
}
ON = ("--on", "ray:2")
ENDPOINT = """
[endpoints.fake]
base_url = "{url}"
model = "fake-model"
price_in = 1.0
price_out = 1.0
max_in_flight = 8
"""
MOST_TOKENS_OF_A_CALL = 4_000


def played(*words: str, store: str, home: Path, cluster: str | None = None, code: int = 0) -> dict[str, Any]:
    """The object that a command prints."""
    with osler(*words, "--json", store=store, home=home, cluster=cluster) as found:
        told, said = found.communicate(timeout=300)
    assert found.returncode == code, said
    value: dict[str, Any] = json.loads(told)
    return value


def exports(store: str) -> list[list[str]]:
    """The exports of all runs of a store, in their order."""
    with open_store(store) as opened:
        return sorted(list(export_lines(opened, run.id)) for run in opened.runs())


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_writes_the_bytes_of_one_process(kind: str, url: str, cluster: str, tmp_path: Path) -> None:
    alone = str(tmp_path / "alone.db")
    played(*COMMANDS[kind], store=alone, home=tmp_path)
    played(*COMMANDS[kind], *ON, store=url, home=tmp_path, cluster=cluster)
    assert exports(url) == exports(alone)


def test_workers_stop_at_the_budget_of_the_run_and_go_on_with_a_larger_one(
    url: str, cluster: str, tmp_path: Path
) -> None:
    with running(script=UNCACHED, latency_ms=5) as address:
        (tmp_path / "osler.toml").write_text(ENDPOINT.format(url=address))
        words = ["consult", "library", "--limit", "20", "--repeats", "2", "--doctor", "model:fake"]
        words += ["--config", str(tmp_path / "osler.toml")]
        alone = str(tmp_path / "alone.db")
        played(*words, store=alone, home=tmp_path)
        needed = tokens_of(address)

        budget = needed // 2
        limits = ("--token-budget", str(budget), "--concurrency", "8")
        ended = played(*words, *limits, *ON, store=url, home=tmp_path, cluster=cluster, code=3)
        assert (ended["status"], ended["why"].split(":")[0]) == ("paused", "tokens budget")
        used = tokens_of(address) - needed
        assert 0.8 * budget <= used <= budget + 8 * MOST_TOKENS_OF_A_CALL
        with open_store(url) as store:
            assert not store.workers()

        again = ended["to_continue"].split()
        assert int(again[again.index("--token-budget") + 1]) > budget
        assert played(*again[1:], *ON, store=url, home=tmp_path, cluster=cluster)["episodes"] == 40
        assert tokens_of(address) == 2 * needed, "nothing was asked twice"
        assert exports(url) == exports(alone)


def tokens_of(url: str) -> int:
    """The tokens that the endpoint has answered for."""
    answers = stats(url)["answers"]
    return int(answers["prompt_tokens"] + answers["completion_tokens"])
