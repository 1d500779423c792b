"""A store on read-only media: it can be read by every command that reads, and is never written to.

Files and folders without permission to write stand for read-only media; root needs to give up its right to
pass over permissions for that (`setpriv`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from osler.errors import BadStore
from osler.store.store import open_store
from tests.reports.stored_runs import Episode, write_run
from tests.store import later_release

WITHOUT_RIGHTS: Final = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
pytestmark = pytest.mark.skipif(
    bool(WITHOUT_RIGHTS) and shutil.which("setpriv") is None, reason="root may write everywhere"
)
RUN_EACH: Final = """
import json, sys
from typer.testing import CliRunner
from osler.cli.main import app
for line in json.load(sys.stdin):
    found = CliRunner().invoke(app, line)
    ended = found.exit_code if isinstance(found.exception, SystemExit | None) else repr(found.exception)
    print(json.dumps([ended, found.output]))
"""
READING: Final = {
    "runs": [],
    "runs summary": ["one"],
    "show": ["one:0"],
    "export": ["one", "--out", "{out}/one.jsonl"],
    "report": ["one", "two", "--out", "{out}/report.html", "--tables", "{out}/tables"],
    "compare": ["one", "two"],
    "memory list": [],
    "rate export": ["one", "--out", "{out}/rate"],
    "store info": ["--verify"],
    "store backup": ["{out}/copy.db"],
}
WRITING: Final = {
    "consult": ["generated:2:1"],
    "runs delete": ["one", "--yes"],
    "judge run": ["one"],
}


class Ended(NamedTuple):
    code: int | str
    said: str


def read_only(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "archive.db"
    with open_store(path) as store:
        for name in ("one", "two"):
            write_run(store, Episode(diagnosis="Pneumonia"), Episode(diagnosis="Asthma"), name=name)
    return path


def close(path: Path) -> None:
    for held in path.parent.iterdir():
        held.chmod(0o444)
    path.parent.chmod(0o555)


def commands(path: Path, given: dict[str, list[str]], out: Path) -> dict[str, Ended]:
    """The end of each command, by a process that may not write to the store's folder."""
    lines = [[*name.split(), *(one.format(out=out) for one in rest)] for name, rest in given.items()]
    done = subprocess.run(
        [*WITHOUT_RIGHTS, sys.executable, "-c", RUN_EACH],
        input=json.dumps(lines),
        env={**os.environ, "OSLER_STORE": str(path), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return dict(zip(given, (Ended(*json.loads(line)) for line in done.stdout.splitlines()), strict=True))


@pytest.mark.slow
def test_an_archive_is_read_by_every_command_that_reads_and_changed_by_none(tmp_path: Path) -> None:
    path = read_only(tmp_path / "media")
    before = path.read_bytes()
    close(path)
    read = commands(path, READING, tmp_path)
    assert {name: ended for name, ended in read.items() if ended.code != 0} == {}
    written = commands(path, WRITING, tmp_path)
    assert {name: ended.code for name, ended in written.items()} == dict.fromkeys(WRITING, 1)
    assert [name for name, ended in written.items() if "the store is read-only (copy" not in ended.said] == []
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_stands_beside_an_archive_is_not_passed_over(tmp_path: Path) -> None:
    """The newest rows of a store whose process was killed stand in a file of their own."""
    path = read_only(tmp_path / "media")
    with open_store(path) as store, store.engine.connect() as connection:
        write_run(store, Episode(), name="three")
        connection.exec_driver_sql("SELECT 1 FROM runs").all()
        copies = tmp_path / "copy"
        copies.mkdir()
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", copies)
    close(copies / path.name)
    ended = commands(copies / path.name, {"runs": []}, tmp_path)["runs"]
    assert ended.code == 1
    assert "some of its rows still stand in a file beside it" in ended.said


def test_an_archive_of_an_older_release_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = read_only(tmp_path / "media")
    later_release.installed(tmp_path / "later", monkeypatch)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadStore, match="must be brought up to date"):
        open_store(path)
