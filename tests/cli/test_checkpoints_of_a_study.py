"""Studies whose cells name their checkpoints: the record holds the hash of the weights that were served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osler.models.config import Endpoint
from osler.models.weights import weights_hash
from tests.cli.commands import Osler, stats, value
from tests.endpoints import running

STAGES = (
    *("study", "run", "simulation-stages", "--limit=1"),
    *("--stage=whole=model:one", "--stage=less=model:two", "--stage=built in=socratic"),
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


def checkpoint(name: str, weights: bytes) -> Path:
    """A folder such as `osler train merge` leaves, with made-up weights."""
    folder = Path(name).resolve()
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def configured(url: str, **models: str) -> None:
    """An `osler.toml` with an endpoint for each model."""
    tables = (
        f"[endpoints.{name}]\nbase_url = {json.dumps(url)}\nmodel = {json.dumps(model)}\n"
        for name, model in models.items()
    )
    Path("osler.toml").write_text("".join(tables), encoding="utf-8")


def at(base_url: str, model: Path | str, **more: Any) -> Endpoint:
    return Endpoint(base_url=base_url, model=str(model), **more)


def test_a_cell_is_recorded_with_the_weights_that_its_endpoint_names(osler: Osler, url: str) -> None:
    one, two = checkpoint("one", b"first"), "made-elsewhere"
    configured(url, one=str(one), two=two)
    found = value(osler(*STAGES, "--json"))
    known = weights_hash(at(url, one))
    assert found["checkpoints"] == {
        "whole": [{"seat": "tutor", "endpoint": "one", "model": str(one), "weights": known}],
        "less": [{"seat": "tutor", "endpoint": "two", "model": two, "weights": ""}],
    }
    shown = " ".join(osler(*STAGES, "--out=stages.html").stdout.split())
    assert f"weights {known[:12]}" in shown
    assert known[:12] in Path("stages.html").read_text(encoding="utf-8")
    osler(*STAGES, "--out=stages.json")
    record = json.loads(Path("stages.json").read_text(encoding="utf-8"))
    assert record["value"]["checkpoints"]["whole"][0]["weights"] == known


def test_a_cell_that_was_played_is_not_passed_off_as_other_weights(osler: Osler, url: str) -> None:
    """Trained anew into the same folder, a model has no figures yet."""
    one = checkpoint("one", b"first")
    configured(url, one=str(one), two="made-elsewhere")
    before, asked = value(osler(*STAGES, "--json")), stats(url)
    assert value(osler(*STAGES, "--json")) == before
    assert stats(url) == asked, "the same weights are not asked again"
    checkpoint("one", b"second")
    done = osler(*STAGES)
    assert done.exit_code == 1
    assert "endpoint one had the weights" in " ".join(done.stderr.split())
    assert stats(url) == asked
    configured(url, one=str(checkpoint("one", b"first")), two="made-elsewhere")
    assert value(osler(*STAGES, "--json")) == before


def test_weights_are_told_apart_by_their_files_and_only_where_they_are_files_here(tmp_path: Path) -> None:
    here, folder = "http://127.0.0.1:1/v1", tmp_path / "model"
    folder.mkdir()
    assert weights_hash(at(here, folder)) == "", "no weights are there"
    (folder / "model.safetensors").write_bytes(b"one")
    one = weights_hash(at(here, folder))
    (folder / "notes.md").write_text("Not read by a server.")
    assert weights_hash(at("http://localhost:2/v1", folder)) == one
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    other = weights_hash(at(here, folder))
    assert len({one, other, ""}) == 3
    assert weights_hash(at("https://models.example/v1", folder)) == "", "a path of another machine"
    assert weights_hash(at(here, "model")) == "", "a name is no folder"
    file = tmp_path / "weights.gguf"
    file.write_bytes(b"one")
    assert len({weights_hash(Endpoint.model_validate({"gguf": str(file)})), other, one, ""}) == 4
