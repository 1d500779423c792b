"""A damaged store: what can be read is read, what is lost is named, and nothing ends in a traceback."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from random import Random
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.store import open_store

EPISODES: Final = 6
FEW, MANY = 8, 200
COMMANDS: Final = (
    "runs",
    "runs summary one",
    "show one:2",
    "export one --out {out}/one.jsonl",
    "report one --no-controls --out {out}/report.html",
    "report one --tables {out}/tables",
    "compare one two",
    "judge run one",
    "resume one",
)


def osler(line: str, store: Path, out: Path) -> Result:
    return CliRunner().invoke(app, [*line.format(out=out).split(), "--store", str(store)])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two runs, one of them not finished."""
    path = tmp_path_factory.mktemp("whole") / "osler.db"
    with open_store(path) as store:
        for name in ("one", "two"):
            run = runs.begin(RunConfig(cases="library", limit=EPISODES), store, name=name)
            assert runs.play(run, store).status == "done"
        store.forget(store.run("one").id, EPISODES - 1, after=4)
    return path


def damaged(raw: bytes, rng: Random) -> bytes:
    """A file that has lost its end or a page, or in which a few bits are flipped or bytes written over."""
    made = bytearray(raw)
    at = rng.randrange(len(raw))
    match rng.choice(("cut", "page", "bit", "bits", "over")):
        case "cut":
            del made[at:]
        case "page":
            page = at // 16384 * 16384
            made[page : page + 16384] = bytes(16384)
        case "bit":
            made[at] ^= 1 << rng.randrange(8)
        case "bits":
            for _ in range(20):
                made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
        case _:
            made[at : at + 40] = rng.randbytes(40)
    return bytes(made)


@pytest.mark.parametrize(
    "seeds", [range(FEW), pytest.param(range(FEW, MANY), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_every_command_ends_in_words(seeds: range, whole: Path, tmp_path: Path) -> None:
    raw, wrong = whole.read_bytes(), []
    for seed in seeds:
        for line in COMMANDS:
            for end in ("", "-wal", "-shm"):
                Path(f"{tmp_path}/d.db{end}").unlink(missing_ok=True)
            (tmp_path / "d.db").write_bytes(damaged(raw, Random(seed)))
            found = osler(line, tmp_path / "d.db", tmp_path)
            if not isinstance(found.exception, SystemExit | None) or not 0 <= found.exit_code <= 4:
                wrong.append(f"seed {seed}: {line}: {found.exception!r}")
            elif found.exit_code and "damaged" not in found.output and "osler: " not in found.output:
                wrong.append(f"seed {seed}: {line}: {found.output[-200:]}")
    assert not wrong, "\n".join(wrong)


def spoil(store: Path, sql: str) -> None:
    with sqlite3.connect(store) as connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()


SPOILT: Final = {
    "an exchange": "UPDATE exchanges SET reply = '{{\"a' WHERE run = 1 AND ordinal = 1 AND n = 2",
    "the end": "UPDATE episodes SET tail = CAST(x'ff' AS TEXT) WHERE run = 1 AND ordinal = 1",
    "a status": "UPDATE episodes SET status = 'complated' WHERE run = 1 AND ordinal = 1",
    "a judgement": "UPDATE judgements SET body = '{' WHERE run = 1 AND ordinal = 1",
    "some exchanges": "DELETE FROM exchanges WHERE run = 1 AND ordinal = 1 AND n > 3",
}


@pytest.mark.parametrize("sql", SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("line", COMMANDS[1:8])
def test_what_is_lost_is_named_and_the_rest_is_read(sql: str, line: str, whole: Path, tmp_path: Path) -> None:
    store = tmp_path / "d.db"
    store.write_bytes(whole.read_bytes())
    spoil(store, sql)
    found = osler(line, store, tmp_path)
    if line.startswith("show"):
        assert found.exit_code == 0
        found = osler("show one:1", store, tmp_path)
        assert "osler: " in found.output
    elif "one:1 cannot be read" not in found.output:  # nothing that is lost was needed
        assert (found.exit_code, line) == (0, line)
        return
    assert found.exit_code == 1
    if line.startswith("export"):
        lines = (tmp_path / "one.jsonl").read_text().splitlines()
        assert [json.loads(each)["ordinal"] for each in lines[1:]] == [0, 2, 3, 4]


def test_a_file_of_which_nothing_is_left_says_how_to_salvage(whole: Path, tmp_path: Path) -> None:
    raw = whole.read_bytes()
    (tmp_path / "d.db").write_bytes(raw[:16384] + os.urandom(len(raw) - 16384))
    found = osler("runs", tmp_path / "d.db", tmp_path)
    assert found.exit_code == 1
    assert "the file is damaged" in found.output
    assert ".recover" in found.output
