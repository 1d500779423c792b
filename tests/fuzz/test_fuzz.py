"""On a malformed file every command ends in an exit code and words, within a bounded time, and what it has
accepted can be read back. A failure names the seed; `spoilt(raw, Random(seed))` makes the file again."""

from __future__ import annotations

import os
import shutil
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from tests.fuzz.mutations import spoilt
from tests.fuzz.table import FIXTURES, KINDS, REFUSED, USES, stock, taking_files

LINES: Final = [(name, line) for name, kind in KINDS.items() for line in kind.lines]
FEW: Final = 4
MANY: Final = max(1, int(os.environ.get("OSLER_FUZZ", "20000")) // len(LINES))
"""Spoilt files for each line, a file only once; OSLER_FUZZ sets another total."""

RUBRIC: Final = FIXTURES / "packets/rubrics/mededportal_90001_scenario2.json"
MOST_CPU_S: Final = 60.0
KNOWN_ENDS: Final = (*range(5), 130)  # 130: the input of a person ended


def test_every_file_that_a_command_reads_is_in_the_table() -> None:
    assert taking_files() == USES.keys()
    assert set(USES.values()) <= KINDS.keys()


EACH: Final = pytest.mark.parametrize(
    ("kind", "line"), LINES, ids=[f"{kind}: {line}" for kind, line in LINES]
)


@EACH
def test_a_valid_file_is_taken_and_a_few_spoilt_ones(
    kind: str, line: str, whole: Path, tmp_path: Path
) -> None:
    ended = run(kind, line, whole, tmp_path, None)
    assert not problem(ended)
    assert bool(ended.exit_code) == (line in REFUSED), ended.output
    tried(kind, line, range(FEW), whole, tmp_path)


@pytest.mark.slow
@EACH
def test_many_spoilt_files(kind: str, line: str, whole: Path, tmp_path: Path) -> None:
    tried(kind, line, range(FEW, FEW + MANY), whole, tmp_path)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stock(tmp_path_factory.mktemp("stock"))


def tried(kind: str, line: str, seeds: range, whole: Path, tmp_path: Path) -> None:
    wrong = []
    for seed in seeds:
        said = problem(run(kind, line, whole, tmp_path, seed))
        if said:
            wrong.append(f"seed {seed}: {said}")
    assert not wrong, f"{kind}: {line}\n" + "\n".join(wrong)


def problem(ended: Result) -> str:
    """What is wrong with the way in which a command ended, or nothing."""
    error = ended.exception
    if error is not None and not isinstance(error, SystemExit):
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:200]} at {place.filename}:{place.lineno}"
    if ended.exit_code not in KNOWN_ENDS:
        return f"exit code {ended.exit_code}"
    return "" if ended.exit_code == 0 or ended.output.strip() else "no words"


def run(kind: str, line: str, whole: Path, tmp_path: Path, seed: int | None) -> Result:
    """Give a command a file, spoilt where there is a seed, in a fresh copy of its folder."""
    here = tmp_path / "here"
    shutil.rmtree(here, ignore_errors=True)
    held = KINDS[kind].file
    top = Path(held).parts[0]
    if (whole / top).is_dir():
        shutil.copytree(whole / top, here / top)
    else:
        here.mkdir(parents=True)
        shutil.copy(whole / top, here / top)
    (here / "out").mkdir()
    file = here / held
    if seed is not None:
        file.write_bytes(spoilt(file.read_bytes(), Random(seed)))
    if "{s}" in line:
        shutil.copy(whole / "small.db", here / "s.db")
    words = line.format(
        f=file, d=file.parent, o=here / "out", s=here / "s.db", p=here / "packets", rubric=RUBRIC, whole=whole
    )
    first, _, again = words.partition(" && ")
    ended = called(first)
    if again and ended.exit_code == 0 and any((here / "out").rglob("*")):
        read = called(again)
        assert read.exit_code == 0, f"seed {seed}: accepted, but {again}: {read.output[-300:]}"
    return ended


def called(line: str) -> Result:
    with bounded():
        return CliRunner().invoke(app, line.split(), input="")


@contextmanager
def bounded() -> Iterator[None]:
    """Raise TimeoutError in what takes more processor time than any file should."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {MOST_CPU_S:.0f} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
