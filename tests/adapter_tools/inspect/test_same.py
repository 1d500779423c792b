"""The same fake model natively and through Inspect: equal requests, events and replies in every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import osler as api
from osler.adapters.inspect_ai.importing import import_log
from osler.adapters.inspect_ai.reading import read_log
from osler.runs.totals import totals
from osler.store.store import Store, open_store
from tests.adapter_tools.inspect.conftest import Inspect, Recorder, metric, samples

SEATS = {"consultation": "doctor", "scenario": "examinee", "ward_round": "tutor"}


def natively(
    protocol: str, folder: Path, url: str, model: str = "fake", *, eyes: bool = False, **fields: Any
) -> api.Run:
    config = folder / "osler.toml"
    lines = ["[endpoints.fake]", f'base_url = "{url}"', f'model = "{model}"']
    config.write_text("\n".join([*lines, f"capabilities = {{ images = {str(eyes).lower()} }}"]))
    seats = {SEATS[protocol]: "model:fake"}
    return api.run(protocol, "library", seats=seats, store=str(folder / "native.db"), config=config, **fields)


def rows(store: Store, run_id: int) -> list[list[tuple[str, ...]]]:
    return [
        [(row.seat, row.request, row.events, row.reply) for row in trace.rows]
        for _, trace in store.traces(run_id)
    ]


@pytest.mark.parametrize("protocol", SEATS)
def test_the_same_model_plays_the_same_encounters(
    protocol: str, inspect: Inspect, recorder: Recorder
) -> None:
    inspect.at(recorder.url)
    log = inspect.eval(protocol, epochs=2, max_tokens=4096)
    asked = recorder.taken()
    assert log.status == "success"
    assert [(one.id, one.epoch) for one in samples(log) if one.error] == []
    native = natively(protocol, inspect.folder, recorder.url, limit=2, repeats=2)
    assert asked
    assert asked == recorder.taken()
    with open_store(inspect.folder / "native.db") as store, open_store(inspect.folder / "its.db") as other:
        imported = import_log(read_log(Path(log.location)), other)
        assert imported.left_out == {}
        run = store.run(native.name)
        mine, theirs = rows(store, run.id), rows(other, imported.run.id)
        assert len(mine) == 4
        assert all(len(each) > 2 for each in mine)
        assert theirs == mine
        assert mine[0] != mine[1], "the worlds of two epochs are the same"
        ends = [(row.status, row.case_hash, row.counts) for row in store.episodes(run.id)]
        assert [(row.status, row.case_hash, row.counts) for row in other.episodes(imported.run.id)] == ends
        assert totals(imported.run, other).measures == totals(run, store).measures


@pytest.mark.parametrize("eyes", [True, False])
def test_a_model_with_eyes_is_shown_the_same_pictures(
    eyes: bool, inspect: Inspect, recorder: Recorder
) -> None:
    inspect.at(recorder.url)
    given = {"limit": 1, "eyes": eyes}
    log = inspect.eval("consultation", given, model="openai-api/fake/looks", max_tokens=4096)
    assert log.status == "success"
    asked = recorder.taken()
    assert any("data:image/png;base64," in one for one in asked) is eyes
    natively("consultation", inspect.folder, recorder.url, "looks", eyes=eyes, limit=1)
    assert asked == recorder.taken()
    with open_store(inspect.folder / "its.db") as store:
        assert import_log(read_log(Path(log.location)), store).run.done == 1


@pytest.mark.smoke
def test_the_viewer_shows_the_conversation_and_the_model_is_told_no_id(
    inspect: Inspect, recorder: Recorder
) -> None:
    inspect.at(recorder.url)
    log = inspect.eval("consultation", {"limit": 1})
    (sample,) = samples(log)
    assert [one.role for one in sample.messages[:3]] == ["system", "user", "assistant"]
    assert sum(one.role == "assistant" for one in sample.messages) == metric(log, "turns", "mean") > 1
    sent = "\n".join(recorder.taken())
    assert "Turn 1" in sent
    assert str(sample.id) not in sent
    assert sample.metadata["cluster"] not in sent
    assert "played by Osler" not in sent
    assert sample.target == ""
