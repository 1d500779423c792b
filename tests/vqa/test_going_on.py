"""A run that was killed goes on where it was, and ends with the bytes of one that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.endpoints import running
from tests.pictures.images import png
from tests.vqa.made_up import figures, medxpertqa, paint, vqa, write
from tests.vqa.test_asking import config

N = 10


@pytest.fixture
def words(tmp_path: Path) -> list[str | Path]:
    rows = medxpertqa(N)
    made = (write(tmp_path, rows), "--format", "medxpertqa", "--images", paint(tmp_path, rows))
    return [*made, "--model", "uniform", "--blind", "--rotations", "2", "--out", tmp_path / "kept"]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0])
def test_a_run_cut_off_anywhere_ends_with_the_same_bytes(
    words: list[str | Path], tmp_path: Path, share: float
) -> None:
    kept = tmp_path / "kept" / "uniform.jsonl"
    whole, undisturbed = figures(*words), kept.read_bytes()
    kept.write_bytes(undisturbed[: int(len(undisturbed) * share)])
    assert figures(*words) == whole
    assert kept.read_bytes() == undisturbed


def test_answers_in_any_order_end_in_the_order_of_the_items(words: list[str | Path], tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "uniform.jsonl"
    figures(*words)
    undisturbed = kept.read_bytes()
    first, *rest = undisturbed.splitlines(keepends=True)
    kept.write_bytes(b"".join([first, *reversed(rest[3:]), rest[5]]))
    figures(*words)
    assert kept.read_bytes() == undisturbed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--seed", "5"), "--seed was 0 and is 5"),
        (("--format", "mmmu"), "--format was medxpertqa and is mmmu"),
    ],
)
def test_other_settings_are_refused_by_name(
    words: list[str | Path], change: tuple[str, str], said: str
) -> None:
    figures(*words)
    done = vqa(*words, *change)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "--out" in done.stderr


def test_a_changed_file_is_refused(words: list[str | Path], tmp_path: Path) -> None:
    figures(*words)
    write(tmp_path, medxpertqa(N + 1))
    paint(tmp_path, medxpertqa(N + 1))
    assert "the file of questions has changed" in vqa(*words).stderr


def test_a_changed_picture_is_refused_by_row(words: list[str | Path], tmp_path: Path) -> None:
    figures(*words)
    (tmp_path / "images" / "MM-4-a.png").write_bytes(png(777))
    assert "row 5 has changed since it was answered" in vqa(*words).stderr


@pytest.mark.parametrize("spoilt", [b"{}\n", b"nothing\n", b'{"osler_vqa": 99}\n'])
def test_a_file_of_something_else_is_neither_read_nor_overwritten(
    words: list[str | Path], tmp_path: Path, spoilt: bytes
) -> None:
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "uniform.jsonl"
    kept.write_bytes(spoilt)
    done = vqa(*words)
    assert done.exit_code == 1
    assert "no answers of osler vqa" in done.stderr
    assert kept.read_bytes() == spoilt


def test_a_damaged_line_is_named(words: list[str | Path], tmp_path: Path) -> None:
    figures(*words)
    kept = tmp_path / "kept" / "uniform.jsonl"
    whole = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join([*whole[:4], b'{"row": 1}\n', *whole[5:]]))
    assert "line 5 is damaged" in vqa(*words).stderr


def test_two_processes_do_not_write_to_one_file(words: list[str | Path], tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "kept").mkdir()
    with (tmp_path / "kept" / "uniform.jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = vqa(*words)
    assert done.exit_code == 1
    assert "another process" in done.stderr


@pytest.mark.slow
def test_a_process_killed_with_calls_under_way_asks_none_of_them_twice_that_was_kept(tmp_path: Path) -> None:
    rows = medxpertqa(60)
    made = [
        write(tmp_path, rows),
        "--format",
        "medxpertqa",
        "--images",
        paint(tmp_path, rows),
        "--model",
        "tiny",
    ]
    with running(latency_ms=40, script=[{"reply": "Answer: C"}]) as url:
        path = config(tmp_path, url)
        base = [*map(str, made), "--config", str(path), "--concurrency", "4", "--out"]
        whole = figures(*base, tmp_path / "undisturbed")
        kept = tmp_path / "killed" / "tiny.jsonl"
        process = subprocess.Popen(
            [sys.executable, "-m", "osler.cli.main", "vqa", *base, str(kept.parent)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not (kept.exists() and kept.read_bytes().count(b"\n") > 12):
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        held = len([line for line in kept.read_bytes().split(b"\n")[1:-1] if json.loads(line)])
        assert 0 < held < 60
        found = figures(*base, kept.parent)
    assert found["usage"]["vqa"]["tiny"]["calls"] == 60 - held
    assert kept.read_bytes() == (tmp_path / "undisturbed" / "tiny.jsonl").read_bytes()
    assert found["accuracy"] == whole["accuracy"]
