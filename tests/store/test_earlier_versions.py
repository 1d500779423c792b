"""What earlier versions of Osler wrote: `tests/fixtures/earlier` holds it, and every later version reads it.

`store-0001.sql` is a store of schema 0001 as SQL, `export-1.jsonl` an export of schema 1: both of one case
of the library, consulted by a built-in doctor ("first") and a scripted one ("second"). `store-0003.sql` holds
a run ("parent"), a branch of it at exchange 4 ("branch") and two versions' judgements of each, and
`export-1-branch.jsonl` is the branch's export. `store-0004.sql` holds a run whose doctor voted ("voted"),
what a memory ("kept") learned from it and what it once gave; `export-1-inner.jsonl` is its export.
`store-0005.sql` holds a run ("handed") whose second episode counts what has no column of its own;
`export-2-counts.jsonl` is its export. `store-0006.sql` holds a run ("asked") with the calls to the models of
its doctor and its judge. They never change; a new schema adds a file beside them.
`test_earlier_protocols.py` uses `store-0004-protocols.sql.gz`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from osler.core.events import Said
from osler.core.trace import trace_of
from osler.errors import BadInput, Status
from osler.memory.sql_memory import SqlKeeper
from osler.models.config import Config as ModelsConfig
from osler.protocols.consultation import summary as consultations
from osler.protocols.consultation.protocol import PROTOCOL as CONSULTATION
from osler.reports.transcript import numbered_lines
from osler.runs import branching, rejudging
from osler.runs import run as runs
from osler.runs.endpoints import in_words, served
from osler.runs.judged_episodes import grader_named
from osler.runs.stored_case import stored_cases
from osler.runs.usage import judge_usage
from osler.store import connect as opening
from osler.store.export import (
    export_lines,
    export_run,
    find_exported,
    read_configuration,
    read_export,
    record_object,
)
from osler.store.store import Store, open_store
from tests.store import samples

EARLIER = Path(__file__).parents[1] / "fixtures" / "earlier"
EXPORT = EARLIER / "export-1.jsonl"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The store of schema 0001, as a file."""
    return restored("store-0001.sql", tmp_path)


def restored(name: str, folder: Path) -> Path:
    path = folder / "old.db"
    connection = sqlite3.connect(path)
    connection.executescript((EARLIER / name).read_text())
    connection.close()
    return path


def without_marks(lines: Iterable[str]) -> list[str]:
    """The lines of an export, its first without `marks`, which earlier ones lack."""
    first, *rest = lines
    header = json.loads(first)
    assert header.pop("marks")["use"] == "formative"
    return [json.dumps(header, sort_keys=True, separators=(",", ":")), *rest]


def written_now(name: str) -> list[str]:
    """The lines of an export of schema 1 as schema 2 has them; these held nothing of an endpoint's cache."""
    text = (EARLIER / name).read_text()
    assert "cached_tokens" not in text
    return text.replace('"schema":1', '"schema":2').splitlines()


def test_a_store_of_the_first_schema_is_read_shown_and_exported_as_it_was(old: Path) -> None:
    with open_store(old) as store:
        assert {run.name: (run.status, run.done) for run in store.runs()} == {
            "first": ("done", 1),
            "second": ("done", 1),
        }
        run = store.run("second")
        assert without_marks(export_lines(store, run.id)) == written_now(EXPORT.name)
        trace = store.trace(run.id, 0)
        assert trace.of(Said)[1].text == "What brought you here today?"
        assert [line.n for line in numbered_lines(trace, CONSULTATION)][-1] == len(trace.rows)
        summary = consultations.summarize(run, store, 0.0)
        assert summary.episodes == 1
        assert sum(summary.judged_by.values()) == 1


def test_a_branch_and_two_graders_of_an_earlier_store_are_read_as_they_were(tmp_path: Path) -> None:
    with open_store(restored("store-0003.sql", tmp_path)) as store:
        run = store.run("branch")
        assert branching.branch_of(run) == "parent:0 at 4"
        assert without_marks(export_lines(store, run.id)) == written_now("export-1-branch.jsonl")
        assert store.recorded(run.id, 0)[:4] == store.recorded(store.run("parent").id, 0)[:4]
        last = consultations.summarize(run, store, 0.0)
        older = consultations.summarize(run, store, 0.0, grader_named("baseline@0-older", run, store))
        assert older.judged_by == {"baseline 0-older": 1} != last.judged_by
        assert older.process["fact_coverage"].unscored == 1, "an older grader did not score it"
        assert last.process["fact_coverage"].n == 1


