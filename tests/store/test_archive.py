"""An archive holds a finished run whole, and takes its rows' place only once that is proven."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b, sha256
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from osler.core.trace import InnerRow
from osler.errors import BadInput, BadStore
from osler.pictures.files import cleaned
from osler.store import archive as archives
from osler.store import run_rows, shards
from osler.store.archive import archive_run, restore_run
from osler.store.export import export_lines
from osler.store.manifests import NAME, read_manifest
from osler.store.permissions import grant
from osler.store.records import KeptPart, RunInfo
from osler.store.run_rows import NOT_COPIED, TABLES
from osler.store.schema import metadata, runs
from osler.store.store import Store, open_store
from tests.pictures.images import png
from tests.store import samples

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[archive]'")

EPISODES = 70
HOSTILE = '\ue000 NUL \x00 line\u2028 \ud83d 😀 "quoted" \x1b[31m'
MANIFEST = {"configuration": {"doctor": "baseline", "seed": 7}, "host": "here"}


def case_of(number: int) -> tuple[str, str]:
    """(content hash, JSON) of a case."""
    body = json.dumps({"id": f"case-{number}", "words": "my chest hurts"})
    return blake2b(body.encode(), digest_size=16).hexdigest(), body


def played(store: Store, name: str = "whole", many: int = EPISODES) -> RunInfo:
    """A finished run that has rows in every table of episodes, with texts that databases refuse."""
    picture, raw = cleaned(png(1))
    picture.lies_at(lambda: raw)
    run = store.begin_run(name, MANIFEST, many, shown={f"x-ray {HOSTILE}.png": picture})
    with store.writer(run.id) as writer:
        for ordinal in range(many):
            case, body = case_of(ordinal % 5)
            writer.case(case, body)
            for row in samples.exchanges(ordinal):
                writer.exchange(ordinal, row._replace(calls=({"endpoint": "e", "seconds": 0.1},)))
            inner = InnerRow(1, "1", "doctor", "voter", "0" * 32, "[]", json.dumps({"answer": HOSTILE}), "[]")
            writer.inner(ordinal, inner)
            said = f"{HOSTILE} {ordinal}"
            ended = samples.outcome()._replace(counts={"turns": 2, "steps": ordinal}, reason=said)
            body = json.dumps({"scores": {"correct": {"value": 1.0}}, "quote": said})
            judged = [("baseline", "1", body), ("other", HOSTILE, "{}")]
            writer.end(ordinal, samples.key(ordinal), case, f"case {HOSTILE}", ended, judged, started=1.5)
    later = json.dumps({"scores": {"correct": {"value": 0.25}}})
    store.put_judgements(run.id, [(many - 1, "baseline", "2", later)], asked=[{"endpoint": "j", "raw": "a"}])
    with store.writing() as connection:
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(status="done"))
    return store.info(run.id)


def rows_of(store: Store, run_id: int) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a run as they are stored, but for its id, and its cases and image files."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for block in run_rows.blocks_of(store, run_id):
        for name, rows in block.rows.items():
            found.setdefault(name, []).extend(rows)
    return found


def export_of(store: Store, run_id: int) -> str:
    return sha256("\n".join(export_lines(store, run_id)).encode()).hexdigest()


def bare(store: Store) -> dict[str, int]:
    """The tables of the store that have rows, but for those that are no run's."""
    with store.connected() as connection:
        counts = {
            name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
        }
    return {name: count for name, count in counts.items() if count}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a page each."""
    monkeypatch.setattr(run_rows, "EPISODES", 16)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a run, whose store is gone."""
    path = tmp_path_factory.mktemp("archives")
    with pytest.MonkeyPatch.context() as small, open_store(path / "gone.db") as store:
        small.setattr(run_rows, "EPISODES", 16)
        played(store)
        archive_run(store, "whole", path / "kept")
    return path / "kept"


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of that archive."""
    return Path(shutil.copytree(made, tmp_path / "kept"))


def test_every_table_of_runs_is_archived_or_left_out_on_purpose() -> None:
    of_runs = {name for name, table in metadata.tables.items() if "run" in table.columns}
    assert of_runs == {table.name for table in TABLES} | NOT_COPIED


def test_a_run_comes_back_as_it_was_to_every_reader(store: Store, tmp_path: Path, small_blocks: None) -> None:
    run = played(store)
    before, export, calls = rows_of(store, run.id), export_of(store, run.id), list(store.calls(run.id))
    assert all(before.values()), "each table has rows"
    shown = store.pictures(run.id)

    made = archive_run(store, "who", tmp_path / "kept")
    assert bare(store) == {}, "the store let go of everything"
    assert len(made.manifest.shards) == 7, "five of episodes, one of cases, one of image files"
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".db") == sorted(
        {"kept", *(path.name for path in tmp_path.glob("osler.db-*"))}
    ), "nothing is left beside it"

    back = restore_run(store, tmp_path / "kept")
    assert back._replace(id=run.id) == run
    assert rows_of(store, back.id) == before
    assert export_of(store, back.id) == export
    assert list(store.calls(back.id)) == calls
    assert store.pictures(back.id) == shown
    (picture,) = shown.values()
    assert sha256(store.picture(picture.sha256) or b"").hexdigest() == picture.sha256
    earlier = store.record(back.id, EPISODES - 1, earlier=True)[2]
    assert [one.version for one in earlier if one.grader == "baseline"] == ["1", "2"]
    assert store.case(case_of(3)[0]) == case_of(3)[1]


def test_an_archive_of_one_database_is_restored_in_the_other(url: str, tmp_path: Path) -> None:
    with open_store(tmp_path / "one.db") as one, open_store(url) as other:
        run = played(one)
        before = rows_of(one, run.id)
        made = archive_run(one, run.name, tmp_path / "kept")
        back = restore_run(other, tmp_path / "kept")
        assert rows_of(other, back.id) == before
        again = archive_run(other, back.name, tmp_path / "again")
        assert again.manifest == made.manifest, "the same bytes, whichever database held the run"


def test_a_kept_run_stays_and_its_archive_is_the_same_again(store: Store, tmp_path: Path) -> None:
    run = played(store)
    first = archive_run(store, run.name, tmp_path / "one", keep=True)
    assert store.run("whole") == run
    assert archive_run(store, run.name, tmp_path / "two", keep=True).manifest == first.manifest
    with pytest.raises(BadInput, match="already a run 'whole'"):
        restore_run(store, tmp_path / "one")
    store.put_judgements(run.id, [(0, "late", "1", "{}")])
    with pytest.raises(BadInput, match="another archive"):
        archive_run(store, run.name, tmp_path / "one")
    assert store.run("whole") == run


class Killed(KeyboardInterrupt):
    """The process dies here."""


STEPS = ["write_shard", "read_shard", "_export_of", "_verify", "_state_of", "_name", "delete_archived"]


def test_killed_at_any_step_the_rows_or_a_whole_archive_are_there(store: Store, tmp_path: Path) -> None:
    for step, after in product(STEPS, (False, True)):
        run, out = played(store, many=3), tmp_path / f"{step} {after}"
        export = export_of(store, run.id)
        with killed_at(step, after=after), pytest.raises(Killed):
            archive_run(store, run.name, out)
        rows_are_there, whole = bool(store.runs()), (out / NAME).exists()
        assert whole == (step == "delete_archived" or (step == "_name" and after))
        assert rows_are_there == ((step, after) != ("delete_archived", True))
        if rows_are_there:
            assert export_of(store, run.id) == export
            archive_run(store, run.name, out)  # doing it again ends it
        assert export_of(store, restore_run(store, out).id) == export
        store.delete_run(run.name)


@contextmanager
def killed_at(step: str, *, after: bool) -> Iterator[None]:
    """The process dies before a step of archiving, or just after it."""
    real = getattr(archives, step)

    def dies(*given: Any, **named: Any) -> None:
        if after:
            real(*given, **named)
        raise Killed

    with patch.object(archives, step, dies):
        yield


def test_a_run_that_changes_meanwhile_is_not_deleted(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = played(store, many=2)
    real = archives._verify

    def judged_meanwhile(*given: Any) -> None:
        real(*given)
        store.put_judgements(run.id, [(0, "late", "1", "{}")])

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(archives, "_verify", judged_meanwhile)
        with pytest.raises(BadInput, match="changed while it was archived"):
            archive_run(store, run.name, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    state = archives._state_of(store, run.id)
    store.put_judgements(run.id, [(1, "late", "1", "{}")])
    with pytest.raises(BadInput, match="its rows were not deleted"):
        archives.delete_archived(store, run, state)
    assert len(store.record(run.id, 1)[2]) == 3


def test_a_shard_that_is_not_the_rows_is_noticed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = played(store, many=2)
    monkeypatch.setattr(archives, "read_shard", lambda *given: {})
    with pytest.raises(BadStore, match="not what is read"):
        archive_run(store, run.name, tmp_path / "kept")
    assert store.run("whole") == run


def test_a_run_that_is_unfinished_or_played_is_refused(store: Store, tmp_path: Path) -> None:
    run = played(store, many=2)
    store.forget(run.id, 1, after=1)
    with pytest.raises(BadInput, match=r"unfinished.*1 of 2 episodes.*osler resume whole"):
        archive_run(store, run.name, tmp_path / "kept")
    with store.claims(run.id) as claims:
        claims.take(set())
        with pytest.raises(BadInput, match="is being played by"):
            archive_run(store, run.name, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def spoken(store: Store, **manifest: Any) -> RunInfo:
    run = store.begin_run(None, {"configuration": {"doctor": "person"}, **manifest}, 1)
    samples.play(store, run.id, range(1))
    with store.writing() as connection:
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(status="done"))
    return store.info(run.id)


def test_what_people_said_is_never_archived_whatever_they_permit(store: Store, tmp_path: Path) -> None:
    run = spoken(store)
    grant(store, run.id, [0], ["research"])
    point = {"at": 2, "kept_by": ["doctor=person"]}
    branch = store.begin_run(
        "branch",
        {"configuration": {"doctor": "baseline", "branch": point}, "branch_of": {"id": run.id, "ordinal": 0}},
        1,
        KeptPart(run.id, 0, 2, samples.CASE),
    )
    samples.play(store, branch.id, range(1))
    with store.writing() as connection:
        connection.execute(sa.update(runs).values(status="done"))
    for name in (run.name, "branch"):
        with pytest.raises(BadInput, match=r"what people said is not archived.*osler forget"):
            archive_run(store, name, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    assert len(store.runs()) == 2


def changed(folder: Path, **entries: Any) -> Path:
    """The archive with another manifest."""
    path = folder / NAME
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))
    return folder


def refused(folder: Path, said: str) -> None:
    """It is refused in words, and nothing of it is in the store."""
    with open_store(folder.parent / "new.db") as store:
        with pytest.raises(BadInput, match=said):
            restore_run(store, folder)
        assert store.runs() == []
        assert set(bare(store)) <= {"cases", "pictures"}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"schema_version": "9999"}, "written by a newer Osler.*upgrade Osler"),
        ({"format": 99}, "written by a newer Osler"),
        ({"format": "x"}, "not the manifest of an archive"),
        ({"shards": 7}, "not the manifest of an archive"),
        ({"more": 1}, "not the manifest of an archive"),
        ({"rows": {}}, "its shards hold 5 cases"),
        (
            {"run": {"name": "../x", "created_at": 0, "status": "done", "planned": 1, "manifest": "{}"}},
            "name",
        ),
        (
            {"run": {"name": "x", "created_at": 1e300, "status": "done", "planned": 1, "manifest": "{}"}},
            "created",
        ),
        (
            {"run": {"name": "x", "created_at": 0, "status": "running", "planned": 1, "manifest": "{}"}},
            "finished",
        ),
        (
            {"run": {"name": "x", "created_at": 0, "status": "done", "planned": 1, "manifest": "[]"}},
            "one of ours",
        ),
        (
            {"run": {"name": "x", "created_at": 0, "status": "done", "planned": 1, "manifest": "[" * 9999}},
            "deep|not",
        ),
        (
            {
                "run": {
                    "name": "x",
                    "created_at": 0,
                    "status": "done",
                    "planned": 1,
                    "manifest": '{"configuration":{"doctor":"person"}}',
                }
            },
            "what people said is not archived",
        ),
    ],
)
def test_a_manifest_that_is_not_ours_is_refused(folder: Path, entries: dict[str, Any], said: str) -> None:
    refused(changed(folder, **entries), said)


def test_names_of_files_are_never_taken_from_the_manifest(folder: Path) -> None:
    listed = json.loads((folder / NAME).read_text())["shards"]
    listed[0]["name"] = "../../etc/passwd"
    refused(changed(folder, shards=listed), "a shard is called '../../etc/passwd', not cases-000000")


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": 1}', "\x00"])
def test_what_is_no_manifest_is_refused(folder: Path, text: str) -> None:
    (folder / NAME).write_text(text)
    refused(folder, "not the manifest of an archive")


def test_a_shard_that_is_damaged_or_missing_is_refused(folder: Path) -> None:
    shard = folder / "episodes-000001.parquet"
    raw = bytearray(shard.read_bytes())
    raw[len(raw) // 2] ^= 1
    shard.write_bytes(raw)
    refused(folder, "episodes-000001.parquet: is damaged")
    shard.unlink()
    refused(folder, "episodes-000001.parquet: is missing")
    shard.mkdir()
    refused(folder, "is missing")
    shutil.rmtree(folder)
    refused(folder, "there is no archive here")


def forged(folder: Path, name: str, write: Any) -> Path:
    """The archive with a shard that `write(path)` makes, and with its hash."""
    path = folder / name
    table = pytest.importorskip("pyarrow.parquet").read_table(path)
    write(path, table)
    listed = json.loads((folder / NAME).read_text())["shards"]
    for one in listed:
        if one["name"] == name:
            one |= {"sha256": sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
    return changed(folder, shards=listed)


def test_a_forged_shard_is_refused_in_words_though_its_hash_is_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    zstd = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    episodes, cases = "episodes-000000.parquet", "cases-000000.parquet"
    bomb = pa.table({"hash": ["x"] * 5, "body": [b"0" * 300_000] * 5})
    monkeypatch.setattr(shards, "MOST_BYTES", 1_000_000)

    def column(table: Any, name: str, values: Any) -> Any:
        return table.set_column(table.column_names.index(name), name, values)

    tries: list[tuple[str, Any, str]] = [
        (
            episodes,
            lambda path, table: path.write_bytes(b"PAR1 no Parquet PAR1"),
            "is no shard of an archive",
        ),
        (episodes, lambda path, table: parquet.write_table(table, path), "is not as we write it"),
        (cases, lambda path, table: parquet.write_table(bomb, path, **zstd), "GB when read"),
        (cases, lambda path, table: parquet.write_table(bomb, path), "not as we write it"),
        (episodes, lambda path, table: parquet.write_table(table.slice(1), path, **zstd), "has 15 rows"),
        (
            episodes,
            lambda path, table: parquet.write_table(table.append_column("x", [["y"] * 16]), path, **zstd),
            "'x' is unknown",
        ),
        (
            episodes,
            lambda path, table: parquet.write_table(table.drop_columns(["key"]), path, **zstd),
            "no column key",
        ),
        (
            episodes,
            lambda path, table: parquet.write_table(column(table, "turns", [["1"] * 16]), path, **zstd),
            "turns is of the type string",
        ),
        (
            cases,
            lambda path, table: parquet.write_table(
                pa.Table.from_arrays([table["hash"], pa.array([b"{}"] * 5)], schema=table.schema),
                path,
                **zstd,
            ),
            "has another content hash",
        ),
    ]
    whole = Path(shutil.copytree(folder, folder.parent / "whole"))
    for name, write, said in tries:
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        refused(forged(folder, name, write), said)


def test_rows_that_do_not_export_as_the_manifest_says_are_taken_out_again(folder: Path) -> None:
    export = json.loads((folder / NAME).read_text())["export"]
    refused(changed(folder, export={**export, "episodes_sha256": "0" * 64}), "is not the archived one")


@pytest.mark.parametrize("fault", [AttributeError("no such thing"), RecursionError("too deep")])
def test_rows_that_cannot_be_exported_are_taken_out_again(folder: Path, fault: Exception) -> None:
    with patch.object(archives, "export_lines", side_effect=fault):
        refused(folder, "what it holds are no episodes")


def test_an_archive_of_an_earlier_export_is_restored_without_comparing(folder: Path, store: Store) -> None:
    export = json.loads((folder / NAME).read_text())["export"]
    earlier = {"osler": "0.0.1", "export_schema": 1, "sha256": "0" * 64, "episodes_sha256": "0" * 64}
    assert restore_run(store, changed(folder, export={**export, **earlier})).done == EPISODES


def test_a_folder_that_holds_anything_else_is_left_alone(store: Store, tmp_path: Path) -> None:
    run = played(store, many=2)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="something of this name already"):
        archive_run(store, run.name, tmp_path / "mine")
    assert os.listdir(tmp_path / "mine") == ["thesis.txt"]
    assert store.run("whole") == run


def test_a_damaged_run_is_not_archived(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = played(store, many=2)
        with store.writing() as connection:
            connection.exec_driver_sql("UPDATE exchanges SET reply = 'not JSON' WHERE ordinal = 1 AND n = 2")
        with pytest.raises(BadStore):
            archive_run(store, run.name, tmp_path / "kept")
        assert [one.name for one in store.runs()] == ["whole"]
        assert not (tmp_path / "kept").exists()


def test_the_manifest_tells_what_is_there(folder: Path) -> None:
    found = read_manifest(folder)
    assert found.told == MANIFEST
    assert (found.rows["episodes"], found.rows["judgements"]) == (EPISODES, 2 * EPISODES + 1)
    assert found.bytes == sum(path.stat().st_size for path in folder.glob("*.parquet"))
