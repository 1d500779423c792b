"""Exports and stored cases are read back as what was written; what cannot be read is refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler.core.trace import trace_of
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.protocol import PROTOCOL as CONSULTATION
from osler.reports.transcript import numbered_lines
from osler.runs import run as runs
from osler.runs.stored_case import stored_cases
from osler.store.export import export_run, find_exported, read_configuration, read_export, record_object
from osler.store.store import Store, open_store
from tests.store import samples


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a consultation."""
    folder = tmp_path_factory.mktemp("export")
    with open_store(folder / "osler.db") as store:
        run = runs.begin(RunConfig(limit=1), store)
        runs.play(run, store)
        export_run(store, run.id, folder / "export.jsonl")
    return folder / "export.jsonl"


def test_an_export_is_read_back_as_what_it_was_written_from(
    store: Store, export: Path, tmp_path: Path
) -> None:
    assert read_configuration(export)["doctor"] == "baseline"
    lines = [json.loads(line) for line in export.read_text().splitlines()][1:]
    assert [record_object(record, {}) for record in read_export(export)] == lines

    run = store.begin_run("again", {"configuration": {"seed": 1}}, 3)
    samples.play(store, run.id, range(3))
    store.put_judgements(run.id, [(1, "diagnosis", "d2", '{"score":0.5}')])
    export_run(store, run.id, tmp_path / "out.jsonl")
    found = list(read_export(tmp_path / "out.jsonl"))
    for read, kept in zip(found, store.records(run.id, earlier=True), strict=True):
        assert record_object(read, {}) == record_object(kept, {})
    assert [one.version for one in find_exported(tmp_path / "out.jsonl", 1)[2]] == ["d1", "d2", "h1"]


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda line: {key: value for key, value in line.items() if key != name}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda line: {**line, "schema": 3}, "newer Osler .schema 3; this one reads 2"),
        (lambda line: {**line, "schema": 1}, "unreleased Osler .schema 1; this one reads 2"),
        (without("turns"), "lacks 'turns'; the file was written by Osler 0.1.0"),
        (without("schema"), "line 2 is not a line of an export"),
        (lambda line: {**line, "status": "vanished"}, "'vanished' is not a valid Status; .* Osler 0.1.0"),
        (lambda line: {**line, "exchanges": 3}, "written by Osler 0.1.0"),
        (lambda line: [line], "line 2 is not a line of an export"),
    ],
)
def test_an_export_that_cannot_be_read_is_refused_with_its_version(
    export: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], why: str
) -> None:
    header, episode = export.read_text().splitlines()
    path = tmp_path / "changed.jsonl"
    path.write_text(f"{header}\n{json.dumps(change(json.loads(episode)))}\n")
    with pytest.raises(BadInput, match=why):
        list(read_export(path))


@pytest.mark.parametrize("text", ["", "\n", "{", '{"schema":2}\n', "[" * 100_000, "\xff\xfe"])
def test_what_is_no_export_is_said_not_to_be_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "no.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput):
        list(read_export(path))


def test_an_event_that_nobody_here_knows_is_named_with_its_exchange(export: Path) -> None:
    whole = find_exported(export, 0)[1]
    rows = list(whole.rows)
    rows[3] = rows[3]._replace(events='[{"kind":"telepathy","minute":2}]')
    strange = trace_of(rows, whole.outcome)
    with pytest.raises(BadInput, match=r"after exchange 3 cannot be read: .*telepathy"):
        list(numbered_lines(strange, CONSULTATION))
    bare = trace_of(
        [row._replace(events='[{"kind":"notice","minute":2,"text":"x"}]') for row in rows], whole.outcome
    )
    assert bare.events, "what has a default may be left out"


def test_a_case_that_nobody_here_can_read_is_refused_in_words(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    samples.play(store, run.id, range(1))
    with pytest.raises(BadInput, match="can no longer read the stored case"):
        stored_cases(store)(samples.CASE)
    with pytest.raises(BadInput, match="not in the store"):
        stored_cases(store)("0" * 32)


def test_a_run_with_settings_that_nobody_here_knows_is_refused_with_its_version(
    store: Store, export: Path
) -> None:
    written = read_configuration(export)
    for more in ({"settings": {"weather": "rain"}}, {"repeats": "often"}):
        run = store.begin_run(None, {"configuration": {**written, **more}, "cases_given_as": "library"}, 1)
        with pytest.raises(BadInput, match=r"begun by Osler 0\.1\.0"):
            runs.config_of(run)


def test_a_run_that_names_no_protocol_is_refused_in_words(store: Store) -> None:
    run = store.begin_run(None, {"configuration": {"doctor": "null"}, "cases_given_as": "library"}, 1)
    with pytest.raises(BadInput, match="there is no protocol"):
        runs.config_of(run)