def test_votes_and_memories_of_an_earlier_store_are_read_as_they_were(tmp_path: Path) -> None:
    wrote = EARLIER / "export-1-inner.jsonl"
    with open_store(restored("store-0004.sql", tmp_path)) as store:
        run = store.run("voted")
        assert without_marks(export_lines(store, run.id)) == written_now(wrote.name)
        assert {row.path for row in store.trace(run.id, 0).inner} == {"1", "1.1", "1.2", "2", "2.1", "2.2"}
        store.delete_run("voted")
        assert store.recorded_inner(run.id, 0) == []
        keeper = SqlKeeper(store.engine)
        (step,) = keeper.steps("kept")
        assert len(keeper.load(step.snapshot).cards) == 1, "a memory stays when what it learned from goes"
        assert len(list(keeper.retrieved("voted"))) == 1
    (record,) = read_export(wrote)
    assert record_object(record, {}) == json.loads(written_now(wrote.name)[1])


def test_counts_of_an_earlier_store_are_read_as_they_were(tmp_path: Path) -> None:
    wrote = EARLIER / "export-2-counts.jsonl"
    with open_store(restored("store-0005.sql", tmp_path)) as store:
        run = store.run("handed")
        assert without_marks(export_lines(store, run.id)) == wrote.read_text().splitlines()
        counted = [episode.counts for episode in store.episodes(run.id)]
    assert counted == [{"turns": 3, "tests": 1, "cost": 40}, {"items_told": 7, "turns": 2}]
    assert [episode.counts for episode, _, _ in read_export(wrote)] == counted


def test_calls_of_an_earlier_store_are_read_as_they_were(tmp_path: Path) -> None:
    with open_store(restored("store-0006.sql", tmp_path)) as store:
        run = store.run("asked")
        assert in_words(run) == {"one": "tiny at models.example, temperature 0.2"}
        assert served(run, store)["one"] == (("tiny-2",), ("fp_1",))
        first, _ = store.calls(run.id)
        assert (first.ordinal, first.n, first.path, first.call) == (0, 2, "", 1)
        told = {name: first.body[name] for name in ("text", "reasoning", "outcome", "cost", "latency_s")}
        assert told == {
            "text": '{"answer": "hello"}',
            "reasoning": "Say hello.",
            "outcome": "ok",
            "cost": 0.25,
            "latency_s": 1.5,
        }
        assert [one["outcome"] for one in first.body["tries"]] == ["timeout"]
        assert [message["role"] for message in first.body["messages"]] == ["system", "user"]
        (judged,) = store.judge_calls(run.id)
        assert (judged.grader, judged.version) == ("diagnosis:model:one", "1-abc")
        assert judged.body["settings"] == {"temperature": 0.2}
        usage = judge_usage(store, run.id, judged.grader, ModelsConfig())["judge"]["one"]
        assert (usage["calls"], usage["retries"], usage["faults"], usage["cost"]) == (1, 1, 0, None)


def test_a_store_from_before_calls_has_none_and_keeps_the_next_ones(tmp_path: Path) -> None:
    with open_store(restored("store-0005.sql", tmp_path)) as store:
        run = store.run("handed")
        assert not list(store.calls(run.id))
        assert in_words(run) == {}
        row = samples.exchange(1)._replace(calls=({"seat": "patient", "text": "x", "messages": []},))
        with store.writer(run.id) as writer:
            writer.exchange(7, row)
        (kept,) = store.calls(run.id, 7)
        assert kept.body == {"seat": "patient", "text": "x"}


def test_what_an_older_grader_said_stands_beside_the_new_ones(old: Path) -> None:
    with open_store(old) as store:
        run = store.run("first")
        before = store.graders(run.id)
        assert rejudging.judge_again(run, store) == 1
        assert store.graders(run.id).items() > before.items()
        (_, _, judged) = store.record(run.id, 0, earlier=True)
        assert judged[0].version == next(iter(before))[1]
        assert store.record(run.id, 0)[2] == judged[-1:]
        assert consultations.summarize(run, store, 0.0).accuracy.n == 1


def test_an_old_case_is_consulted_again_from_the_store_alone(old: Path) -> None:
    with open_store(old) as store:
        run = store.run("first")
        found = branching.branch(store, run.id, 0, 0, seats={"doctor": "always-conclude"})
        branch = branching.begin(found, store, found.config)
        assert runs.play(branch, store).status == "done"


