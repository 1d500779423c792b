"""The event loop of a run: uvloop's where the extra `fast` is installed, else asyncio's own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.export import export_run
from osler.store.store import open_store


def exported(folder: Path, name: str) -> bytes:
    config = RunConfig(cases="generated:3:1")
    with open_store(folder / f"{name}.db") as store:
        run = runs.begin(config, store)
        assert runs.play(run, store).status == "done"
        export_run(store, run.id, folder / f"{name}.jsonl")
    return (folder / f"{name}.jsonl").read_bytes()


def test_the_faster_loop_is_used_where_it_is_installed_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`None` in the place of a module is one that cannot be imported."""
    made = list[asyncio.AbstractEventLoop]()

    def new_event_loop() -> asyncio.AbstractEventLoop:
        made.append(asyncio.new_event_loop())
        return made[-1]

    monkeypatch.setitem(sys.modules, "uvloop", None)
    plain = exported(tmp_path, "plain")
    assert not made
    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(new_event_loop=new_event_loop))
    assert exported(tmp_path, "fast") == plain
    assert made


def test_the_real_one_plays_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvloop", reason="the extra `fast` is not installed")
    fast = exported(tmp_path, "fast")
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert exported(tmp_path, "plain") == fast
