"""The export says all that was recorded, in one order, with nothing of when, where or under which name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler.core.trace import InnerRow
from osler.errors import BadInput, BadStore
from osler.store.export import export_lines, export_run, read_export, record_object
from osler.store.records import COUNTED
from osler.store.store import Store
from tests.store import samples

MANIFEST = {"configuration": {"seed": 7, "cast": {"doctor": "baseline"}}, "host": "here"}


def test_a_line_holds_the_whole_episode(store: Store) -> None:
    run = store.begin_run(None, MANIFEST, 1)
    samples.play(store, run.id, range(1))
    header, line = map(json.loads, export_lines(store, run.id))

    assert (header["schema"], header["configuration"]) == (2, MANIFEST["configuration"])
    assert header["marks"]["use"] == "formative"
    first = samples.exchange(1, "exchange 1 of episode 0")
    assert line["exchanges"][0] == {
        "n": 1,
        "seat": first.seat,
        "request": first.request,
        "events": json.loads(first.events),
        "reply": json.loads(first.reply),
        "attempts": [],
    }
    assert len(line.pop("exchanges")) == samples.EXCHANGES
    assert line == {
        "schema": 2,
        "episode": samples.key(0),
        "ordinal": 0,
        "case": samples.CASE,
        "case_id": "case-1",
        "status": "completed",
        "reason": "concluded",
        "turns": 3,
        "tests": 1,
        "minutes": 9,
        "cost": 40,
        "tail": json.loads(samples.outcome().tail),
        "judgements": {
            "diagnosis": {"version": "d1", "score": 1.0, "reason": None},
            "history": {"version": "h1", "score": None},
        },
    }


def test_the_same_episodes_give_the_same_bytes_under_any_name_and_in_any_order(
    store: Store, tmp_path: Path
) -> None:
    one, two = (
        store.begin_run("one", MANIFEST, 150),
        store.begin_run("two", {**MANIFEST, "host": "there"}, 150),
    )
    samples.play(store, one.id, range(150))
    for part in (range(100, 150), range(100)):
        samples.play(store, two.id, part)

    assert export_run(store, one.id, tmp_path / "one") == 150
    assert export_run(store, two.id, tmp_path / "two") == 150
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one").read_text().count("\n") == 151


def test_what_an_endpoint_measures_of_itself_is_kept_and_not_exported(store: Store) -> None:
    used = {"at": "used", "endpoint": "e", "calls": 1, "prompt_tokens": 9, "cached_tokens": 7}
    run = store.begin_run(None, {}, 1)
    row = samples.exchange(1)._replace(attempts=json.dumps([used]))
    inner = InnerRow(1, "1", row.seat, "e", "", row.events, row.reply, row.attempts)
    with store.writer(run.id) as writer:
        writer.inner(0, inner)
        writer.exchange(0, row)
        writer.end(0, samples.key(0), samples.CASE, "case-1", samples.outcome()._replace(exchanges=1))
    kept = record_object(store.record(run.id, 0, earlier=True), {})["exchanges"][0]
    assert kept["attempts"] == kept["inner"][0]["attempts"] == [used]
    (exported,) = json.loads(list(export_lines(store, run.id))[1])["exchanges"]
    del used["cached_tokens"]
    assert exported["attempts"] == exported["inner"][0]["attempts"] == [used]
    assert [json.loads(text)[0]["at"] for _, text in store.attempts(run.id)] == ["used"] * 2
    assert all("cached_tokens" in text for _, text in store.attempts(run.id))


def test_only_ended_episodes_are_exported(store: Store) -> None:
    run = store.begin_run(None, {}, 2)
    with store.writer(run.id) as writer:
        writer.exchange(0, samples.exchange(1))
    (header,) = export_lines(store, run.id)
    assert json.loads(header)["configuration"] == {}
    pending = record_object(store.record(run.id, 0, earlier=True), {})
    assert (pending["status"], len(pending["exchanges"])) == ("pending", 1)


def test_hostile_text_stays_within_its_line_and_its_quotes(store: Store) -> None:
    say = '\u2028line\nends\r\x1b[31m "quoted" \ud83d 😀'
    run = store.begin_run(None, {}, 1)
    with store.writer(run.id) as writer:
        writer.exchange(0, samples.exchange(1, say))
        writer.end(0, "0" * 32, samples.CASE, say, samples.outcome()._replace(reason=say, exchanges=1))
    _, line = export_lines(store, run.id)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["reason"] == say
    assert json.loads(line)["exchanges"][0]["reply"] == {"answer": say}


def test_a_file_is_replaced_whole_or_not_at_all(store: Store, tmp_path: Path) -> None:
    run = store.begin_run(None, {}, 1)
    samples.play(store, run.id, range(1))
    out = tmp_path / "run.jsonl"
    out.write_text("what was there before")
    with store.writer(run.id) as writer:
        writer.end(1, samples.key(1), samples.CASE, "case-1", samples.outcome()._replace(tail="not JSON"))
    with pytest.raises(BadStore, match="not what was written"):
        export_run(store, run.id, out)
    assert not list(tmp_path.glob(".*"))
    assert out.read_text() == "what was there before"
    store.forget(run.id, 1)
    assert export_run(store, run.id, out) == 1
    assert out.read_text().splitlines() == list(export_lines(store, run.id))


def test_a_file_that_cannot_be_written_is_bad_input(store: Store, tmp_path: Path) -> None:
    run = store.begin_run(None, {}, 1)
    with pytest.raises(BadInput, match="cannot be written"):
        export_run(store, run.id, tmp_path / "no" / "such" / "folder.jsonl")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.dictionaries(st.sampled_from(COUNTED) | st.from_regex(r"[a-z_]{1,9}"), st.integers(0, 2**31)))
def test_what_a_protocol_counts_is_stored_exported_and_read_back(
    store: Store, tmp_path: Path, counts: dict[str, int]
) -> None:
    run = store.begin_run(None, {}, 1)
    with store.writer(run.id) as writer:
        writer.case(samples.CASE, samples.BODY)
        ended = samples.outcome()._replace(counts=counts, exchanges=0)
        writer.end(0, samples.key(0), samples.CASE, "case-1", ended)
    export_run(store, run.id, tmp_path / "out")
    (stored, _, _) = store.record(run.id, 0)
    ((exported, _, _),) = read_export(tmp_path / "out")
    line = record_object(store.record(run.id, 0, earlier=True), {})
    if counts.keys() <= set(COUNTED):
        counts = {name: counts.get(name, 0) for name in COUNTED}
        assert {name: line[name] for name in COUNTED} == counts
        assert "counts" not in line
    else:
        assert line["counts"] == counts
        assert not line.keys() & set(COUNTED)
    assert stored.counts == stored.outcome.counts == exported.counts == counts
    assert (stored.turns, stored.cost) == (counts.get("turns", 0), counts.get("cost", 0))
    store.delete_run(store.info(run.id).name)