def test_a_case_that_nobody_here_can_read_is_refused_in_words(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    samples.play(store, run.id, range(1))
    with pytest.raises(BadInput, match="can no longer read the stored case"):
        stored_cases(store)(samples.CASE)
    with pytest.raises(BadInput, match="not in the store"):
        stored_cases(store)("0" * 32)


def test_an_export_is_read_back_as_what_it_was_written_from(store: Store, tmp_path: Path) -> None:
    assert read_configuration(EXPORT)["doctor"] == "scripted:moves.yaml"
    lines = [json.loads(line) for line in written_now(EXPORT.name)][1:]
    assert [record_object(record, {}) for record in read_export(EXPORT)] == lines

    run = store.begin_run("again", {"configuration": {"seed": 1}}, 3)
    samples.play(store, run.id, range(3))
    store.put_judgements(run.id, [(1, "diagnosis", "d2", '{"score":0.5}')])
    export_run(store, run.id, tmp_path / "out.jsonl")
    found = list(read_export(tmp_path / "out.jsonl"))
    for read, kept in zip(found, store.records(run.id, earlier=True), strict=True):
        assert record_object(read, {}) == record_object(kept, {})
    assert [one.version for one in find_exported(tmp_path / "out.jsonl", 1)[2]] == ["d1", "d2", "h1"]


def test_what_an_earlier_export_holds_of_an_endpoints_cache_is_read(tmp_path: Path) -> None:
    header, text = EXPORT.read_text().splitlines()
    line = json.loads(text)
    line["exchanges"][0]["attempts"] = [{"at": "used", "calls": 1, "cached_tokens": 7}]
    (tmp_path / "old.jsonl").write_text(f"{header}\n{json.dumps(line)}\n")
    (record,) = read_export(tmp_path / "old.jsonl")
    assert record_object(record, {})["exchanges"] == line["exchanges"]


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda line: {key: value for key, value in line.items() if key != name}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda line: {**line, "schema": 3}, "newer Osler .schema 3; this one knows 2"),
        (without("turns"), "lacks 'turns'; the file was written by Osler 0.1.0"),
        (without("schema"), "line 2 is not a line of an export"),
        (lambda line: {**line, "status": "vanished"}, "'vanished' is not a valid Status; .* Osler 0.1.0"),
        (lambda line: {**line, "exchanges": 3}, "written by Osler 0.1.0"),
        (lambda line: [line], "line 2 is not a line of an export"),
    ],
)
def test_an_export_that_cannot_be_read_is_refused_with_its_version(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], why: str
) -> None:
    header, episode = EXPORT.read_text().splitlines()
    path = tmp_path / "changed.jsonl"
    path.write_text(f"{header}\n{json.dumps(change(json.loads(episode)))}\n")
    with pytest.raises(BadInput, match=why):
        list(read_export(path))


@pytest.mark.parametrize("text", ["", "\n", "{", '{"schema":1}\n', "[" * 100_000, "\xff\xfe"])
def test_what_is_no_export_is_said_not_to_be_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "no.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput):
        list(read_export(path))


def test_an_event_that_nobody_here_knows_is_named_with_its_exchange(store: Store) -> None:
    whole = find_exported(EXPORT, 0)[1]
    rows = list(whole.rows)
    rows[3] = rows[3]._replace(events='[{"kind":"telepathy","minute":2}]')
    strange = trace_of(rows, whole.outcome)
    with pytest.raises(BadInput, match=r"after exchange 3 cannot be read: .*telepathy"):
        list(numbered_lines(strange, CONSULTATION))
    bare = trace_of(
        [row._replace(events='[{"kind":"notice","minute":2,"text":"x"}]') for row in rows], whole.outcome
    )
    assert bare.events, "what has a default may be left out"


def test_a_run_with_settings_that_nobody_here_knows_is_refused_with_its_version(store: Store) -> None:
    written = json.loads(EXPORT.read_text().splitlines()[0])["configuration"]
    for more in ({"settings": {"weather": "rain"}}, {"repeats": "often"}):
        manifest = {"configuration": {**written, **more}, "cases_given_as": "library"}
        run = store.begin_run(None, manifest, 1)
        with pytest.raises(BadInput, match=r"begun by Osler 0\.1\.0"):
            runs.config_of(run)
    few = {"configuration": {"doctor": "null", "osler": "0.0.1"}, "cases_given_as": "library"}
    assert runs.config_of(store.begin_run(None, few, 1)).players()["doctor"] == "null"


def test_judgements_of_an_older_schema_are_kept_and_stand_beside_later_ones(url: str) -> None:
    engine = opening._engine(opening.address(url), "")
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    row = {"run": 1, "ordinal": 0}
    with engine.execution_options(osler_writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        for statement in (
            "INSERT INTO runs (name, created_at, status, planned, manifest) VALUES ('r', 0, 'done', 1, '{}')",
            "INSERT INTO episodes VALUES"
            " (:run, :ordinal, 'ab', '', 'c', 'completed', '', 1, 0, 1, 1, 0, '[]', 0, 0)",
            "INSERT INTO judgements VALUES (:run, :ordinal, 'g', 'v9', '{}')",
        ):
            connection.execute(sa.text(statement), row)
    engine.dispose()
    with open_store(url) as store:
        run = store.run("r")
        assert [(one.grader, one.version) for one in store.judgements(run.id)] == [("g", "v9")]
        store.put_judgements(run.id, [(0, "g", "v10", "{}")])
        assert [one.version for one in store.judgements(run.id)] == ["v10"]
        assert [one.version for one in store.judgements(run.id, earlier=True)] == ["v9", "v10"]
        assert next(store.episodes(run.id)).status is Status.COMPLETED
